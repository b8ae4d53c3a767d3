//! Showing, saving and comparing what was measured.

use super::configuration::configuration_name;
use super::rows::choice_name;
use super::sample::{Measured, Times};
use crate::table::{self, three_digits};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::Path;
use texemu_core::{Gpu, PipelineStats};
use texemu_transcode::Choice;

/// Header, width and alignment of what follows a row's name.
const COLUMNS: [(&str, usize); 8] = [
    ("min us", 10),
    ("median", 10),
    ("max", 10),
    ("Gtexel/s", 9),
    ("GB/s", 8),
    ("of copy", 8),
    ("record us", 9),
    ("runs as", 0),
];

pub(crate) fn head(gpu: &Gpu, size: u32, runs: u32) -> Result<()> {
    let info = &gpu.capabilities().info;
    table::print(format!("{} ({}); large images {size}x{size}, {runs} runs a row", info.name, info.driver))
}

/// Prints the table's header; `width` is that of the longest name.
pub(crate) fn header(width: usize) -> Result<()> {
    let names: Vec<String> = COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
    table::print(layout("", width, &names))
}

fn layout(name: &str, width: usize, cells: &[String]) -> String {
    let mut line = format!("{name:<width$}");
    for (cell, (_, width)) in cells.iter().zip(COLUMNS) {
        line.push_str(&if width == 0 { format!("  {cell}") } else { format!(" {cell:>width$}") });
    }
    line
}

/// Prints a row as soon as it is measured.
pub(crate) fn line(result: &Measured, width: usize, statistics: bool) -> Result<()> {
    table::print(layout(&result.row.name, width, &cells(result)))?;
    if statistics {
        table::print(format!("    {}: {}", result.kernel, statistics_text(&result.statistics)))?;
    }
    Ok(())
}

fn cells(result: &Measured) -> Vec<String> {
    let micros = |nanoseconds: f64| format!("{:.1}", nanoseconds / 1e3);
    vec![
        micros(result.times.min()),
        micros(result.times.median()),
        micros(result.times.max()),
        three_digits(gigatexels(result)),
        three_digits(gigabytes(result)),
        format!("{:.1} %", of_copy(result)),
        micros(result.recording.median()),
        configuration_name(&result.configuration),
    ]
}

fn gigatexels(result: &Measured) -> f64 {
    result.row.work.texels() as f64 / result.times.median()
}

/// Bytes read and written.
fn gigabytes(result: &Measured) -> f64 {
    let row = &result.row;
    row.work.traffic(row.source, row.target) as f64 / result.times.median()
}

fn of_copy(result: &Measured) -> f64 {
    100.0 * result.copy_times.median() / result.times.median()
}

fn statistics_text(statistics: &PipelineStats) -> String {
    if statistics.0.is_empty() {
        return "the driver tells nothing".to_owned();
    }
    statistics.0.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

/// Prints rows that differ in configuration only as one list each, fastest first.
pub(crate) fn tuned(results: &mut [Measured], statistics: bool) -> Result<()> {
    // A name is source, target and work, then the configuration, then the kind of source.
    let key = |result: &Measured| {
        let configuration = format!(", {},", choice_name(&result.row.options.choice));
        result.row.name.replace(&configuration, ",")
    };
    results.sort_by(|a, b| key(a).cmp(&key(b)).then(a.times.median().total_cmp(&b.times.median())));
    let mut last = String::new();
    for result in results.iter() {
        let key = key(result);
        if key != last {
            table::print(format!("\n{key}"))?;
            header(10)?;
            last = key;
        }
        let name = if result.row.options.choice == Choice::Auto { "auto" } else { "" };
        table::print(layout(name, 10, &cells(result)))?;
        if statistics {
            table::print(format!("    {}: {}", result.kernel, statistics_text(&result.statistics)))?;
        }
    }
    Ok(())
}

/// Everything, for `--json`.
pub(crate) fn document(gpu: &Gpu, size: u32, runs: u32, results: &[Measured]) -> Value {
    let info = &gpu.capabilities().info;
    let times = |times: &Times| json!({ "min": times.min(), "median": times.median(), "max": times.max() });
    let row = |result: &Measured| {
        let statistics: serde_json::Map<_, _> =
            result.statistics.0.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({
            "name": result.row.name,
            "kernel": result.kernel,
            "configuration": configuration_name(&result.configuration),
            "dispatches": result.dispatches,
            "texels": result.row.work.texels(),
            "bytes": result.row.work.traffic(result.row.source, result.row.target),
            "ns": times(&result.times),
            "copy_ns": times(&result.copy_times),
            "record_ns": times(&result.recording),
            "gtexel_s": gigatexels(result),
            "gb_s": gigabytes(result),
            "of_copy_percent": of_copy(result),
            "statistics": statistics,
        })
    };
    json!({
        "device": info.name,
        "driver": info.driver,
        "size": size,
        "runs": runs,
        "rows": results.iter().map(row).collect::<Vec<_>>(),
    })
}

pub(crate) fn load(path: &Path) -> Result<Value> {
    let named = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(named)?;
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(value) if value["rows"].is_array() => Ok(value),
        Ok(_) => bail!("{}: not a file that `texemu bench --json` wrote", path.display()),
        Err(error) => bail!("{}: not a file that `texemu bench --json` wrote: {error}", path.display()),
    }
}

/// Prints how much faster each row is than the row of the same name before.
pub(crate) fn compare(old: &Value, new: &Value) -> Result<()> {
    if old["device"] != new["device"] {
        table::print(format!("\nThe earlier results are of another device: {}", old["device"]))?;
    }
    let rows = |value: &Value| value["rows"].as_array().cloned().unwrap_or_default();
    let before = rows(old);
    let mut lines = Vec::new();
    for row in rows(new) {
        let Some(earlier) = before.iter().find(|earlier| earlier["name"] == row["name"]) else { continue };
        let number = |row: &Value, field: &str| row[field].as_f64().unwrap_or(f64::NAN);
        let ratio = |field| number(&row, field) / number(earlier, field);
        lines.push(vec![
            row["name"].as_str().unwrap_or_default().to_owned(),
            format!("{:.2}", number(earlier, "gtexel_s")),
            format!("{:.2}", number(&row, "gtexel_s")),
            format!("{:.3}", ratio("gtexel_s")),
            format!("{:.3}", ratio("of_copy_percent")),
        ]);
    }
    let header = ["row", ">before", ">now Gtexel/s", ">faster", ">against the copy"];
    table::print(format!("\n{}", table::render(&header, &lines)))
}
