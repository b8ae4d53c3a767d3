//! `texemu bench`: every kernel beside a copy kernel.

mod configuration;
mod hiz;
mod plot;
mod report;
mod rows;
mod sample;
mod scene;
mod work;

use crate::engine::DeviceArguments;
use crate::failure::Outcome;
use crate::input::Profile;
use crate::interrupt;
use crate::output::{check_place, save};
use crate::progress;
use crate::table;
use anyhow::{Result, bail};
use sample::Bench;
use serde_json::Value;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  texemu bench
  texemu bench --only '6x6 unorm rgba8' --granularity all
  texemu bench --input photo_6x6.astc --size 4096 --json new.json --compare old.json
  texemu bench --only 'astc 8x8 unorm rgba8' --tune --stats
  texemu bench --work large --only 'unorm rgba8' --granularity all --plot speeds.svg
  texemu bench hiz --size 1920x1080 --stats";

/// Time every kernel beside a copy kernel, on the device's own clock
///
/// Each row alternates between the kernel and a kernel that only copies as many bytes as the kernel reads and writes;
/// \"of copy\" is the kernel's speed in per cent of that copy's. Rows rotate between several sources and images, so that
/// large ones do not run from cache; small ones do. A work is NxN for one image, chain N for all levels of one image,
/// and C x NxN for C images recorded together. BC targets have a row through a buffer of blocks and a copy, which is
/// counted, and one that stores blocks straight into the image where the device can.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    other: Option<Other>,
    /// Texels in width and height of the large images; 4096, or 512 on a CPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    size: Option<u32>,
    /// Timed runs a row; 30, or 5 on a CPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,
    /// Only rows whose name holds all these words, upper or lower case
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Use the blocks of this file, repeated as needed, instead of generated legal ones; may be given again
    #[arg(long, value_name = "FILE")]
    input: Vec<PathBuf>,
    #[command(flatten)]
    profile: Profile,
    /// Which granularities have a row
    #[arg(long, value_enum, default_values_t = [rows::GranularityRows::Auto])]
    granularity: Vec<rows::GranularityRows>,
    /// Which sources have a row
    #[arg(long, value_enum, default_values_t = [rows::SourceRows::TexelBuffer])]
    source: Vec<rows::SourceRows>,
    /// Which works have a row: the large image alone, or also chains, small images and many together
    #[arg(long, value_enum, default_value_t = rows::WorkRows::All)]
    work: rows::WorkRows,
    /// Rows for chains and small images of sRGB formats too, whose kernels differ by a constant; without it they have one
    /// for the large image alone
    #[arg(long)]
    srgb_rows: bool,
    /// Rows for this configuration too, written as the listing does: 'block 64', 'tile 32/128 2,1 words'; may be given again
    #[arg(long = "configuration", value_name = "CONFIGURATION", value_parser = configuration::parse_configuration)]
    configurations: Vec<texemu_transcode::Configuration>,
    /// Only list the rows that would be timed
    #[arg(long)]
    list: bool,
    /// Time every configuration of every kernel, and list them from fast to slow
    #[arg(long)]
    tune: bool,
    /// Show what the driver says of each pipeline: registers, spills, shared memory
    #[arg(long)]
    stats: bool,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw the results as bars, in per cent of the copy's rate: an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Plot or compare what --json wrote earlier, and measure nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "tune", "list", "input"])]
    from: Option<PathBuf>,
    /// Print how the results relate to those that --json wrote earlier
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArguments,
}

/// What else can be timed.
#[derive(clap::Subcommand, Debug)]
enum Other {
    Hiz(hiz::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(Other::Hiz(arguments)) = &arguments.other {
        return hiz::run(arguments);
    }
    for path in [&arguments.json, &arguments.plot].into_iter().flatten() {
        check_place(path)?;
    }
    let old = arguments.compare.as_deref().map(report::load).transpose()?;
    if let Some(path) = &arguments.from {
        return finish(arguments, old, &report::load(path)?);
    }
    let gpu = arguments.device.open()?;
    if !gpu.capabilities().timestamps {
        bail!("{} has no valid timestamps on its compute queue", gpu.capabilities().info.name);
    }
    let is_cpu = gpu.capabilities().is_cpu();
    let size = arguments.size.unwrap_or(if is_cpu { 512 } else { 4096 });
    let runs = arguments.runs.unwrap_or(if is_cpu { 5 } else { 30 });
    let limits = &gpu.capabilities().limits;
    let widest = limits.max_image_dimension2_d;
    if size > widest {
        bail!("--size {size}: images of {} have {widest} texels at most", gpu.capabilities().info.name);
    }
    let most = limits.max_compute_work_group_invocations;
    if let Some(large) = arguments.configurations.iter().find(|configuration| configuration.threads > most) {
        let name = configuration::configuration_name(large);
        bail!("--configuration '{name}': workgroups of the device have {most} invocations at most");
    }
    let rows = rows::rows(arguments, &gpu, size)?;
    if rows.is_empty() {
        bail!("no row matches; `texemu bench --help` says how rows are chosen");
    }
    if arguments.list {
        return rows.iter().try_for_each(|row| table::print(&row.name)).map(|()| Outcome::Good);
    }
    report::head(&gpu, size, runs)?;
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    if !arguments.tune {
        report::header(width)?;
    }
    let bar = progress::items(rows.len());
    let mut bench = Bench::new(&gpu, runs)?;
    let mut results = Vec::new();
    for row in rows {
        interrupt::check()?;
        bar.set_message(row.name.clone());
        let result = bench.measure(row)?;
        if !arguments.tune {
            bar.suspend(|| report::line(&result, width, arguments.stats))?;
        }
        results.push(result);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if arguments.tune {
        report::tuned(&mut results, arguments.stats)?;
    }
    let document = report::document(&gpu, size, runs, &results);
    if let Some(path) = &arguments.json {
        save(path, &serde_json::to_string_pretty(&document)?)?;
    }
    finish(arguments, old, &document)
}

/// What is made of the results.
fn finish(arguments: &Arguments, old: Option<Value>, document: &Value) -> Result<Outcome> {
    if let Some(path) = &arguments.plot {
        save(path, &plot::svg(document)?)?;
    }
    if let Some(old) = old {
        report::compare(&old, document)?;
    }
    Ok(Outcome::Good)
}
