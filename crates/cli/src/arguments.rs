//! The command line.

use crate::commands::{bench, compare, conformance, devices, info, layer, run, transcode, verify};
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

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List the devices, and what each does with every source format
    Devices(devices::Arguments),
    /// Say what files hold
    Info(info::Arguments),
    /// Turn textures into another format
    Transcode(Box<transcode::Arguments>),
    /// Compare what the GPU makes of files with what the CPU twins make of them
    Verify(Box<verify::Arguments>),
    /// Say how far two textures are apart
    Compare(compare::Arguments),
    /// Time every kernel beside a copy kernel
    Bench(Box<bench::Arguments>),
    /// Start a program whose Vulkan devices have ASTC, ETC2 and EAC
    Run(run::Arguments),
    /// Print the Vulkan layer's manifest and its settings
    Layer(layer::Arguments),
    /// Hold every kernel to its CPU twin, bit for bit
    Conformance(conformance::Arguments),
}
