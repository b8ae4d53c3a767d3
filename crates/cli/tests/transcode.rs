//! What the program makes of the project's own textures.

mod common;

use common::{blank_astc, data, names, run, sha256};
use std::path::Path;

/// File, options that it needs, and the SHA-256 of all its texels (tests/data/README.md).
fn entries() -> Vec<(String, Vec<String>, String)> {
    let text = std::fs::read_to_string(data("INDEX.tsv")).expect("the index is there");
    let entry = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, _, _, _, _, profile, sha256, _] = cells[..] else { panic!("eight columns: {line}") };
        let options = if profile == "file" { Vec::new() } else { vec![format!("--{profile}")] };
        (data(file).display().to_string(), options, sha256.to_owned())
    };
    text.lines().skip(1).map(entry).collect()
}

fn texels(file: &str, options: &[&str]) -> Vec<u8> {
    let ran = run(["transcode", file, "-q", "-o", "-"].iter().chain(options)).expect(0);
    assert_eq!(ran.stderr, "", "{file} {options:?}: nothing to say");
    ran.stdout
}

#[test]
fn every_texture_decodes_exactly_on_cpu_and_gpu() {
    for (file, options, expected) in entries() {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        for engine in ["--cpu", "--validation"] {
            let options = [&options[..], &[engine]].concat();
            assert_eq!(sha256(&texels(&file, &options)), expected, "{file} {options:?}");
        }
    }
}

#[test]
fn every_kernel_gives_the_same_texels() {
    let file = data("swatch_8x8.astc").display().to_string();
    let expected = texels(&file, &["--cpu"]);
    for granularity in ["auto", "texel", "block", "tile"] {
        for source in ["texel-buffer", "storage-image", "storage-buffer"] {
            let options = ["--granularity", granularity, "--source", source, "--validation"];
            assert!(texels(&file, &options) == expected, "{granularity} from a {source}");
        }
    }
}

#[test]
fn verify_and_its_options() {
    let folder = data("").display().to_string();
    let ran = run(["verify", &folder]).expect(0);
    let text = ran.text();
    assert_eq!(text.lines().count(), entries().len(), "a line a file: {text}");
    assert!(text.lines().all(|line| line.ends_with("all equal")), "{text}");
    let file = data("swatch_6x6_srgb.astc").display().to_string();
    let text = run(["verify", &file, "--srgb", "--every-kernel", "--validation"]).expect(0).text();
    assert_eq!(text.lines().count(), 9, "three granularities, three sources: {text}");
}

#[test]
fn levels_and_pictures_can_be_chosen() {
    let file = data("swatch_6x5_srgb.ktx2").display().to_string();
    let all = texels(&file, &["--cpu"]);
    let first = 250 * 187 * 4;
    let second = 125 * 93 * 4;
    assert!(texels(&file, &["--cpu", "--level", "1"]) == all[first..first + second], "the second level");
    run(["transcode", &file, "--cpu", "-o", "-", "--level", "8"])
        .expect(2)
        .complains(&["--level 8", "there are 8"]);
    run(["transcode", &file, "--cpu", "-o", "-", "--layer", "1"]).expect(2).complains(&["--layer 1"]);
    run(["transcode", &file, "--cpu", "-o", "-", "--face", "1"]).expect(2).complains(&["--face 1"]);
    run(["transcode", &file, "--cpu", "-o", "-", "--slice", "1"]).expect(2).complains(&["--slice 1"]);

    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("a.png");
    let ran = run(["transcode", &file, "--cpu", "-o", &picture.display().to_string()]).expect(0);
    assert!(ran.text().contains("the first of its 8 pictures"), "{}", ran.text());
    assert!(read_png(&picture) == all[..first], "the first level as a picture");
}

fn read_png(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("written"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut texels = vec![0; reader.output_buffer_size().expect("small")];
    let info = reader.next_frame(&mut texels).expect("whole");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgba, png::BitDepth::Eight));
    texels
}

#[test]
fn ktx2_and_dds_hold_everything() {
    let file = data("swatch_6x5_srgb.ktx2").display().to_string();
    let all = texels(&file, &["--cpu"]);
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.ktx2", "a.dds", "a.raw"] {
        let path = folder.path().join(name);
        run(["transcode", &file, "-o", &path.display().to_string(), "--verify"]).expect(0);
        if name == "a.raw" {
            assert!(std::fs::read(&path).expect("written") == all, "{name}");
            continue;
        }
        let written = texemu_container::open(&path).expect("readable");
        let shape = written.shape();
        assert_eq!((shape.format().name, shape.levels()), ("R8G8B8A8_SRGB", 8), "{name}");
        let levels: Vec<u8> = (0..8).flat_map(|level| written.level(level).to_vec()).collect();
        assert!(levels == all, "{name}: all levels");
    }
}

#[test]
fn block_formats_are_written_and_compared() {
    let file = data("swatch_6x6_srgb.astc").display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let dds = path("a.dds");
    let ran = run(["transcode", &file, "--srgb", "--cpu", "--to", "bc3", "-o", &dds, "--verify"]).expect(0);
    assert!(ran.text().contains("BC3_SRGB_BLOCK") && ran.text().contains("PSNR"), "{}", ran.text());
    let text = run(["compare", &file, &dds, "--srgb"]).expect(1).text();
    assert!(text.contains("PSNR color"), "{text}");
    run(["compare", &file, &dds, "--srgb", "--min-psnr", "25"]).expect(0);
    run(["compare", &file, &dds, "--srgb", "--min-psnr", "90"]).expect(1);
    run(["compare", &dds, &dds]).expect(0);
    let other = data("swatch_4x4.astc").display().to_string();
    run(["compare", &other, &other]).expect(0);
    let blank = path("blank.astc");
    blank_astc(Path::new(&blank), 4, 16);
    run(["compare", &other, &blank]).expect(2).complains(&["differ in size"]);
    let eac = data("swatch_eac_r11.pkm").display().to_string();
    run(["compare", &other, &eac]).expect(2).complains(&["cannot be compared"]);

    run(["transcode", &file, "--cpu", "--to", "bc3", "-o", &path("a.png")])
        .expect(2)
        .complains(&[".ktx2 or .dds"]);
    run(["transcode", &eac, "--cpu", "--to", "rgba8", "-o", &path("a.ktx2")])
        .expect(2)
        .complains(&["EAC_R11_UNORM_BLOCK", "r16, bc4"]);
    run(["transcode", &dds, "--cpu", "-o", &path("b.ktx2")]).expect(2).complains(&["BC3_SRGB_BLOCK"]);
    run(["transcode", &eac, "--cpu", "--srgb", "-o", &path("a.ktx2")])
        .expect(2)
        .complains(&["swatch_eac_r11.pkm"]);
}

#[test]
fn policies_choose_the_target() {
    let file = data("swatch_6x6_srgb.astc").display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ktx2").display().to_string();
    for (policy, format) in
        [("exact", "R8G8B8A8_SRGB"), ("quality", "BC7_SRGB_BLOCK"), ("size", "BC3_SRGB_BLOCK")]
    {
        run(["transcode", &file, "--srgb", "--cpu", "--policy", policy, "-o", &out]).expect(0);
        let written = texemu_container::open(&out).expect("readable");
        assert_eq!(written.format().name, format, "{policy}");
    }
}

#[test]
fn illegal_blocks_are_magenta_or_black() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("blank.astc");
    blank_astc(&file, 6, 13);
    let file = file.display().to_string();
    for engine in ["--cpu", "--validation"] {
        assert!(texels(&file, &[engine]) == [255, 0, 255, 255].repeat(13 * 13), "{engine}: magenta");
        let black = texels(&file, &[engine, "--error-color", "black"]);
        assert!(black == [0; 4 * 13 * 13], "{engine}: transparent black");
    }
}

#[test]
fn folders_become_folders() {
    let input = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(input.path().join("inner")).expect("writable");
    blank_astc(&input.path().join("a.astc"), 4, 9);
    blank_astc(&input.path().join("inner/a.astc"), 5, 9);
    std::fs::write(input.path().join("notes.txt"), "no texture").expect("writable");
    let from = input.path().display().to_string();
    let out = tempfile::tempdir().expect("a folder");
    let to = out.path().join("out").display().to_string() + "/";
    run(["transcode", "--cpu", &from, "-o", &to, "--container", "png"]).expect(0);
    assert_eq!(names(Path::new(&to)), ["a.png", "inner"]);
    assert_eq!(names(&Path::new(&to).join("inner")), ["a.png"]);

    let (a, inner) = (format!("{from}/a.astc"), format!("{from}/inner/a.astc"));
    run(["transcode", "--cpu", &a, &inner, "-o", &to]).expect(2).complains(&["would both become"]);
    run(["transcode", "--cpu", &a, &inner, "-o", "-"]).expect(2).complains(&["several inputs need a folder"]);
    run(["transcode", "--cpu", &a, &inner, "-o", "x.png"])
        .expect(2)
        .complains(&["several inputs need a folder"]);

    let ktx2 = input.path().join("b.ktx2");
    std::fs::copy(data("swatch_6x5_srgb.ktx2"), &ktx2).expect("writable");
    let before = std::fs::read(&ktx2).expect("readable");
    run(["transcode", "--cpu", &from, "-o", &from]).expect(2).complains(&["b.ktx2 is an input"]);
    assert!(std::fs::read(&ktx2).expect("still there") == before, "an input is never replaced");
    let ktx2 = ktx2.display().to_string();
    run(["transcode", "--cpu", &ktx2, "-o", &ktx2]).expect(2).complains(&["is an input"]);
}

#[test]
fn images_wider_than_the_device_allows_are_done_in_columns() {
    let mut bytes = std::fs::read(data("swatch_6x6_srgb.astc")).expect("the project's own");
    let blocks = bytes.split_off(16);
    // 40,000 x 11 texels: 6667 columns of blocks, two rows.
    bytes[7..13].copy_from_slice(&[0x40, 0x9C, 0, 11, 0, 0]);
    bytes.extend(blocks.iter().copied().cycle().take(16 * 2 * 6667));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wide.astc");
    std::fs::write(&file, bytes).expect("writable");
    let file = file.display().to_string();
    for to in ["rgba8", "bc3"] {
        let expected = texels(&file, &["--cpu", "--to", to]);
        for source in ["texel-buffer", "storage-image"] {
            let made = texels(&file, &["--to", to, "--source", source, "--validation"]);
            assert!(made == expected, "{to} from a {source}");
        }
    }
}
