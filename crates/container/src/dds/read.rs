//! Reading. The images lie layer by layer, face by face, and only inside a face level by level.

use texemu_format::{FORMATS, Format};

use super::{HEADER_BYTES, HEADER_DX10_BYTES, caps, dx10, pixel_format};
use crate::fields::{Fields, ShapeNames};
use crate::file::reserve;
use crate::texture::{offsets, packed_offsets};
use crate::{Container, Error, Notes, Shape, ShapeDesc, Texture};

pub(crate) const MAGIC: [u8; 4] = *b"DDS ";

const NAMES: ShapeNames = ShapeNames {
    width: "dwWidth",
    height: "dwHeight",
    depth: "dwDepth",
    levels: "dwMipMapCount",
    layers: "arraySize",
    faces: "dwCaps2",
    extent: "dwWidth x dwHeight x dwDepth",
};

/// The `DXGI_FORMAT` that each older four-character code, or `D3DFORMAT` number in its place, stands for.
const FOUR_CCS: [([u8; 4], u32); 14] = [
    (*b"DXT1", 71),
    (*b"DXT2", 74),
    (*b"DXT3", 74),
    (*b"DXT4", 77),
    (*b"DXT5", 77),
    (*b"ATI1", 80),
    (*b"BC4U", 80),
    (*b"BC4S", 81),
    (*b"ATI2", 83),
    (*b"BC5U", 83),
    (*b"BC5S", 84),
    ([113, 0, 0, 0], 10),
    ([114, 0, 0, 0], 41),
    ([34, 0, 0, 0], 35),
];

/// The `DXGI_FORMAT` that each set of bit count and red, green, blue and alpha masks stands for.
const MASKS: [([u32; 5], u32); 2] =
    [([32, 0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000], 28), ([32, 0xFFFF, 0xFFFF_0000, 0, 0], 35)];

/// What either header says of the layout.
struct Layout {
    format: &'static Format,
    layers: u32,
    faces: u32,
    is_3d: bool,
    premultiplied: bool,
    data_start: u64,
}

/// Reads a `.dds` file of BC blocks, or of the uncompressed formats of the table.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Texture, Error> {
    let fields = Fields::new(Container::Dds, &bytes);
    fields.range(0, HEADER_BYTES, "the end of DDS_HEADER")?;
    for (offset, name, size) in [(4, "dwSize", 124), (76, "ddspf.dwSize", 32)] {
        let stored = fields.u32(offset, name)?;
        if stored != size {
            return fields.bad(name, stored, format_args!("the structure has {size} bytes"));
        }
    }
    let four_cc = fields.u32(84, "ddspf.dwFourCC")?.to_le_bytes();
    let has_four_cc = fields.u32(80, "ddspf.dwFlags")? & pixel_format::FOUR_CC != 0;
    let layout = if has_four_cc && four_cc == *b"DX10" { dx10(&fields)? } else { legacy(&fields)? };
    let depth = fields.u32(24, "dwDepth")?;
    let desc = ShapeDesc {
        format: layout.format,
        extent: [
            fields.u32(16, "dwWidth")?,
            fields.u32(12, "dwHeight")?,
            if layout.is_3d { depth } else { 1 },
        ],
        levels: fields.u32(28, "dwMipMapCount")?.max(1),
        layers: layout.layers,
        faces: layout.faces,
        is_array: layout.layers > 1,
        is_3d: layout.is_3d,
    };
    let shape = fields.shape(desc, &NAMES)?;
    let data = fields.range(layout.data_start, shape.bytes(), format_args!("the end of {shape}"))?;

    let notes = Notes { premultiplied: layout.premultiplied, ..Notes::default() };
    let images = u64::from(shape.layers()) * u64::from(shape.faces());
    let texture = if images == 1 || shape.levels() == 1 {
        let offsets = packed_offsets(&shape).into_iter().map(|offset| data.start + offset).collect();
        Texture::from_levels(shape, bytes, offsets, Container::Dds)
    } else {
        let packed = by_level(&bytes[data], &shape)?;
        Texture::from_levels(shape, packed, packed_offsets(&shape), Container::Dds)
    };
    Ok(texture.with_notes(notes))
}

fn by_dxgi(fields: &Fields<'_>, field: &str, dxgi: u32, opaque: bool) -> Result<&'static Format, Error> {
    let mut rows = FORMATS.iter().filter(|format| format.dxgi == dxgi && dxgi != 0);
    // DXGI does not tell BC1 with alpha from BC1 without; the table lists the latter first.
    match if opaque { rows.next() } else { rows.next_back() } {
        Some(format) => Ok(format),
        None => fields.unsupported(field, dxgi, "not a DXGI_FORMAT of texemu's table"),
    }
}

fn dx10(fields: &Fields<'_>) -> Result<Layout, Error> {
    let at = HEADER_BYTES;
    fields.range(at, HEADER_DX10_BYTES, "the end of DDS_HEADER_DXT10")?;
    let alpha_mode = fields.u32(at + 16, "miscFlags2")? & dx10::ALPHA_MODE_MASK;
    let format =
        by_dxgi(fields, "dxgiFormat", fields.u32(at, "dxgiFormat")?, alpha_mode == dx10::ALPHA_OPAQUE)?;
    let is_3d = match fields.u32(at + 4, "resourceDimension")? {
        dx10::TEXTURE_2D => false,
        dx10::TEXTURE_3D => true,
        dx10::TEXTURE_1D => return fields.unsupported("resourceDimension", 2, "1D textures"),
        other => return fields.bad("resourceDimension", other, "neither 2D (3) nor 3D (4)"),
    };
    let is_cube = fields.u32(at + 8, "miscFlag")? & dx10::MISC_TEXTURE_CUBE != 0;
    Ok(Layout {
        format,
        layers: fields.u32(at + 12, "arraySize")?,
        faces: if is_cube { 6 } else { 1 },
        is_3d,
        premultiplied: alpha_mode == dx10::ALPHA_PREMULTIPLIED,
        data_start: HEADER_BYTES + HEADER_DX10_BYTES,
    })
}

fn legacy(fields: &Fields<'_>) -> Result<Layout, Error> {
    let flags = fields.u32(80, "ddspf.dwFlags")?;
    let four_cc = fields.u32(84, "ddspf.dwFourCC")?.to_le_bytes();
    let format = if flags & pixel_format::FOUR_CC != 0 {
        match FOUR_CCS.iter().find(|(code, _)| *code == four_cc) {
            Some(&(_, dxgi)) => by_dxgi(fields, "ddspf.dwFourCC", dxgi, false)?,
            None => {
                return fields.unsupported(
                    "ddspf.dwFourCC",
                    four_cc.escape_ascii(),
                    "not a code that is known",
                );
            }
        }
    } else {
        let mut masks = [0; 5];
        for (offset, mask) in (88..).step_by(4).zip(&mut masks) {
            *mask = fields.u32(offset, "ddspf's masks")?;
        }
        let known = MASKS.iter().find(|(known, _)| *known == masks && flags & pixel_format::RGB != 0);
        match known {
            Some(&(_, dxgi)) => by_dxgi(fields, "ddspf's masks", dxgi, false)?,
            None => {
                let [bits, r, g, b, a] = masks;
                let value = format!("{bits} bits, R {r:#x}, G {g:#x}, B {b:#x}, A {a:#x}");
                return fields.unsupported("ddspf's masks", value, "neither RGBA8 nor RG16");
            }
        }
    };
    let caps2 = fields.u32(112, "dwCaps2")?;
    let is_cube = caps2 & caps::CUBE_MAP != 0;
    if is_cube && caps2 & caps::ALL_FACES != caps::ALL_FACES {
        return fields.unsupported("dwCaps2", format_args!("{caps2:#x}"), "a cube map without all six faces");
    }
    Ok(Layout {
        format,
        layers: 1,
        faces: if is_cube { 6 } else { 1 },
        is_3d: caps2 & caps::VOLUME != 0,
        premultiplied: matches!(&four_cc, b"DXT2" | b"DXT4"),
        data_start: HEADER_BYTES,
    })
}

/// The images of `data` in the order level, layer, face.
fn by_level(data: &[u8], shape: &Shape) -> Result<Vec<u8>, Error> {
    let image_starts = offsets((0..shape.levels()).map(|level| shape.image_bytes(level)));
    let chain_bytes = (0..shape.levels()).map(|level| shape.image_bytes(level) as usize).sum::<usize>();
    let mut packed = Vec::new();
    reserve(&mut packed, shape.bytes())?;
    for at in shape.images() {
        let chain = at.layer as usize * shape.faces() as usize + at.face as usize;
        let start = chain * chain_bytes + image_starts[at.level as usize];
        packed.extend_from_slice(&data[start..][..shape.image_bytes(at.level) as usize]);
    }
    Ok(packed)
}
