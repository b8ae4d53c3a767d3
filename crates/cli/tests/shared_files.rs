//! Textures of other people, where they are there: what the program makes of them is what independent decoders say.
//!
//! `TEXEMU_SHARED` names their folder. By default each is decoded on the CPU and every fourth on the GPU;
//! `TEXEMU_FULL=1` runs each through each granularity and each source.

mod common;

use common::browser::{chromium, open};
use common::{run, sha256};
use std::path::{Path, PathBuf};
use texemu_format::Numeric;

struct Entry {
    path: PathBuf,
    options: Vec<&'static str>,
    /// `None` for files that must be refused.
    sha256: Option<String>,
}

fn entries() -> Option<Vec<Entry>> {
    let folder = std::env::var_os("TEXEMU_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from)
        .join("data");
    let Ok(text) = std::fs::read_to_string(folder.join("INDEX.tsv")) else {
        println!("skipped: {} holds no INDEX.tsv", folder.display());
        return None;
    };
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next()?.split('\t').collect();
    let column = |name: &str| header.iter().position(|cell| *cell == name).expect("the index has the column");
    let (file, notes, sha256) = (column("file"), column("notes"), column("ref_sha256"));
    let entry = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let options = match cells[notes] {
            notes if notes.contains("intended sRGB") => vec!["--srgb"],
            notes if notes.contains("intended HDR") => vec!["--hdr"],
            _ => Vec::new(),
        };
        let sha256 = cells.get(sha256).filter(|cell| !cell.is_empty()).map(|cell| (*cell).to_owned());
        Entry { path: folder.join(cells[file]), options, sha256 }
    };
    Some(lines.map(entry).collect())
}

fn decode(entry: &Entry, more: &[&str]) -> common::Ran {
    let path = entry.path.display().to_string();
    run(["transcode", &path, "-q", "-o", "-"].iter().chain(&entry.options).chain(more))
}

/// Whether there is a kernel for the file as its options mean it.
fn has_kernel(entry: &Entry) -> bool {
    let mut texture = texemu_container::open(&entry.path).expect("a file with a reference is readable");
    if entry.options.contains(&"--hdr") {
        texture.set_numeric(Numeric::Sfloat).expect("ASTC");
    }
    let format = texture.format();
    format.targets.exact().is_some_and(|target| texemu_transcode::has_kernel(format, target))
}

#[test]
fn files_decode_to_their_references() {
    let Some(entries) = entries() else { return };
    let full = std::env::var_os("TEXEMU_FULL").is_some();
    let (mut on_cpu, mut on_gpu) = (0, 0);
    for (index, entry) in entries.iter().enumerate() {
        let Some(expected) = &entry.sha256 else { continue };
        let check = |more: &[&str]| {
            let texels = decode(entry, more).expect(0).stdout;
            assert_eq!(&sha256(&texels), expected, "{} {:?} {more:?}", entry.path.display(), entry.options);
        };
        check(&["--cpu"]);
        on_cpu += 1;
        if !has_kernel(entry) {
            println!("skipped on the GPU: no kernel decodes {}", entry.path.display());
            continue;
        }
        let granularities = ["texel", "block", "tile"];
        let sources = ["texel-buffer", "storage-image", "storage-buffer"];
        if full {
            for granularity in granularities {
                for source in sources {
                    check(&["--granularity", granularity, "--source", source]);
                    on_gpu += 1;
                }
            }
        } else if index % 4 == 0 {
            let turn = index / 4;
            check(&["--granularity", granularities[turn % 3], "--source", sources[turn / 3 % 3]]);
            on_gpu += 1;
        }
    }
    println!("{on_cpu} decodes on the CPU and {on_gpu} on the GPU are exact");
    assert!(on_cpu >= 50 && on_gpu >= 10, "{on_cpu} and {on_gpu} decodes: the index lacks files");
}

#[test]
fn files_that_cannot_be_are_refused() {
    let Some(entries) = entries() else { return };
    let refused: Vec<_> = entries.iter().filter(|entry| entry.sha256.is_none()).collect();
    assert!(refused.len() >= 3, "the index lists malformed files");
    for entry in refused {
        let name = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        decode(entry, &["--cpu"]).expect(2).complains(&[&name]);
    }
}

/// By default what decodes exactly, on the CPU, of all but the largest: `TEXEMU_FULL=1` makes every target on the GPU, and
/// holds it to the twin.
#[test]
fn a_report_of_all_files_opens_in_a_browser() {
    let Some(entries) = entries() else { return };
    let full = std::env::var_os("TEXEMU_FULL").is_some();
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("report.html");
    let files = entries[0].path.parent().expect("data/files");
    let data = if full { files.parent().expect("data") } else { files }.display().to_string();
    let some = ["--cpu", "--to", "rgba8", "--to", "r16", "--to", "rg16", "--to", "rgba16f"];
    let options: &[&str] = if full { &["--verify"] } else { &some };
    let out = page.display().to_string();
    let ran = run(["report", "-q", &data, "-o", &out].iter().chain(options)).expect(2);
    let refused = ran.stderr.lines().filter(|line| line.contains(&data)).collect::<Vec<_>>();
    for line in refused.iter().filter(|line| !line.contains("warn:")) {
        let known = entries.iter().filter(|entry| entry.sha256.is_none());
        let names = known.filter_map(|entry| entry.path.to_str()).collect::<Vec<_>>();
        assert!(names.iter().any(|name| line.contains(name)), "no file that is to be refused: {line}");
    }
    let Some(chromium) = chromium() else { return };
    let opened = open(&chromium, &page, "");
    assert_eq!((opened.console, opened.requests), (Vec::new(), Vec::new()));
    let readable = entries.iter().filter(|entry| entry.sha256.is_some()).count();
    let good = opened.dom.matches("data-state=\"good\"").count();
    assert!(good >= readable && !opened.dom.contains("data-state=\"wrong\""), "{good} of {readable}");
}
