//! Running other programs.

use std::env;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// cargo, in the workspace's root, without what `cargo run` set for this process alone: left in place
/// those variables would differ between a call from here and one from a shell, and rebuild crates.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root());
    for (name, _) in env::vars_os() {
        let is_cargos = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "CARGO_BIN_NAME"
        });
        if is_cargos {
            command.env_remove(name);
        }
    }
    command
}

/// The command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let name = std::path::Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Says what is run, runs it, and tells whether it exited with 0.
pub(crate) fn run(command: &mut Command) -> Result<bool> {
    println!("\n$ {}", line(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("could not start `{}`", line(command)))?;
    Ok(status.success())
}

/// [`run`], with an error unless it exited with 0.
pub(crate) fn run_or_fail(command: &mut Command) -> Result<()> {
    if !run(command)? {
        bail!("`{}` failed", line(command));
    }
    Ok(())
}
