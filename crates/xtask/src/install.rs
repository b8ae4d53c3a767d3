//! Bringing the machine to what a purpose needs.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};

use crate::options::Options;
use crate::plan::{Plan, Purpose, Step, plan};
use crate::probe::Files;
use crate::requirement::Requirement;
use crate::swiftshader;

/// Installs what is missing, saying so first. Never calls the package manager if nothing is missing.
pub(crate) fn prepare(purpose: Purpose, options: &Options) -> Result<()> {
    let machine = Files::below(&options.root).machine();
    match plan(purpose, &machine) {
        Plan::Ready => {
            println!("Everything that is needed is installed.");
            for requirement in purpose.requirements() {
                if !machine.present.contains(&requirement) {
                    println!("  left out: {} (it cannot be installed from here)", requirement.purpose());
                }
            }
            Ok(())
        }
        Plan::Stuck { missing, reason, advice } => {
            say_missing(&missing);
            bail!("{reason}. Install what is missing, then run this again:\n\n    {advice}\n")
        }
        Plan::Install { missing, steps, advice } => {
            say_missing(&missing);
            println!("To be run:");
            for step in &steps {
                println!("  {step}");
            }
            if options.dry_run {
                return Ok(());
            }
            if options.no_install {
                bail!("something is missing and --no-install was given");
            }
            for step in &steps {
                carry_out(step).map_err(|error| anyhow!("{error:#}\n\nTo install by hand, {advice}"))?;
            }
            check(purpose)
        }
    }
}

fn say_missing(missing: &[Requirement]) {
    println!("Missing:");
    for requirement in missing {
        println!("  {}", requirement.purpose());
    }
}

fn carry_out(step: &Step) -> Result<()> {
    match step {
        Step::Command(words) => {
            println!("\n$ {step}");
            let (program, arguments) = words.split_first().context("a step is never empty")?;
            let mut command = Command::new(program);
            command.args(arguments);
            if program != "sudo" {
                command.stdin(Stdio::null());
            }
            let status = command.status().with_context(|| format!("could not start `{program}`"))?;
            if !status.success() {
                bail!("`{step}` failed");
            }
            Ok(())
        }
        Step::UnpackSwiftShader => swiftshader::unpack().context("could not get SwiftShader"),
    }
}

/// What the package manager said is not enough: the files have to be there.
fn check(purpose: Purpose) -> Result<()> {
    let machine = Files::below(Path::new("/")).machine();
    match plan(purpose, &machine) {
        Plan::Ready => {
            println!("\nEverything that is needed is installed now.");
            Ok(())
        }
        Plan::Install { missing, .. } | Plan::Stuck { missing, .. } => {
            say_missing(&missing);
            bail!("still missing after the installation")
        }
    }
}
