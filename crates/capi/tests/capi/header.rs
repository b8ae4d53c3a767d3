//! `include/texemu.h` is what cbindgen makes of the sources. With `TEXEMU_WRITE` set (`cargo xtask header`) it is written.

use crate::package;
use std::collections::BTreeSet;

/// The files with exports, in the order in which the header tells about them.
pub(crate) const FILES: [&str; 19] = [
    "status",
    "choices",
    "format",
    "gpu",
    "arena",
    "transcoder",
    "hiz_choices",
    "hiz_plan",
    "hiz",
    "settings",
    "offer",
    "emulator",
    "recording",
    "compute_state",
    "image",
    "memory",
    "copy",
    "transfer",
    "statistics",
];

/// The files without.
const INSIDE: [&str; 3] = ["lib", "pointer", "versioned"];

fn generate() -> String {
    let config =
        cbindgen::Config::from_file(package().join("cbindgen.toml")).expect("cbindgen.toml is in order");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in FILES {
        builder = builder.with_src(package().join(format!("src/{file}.rs")));
    }
    let mut bytes = Vec::new();
    builder.generate().expect("cbindgen understands the sources").write(&mut bytes);
    String::from_utf8(bytes).expect("sources are UTF-8")
}

#[test]
fn the_header_is_what_the_sources_say() {
    let path = package().join("include/texemu.h");
    let made = generate();
    if std::env::var_os("TEXEMU_WRITE").is_some() {
        std::fs::write(&path, &made).expect("the header can be written");
        return;
    }
    let committed = std::fs::read_to_string(&path).expect("the header is there");
    let differs = committed.lines().zip(made.lines()).position(|(a, b)| a != b);
    assert!(committed == made, "line {differs:?} of include/texemu.h is old: run `cargo xtask header`");
}

#[test]
fn every_file_is_in_the_header_or_has_nothing_for_it() {
    let found: BTreeSet<String> = std::fs::read_dir(package().join("src"))
        .expect("the package has sources")
        .map(|entry| entry.expect("a readable folder").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let known: BTreeSet<String> = FILES.iter().chain(&INSIDE).map(|&name| name.to_owned()).collect();
    assert_eq!(found, known, "a file was added or removed");
    for file in INSIDE {
        let text = std::fs::read_to_string(package().join(format!("src/{file}.rs"))).expect("just listed");
        assert!(!text.contains("no_mangle"), "{file}.rs exports something");
    }
}
