//! Decoding BC blocks on the CPU, to look at what an encoder made.

use anyhow::{Context, Result, ensure};
use texemu_format::{Codec, Format, Numeric, find};

/// The format whose texels hold what blocks of `format` decode to; `None` if `format` is not a BC format.
///
/// For BC4 and BC5, whose values lie between multiples of 1/255, that is the nearest multiple of 1/65535.
pub(crate) fn texels_of(format: &Format) -> Option<&'static Format> {
    let (codec, numeric) = match format.codec {
        Codec::Bc1Rgb | Codec::Bc1Rgba | Codec::Bc2 | Codec::Bc3 | Codec::Bc7 => {
            (Codec::Rgba8, format.numeric)
        }
        Codec::Bc4 => (Codec::R16, format.numeric),
        Codec::Bc5 => (Codec::Rg16, format.numeric),
        Codec::Bc6h => (Codec::Rgba16f, Numeric::Sfloat),
        _ => return None,
    };
    find(codec, [1, 1], numeric)
}

/// The 16 texels of a block, row by row, in the format of [`texels_of`].
fn decode_block(format: &Format, block: &[u8], texels: &mut [u8]) {
    let signed = format.is_snorm();
    match format.codec {
        Codec::Bc1Rgb => {
            bcdec_rs::bc1(block, texels, 16);
            // Without alpha the fourth colour of such blocks is opaque black.
            texels.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 255);
        }
        Codec::Bc1Rgba => bcdec_rs::bc1(block, texels, 16),
        Codec::Bc2 => bcdec_rs::bc2(block, texels, 16),
        Codec::Bc3 => bcdec_rs::bc3(block, texels, 16),
        Codec::Bc7 => bcdec_rs::bc7(block, texels, 16),
        Codec::Bc4 => {
            let mut values = [0.0; 16];
            bcdec_rs::bc4_float(block, &mut values, 4, signed);
            put_normalized(&values, signed, texels);
        }
        Codec::Bc5 => {
            let mut values = [0.0; 32];
            bcdec_rs::bc5_float(block, &mut values, 8, signed);
            put_normalized(&values, signed, texels);
        }
        _ => {
            const ONE: u16 = 0x3C00;
            let mut values = [0; 48];
            bcdec_rs::bc6h_half(block, &mut values, 12, format.numeric == Numeric::Sfloat);
            for (texel, rgb) in texels.chunks_exact_mut(8).zip(values.chunks_exact(3)) {
                let rgba = rgb.iter().chain([&ONE]);
                rgba.zip(texel.chunks_exact_mut(2))
                    .for_each(|(value, bytes)| bytes.copy_from_slice(&value.to_le_bytes()));
            }
        }
    }
}

fn put_normalized(values: &[f32], signed: bool, texels: &mut [u8]) {
    for (value, bytes) in values.iter().zip(texels.chunks_exact_mut(2)) {
        let stored =
            if signed { ((value * 32767.0).round() as i16) as u16 } else { (value * 65535.0).round() as u16 };
        bytes.copy_from_slice(&stored.to_le_bytes());
    }
}

/// Decodes `width` x `height` texels; `blocks` are tightly packed, the texels become so.
pub(crate) fn decode(
    format: &Format,
    blocks: &[u8],
    width: u32,
    height: u32,
    texels: &mut Vec<u8>,
) -> Result<()> {
    let target = texels_of(format).with_context(|| format!("{} is not a BC format", format.name))?;
    let texel = target.block_bytes as usize;
    let [columns, rows, _] = format.blocks([width, height, 1]).map(|count| count as usize);
    let (width, height) = (width as usize, height as usize);
    let block_bytes = format.block_bytes as usize;
    ensure!(blocks.len() >= columns * rows * block_bytes, "blocks are missing");
    texels.resize(width * height * texel, 0);
    let mut decoded = [0; 16 * 8];
    let decoded = &mut decoded[..16 * texel];
    for (index, block) in blocks.chunks_exact(block_bytes).take(columns * rows).enumerate() {
        let (left, top) = (4 * (index % columns), 4 * (index / columns));
        decode_block(format, block, decoded);
        let kept = (width - left).min(4);
        for (y, row) in decoded.chunks_exact(4 * texel).enumerate().take(height - top.min(height)) {
            let start = ((top + y) * width + left) * texel;
            texels[start..start + kept * texel].copy_from_slice(&row[..kept * texel]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_at_the_edge_are_cut() {
        let format = texemu_format::by_name("BC1_RGB_UNORM_BLOCK").expect("in the table");
        // Both colours 0xF800: red. The second block's are 0x001F: blue.
        let (red, blue) = ([0, 0xF8, 0, 0xF8, 0, 0, 0, 0], [0x1F, 0, 0x1F, 0, 0, 0, 0, 0]);
        let mut texels = Vec::new();
        decode(format, &[red, blue].concat(), 5, 3, &mut texels).expect("enough blocks");
        let row = [[255, 0, 0, 255]; 4].into_iter().chain([[0, 0, 255, 255]]).collect::<Vec<_>>().concat();
        assert_eq!(texels, row.repeat(3), "four red texels and a blue one in each of three rows");
    }

    #[test]
    fn every_bc_target_has_texels_like_its_sources() {
        for source in texemu_format::sources() {
            for target in source.targets.iter().filter(|target| target.is_compressed()) {
                let texels = texels_of(target).expect("a BC format");
                assert_eq!(Some(texels), source.targets.exact(), "{} to {}", source.name, target.name);
            }
        }
    }

    #[test]
    fn normalized_values_keep_their_ends() {
        let mut texels = [0; 4];
        put_normalized(&[0.0, 1.0], false, &mut texels);
        assert_eq!(texels, [0, 0, 255, 255]);
        put_normalized(&[-1.0, 1.0], true, &mut texels);
        assert_eq!(texels, [1, 0x80, 0xFF, 0x7F], "-32767 and 32767");
    }
}
