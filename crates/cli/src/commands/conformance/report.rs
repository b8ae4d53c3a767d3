//! Showing and saving what came out.

use super::plan::{Group, Kernel};
use super::runner::Outcome;
use crate::output::save;
use crate::table;
use anyhow::Result;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use texemu_core::Gpu;

/// What became of a group.
pub(crate) struct GroupResult {
    pub(crate) group: Group,
    pub(crate) kernels: Vec<(Kernel, Outcome)>,
    /// Of the validation layers.
    pub(crate) messages: usize,
}

impl GroupResult {
    pub(crate) fn new(group: Group) -> Self {
        Self { group, kernels: Vec::new(), messages: 0 }
    }

    pub(crate) fn add(&mut self, kernel: Kernel, outcome: Outcome) {
        self.kernels.push((kernel, outcome));
    }

    pub(crate) fn is_good(&self) -> bool {
        self.messages == 0 && self.failures() == 0
    }

    fn failures(&self) -> usize {
        self.kernels.iter().filter(|(_, outcome)| outcome.failure.is_some()).count()
    }

    fn sum(&self, of: impl Fn(&Outcome) -> u64) -> u64 {
        self.kernels.iter().map(|(_, outcome)| of(outcome)).sum()
    }
}

pub(crate) fn head(gpu: &Gpu, full: bool) -> Result<()> {
    let info = &gpu.capabilities().info;
    table::print(format!("{} ({}), {}", info.name, info.driver, if full { "full" } else { "quick" }))
}

/// One line a group, and one more a failure.
pub(crate) fn line(result: &GroupResult, validation: bool) -> Result<()> {
    let name = result.group.name();
    if let Some(reason) = &result.group.skipped {
        return table::print(format!("skipped  {name}: {reason}"));
    }
    let word = if result.is_good() { "ok      " } else { "FAILED  " };
    let mut text = format!(
        "{word} {name:<54} {:>3} kernels {:>4} jobs {:>8} blocks {:>10} texels",
        result.kernels.len(),
        result.sum(|outcome| outcome.jobs.into()),
        result.sum(|outcome| outcome.blocks),
        result.sum(|outcome| outcome.texels),
    );
    if validation {
        text += &format!(" {:>3} validation messages", result.messages);
    }
    for (kernel, outcome) in &result.kernels {
        if let Some(failure) = &outcome.failure {
            text += &format!("\n    {}: {failure}", kernel.name());
        }
    }
    table::print(text)
}

pub(crate) fn summary(results: &[GroupResult], validation: bool, time: Duration) -> Result<()> {
    let run: Vec<_> = results.iter().filter(|result| result.group.skipped.is_none()).collect();
    let sum = |of: fn(&GroupResult) -> u64| run.iter().map(|result| of(result)).sum::<u64>();
    let mut text = format!(
        "{} pairs of formats, {} kernels, {} jobs, {} blocks, {} texels: {} kernels failed",
        run.len(),
        sum(|result| result.kernels.len() as u64),
        sum(|result| result.sum(|outcome| outcome.jobs.into())),
        sum(|result| result.sum(|outcome| outcome.blocks)),
        sum(|result| result.sum(|outcome| outcome.texels)),
        sum(|result| result.failures() as u64),
    );
    if validation {
        text += &format!(", {} validation messages", sum(|result| result.messages as u64));
    }
    let skipped = results.len() - run.len();
    if skipped > 0 {
        text += &format!(", {skipped} pairs skipped");
    }
    table::print(format!("\n{text}; {:.1} s", time.as_secs_f64()))
}

pub(crate) fn save_json(path: &Path, gpu: &Gpu, results: &[GroupResult]) -> Result<()> {
    let kernel = |(kernel, outcome): &(Kernel, Outcome)| {
        json!({
            "kernel": kernel.name(),
            "jobs": outcome.jobs,
            "blocks": outcome.blocks,
            "texels": outcome.texels,
            "failure": outcome.failure.as_ref().map(ToString::to_string),
        })
    };
    let group = |result: &GroupResult| {
        json!({
            "source": result.group.source.name,
            "target": result.group.target.name,
            "good": result.is_good(),
            "skipped": result.group.skipped,
            "validation_messages": result.messages,
            "kernels": result.kernels.iter().map(kernel).collect::<Vec<_>>(),
        })
    };
    let info = &gpu.capabilities().info;
    let groups: Vec<Value> = results.iter().map(group).collect();
    let document = json!({ "device": info.name, "driver": info.driver, "groups": groups });
    save(path, &serde_json::to_string_pretty(&document)?)
}

/// A test suite a group, a test case a kernel.
pub(crate) fn save_junit(path: &Path, gpu: &Gpu, results: &[GroupResult]) -> Result<()> {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml +=
        &format!("<testsuites name=\"texemu conformance on {}\">\n", escape(&gpu.capabilities().info.name));
    for result in results {
        let name = escape(&result.group.name());
        let (tests, failures) = (result.kernels.len(), result.failures());
        xml += &format!("  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\">\n");
        for (kernel, outcome) in &result.kernels {
            xml += &format!("    <testcase classname=\"{name}\" name=\"{}\"", escape(&kernel.name()));
            match &outcome.failure {
                None => xml += "/>\n",
                Some(failure) => {
                    let text = escape(&failure.to_string());
                    xml += &format!(">\n      <failure message=\"{text}\"/>\n    </testcase>\n");
                }
            }
        }
        if result.messages > 0 {
            let count = result.messages;
            xml += &format!("    <system-err>{count} validation messages</system-err>\n");
        }
        xml += "  </testsuite>\n";
    }
    xml += "</testsuites>\n";
    save(path, &xml)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
