//! Images of texels to images of blocks, on all threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

use texemu_format::{Codec, Format, Numeric};

use super::{Effort, bc1, bc3, bc4, bc5, bc6h, bc7};
use crate::Error;

/// Blocks from which a second thread pays.
const BLOCKS_A_THREAD: usize = 1 << 8;

/// Bytes of one texel as the encoder of `target` takes it: R16 for BC4, R16G16 for BC5, R16G16B16A16_SFLOAT for BC6H,
/// else RGBA8; little endian.
pub fn texel_bytes(target: &Format) -> Result<usize, Error> {
    match (target.codec, target.numeric) {
        (Codec::Bc4, _) => Ok(2),
        (Codec::Bc6h, Numeric::Ufloat) => Ok(8),
        (Codec::Bc1Rgb | Codec::Bc1Rgba | Codec::Bc3 | Codec::Bc5 | Codec::Bc7, _) => Ok(4),
        _ => Err(Error::NotATarget(target.vk)),
    }
}

/// Encodes 16 texels, row by row, of [`texel_bytes`] each into one block.
///
/// BC1_RGB ignores alpha; BC1_RGBA makes texels with an alpha below one half holes. sRGB formats take the stored code
/// values.
pub fn encode_block(target: &Format, texels: &[u8], effort: Effort, block: &mut [u8]) -> Result<(), Error> {
    let needed = 16 * texel_bytes(target)?;
    check(texels.len() as u64, needed as u64)?;
    if block.len() != target.block_bytes as usize {
        let (needed, given) = (target.block_bytes.into(), block.len() as u64);
        return Err(Error::WrongBufferSize { needed, given });
    }
    encode(target, &texels[..needed], effort, block);
    Ok(())
}

/// Encodes one image.
///
/// `texels` holds the slices of `extent` texels (width, height, depth or layers) row by row, tightly packed, each of
/// [`texel_bytes`]; bytes past the last are ignored. The result holds each slice's blocks row by row, tightly packed.
/// A block that reaches past the image repeats its last column and row.
pub fn encode_image(
    target: &Format,
    texels: &[u8],
    extent: [u32; 3],
    effort: Effort,
) -> Result<Vec<u8>, Error> {
    let texel = texel_bytes(target)?;
    let too_large = Error::TooLarge(extent);
    let bytes = target.level_bytes(extent).and_then(|bytes| usize::try_from(bytes).ok()).ok_or(too_large)?;
    let needed = extent.iter().try_fold(texel as u64, |product, &size| product.checked_mul(size.into()));
    check(texels.len() as u64, needed.ok_or(Error::TooLarge(extent))?)?;
    let mut blocks = vec![0; bytes];
    if bytes == 0 {
        return Ok(blocks);
    }
    let [width, height, _] = extent.map(|size| size as usize);
    let [columns, rows, _] = target.blocks(extent).map(|size| size as usize);
    let block_bytes = target.block_bytes as usize;
    let work = Mutex::new(blocks.chunks_mut(columns * block_bytes).enumerate());
    let encode_rows = || {
        let mut gathered = [0; 16 * 8];
        let gathered = &mut gathered[..16 * texel];
        loop {
            let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((row, blocks)) = next else { break };
            let (slice, row) = (row / rows, row % rows);
            for (column, block) in blocks.chunks_mut(block_bytes).enumerate() {
                for (k, gathered) in gathered.chunks_mut(texel).enumerate() {
                    let x = (4 * column + k % 4).min(width - 1);
                    let y = (4 * row + k / 4).min(height - 1);
                    let at = ((slice * height + y) * width + x) * texel;
                    gathered.copy_from_slice(&texels[at..at + texel]);
                }
                encode(target, gathered, effort, block);
            }
        }
    };
    let worthwhile = bytes / block_bytes / BLOCKS_A_THREAD;
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get());
    thread::scope(|scope| {
        for _ in 1..threads.min(worthwhile) {
            scope.spawn(encode_rows);
        }
        encode_rows();
    });
    Ok(blocks)
}

fn check(given: u64, needed: u64) -> Result<(), Error> {
    if given < needed { Err(Error::TooFewTexels { needed, given }) } else { Ok(()) }
}

/// `texels` and `block` have the sizes of `target`, which [`texel_bytes`] knows.
fn encode(target: &Format, texels: &[u8], effort: Effort, block: &mut [u8]) {
    let snorm = target.numeric == Numeric::Snorm;
    match target.codec {
        Codec::Bc1Rgb => block.copy_from_slice(&bc1::encode(&words(texels), false, effort)),
        Codec::Bc1Rgba => block.copy_from_slice(&bc1::encode(&words(texels), true, effort)),
        Codec::Bc3 => block.copy_from_slice(&bc3::encode(&words(texels), effort)),
        Codec::Bc4 => block.copy_from_slice(&bc4::encode(&values(texels, 1, 0), snorm, effort)),
        Codec::Bc6h => {
            let channels = [0, 1, 2].map(|c| values(texels, 4, c));
            block.copy_from_slice(&bc6h::encode(channels, effort));
        }
        Codec::Bc7 => block.copy_from_slice(&bc7::encode(&words(texels), effort)),
        _ => block.copy_from_slice(&bc5::encode([0, 1].map(|c| values(texels, 2, c)), snorm, effort)),
    }
}

fn words(texels: &[u8]) -> [u32; 16] {
    std::array::from_fn(|k| u32::from_le_bytes(std::array::from_fn(|byte| texels[4 * k + byte])))
}

/// One channel of texels of `channels` 16-bit values.
fn values(texels: &[u8], channels: usize, channel: usize) -> [u16; 16] {
    std::array::from_fn(|k| {
        let at = 2 * (channels * k + channel);
        u16::from_le_bytes([texels[at], texels[at + 1]])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> &'static Format {
        texemu_format::by_name(name).expect("the table has it")
    }

    #[test]
    fn edge_blocks_repeat_the_last_column_and_row() {
        let format = format("BC3_UNORM_BLOCK");
        let [width, height, depth] = [23, 9, 2];
        let texel = |x: usize, y: usize, z: usize| {
            [(40 * x) as u8, (90 * y) as u8, (x * y) as u8, (200 * z + x) as u8]
        };
        let texels: Vec<u8> = (0..width * height * depth)
            .flat_map(|n| texel(n % width, n / width % height, n / width / height))
            .collect();
        let extent = [width, height, depth].map(|size| size as u32);
        let image = encode_image(format, &texels, extent, Effort::Fast).expect("encodes");
        for (index, got) in image.chunks(16).enumerate() {
            let (column, row, z) = (index % 6, index / 6 % 3, index / 18);
            let texels: Vec<u8> = (0..16)
                .flat_map(|k| {
                    texel((4 * column + k % 4).min(width - 1), (4 * row + k / 4).min(height - 1), z)
                })
                .collect();
            let mut want = [0; 16];
            encode_block(format, &texels, Effort::Fast, &mut want).expect("encodes");
            assert_eq!(got, want, "block {index}");
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        let bc4 = format("BC4_SNORM_BLOCK");
        let encode =
            |format, bytes: usize, extent| encode_image(format, &vec![0; bytes], extent, Effort::Fast);
        assert_eq!(encode(bc4, 5 * 5 * 2, [5, 5, 1]).map(|blocks| blocks.len()), Ok(4 * 8));
        let few = Error::TooFewTexels { needed: 50, given: 49 };
        assert_eq!(encode(bc4, 49, [5, 5, 1]), Err(few), "one byte is missing");
        assert_eq!(encode(bc4, 0, [0, 5, 1]), Ok(vec![]), "an empty image");
        let huge = [u32::MAX; 3];
        assert_eq!(encode(bc4, 64, huge), Err(Error::TooLarge(huge)), "no such image fits");
        let astc = format("ASTC_4x4_UNORM_BLOCK");
        assert_eq!(encode(astc, 64, [4, 4, 1]), Err(Error::NotATarget(astc.vk)), "ASTC is not encoded");
        let mut block = [0; 7];
        let wrong = Error::WrongBufferSize { needed: 8, given: 7 };
        assert_eq!(encode_block(bc4, &[0; 32], Effort::Fast, &mut block), Err(wrong), "a block has 8 bytes");
    }
}
