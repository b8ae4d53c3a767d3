//! The environment that tests and the demo run in.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::options::Icd;
use crate::probe::Files;
use crate::swiftshader::Tools;
use crate::workspace;

/// A Vulkan driver and the validation layer to go with it.
pub(crate) struct Driver {
    name: &'static str,
    icd: Option<PathBuf>,
    layer: Option<Tools>,
}

impl Driver {
    /// The one that `--icd` asks for, with the system's validation layer.
    pub(crate) fn first(icd: &Icd) -> Result<Self> {
        let (name, icd) = match icd {
            Icd::System => ("system", None),
            Icd::Manifest(path) => {
                let path =
                    path.canonicalize().with_context(|| format!("no manifest at {}", path.display()))?;
                ("manifest", Some(path))
            }
            Icd::Lavapipe if cfg!(target_os = "linux") => {
                let found = Files::below("/".as_ref()).lavapipe();
                ("lavapipe", Some(found.context("lavapipe's driver manifest was not found")?))
            }
            Icd::Lavapipe => ("system", None),
        };
        Ok(Self { name, icd, layer: None })
    }

    /// SwiftShader, with the validation layer that came with it.
    pub(crate) fn swiftshader(tools: Tools) -> Self {
        Self { name: "swiftshader", icd: Some(tools.icd()), layer: Some(tools) }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Makes `command` and what it starts see this driver alone.
    pub(crate) fn apply(&self, command: &mut Command) {
        if let Some(icd) = &self.icd {
            // The newer name wins over the older where both are set, and old loaders know only the older.
            command
                .env("VK_ICD_FILENAMES", icd)
                .env_remove("VK_DRIVER_FILES")
                .env_remove("VK_ADD_DRIVER_FILES");
        }
        if let Some(tools) = &self.layer {
            command
                .env("VK_LAYER_PATH", tools.layer_dir())
                .env("VK_LAYER_SETTINGS_PATH", tools.layer_settings());
        }
        if let Some(tools) = Tools::find() {
            command.env("TEXEMU_SWIFTSHADER_ICD", tools.icd());
        }
        let shared = workspace::root().join("../shared");
        if std::env::var_os("TEXEMU_SHARED").is_none()
            && let Ok(shared) = shared.canonicalize()
        {
            command.env("TEXEMU_SHARED", shared);
        }
    }
}
