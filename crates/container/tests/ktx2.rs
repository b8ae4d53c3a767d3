//! `.ktx2`: what is written is read again, by this crate and by another parser; descriptors are those of the specification.

mod common;

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use common::{ktx2_bytes, raw_bytes, shapes, texture};
use texemu_container::{Container, Ktx2Options, Subresource, Supercompression, Texture, read, write_ktx2};
use texemu_format::{FORMATS, by_name};

const OPTIONS: Ktx2Options<'_> =
    Ktx2Options { zstd: false, writer: "a test", orientation: Some("rd"), premultiplied: false };

#[test]
fn every_format_and_shape_survives() {
    for format in &FORMATS {
        for (seed, shape) in (0..).zip(shapes(format)) {
            for zstd in [false, true] {
                let written = texture(shape, seed);
                let options = Ktx2Options { zstd, ..OPTIONS };
                let again =
                    read(ktx2_bytes(&written, &options).unwrap()).unwrap_or_else(|e| panic!("{shape}: {e}"));
                assert_eq!(again.shape(), &shape, "zstd: {zstd}");
                assert_eq!(again.container(), Container::Ktx2, "{shape}");
                let scheme = if zstd { Supercompression::Zstd } else { Supercompression::None };
                assert_eq!(again.supercompression(), scheme, "{shape}");
                assert!(raw_bytes(&again) == raw_bytes(&written), "{shape}, zstd: {zstd}: bytes differ");
                assert_eq!(again.notes().writer.as_deref(), Some("a test"), "{shape}");
                assert_eq!(again.notes().orientation.as_deref(), Some("rd"), "{shape}");
            }
        }
    }
}

/// The section layout that the KTX 2.0 specification prescribes, seen through another parser.
#[test]
fn another_parser_reads_what_is_written() {
    for format in &FORMATS {
        for shape in shapes(format) {
            let written = texture(shape, 1);
            let file = ktx2_bytes(&written, &OPTIONS).unwrap();
            let reader = ktx2::Reader::new(&file).unwrap_or_else(|e| panic!("{shape}: {e}"));
            let header = reader.header();
            assert_eq!(header.format.map(|f| f.value()), Some(format.vk.0 as u32), "{shape}");
            assert_eq!(header.pixel_width, shape.extent()[0], "{shape}");
            assert_eq!(header.pixel_height, shape.extent()[1], "{shape}");
            assert_eq!(header.pixel_depth, if shape.is_3d() { shape.extent()[2] } else { 0 }, "{shape}");
            assert_eq!(header.layer_count, if shape.is_array() { shape.layers() } else { 0 }, "{shape}");
            assert_eq!(header.face_count, shape.faces(), "{shape}");
            assert_eq!(header.level_count, shape.levels(), "{shape}");
            assert_eq!(reader.writer(), Some("a test\0"), "{shape}");
            let basic = reader.basic_dfd().expect("a basic descriptor block");
            assert_eq!(basic.bytes_planes, [format.block_bytes as u8, 0, 0, 0, 0, 0, 0, 0], "{shape}");
            for (level, data) in (0..).zip(reader.levels()) {
                assert!(data.data == written.level(level), "{shape}: level {level} differs");
                let offset = data.data.as_ptr() as usize - file.as_ptr() as usize;
                let alignment = [4, 8, 16].into_iter().find(|a| a % format.block_bytes == 0).unwrap();
                assert_eq!(
                    offset % alignment as usize,
                    0,
                    "{shape}: level {level} is not aligned to {alignment}"
                );
            }
            let starts: Vec<_> = reader.levels().map(|level| level.data.as_ptr()).collect();
            assert!(starts.is_sorted_by(|a, b| a > b), "{shape}: the smallest level comes first");
            let end = starts[0] as usize - file.as_ptr() as usize + written.level(0).len();
            assert_eq!(end, file.len(), "{shape}: nothing follows level 0");
        }
    }
}

fn descriptor(file: &[u8]) -> &[u8] {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    &file[word(48)..][..word(52)]
}

/// Writes one image of a format and gives back its data format descriptor in words.
fn descriptor_words(name: &str) -> Vec<u32> {
    let format = texemu_format::by_name(name).unwrap();
    let file = ktx2_bytes(&texture(shapes(format)[0], 0), &OPTIONS).unwrap();
    let bytes = descriptor(&file);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// One format of each family against the words that KDFS 1.4 prescribes: section 5 (basic descriptor block) for the first seven
/// words, and the tables "Example ... descriptor" of each compressed format's chapter for the samples.
#[test]
fn descriptors_are_those_of_the_specification() {
    let header = |samples: u32, model: u32, transfer: u32, footprint: [u32; 2], bytes: u32| {
        let size = 24 + 16 * samples;
        vec![
            size + 4,
            0,
            2 | size << 16,
            model | 1 << 8 | transfer << 16,
            (footprint[0] - 1) | (footprint[1] - 1) << 8,
            bytes,
            0,
        ]
    };
    let sample = |offset: u32, bits: u32, channel: u32, lower: u32, upper: u32| {
        vec![offset | (bits - 1) << 16 | channel << 24, 0, lower, upper]
    };
    const LINEAR: u32 = 1;
    const SRGB: u32 = 2;
    const FLOAT: u32 = 0x80;
    const SIGNED: u32 = 0x40;
    const LINEAR_SAMPLE: u32 = 0x10;
    const ALPHA: u32 = 15;
    let one = 1f32.to_bits();
    let minus_one = (-1f32).to_bits();
    let max = u32::MAX;
    let (low, high) = (i32::MIN as u32, i32::MAX as u32);
    let cases = [
        ("ASTC_6x5_UNORM_BLOCK", header(1, 162, LINEAR, [6, 5], 16), vec![sample(0, 128, 0, 0, max)]),
        ("ASTC_12x10_SRGB_BLOCK", header(1, 162, SRGB, [12, 10], 16), vec![sample(0, 128, 0, 0, max)]),
        (
            "ASTC_8x8_SFLOAT_BLOCK",
            header(1, 162, LINEAR, [8, 8], 16),
            vec![sample(0, 128, FLOAT | SIGNED, minus_one, one)],
        ),
        ("ETC2_R8G8B8_SRGB_BLOCK", header(1, 161, SRGB, [4, 4], 8), vec![sample(0, 64, 2, 0, max)]),
        (
            "ETC2_R8G8B8A1_UNORM_BLOCK",
            header(2, 161, LINEAR, [4, 4], 8),
            vec![sample(0, 64, 2, 0, max), sample(0, 64, ALPHA, 0, max)],
        ),
        (
            "ETC2_R8G8B8A8_SRGB_BLOCK",
            header(2, 161, SRGB, [4, 4], 16),
            vec![sample(0, 64, ALPHA | LINEAR_SAMPLE, 0, max), sample(64, 64, 2, 0, max)],
        ),
        ("EAC_R11_UNORM_BLOCK", header(1, 161, LINEAR, [4, 4], 8), vec![sample(0, 64, 0, 0, max)]),
        (
            "EAC_R11G11_SNORM_BLOCK",
            header(2, 161, LINEAR, [4, 4], 16),
            vec![sample(0, 64, SIGNED, low, high), sample(64, 64, 1 | SIGNED, low, high)],
        ),
        ("BC1_RGB_SRGB_BLOCK", header(1, 128, SRGB, [4, 4], 8), vec![sample(0, 64, 0, 0, max)]),
        ("BC1_RGBA_UNORM_BLOCK", header(1, 128, LINEAR, [4, 4], 8), vec![sample(0, 64, 1, 0, max)]),
        (
            "BC2_UNORM_BLOCK",
            header(2, 129, LINEAR, [4, 4], 16),
            vec![sample(0, 64, ALPHA, 0, max), sample(64, 64, 0, 0, max)],
        ),
        (
            "BC3_SRGB_BLOCK",
            header(2, 130, SRGB, [4, 4], 16),
            vec![sample(0, 64, ALPHA | LINEAR_SAMPLE, 0, max), sample(64, 64, 0, 0, max)],
        ),
        ("BC4_SNORM_BLOCK", header(1, 131, LINEAR, [4, 4], 8), vec![sample(0, 64, SIGNED, low, high)]),
        (
            "BC5_UNORM_BLOCK",
            header(2, 132, LINEAR, [4, 4], 16),
            vec![sample(0, 64, 0, 0, max), sample(64, 64, 1, 0, max)],
        ),
        ("BC6H_UFLOAT_BLOCK", header(1, 133, LINEAR, [4, 4], 16), vec![sample(0, 128, FLOAT, 0, one)]),
        (
            "BC6H_SFLOAT_BLOCK",
            header(1, 133, LINEAR, [4, 4], 16),
            vec![sample(0, 128, FLOAT | SIGNED, minus_one, one)],
        ),
        ("BC7_SRGB_BLOCK", header(1, 134, SRGB, [4, 4], 16), vec![sample(0, 128, 0, 0, max)]),
        (
            "R8G8B8A8_SRGB",
            header(4, 1, SRGB, [1, 1], 4),
            vec![
                sample(0, 8, 0, 0, 255),
                sample(8, 8, 1, 0, 255),
                sample(16, 8, 2, 0, 255),
                sample(24, 8, ALPHA | LINEAR_SAMPLE, 0, 255),
            ],
        ),
        ("R16_UNORM", header(1, 1, LINEAR, [1, 1], 2), vec![sample(0, 16, 0, 0, 65535)]),
        (
            "R16G16_SNORM",
            header(2, 1, LINEAR, [1, 1], 4),
            vec![
                sample(0, 16, SIGNED, -32767i32 as u32, 32767),
                sample(16, 16, 1 | SIGNED, -32767i32 as u32, 32767),
            ],
        ),
        (
            "R16G16B16A16_SFLOAT",
            header(4, 1, LINEAR, [1, 1], 8),
            [0, 1, 2, ALPHA]
                .iter()
                .zip(0..)
                .map(|(&channel, index)| sample(16 * index, 16, channel | FLOAT | SIGNED, minus_one, one))
                .collect(),
        ),
        ("R32_SFLOAT", header(1, 1, LINEAR, [1, 1], 4), vec![sample(0, 32, FLOAT | SIGNED, minus_one, one)]),
    ];
    for (name, head, samples) in cases {
        let expected: Vec<u32> = head.into_iter().chain(samples.into_iter().flatten()).collect();
        assert_eq!(descriptor_words(name), expected, "descriptor of {name}");
    }
}

/// Byte for byte what the files of other writers hold. Not compared: universal HDR textures, which name their own colour model, and
/// premultiplied ones unless that is asked for.
#[test]
fn descriptors_are_those_of_other_writers() {
    let Some(shared) = common::shared() else { return };
    let mut compared = 0;
    for entry in std::fs::read_dir(shared.join("data/files")).expect("the folder of files") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a file");
        if Container::detect(&bytes) != Some(Container::Ktx2) {
            continue;
        }
        let Ok(other) = read(bytes.clone()) else { continue };
        const UASTC_HDR: u8 = 167;
        if descriptor(&bytes)[12] == UASTC_HDR {
            continue;
        }
        let shape = *other.shape();
        let options = Ktx2Options { premultiplied: other.notes().premultiplied, ..OPTIONS };
        let ours = ktx2_bytes(&Texture::from_raw(shape, raw_bytes(&other)).unwrap(), &options).unwrap();
        assert_eq!(descriptor(&ours), descriptor(&bytes), "{}", path.display());
        compared += 1;
    }
    assert!(compared > 15, "only {compared} files compared");
}

#[test]
fn wrong_sizes_and_failing_sinks_are_reported() {
    /// A file on a device with room for so many bytes.
    struct Full(Cursor<Vec<u8>>, usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0.get_ref().len() + bytes.len() > self.1 {
                return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"));
            }
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl Seek for Full {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    let original = texture(shapes(by_name("EAC_R11G11_SNORM_BLOCK").unwrap())[5], 3);
    let shape = original.shape();
    for zstd in [false, true] {
        let options = Ktx2Options { zstd, ..OPTIONS };
        for extra in [-1isize, 1] {
            let wrong = Subresource { level: 1, layer: 1, face: 4 };
            let expected = shape.image_bytes(1);
            let result = write_ktx2(Cursor::new(Vec::new()), shape, &options, |at, out| {
                let bytes = [original.image(at), &[0]].concat();
                let size = if at == wrong { (expected as isize + extra) as usize } else { bytes.len() - 1 };
                out.write_all(&bytes[..size])
            });
            let error = result.expect_err("a wrong size").to_string();
            let delivered = expected as i64 + extra as i64;
            assert_eq!(
                error,
                format!("level 1, layer 1, face 4: {delivered} bytes delivered, {expected} expected")
            );
        }
        let result =
            write_ktx2(Cursor::new(Vec::new()), shape, &options, |_, _| Err(io::Error::other("lost")));
        assert_eq!(result.expect_err("no texels").to_string(), "lost", "zstd: {zstd}");
        let whole = ktx2_bytes(&original, &options).unwrap().len();
        for room in (0..whole).step_by(97) {
            let full = Full(Cursor::new(Vec::new()), room);
            let result = write_ktx2(full, shape, &options, |at, out| original.write_image(at, out));
            assert_eq!(
                result.expect_err("no room").to_string(),
                "no space left",
                "zstd: {zstd}, room for {room}"
            );
        }
    }
}
