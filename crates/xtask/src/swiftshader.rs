//! SwiftShader, and a newer validation layer than Debian's own, out of Debian's Chromium.
//!
//! Debian's `chromium-common` carries both as ordinary shared objects. They are unpacked, not installed:
//! nothing outside the tools folder changes. The package's version moves with security updates, so none
//! is named here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

const PACKAGE: &str = "chromium-common";
const DRIVER: &str = "libvk_swiftshader.so";
const MANIFEST: &str = "vk_swiftshader_icd.json";
const LAYER: &str = "libVkLayer_khronos_validation.so";
const LAYER_MANIFEST: &str = "VkLayer_khronos_validation.json";
const LAYER_SETTINGS: &str = "vk_layer_settings.txt";

/// Chromium ships the layer without a manifest, since it loads it by name. The loader takes the layer's
/// real API version from the library; 1.3 is what it is asked for here.
const LAYER_MANIFEST_TEXT: &str = r#"{
    "file_format_version": "1.2.0",
    "layer": {
        "name": "VK_LAYER_KHRONOS_validation",
        "type": "GLOBAL",
        "library_path": "./libVkLayer_khronos_validation.so",
        "api_version": "1.3.290",
        "implementation_version": "1",
        "description": "Khronos Validation Layer",
        "instance_extensions": [
            { "name": "VK_EXT_debug_report", "spec_version": "9" },
            { "name": "VK_EXT_debug_utils", "spec_version": "1" },
            { "name": "VK_EXT_validation_features", "spec_version": "4" },
            { "name": "VK_EXT_layer_settings", "spec_version": "2" }
        ]
    }
}
"#;

/// The layer's heuristic for shader accesses stays off: it takes each dispatch for a write of all that is bound, and the
/// dispatches of one job write different texels of one image without a barrier, by design.
const LAYER_SETTINGS_TEXT: &str = "\
khronos_validation.validate_sync = true
khronos_validation.syncval_shader_accesses_heuristic = false
";

/// The unpacked files.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    dir: PathBuf,
}

impl Tools {
    /// The files, if all of them are there.
    pub(crate) fn find() -> Option<Self> {
        let dir = workspace::tools().join("swiftshader");
        let layer = dir.join("layer");
        // What is written here is written anew: an older installation follows this version's settings.
        let complete = [DRIVER, MANIFEST].iter().all(|name| dir.join(name).is_file())
            && layer.join(LAYER).is_file()
            && write_layer_texts(&layer).is_ok();
        complete.then_some(Self { dir })
    }

    /// The driver's manifest, for `VK_ICD_FILENAMES`.
    pub(crate) fn icd(&self) -> PathBuf {
        self.dir.join(MANIFEST)
    }

    /// The folder of the layer's manifest, for `VK_LAYER_PATH`.
    ///
    /// It is a folder of its own, since the loader takes every JSON file in it for a layer's manifest.
    pub(crate) fn layer_dir(&self) -> PathBuf {
        self.dir.join("layer")
    }

    /// The layer's settings, for `VK_LAYER_SETTINGS_PATH`.
    pub(crate) fn layer_settings(&self) -> PathBuf {
        self.layer_dir().join(LAYER_SETTINGS)
    }
}

/// Downloads the package and leaves the files where [`Tools::find`] looks.
pub(crate) fn unpack() -> Result<()> {
    let tools = workspace::tools();
    // Beside the final place, so that the last step is one rename and a killed run leaves no half.
    let scratch = tools.join(format!("swiftshader-{}", std::process::id()));
    fs::create_dir_all(&scratch).with_context(|| format!("could not create {}", scratch.display()))?;
    let result = unpack_into(&scratch).and_then(|()| {
        let place = tools.join("swiftshader");
        if place.exists() {
            fs::remove_dir_all(&place)?;
        }
        fs::rename(&scratch, &place)?;
        println!("SwiftShader is in {}", place.display());
        Ok(())
    });
    let _ = fs::remove_dir_all(&scratch);
    result
}

fn unpack_into(dir: &Path) -> Result<()> {
    println!("\n$ apt-get download {PACKAGE}");
    // Without the option, root is warned that the download does not run as apt's own user, who has no
    // access to this folder; other users download as themselves in any case.
    let status = Command::new("apt-get")
        .args(["download", "-o", "APT::Sandbox::User=root", PACKAGE])
        .current_dir(dir)
        .status()?;
    if !status.success() {
        bail!("`apt-get download {PACKAGE}` failed; `apt-get update` may have to run first");
    }
    let package = fs::read_dir(dir)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .context("the download left no .deb file")?;

    let mut archive = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(&package)
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start dpkg-deb")?;
    let stream = archive.stdout.take().context("dpkg-deb has no output")?;
    let unpacked = Command::new("tar")
        .args(["--extract", "--no-same-owner", "--strip-components=4", "--directory"])
        .arg(dir)
        .args([DRIVER, MANIFEST, LAYER].map(|name| format!("./usr/lib/chromium/{name}")))
        .stdin(stream)
        .status()
        .context("could not start tar")?;
    archive.wait()?;
    if !unpacked.success() {
        bail!("{} no longer holds {DRIVER}, {MANIFEST} and {LAYER}", package.display());
    }
    fs::remove_file(&package)?;
    let layer = dir.join("layer");
    fs::create_dir(&layer)?;
    fs::rename(dir.join(LAYER), layer.join(LAYER))?;
    write_layer_texts(&layer)?;
    Ok(())
}

/// The layer's manifest and settings, beside the layer.
fn write_layer_texts(layer: &Path) -> std::io::Result<()> {
    fs::write(layer.join(LAYER_MANIFEST), LAYER_MANIFEST_TEXT)?;
    fs::write(layer.join(LAYER_SETTINGS), LAYER_SETTINGS_TEXT)
}
