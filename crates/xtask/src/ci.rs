//! `cargo xtask ci`.

use std::time::Instant;

use anyhow::Result;

use crate::install;
use crate::options::Options;
use crate::plan::Purpose;
use crate::process::{cargo, line, run_or_fail};
use crate::test;

/// Format, lints, documentation, then the tests: what is quick to fail goes first, and the tests' plain
/// line of counts is the last one.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let mut format = cargo();
    format.args(["fmt", "--all", "--", "--check"]);
    let mut clippy = cargo();
    clippy.args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    let mut doc = cargo();
    doc.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");

    if options.dry_run {
        println!("First:\n  {}\n  {}\n  {}", line(&format), line(&clippy), line(&doc));
        return test::run(options);
    }
    run_or_fail(&mut format)?;
    // The lints and the documentation need the compiled shaders.
    install::prepare(Purpose::Test, options)?;
    for step in [&mut clippy, &mut doc] {
        let start = Instant::now();
        run_or_fail(step)?;
        println!("took {} s", start.elapsed().as_secs());
    }
    let start = Instant::now();
    let good = test::run(options);
    eprintln!("the tests took {} s", start.elapsed().as_secs());
    good
}
