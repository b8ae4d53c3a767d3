//! `texemu bench hiz`: depth pyramids, path by path.

use crate::engine::DeviceArguments;
use crate::failure::Outcome;
use crate::interrupt;
use crate::output::{check_place, save};
use crate::table;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::PathBuf;
use texemu_core::Gpu;
use texemu_hiz::bench::{Bench, BenchDepth, Caches};
use texemu_hiz::{HizCaps, HizDesc, HizPlan, Path, Reduction, Scheme};

/// Time depth pyramids, path by path, beside the chain made level by level and a copy
///
/// A row is a size and a path. Each reduces a D32_SFLOAT image of noise by minima into R32_SFLOAT levels from 1 on, chained, or into
/// level 4 alone. Times are medians; cold is after 256 MiB of other memory were read. "of chain" is how many times as fast as a
/// dispatch a level a row is, cold; "of copy" is its speed in per cent of a kernel's that copies as many bytes as it reads and writes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Texels in width and height, and layers; may be given again
    #[arg(long = "size", value_name = "WxH[xLAYERS]", value_parser = parse_size)]
    sizes: Vec<Size>,
    /// Only rows whose name holds all these words
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Timed runs a row; 40, or 5 on a CPU
    #[arg(long, value_name = "N")]
    runs: Option<u32>,
    /// Workgroups of the one dispatch at most, instead of what the device is thought to run at once
    #[arg(long, value_name = "N")]
    groups: Option<u32>,
    /// Show what the driver says of each pipeline: registers, spills, shared memory
    #[arg(long)]
    stats: bool,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArguments,
}

#[derive(Clone, Copy, Debug)]
struct Size {
    extent: [u32; 2],
    layers: u32,
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, height] = self.extent;
        write!(f, "{width}x{height}")?;
        if self.layers > 1 { write!(f, "x{}", self.layers) } else { Ok(()) }
    }
}

fn parse_size(text: &str) -> Result<Size, String> {
    let number = |number: &str| number.parse().ok().filter(|&number| number > 0);
    let numbers: Option<Vec<u32>> = text.split('x').map(number).collect();
    match numbers.as_deref() {
        Some(&[width, height]) => Ok(Size { extent: [width, height], layers: 1 }),
        Some(&[width, height, layers]) => Ok(Size { extent: [width, height], layers }),
        _ => Err("not WxH or WxHxLAYERS".to_owned()),
    }
}

/// What is measured of each size.
const ROWS: [(&str, Path, Option<u32>); 6] = [
    ("a dispatch a level", Path::PerLevel, None),
    ("one dispatch", Path::OneDispatch, None),
    ("two dispatches", Path::TwoDispatches, None),
    ("a draw a level", Path::Raster, None),
    ("level 4, subgroup fold", Path::SubgroupFold, Some(4)),
    ("level 4, shared atomics", Path::SharedAtomic, Some(4)),
];

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(path) = &arguments.json {
        check_place(path)?;
    }
    let gpu = arguments.device.open()?;
    if !gpu.capabilities().timestamps {
        bail!("{} has no valid timestamps on its compute queue", gpu.capabilities().info.name);
    }
    let is_cpu = gpu.capabilities().is_cpu();
    let runs = arguments.runs.unwrap_or(if is_cpu { 5 } else { 40 }).max(1);
    let plain = |width, height| Size { extent: [width, height], layers: 1 };
    let usual = vec![
        plain(1920, 1080),
        plain(3840, 2160),
        plain(4095, 4095),
        plain(4096, 4096),
        Size { extent: [1648, 1776], layers: 2 },
    ];
    let sizes = match (arguments.sizes.is_empty(), is_cpu) {
        (false, _) => arguments.sizes.clone(),
        (true, false) => usual,
        (true, true) => vec![plain(640, 360), plain(511, 511)],
    };
    let mut caps = HizCaps::of(&gpu);
    caps.resident_groups = arguments.groups.unwrap_or(caps.resident_groups).max(1);
    let info = &gpu.capabilities().info;
    table::print(format!("{} ({}); medians of {runs} runs, microseconds", info.name, info.driver))?;
    let mut bench = Bench::new(&gpu)?;
    let mut rows = Vec::new();
    for size in sizes {
        let depth = bench.depth(size.extent, size.layers)?;
        let measured = measure(&mut bench, &caps, size, &depth, runs, arguments)?;
        table::print(format!("\n{size}"))?;
        table::print(render(&measured))?;
        if arguments.stats {
            for row in &measured {
                row.statistics
                    .iter()
                    .try_for_each(|line| table::print(format!("    {}: {line}", row.name)))?;
            }
        }
        rows.extend(measured.iter().map(|row| row.json(size)));
    }
    if let Some(path) = &arguments.json {
        save(path, &serde_json::to_string_pretty(&document(&gpu, runs, rows))?)?;
    }
    Ok(Outcome::Good)
}

struct Row {
    name: &'static str,
    commands: usize,
    bytes: u64,
    cold: f64,
    warm: f64,
    /// Of a copy of as many bytes.
    copy: f64,
    /// Of a dispatch a level.
    chain: Option<f64>,
    statistics: Vec<String>,
}

impl Row {
    fn of_chain(&self) -> Option<f64> {
        self.chain.map(|chain| chain / self.cold)
    }

    fn of_copy(&self) -> f64 {
        100.0 * self.copy / self.cold
    }

    fn json(&self, size: Size) -> Value {
        json!({
            "name": format!("hiz {size}, {}", self.name),
            "dispatches": self.commands,
            "bytes": self.bytes,
            "cold_us": self.cold,
            "warm_us": self.warm,
            "copy_us": self.copy,
            "of_chain": self.of_chain(),
            "of_copy_percent": self.of_copy(),
        })
    }
}

fn measure(
    bench: &mut Bench,
    caps: &HizCaps,
    size: Size,
    depth: &BenchDepth,
    runs: u32,
    arguments: &Arguments,
) -> Result<Vec<Row>> {
    let words: Vec<&str> = arguments.only.iter().flat_map(|only| only.split_whitespace()).collect();
    let mut rows: Vec<Row> = Vec::new();
    for (name, path, level) in ROWS.into_iter().filter(|row| words.iter().all(|word| row.0.contains(word))) {
        interrupt::check()?;
        let scheme = if level.is_some() { Scheme::EdgeTexel } else { Scheme::Chained };
        let mut desc = HizDesc { layers: size.layers, ..HizDesc::new(size.extent, scheme, Reduction::Min) };
        if let Some(level) = level {
            (desc.first_level, desc.last_level) = (level, level);
        }
        let plan = match HizPlan::new(&desc, Some(path), caps) {
            Ok(plan) => plan,
            Err(error @ texemu_hiz::Error::Unsupported { .. }) => {
                log::info!("{size}, {name}: {error}");
                continue;
            }
            Err(error) => return Err(error).with_context(|| size.to_string()),
        };
        let texels = u64::from(size.extent[0]) * u64::from(size.extent[1]) * u64::from(size.layers);
        let bytes = texels * 4 + plan.bytes();
        let cold = bench.time(&plan, depth, runs, Caches::Cold)?;
        let chain = rows.first().filter(|row| row.name == ROWS[0].0 && level.is_none()).map(|row| row.cold);
        let lines = if arguments.stats { told(bench, &plan)? } else { Vec::new() };
        rows.push(Row {
            name,
            commands: plan.steps().len(),
            bytes,
            cold,
            warm: bench.time(&plan, depth, runs, Caches::Warm)?,
            copy: bench.copy(bytes, runs, Caches::Cold)?,
            chain,
            statistics: lines,
        });
    }
    Ok(rows)
}

/// What the driver tells of the plan's pipelines.
fn told(bench: &Bench, plan: &HizPlan) -> Result<Vec<String>> {
    let pipelines = bench.hiz().pipelines(plan)?;
    let line = |pipeline: &std::sync::Arc<texemu_core::Pipeline>| {
        let statistics = pipeline.statistics().0;
        let told: Vec<_> = statistics.iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!("{}: {}", pipeline.kernel().name, told.join(", "))
    };
    let mut lines: Vec<String> = pipelines.iter().map(line).collect();
    lines.dedup();
    Ok(lines)
}

fn render(rows: &[Row]) -> String {
    let header = ["", ">commands", ">cold", ">warm", ">of chain", ">copy", ">of copy"];
    let cells = |row: &Row| {
        vec![
            row.name.to_owned(),
            row.commands.to_string(),
            format!("{:.1}", row.cold),
            format!("{:.1}", row.warm),
            row.of_chain().map_or_else(String::new, |ratio| format!("{ratio:.2}")),
            format!("{:.1}", row.copy),
            format!("{:.0} %", row.of_copy()),
        ]
    };
    table::render(&header, &rows.iter().map(cells).collect::<Vec<_>>())
}

fn document(gpu: &Gpu, runs: u32, rows: Vec<Value>) -> Value {
    let info = &gpu.capabilities().info;
    json!({ "device": info.name, "driver": info.driver, "runs": runs, "rows": rows })
}
