//! BC3. Twin of `glsl/encode/bc3.glsl`.

use super::Effort;
use super::bc1::stored;
use super::bc4::packed;
use super::color::{THIRDS, color_block};
use super::scalar::{Scale, scalar_block};

/// Encodes 16 RGBA8 texels, red in the low byte.
pub(super) fn encode(texels: &[u32; 16], effort: Effort) -> [u8; 16] {
    let alpha = texels.map(|texel| (texel >> 24) as i32);
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&packed(scalar_block(&alpha, Scale::ALPHA, effort), 0));
    bytes[8..].copy_from_slice(&stored(color_block(texels, 0xffff, THIRDS, effort), THIRDS));
    bytes
}
