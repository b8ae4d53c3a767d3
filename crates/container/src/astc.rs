//! `.astc`: 16 bytes of header, then the blocks of one image (astcenc, "The .astc file format").

use texemu_format::{Codec, Numeric};

use crate::fields::{Fields, ShapeNames};
use crate::shape::vk_name;
use crate::{Container, Error, ShapeDesc, Texture};

pub(crate) const MAGIC: [u8; 4] = [0x13, 0xAB, 0xA1, 0x5C];
const HEADER_BYTES: u64 = 16;

const NAMES: ShapeNames = ShapeNames {
    width: "xsize",
    height: "ysize",
    depth: "zsize",
    levels: "levels",
    layers: "layers",
    faces: "faces",
    extent: "xsize x ysize x zsize",
};

/// Reads a `.astc` file. The header has no colour profile: the texture is UNORM until
/// [`set_numeric`](Texture::set_numeric) says otherwise.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Texture, Error> {
    let fields = Fields::new(Container::Astc, &bytes);
    let footprint = [
        u32::from(fields.u8(4, "blockdim_x")?),
        u32::from(fields.u8(5, "blockdim_y")?),
        u32::from(fields.u8(6, "blockdim_z")?),
    ];
    let extent = [size(&fields, 7, "xsize")?, size(&fields, 10, "ysize")?, size(&fields, 13, "zsize")?];
    let [x, y, z] = footprint;
    let value = format!("{x}x{y}x{z}");
    let Some(format) = texemu_format::find(Codec::AstcLdr, [x, y], Numeric::Unorm).filter(|_| z == 1) else {
        // The ten 3D footprints are the ones `vk_name` knows beyond the table.
        let name = (0..10).map(|index| vk_name(1000288000 + 3 * index)).find(|name| name.contains(&value));
        return match name {
            Some(name) => fields.unsupported(
                "blockdim_x x blockdim_y x blockdim_z",
                value,
                format_args!("ASTC with 3D blocks ({name})"),
            ),
            None => fields.bad("blockdim_x x blockdim_y x blockdim_z", value, "ASTC has no such footprint"),
        };
    };
    let is_3d = extent[2] > 1;
    let desc = ShapeDesc { extent, is_3d, ..ShapeDesc::image(format, extent[0], extent[1]) };
    let shape = fields.shape(desc, &NAMES)?;
    let [width, height, depth] = extent;
    let data = fields.range(
        HEADER_BYTES,
        shape.bytes(),
        format_args!("the end of the {width}x{height}x{depth} texels that xsize, ysize and zsize claim"),
    )?;
    Ok(Texture::from_levels(shape, bytes, vec![data.start], Container::Astc))
}

/// A 24-bit little-endian size in texels.
fn size(fields: &Fields<'_>, offset: u64, field: &str) -> Result<u32, Error> {
    let low = fields.u16(offset, field)?;
    let high = fields.u8(offset + 2, field)?;
    Ok(u32::from(low) | u32::from(high) << 16)
}
