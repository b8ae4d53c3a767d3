//! `cargo xtask install`: the Vulkan layer, its manifests, and the program that starts others with it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

const LIBRARY: &str = "libVkLayer_texemu.so";
const MANIFEST: &str = "VkLayer_texemu.json";

/// Copies library and program below the prefix, and writes the manifests where a loader looks for them if the prefix is
/// `/usr`, `/usr/local` or `~/.local`. Says so if `libraries` does not hold both.
pub(crate) fn install(libraries: &Path, prefix: &Path) -> Result<()> {
    let name = format!("texemu{}", std::env::consts::EXE_SUFFIX);
    for file in [LIBRARY, &name] {
        if !libraries.join(file).is_file() {
            println!("left out: the Vulkan layer, for {} holds no {file}", libraries.display());
            return Ok(());
        }
    }
    let (library, program) = (prefix.join("lib").join(LIBRARY), prefix.join("bin").join(&name));
    copy(&libraries.join(LIBRARY), &library)?;
    copy(&libraries.join(&name), &program)?;
    for kind in ["explicit", "implicit"] {
        let folder = prefix.join("share").join("vulkan").join(format!("{kind}_layer.d"));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let mut print = Command::new(&program);
        print.args(["layer", "--manifest", kind, "--library"]).arg(&library);
        let output = print.output().with_context(|| program.display().to_string())?;
        if !output.status.success() {
            bail!("`texemu layer` failed:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        // A loader that finds one name twice takes the first it sees: the implicit one has a file name of its own.
        let file = if kind == "explicit" { MANIFEST.to_owned() } else { format!("{kind}_{MANIFEST}") };
        fs::write(folder.join(&file), output.stdout).with_context(|| file)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    // Into a new file: a program that runs keeps the one it has.
    if to.exists() {
        fs::remove_file(to).with_context(|| to.display().to_string())?;
    }
    fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn library_program_and_manifests_go_where_loaders_look() {
        let root = std::env::temp_dir().join(format!("texemu-layer-install-{}", std::process::id()));
        let (built, prefix) = (root.join("built"), root.join("prefix"));
        fs::create_dir_all(&built).expect("a folder");
        install(&built, &prefix).expect("nothing to install is no error");
        assert!(!prefix.exists(), "and leaves nothing behind");
        fs::write(built.join(LIBRARY), "library").expect("written");
        // Prints what it was asked for, as the program would print a manifest.
        fs::write(built.join("texemu"), "#!/bin/sh\necho \"$@\"\n").expect("written");
        fs::set_permissions(built.join("texemu"), fs::Permissions::from_mode(0o755)).expect("executable");
        for _ in 0..2 {
            install(&built, &prefix).expect("installed, and again over itself");
        }
        assert_eq!(fs::read(prefix.join("lib").join(LIBRARY)).expect("there"), b"library");
        for (kind, file) in [("explicit", MANIFEST), ("implicit", "implicit_VkLayer_texemu.json")] {
            let path = prefix.join(format!("share/vulkan/{kind}_layer.d")).join(file);
            let text = fs::read_to_string(path).expect("there");
            let library = prefix.join("lib").join(LIBRARY);
            assert_eq!(text.trim(), format!("layer --manifest {kind} --library {}", library.display()));
        }
        fs::remove_dir_all(&root).expect("removed");
    }
}
