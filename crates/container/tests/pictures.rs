//! `.png`, `.exr` and raw output: what is written is what the ecosystem's decoders see.

mod common;

use std::io::{Cursor, Write};

use common::{Random, raw_bytes, shapes, texture};
use exr::prelude::{FlatSamples, ReadChannels, ReadLayers};
use texemu_container::{Error, Shape, ShapeDesc, Subresource, Texture, write_exr, write_png, write_raw};
use texemu_format::{FORMATS, by_name};

/// More rows than one block of an `.exr` file has, and not a multiple.
const SIZE: [u32; 2] = [21, 77];

fn picture(name: &str) -> Texture {
    texture(Shape::new(ShapeDesc::image(by_name(name).unwrap(), SIZE[0], SIZE[1])).unwrap(), 9)
}

/// Writes `bytes` in pieces of 1 to 100 bytes, so that rows and texels are cut anywhere.
fn pieces(out: &mut dyn Write, mut bytes: &[u8]) -> std::io::Result<()> {
    let mut random = Random(1);
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(bytes.len().min(1 + random.below(100) as usize));
        out.write_all(piece)?;
        bytes = rest;
    }
    Ok(())
}

struct Png {
    color: png::ColorType,
    depth: png::BitDepth,
    is_srgb: bool,
    bytes: Vec<u8>,
}

fn png_of(texture: &Texture) -> Png {
    let mut file = Vec::new();
    let texels = texture.level(0);
    write_png(&mut file, texture.format(), SIZE[0], SIZE[1], |out| pieces(out, texels)).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(&file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!([info.width, info.height], SIZE);
    bytes.truncate(info.buffer_size());
    let is_srgb = reader.info().srgb.is_some();
    Png { color: info.color_type, depth: info.bit_depth, is_srgb, bytes }
}

#[test]
fn png_of_eight_bits_is_the_texels() {
    for (name, is_srgb) in [("R8G8B8A8_UNORM", false), ("R8G8B8A8_SRGB", true)] {
        let texture = picture(name);
        let png = png_of(&texture);
        assert_eq!((png.color, png.depth), (png::ColorType::Rgba, png::BitDepth::Eight), "{name}");
        assert_eq!(png.is_srgb, is_srgb, "{name}");
        assert!(png.bytes == texture.level(0), "{name}");
    }
}

#[test]
fn png_of_sixteen_bits_keeps_every_value() {
    for (name, components, bias) in
        [("R16_UNORM", 1, 0), ("R16_SNORM", 1, 32768), ("R16G16_UNORM", 2, 0), ("R16G16_SNORM", 2, 32768)]
    {
        let texture = picture(name);
        let png = png_of(&texture);
        let color = if components == 1 { png::ColorType::Grayscale } else { png::ColorType::Rgb };
        assert_eq!((png.color, png.depth), (color, png::BitDepth::Sixteen), "{name}");
        let values: Vec<u16> = png.bytes.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect();
        let expected: Vec<u16> = texture
            .level(0)
            .chunks_exact(2 * components)
            .flat_map(|texel| {
                let mut values: Vec<u16> = texel
                    .chunks_exact(2)
                    .map(|b| u16::from_le_bytes([b[0], b[1]]).wrapping_add(bias))
                    .collect();
                values.extend((components == 2).then_some(bias));
                values
            })
            .collect();
        assert_eq!(values, expected, "{name}");
    }
}

#[test]
fn exr_keeps_every_bit() {
    let formats: [(&str, &[&str]); 3] = [
        ("R16G16B16A16_SFLOAT", &["A", "B", "G", "R"]),
        ("R32_SFLOAT", &["Y"]),
        ("R32G32_SFLOAT", &["G", "R"]),
    ];
    for (name, channels) in formats {
        let texture = picture(name);
        let mut file = Cursor::new(Vec::new());
        let texels = texture.level(0);
        write_exr(&mut file, texture.format(), SIZE[0], SIZE[1], |out| pieces(out, texels)).unwrap();
        let image = exr::prelude::read()
            .no_deep_data()
            .largest_resolution_level()
            .all_channels()
            .first_valid_layer()
            .all_attributes()
            .from_buffered(Cursor::new(file.into_inner()))
            .unwrap();
        assert_eq!(image.layer_data.size, exr::math::Vec2(SIZE[0] as usize, SIZE[1] as usize), "{name}");
        let list = &image.layer_data.channel_data.list;
        assert!(list.iter().map(|channel| channel.name.to_string()).eq(channels.iter().copied()), "{name}");
        for (index, channel) in list.iter().enumerate() {
            // Sorted by name, RGBA comes in reverse.
            let component = list.len() - 1 - index;
            match &channel.sample_data {
                FlatSamples::F16(values) => {
                    let texels = texels.chunks_exact(8).map(|t| [t[2 * component], t[2 * component + 1]]);
                    assert!(values.iter().map(|v| v.to_bits()).eq(texels.map(u16::from_le_bytes)), "{name}");
                }
                FlatSamples::F32(values) => {
                    let texel = texels.chunks_exact(4 * list.len());
                    let texels = texel.map(|t| [0, 1, 2, 3].map(|byte| t[4 * component + byte]));
                    assert!(values.iter().map(|v| v.to_bits()).eq(texels.map(u32::from_le_bytes)), "{name}");
                }
                FlatSamples::U32(_) => panic!("{name}: integers"),
            }
        }
    }
}

#[test]
fn formats_that_a_picture_cannot_hold_are_refused() {
    let fits_png =
        ["R8G8B8A8_UNORM", "R8G8B8A8_SRGB", "R16_UNORM", "R16_SNORM", "R16G16_UNORM", "R16G16_SNORM"];
    let fits_exr = ["R16G16B16A16_SFLOAT", "R32_SFLOAT", "R32G32_SFLOAT"];
    for format in &FORMATS {
        let bytes = vec![0; format.level_bytes([4, 4, 1]).unwrap() as usize];
        let png = write_png(Vec::new(), format, 4, 4, |out| out.write_all(&bytes));
        assert_eq!(png.is_ok(), fits_png.contains(&format.name), "png of {}", format.name);
        let exr = write_exr(Cursor::new(Vec::new()), format, 4, 4, |out| out.write_all(&bytes));
        assert_eq!(exr.is_ok(), fits_exr.contains(&format.name), "exr of {}", format.name);
        for error in [png.err(), exr.err()].into_iter().flatten() {
            assert!(matches!(error, Error::CannotStore { .. }), "{}: {error}", format.name);
            assert!(error.to_string().contains(format.name), "{error}");
        }
    }
}

#[test]
fn too_few_and_too_many_bytes_are_refused() {
    let complain = |result: Result<(), Error>, delivered: usize, expected: usize| {
        let error = result.expect_err("a wrong size").to_string();
        let text = format!("level 0, layer 0, face 0: {delivered} bytes delivered, {expected} expected");
        assert_eq!(error, text);
    };
    let rgba8 = by_name("R8G8B8A8_UNORM").unwrap();
    let rg16 = by_name("R16G16_UNORM").unwrap();
    let half = by_name("R16G16B16A16_SFLOAT").unwrap();
    for size in [0, 63, 65, 4096] {
        let bytes = vec![0; size];
        complain(write_png(Vec::new(), rgba8, 4, 4, |out| out.write_all(&bytes)), size, 64);
        complain(write_png(Vec::new(), rg16, 4, 4, |out| out.write_all(&bytes)), size, 64);
        let file = Cursor::new(Vec::new());
        complain(write_exr(file, half, 4, 2, |out| out.write_all(&bytes)), size, 64);
        let shape = Shape::new(ShapeDesc::image(rgba8, 4, 4)).unwrap();
        complain(write_raw(Vec::new(), &shape, |_, out| out.write_all(&bytes)), size, 64);
    }
}

#[test]
fn raw_is_level_layer_face_slice_row() {
    for shape in shapes(by_name("ETC2_R8G8B8_UNORM_BLOCK").unwrap()) {
        let original = texture(shape, 2);
        let mut raw = Vec::new();
        write_raw(&mut raw, &shape, |at, out| pieces(out, original.image(at))).unwrap();
        assert!(raw == raw_bytes(&original), "{shape}");
        let mut rest = raw.as_slice();
        for level in 0..shape.levels() {
            for layer in 0..shape.layers() {
                for face in 0..shape.faces() {
                    for slice in 0..shape.level_extent(level)[2] {
                        let at = Subresource { level, layer, face };
                        let (expected, tail) = rest.split_at(shape.slice_bytes(level) as usize);
                        assert!(original.slice(at, slice) == expected, "{shape}: {at:?}, slice {slice}");
                        rest = tail;
                    }
                }
            }
        }
        assert!(rest.is_empty(), "{shape}");
        assert!(raw_bytes(&Texture::from_raw(shape, raw).unwrap()) == raw_bytes(&original), "{shape}");
    }
}
