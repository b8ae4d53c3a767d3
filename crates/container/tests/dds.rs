//! `.dds`: what is written is read again, by this crate and by another parser; older headers are read too.

mod common;

use common::{raw_bytes, shapes, texture};
use texemu_container::{Container, Error, Shape, ShapeDesc, Texture, read, write_dds};
use texemu_format::{FORMATS, Format, by_name};

fn dds_bytes(texture: &Texture) -> Result<Vec<u8>, Error> {
    let mut file = Vec::new();
    write_dds(&mut file, texture.shape(), |at, out| texture.write_image(at, out))?;
    Ok(file)
}

fn storable() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| !format.is_source())
}

#[test]
fn every_format_and_shape_survives() {
    for format in storable() {
        for (seed, shape) in (0..).zip(shapes(format)) {
            let written = texture(shape, seed);
            let again = read(dds_bytes(&written).unwrap()).unwrap_or_else(|e| panic!("{shape}: {e}"));
            // Whether an array of one layer is an array is all that is lost.
            let shape = Shape::new(ShapeDesc { is_array: shape.layers() > 1, ..shape.desc() }).unwrap();
            assert_eq!(again.shape(), &shape);
            assert_eq!(again.container(), Container::Dds);
            assert!(raw_bytes(&again) == raw_bytes(&written), "{shape}: bytes differ");
        }
    }
}

#[test]
fn another_parser_reads_what_is_written() {
    for format in storable() {
        for shape in shapes(format) {
            let written = texture(shape, 3);
            let file = dds_bytes(&written).unwrap();
            let dds = ddsfile::Dds::read(file.as_slice()).unwrap_or_else(|e| panic!("{shape}: {e}"));
            assert_eq!(dds.get_dxgi_format().map(|f| f as u32), Some(format.dxgi), "{shape}");
            assert_eq!([dds.get_width(), dds.get_height(), dds.get_depth()], shape.extent(), "{shape}");
            assert_eq!(dds.get_num_mipmap_levels(), shape.levels(), "{shape}");
            assert_eq!(dds.get_num_array_layers(), shape.layers() * shape.faces(), "{shape}");
            let header10 = dds.header10.as_ref().expect("the DX10 header");
            assert_eq!(
                header10.misc_flag.contains(ddsfile::MiscFlag::TEXTURECUBE),
                shape.faces() == 6,
                "{shape}"
            );
            let pitch = if format.is_compressed() { dds.header.linear_size } else { dds.header.pitch };
            let bytes = if format.is_compressed() { shape.slice_bytes(0) } else { shape.row_bytes(0) };
            assert_eq!(pitch.map(u64::from), Some(bytes), "{shape}");
            assert_eq!(dds.data.len() as u64, shape.bytes(), "{shape}");
            if !shape.is_3d() {
                for layer in 0..shape.layers() * shape.faces() {
                    let levels = (0..shape.levels()).flat_map(|level| {
                        let (layer, face) = (layer / shape.faces(), layer % shape.faces());
                        written.image(texemu_container::Subresource { level, layer, face })
                    });
                    let data = dds.get_data(layer).unwrap_or_else(|e| panic!("{shape}: {e}"));
                    assert!(levels.eq(data), "{shape}: layer {layer} differs");
                }
            }
        }
    }
}

/// Files with an older pixel format, as another writer makes them.
#[test]
fn older_headers_are_read() {
    use ddsfile::D3DFormat;
    // That writer knows no names but DXT's, and writes numbers in their place without saying so: those are set by hand.
    let cases = [
        (D3DFormat::DXT1, None, "BC1_RGBA_UNORM_BLOCK"),
        (D3DFormat::DXT2, None, "BC2_UNORM_BLOCK"),
        (D3DFormat::DXT3, None, "BC2_UNORM_BLOCK"),
        (D3DFormat::DXT4, None, "BC3_UNORM_BLOCK"),
        (D3DFormat::DXT5, None, "BC3_UNORM_BLOCK"),
        (D3DFormat::A8B8G8R8, None, "R8G8B8A8_UNORM"),
        (D3DFormat::G16R16, None, "R16G16_UNORM"),
        (D3DFormat::DXT1, Some(*b"ATI1"), "BC4_UNORM_BLOCK"),
        (D3DFormat::DXT1, Some(*b"BC4U"), "BC4_UNORM_BLOCK"),
        (D3DFormat::DXT1, Some(*b"BC4S"), "BC4_SNORM_BLOCK"),
        (D3DFormat::DXT5, Some(*b"ATI2"), "BC5_UNORM_BLOCK"),
        (D3DFormat::DXT5, Some(*b"BC5U"), "BC5_UNORM_BLOCK"),
        (D3DFormat::DXT5, Some(*b"BC5S"), "BC5_SNORM_BLOCK"),
        (D3DFormat::A16B16G16R16F, Some([113, 0, 0, 0]), "R16G16B16A16_SFLOAT"),
        (D3DFormat::R32F, Some([114, 0, 0, 0]), "R32_SFLOAT"),
    ];
    for (d3d, four_cc, name) in cases {
        let format = by_name(name).unwrap();
        let desc = ShapeDesc { levels: 3, ..ShapeDesc::image(format, 32, 16) };
        let original = texture(Shape::new(desc).unwrap(), 4);
        let params = ddsfile::NewD3dParams {
            height: 16,
            width: 32,
            depth: None,
            format: d3d,
            mipmap_levels: Some(3),
            caps2: None,
        };
        let mut dds = ddsfile::Dds::new_d3d(params).unwrap();
        dds.data = raw_bytes(&original);
        let mut file = Vec::new();
        dds.write(&mut file).unwrap();
        if let Some(four_cc) = four_cc {
            const FLAGS: usize = 80;
            file[FLAGS..][..4].copy_from_slice(&4u32.to_le_bytes());
            file[FLAGS + 4..][..4].copy_from_slice(&four_cc);
        }
        let again = read(file).unwrap_or_else(|e| panic!("{d3d:?}, {four_cc:?}: {e}"));
        assert_eq!(again.shape(), original.shape(), "{d3d:?}, {four_cc:?}");
        assert!(raw_bytes(&again) == raw_bytes(&original), "{d3d:?}");
        assert_eq!(again.notes().premultiplied, matches!(d3d, D3DFormat::DXT2 | D3DFormat::DXT4), "{d3d:?}");
    }
}

#[test]
fn older_cube_maps_and_volumes_are_read() {
    use ddsfile::Caps2;
    let bc3 = by_name("BC3_UNORM_BLOCK").unwrap();
    let all_faces = Caps2::CUBEMAP | Caps2::CUBEMAP_ALLFACES;
    let cube = ShapeDesc { levels: 4, faces: 6, ..ShapeDesc::image(bc3, 8, 8) };
    let volume = ShapeDesc { extent: [8, 8, 4], levels: 4, is_3d: true, ..cube };
    for (desc, caps2) in [(cube, all_faces), (ShapeDesc { faces: 1, ..volume }, Caps2::VOLUME)] {
        let original = texture(Shape::new(desc).unwrap(), 5);
        let params = ddsfile::NewD3dParams {
            height: 8,
            width: 8,
            depth: desc.is_3d.then_some(4),
            format: ddsfile::D3DFormat::DXT5,
            mipmap_levels: Some(4),
            caps2: Some(caps2),
        };
        let mut dds = ddsfile::Dds::new_d3d(params).unwrap();
        let chains = (0..desc.faces).flat_map(|face| (0..desc.levels).map(move |level| (face, level)));
        dds.data = chains
            .flat_map(|(face, level)| {
                original.image(texemu_container::Subresource { level, layer: 0, face }).to_vec()
            })
            .collect();
        let mut file = Vec::new();
        dds.write(&mut file).unwrap();
        let again = read(file.clone()).unwrap_or_else(|e| panic!("{caps2:?}: {e}"));
        assert_eq!(again.shape(), original.shape(), "{caps2:?}");
        assert!(raw_bytes(&again) == raw_bytes(&original), "{caps2:?}");
        if desc.faces == 6 {
            const CAPS2: usize = 112;
            file[CAPS2 + 1] &= !0x80;
            let error = read(file).expect_err("five faces").to_string();
            assert_eq!(error, "dds: dwCaps2 = 0x7e00 is not supported: a cube map without all six faces");
        }
    }
}

#[test]
fn formats_without_a_number_are_refused() {
    for format in texemu_format::sources() {
        let written = texture(shapes(format)[0], 0);
        let error = dds_bytes(&written).expect_err("no DXGI_FORMAT").to_string();
        assert_eq!(error, format!("dds cannot store {}: it has no DXGI_FORMAT", format.name));
    }
}
