//! BC1, opaque or with holes. Twin of `glsl/encode/bc1.glsl`.

use super::Effort;
use super::color::{ColorBlock, HALVES, THIRDS, color_block, solid_pair};
use super::vector::Rgb;

/// Encodes 16 RGBA8 texels, red in the low byte. With `punch_through`, texels with an alpha below 128 become holes;
/// without, alpha is ignored and no texel is a hole under any reading of BC1.
pub(super) fn encode(texels: &[u32; 16], punch_through: bool, effort: Effort) -> [u8; 8] {
    let mut mask = 0xffff;
    if punch_through {
        mask = texels.iter().enumerate().fold(0, |mask, (k, texel)| mask | (texel >> 31) << k);
    }
    if mask == 0 {
        return [0, 0, 0, 0, 255, 255, 255, 255];
    }
    let mut levels = if mask == 0xffff { THIRDS } else { HALVES };
    if mask == 0xffff && texels.iter().all(|texel| (texel ^ texels[0]) & 0xff_ffff == 0) {
        let color = Rgb::unpack(texels[0]);
        if solid_pair(color, HALVES).1 < solid_pair(color, THIRDS).1 {
            levels = HALVES;
        }
    }
    stored(color_block(texels, mask, levels, effort), levels)
}

/// Endpoints in the order that tells the decoder which palette is meant, then codes.
pub(super) fn stored(block: ColorBlock, levels: i32) -> [u8; 8] {
    let ColorBlock { endpoints: [mut c0, mut c1], mut codes } = block;
    if (levels == THIRDS && c0 < c1) || (levels == HALVES && c0 > c1) {
        std::mem::swap(&mut c0, &mut c1);
        codes ^= if levels == THIRDS { 0x5555_5555 } else { !(codes >> 1) & 0x5555_5555 };
    }
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&(c0 | c1 << 16).to_le_bytes());
    bytes[4..].copy_from_slice(&codes.to_le_bytes());
    bytes
}
