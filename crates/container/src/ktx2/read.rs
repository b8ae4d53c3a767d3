//! Reading: header, level index, data format descriptor (for sanity alone), key/value data, levels.

use texemu_format::{Format, VkFormat};

use super::{HEADER_BYTES, LEVEL_BYTES, inflate, scheme};
use crate::fields::{Fields, ShapeNames};
use crate::shape::vk_name;
use crate::texture::packed_offsets;
use crate::{Container, Error, Limits, Notes, Shape, Supercompression, Texture};

pub(crate) const MAGIC: [u8; 12] = ::ktx2::MAGIC;

/// Where the first of the sizes lies.
const PIXEL_WIDTH: u64 = 20;

const NAMES: ShapeNames = ShapeNames {
    width: "pixelWidth",
    height: "pixelHeight",
    depth: "pixelDepth",
    levels: "levelCount",
    layers: "layerCount",
    faces: "faceCount",
    extent: "pixelWidth x pixelHeight x pixelDepth",
};

/// One entry of the level index.
#[derive(Clone, Copy)]
struct Level {
    offset: u64,
    bytes: u64,
}

/// Reads a `.ktx2` file with no supercompression, Zstandard or ZLIB.
pub(crate) fn read(bytes: Vec<u8>, limits: Limits) -> Result<Texture, Error> {
    let fields = Fields::new(Container::Ktx2, &bytes);
    fields.range(0, HEADER_BYTES, "the end of the header")?;
    let format = format(&fields)?;
    let shape = fields.khronos_shape(PIXEL_WIDTH, format, &NAMES)?;
    let supercompression = supercompression(&fields)?;
    let descriptor = descriptor(&fields, format)?;
    let notes =
        Notes { premultiplied: descriptor.premultiplied, primaries: descriptor.primaries, ..notes(&fields)? };
    // No scheme that is read has global data, but what is claimed must be there.
    let global = [fields.u64(64, "sgdByteOffset")?, fields.u64(72, "sgdByteLength")?];
    fields.range(global[0], global[1], "sgdByteOffset + sgdByteLength")?;
    let levels = levels(&fields, &shape, supercompression)?;

    let texture = if supercompression == Supercompression::None {
        let offsets = levels.iter().map(|level| level.offset as usize).collect();
        Texture::from_levels(shape, bytes, offsets, Container::Ktx2)
    } else {
        fields.within(limits, shape.bytes(), format_args!("decompressing {shape}"))?;
        let data = decompress(&fields, &shape, supercompression, &levels)?;
        Texture::from_levels(shape, data, packed_offsets(&shape), Container::Ktx2)
    };
    Ok(texture.with_supercompression(supercompression).with_notes(notes))
}

fn format(fields: &Fields<'_>) -> Result<&'static Format, Error> {
    let number = fields.u32(12, "vkFormat")?;
    let known = i32::try_from(number).ok().and_then(|vk| texemu_format::by_vk(VkFormat(vk)));
    if let Some(format) = known {
        return Ok(format);
    }
    let name = vk_name(number.into());
    if number != 0 {
        let reason =
            if name.contains("ASTC") { "ASTC with 3D blocks" } else { "not a format of texemu's table" };
        return fields.unsupported("vkFormat", format_args!("{number} ({name})"), reason);
    }
    // The colour model, if there is a descriptor to ask, tells one universal format from the other.
    let model = fields
        .u32(48, "dfdByteOffset")
        .and_then(|offset| fields.u8(u64::from(offset) + 12, "colorModel"))
        .map_or("an unknown colour model", |model| match model {
            163 => "ETC1S",
            166 => "UASTC",
            167 => "UASTC HDR 4x4",
            168 => "UASTC HDR 6x6 intermediate",
            _ => "an unnamed colour model",
        });
    let reason = format!("Basis Universal payloads ({model}) must be transcoded to ASTC or ETC2 first");
    fields.unsupported("vkFormat", name, reason)
}

fn supercompression(fields: &Fields<'_>) -> Result<Supercompression, Error> {
    match fields.u32(44, "supercompressionScheme")? {
        scheme::NONE => Ok(Supercompression::None),
        scheme::ZSTANDARD => Ok(Supercompression::Zstd),
        scheme::ZLIB => Ok(Supercompression::Zlib),
        scheme::BASIS_LZ => fields.unsupported(
            "supercompressionScheme",
            "1 (BasisLZ)",
            "Basis Universal must be transcoded first",
        ),
        other => {
            fields.unsupported("supercompressionScheme", other, "not a scheme of the KTX 2.0 specification")
        }
    }
}

fn levels(
    fields: &Fields<'_>,
    shape: &Shape,
    supercompression: Supercompression,
) -> Result<Vec<Level>, Error> {
    let mut levels = Vec::new();
    for level in 0..shape.levels() {
        let entry = HEADER_BYTES + u64::from(level) * LEVEL_BYTES;
        let name = |field: &str| format!("levelIndex[{level}].{field}");
        let offset = fields.u64(entry, name("byteOffset"))?;
        let bytes = fields.u64(entry + 8, name("byteLength"))?;
        let uncompressed = fields.u64(entry + 16, name("uncompressedByteLength"))?;
        let expected = shape.level_bytes(level);
        let problem = || format!("level {level} of {shape} has {expected} bytes");
        if uncompressed != expected {
            return fields.bad(name("uncompressedByteLength"), uncompressed, problem());
        }
        if supercompression == Supercompression::None && bytes != expected {
            return fields.bad(name("byteLength"), bytes, problem());
        }
        fields.range(offset, bytes, name("byteOffset + byteLength"))?;
        levels.push(Level { offset, bytes });
    }
    Ok(levels)
}

fn decompress(
    fields: &Fields<'_>,
    shape: &Shape,
    supercompression: Supercompression,
    levels: &[Level],
) -> Result<Vec<u8>, Error> {
    let mut data = Vec::new();
    for (level, entry) in (0..).zip(levels) {
        let input = &fields.bytes[fields.range(entry.offset, entry.bytes, "levelIndex")?];
        let expected = shape.level_bytes(level);
        let fail = |problem| Error::Decompress {
            container: Container::Ktx2,
            level,
            scheme: supercompression.name(),
            compressed_bytes: entry.bytes,
            problem,
        };
        if level == 0 {
            let compressed = levels.iter().fold(0u64, |sum, level| sum.saturating_add(level.bytes));
            inflate::reserve_likely(&mut data, shape.bytes(), compressed).map_err(fail)?;
        }
        match supercompression {
            Supercompression::Zlib => inflate::zlib(input, expected, &mut data),
            _ => inflate::zstd(input, expected, &mut data),
        }
        .map_err(fail)?;
    }
    Ok(data)
}

/// What is kept of the data format descriptor.
struct Descriptor {
    premultiplied: bool,
    primaries: Option<u8>,
}

/// Checks that the basic descriptor block speaks of the same blocks as `vkFormat` (KDFS 1.4, "Basic descriptor block").
fn descriptor(fields: &Fields<'_>, format: &Format) -> Result<Descriptor, Error> {
    /// `dfdTotalSize`, then the basic block without samples.
    const LEAST_BYTES: u32 = 4 + 24;
    const BT709: u8 = 1;
    const ALPHA_PREMULTIPLIED: u8 = 1;
    let offset = u64::from(fields.u32(48, "dfdByteOffset")?);
    let length = fields.u32(52, "dfdByteLength")?;
    fields.range(offset, length.into(), "dfdByteOffset + dfdByteLength")?;
    if length < LEAST_BYTES {
        return fields.bad(
            "dfdByteLength",
            length,
            format_args!("a data format descriptor has {LEAST_BYTES} or more"),
        );
    }
    let total = fields.u32(offset, "dfdTotalSize")?;
    if total != length {
        return fields.bad("dfdTotalSize", total, format_args!("dfdByteLength is {length}"));
    }
    // vendorId and descriptorType are 0 for the one block whose layout is known.
    if fields.u32(offset + 4, "vendorId")? != 0 {
        return Ok(Descriptor { premultiplied: false, primaries: None });
    }
    let block_bytes = fields.u16(offset + 10, "descriptorBlockSize")?;
    if u32::from(block_bytes) > length - 4 {
        return fields.bad("descriptorBlockSize", block_bytes, format_args!("dfdByteLength is {length}"));
    }
    for (axis, size) in [format.footprint[0], format.footprint[1], 1, 1].into_iter().enumerate() {
        let field = format!("texelBlockDimension{axis}");
        let stored = fields.u8(offset + 16 + axis as u64, &field)?;
        if u32::from(stored) + 1 != size {
            let problem = format!("{} has {} there", format.name, size - 1);
            return fields.bad(field, stored, problem);
        }
    }
    // Early writers zero this field of supercompressed files.
    let plane = fields.u8(offset + 20, "bytesPlane0")?;
    if plane != 0 && u32::from(plane) != format.block_bytes {
        let problem = format!("a block of {} has {} bytes", format.name, format.block_bytes);
        return fields.bad("bytesPlane0", plane, problem);
    }
    let primaries = fields.u8(offset + 13, "colorPrimaries")?;
    let flags = fields.u8(offset + 15, "flags")?;
    Ok(Descriptor {
        premultiplied: flags & ALPHA_PREMULTIPLIED != 0,
        primaries: Some(primaries).filter(|&primaries| primaries != BT709),
    })
}

fn notes(fields: &Fields<'_>) -> Result<Notes, Error> {
    let offset = u64::from(fields.u32(56, "kvdByteOffset")?);
    let length = u64::from(fields.u32(60, "kvdByteLength")?);
    let range = fields.range(offset, length, "kvdByteOffset + kvdByteLength")?;
    let section = Fields { bytes: &fields.bytes[range], ..*fields };
    let mut notes = Notes::default();
    let mut at = 0;
    while at + 4 <= length {
        let entry_bytes = u64::from(section.u32(at, "keyAndValueByteLength")?);
        let Ok(entry) = section.range(at + 4, entry_bytes, "") else {
            let problem = format!("{} bytes are left in the key/value data", length - at - 4);
            return fields.bad("keyAndValueByteLength", entry_bytes, problem);
        };
        notes.note(&section.bytes[entry]);
        at += 4 + entry_bytes.next_multiple_of(4);
    }
    Ok(notes)
}
