//! Writing, always with the DX10 header: older pixel formats say neither sRGB nor array.

use std::io::{self, Write};

use texemu_format::Codec;

use super::{MAGIC, caps, dx10, flags, pixel_format};
use crate::sink::deliver;
use crate::{Container, Error, Shape, Subresource};

/// Writes a `.dds` file of `shape` to `out`.
///
/// `image` is called once for each image and writes its bytes: rows of blocks, slice after slice, in as many pieces as it
/// likes. The order of the calls is the order in the file: layer by layer, face by face, and for each face all levels.
/// An array of one layer is written as no array: the container cannot tell.
///
/// # Errors
/// [`Error::CannotStore`] for formats without a `DXGI_FORMAT` (ASTC, ETC2, EAC), [`Error::ImageBytes`] if `image` writes too much or
/// too little, [`Error::Io`] if it or `out` fails.
pub fn write_dds(
    mut out: impl Write,
    shape: &Shape,
    mut image: impl FnMut(Subresource, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let format = shape.format();
    if format.dxgi == 0 {
        let what = format!("{}: it has no DXGI_FORMAT", format.name);
        return Err(Error::CannotStore { container: Container::Dds, what });
    }
    out.write_all(&header(shape))?;
    for layer in 0..shape.layers() {
        for face in 0..shape.faces() {
            for level in 0..shape.levels() {
                let at = Subresource { level, layer, face };
                deliver(&mut out, shape, at, |out| image(at, out))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Magic, `DDS_HEADER` and `DDS_HEADER_DXT10`.
fn header(shape: &Shape) -> Vec<u8> {
    let format = shape.format();
    let is_cube = shape.faces() == 6;
    let has_levels = shape.levels() > 1;
    let when = |condition: bool, flags: u32| if condition { flags } else { 0 };

    // The pitch of a row, or for blocks the size of level 0; 0 where that needs more than 32 bits. Readers compute both.
    let (pitch_flag, pitch) = if format.is_compressed() {
        (flags::LINEAR_SIZE, shape.slice_bytes(0))
    } else {
        (flags::PITCH, shape.row_bytes(0))
    };
    let header_flags = flags::CAPS
        | flags::HEIGHT
        | flags::WIDTH
        | flags::PIXEL_FORMAT
        | pitch_flag
        | when(has_levels, flags::MIP_MAP_COUNT)
        | when(shape.is_3d(), flags::DEPTH);
    let many = has_levels || is_cube || shape.is_3d() || shape.layers() > 1;
    let caps1 = caps::TEXTURE | when(many, caps::COMPLEX) | when(has_levels, caps::MIP_MAP);
    let caps2 = when(is_cube, caps::CUBE_MAP | caps::ALL_FACES) | when(shape.is_3d(), caps::VOLUME);
    let [width, height, depth] = shape.extent();

    let mut words = vec![
        u32::from_le_bytes(MAGIC),
        124,
        header_flags,
        height,
        width,
        u32::try_from(pitch).unwrap_or(0),
        when(shape.is_3d(), depth),
        shape.levels(),
    ];
    words.extend([0; 11]);
    words.extend([32, pixel_format::FOUR_CC, u32::from_le_bytes(*b"DX10"), 0, 0, 0, 0, 0]);
    words.extend([caps1, caps2, 0, 0, 0]);
    words.extend([
        format.dxgi,
        if shape.is_3d() { dx10::TEXTURE_3D } else { dx10::TEXTURE_2D },
        when(is_cube, dx10::MISC_TEXTURE_CUBE),
        shape.layers(),
        // The one way to tell BC1 without alpha from BC1 with.
        when(format.codec == Codec::Bc1Rgb, dx10::ALPHA_OPAQUE),
    ]);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
