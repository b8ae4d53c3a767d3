//! Finds `libshaderc_combined.a` and, if it holds no glslang, links the split archives beside it.

use std::env;
use std::path::{Path, PathBuf};

/// In link order: a library stands before those it needs.
const PARTS: [&str; 10] = [
    "glslang",
    "MachineIndependent",
    "GenericCodeGen",
    "OSDependent",
    "OGLCompiler",
    "HLSL",
    "SPIRV",
    "glslang-default-resource-limits",
    "SPIRV-Tools-opt",
    "SPIRV-Tools",
];

fn main() {
    println!("cargo::rerun-if-env-changed=SHADERC_LIB_DIR");
    println!("cargo::rerun-if-env-changed=VULKAN_SDK");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") || env::var_os("VULKAN_SDK").is_some() {
        return;
    }
    let Some(dir) = library_dir() else { return };
    let combined = dir.join("libshaderc_combined.a");
    println!("cargo::rerun-if-changed={}", combined.display());
    let Ok(archive) = std::fs::read(&combined) else { return };
    if contains(&archive, b"glslang_tab.cpp.") {
        return;
    }
    println!("cargo::rustc-link-search=native={}", dir.display());
    for part in PARTS {
        if dir.join(format!("lib{part}.a")).exists() {
            println!("cargo::rustc-link-lib=static={part}");
        }
    }
}

fn library_dir() -> Option<PathBuf> {
    if let Some(dir) = env::var_os("SHADERC_LIB_DIR") {
        return Some(PathBuf::from(dir));
    }
    let arch = env::var("CARGO_CFG_TARGET_ARCH").ok()?;
    let dir = Path::new("/usr/lib").join(format!("{arch}-linux-gnu"));
    dir.join("libshaderc_combined.a").exists().then_some(dir)
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}
