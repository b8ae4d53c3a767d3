//! `.exr`: one slice of one image of floats, losslessly compressed. PIZ is the fastest and the smallest of OpenEXR's
//! lossless schemes on half floats.

use std::io::{self, Seek, Write};

use ::exr::block::writer::ChunksWriter;
use ::exr::block::{BlockIndex, UncompressedBlock};
use ::exr::compression::Compression;
use ::exr::error::Error as ExrError;
use ::exr::math::Vec2;
use ::exr::meta::attribute::{ChannelDescription, LineOrder, SampleType};
use ::exr::meta::header::Header;
use ::exr::meta::{BlockDescription, Headers};
use texemu_format::{Codec, Format};

use crate::sink::{Rows, deliver_bytes};
use crate::{Container, Error, Subresource};

const COMPRESSION: Compression = Compression::PIZ;
/// Scan lines of one block.
const BLOCK_ROWS: usize = COMPRESSION.scan_lines_per_block();

/// Writes an `.exr` file of `width` x `height` texels of `format` to `out`: `R16G16B16A16_SFLOAT` as half channels `R`, `G`, `B` and
/// `A`; `R32_SFLOAT` as one float channel `Y`, `R32G32_SFLOAT` as float channels `R` and `G`.
///
/// `texels` writes the texels, row after row, in as many pieces as it likes; 32 rows are kept.
///
/// # Errors
/// [`Error::CannotStore`] for other formats, [`Error::ImageBytes`] if `texels` writes too much or too little, [`Error::Io`] if it
/// or `out` fails.
pub fn write_exr(
    out: impl Write + Seek,
    format: &Format,
    width: u32,
    height: u32,
    texels: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let cannot = |what: String| Error::CannotStore { container: Container::Exr, what };
    // Channels are stored sorted by name; the number is the component that each takes.
    let (sample, channels): (_, &[(&str, usize)]) = match format.codec {
        Codec::Rgba16f => (SampleType::F16, &[("A", 3), ("B", 2), ("G", 1), ("R", 0)]),
        Codec::R32f => (SampleType::F32, &[("Y", 0)]),
        Codec::Rg32f => (SampleType::F32, &[("G", 1), ("R", 0)]),
        _ => return Err(cannot(format!("{} (only RGBA16F, R32F and RG32F texels)", format.name))),
    };
    // OpenEXR counts in 32 bits with sign.
    let size = Vec2(width as usize, height as usize);
    let bytes = format
        .level_bytes([width, height, 1])
        .filter(|_| width > 0 && height > 0 && i32::try_from(width).is_ok() && i32::try_from(height).is_ok());
    let Some(bytes) = bytes else {
        return Err(cannot(format!("{width}x{height} texels")));
    };
    let descriptions = channels.iter().map(|&(name, _)| ChannelDescription::named(name, sample)).collect();
    let header = Header::new("".into(), size, descriptions).with_encoding(
        COMPRESSION,
        BlockDescription::ScanLines,
        LineOrder::Increasing,
    );
    let mut headers = Headers::new();
    headers.push(header);

    let row_bytes = width as usize * format.block_bytes as usize;
    let component_bytes = sample.bytes_per_sample();
    let mut delivered = Ok(());
    let written = ::exr::block::write(out, headers, true, |meta, chunks| {
        let mut compressor = chunks.sequential_blocks_compressor(&meta);
        let mut block = Vec::new();
        let mut row_index = 0;
        let mut rows = Rows::new(row_bytes, |row: &[u8]| {
            for &(_, component) in channels {
                for texel in row.chunks_exact(format.block_bytes as usize) {
                    block.extend(native(&texel[component * component_bytes..][..component_bytes]));
                }
            }
            row_index += 1;
            let first = (row_index - 1) / BLOCK_ROWS * BLOCK_ROWS;
            if row_index == first + BLOCK_ROWS || row_index == size.height() {
                let index = BlockIndex {
                    layer: 0,
                    pixel_position: Vec2(0, first),
                    pixel_size: Vec2(size.width(), row_index - first),
                    level: Vec2(0, 0),
                };
                let block = UncompressedBlock { index, data: std::mem::take(&mut block) };
                compressor.compress_block(first / BLOCK_ROWS, block).map_err(io::Error::other)?;
            }
            Ok(())
        });
        delivered = deliver_bytes(&mut rows, bytes, Subresource::default(), texels);
        if delivered.is_err() { Err(ExrError::Aborted) } else { Ok(()) }
    });
    delivered?;
    written.map_err(|error| match error {
        ExrError::Io(error) => Error::Io(error),
        other => cannot(other.to_string()),
    })
}

/// The bytes of a little-endian component in the host's order, which is what the encoder takes.
fn native(component: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let last = component.len() - 1;
    (0..component.len())
        .map(move |index| component[if cfg!(target_endian = "big") { last - index } else { index }])
}
