//! The loader unloads layers with the last instance, but threads that called them live on, and what the standard library keeps
//! for each of them is given back by the library's own code when they end: it must not be gone by then.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
