//! The command line.

#[cfg(feature = "view")]
use crate::commands::view;
use crate::commands::{
    bench, compare, conformance, devices, hiz, info, layer, report, run, transcode, verify,
};
use clap::{Parser, Subcommand};

/// Turns ASTC, ETC2 and EAC textures into what any GPU samples: exactly, on the GPU.
#[derive(Parser, Debug)]
#[command(name = "texemu", version, after_help = AFTER_HELP)]
pub(crate) struct Program {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 good, 1 something compared is not equal, 2 bad input or usage, 3 no usable device.

Environment: TEXEMU_DEVICE is --device's default; TEXEMU_CACHE_DIR holds compiled pipelines (empty: none are kept);
TEXEMU_LOG is how much is said (error, warn, info, debug).";

/// Each variant shows its arguments' own description.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Devices(devices::Arguments),
    Info(info::Arguments),
    Transcode(Box<transcode::Arguments>),
    Verify(Box<verify::Arguments>),
    Compare(compare::Arguments),
    Report(Box<report::Arguments>),
    Bench(Box<bench::Arguments>),
    Hiz(Box<hiz::Arguments>),
    Run(run::Arguments),
    Layer(layer::Arguments),
    Conformance(conformance::Arguments),
    #[cfg(feature = "view")]
    View(Box<view::Arguments>),
}
