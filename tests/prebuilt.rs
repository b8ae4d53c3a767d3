//! The SPIR-V that the package ships is what its sources compile to, and a build that takes it needs no shader compiler.
//!
//! `cargo xtask spirv` writes `glsl/prebuilt/kernels.zst` again; `cargo xtask spirv --check` compares every word, which is asked of the
//! compiler that made it alone: another shaderc may choose other instructions.
#![cfg(not(feature = "prebuilt-spirv"))]

#[path = "../build/archive.rs"]
mod archive;

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped() -> PathBuf {
    root().join("glsl/prebuilt/kernels.zst")
}

/// The table that this build compiled.
fn compiled() -> String {
    std::fs::read_to_string(concat!(env!("OUT_DIR"), "/kernels.table")).expect("the build script wrote it")
}

/// Everything that a table is made from, sorted.
fn sources() -> Vec<PathBuf> {
    let mut folders = vec![root().join("glsl"), root().join("build")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the package") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    let made_otherwise =
        ["glsl/prebuilt/kernels.zst", "glsl/lib.rs", "build/archive.rs"].map(|name| root().join(name));
    files.retain(|path| !made_otherwise.contains(path));
    files.sort();
    files
}

/// The first line of a shipped table: which sources it was made from.
fn stamp() -> String {
    let mut hash = Sha256::new();
    for path in sources() {
        let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        let content = std::fs::read(&path).expect("just listed");
        hash.update(name.as_bytes());
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(&content);
    }
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("// From sources with the SHA-256 {hex}.\n")
}

fn write() {
    let mut compressor = zstd::bulk::Compressor::new(19).expect("a level of Zstandard's");
    for parameter in [
        zstd::zstd_safe::CParameter::WindowLog(24),
        zstd::zstd_safe::CParameter::EnableLongDistanceMatching(true),
    ] {
        compressor.set_parameter(parameter).expect("a parameter of Zstandard's");
    }
    let packed = archive::pack(&(stamp() + &compiled())).expect("the table is the build script's");
    let compressed = compressor.compress(&packed).expect("memory suffices");
    assert!(compressed.len() < 3 << 20, "{} bytes are too many to ship", compressed.len());
    std::fs::create_dir_all(root().join("glsl/prebuilt")).expect("the package can be written");
    std::fs::write(shipped(), compressed).expect("the package can be written");
}

/// A table without its words and their numbers: what another shaderc must not change.
fn interfaces(table: &str) -> String {
    let modules = table.split("spirv: &[");
    modules.map(|part| part.split_once("],").map_or(part, |(_, after)| after)).collect()
}

#[test]
fn the_shipped_spirv_is_that_of_the_sources() {
    if std::env::var_os("TEXEMU_WRITE").is_some() {
        return write();
    }
    let bytes = std::fs::read(shipped()).expect("run `cargo xtask spirv`");
    let table = archive::read(&bytes).expect("the archive is whole");
    let table = table.strip_prefix(&stamp()).expect("the shaders have changed: run `cargo xtask spirv`");
    let compiled = compiled();
    assert!(interfaces(table) == interfaces(&compiled), "the kernels' interfaces differ");
    if table != compiled {
        let exactly = std::env::var_os("TEXEMU_EXACT_SPIRV").is_some();
        assert!(
            !exactly,
            "the words differ: run `cargo xtask spirv`, with the shaderc that continuous integration has"
        );
        println!("skipped: comparing every word of the shipped SPIR-V: another shaderc made it");
    }
}

#[test]
fn a_build_with_it_needs_no_shader_compiler() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = |features: &[&str]| {
        let mut command = Command::new(&cargo);
        command.current_dir(root()).args([
            "tree",
            "--offline",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
        ]);
        command.args(["--package", "texemu-capi"]).args(features);
        let output = command.output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("package names are UTF-8")
    };
    assert!(tree(&[]).contains("shaderc-sys"), "the default compiles");
    let without = tree(&["--no-default-features", "--features", "prebuilt-spirv"]);
    assert!(without.contains("ruzstd"), "the archive is unpacked: {without}");
    assert!(!without.contains("shaderc"), "and nothing is compiled: {without}");
}

#[test]
fn damaged_archives_are_refused() {
    let table = "a { spirv: &[1, 70000, 4294967295], workgroup } b { spirv: &[7], } end";
    let packed = archive::pack(table).expect("in order");
    assert_eq!(archive::unpack(&packed).as_deref(), Ok(table), "what was packed is unpacked");
    for length in 0..packed.len() {
        assert!(archive::unpack(&packed[..length]).is_err(), "cut to {length} bytes");
    }
    let more = [packed.clone(), vec![0; 4]].concat();
    assert!(archive::unpack(&more).is_err(), "a word too many");
    assert!(archive::pack("spirv: &[1, x], ").is_err(), "a word that is none");
    assert!(archive::read(b"not Zstandard").is_err(), "another file");
}
