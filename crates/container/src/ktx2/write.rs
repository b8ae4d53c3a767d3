//! Writing: any format of the table, all levels, layers, faces and slices, plain or as Zstandard frames.

use std::io::{self, Seek, SeekFrom, Write};

use ::ktx2::{Format as KtxFormat, Header, Index, LevelIndex, dfd};

use super::{HEADER_BYTES, LEVEL_BYTES, scheme};
use crate::sink::deliver;
use crate::{Container, Error, Shape, Subresource};

/// Fast, and for blocks as good as any below the slowest ones.
const ZSTD_LEVEL: i32 = 3;

/// What [`write_ktx2`] may choose.
#[derive(Clone, Copy, Debug)]
pub struct Ktx2Options<'a> {
    /// Supercompress each level with Zstandard.
    pub zstd: bool,
    /// `KTXwriter`: the program that writes.
    pub writer: &'a str,
    /// `KTXorientation`, for instance `rd`; absent if `None`, which readers take for `rd`.
    pub orientation: Option<&'a str>,
    /// Whether the colours are premultiplied by alpha.
    pub premultiplied: bool,
}

impl Default for Ktx2Options<'_> {
    fn default() -> Self {
        let writer = concat!("texemu ", env!("CARGO_PKG_VERSION"));
        Self { zstd: false, writer, orientation: None, premultiplied: false }
    }
}

/// Writes a `.ktx2` file of `shape` to `out`, from its current position on.
///
/// `image` is called once for each image and writes its bytes: rows of blocks, slice after slice, in as many pieces as it
/// likes. The order of the calls is the order in the file: the smallest level first, and inside a level layer by layer,
/// face by face. Nothing is kept of what it writes.
///
/// # Errors
/// [`Error::ImageBytes`] if `image` writes too much or too little, [`Error::Io`] if it or `out` fails.
pub fn write_ktx2(
    mut out: impl Write + Seek,
    shape: &Shape,
    options: &Ktx2Options<'_>,
    mut image: impl FnMut(Subresource, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let start = out.stream_position()?;
    let (descriptor, type_size) = descriptor(shape, options.premultiplied)?;
    let notes = key_values(options);
    let levels = shape.levels();
    let descriptor_start = HEADER_BYTES + u64::from(levels) * LEVEL_BYTES;
    let notes_start = descriptor_start + descriptor.len() as u64;
    let header = Header {
        format: KtxFormat::new(shape.format().vk.0 as u32),
        type_size,
        pixel_width: shape.extent()[0],
        pixel_height: shape.extent()[1],
        pixel_depth: if shape.is_3d() { shape.extent()[2] } else { 0 },
        layer_count: if shape.is_array() { shape.layers() } else { 0 },
        face_count: shape.faces(),
        level_count: levels,
        supercompression_scheme: ::ktx2::SupercompressionScheme::new(if options.zstd {
            scheme::ZSTANDARD
        } else {
            scheme::NONE
        }),
        index: Index {
            dfd_byte_offset: descriptor_start as u32,
            dfd_byte_length: descriptor.len() as u32,
            kvd_byte_offset: notes_start as u32,
            kvd_byte_length: notes.len() as u32,
            sgd_byte_offset: 0,
            sgd_byte_length: 0,
        },
    };
    out.write_all(&header.as_bytes())?;

    let mut index = index(shape, notes_start + notes.len() as u64);
    write_index(&mut out, &index)?;
    out.write_all(&descriptor)?;
    out.write_all(&notes)?;
    let mut position = notes_start + notes.len() as u64;
    for level in (0..levels).rev() {
        let entry = &mut index[level as usize];
        if options.zstd {
            // A frame needs no alignment, so levels follow one another.
            let mut encoder =
                zstd::stream::write::Encoder::new(Counted { out: &mut out, bytes: 0 }, ZSTD_LEVEL)?;
            encoder.set_pledged_src_size(Some(shape.level_bytes(level)))?;
            encoder.include_checksum(true)?;
            level_images(&mut encoder, shape, level, &mut image)?;
            entry.byte_offset = position;
            entry.byte_length = encoder.finish()?.bytes;
        } else {
            let padding = entry.byte_offset - position;
            out.write_all(&[0; 16][..padding as usize])?;
            level_images(&mut out, shape, level, &mut image)?;
        }
        position = entry.byte_offset + entry.byte_length;
    }
    if options.zstd {
        out.seek(SeekFrom::Start(start + HEADER_BYTES))?;
        write_index(&mut out, &index)?;
        out.seek(SeekFrom::Start(start + position))?;
    }
    out.flush()?;
    Ok(())
}

/// The level index of a file without supercompression whose levels begin at `position` or soon after.
fn index(shape: &Shape, mut position: u64) -> Vec<LevelIndex> {
    // KTX specification, "mipPadding": the least common multiple of the texel block's size and 4. Both are powers of two.
    let alignment = u64::from(shape.format().block_bytes).max(4);
    let mut index: Vec<_> = (0..shape.levels())
        .rev()
        .map(|level| {
            position = position.next_multiple_of(alignment);
            let byte_length = shape.level_bytes(level);
            let entry =
                LevelIndex { byte_offset: position, byte_length, uncompressed_byte_length: byte_length };
            position += byte_length;
            entry
        })
        .collect();
    index.reverse();
    index
}

fn write_index(out: &mut impl Write, index: &[LevelIndex]) -> io::Result<()> {
    index.iter().try_for_each(|entry| out.write_all(&entry.as_bytes()))
}

fn level_images(
    out: &mut dyn Write,
    shape: &Shape,
    level: u32,
    image: &mut impl FnMut(Subresource, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    for layer in 0..shape.layers() {
        for face in 0..shape.faces() {
            let at = Subresource { level, layer, face };
            deliver(out, shape, at, |out| image(at, out))?;
        }
    }
    Ok(())
}

/// `dfdTotalSize` and the basic descriptor block of the format, and the header's `typeSize`.
fn descriptor(shape: &Shape, premultiplied: bool) -> Result<(Vec<u8>, u32), Error> {
    let format = shape.format();
    let cannot = || Error::CannotStore { container: Container::Ktx2, what: format.name.to_owned() };
    let ktx_format = KtxFormat::new(format.vk.0 as u32).ok_or_else(cannot)?;
    let (basic, type_size) =
        dfd::Basic::from_format_with(ktx_format, premultiplied, None, None, None).map_err(|_| cannot())?;
    let block = dfd::Block::Basic(basic).to_vec();
    let mut bytes = ((block.len() + 4) as u32).to_le_bytes().to_vec();
    bytes.extend(block);
    Ok((bytes, type_size))
}

/// The key/value data, sorted by key as the specification asks.
fn key_values(options: &Ktx2Options<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let entries = [("KTXorientation", options.orientation), ("KTXwriter", Some(options.writer))];
    for (key, value) in entries.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        bytes.extend(((key.len() + value.len() + 2) as u32).to_le_bytes());
        bytes.extend(key.bytes().chain([0]).chain(value.bytes()).chain([0]));
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}

/// Counts what the compressor writes.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
