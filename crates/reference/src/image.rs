//! Images of blocks to images of texels, on all threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

use texemu_format::{Codec, Format, Numeric};

use crate::astc::{self, MAX_TEXELS};
use crate::{Error, eac, etc2};

/// Texels from which a second thread pays.
const TEXELS_A_THREAD: u64 = 1 << 14;

/// What the texels of illegal ASTC blocks become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ErrorColor {
    /// Opaque magenta, in 16-bit floats 1, 0, 1, 1. KDFS 1.4 also allows NaN for floats; magenta survives
    /// filtering and every store.
    #[default]
    Magenta,
    /// Transparent black.
    TransparentBlack,
}

impl ErrorColor {
    fn unorm16(self) -> [u16; 4] {
        match self {
            Self::Magenta => [0xFFFF, 0, 0xFFFF, 0xFFFF],
            Self::TransparentBlack => [0; 4],
        }
    }
}

/// How to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// What the texels of illegal ASTC blocks become.
    pub error_color: ErrorColor,
    /// Decode `ASTC_*_UNORM_BLOCK` to `R16G16B16A16_SFLOAT` (`decode_float16`) instead of `R8G8B8A8_UNORM`
    /// (`decode_unorm8`). HDR endpoints stay the error colour, for the format is LDR.
    pub float16: bool,
    /// Threads to decode with; 0 stands for as many as the machine runs at once. Small images take one.
    pub threads: usize,
}

/// A decoder of one format's blocks into texels of `N` bytes.
pub(crate) trait BlockDecoder<const N: usize>: Sync {
    /// Writes all texels of a block, row by row. `block` and `texels` have the format's sizes.
    fn decode(&self, block: &[u8], texels: &mut [[u8; N]]);
}

/// The format of the texels that `format` decodes to: its exact target, or `R16G16B16A16_SFLOAT` if the
/// options say so.
///
/// # Errors
/// [`Error::NotASource`], or [`Error::NoFloat16`] if the options ask for floats where there are none.
pub fn target(format: &Format, options: &Options) -> Result<&'static Format, Error> {
    let float = format.numeric == Numeric::Sfloat;
    if options.float16 && !float {
        if format.codec != Codec::AstcLdr || format.is_srgb() {
            return Err(Error::NoFloat16(format.vk));
        }
        return texemu_format::find(Codec::Rgba16f, [1, 1], Numeric::Sfloat)
            .ok_or(Error::NoFloat16(format.vk));
    }
    format.targets.exact().ok_or(Error::NotASource(format.vk))
}

/// Decodes one image.
///
/// `blocks` holds the slices of `extent` texels (width, height, depth or layers), each one's blocks row by
/// row, tightly packed; bytes past the last block are ignored. The result holds the texels of [`target`]'s
/// format in the same order, tightly packed, little endian, without the texels of edge blocks that lie
/// outside the image.
///
/// # Errors
/// As [`target`]; [`Error::TooFewBlocks`], or [`Error::TooLarge`] past the address space. Nothing is allocated
/// before the sizes are checked.
pub fn decode_image(
    format: &Format,
    blocks: &[u8],
    extent: [u32; 3],
    options: &Options,
) -> Result<Vec<u8>, Error> {
    let bytes = texel_bytes(format, extent, options)?;
    check_blocks(format, blocks, extent)?;
    let mut texels = vec![0; usize::try_from(bytes).map_err(|_| Error::TooLarge(extent))?];
    decode_into(format, blocks, extent, options, &mut texels)?;
    Ok(texels)
}

/// Decodes one image as [`decode_image`] does, into the caller's memory. Needs no more memory than a block a
/// thread.
///
/// # Errors
/// As [`decode_image`]; [`Error::WrongBufferSize`] if `texels` does not have exactly the size of the image.
pub fn decode_into(
    format: &Format,
    blocks: &[u8],
    extent: [u32; 3],
    options: &Options,
    texels: &mut [u8],
) -> Result<(), Error> {
    let needed = texel_bytes(format, extent, options)?;
    if texels.len() as u64 != needed {
        return Err(Error::WrongBufferSize { needed, given: texels.len() as u64 });
    }
    check_blocks(format, blocks, extent)?;
    if needed > 0 {
        with_decoder(format, options, Image { format, blocks, extent, threads: options.threads, texels })?;
    }
    Ok(())
}

/// Decodes one image band by band, for images whose texels need not be in memory at once. `band` is called
/// with the slice, the first row of texels in it and the band's rows, tightly packed; a band covers
/// `block_rows` rows of blocks, the last one of a slice may cover fewer. The first error that `band` returns
/// ends the decoding.
///
/// # Errors
/// As [`decode_image`], and what `band` returns.
pub fn decode_bands<E: From<Error>>(
    format: &Format,
    blocks: &[u8],
    extent: [u32; 3],
    options: &Options,
    block_rows: u32,
    mut band: impl FnMut(u32, u32, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    texel_bytes(format, extent, options)?;
    check_blocks(format, blocks, extent)?;
    let [width, height, depth] = extent;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let rows = format.footprint[1].saturating_mul(block_rows.max(1));
    let mut texels = Vec::new();
    let mut rest = blocks;
    for z in 0..depth {
        for y in (0..height).step_by(rows as usize) {
            let extent = [width, rows.min(height - y), 1];
            let too_large = Error::TooLarge(extent);
            let bytes = usize::try_from(texel_bytes(format, extent, options)?).map_err(|_| too_large)?;
            texels.resize(bytes, 0);
            decode_into(format, rest, extent, options, &mut texels)?;
            band(z, y, &texels)?;
            let taken = format.level_bytes(extent).unwrap_or(0) as usize;
            rest = rest.get(taken..).unwrap_or(&[]);
        }
    }
    Ok(())
}

/// Decodes one block into `texels`: footprint width times height texels of [`target`]'s format, row by row.
///
/// # Errors
/// As [`decode_into`].
pub fn decode_block(
    format: &Format,
    block: &[u8],
    options: &Options,
    texels: &mut [u8],
) -> Result<(), Error> {
    let [width, height] = format.footprint;
    decode_into(format, block, [width, height, 1], &Options { threads: 1, ..*options }, texels)
}

/// Bytes of the decoded image.
fn texel_bytes(format: &Format, extent: [u32; 3], options: &Options) -> Result<u64, Error> {
    target(format, options)?.level_bytes(extent).ok_or(Error::TooLarge(extent))
}

fn check_blocks(format: &Format, blocks: &[u8], extent: [u32; 3]) -> Result<(), Error> {
    let (needed, given) = (format.level_bytes(extent).ok_or(Error::TooLarge(extent))?, blocks.len() as u64);
    if given < needed { Err(Error::TooFewBlocks { needed, given }) } else { Ok(()) }
}

/// What is done once the decoder is known.
trait WithDecoder {
    fn run<const N: usize>(self, decoder: &impl BlockDecoder<N>);
}

/// Calls `job` with the decoder of `format`.
fn with_decoder(format: &Format, options: &Options, job: impl WithDecoder) -> Result<(), Error> {
    let footprint = format.footprint;
    let error = options.error_color.unorm16();
    match (format.codec, format.numeric) {
        (Codec::AstcLdr, Numeric::Srgb) => {
            job.run(&astc::Decoder::<astc::Srgb8>::new(footprint, false, error))
        }
        (Codec::AstcLdr, _) if options.float16 => {
            job.run(&astc::Decoder::<astc::Float16>::new(footprint, false, error));
        }
        (Codec::AstcLdr, _) => job.run(&astc::Decoder::<astc::Unorm8>::new(footprint, false, error)),
        (Codec::AstcHdr, _) => job.run(&astc::Decoder::<astc::Float16>::new(footprint, true, error)),
        (Codec::Etc2Rgb, _) => job.run(&etc2::Rgb8),
        (Codec::Etc2RgbA1, _) => job.run(&etc2::Rgb8A1),
        (Codec::Etc2Rgba, _) => job.run(&etc2::Rgba8),
        (Codec::EacR, _) => job.run(&eac::R11 { signed: format.is_snorm() }),
        (Codec::EacRg, _) => job.run(&eac::Rg11 { signed: format.is_snorm() }),
        _ => return Err(Error::NotASource(format.vk)),
    }
    Ok(())
}

/// An image to decode. Its sizes have been checked and it is not empty.
struct Image<'a> {
    format: &'a Format,
    blocks: &'a [u8],
    extent: [u32; 3],
    threads: usize,
    texels: &'a mut [u8],
}

impl WithDecoder for Image<'_> {
    fn run<const N: usize>(self, decoder: &impl BlockDecoder<N>) {
        let [width, height, _] = self.extent.map(|size| size as usize);
        let [columns, ..] = self.format.blocks(self.extent).map(|size| size as usize);
        let block_bytes = self.format.block_bytes as usize;
        let [block_width, block_height] = self.format.footprint.map(|size| size as usize);
        let pitch = width * N;
        // One piece of work is one row of blocks; no row of blocks spans two slices.
        let rows = self
            .texels
            .chunks_mut(pitch * height)
            .flat_map(|slice| slice.chunks_mut(pitch * block_height.min(height)));
        let work = Mutex::new(self.blocks.chunks(columns * block_bytes).zip(rows));
        let decode_rows = || {
            let mut texels = [[0; N]; MAX_TEXELS];
            let texels = &mut texels[..block_width * block_height];
            loop {
                let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((blocks, rows)) = next else { break };
                for (column, block) in blocks.chunks_exact(block_bytes).enumerate() {
                    decoder.decode(block, texels);
                    let left = column * block_width;
                    let kept = block_width.min(width - left);
                    for (row, texels) in rows.chunks_exact_mut(pitch).zip(texels.chunks_exact(block_width)) {
                        row[left * N..(left + kept) * N].copy_from_slice(texels[..kept].as_flattened());
                    }
                }
            }
        };
        let texels = self.extent.map(u64::from).iter().product::<u64>();
        let worthwhile = usize::try_from(texels / TEXELS_A_THREAD).unwrap_or(usize::MAX).max(1);
        let threads = match self.threads {
            0 => thread::available_parallelism().map_or(1, |threads| threads.get()),
            threads => threads,
        };
        let helpers = threads.min(worthwhile) - 1;
        if helpers == 0 {
            return decode_rows();
        }
        thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(decode_rows);
            }
            decode_rows();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{self, Class};

    fn format(name: &str) -> &'static Format {
        texemu_format::by_name(name).expect("the table has it")
    }

    #[test]
    fn an_image_is_its_blocks_side_by_side() {
        for name in [
            "ASTC_5x4_UNORM_BLOCK",
            "ASTC_12x10_SRGB_BLOCK",
            "ASTC_8x6_SFLOAT_BLOCK",
            "ETC2_R8G8B8A1_SRGB_BLOCK",
            "EAC_R11_SNORM_BLOCK",
            "EAC_R11G11_UNORM_BLOCK",
        ] {
            let format = format(name);
            let extent = [100, 61, 3];
            let options = Options { threads: 3, ..Options::default() };
            let [columns, rows, slices] = format.blocks(extent);
            let blocks = blocks::generate(format, Class::Mixed, (columns * rows * slices) as usize, 5);
            let image = decode_image(format, &blocks, extent, &options).expect("decodes");
            let [width, height] = format.footprint;
            let bytes = target(format, &options).expect("has a target").block_bytes;
            let mut texels = vec![0; (width * height * bytes) as usize];
            for (index, block) in (0..).zip(blocks.chunks(format.block_bytes as usize)) {
                decode_block(format, block, &options, &mut texels).expect("decodes");
                let (left, top) = (index % columns * width, index / columns % rows * height);
                let z = index / columns / rows;
                for (x, y) in (0..width * height).map(|texel| (texel % width, texel / width)) {
                    if left + x < extent[0] && top + y < extent[1] {
                        let inside = ((y * width + x) * bytes) as usize;
                        let outside = (((z * extent[1] + top + y) * extent[0] + left + x) * bytes) as usize;
                        assert_eq!(
                            image[outside..][..bytes as usize],
                            texels[inside..][..bytes as usize],
                            "{name}: block {index}, texel {x}, {y}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn bands_add_up_to_the_image() {
        let format = format("ASTC_6x5_UNORM_BLOCK");
        let (extent, options) = ([41, 33, 2], Options::default());
        let blocks = blocks::generate(format, Class::Mixed, 7 * 7 * 2, 6);
        let image = decode_image(format, &blocks, extent, &options).expect("decodes");
        for block_rows in [1, 3, 7, u32::MAX] {
            let mut bands = Vec::new();
            let mut places = Vec::new();
            decode_bands(format, &blocks, extent, &options, block_rows, |z, y, texels| {
                bands.extend_from_slice(texels);
                places.push((z, y));
                Ok::<_, Error>(())
            })
            .expect("decodes");
            assert_eq!(bands, image, "{block_rows} rows of blocks a band");
            let bands_a_slice = 7u32.div_ceil(block_rows.min(7)) as usize;
            assert_eq!(places.len(), 2 * bands_a_slice, "{block_rows} rows of blocks a band: {places:?}");
        }
    }

    #[test]
    fn wrong_sizes_are_errors() {
        let format = format("ASTC_4x4_UNORM_BLOCK");
        let options = Options::default();
        let short = decode_image(format, &[0; 31], [5, 4, 1], &options);
        assert_eq!(short, Err(Error::TooFewBlocks { needed: 32, given: 31 }), "two blocks are needed");
        let huge = decode_image(format, &[0; 16], [u32::MAX, u32::MAX, u32::MAX], &options);
        assert_eq!(huge, Err(Error::TooLarge([u32::MAX; 3])), "nothing is allocated");
        let large = decode_image(format, &[0; 16], [1 << 20, 1 << 20, 1], &options);
        assert!(
            matches!(large, Err(Error::TooFewBlocks { .. })),
            "nothing is allocated before the blocks are checked"
        );
        let wrong = decode_into(format, &[0; 16], [4, 4, 1], &options, &mut [0; 63]);
        assert_eq!(wrong, Err(Error::WrongBufferSize { needed: 64, given: 63 }), "the buffer must match");
        assert_eq!(
            decode_image(format, &[], [0, 4, 1], &options),
            Ok(vec![]),
            "an empty image has no texels"
        );
    }

    #[test]
    fn targets_follow_the_options() {
        let (exact, float) = (Options::default(), Options { float16: true, ..Options::default() });
        let name = |name: &str, options: &Options| target(format(name), options).map(|target| target.name);
        assert_eq!(name("ASTC_4x4_UNORM_BLOCK", &exact), Ok("R8G8B8A8_UNORM"), "exact");
        assert_eq!(name("ASTC_4x4_UNORM_BLOCK", &float), Ok("R16G16B16A16_SFLOAT"), "by choice");
        assert_eq!(name("ASTC_4x4_SFLOAT_BLOCK", &exact), Ok("R16G16B16A16_SFLOAT"), "always");
        assert!(name("ASTC_4x4_SRGB_BLOCK", &float).is_err(), "sRGB has no float decode mode");
        assert!(name("R8G8B8A8_UNORM", &exact).is_err(), "no source format");
    }
}
