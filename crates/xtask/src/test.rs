//! `cargo xtask test`.

use std::collections::BTreeMap;
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

/// Installs what is missing, runs every test and closes with one plain line of counts.
pub(crate) fn run(options: &Options) -> Result<bool> {
    install::prepare(Purpose::Test, options)?;

    let (for_cargo, for_tests) = split(&options.arguments);
    let chosen =
        for_cargo.iter().any(|argument| argument.starts_with("-p") || argument.starts_with("--package"));
    let mut all = cargo();
    all.args(["test", "--no-fail-fast"]);
    let mut second = cargo();
    second.args(["test", "--no-fail-fast", "--tests"]);
    for command in [&mut all, &mut second] {
        if !chosen {
            // Both passes name the same packages. Cargo unites features over those it is given, so that another
            // choice would compile half of them again, which takes longer than the tests that need no GPU.
            command.arg("--workspace");
        }
        command.args(for_cargo);
        // What a passing test prints is kept from the screen, and with it the reason why it skipped a part.
        command.args(["--", "--show-output"]).args(for_tests);
    }

    if options.dry_run {
        println!("Then:\n  {}\n  {}  (on SwiftShader)", line(&all), line(&second));
        return Ok(true);
    }

    let mut report = Report::default();
    let mut good = pass(&mut all, &Driver::first(&options.icd)?, &mut report)?;
    match Tools::find() {
        Some(tools) if options.swiftshader => {
            good &= pass(&mut second, &Driver::swiftshader(tools), &mut report)?;
        }
        Some(_) => println!("\nThe SwiftShader pass was left out: --no-swiftshader was given."),
        None => println!("\nThe SwiftShader pass was left out: this system has no package of it."),
    }
    if !report.skips.is_empty() {
        println!("\nParts of tests that were skipped, and why:");
        for (reason, times) in &report.skips {
            println!("  {reason} ({times}x)");
        }
    }
    let total = report.total;
    println!("\n{total}");
    Ok(good && total.failed == 0 && total.passed > 0)
}

/// What all passes together came to.
#[derive(Default)]
struct Report {
    total: Tally,
    /// How often each reason was given by a test that left something out.
    skips: BTreeMap<String, u32>,
}

impl Report {
    fn read(&mut self, line: &str) {
        if let Some(tally) = Tally::from_line(line) {
            self.total += tally;
        } else if let Some(reason) = line.strip_prefix("skipped: ") {
            *self.skips.entry(reason.trim().to_owned()).or_default() += 1;
        }
    }
}

/// What `cargo test` itself takes, and what it hands to the test binaries.
fn split(arguments: &[String]) -> (&[String], &[String]) {
    match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[]),
    }
}

/// Runs `command` on `driver`, passing its output on and reading it.
fn pass(command: &mut Command, driver: &Driver, report: &mut Report) -> Result<bool> {
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
        report.read(&String::from_utf8_lossy(&text));
    }
    Ok(child.wait()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parted_between_cargo_and_the_tests() {
        let arguments = ["-p", "x", "--", "name"].map(str::to_owned);
        assert_eq!(
            split(&arguments),
            (&arguments[..2], &arguments[3..]),
            "what stands after -- is for the tests"
        );
        assert_eq!(split(&arguments[..2]), (&arguments[..2], &[][..]), "without -- all is for cargo");
    }

    #[test]
    fn reasons_for_skipping_are_kept() {
        let mut report = Report::default();
        for line in ["skipped: no device", "test a ... ok", "skipped: no device"] {
            report.read(line);
        }
        assert_eq!(report.skips, BTreeMap::from([("no device".to_owned(), 2)]), "one reason, twice");
    }
}
