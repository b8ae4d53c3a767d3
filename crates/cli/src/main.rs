//! The `texemu` program: transcodes textures that a GPU does not know, and shows that it does so exactly and fast.

mod alpha;
mod arguments;
mod bands;
mod bc;
mod commands;
mod engine;
mod failure;
mod findings;
mod images;
mod input;
mod interrupt;
mod output;
mod part;
mod progress;
mod table;
mod target;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::new()
        .filter_level(log::LevelFilter::Warn)
        .parse_env("TEXEMU_LOG")
        .format(|out, record| {
            use std::io::Write;
            writeln!(out, "texemu: {}: {}", record.level().as_str().to_lowercase(), record.args())
        })
        .init();
    let program = arguments::Program::parse();
    interrupt::watch();
    match commands::run(program.command) {
        Ok(outcome) => outcome.into(),
        Err(error) => failure::report(&error),
    }
}
