//! `texemu view --screenshot`: the frame that the window shows, pixel by pixel against the CPU's texels.
#![cfg(feature = "view")]

mod common;

use common::{data, run};
use std::path::Path;
use texemu_container::{Ktx2Options, Shape, ShapeDesc, Subresource, write_ktx2};

/// A frame.
struct Frame {
    width: usize,
    pixels: Vec<[u8; 4]>,
    title: String,
}

impl Frame {
    /// The part from column `first` on, `width` pixels wide.
    fn columns(&self, first: usize, width: usize) -> Vec<[u8; 4]> {
        self.pixels.chunks_exact(self.width).flat_map(|row| row[first..first + width].to_vec()).collect()
    }
}

/// Runs the viewer under validation, which must be silent.
#[track_caller]
fn shoot(file: &Path, options: &[&str]) -> Frame {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("frame.png");
    let paths = [file.display().to_string(), picture.display().to_string()];
    let ran =
        run(["view", &paths[0], "--screenshot", &paths[1], "--validation"].iter().chain(options)).expect(0);
    assert_eq!(ran.stderr, "", "validation and the program are silent");
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&picture).expect("written")));
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it fits")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgba, png::BitDepth::Eight));
    let pixels = bytes.chunks_exact(4).map(|pixel| pixel.try_into().expect("4 bytes")).collect();
    Frame { width: info.width as usize, pixels, title: ran.text() }
}

/// What the CPU makes of the file.
fn texels(file: &Path, options: &[&str]) -> Vec<u8> {
    let path = file.display().to_string();
    run(["transcode", &path, "--cpu", "-q", "-o", "-"].iter().chain(options)).expect(0).stdout
}

/// The frame's size is the swatches'.
const SWATCH: &[&str] = &["--zoom", "1", "--size", "250x187"];

#[track_caller]
fn assert_close(frame: &Frame, expected: impl Iterator<Item = [f32; 3]>, tolerance: f32) {
    let mut count = 0;
    for (index, (pixel, expected)) in frame.pixels.iter().zip(expected).enumerate() {
        count += 1;
        let (x, y) = (index % frame.width, index / frame.width);
        for c in 0..3 {
            let off = (f32::from(pixel[c]) - expected[c] * 255.0).abs();
            assert!(off <= tolerance, "({x}, {y})[{c}]: {} is not {}", pixel[c], expected[c] * 255.0);
        }
        assert_eq!(pixel[3], 255, "frames are opaque");
    }
    assert_eq!(count, frame.pixels.len(), "every pixel has its texel");
}

#[test]
fn a_pixel_a_texel_shows_the_exact_texels() {
    for (file, options) in
        [("swatch_8x8.astc", &[][..]), ("swatch_etc2_rgba.pkm", &[]), ("swatch_6x6_srgb.astc", &["--srgb"])]
    {
        let decoded = texels(&data(file), options);
        let colours = || {
            decoded.chunks_exact(4).map(|texel| [texel[0], texel[1], texel[2]].map(|v| f32::from(v) / 255.0))
        };
        let frame = shoot(&data(file), &[SWATCH, &["--channel", "rgb"][..], options].concat());
        assert!(frame.title.contains("250x187"), "{}", frame.title);
        // UNORM values are stored as they came; sRGB ones went through linear light and back.
        let tolerance = if options.is_empty() { 0.01 } else { 1.0 };
        assert_close(&frame, colours(), tolerance);

        let alpha = shoot(&data(file), &[SWATCH, &["--channel", "a"][..], options].concat());
        assert_close(&alpha, decoded.chunks_exact(4).map(|texel| [f32::from(texel[3]) / 255.0; 3]), 0.01);
        let green = shoot(&data(file), &[SWATCH, &["--channel", "g"][..], options].concat());
        assert_close(&green, colours().map(|[_, green, _]| [green; 3]), tolerance);
    }
}

#[test]
fn transparent_texels_let_a_checkerboard_through() {
    let file = data("swatch_etc2_rgba.pkm");
    let decoded = texels(&file, &[]);
    assert!(decoded.chunks_exact(4).any(|texel| texel[3] < 128), "the swatch is transparent somewhere");
    let frame = shoot(&file, SWATCH);
    let expected = decoded.chunks_exact(4).enumerate().map(|(index, texel)| {
        let (x, y) = (index % 250, index / 250);
        let checker = if (x / 8 + y / 8) % 2 == 0 { 0.6 } else { 0.4 };
        let alpha = f32::from(texel[3]) / 255.0;
        [0, 1, 2].map(|c| f32::from(texel[c]) / 255.0 * alpha + checker * (1.0 - alpha))
    });
    assert_close(&frame, expected, 0.51);
}

fn half(bits: u16) -> f32 {
    let (exponent, mantissa) = (bits >> 10 & 31, f32::from(bits & 1023));
    let value = if exponent == 0 {
        mantissa / 1024.0 * 2f32.powi(-14)
    } else {
        (1.0 + mantissa / 1024.0) * 2f32.powi(i32::from(exponent) - 15)
    };
    if bits >> 15 == 1 { -value } else { value }
}

fn srgb(linear: f32) -> f32 {
    let linear = linear.clamp(0.0, 1.0);
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

#[test]
fn exposure_scales_light() {
    let file = data("swatch_4x4.astc");
    let decoded = texels(&file, &["--hdr"]);
    for stops in [-1.5f32, 0.0, 2.0] {
        let text = stops.to_string();
        let frame = shoot(&file, &[SWATCH, &["--hdr", "--channel", "rgb", "--exposure", &text][..]].concat());
        let expected = decoded.chunks_exact(8).map(|texel| {
            [0, 1, 2].map(|c| srgb(half(u16::from_le_bytes([texel[2 * c], texel[2 * c + 1]])) * stops.exp2()))
        });
        assert_close(&frame, expected, 1.0);
    }
}

#[test]
fn policies_stand_side_by_side_and_differ_as_they_should() {
    let file = data("swatch_etc2_rgb.pkm");
    let options = ["--size", "758x187", "--zoom", "1"];
    let all = shoot(&file, &[&options[..], &["--side-by-side"]].concat());
    for (index, policy) in ["exact", "quality", "size"].into_iter().enumerate() {
        let one = shoot(&file, &[SWATCH, &["--policy", policy][..]].concat());
        assert!(one.pixels == all.columns(index * 254, 250), "the panel of {policy}");
    }
    assert!(
        all.title.contains("R8G8B8A8_UNORM") && all.title.contains("BC7") && all.title.contains("BC1"),
        "{}",
        all.title
    );

    let decoded = texels(&file, &[]);
    let mut errors = Vec::new();
    for policy in ["quality", "size"] {
        let difference = ["--difference", "--policy", policy, "--amplify", "4"];
        let frame = shoot(&file, &[SWATCH, &difference[..]].concat());
        let one = shoot(&file, &[SWATCH, &["--policy", policy][..]].concat());
        let expected = decoded.chunks_exact(4).zip(&one.pixels).map(|(exact, pixel)| {
            [0, 1, 2].map(|c| (f32::from(exact[c].abs_diff(pixel[c])) / 255.0 * 4.0).min(1.0))
        });
        // A BC decoder's own precision is finer than the byte that the one frame holds.
        assert_close(&frame, expected, 4.0);
        errors.push(frame.pixels.iter().map(|pixel| u64::from(pixel[1])).sum::<u64>());
    }
    assert!(errors[0] > 0 && errors[0] < errors[1], "quality is nearer than size: {errors:?}");
}

#[test]
fn filters_are_drawn_by_magnitude() {
    let file = data("swatch_8x8.astc");
    let decoded = texels(&file, &[]);
    let values: Vec<[f32; 4]> =
        decoded.chunks_exact(4).map(|texel| [0, 1, 2, 3].map(|c| f32::from(texel[c]) / 255.0)).collect();
    let edges = texemu_reference::filter::edges(&values, 250);
    let frame = shoot(&file, &[SWATCH, &["--filter", "edges"][..]].concat());
    assert!(frame.title.contains("edges"), "{}", frame.title);
    assert_close(
        &frame,
        edges.iter().map(|texel| [texel[0].abs(), texel[1].abs(), texel[2].abs()].map(|v| v.min(1.0))),
        0.51,
    );
    let blurred = texemu_reference::filter::blur(&values, 250);
    let frame = shoot(&file, &[SWATCH, &["--filter", "blur"][..]].concat());
    assert_close(&frame, blurred.iter().map(|texel| [texel[0], texel[1], texel[2]]), 0.51);
}

#[test]
fn signed_values_lie_about_middle_grey() {
    // EAC blocks of one value: base -64 of 127, multiplier 0, every index 0's modifier -3 / 8.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("signed.ktx2");
    let block = [(-64i8) as u8, 0, 0, 0, 0, 0, 0, 0];
    write(&file, ShapeDesc::image(format("EAC_R11_SNORM_BLOCK"), 8, 8), |_| block.repeat(4));
    let decoded = texels(&file, &[]);
    let value = f32::from(i16::from_le_bytes([decoded[0], decoded[1]])) / 32767.0;
    assert!((-0.6..-0.4).contains(&value), "{value}");
    let frame = shoot(&file, &["--size", "8x8", "--channel", "r"]);
    assert_close(&frame, std::iter::repeat_n([value * 0.5 + 0.5; 3], 64), 0.51);
}

fn format(name: &str) -> &'static texemu_format::Format {
    texemu_format::by_name(name).expect("in the table")
}

/// Writes a texture whose images hold what `blocks` says.
fn write(file: &Path, desc: ShapeDesc, blocks: impl Fn(Subresource) -> Vec<u8>) {
    let shape = Shape::new(desc).expect("a shape");
    let out = std::fs::File::create(file).expect("writable");
    write_ktx2(out, &shape, &Ktx2Options::default(), |at, out| out.write_all(&blocks(at))).expect("written");
}

/// A void-extent block: one colour (Khronos Data Format Specification, "Void-Extent Blocks").
fn colour(red: u8, green: u8, blue: u8) -> [u8; 16] {
    let mut block = [0xFF; 16];
    (block[0], block[1]) = (0xFC, 0xFD);
    for (place, value) in [red, green, blue, 255].into_iter().enumerate() {
        block[8 + 2 * place..][..2].copy_from_slice(&[value, value]);
    }
    block
}

#[test]
fn levels_layers_faces_and_slices_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let astc = format("ASTC_4x4_UNORM_BLOCK");
    let blocks = |level: u32, count: usize, red: u32, green: u32| {
        let bytes = |value: u32| (value * 20) as u8;
        colour(bytes(red), bytes(green), bytes(level)).repeat(count)
    };
    // An array of cubes with levels: red counts layers, green faces, blue levels.
    let cubes = folder.path().join("cubes.ktx2");
    let desc = ShapeDesc { levels: 3, layers: 3, is_array: true, faces: 6, ..ShapeDesc::image(astc, 8, 8) };
    write(&cubes, desc, |at| blocks(at.level, if at.level == 0 { 4 } else { 1 }, at.layer, at.face));
    for (layer, face, level) in [(0, 0, 0), (2, 5, 0), (1, 3, 2), (2, 0, 1)] {
        let [layer_text, face_text, level_text] = [layer, face, level].map(|value: u32| value.to_string());
        let options = ["--layer", &layer_text, "--face", &face_text, "--level", &level_text, "--size", "5x4"];
        let frame = shoot(&cubes, &options);
        let expected = [layer, face, level].map(|value| value as u8 * 20);
        assert_eq!(frame.pixels[2 * 5 + 2][..3], expected, "layer {layer}, face {face}, level {level}");
    }
    // A volume: red counts slices, blue levels.
    let volume = folder.path().join("volume.ktx2");
    let desc = ShapeDesc { levels: 2, extent: [8, 8, 5], is_3d: true, ..ShapeDesc::image(astc, 8, 8) };
    write(&volume, desc, |at| {
        let (slices, each) = if at.level == 0 { (5, 4) } else { (2, 1) };
        (0..slices).flat_map(|slice| blocks(at.level, each, slice, 0)).collect()
    });
    for (slice, level, filter) in [(0, 0, false), (4, 0, false), (1, 1, false), (3, 0, true)] {
        let [slice_text, level_text] = [slice, level].map(|value: u32| value.to_string());
        let mut options = vec!["--slice", &slice_text, "--level", &level_text, "--size", "4x4"];
        if filter {
            options.extend(["--filter", "blur"]);
        }
        let frame = shoot(&volume, &options);
        assert_eq!(
            frame.pixels[5][..3],
            [slice, 0, level].map(|value| value as u8 * 20),
            "slice {slice}, level {level}"
        );
    }
    let volume = volume.display().to_string();
    let out = folder.path().join("a.png").display().to_string();
    let outside =
        |options: &[&str]| run(["view", &volume, "--screenshot", &out].iter().chain(options)).expect(2);
    outside(&["--slice", "2", "--level", "1"]).complains(&["slice 2", "there are 2"]);
    outside(&["--layer", "1"]).complains(&["layer 1"]);
    outside(&["--level", "2"]).complains(&["level 2"]);
}

#[test]
fn zooming_in_shows_squares_and_the_place_asked_for() {
    let file = data("swatch_8x8.astc");
    let decoded = texels(&file, &[]);
    // 3 x 3 texels of 16 pixels, around the middle of texel (100, 50).
    let centre = format!("{},{}", 100.5 / 250.0, 50.5 / 187.0);
    let options = ["--size", "48x48", "--zoom", "16", "--centre", &centre, "--channel", "rgb"];
    let frame = shoot(&file, &options);
    let expected = (0..48 * 48).map(|index| {
        let (x, y) = (99 + index % 48 / 16, 49 + index / 48 / 16);
        [0, 1, 2].map(|c| f32::from(decoded[(y * 250 + x) * 4 + c]) / 255.0)
    });
    assert_close(&frame, expected, 0.01);
    let smooth = shoot(&file, &[&options[..], &["--smooth"]].concat());
    assert!(smooth.pixels != frame.pixels, "smooth is another picture");
}

/// BC files go to the device as they are: what it shows of them is what it shows of the same blocks made on the way.
#[test]
fn formats_of_the_device_are_shown_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, bc7) = (data("swatch_8x8.astc"), folder.path().join("swatch.dds"));
    let paths = [file.display().to_string(), bc7.display().to_string()];
    run(["transcode", &paths[0], "-o", &paths[1], "--to", "bc7", "-q"]).expect(0);
    let native = shoot(&bc7, SWATCH);
    assert!(native.title.contains("BC7_UNORM_BLOCK 250x187, BC7_UNORM_BLOCK"), "{}", native.title);
    let emulated = shoot(&file, &[SWATCH, &["--policy", "quality"][..]].concat());
    assert!(native.pixels == emulated.pixels, "the same blocks");
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let file = data("swatch_8x8.astc").display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("a.png").display().to_string();
    let view = |options: &[&str]| run(["view", &file, "--screenshot", &out].iter().chain(options)).expect(2);
    view(&["--filter", "nothing"]).complains(&["nothing", "edges", "blur"]);
    view(&["--size", "0x5"]).complains(&["0x5"]);
    view(&["--size", "1000000x5"]).complains(&["1000000x5"]);
    view(&["--zoom", "0"]).complains(&["1/256"]);
    view(&["--exposure", "nan"]).complains(&["from -24 to 24"]);
    view(&["--amplify", "0"]).complains(&["from 1 to 256"]);
    view(&["--centre", "2,0"]).complains(&["from 0 to 1"]);
    view(&["--difference", "--side-by-side"]).complains(&["--difference"]);
    run(["view", &file, "--screenshot", "a.jpg"]).expect(2).complains(&["a.jpg", ".png"]);
    run(["view", "/nonexistent.astc", "--screenshot", &out])
        .expect(2)
        .complains(&["/nonexistent.astc", "No such file"]);
    assert!(!Path::new(&out).exists(), "nothing was written");
}
