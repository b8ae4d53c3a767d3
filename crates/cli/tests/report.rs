//! The page that `texemu report` writes, as a browser sees it.

mod common;

use common::browser::{chromium, open};
use common::{data, run};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A report of some of the project's textures and of a file that is none, which the tests share.
fn report() -> PathBuf {
    static FOLDER: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().expect("a folder");
        let page = write_report(folder.path());
        (folder, page)
    };
    FOLDER.get_or_init(make).1.clone()
}

fn write_report(folder: &Path) -> PathBuf {
    let inputs = folder.join("in");
    std::fs::create_dir(&inputs).expect("writable");
    for name in ["swatch_8x8.astc", "swatch_6x5_srgb.ktx2", "swatch_etc2_rgba.pkm", "swatch_eac_r11.pkm"] {
        std::fs::copy(data(name), inputs.join(name)).expect("writable");
    }
    std::fs::write(inputs.join("bad<i>.astc"), "no texture").expect("writable");
    let page = folder.join("report.html");
    let (from, to) = (inputs.display().to_string(), page.display().to_string());
    let ran = run(["report", &from, "-o", &to, "--validation", "--verify"]).expect(2);
    let text = ran.text();
    ran.complains(&["bad<i>.astc", "1 of 5 files failed"]);
    assert!(text.contains("4 files as they should be, 0 wrong, 1 refused"), "{text}");
    page
}

#[test]
fn a_report_says_what_the_other_commands_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = report();
    let text = std::fs::read_to_string(&page).expect("written");
    for words in
        ["ASTC_6x5_SRGB_BLOCK 250x187, 8 levels", "Driver", "same blocks", "bad&#60;i&#62;.astc", "Mtexel/s"]
    {
        assert!(text.contains(words), "{words}");
    }
    // Five targets of ASTC UNORM, four of ASTC sRGB, four of ETC2 RGBA8, two of EAC; a picture more a file.
    assert_eq!(text.matches("<section class=\"card\"").count(), 5 + 4 + 4 + 2);
    assert_eq!(text.matches("<img src=\"data:image/png;base64,").count(), 2 * 15 + 4);
    assert_eq!(text.matches("<img").count(), 2 * 15 + 4, "no other pictures");
    let file = data("swatch_8x8.astc").display().to_string();
    let out = folder.path().join("a.ktx2").display().to_string();
    let verified = run(["transcode", &file, "--to", "bc7", "-o", &out, "--verify"]).expect(0).text();
    let psnr = verified.split("PSNR ").nth(1).and_then(|rest| rest.split(',').next()).expect("a figure");

    let card = text.split("<section").find(|card| card.contains("swatch_8x8.astc as bc7"));
    assert!(card.expect("a card").contains(&format!("<dd>{psnr}</dd>")), "{psnr}");
    run(["report", &file, "-o", &folder.path().display().to_string()]).expect(2).complains(&["is a folder"]);
    run(["report", &file, "-o", "/nonexistent/a.html"]).expect(2).complains(&["there is no folder"]);
}

#[test]
fn a_browser_opens_it_without_complaint_or_network() {
    let Some(chromium) = chromium() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let page = report();
    let opened = open(&chromium, &page, "");
    assert_eq!(opened.console, Vec::<String>::new());
    assert_eq!(opened.requests, Vec::<String>::new());
    assert_eq!(opened.shown().len(), 5);
    assert!(opened.dom.contains(">5 of 5 files<"), "the script has run");

    for (hash, expected) in [
        ("#words=ASTC%20srgb", vec!["swatch_6x5_srgb.ktx2"]),
        ("#target=bc4", vec!["swatch_eac_r11.pkm"]),
        ("#state=refused", vec!["bad&lt;i&gt;.astc"]),
        ("#state=good&words=pkm&target=bc3", vec!["swatch_etc2_rgba.pkm"]),
        ("#words=nothing", vec![]),
    ] {
        let opened = open(&chromium, &page, hash);
        assert_eq!(opened.shown(), expected, "{hash}");
        assert_eq!(opened.console, Vec::<String>::new(), "{hash}");
    }

    // That the two would be seen: without its policy a page may ask, with it the asking is an error.
    let text = std::fs::read_to_string(&page).expect("written");
    let asking = text.replace("<h1>", "<img src=\"http://127.0.0.1:9/a.png\"><h1>");
    let other = folder.path().join("other.html");
    std::fs::write(&other, &asking).expect("writable");
    assert!(!open(&chromium, &other, "").console.is_empty(), "the policy forbids it");
    std::fs::write(&other, asking.replace("Content-Security-Policy", "x")).expect("writable");
    assert!(!open(&chromium, &other, "").requests.is_empty(), "nothing forbids it");
}
