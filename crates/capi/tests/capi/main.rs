//! The C interface: its header, what it does with wrong arguments, and a C program that embeds it.

mod device;
mod embed;
mod exports;
mod header;
mod hiz;

use std::path::{Path, PathBuf};

/// The package's folder.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The workspace's folder.
fn workspace() -> PathBuf {
    package().join("../..")
}
