//! `cargo xtask bench`.

use std::process::Command;

use anyhow::Result;

use crate::environment::Driver;
use crate::install;
use crate::options::{Icd, Options};
use crate::plan::Purpose;
use crate::process::{self, cargo, run_or_fail};
use crate::workspace;

/// Builds the program for speed and runs its benchmark, on the device the Vulkan loader offers first.
pub(crate) fn run(options: &Options) -> Result<bool> {
    install::prepare(Purpose::Run, options)?;
    if options.dry_run {
        println!("Then:\n  texemu bench {}", options.arguments.join(" "));
        return Ok(true);
    }
    run_or_fail(cargo().args(["build", "--release", "--package", "texemu-cli"]))?;
    let mut bench = Command::new(workspace::program());
    bench.arg("bench").args(&options.arguments);
    // A benchmark is about the machine's own GPU, so lavapipe is not put in its way unless asked for.
    if let Icd::Manifest(_) = options.icd {
        Driver::first(&options.icd)?.apply(&mut bench);
    }
    process::run(&mut bench)
}
