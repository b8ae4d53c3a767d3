//! The project's own commands: `cargo xtask demo | test | ci | bench | setup | fixtures | header | spirv | install`.
//!
//! This crate builds with nothing but Rust, so that it can install what the rest needs: it depends on no
//! crate of the workspace and drives `cargo` and the built program as a person would.

mod bench;
mod ci;
mod demo;
mod digest;
mod environment;
mod fixtures;
mod generated;
mod install;
mod layer;
mod options;
mod package;
mod plan;
mod probe;
mod process;
mod requirement;
mod swiftshader;
mod system;
mod table;
mod tally;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use options::{Command, Options};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the command did what it is for; a test that failed is `Ok(false)`.
fn run(options: &Options) -> Result<bool> {
    match options.command {
        Command::Help => {
            println!("{}", options::USAGE);
            Ok(true)
        }
        Command::Setup => install::prepare(plan::Purpose::Test, options).map(|_| true),
        Command::Demo => demo::run(options),
        Command::Test => test::run(options),
        Command::Ci => ci::run(options),
        Command::Bench => bench::run(options),
        Command::Fixtures => fixtures::run(options),
        Command::Header => generated::make(&generated::HEADER, options),
        Command::Spirv => generated::make(&generated::SPIRV, options),
        Command::Install => package::install(options),
    }
}
