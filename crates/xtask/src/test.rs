//! `cargo xtask test`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::environment::Driver;
use crate::install;
use crate::options::Options;
use crate::plan::Purpose;
use crate::process::{cargo, line};
use crate::swiftshader::Tools;
use crate::tally::Tally;

/// The packages whose tests run on a GPU: they run again on the second driver.
const ON_A_GPU: [&str; 5] = ["texemu-shaders", "texemu-core", "texemu-transcode", "texemu-hiz", "texemu-cli"];

/// Installs what is missing, runs every test and closes with one plain line of counts.
pub(crate) fn run(options: &Options) -> Result<bool> {
    install::prepare(Purpose::Test, options)?;

    let mut all = cargo();
    all.args(["test", "--workspace", "--no-fail-fast"]);
    all.args(&options.arguments);
    let mut second = cargo();
    second.args(["test", "--tests", "--no-fail-fast"]);
    for package in ON_A_GPU {
        second.args(["--package", package]);
    }
    second.args(&options.arguments);

    if options.dry_run {
        println!("Then:\n  {}\n  {}  (on SwiftShader)", line(&all), line(&second));
        return Ok(true);
    }

    let mut total = Tally::default();
    let mut good = pass(&mut all, &Driver::first(&options.icd)?, &mut total)?;
    match Tools::find() {
        Some(tools) if options.swiftshader => {
            good &= pass(&mut second, &Driver::swiftshader(tools), &mut total)?;
        }
        Some(_) => println!("\nThe SwiftShader pass was left out: --no-swiftshader was given."),
        None => println!("\nThe SwiftShader pass was left out: this system has no package of it."),
    }
    println!("\n{total}");
    Ok(good && total.failed == 0 && total.passed > 0)
}

/// Runs `command` on `driver`, passing its output on and adding up its closing lines.
fn pass(command: &mut Command, driver: &Driver, total: &mut Tally) -> Result<bool> {
    println!("\n$ {}  (on {})", line(command), driver.name());
    driver.apply(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("could not start `{}`", line(command)))?;
    let output = BufReader::new(child.stdout.take().context("cargo has no output")?);
    let mut out = std::io::stdout().lock();
    for text in output.split(b'\n') {
        let text = text?;
        out.write_all(&text)?;
        out.write_all(b"\n")?;
        if let Some(tally) = Tally::from_line(&String::from_utf8_lossy(&text)) {
            *total += tally;
        }
    }
    Ok(child.wait()?.success())
}
