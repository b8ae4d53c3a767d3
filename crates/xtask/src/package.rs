//! `cargo xtask install`: the C library, its header, the shaders' include and texemu.pc below a prefix, and the Vulkan layer.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::layer;
use crate::options::Options;
use crate::process::{cargo, run_or_fail};
use crate::workspace;

/// What a program that links the static library needs besides.
const PRIVATE_LIBRARIES: &str = if cfg!(target_os = "linux") { "-lpthread -ldl -lm -lgcc_s" } else { "" };

/// Builds the library for use, unless it is told where one lies, and copies what belongs to it.
pub(crate) fn install(options: &Options) -> Result<bool> {
    let Some(prefix) = &options.prefix else { bail!("install needs --prefix DIR") };
    let libraries = match &options.libraries {
        Some(given) => given.clone(),
        None => build()?,
    };
    let prefix = std::path::absolute(prefix).context("the prefix is no path")?;
    if options.dry_run {
        println!("Would install into {} what lies in {}", prefix.display(), libraries.display());
        return Ok(true);
    }
    let capi = workspace::root().join("crates").join("capi");
    copy(&capi.join("include").join("texemu.h"), &prefix.join("include"), "texemu.h")?;
    let shaders = workspace::root().join("glsl").join("include");
    copy(&shaders.join("hiz_query.glsl"), &prefix.join("include").join("texemu"), "hiz_query.glsl")?;
    let mut found = false;
    found |= shared(&libraries, &prefix)?;
    for name in ["libtexemu.a", "texemu.lib", "texemu.dll.lib"] {
        if libraries.join(name).exists() {
            copy(&libraries.join(name), &prefix.join("lib"), name)?;
            found = true;
        }
    }
    if !found {
        bail!("{} holds no libtexemu", libraries.display());
    }
    let template = fs::read_to_string(capi.join("texemu.pc.in")).context("texemu.pc.in")?;
    let filled = template
        .replace("@prefix@", &prefix.display().to_string())
        .replace("@version@", env!("CARGO_PKG_VERSION"))
        .replace("@private@", PRIVATE_LIBRARIES);
    let folder = prefix.join("lib").join("pkgconfig");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    fs::write(folder.join("texemu.pc"), filled).context("texemu.pc")?;
    layer::install(&libraries, &prefix)?;
    println!("installed into {}", prefix.display());
    Ok(true)
}

/// The folder that a release build leaves the libraries in.
fn build() -> Result<PathBuf> {
    let mut build = cargo();
    let packages = ["texemu-capi", "texemu-layer", "texemu-cli"];
    build.args(["build", "--release"]).args(packages.iter().flat_map(|package| ["--package", package]));
    run_or_fail(&mut build)?;
    Ok(workspace::target().join("release"))
}

/// The shared library: under its full version where the system has symbolic links, with the names that the linker and the loader
/// look for beside it.
fn shared(libraries: &Path, prefix: &Path) -> Result<bool> {
    let name = format!("{DLL_PREFIX}texemu{DLL_SUFFIX}");
    let library = libraries.join(&name);
    if !library.exists() {
        return Ok(false);
    }
    if cfg!(windows) {
        copy(&library, &prefix.join("bin"), &name)?;
        return Ok(true);
    }
    let folder = prefix.join("lib");
    #[cfg(all(unix, not(target_vendor = "apple")))]
    {
        let minor = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
        let (full, soname) = (format!("{name}.{}", env!("CARGO_PKG_VERSION")), format!("{name}.{minor}"));
        copy(&library, &folder, &full)?;
        for link in [&soname, &name] {
            let path = folder.join(link);
            if path.symlink_metadata().is_ok() {
                fs::remove_file(&path).with_context(|| path.display().to_string())?;
            }
            std::os::unix::fs::symlink(&full, &path).with_context(|| path.display().to_string())?;
        }
        Ok(true)
    }
    #[cfg(not(all(unix, not(target_vendor = "apple"))))]
    {
        copy(&library, &folder, &name)?;
        Ok(true)
    }
}

fn copy(from: &Path, folder: &Path, name: &str) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let to = folder.join(name);
    fs::copy(from, &to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    Ok(())
}
