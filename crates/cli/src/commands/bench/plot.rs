//! Bars of what was measured, against the rate of a copy.

use crate::table::three_digits;
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde_json::Value;

/// One bar.
#[derive(Clone, PartialEq, Debug)]
struct Bar {
    /// What is measured: formats and work.
    group: String,
    /// The kernel: what one invocation works on, and how it reads the blocks.
    series: String,
    percent: f64,
    label: String,
}

/// The bars of a document that `--json` would write.
fn bars(document: &Value) -> Vec<Bar> {
    let bar = |row: &Value| {
        // Formats and work, then the kernel, then its source.
        let mut parts = row["name"].as_str()?.rsplitn(3, ", ");
        let (source, kernel, group) = (parts.next()?, parts.next()?, parts.next()?);
        let percent = row["of_copy_percent"].as_f64().filter(|percent| percent.is_finite())?;
        Some(Bar {
            group: group.to_owned(),
            series: format!("{kernel} from {source}"),
            percent,
            label: format!(
                "{} %, {} Gtexel/s",
                three_digits(percent),
                three_digits(row["gtexel_s"].as_f64()?)
            ),
        })
    };
    document["rows"].as_array().into_iter().flatten().filter_map(bar).collect()
}

/// The distinct values, in the order of their first occurrence.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// A round number of at most a fifth of `most`, to be an axis' step.
fn step(most: f64) -> f64 {
    let magnitude = 10f64.powf((most / 5.0).log10().floor());
    let fits = |factor: &f64| factor * magnitude <= most / 5.0;
    [5.0, 2.0, 1.0].into_iter().find(fits).unwrap_or(1.0) * magnitude
}

const MARGIN: i32 = 16;
/// Pixels that the longest bar takes.
const LONGEST: i32 = 560;
const BAR: i32 = 13;
const GAP: i32 = 9;
const LINE: i32 = 18;
/// Pixels of a letter of the plot's font, on average, with some to spare.
const LETTER: f64 = 6.6;

fn letters(text: &str) -> i32 {
    (text.chars().count() as f64 * LETTER) as i32
}

/// The plot as SVG.
pub(crate) fn svg(document: &Value) -> Result<String> {
    let bars = bars(document);
    let groups = distinct(bars.iter().map(|bar| bar.group.as_str()));
    let series = distinct(bars.iter().map(|bar| bar.series.as_str()));
    let most = bars.iter().map(|bar| bar.percent).fold(0.0, f64::max).max(1e-3) * 1.02;
    // The copy's own rate is shown unless all are far below it.
    let most = if most > 40.0 { most.max(102.0) } else { most };
    let labels = groups.iter().map(|group| letters(group)).max().unwrap_or(0);
    let values = bars.iter().map(|bar| letters(&bar.label)).max().unwrap_or(0);
    let left = MARGIN + labels + 8;
    let width = left + LONGEST + values + 2 * MARGIN;
    let at = |percent: f64| left + (percent / most * f64::from(LONGEST)).round() as i32;

    // The legend's entries are as wide as the longest.
    let entry = series.iter().map(|name| letters(name)).max().unwrap_or(0) + 30;
    let a_line = ((width - 2 * MARGIN) / entry.max(1)).max(1);
    let legend_lines = (series.len() as i32 + a_line - 1) / a_line;
    let top = MARGIN + (2 + legend_lines) * LINE + 2 * LINE;
    let height = top + bars.len() as i32 * BAR + groups.len() as i32 * GAP + LINE + MARGIN;

    let mut text = String::new();
    {
        let size = (u32::try_from(width)?, u32::try_from(height)?);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let plot = Plot { area };
        plot.area.fill(&WHITE).map_err(failed)?;
        let word = |field: &str| document[field].as_str().unwrap_or_default();
        plot.text((MARGIN, MARGIN), HPos::Left, 15, &format!("{} ({})", word("device"), word("driver")))?;
        let about = format!(
            "speed in per cent of a copy of as many bytes; medians of {1} runs; large images of {0} x {0} texels",
            document["size"], document["runs"]
        );
        plot.text((MARGIN, MARGIN + LINE), HPos::Left, 12, &about)?;
        for (index, name) in (0..).zip(&series) {
            let x = MARGIN + index % a_line * entry;
            let y = MARGIN + (2 + index / a_line) * LINE;
            plot.bar((x, y), (x + 12, y + 11), index as usize)?;
            plot.text((x + 18, y), HPos::Left, 12, name)?;
        }
        let (first, last) = (top - GAP, height - MARGIN - LINE);
        let step = step(most);
        for tick in 0..=(most / step).floor() as u32 {
            let percent = f64::from(tick) * step;
            let x = at(percent);
            plot.line(x, first, last, 0.15)?;
            // What floating point adds to a product is not shown.
            let percent = (percent * 1e6).round() / 1e6;
            for y in [first - LINE + 2, last + 4] {
                plot.text((x, y), HPos::Center, 12, &format!("{percent} %"))?;
            }
        }
        if most >= 100.0 {
            plot.line(at(100.0), first, last, 0.8)?;
        }
        let mut y = top;
        for group in groups {
            let bars = bars.iter().filter(|bar| bar.group == group);
            let start = y;
            for bar in bars {
                let index = series.iter().position(|name| *name == bar.series).unwrap_or(0);
                plot.bar((left, y), (at(bar.percent).max(left + 1), y + BAR - 2), index)?;
                plot.text((at(bar.percent) + 5, y - 1), HPos::Left, 11, &bar.label)?;
                y += BAR;
            }
            plot.text((left - 8, (start + y) / 2 - 8), HPos::Right, 12, group)?;
            y += GAP;
        }
        plot.area.present().map_err(failed)?;
    }
    Ok(text)
}

struct Plot<'a> {
    area: DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
}

impl Plot<'_> {
    /// `at` is the upper corner, or the middle of the upper edge.
    fn text(&self, at: (i32, i32), anchor: HPos, size: u32, text: &str) -> Result<()> {
        let style = ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(anchor, VPos::Top));
        self.area.draw(&Text::new(text.to_owned(), at, style)).map_err(failed)
    }

    fn line(&self, x: i32, from: i32, to: i32, darkness: f64) -> Result<()> {
        let color = BLACK.mix(darkness).stroke_width(1);
        self.area.draw(&PathElement::new([(x, from), (x, to)], color)).map_err(failed)
    }

    fn bar(&self, from: (i32, i32), to: (i32, i32), series: usize) -> Result<()> {
        let color = Palette99::pick(series).filled();
        self.area.draw(&Rectangle::new([from, to], color)).map_err(failed)
    }
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("could not plot: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(percents: &[(&str, f64)]) -> Value {
        let row = |&(name, percent): &(&str, f64)| json!({ "name": name, "of_copy_percent": percent, "gtexel_s": 1.5 });
        let rows: Vec<_> = percents.iter().map(row).collect();
        json!({ "device": "A & B <GPU>", "driver": "1.0", "size": 64, "runs": 2, "rows": rows })
    }

    #[test]
    fn a_bar_a_row_and_a_series_a_kernel() {
        let document = document(&[
            ("ASTC_4x4_UNORM -> rgba8, 64x64, auto, texel-buffer", 80.0),
            ("ASTC_4x4_UNORM -> rgba8, 64x64, tile 32/128 2,1 words, texel-buffer", 40.0),
            ("ASTC_4x4_UNORM -> bc7 high, chain 64, auto, texel-buffer", 2.5),
        ]);
        let bars = bars(&document);
        assert_eq!(bars.len(), 3);
        assert_eq!(bars[1].group, "ASTC_4x4_UNORM -> rgba8, 64x64");
        assert_eq!(bars[1].series, "tile 32/128 2,1 words from texel-buffer");
        let text = svg(&document).expect("plots");
        // The background, two entries of the legend, three bars.
        assert_eq!(text.matches("<rect").count(), 1 + 2 + 3, "{text}");
        for words in [
            "100 %",
            "ASTC_4x4_UNORM -&gt; bc7 high, chain 64",
            "2.50 %, 1.50 Gtexel/s",
            "A &amp; B &lt;GPU&gt;",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn bars_are_as_long_as_they_are_fast() {
        let name = |kernel| format!("a -> b, 64x64, {kernel}, texel-buffer");
        let (auto, block) = (name("auto"), name("block"));
        let text = svg(&document(&[(&auto, 90.0), (&block, 30.0)])).expect("plots");
        let widths: Vec<f64> = text
            .split("<rect")
            .skip(4)
            .map(|rect| rect.split("width=\"").nth(1).and_then(|rest| rest.split('"').next()))
            .map(|width| width.and_then(|width| width.parse().ok()).expect("a width"))
            .collect();
        assert_eq!(widths.len(), 2, "{text}");
        assert!((widths[0] / widths[1] - 3.0).abs() < 0.05, "{widths:?}");
    }

    #[test]
    fn steps_are_round() {
        for (most, expected) in [(102.0, 20.0), (3.1, 0.5), (40.0, 5.0), (0.02, 0.002), (10.0, 2.0)] {
            assert!((step(most) / expected - 1.0).abs() < 1e-9, "{most}: {}", step(most));
        }
    }

    #[test]
    fn nothing_measured_is_an_empty_plot() {
        assert!(svg(&document(&[])).expect("plots").contains("</svg>"));
        let text = svg(&document(&[("a -> b, 1x1, auto, texel-buffer", f64::NAN)])).expect("plots");
        assert!(text.contains("</svg>"), "{text}");
    }
}
