//! `texemu run`.

use crate::commands::layer::library;
use crate::failure::Outcome;
use VkLayer_texemu::{Loading, NAME, SETTINGS, manifest};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";

/// Start a program whose Vulkan devices have ASTC, ETC2 and EAC
///
/// The Vulkan layer is put between the program and its devices. What it is told are its own settings, which
/// `texemu layer` lists; their environment variables work too.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  texemu run -- vulkaninfo
  texemu run --set policy=quality --set statistics_file=/tmp/textures.json -- ./game
  texemu run --set force=true --validation -- ./application --headless")]
pub(crate) struct Arguments {
    /// A setting of the layer
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// Put the Khronos validation layer between the layer and the device
    #[arg(long)]
    validation: bool,
    /// The layer's library [default: where this program finds it]
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// `KEY=VALUE` as environment variable and value.
fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("not KEY=VALUE")?;
    let found = SETTINGS.iter().find(|setting| setting.key == key);
    let keys = || SETTINGS.iter().map(|setting| setting.key).collect::<Vec<_>>().join(", ");
    let found = found.ok_or_else(|| format!("there is no setting {key}; there are {}", keys()))?;
    Ok((found.variable(), value.to_owned()))
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let library = library(arguments.library.as_deref())?;
    let folder = write_manifest(&library)?;
    let Some((program, rest)) = arguments.program.split_first() else { bail!("no program") };
    let mut command = Command::new(program);
    command.args(rest).envs(arguments.settings.iter().cloned());
    for (variable, value) in environment(&folder, arguments.validation, |name| std::env::var_os(name))? {
        command.env(variable, value);
    }
    Err(replace(command)).with_context(|| format!("could not start {}", program.display()))
}

/// Becomes the program: signals, standard streams and the exit code are its own.
#[cfg(unix)]
fn replace(mut command: Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(not(unix))]
fn replace(mut command: Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// The variables that make a loader find the layer and use it.
fn environment(
    folder: &Path,
    validation: bool,
    get: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<(&'static str, OsString)>> {
    // The loader looks at the additional path only where the other is not set.
    let variable = if get("VK_LAYER_PATH").is_some() { "VK_LAYER_PATH" } else { "VK_ADD_LAYER_PATH" };
    let known = get(variable).unwrap_or_default();
    let known: Vec<PathBuf> =
        std::env::split_paths(&known).filter(|path| !path.as_os_str().is_empty()).collect();
    let paths = std::env::join_paths([folder.to_owned()].into_iter().chain(known))
        .context("a folder's name has the list's separator in it")?;
    let mut layers = OsString::from(NAME.to_string_lossy().into_owned());
    if validation {
        layers.push(format!(":{VALIDATION}"));
    }
    if let Some(others) = get("VK_INSTANCE_LAYERS").filter(|others| !others.is_empty()) {
        layers.push(":");
        layers.push(others);
    }
    Ok(vec![(variable, paths), ("VK_INSTANCE_LAYERS", layers)])
}

/// A folder with a manifest that names the library. It outlives this program, which becomes another, and is the same for the
/// same library.
fn write_manifest(library: &Path) -> Result<PathBuf> {
    let name = library.to_str().context("the library's path is not in UTF-8: a manifest cannot name it")?;
    let cache = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = cache("XDG_CACHE_HOME")
        .or_else(|| Some(cache("HOME")?.join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let folder = base.join("texemu/layer").join(format!("{hash:016x}"));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let file = folder.join("VkLayer_texemu.json");
    // Replaced by rename: another program that starts now reads the old one or the new one.
    let half = folder.join(format!("manifest-{}", std::process::id()));
    std::fs::write(&half, manifest(Loading::Explicit, name)).with_context(|| half.display().to_string())?;
    std::fs::rename(&half, &file).with_context(|| file.display().to_string())?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_layers_and_paths_stay() {
        let known = |name: &str| match name {
            "VK_LAYER_PATH" => Some("/a:/b".into()),
            "VK_INSTANCE_LAYERS" => Some("VK_LAYER_OTHER".into()),
            _ => None,
        };
        let got = environment(Path::new("/own"), true, known).expect("plain names");
        let layers = format!("{}:{VALIDATION}:VK_LAYER_OTHER", NAME.to_string_lossy());
        assert_eq!(got, [("VK_LAYER_PATH", "/own:/a:/b".into()), ("VK_INSTANCE_LAYERS", layers.into())]);
        let got = environment(Path::new("/own"), false, |_| None).expect("plain names");
        assert_eq!(got[0], ("VK_ADD_LAYER_PATH", "/own".into()));
        assert_eq!(got[1].1, NAME.to_string_lossy().into_owned().as_str());
    }

    #[test]
    fn settings_are_the_layers_own() {
        let pair = setting("policy=quality").expect("a setting");
        assert_eq!(pair, ("TEXEMU_POLICY".to_owned(), "quality".to_owned()));
        assert!(setting("polic=quality").is_err_and(|error| error.contains("policy")));
        assert!(setting("policy").is_err());
    }
}
