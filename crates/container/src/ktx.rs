//! `.ktx`: the Khronos texture container, version 1 (KTX specification, 1.0), of either byte order.

use ::ktx2::{Format as KtxFormat, dfd};
use texemu_format::{Codec, FORMATS, Format, Numeric};

use crate::fields::{Fields, ShapeNames};
use crate::texture::packed_offsets;
use crate::{Container, Error, Notes, Shape, Texture};

pub(crate) const MAGIC: [u8; 12] = [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x31, 0x31, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A];
const HEADER_BYTES: u64 = 64;
const ENDIANNESS: u32 = 0x0403_0201;
/// `GL_ETC1_RGB8_OES`, of which every block is an ETC2 RGB8 block.
const GL_ETC1_RGB8: u32 = 0x8D64;
/// `GL_UNPACK_ALIGNMENT` of every level.
const ROW_ALIGNMENT: u64 = 4;

/// Where the first of the sizes lies.
const PIXEL_WIDTH: u64 = 36;

const NAMES: ShapeNames = ShapeNames {
    width: "pixelWidth",
    height: "pixelHeight",
    depth: "pixelDepth",
    levels: "numberOfMipmapLevels",
    layers: "numberOfArrayElements",
    faces: "numberOfFaces",
    extent: "pixelWidth x pixelHeight x pixelDepth",
};

/// How one level lies in the file.
struct Level {
    /// Where its first image begins.
    start: usize,
    /// Bytes from one image to the next.
    image_stride: usize,
    /// Bytes from one row of blocks to the next.
    row_stride: usize,
}

/// Reads a `.ktx` file. ASTC's HDR profile has no number of its own in OpenGL: such a file is UNORM until
/// [`set_numeric`](Texture::set_numeric) says otherwise.
pub(crate) fn read(mut bytes: Vec<u8>) -> Result<Texture, Error> {
    let fields = Fields::new(Container::Ktx, &bytes);
    fields.range(0, HEADER_BYTES, "the end of the header")?;
    let endianness = fields.u32(12, "endianness")?;
    let big_endian = endianness == ENDIANNESS.swap_bytes();
    if !big_endian && endianness != ENDIANNESS {
        return fields.bad(
            "endianness",
            format_args!("{endianness:#010x}"),
            format_args!("{ENDIANNESS:#010x} is known"),
        );
    }
    let fields = Fields { big_endian, ..fields };
    let gl_format = fields.u32(28, "glInternalFormat")?;
    let format = format(&fields, gl_format)?;
    let type_size = type_size(&fields, format)?;
    let shape = fields.khronos_shape(PIXEL_WIDTH, format, &NAMES)?;
    let notes = Notes { etc1: gl_format == GL_ETC1_RGB8, ..notes(&fields)? };
    let levels = levels(&fields, &shape)?;
    let tight = |(level, place): (u32, &Level)| {
        place.row_stride as u64 == shape.row_bytes(level)
            && place.image_stride as u64 == shape.image_bytes(level)
    };
    let offsets = if (0..).zip(&levels).all(tight) {
        levels.iter().map(|level| level.start).collect()
    } else {
        pack(&mut bytes, &shape, &levels);
        packed_offsets(&shape)
    };
    if big_endian {
        for (level, &offset) in (0..).zip(&offsets) {
            let texels = &mut bytes[offset..][..shape.level_bytes(level) as usize];
            texels.chunks_exact_mut(type_size).for_each(<[u8]>::reverse);
        }
    }
    Ok(Texture::from_levels(shape, bytes, offsets, Container::Ktx).with_notes(notes))
}

fn format(fields: &Fields<'_>, gl_format: u32) -> Result<&'static Format, Error> {
    let found = if gl_format == GL_ETC1_RGB8 {
        texemu_format::find(Codec::Etc2Rgb, [4, 4], Numeric::Unorm)
    } else {
        FORMATS.iter().find(|format| format.gl_internal_format == gl_format)
    };
    match found {
        Some(format) => Ok(format),
        None => fields.unsupported(
            "glInternalFormat",
            format_args!("{gl_format:#06x}"),
            "not a format of texemu's table",
        ),
    }
}

/// Bytes of what a big-endian file stores in its own order.
fn type_size(fields: &Fields<'_>, format: &Format) -> Result<usize, Error> {
    let stored = fields.u32(20, "glTypeSize")?;
    let real = KtxFormat::new(format.vk.0 as u32)
        .and_then(|format| dfd::Basic::from_format(format).ok())
        .map_or(1, |(_, type_size)| type_size);
    // Some writers of compressed files leave 0.
    if stored != real && !(format.is_compressed() && stored == 0) {
        return fields.bad("glTypeSize", stored, format_args!("{} has {real}", format.name));
    }
    Ok(real as usize)
}

fn notes(fields: &Fields<'_>) -> Result<Notes, Error> {
    let length = u64::from(fields.u32(60, "bytesOfKeyValueData")?);
    let range = fields.range(HEADER_BYTES, length, "64 + bytesOfKeyValueData")?;
    let section = Fields { bytes: &fields.bytes[range], ..*fields };
    let mut notes = Notes::default();
    let mut at = 0;
    while at + 4 <= length {
        let entry_bytes = u64::from(section.u32(at, "keyAndValueByteSize")?);
        let Ok(entry) = section.range(at + 4, entry_bytes, "") else {
            let problem = format!("{} bytes are left in the key/value data", length - at - 4);
            return fields.bad("keyAndValueByteSize", entry_bytes, problem);
        };
        notes.note(&section.bytes[entry]);
        at += 4 + entry_bytes.next_multiple_of(4);
    }
    Ok(notes)
}

fn levels(fields: &Fields<'_>, shape: &Shape) -> Result<Vec<Level>, Error> {
    let mut at = HEADER_BYTES + u64::from(fields.u32(60, "bytesOfKeyValueData")?);
    // "For most textures imageSize is the number of bytes of the level; for non-array cubemaps, of each face."
    let by_face = shape.faces() == 6 && !shape.is_array();
    let images = u64::from(shape.layers()) * u64::from(shape.faces());
    let mut levels = Vec::new();
    for level in 0..shape.levels() {
        let field = format!("imageSize of level {level}");
        let image_size = u64::from(fields.u32(at, &field)?);
        at += 4;
        let row_bytes = shape.row_bytes(level);
        let rows = shape.image_bytes(level) / row_bytes;
        let counted = if by_face { 1 } else { images };
        // Rows are aligned; the few writers that do not align them give themselves away by the size.
        let row_stride = [row_bytes.next_multiple_of(ROW_ALIGNMENT), row_bytes].into_iter().find(|stride| {
            stride.checked_mul(rows).and_then(|image| image.checked_mul(counted)) == Some(image_size)
        });
        let Some(row_stride) = row_stride else {
            let unit = if by_face { "a face" } else { "all" };
            let problem =
                format!("level {level} of {shape} has {} bytes ({unit})", shape.image_bytes(level) * counted);
            return fields.bad(field, image_size, problem);
        };
        let image_bytes = row_stride * rows;
        // Every face of a non-array cube map ends in cubePadding, every level in mipPadding.
        let image_stride = if by_face { image_bytes.next_multiple_of(4) } else { image_bytes };
        let bytes = image_stride * (images - 1) + image_bytes;
        let range =
            fields.range(at, bytes, format_args!("the end of level {level} (imageSize = {image_size})"))?;
        levels.push(Level {
            start: range.start,
            image_stride: image_stride as usize,
            row_stride: row_stride as usize,
        });
        at = (range.end as u64).next_multiple_of(4);
    }
    Ok(levels)
}

/// Moves the rows together, in the file's own buffer: padding only shrinks, so nothing is overwritten before it is moved.
fn pack(bytes: &mut Vec<u8>, shape: &Shape, levels: &[Level]) {
    let images = shape.layers() as usize * shape.faces() as usize;
    let mut to = 0;
    for (level, place) in (0..).zip(levels) {
        let row_bytes = shape.row_bytes(level) as usize;
        let rows = shape.image_bytes(level) as usize / row_bytes;
        for image in 0..images {
            for row in 0..rows {
                let from = place.start + image * place.image_stride + row * place.row_stride;
                bytes.copy_within(from..from + row_bytes, to);
                to += row_bytes;
            }
        }
    }
    bytes.truncate(to);
}
