//! Compiles `glsl/**` to SPIR-V and writes one table of kernels for `glsl/lib.rs`.
//!
//! What is compiled, with which definitions, is listed in `build/variants.rs`. A shader error is printed as
//! `file:line` and ends the build.

#[path = "build/compile.rs"]
mod compile;
#[path = "build/emit.rs"]
mod emit;
#[path = "build/reflect.rs"]
mod reflect;
#[path = "build/transcode.rs"]
mod transcode;
#[path = "build/variants.rs"]
mod variants;

extern crate shaderc_link as _;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() {
    println!("cargo::rerun-if-changed=glsl");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let variants = variants::all();
    let kernels = compile_all(&variants, &out);
    let errors: Vec<&String> = kernels.iter().filter_map(|kernel| kernel.as_ref().err()).collect();
    if !errors.is_empty() {
        for line in errors.iter().flat_map(|error| error.lines()) {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
    let kernels: Vec<emit::Compiled> = kernels.into_iter().filter_map(Result::ok).collect();
    let table = emit::table(&variants, &kernels);
    std::fs::write(out.join("kernels.rs"), table).expect("OUT_DIR is writable");
}

/// Compiles every variant on as many threads as the machine has; results stand in the order of `variants`.
fn compile_all(variants: &[variants::Variant], out: &Path) -> Vec<Result<emit::Compiled, String>> {
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
