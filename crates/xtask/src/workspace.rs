//! Where things are in the work tree.

use std::env;
use std::path::{Path, PathBuf};

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Where downloaded tools are kept: the user's cache, so that they outlive `cargo clean` and a second
/// clone; the target folder if there is no home.
pub(crate) fn tools() -> PathBuf {
    env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|dir| dir.is_absolute())
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")).filter(|dir| dir.is_absolute()))
        .map_or_else(|| target().join("tools"), |cache| cache.join("texemu").join("tools"))
}

/// The built program.
pub(crate) fn program() -> PathBuf {
    target().join("release").join(format!("texemu{}", env::consts::EXE_SUFFIX))
}

/// `path` as seen from the root, for messages.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
