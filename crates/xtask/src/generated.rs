//! `cargo xtask header` and `cargo xtask spirv`: files that are made from others and committed.

use anyhow::Result;

use crate::options::Options;
use crate::process::{cargo, line, run};

/// A file that a test makes and compares; with `TEXEMU_WRITE` set it writes it.
pub(crate) struct Generated {
    package: &'static str,
    test: &'static str,
    name: &'static str,
}

/// `crates/capi/include/texemu.h`.
pub(crate) const HEADER: Generated =
    Generated { package: "texemu-capi", test: "capi", name: "the_header_is_what_the_sources_say" };

/// `glsl/prebuilt/kernels.zst`.
pub(crate) const SPIRV: Generated = Generated {
    package: "texemu-shaders",
    test: "prebuilt",
    name: "the_shipped_spirv_is_that_of_the_sources",
};

/// Writes the file, or with `--check` compares it.
pub(crate) fn make(what: &Generated, options: &Options) -> Result<bool> {
    let mut command = cargo();
    command.args(["test", "--package", what.package, "--test", what.test, "--", "--exact"]);
    command.arg(format!("{}{}", what.module(), what.name));
    command.env_remove("TEXEMU_WRITE");
    // The SPIR-V of another shaderc may differ; whoever asks has the one that made it.
    command.env(if options.check { "TEXEMU_EXACT_SPIRV" } else { "TEXEMU_WRITE" }, "1");
    if options.dry_run {
        println!("Would run:\n  {}", line(&command));
        return Ok(true);
    }
    run(&mut command)
}

impl Generated {
    /// Where the test lies in its file.
    fn module(&self) -> &'static str {
        if self.test == "capi" { "header::" } else { "" }
    }
}
