//! The CPU twins and the GPU decode the project's own textures to what other people's decoders say they hold
//! (tests/data/README.md).

mod common;

use common::{TestGpu, TestImage, upload};
use sha2::{Digest, Sha256};
use std::path::Path;
use texemu_core::{Arena, Commands, vk};
use texemu_format::{Format, Numeric};
use texemu_reference::decode_image;
use texemu_transcode::{Job, Options, Region, Source, Transcoder};

/// One line of tests/data/INDEX.tsv.
struct Entry {
    file: String,
    format: &'static Format,
    extent: [u32; 3],
    levels: u32,
    sha256: String,
}

fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(data("INDEX.tsv")).unwrap();
    let entry = |line: &str| {
        let [file, format, width, height, levels, _, sha256, _] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("a line of INDEX.tsv does not have eight columns: {line}")
        };
        Entry {
            file: file.to_owned(),
            format: texemu_format::by_name(format).unwrap(),
            extent: [width.parse().unwrap(), height.parse().unwrap(), 1],
            levels: levels.parse().unwrap(),
            sha256: sha256.to_owned(),
        }
    };
    text.lines().skip(1).map(entry).collect()
}

fn data(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file)
}

/// The file's blocks, read as the format that the index names.
fn texture(entry: &Entry) -> texemu_container::Texture {
    let mut texture = texemu_container::open(data(&entry.file)).unwrap();
    if entry.format.numeric == Numeric::Srgb {
        texture.set_numeric(Numeric::Srgb).unwrap();
    }
    texture
}

#[test]
fn the_containers_say_what_the_index_says() {
    let entries = entries();
    assert_eq!(entries.len(), 10, "every file of tests/data");
    for entry in entries {
        let texture = texture(&entry);
        let shape = texture.shape();
        assert_eq!(shape.format().name, entry.format.name, "{}: format", entry.file);
        assert_eq!(shape.extent(), entry.extent, "{}: extent", entry.file);
        assert_eq!(shape.levels(), entry.levels, "{}: levels", entry.file);
    }
}

/// The hash of all levels' texels.
fn sha256(levels: impl Iterator<Item = Vec<u8>>) -> String {
    let mut hash = Sha256::new();
    for texels in levels {
        hash.update(texels);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_twins_decode_as_other_decoders_do() {
    for entry in entries() {
        let texture = texture(&entry);
        let decode = |level| {
            let extent = texture.shape().level_extent(level);
            decode_image(entry.format, texture.level(level), extent, &Default::default()).unwrap()
        };
        assert_eq!(sha256((0..entry.levels).map(decode)), entry.sha256, "{}: all its texels", entry.file);
    }
}

#[test]
fn the_gpu_decodes_as_other_decoders_do() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).unwrap();
    let mut commands = Commands::new(&gpu).unwrap();
    for entry in entries() {
        let texture = texture(&entry);
        let bytes: Vec<_> = (0..entry.levels).map(|level| texture.level(level)).collect();
        let blocks = upload(&gpu, &bytes.concat());
        let mut offset = 0;
        let regions: Vec<_> = (0..entry.levels)
            .map(|level| {
                let region = Region::whole_level(entry.extent, 1, level, offset);
                offset += bytes[level as usize].len() as u64;
                region
            })
            .collect();
        let target = entry.format.targets.exact().unwrap();
        let image = TestImage::new(&gpu, target, entry.extent, entry.levels, 1);
        let layout = vk::ImageLayout::GENERAL;
        let job = Job {
            format: entry.format,
            source: Source::TexelBuffer(blocks.handle()),
            target: image.target(layout, true),
            regions: &regions,
            options: Options::default(),
        };
        let mut arena = Arena::new(&gpu);
        let read = commands.run(|commands| {
            // SAFETY: `run` waits, and all that is named lives until the loop's end.
            unsafe { transcoder.record(commands, &mut arena, &[job]) }?;
            Ok::<_, texemu_transcode::Error>(image.read_back(&gpu, commands, layout))
        });
        let read = read.unwrap();
        let levels = (0..entry.levels).map(|level| image.level(&read, level).to_vec());
        assert_eq!(sha256(levels), entry.sha256, "{}: all its texels", entry.file);
    }
}
