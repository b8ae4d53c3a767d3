//! `texemu hiz`: every kind of input and output, every path, against the twin and against counting by hand.

mod common;

use common::{names, run};
use std::path::{Path, PathBuf};

/// Floats in no order between 0 and 1, with a few that are none.
fn noise(extent: [u32; 2]) -> Vec<f32> {
    let mut state = 0x2545_f491_u32;
    let mut values: Vec<f32> = (0..extent[0] * extent[1])
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as f32 / 4_294_967_296.0
        })
        .collect();
    if let [_, nan, .., infinity] = &mut values[..] {
        (*nan, *infinity) = (f32::NAN, f32::INFINITY);
    }
    values
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four"))).collect()
}

/// A folder with depth.f32 in it.
struct Place {
    folder: tempfile::TempDir,
    extent: [u32; 2],
    values: Vec<f32>,
}

impl Place {
    fn new(extent: [u32; 2]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let values = noise(extent);
        std::fs::write(folder.path().join("depth.f32"), bytes(&values)).expect("writable");
        Self { folder, extent, values }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Runs the command on depth.f32, to `out`.
    fn hiz(&self, out: &str, options: &[&str]) -> common::Ran {
        let [width, height] = self.extent;
        let (input, out, size) = (self.text("depth.f32"), self.text(out), format!("{width}x{height}"));
        run(["hiz", &input, "-o", &out, "--size", &size].iter().chain(options))
    }
}

fn level(path: &Path, index: u32) -> Vec<u8> {
    texemu_container::open(path).expect("readable").level(index).to_vec()
}

#[test]
fn every_path_gives_the_twins_bits() {
    let place = Place::new([67, 45]);
    for (scheme, reduction) in [("chained", "min"), ("edge-texel", "max"), ("pow2-exact", "minmax")] {
        let kind = ["--scheme", scheme, "--reduction", reduction];
        place.hiz("cpu.ktx2", &[&kind[..], &["--cpu"]].concat()).expect(0);
        let expected = std::fs::read(place.path("cpu.ktx2")).expect("written");
        for path in ["auto", "single", "two", "per-level", "raster"] {
            let options = [&kind[..], &["--path", path, "--validation", "--quiet"]].concat();
            let ran = place.hiz("gpu.ktx2", &options);
            if ran.code == 2 {
                // The device lacks what this path needs; every device has the others.
                assert!(["single", "two"].contains(&path) && ran.stderr.contains("lacks"), "{}", ran.stderr);
                continue;
            }
            let ran = ran.expect(0);
            assert_eq!((ran.text(), ran.stderr), (String::new(), String::new()), "{options:?}");
            let found = std::fs::read(place.path("gpu.ktx2")).expect("written");
            assert!(found == expected, "{options:?}");
        }
    }
}

#[test]
fn levels_are_what_counting_by_hand_gives() {
    let place = Place::new([7, 3]);
    let told = place.hiz("all.ktx2", &["--cpu"]).expect(0).text();
    assert!(told.contains("7x3 -> levels 1 to 2 (3x1 to 1x1)"), "{told}");
    let least = |rows: [usize; 2], columns: [usize; 2]| {
        let row = |row: usize| &place.values[row * 7..][columns[0]..=columns[1]];
        let all = (rows[0]..=rows[1]).flat_map(row);
        // A NaN is a depth about which nothing is known.
        all.map(|&value| if value.is_nan() { f32::NEG_INFINITY } else { value }).fold(f32::INFINITY, f32::min)
    };
    // Sizes 7 and 3 are odd: 3 texels an axis.
    let expected = [least([0, 2], [0, 2]), least([0, 2], [2, 4]), least([0, 2], [4, 6])];
    assert_eq!(floats(&level(&place.path("all.ktx2"), 0)), expected);
    assert_eq!(floats(&level(&place.path("all.ktx2"), 1)), [f32::NEG_INFINITY]);

    let written = texemu_container::open(place.path("all.ktx2")).expect("readable");
    let shape = written.shape();
    assert_eq!((shape.format().name, shape.extent(), shape.levels()), ("R32_SFLOAT", [3, 1, 1], 2));
}

#[test]
fn one_level_goes_into_any_file() {
    let place = Place::new([33, 20]);
    place.hiz("all.ktx2", &["--cpu", "--reduction", "max"]).expect(0);
    let expected = level(&place.path("all.ktx2"), 1);
    let one = ["--reduction", "max", "--level", "2"];
    for engine in ["--cpu", "--validation"] {
        let options = [&one[..], &[engine]].concat();
        place.hiz("2.f32", &options).expect(0);
        assert!(std::fs::read(place.path("2.f32")).expect("written") == expected, "{engine}: .f32");
        place.hiz("2.ktx2", &options).expect(0);
        assert!(level(&place.path("2.ktx2"), 0) == expected, "{engine}: .ktx2");
        place.hiz("2.exr", &options).expect(0);
        // An .exr comes back as it went: level 0 of it is itself.
        let (exr, again) = (place.text("2.exr"), place.text("again.f32"));
        run(["hiz", &exr, "-o", &again, "--cpu", "--level", "0"]).expect(0);
        assert!(std::fs::read(place.path("again.f32")).expect("written") == expected, "{engine}: .exr");
        place.hiz("2.png", &options).expect(0);
        let (extent, rounded) = read_png(&place.path("2.png"));
        assert_eq!(extent, [8, 5], "{engine}");
        for (value, rounded) in floats(&expected).iter().zip(rounded) {
            let read = |number: u16| f32::from(number) / 65535.0;
            let (value, above) = (value.min(1.0), read(rounded) >= value.min(1.0));
            assert!(above && read(rounded - 1) < value, "{engine}: {value} became {rounded}");
        }
    }
    // The fast kernels of one level.
    for path in ["auto", "per-level"] {
        let options = [
            "--scheme",
            "edge-texel",
            "--reduction",
            "minmax",
            "--level",
            "4",
            "--path",
            path,
            "--validation",
        ];
        place.hiz("a.exr", &options).expect(0);
        place.hiz("gpu.f32", &options).expect(0);
        place.hiz("cpu.f32", &[&options[..6], &["--cpu"]].concat()).expect(0);
        let read = |name| std::fs::read(place.path(name)).expect("written");
        assert!(read("gpu.f32") == read("cpu.f32"), "{path}");
    }
}

/// Size and texels of a gray picture of 16 bits.
fn read_png(path: &Path) -> ([u32; 2], Vec<u16>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("written"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut texels = vec![0; reader.output_buffer_size().expect("small")];
    let info = reader.next_frame(&mut texels).expect("whole");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Grayscale, png::BitDepth::Sixteen));
    let texels = texels.chunks_exact(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]])).collect();
    ([info.width, info.height], texels)
}

#[test]
fn a_16_bit_png_is_a_depth_buffer() {
    let place = Place::new([1, 1]);
    let depths: Vec<u16> = (0..35).map(|index| index * 1871).collect();
    let file = std::fs::File::create(place.path("depth.png")).expect("writable");
    let mut encoder = png::Encoder::new(file, 7, 5);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let bytes: Vec<u8> = depths.iter().flat_map(|depth| depth.to_be_bytes()).collect();
    encoder.write_header().expect("writable").write_image_data(&bytes).expect("written");
    // Out and in again nothing changes, whichever side is the safe one.
    for reduction in ["min", "max"] {
        let (input, out) = (place.text("depth.png"), place.text("copy.png"));
        run(["hiz", &input, "-o", &out, "--cpu", "--level", "0", "--reduction", reduction]).expect(0);
        assert_eq!(read_png(&place.path("copy.png")), ([7, 5], depths.clone()), "{reduction}");
    }
}

#[test]
fn the_depth_buffer_may_come_first_and_a_picture_beside_it() {
    let place = Place::new([21, 9]);
    let options = ["--cpu", "--copy-level-0", "--reduction", "minmax", "--picture", &place.text("all.png")];
    place.hiz("all.ktx2", &options).expect(0);
    let written = texemu_container::open(place.path("all.ktx2")).expect("readable");
    let shape = written.shape();
    assert_eq!((shape.format().name, shape.extent(), shape.levels()), ("R32G32_SFLOAT", [21, 9, 1], 5));
    let pairs = floats(written.level(0));
    for (pair, &value) in pairs.chunks_exact(2).zip(&place.values) {
        let expected = if value.is_nan() { [f32::NEG_INFINITY, f32::INFINITY] } else { [value; 2] };
        assert_eq!(pair, expected);
    }
    // Level 0, a line, and the others beside it, a line between them: once with minima and once with maxima.
    let file = std::io::BufReader::new(std::fs::File::open(place.path("all.png")).expect("written"));
    let reader = png::Decoder::new(file).read_info().expect("a PNG");
    assert_eq!(
        (reader.info().width, reader.info().height),
        (2 * (21 + 1 + 10) + 1, 4 + 1 + 2 + 1 + 1 + 1 + 1)
    );
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let place = Place::new([12, 10]);
    let size = ["--size", "12x10"];
    let depth = place.text("depth.f32");
    std::fs::write(place.path("depth.tga"), "no depth").expect("writable");
    std::fs::write(place.path("bad.exr"), "no depth either").expect("writable");
    std::fs::write(place.path("bad.png"), "nor this").expect("writable");
    let swatch = place.path("gray8.png");
    let mut encoder = png::Encoder::new(std::fs::File::create(&swatch).expect("writable"), 1, 1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().expect("writable").write_image_data(&[1, 2, 3, 4]).expect("written");
    let before = names(place.folder.path());
    let fails = |input: &str, out: &str, options: &[&str], words: &[&str]| {
        let (input, out) = (place.text(input), place.text(out));
        run(["hiz", &input, "-o", &out].iter().chain(options)).expect(2).complains(words);
    };
    fails("depth.f32", "a.ktx2", &[], &["depth.f32", "--size WxH"]);
    fails("depth.f32", "a.ktx2", &["--size", "12x11"], &["12x11 floats are 528 bytes", "480"]);
    fails("depth.f32", "a.ktx2", &["--size", "12x9"], &["more"]);
    fails("depth.f32", "a.ktx2", &["--size", "0x9"], &["0x9", "1 to 16384"]);
    fails("depth.f32", "a.ktx2", &["--size", "twelve"], &["1920x1080"]);
    fails("depth.tga", "a.ktx2", &[], &[".exr, .png and .f32"]);
    fails("bad.exr", "a.ktx2", &size, &["--size is for .f32"]);
    fails("bad.exr", "a.ktx2", &[], &["bad.exr"]);
    fails("bad.png", "a.ktx2", &[], &["bad.png"]);
    fails("gray8.png", "a.ktx2", &[], &["Rgba of 8 bits", "gray, of 16 bits"]);
    fails("none.exr", "a.ktx2", &[], &["none.exr", "No such file"]);
    fails("depth.f32", "a.dds", &size, &[".ktx2"]);
    fails("depth.f32", "a.exr", &size, &["one level", "--level K"]);
    fails("depth.f32", "a.ktx2", &["--level", "9", "--size", "12x10", "--cpu"], &["--level 9", "3"]);
    let copy = ["--copy-level-0", "--scheme", "pow2-exact", "--size", "12x10", "--cpu"];
    fails("depth.f32", "a.ktx2", &copy, &["--copy-level-0", "pow2-exact"]);
    fails("depth.f32", "a.ktx2", &["--size", "12x10", "--picture", "a.jpg"], &["--picture writes a .png"]);
    fails("depth.f32", "missing/a.ktx2", &["--size", "12x10", "--cpu"], &["missing"]);
    run(["hiz", &depth, "-o", &depth, "--level", "1", "--size", "12x10"])
        .expect(2)
        .complains(&["is the input"]);
    run(["hiz", &depth, "-o", &place.text("a.ktx2"), "--size", "12x10", "--device", "no such device"])
        .expect(3);
    assert_eq!(names(place.folder.path()), before, "nothing was written");
    assert_eq!(std::fs::read(place.path("depth.f32")).expect("still there"), bytes(&place.values));
}
