//! `.pkm`: 16 bytes of big-endian header, then the ETC blocks of one image (ETCPACK, versions 1.0 and 2.0).

use texemu_format::{Codec, Numeric};

use crate::fields::{Fields, ShapeNames};
use crate::{Container, Error, Notes, ShapeDesc, Texture};

pub(crate) const MAGIC: [u8; 4] = *b"PKM ";
const HEADER_BYTES: u64 = 16;

const NAMES: ShapeNames = ShapeNames {
    width: "original width",
    height: "original height",
    depth: "depth",
    levels: "levels",
    layers: "layers",
    faces: "faces",
    extent: "original width x original height",
};

/// What each value of the header's texture type means. The third was an ETC2 draft's RGBA, which nothing decodes any more.
const TYPES: [Option<(Codec, Numeric)>; 12] = [
    Some((Codec::Etc2Rgb, Numeric::Unorm)),
    Some((Codec::Etc2Rgb, Numeric::Unorm)),
    None,
    Some((Codec::Etc2Rgba, Numeric::Unorm)),
    Some((Codec::Etc2RgbA1, Numeric::Unorm)),
    Some((Codec::EacR, Numeric::Unorm)),
    Some((Codec::EacRg, Numeric::Unorm)),
    Some((Codec::EacR, Numeric::Snorm)),
    Some((Codec::EacRg, Numeric::Snorm)),
    Some((Codec::Etc2Rgb, Numeric::Srgb)),
    Some((Codec::Etc2Rgba, Numeric::Srgb)),
    Some((Codec::Etc2RgbA1, Numeric::Srgb)),
];

/// Reads a `.pkm` file. ETC1 blocks are ETC2 blocks, so ETC1 becomes ETC2 RGB8.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Texture, Error> {
    let fields = Fields { big_endian: true, ..Fields::new(Container::Pkm, &bytes) };
    let version = [fields.u8(4, "version")?, fields.u8(5, "version")?];
    let kind = fields.u16(6, "texture type")?;
    let known = match &version {
        b"10" => &TYPES[..1],
        b"20" => &TYPES[..],
        _ => return fields.bad("version", version.escape_ascii(), "neither 10 nor 20"),
    };
    let format = match known.get(usize::from(kind)) {
        Some(Some((codec, numeric))) => texemu_format::find(*codec, [4, 4], *numeric),
        Some(None) => return fields.unsupported("texture type", kind, "RGBA of a draft of ETC2"),
        None => {
            return fields.bad(
                "texture type",
                kind,
                format_args!("version {} ends before", version.escape_ascii()),
            );
        }
    };
    let Some(format) = format else {
        return fields.unsupported("texture type", kind, "not a format of texemu's table");
    };
    let mut sizes = [0; 4];
    let names = ["padded width", "padded height", "original width", "original height"];
    for ((offset, name), size) in (8..).step_by(2).zip(names).zip(&mut sizes) {
        *size = u32::from(fields.u16(offset, name)?);
    }
    let [padded_width, padded_height, width, height] = sizes;
    let shape = fields.shape(ShapeDesc::image(format, width, height), &NAMES)?;
    for (name, padded, original) in [(names[0], padded_width, width), (names[1], padded_height, height)] {
        if padded != original.next_multiple_of(4) {
            return fields.bad(
                name,
                padded,
                format_args!("the original {original} rounded up to blocks is another"),
            );
        }
    }
    let field =
        format_args!("the end of the {padded_width}x{padded_height} texels that the padded sizes claim");
    let data = fields.range(HEADER_BYTES, shape.bytes(), field)?;
    let notes = Notes { etc1: kind == 0, ..Notes::default() };
    Ok(Texture::from_levels(shape, bytes, vec![data.start], Container::Pkm).with_notes(notes))
}
