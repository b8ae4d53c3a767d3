//! The files that are attacked.

use texemu_container::{Ktx2Options, Shape, ShapeDesc, write_dds};
use texemu_format::by_name;

use crate::common::{
    KtxLayout, astc_bytes, ktx_bytes, ktx2_bytes, pkm_bytes, supercompressed, texture, zlib,
};

/// A writer whose name does not change with the version, so that files keep their size.
pub(crate) const OPTIONS: Ktx2Options<'_> =
    Ktx2Options { zstd: false, writer: "a test", orientation: None, premultiplied: false };

/// Small files of every container and of every way to store levels, each read well as it is.
pub(crate) fn victims() -> Vec<(&'static str, Vec<u8>)> {
    let format = |name| by_name(name).unwrap();
    let of = |desc| texture(Shape::new(desc).unwrap(), 21);
    let astc = ShapeDesc { levels: 3, ..ShapeDesc::image(format("ASTC_5x4_SRGB_BLOCK"), 11, 9) };
    let cubes = ShapeDesc { extent: [9, 9, 1], levels: 2, layers: 2, faces: 6, is_array: true, ..astc };
    let cube = ShapeDesc { format: format("R16_UNORM"), levels: 3, extent: [5, 5, 1], faces: 6, ..astc };
    let volume = ShapeDesc {
        format: format("EAC_R11G11_UNORM_BLOCK"),
        extent: [6, 5, 4],
        levels: 2,
        is_3d: true,
        ..astc
    };
    let bc = ShapeDesc { format: format("BC3_SRGB_BLOCK"), ..cubes };
    let etc = ShapeDesc::image(format("ETC2_R8G8B8_UNORM_BLOCK"), 7, 6);
    let little = KtxLayout { big_endian: false, aligned_rows: true };
    let big = KtxLayout { big_endian: true, aligned_rows: true };
    let plain = |desc| ktx2_bytes(&of(desc), &OPTIONS).unwrap();
    let dds = |desc| {
        let texture = of(desc);
        let mut file = Vec::new();
        write_dds(&mut file, texture.shape(), |at, out| texture.write_image(at, out)).unwrap();
        file
    };
    // As DX10, but with the older header: that of a format which both can name.
    let mut legacy = dds(ShapeDesc { format: format("BC1_RGBA_UNORM_BLOCK"), ..astc });
    legacy.drain(128..148);
    legacy[84..88].copy_from_slice(b"DXT1");
    vec![
        ("astc", astc_bytes(&of(ShapeDesc { format: format("ASTC_5x4_UNORM_BLOCK"), levels: 1, ..astc }))),
        ("pkm 1.0", pkm_bytes(&of(etc), b"10", 0)),
        ("pkm 2.0", pkm_bytes(&of(etc), b"20", 9)),
        ("ktx", ktx_bytes(&of(astc), little)),
        ("ktx array of cubes", ktx_bytes(&of(cubes), little)),
        ("ktx big-endian cube of padded rows", ktx_bytes(&of(cube), big)),
        ("ktx volume", ktx_bytes(&of(volume), big)),
        ("ktx2", plain(astc)),
        ("ktx2 array of cubes", plain(cubes)),
        ("ktx2 cube", plain(cube)),
        ("ktx2 volume", plain(volume)),
        ("ktx2 zstd", ktx2_bytes(&of(astc), &Ktx2Options { zstd: true, ..OPTIONS }).unwrap()),
        ("ktx2 zlib", supercompressed(&plain(cubes), 3, zlib)),
        ("dds", dds(bc)),
        ("dds legacy", legacy),
    ]
}
