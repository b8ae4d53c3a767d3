//! Writes one table of kernels for `glsl/lib.rs`: compiled from `glsl/**` (feature `compile-shaders`, the default), or taken out of
//! `glsl/prebuilt/` as it is shipped (feature `prebuilt-spirv`), which needs no shader compiler.
//!
//! What is compiled, with which definitions, is listed in `build/variants.rs`. A shader error is printed as
//! `file:line` and ends the build.

#[path = "build/archive.rs"]
mod archive;
#[cfg(all(feature = "compile-shaders", not(feature = "prebuilt-spirv")))]
#[path = "build/compile.rs"]
mod compile;
#[cfg(all(feature = "compile-shaders", not(feature = "prebuilt-spirv")))]
#[path = "build/emit.rs"]
mod emit;
#[cfg(all(feature = "compile-shaders", not(feature = "prebuilt-spirv")))]
#[path = "build/reflect.rs"]
mod reflect;
#[cfg(all(feature = "compile-shaders", not(feature = "prebuilt-spirv")))]
#[path = "build/transcode.rs"]
mod transcode;
#[cfg(all(feature = "compile-shaders", not(feature = "prebuilt-spirv")))]
#[path = "build/variants.rs"]
mod variants;

#[cfg(feature = "compile-shaders")]
extern crate shaderc_link as _;

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    match table(&out) {
        Ok(table) => write(&out, &table),
        Err(errors) => {
            for line in errors.iter().flat_map(|error| error.lines()) {
                println!("cargo::error={line}");
            }
            std::process::exit(1);
        }
    }
}

/// Writes the table, as it may be shipped, and what `glsl/lib.rs` includes: the table with each module's words replaced by where they
/// lie in one file beside it, which the compiler takes in at once where it would read millions of numbers.
fn write(out: &Path, table: &str) {
    let (text, words) = archive::split(table, |first, count| format!("spirv: module({first}, {count}),"))
        .expect("the table is our own");
    let big = std::env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "big");
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| if big { word.to_be_bytes() } else { word.to_le_bytes() }).collect();
    for (name, content) in
        [("kernels.table", table.as_bytes()), ("kernels.spv", &bytes), ("kernels.rs", text.as_bytes())]
    {
        std::fs::write(out.join(name), content).expect("OUT_DIR is writable");
    }
}

/// The shipped table.
#[cfg(feature = "prebuilt-spirv")]
fn table(_: &Path) -> Result<String, Vec<String>> {
    let path = Path::new("glsl/prebuilt/kernels.zst");
    println!("cargo::rerun-if-changed={}", path.display());
    let named = |error: String| vec![format!("{}: {error}", path.display())];
    let bytes = std::fs::read(path).map_err(|error| named(error.to_string()))?;
    archive::read(&bytes).map_err(named)
}

#[cfg(not(any(feature = "compile-shaders", feature = "prebuilt-spirv")))]
fn table(_: &Path) -> Result<String, Vec<String>> {
    Err(vec![
        "texemu-shaders needs one of its features: compile-shaders (the default) or prebuilt-spirv".into(),
    ])
}

/// The table of what is compiled now.
#[cfg(all(feature = "compile-shaders", not(feature = "prebuilt-spirv")))]
fn table(out: &Path) -> Result<String, Vec<String>> {
    // All of glsl/ but what is made from it.
    for entry in std::fs::read_dir("glsl").expect("the shaders lie in glsl/") {
        let path = entry.expect("glsl/ is readable").path();
        if !path.ends_with("prebuilt") {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let variants = variants::all();
    let (mut kernels, mut errors) = (Vec::new(), Vec::new());
    for kernel in compile_all(&variants, out) {
        match kernel {
            Ok(kernel) => kernels.push(kernel),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(emit::table(&variants, &kernels)) } else { Err(errors) }
}

/// Compiles every variant on as many threads as the machine has; results stand in the order of `variants`.
#[cfg(all(feature = "compile-shaders", not(feature = "prebuilt-spirv")))]
fn compile_all(variants: &[variants::Variant], out: &Path) -> Vec<Result<emit::Compiled, String>> {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..variants.len()).map(|_| None).collect::<Vec<_>>());
    let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let compiler = compile::Compiler::new(Path::new("glsl"), out);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(variant) = variants.get(index) else { break };
                    let result = compiler.compile(variant).and_then(|spirv| {
                        let interface = reflect::interface(&spirv)
                            .map_err(|error| format!("glsl/{}: {error}", variant.file))?;
                        Ok(emit::Compiled { spirv, interface })
                    });
                    results.lock().expect("no worker panics")[index] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no worker panics");
    results.into_iter().map(|result| result.expect("every variant was compiled")).collect()
}
