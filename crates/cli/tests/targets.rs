//! Every target that `--to` names: written, verified, compared and benched.

mod common;

use common::{data, run};
use std::collections::BTreeSet;
use std::path::Path;
use texemu_format::{Codec, Format, Numeric, sources};

/// What `--to` calls a target, from its own name.
fn short(target: &Format) -> &'static str {
    match target.codec {
        Codec::Rgba8 => "rgba8",
        Codec::Rgba16f => "rgba16f",
        Codec::R16 => "r16",
        Codec::Rg16 => "rg16",
        Codec::Bc1Rgb | Codec::Bc1Rgba => "bc1",
        Codec::Bc3 => "bc3",
        Codec::Bc4 => "bc4",
        Codec::Bc5 => "bc5",
        Codec::Bc6h => "bc6h",
        Codec::Bc7 => "bc7",
        other => panic!("{other:?} is no target"),
    }
}

/// A .ktx2 file of 9 x 7 texels of any format, of blocks of every legal kind; enough of them for each to differ.
fn write(path: &Path, format: &'static Format) {
    let extent = [9 * format.footprint[0] - 1, 4 * format.footprint[1] - 3];
    let shape =
        texemu_container::Shape::new(texemu_container::ShapeDesc::image(format, extent[0], extent[1]));
    let blocks = texemu_reference::blocks::generate(format, texemu_reference::blocks::Class::Legal, 9 * 4, 5);
    let file = std::fs::File::create(path).expect("writable");
    let options = texemu_container::Ktx2Options::default();
    texemu_container::write_ktx2(
        std::io::BufWriter::new(file),
        &shape.expect("small"),
        &options,
        |_, out| out.write_all(&blocks),
    )
    .expect("writable");
}

/// One source format of each codec and numeric type, of ASTC one with a footprint that is no multiple of four.
fn samples() -> Vec<&'static Format> {
    let wanted = |format: &&Format| match (format.codec, format.numeric) {
        (Codec::AstcLdr, Numeric::Unorm) => format.footprint == [6, 5],
        _ => format.footprint == [4, 4],
    };
    sources().filter(wanted).collect()
}

#[test]
fn verify_covers_every_target_of_every_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pairs = 0;
    let mut names = BTreeSet::new();
    for to in ["rgba8", "rgba16f", "r16", "rg16", "bc1", "bc3", "bc4", "bc5", "bc6h", "bc7"] {
        let mut files = Vec::new();
        for source in samples() {
            if source.targets.iter().any(|target| short(target) == to) {
                let path = folder.path().join(format!("{}.ktx2", source.name));
                write(&path, source);
                files.push(path.display().to_string());
            }
        }
        assert!(!files.is_empty(), "{to} is some source's target");
        let arguments = ["verify", "--to", to, "--validation"].map(str::to_owned);
        let text = run(arguments.iter().chain(&files)).expect(0).text();
        assert_eq!(text.lines().count(), files.len(), "a line a file: {text}");
        assert!(text.lines().all(|line| line.ends_with("all equal")), "{text}");
        pairs += files.len();
        names.insert(to);
    }
    let expected: usize = samples().iter().map(|source| source.targets.iter().count()).sum();
    assert_eq!((pairs, names.len()), (expected, 10), "every pair");
}

#[test]
fn bench_has_a_row_for_each_pair() {
    let text = run(["bench", "--list"]).expect(0).text();
    for source in sources() {
        for target in source.targets.iter() {
            let name = format!("{} -> {}, ", source.name.trim_end_matches("_BLOCK"), short(target));
            assert!(text.lines().any(|line| line.starts_with(&name)), "no row {name}");
            if target.is_compressed() {
                let name = name.replace(", ", " high, ");
                assert!(text.lines().any(|line| line.starts_with(&name)), "no row {name}");
            }
        }
    }
}

#[test]
fn block_formats_go_into_both_containers_and_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut formats = BTreeSet::new();
    for source in samples() {
        let file = path("source.ktx2");
        write(Path::new(&file), source);
        for target in source.targets.iter().filter(|target| target.is_compressed()) {
            if !formats.insert(target.name) {
                continue;
            }
            let made = [path("a.ktx2"), path("a.dds")];
            for out in &made {
                let to = ["transcode", &file, "--cpu", "--to", short(target), "-o", out, "--verify"];
                let text = run(to).expect(0).text();
                assert!(text.contains("PSNR") && text.contains("at most"), "{text}");
                let written = texemu_container::open(Path::new(out)).expect("readable").format().name;
                // DDS knows one BC1, with alpha.
                assert_eq!(
                    written.replace("BC1_RGBA", "BC1_RGB"),
                    target.name.replace("BC1_RGBA", "BC1_RGB")
                );
            }
            let ran = run(["compare", &made[0], &made[1]]).expect(0);
            assert!(ran.text().contains("exact"), "{}: the same in both: {}", target.name, ran.text());
            let text = run(["compare", &file, &made[0], "--min-psnr", "5"]).expect(0).text();
            assert!(text.contains("dB") && text.contains("largest error"), "{}: {text}", target.name);
        }
    }
    assert_eq!(formats.len(), 13, "every BC target of the table: {formats:?}");
}

/// What is read for comparing alone: nothing here makes it.
#[test]
fn block_formats_that_are_no_targets_are_compared_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["BC2_UNORM_BLOCK", "BC2_SRGB_BLOCK", "BC6H_SFLOAT_BLOCK"] {
        let format = texemu_format::by_name(name).expect("in the table");
        let shape = texemu_container::Shape::new(texemu_container::ShapeDesc::image(format, 8, 8));
        let shape = shape.expect("small");
        // Opaque white in BC2; in BC6H the mode of one subset and ten bits.
        let mut blocks = [[0xFF; 8], [0xFF, 0xFF, 0, 0, 0, 0, 0, 0]].concat().repeat(4);
        if format.codec == Codec::Bc6h {
            blocks.iter_mut().step_by(16).for_each(|byte| *byte = 0xE3);
        }
        let save = |file: &str, blocks: &[u8]| {
            let file = std::fs::File::create(path(file)).expect("writable");
            texemu_container::write_dds(std::io::BufWriter::new(file), &shape, |_, out| {
                out.write_all(blocks)
            })
            .expect("writable");
        };
        save("a.dds", &blocks);
        // A bit of the first texel's alpha, or of an endpoint.
        blocks[16 * 3] ^= if format.codec == Codec::Bc6h { 0x40 } else { 0x04 };
        save("b.dds", &blocks);
        run(["compare", &path("a.dds"), &path("a.dds")]).expect(0);
        let text = run(["compare", &path("a.dds"), &path("b.dds")]).expect(1).text();
        assert!(
            text.contains(name) && text.contains("the first at (4, 4)"),
            "the last block differs: {text}"
        );
    }
}

#[test]
fn high_dynamic_range_is_written_and_measured_by_its_bits() {
    let file = data("swatch_8x8.astc").display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (exr, ktx2, bc6h) = (path("a.exr"), path("a.ktx2"), path("a.dds"));
    for out in [&exr, &ktx2] {
        run(["transcode", &file, "--hdr", "--cpu", "-o", out, "--verify"]).expect(0);
    }
    assert!(std::fs::read(&exr).expect("written").starts_with(&[0x76, 0x2F, 0x31, 0x01]), "an OpenEXR file");
    let written = texemu_container::open(Path::new(&ktx2)).expect("readable");
    assert_eq!((written.format().codec, written.format().numeric), (Codec::Rgba16f, Numeric::Sfloat));
    let text = run(["compare", "--hdr", &file, &ktx2]).expect(0).text();
    assert!(text.contains("exact"), "{text}");

    let text =
        run(["transcode", &file, "--hdr", "--cpu", "--to", "bc6h", "-o", &bc6h, "--verify"]).expect(0).text();
    assert!(text.contains("PSNR (of the half floats' bits)"), "{text}");
    let ran = run(["compare", "--hdr", &file, &bc6h, "--json"]).expect(1);
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let psnr = json["psnr_color"].as_f64().expect("a number");
    assert!((40.0..90.0).contains(&psnr), "an 8x8 swatch as BC6H: {json}");
    assert_eq!(json["psnr_of"], "half-float bits");
    // An LDR file meets a float one as floats.
    let float = path("b.ktx2");
    run(["transcode", &file, "--cpu", "--to", "rgba16f", "-o", &float]).expect(0);
    run(["compare", &file, &float]).expect(0);
}

#[test]
fn alpha_that_a_target_cannot_hold_is_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.ktx2").display().to_string();
    let file = |name: &str| data(name).display().to_string();
    // The swatches have a soft edge in alpha; the ETC2 one without alpha has none.
    for engine in ["--cpu", "--validation"] {
        for (name, to, warns) in [
            ("swatch_8x8.astc", "bc1", true),
            ("swatch_etc2_rgba.pkm", "bc1", true),
            ("swatch_8x8.astc", "bc3", false),
            ("swatch_etc2_rgb.pkm", "bc1", false),
        ] {
            let ran = run(["transcode", &file(name), engine, "-q", "--to", to, "-o", &out]).expect(0);
            assert_eq!(ran.stderr.contains("partial alpha"), warns, "{name} to {to}: {}", ran.stderr);
        }
        let ran = run(["transcode", &file("swatch_8x8.astc"), engine, "--hdr", "--to", "bc6h", "-o", &out]);
        ran.expect(0).complains(&["swatch_8x8.astc", "BC6H has no alpha", "rgba16f"]);
    }
}
