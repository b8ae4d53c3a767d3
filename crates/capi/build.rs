//! Gives the shared library the name that programs look for when they start.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name| env::var(name).unwrap_or_default();
    if of("CARGO_CFG_TARGET_VENDOR") == "apple" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libtexemu.dylib");
    } else if of("CARGO_CFG_TARGET_FAMILY").contains("unix") {
        // Before 1.0 a minor version may break its callers.
        let (major, minor) = (of("CARGO_PKG_VERSION_MAJOR"), of("CARGO_PKG_VERSION_MINOR"));
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtexemu.so.{major}.{minor}");
    }
}
