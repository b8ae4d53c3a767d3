//! The commands, a file each.

pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod conformance;
pub(crate) mod devices;
pub(crate) mod hiz;
pub(crate) mod info;
pub(crate) mod layer;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod transcode;
pub(crate) mod verify;
#[cfg(feature = "view")]
pub(crate) mod view;

use crate::arguments::Command;
use crate::failure::Outcome;
use anyhow::Result;

/// Runs one.
pub(crate) fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Transcode(arguments) => transcode::run(&arguments),
        Command::Hiz(arguments) => hiz::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Layer(arguments) => layer::run(&arguments),
        #[cfg(feature = "view")]
        Command::View(arguments) => view::run(&arguments),
    }
}
