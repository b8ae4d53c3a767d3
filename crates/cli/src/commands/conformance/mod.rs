//! `texemu conformance`: every kernel against its CPU twin, on blocks and shapes made to be awkward.

mod expected;
mod plan;
mod report;
mod runner;
mod scenario;

use crate::engine::DeviceArguments;
use crate::failure::Outcome;
use crate::interrupt;
use crate::output::check_place;
use crate::progress;
use anyhow::{Result, bail};
use report::GroupResult;
use runner::Runner;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  texemu conformance --validation
  texemu conformance --full --junit results.xml
  texemu conformance --only 'astc 6x6 bc7' --device llvmpipe";

/// Hold every kernel to its CPU twin, bit for bit
///
/// Every source format, target, granularity and source, on generated legal, random and illegal blocks, and on awkward
/// sizes, offsets, levels, layers and slices. Texels outside the regions must not change. Exit code 1 if one bit is wrong.
///
/// --quick, the default, runs every kernel of ASTC to 8-bit channels with some footprint, every footprint of that with some
/// kernel, and some kernels of each other pair of codecs. --full runs all kernels with all formats.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Some kernels of each pair of codecs: the default
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Every kernel with every format, on more blocks
    #[arg(long)]
    full: bool,
    /// Blocks of each class (legal, random, illegal) a kernel; 150, or 3000 with --full
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    blocks: Option<u32>,
    /// Where the generated blocks start: another number, other blocks
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only groups whose name holds all these words, upper or lower case
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the results as JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    for path in [&arguments.json, &arguments.junit].into_iter().flatten() {
        check_place(path)?;
    }
    let start = Instant::now();
    let gpu = arguments.device.open()?;
    let log = gpu.validation_log();
    let groups = plan::groups(&gpu, arguments.full, arguments.only.as_deref())?;
    if groups.is_empty() {
        bail!("no group matches; a name is for instance 'ASTC_6x6_UNORM_BLOCK -> R8G8B8A8_UNORM'");
    }
    report::head(&gpu, arguments.full)?;
    let blocks = arguments.blocks.unwrap_or(if arguments.full { 3000 } else { 150 });
    let limits = &gpu.capabilities().limits;
    let columns = limits.max_image_dimension2_d.min(limits.max_image_dimension3_d) / LARGEST_FOOTPRINT - 1;
    let most = columns.saturating_mul(columns);
    if blocks > most {
        bail!("--blocks {blocks}: an image of {} holds {most} of the largest", gpu.capabilities().info.name);
    }
    let mut runner = Runner::new(&gpu, blocks, arguments.seed)?;
    let bar = progress::items(groups.len());
    let mut results: Vec<GroupResult> = Vec::new();
    for group in groups {
        bar.set_message(group.name());
        let before = log.count();
        let mut result = GroupResult::new(group);
        if result.group.skipped.is_none() {
            for kernel in result.group.kernels.clone() {
                interrupt::check()?;
                let outcome = runner.run(&result.group, &kernel)?;
                result.add(kernel, outcome);
            }
        }
        result.messages = log.count() - before;
        bar.suspend(|| report::line(&result, arguments.device.validation))?;
        results.push(result);
        bar.inc(1);
    }
    bar.finish_and_clear();
    report::summary(&results, arguments.device.validation, start.elapsed())?;
    if let Some(path) = &arguments.json {
        report::save_json(path, &gpu, &results)?;
    }
    if let Some(path) = &arguments.junit {
        report::save_junit(path, &gpu, &results)?;
    }
    Ok(Outcome::of(results.iter().all(GroupResult::is_good)))
}

/// Texels on a side.
const LARGEST_FOOTPRINT: u32 = 12;
