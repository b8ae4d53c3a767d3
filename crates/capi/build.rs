//! Gives the shared library the name that programs look for when they start, and keeps it in memory once loaded.

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
        if of("CARGO_CFG_TARGET_OS") == "linux" {
            // Threads that called the library may outlive a host's dlclose(), and what the standard library keeps for each of them
            // is given back by the library's own code when they end.
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
    }
}
