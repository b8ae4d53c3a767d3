//! The viewer's window on a virtual X display: keys are typed, and what the screen holds is compared pixel by pixel with the
//! frame that `--screenshot` draws for the same state.
#![cfg(all(feature = "view", target_os = "linux"))]

mod common;
#[path = "common/drag.rs"]
mod drag;

use common::{data, run, texemu};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the program may take to show something on a busy machine; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(120);

/// An X server whose screen is a file.
struct Display {
    server: Child,
    number: String,
    folder: tempfile::TempDir,
}

impl Display {
    /// `None` with a printed reason where there is no Xvfb.
    fn start() -> Option<Self> {
        let there = |name: &str| {
            Command::new(name).arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status()
        };
        if there("Xvfb").is_err() || there("xdotool").is_err() {
            println!("skipped: the viewer's window: Xvfb or xdotool is not installed");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset", "-fbdir"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        BufReader::new(server.stdout.take().expect("piped"))
            .read_line(&mut number)
            .expect("a display number");
        Some(Self { server, number: format!(":{}", number.trim()), folder })
    }

    /// Sends input, or asks; the answer is what is printed.
    #[track_caller]
    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool")
            .args(arguments)
            .env("DISPLAY", &self.number)
            .output()
            .expect("xdotool runs");
        assert!(
            output.status.success(),
            "xdotool {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    }

    /// The part of the screen at (0, 0), three bytes a pixel. The file is an X window dump (X11's XWDFile.h).
    fn screen(&self, width: usize, height: usize) -> Vec<[u8; 3]> {
        let dump = std::fs::read(self.folder.path().join("Xvfb_screen0")).expect("the screen is a file");
        let field =
            |index: usize| u32::from_be_bytes(dump[4 * index..][..4].try_into().expect("4 bytes")) as usize;
        let (header, row_bytes, colours) = (field(0), field(12), field(19));
        assert_eq!((field(1), field(7), field(11)), (7, 0, 32), "version, little endian, 32 bits a pixel");
        let pixels = &dump[header + colours * 12..];
        let row = |y: usize| {
            pixels[y * row_bytes..][..width * 4].chunks_exact(4).map(|bgrx| [bgrx[2], bgrx[1], bgrx[0]])
        };
        (0..height).flat_map(row).collect()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The viewer in its window.
struct Window<'a> {
    display: &'a Display,
    program: Child,
    id: String,
}

impl<'a> Window<'a> {
    /// `None` with a printed reason where the driver has no surfaces of X11.
    fn open(display: &'a Display, arguments: &[&str]) -> Option<Self> {
        let mut command = texemu();
        command.arg("view").args(arguments).arg("--validation").env("DISPLAY", &display.number);
        let program = command
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut window = Self { display, program, id: String::new() };
        let search = || {
            let output = Command::new("xdotool")
                .args(["search", "--onlyvisible", "--name", "."])
                .env("DISPLAY", &display.number)
                .output()
                .expect("xdotool runs");
            let text = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
            (!text.is_empty()).then_some(text)
        };
        let deadline = Instant::now() + PATIENCE;
        window.id = loop {
            if let Some(id) = search() {
                break id;
            }
            if let Some(status) = window.program.try_wait().expect("a child") {
                let complaints = window.complaints();
                assert!(complaints.contains("driver cannot draw"), "{status}: {complaints}");
                println!("skipped: the viewer's window: this Vulkan driver draws into none");
                return None;
            }
            assert!(Instant::now() < deadline, "no window came");
            std::thread::sleep(Duration::from_millis(50));
        };
        // There is no window manager to give it the keyboard.
        display.xdotool(&["windowmove", &window.id, "0", "0"]);
        display.xdotool(&["windowfocus", "--sync", &window.id]);
        Some(window)
    }

    fn complaints(&mut self) -> String {
        let mut text = String::new();
        if let Some(mut stderr) = self.program.stderr.take() {
            let _ = stderr.read_to_string(&mut text);
        }
        text
    }

    fn key(&self, names: &[&str]) {
        self.display.xdotool(&[&["key"], names].concat());
    }

    fn title(&self) -> String {
        self.display.xdotool(&["getwindowname", &self.id])
    }

    /// Waits until the screen shows what `--screenshot` draws with these options, every pixel.
    #[track_caller]
    fn expect(&mut self, file: &Path, size: [usize; 2], options: &[&str]) -> Vec<[u8; 3]> {
        let expected = frame(file, size, options);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let screen = self.display.screen(size[0], size[1]);
            if screen == expected {
                return screen;
            }
            assert!(self.program.try_wait().expect("a child").is_none(), "{}", self.complaints());
            if Instant::now() > deadline {
                let wrong = screen.iter().zip(&expected).filter(|(a, b)| a != b).count();
                panic!(
                    "{} {options:?}: {wrong} pixels differ; the title is {:?}",
                    file.display(),
                    self.title()
                );
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until `there` holds.
    #[track_caller]
    fn until(&mut self, what: &str, there: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !there(self) {
            assert!(self.program.try_wait().expect("a child").is_none(), "{}", self.complaints());
            assert!(Instant::now() < deadline, "never: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses Escape: the program must end well, and validation must have said nothing. Returns what else was said.
    #[track_caller]
    fn close(mut self) -> String {
        self.key(&["Escape"]);
        let status = self.program.wait().expect("a child");
        let complaints = self.complaints();
        assert_eq!(status.code(), Some(0), "{complaints}");
        let validation = ["VUID", "SYNC-", "UNASSIGNED", "Validation"];
        assert!(!validation.iter().any(|word| complaints.contains(word)), "{complaints}");
        complaints
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The frame that is drawn without a window.
#[track_caller]
fn frame(file: &Path, [width, height]: [usize; 2], options: &[&str]) -> Vec<[u8; 3]> {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("frame.png");
    let texts = [file.display().to_string(), picture.display().to_string(), format!("{width}x{height}")];
    run(["view", &texts[0], "--screenshot", &texts[1], "--size", &texts[2]].iter().chain(options)).expect(0);
    let decoder = png::Decoder::new(BufReader::new(std::fs::File::open(&picture).expect("written")));
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it fits")];
    reader.next_frame(&mut bytes).expect("a picture");
    bytes.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

#[test]
fn the_window_shows_the_frame_and_obeys_keys() {
    let Some(display) = Display::start() else { return };
    let (file, other) = (data("swatch_6x5_srgb.ktx2"), data("swatch_etc2_rgba.pkm"));
    let size = [320, 240];
    let paths = [file.display().to_string(), other.display().to_string()];
    let Some(mut window) = Window::open(&display, &[&paths[0], &paths[1], "--size", "320x240"]) else {
        return;
    };
    let first = window.expect(&file, size, &[]);
    let title = window.title();
    for words in ["swatch_6x5_srgb.ktx2", "ASTC_6x5_SRGB_BLOCK", "R8G8B8A8_SRGB", "KiB", " ms", "file 1 of 2"]
    {
        assert!(title.contains(words), "{words:?} is missing: {title}");
    }
    window.key(&["bracketright"]);
    let level = window.expect(&file, size, &["--level", "1"]);
    assert!(level != first, "another level is another picture");
    window.key(&["bracketleft", "r"]);
    window.expect(&file, size, &["--channel", "r"]);
    window.key(&["c", "e", "e"]);
    window.expect(&file, size, &["--exposure", "1"]);
    window.key(&["E", "E", "t", "t"]);
    window.expect(&file, size, &["--filter", "edges"]);
    assert!(window.title().contains("edges"), "{}", window.title());
    window.key(&["t", "z"]);
    window.expect(&file, size, &["--zoom", "1"]);
    window.key(&["Home", "3"]);
    window.expect(&file, size, &["--policy", "size"]);
    assert!(window.title().contains("BC3") || window.title().contains("BC1"), "{}", window.title());
    window.key(&["5"]);
    window.expect(&file, size, &["--policy", "size", "--difference"]);
    window.key(&["6", "1", "Next"]);
    let second = window.expect(&other, size, &[]);
    assert!(second != first, "another file is another picture");

    // The wheel zooms about the pointer, from 1.28 pixels a texel to 1.6; X11 takes it for a button.
    display.xdotool(&["mousemove", "100", "80", "mousedown", "4"]);
    window.expect(&other, size, &["--zoom", "1.6", "--centre", "0.4625,0.466578"]);
    display.xdotool(&["mouseup", "4", "key", "Home", "equal"]);
    window.expect(&other, size, &["--zoom", "1.6"]);
    // Dragging moves, by as much as the pointer; arrows do, and Home brings all of it back.
    display.xdotool(&["mousedown", "1", "mousemove", "140", "90", "mouseup", "1"]);
    window.expect(&other, size, &["--zoom", "1.6", "--centre", "0.4,0.466578"]);
    window.key(&["Right"]);
    window.expect(&other, size, &["--zoom", "1.6", "--centre", "0.56,0.466578"]);
    window.key(&["Home"]);
    window.expect(&other, size, &[]);

    // A smaller window, one that cannot be seen for a while, and a surface made anew.
    display.xdotool(&["windowsize", "--sync", &window.id, "200", "150"]);
    window.expect(&other, [200, 150], &[]);
    display.xdotool(&["windowunmap", "--sync", &window.id]);
    display.xdotool(&["windowmap", "--sync", &window.id]);
    display.xdotool(&["windowfocus", "--sync", &window.id]);
    window.key(&["F5", "a"]);
    window.expect(&other, [200, 150], &["--channel", "a"]);
    display.xdotool(&["windowsize", "--sync", &window.id, "333", "111"]);
    window.expect(&other, [333, 111], &["--channel", "a"]);

    // A file that is dragged in is shown behind the one that was; one that is none leaves the window as it was.
    let third = data("swatch_12x12_srgb.astc").canonicalize().expect("it is there");
    let id = window.id.parse().expect("a number");
    drag::drop_file(&display.number, id, &third);
    window.expect(&third, [333, 111], &["--channel", "a"]);
    assert!(window.title().contains("file 3 of 3"), "{}", window.title());
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.astc");
    std::fs::write(&bad, b"no texture").expect("writable");
    drag::drop_file(&display.number, id, &bad);
    window.until("the title says what is wrong", |window| window.title().contains("bad.astc: "));
    window.key(&["Prior", "c"]);
    window.expect(&third, [333, 111], &[]);
    assert!(window.close().contains("bad.astc"), "it is also said on standard error");
}

/// One of each kind: containers, codecs, numeric types and shapes.
const KINDS: [&str; 12] = [
    "astcenc_hdr.astc",
    "armgles_Earth-Color6x6.astc",
    "armgles_BinaryAlpha.pkm",
    "armgles_HeightMapSigned.pkm",
    "armgles_BumpMap.pkm",
    "gli_kueken7_rgba_astc8x5_srgb.ktx",
    "ktxsw_texturearray_astc_8x8_unorm.ktx",
    "bevy_Ryfjallet_cubemap_etc2.ktx2",
    "ktxsw_etc2-rgba8.ktx",
    "ktxcts_ktx2_sample_astc_ldr_6x6_3dtex_7.ktx2",
    "ktxsw_conftestimage_R11_EAC.ktx",
    "ktxcts_encode_uastc_hdr_uastc-hdr-4x4_R16G16B16_SFLOAT_CUBE_MIP.ktx2",
];

fn files() -> Vec<PathBuf> {
    let shared = std::env::var_os("TEXEMU_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from)
        .join("data/files");
    let mut files: Vec<_> = KINDS.iter().map(|name| shared.join(name)).filter(|path| path.exists()).collect();
    if files.is_empty() {
        println!("skipped: other people's textures: {} is not there", shared.display());
    }
    files.extend(["swatch_eac_r11.pkm", "swatch_12x12_srgb.astc", "swatch_etc2_rgb.pkm"].map(data));
    files
}

#[test]
fn one_of_each_kind_of_file_is_shown() {
    let Some(display) = Display::start() else { return };
    let files = files();
    let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut arguments: Vec<&str> = paths.iter().map(String::as_str).collect();
    arguments.extend(["--size", "256x192"]);
    let Some(mut window) = Window::open(&display, &arguments) else { return };
    let mut seen: Vec<Vec<[u8; 3]>> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let screen = window.expect(file, [256, 192], &[]);
        assert!(screen.iter().any(|pixel| *pixel != screen[0]), "{} is more than one colour", file.display());
        assert!(!seen.contains(&screen), "{} is another picture than those before", file.display());
        let title = window.title();
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        assert!(title.contains(&name) && title.contains(&format!("file {} of", index + 1)), "{title}");
        seen.push(screen);
        window.key(&["Next"]);
    }
    window.expect(&files[0], [256, 192], &[]);
    window.close();
}

#[test]
fn a_signal_closes_the_window_and_no_display_is_an_error() {
    let Some(display) = Display::start() else { return };
    let file = data("swatch_8x8.astc");
    let path = file.display().to_string();
    // Files that cannot be opened are passed over.
    let arguments = ["/nonexistent.astc", &path, "--size", "64x64"];
    let Some(mut window) = Window::open(&display, &arguments) else { return };
    window.expect(&file, [64, 64], &[]);
    let kill = Command::new("kill").args(["-INT", &window.program.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let status = window.program.wait().expect("a child");
    let complaints = window.complaints();
    assert_eq!(status.code(), Some(130), "{complaints}");
    assert!(complaints.contains("/nonexistent.astc"), "{complaints}");
    assert!(complaints.contains("interrupted") && !complaints.contains("VUID"), "{complaints}");

    let mut command = texemu();
    command
        .args(["view", &path])
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET");
    common::finish(&mut command).expect(2).complains(&["--screenshot", "no window"]);
}
