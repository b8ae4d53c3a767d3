//! `texemu layer`, and where the layer's library is.

use crate::failure::Outcome;
use crate::table;
use VkLayer_texemu::{LIBRARY, Loading, NAME, SETTINGS, Settings, manifest};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Print the Vulkan layer's manifest and its settings
///
/// Without options: where its library is, and every setting with its environment variable, its key in
/// vk_layer_settings.txt and its default.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  texemu layer
  texemu layer --manifest explicit > ~/.local/share/vulkan/explicit_layer.d/VkLayer_texemu.json
  texemu layer --settings-file > vk_layer_settings.txt")]
pub(crate) struct Arguments {
    /// Print a manifest for the loader: explicit (an application or VK_INSTANCE_LAYERS asks for the layer) or implicit
    /// (TEXEMU_ENABLE_LAYER=1 does)
    #[arg(long, value_enum, value_name = "KIND")]
    manifest: Option<Kind>,
    /// Print a settings file with all defaults
    #[arg(long, conflicts_with = "manifest")]
    settings_file: bool,
    /// The library that the manifest names [default: where this program finds it]
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Explicit,
    Implicit,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let named = arguments.library.as_deref();
    let text = match arguments.manifest {
        Some(kind) => {
            let loading = if kind == Kind::Explicit { Loading::Explicit } else { Loading::Implicit };
            // A path that was given may be relative to the manifest, and need not be there yet.
            let library = match named {
                Some(path) => path.to_owned(),
                None => library(None)?,
            };
            manifest(loading, text(&library)?)
        }
        None if arguments.settings_file => settings_file(),
        None => overview(named),
    };
    table::print(text.trim_end())?;
    Ok(Outcome::Good)
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not in UTF-8: a manifest cannot name it", path.display()))
}

fn overview(named: Option<&Path>) -> String {
    let library = match library(named) {
        Ok(path) => path.display().to_string(),
        Err(error) => format!("{error:#}"),
    };
    let rows: Vec<Vec<String>> = SETTINGS
        .iter()
        .map(|setting| {
            let kind = if setting.values.is_empty() {
                setting.kind.to_lowercase()
            } else {
                setting.values.join("|")
            };
            let default = if setting.default.is_empty() { "-" } else { setting.default };
            vec![setting.key.to_owned(), setting.variable(), kind, default.to_owned()]
        })
        .collect();
    let descriptions: Vec<String> =
        SETTINGS.iter().map(|setting| format!("{}: {}", setting.key, setting.description)).collect();
    format!(
        "layer    {}\nlibrary  {library}\nkeys in vk_layer_settings.txt start with {}\n\n{}\n\n{}",
        NAME.to_string_lossy(),
        Settings::PREFIX,
        table::render(&["setting", "variable", "type", "default"], &rows),
        descriptions.join("\n")
    )
}

fn settings_file() -> String {
    let entries = SETTINGS.iter().map(|setting| {
        format!("# {}\n{}{} = {}\n", setting.description, Settings::PREFIX, setting.key, setting.default)
    });
    entries.collect::<Vec<_>>().join("\n")
}

/// The layer's library: the given one, or that beside this program, or in the `lib` folder of the same prefix.
pub(crate) fn library(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = named {
        if !path.is_file() {
            bail!("{} is not there", path.display());
        }
        return std::path::absolute(path).with_context(|| path.display().to_string());
    }
    let program = std::env::current_exe().context("where this program is")?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places =
        [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY), folder.join("deps").join(LIBRARY)];
    match places.iter().find(|path| path.is_file()) {
        Some(path) => path.canonicalize().with_context(|| path.display().to_string()),
        None => {
            let looked: Vec<String> = places.iter().map(|path| path.display().to_string()).collect();
            bail!(
                "{LIBRARY} is at none of {}: build it with `cargo build -p texemu-layer`, or name it with --library",
                looked.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settings_file_of_defaults_has_every_key() {
        let text = settings_file();
        for setting in SETTINGS {
            let line = format!("{}{} = {}", Settings::PREFIX, setting.key, setting.default);
            assert!(text.lines().any(|other| other == line), "{line}");
        }
    }

    #[test]
    fn a_library_that_is_not_there_is_an_error() {
        let error = library(Some(Path::new("/nowhere/libVkLayer_texemu.so"))).expect_err("not there");
        assert!(error.to_string().contains("/nowhere/"), "{error}");
    }
}
