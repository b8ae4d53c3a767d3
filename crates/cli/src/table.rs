//! Tables and numbers as people read them.

use anyhow::{Context, Result};
use std::io::Write;
use std::time::Duration;

/// Prints to standard output; an error where `println!` would panic, for instance into a closed pipe.
pub(crate) fn print(text: impl std::fmt::Display) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{text}").context("standard output")
}

/// Columns as wide as their widest cell. Columns whose header starts with `>` are aligned to the right.
pub(crate) fn render(header: &[&str], rows: &[Vec<String>]) -> String {
    let right: Vec<bool> = header.iter().map(|cell| cell.starts_with('>')).collect();
    let header: Vec<String> = header.iter().map(|cell| cell.trim_start_matches('>').to_owned()).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&header]).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).zip(&right).map(|((cell, &width), &right)| {
            if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&header)];
    lines.extend(rows.iter().map(line));
    lines.join("\n")
}

/// A size with the largest binary unit that leaves at least 1.
pub(crate) fn bytes(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut name = None;
    for unit in units {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        name = Some(unit);
    }
    name.map_or_else(|| format!("{bytes} B"), |name| format!("{value:.1} {name}"))
}

/// Reads a finite number.
pub(crate) fn number<T: std::str::FromStr + Into<f64> + Copy>(text: &str) -> Result<T, String> {
    text.parse().ok().filter(|&number: &T| number.into().is_finite()).ok_or_else(|| "not a number".to_owned())
}

/// Reads a finite number above 0.
pub(crate) fn factor(text: &str) -> Result<f32, String> {
    number(text).and_then(|factor| if factor > 0.0 { Ok(factor) } else { Err("not above 0".to_owned()) })
}

/// A time with a unit that leaves at least 1, to three digits.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        1.0.. => format!("{} s", three_digits(seconds)),
        1e-3.. => format!("{} ms", three_digits(seconds * 1e3)),
        _ => format!("{} us", three_digits(seconds * 1e6)),
    }
}

/// Texels in a time, likewise.
pub(crate) fn rate(texels: u64, time: Duration) -> String {
    let rate = texels as f64 / time.as_secs_f64();
    match rate {
        1e9.. => format!("{} Gtexel/s", three_digits(rate / 1e9)),
        _ => format!("{} Mtexel/s", three_digits(rate / 1e6)),
    }
}

/// Three significant digits, no exponent.
pub(crate) fn three_digits(value: f64) -> String {
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 5.0);
    format!("{value:.*}", if digits.is_finite() { digits as usize } else { 2 })
}
