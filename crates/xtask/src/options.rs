//! The command line.

use std::path::PathBuf;

use anyhow::{Result, bail};

/// What `cargo xtask help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo xtask COMMAND [OPTION...] [-- ARGUMENT...]

  demo       transcode the project's own small textures to PNG and show what happened
  test       run every test, on lavapipe and on SwiftShader, under Vulkan validation
  ci         what continuous integration runs: format, clippy, documentation, test
  bench      time every kernel (arguments after -- go to `texemu bench`)
  setup      install what `test` needs, and nothing else
  fixtures   draw and encode the pictures of tests/data again (needs astcenc)
  header     write crates/capi/include/texemu.h again from the sources; with --check, compare it
  spirv      write glsl/prebuilt/kernels.zst again from the shaders; with --check, compare it
  install    build the C library, the Vulkan layer and the program, and install them with header, texemu.pc and
             manifests below --prefix DIR

options
  --dry-run         say what is missing and what would be run, and do nothing
  --no-install      never call the package manager: fail if something is missing
  --icd PATH        run the first pass on this Vulkan driver manifest; `system` leaves the choice to
                    the Vulkan loader (default: lavapipe)
  --no-swiftshader  leave out the second pass of `test`
  --check           of `header` and `spirv`: change nothing, fail if the file is old
  --prefix DIR      of `install`: where to
  --libraries DIR   of `install`: where the built libraries lie, in place of building them
  --root DIR        with --dry-run: look for installed files below DIR instead of /";

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Demo,
    Test,
    Ci,
    Bench,
    Setup,
    Fixtures,
    Header,
    Spirv,
    Install,
}

/// Which Vulkan driver the first pass runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Icd {
    Lavapipe,
    System,
    Manifest(PathBuf),
}

/// The command and its switches.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) command: Command,
    pub(crate) dry_run: bool,
    pub(crate) no_install: bool,
    pub(crate) icd: Icd,
    pub(crate) swiftshader: bool,
    pub(crate) root: PathBuf,
    /// Of generated files: compare, do not write.
    pub(crate) check: bool,
    pub(crate) prefix: Option<PathBuf>,
    pub(crate) libraries: Option<PathBuf>,
    /// Handed on as they are.
    pub(crate) arguments: Vec<String>,
}

impl Options {
    /// Reads the arguments after `cargo xtask`.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut arguments = arguments.into_iter();
        let command = match arguments.next().as_deref() {
            None => bail!("no command"),
            Some("help" | "--help" | "-h") => Command::Help,
            Some("demo") => Command::Demo,
            Some("test") => Command::Test,
            Some("ci") => Command::Ci,
            Some("bench") => Command::Bench,
            Some("setup") => Command::Setup,
            Some("fixtures") => Command::Fixtures,
            Some("header") => Command::Header,
            Some("spirv") => Command::Spirv,
            Some("install") => Command::Install,
            Some(other) => bail!("unknown command `{other}`"),
        };
        let mut options = Self {
            command,
            dry_run: false,
            no_install: false,
            icd: Icd::Lavapipe,
            swiftshader: true,
            root: PathBuf::from("/"),
            check: false,
            prefix: None,
            libraries: None,
            arguments: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--help" | "-h" => options.command = Command::Help,
                "--dry-run" => options.dry_run = true,
                "--no-install" => options.no_install = true,
                "--no-swiftshader" => options.swiftshader = false,
                "--check" => options.check = true,
                "--prefix" | "--libraries" => {
                    let Some(value) = arguments.next() else { bail!("{argument} needs a value") };
                    let slot =
                        if argument == "--prefix" { &mut options.prefix } else { &mut options.libraries };
                    *slot = Some(PathBuf::from(value));
                }
                "--icd" => {
                    let Some(value) = arguments.next() else { bail!("--icd needs a value") };
                    options.icd = match value.as_str() {
                        "system" => Icd::System,
                        "lavapipe" => Icd::Lavapipe,
                        path => Icd::Manifest(PathBuf::from(path)),
                    };
                }
                "--root" => {
                    let Some(value) = arguments.next() else { bail!("--root needs a value") };
                    options.root = PathBuf::from(value);
                }
                "--" => options.arguments.extend(arguments.by_ref()),
                other => bail!("unknown option `{other}`"),
            }
        }
        if !options.dry_run && options.root.as_os_str() != "/" {
            bail!("--root is for --dry-run only");
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn switches_and_arguments_are_told_apart() {
        let options = parse("bench --dry-run --icd /x.json -- --size 64").unwrap();
        assert_eq!(options.command, Command::Bench, "the first word is the command");
        assert!(options.dry_run, "--dry-run was given");
        assert_eq!(options.icd, Icd::Manifest("/x.json".into()), "a path names a manifest");
        assert_eq!(options.arguments, ["--size", "64"], "what follows -- is handed on");
    }

    #[test]
    fn mistakes_are_refused() {
        for line in ["", "frobnicate", "test --icd", "test --colour", "demo --root /tmp"] {
            assert!(parse(line).is_err(), "`{line}` must be refused");
        }
    }
}
