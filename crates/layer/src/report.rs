//! The statistics file: one line of JSON a device.

use crate::device::Emulation;
use std::fmt::Write as _;
use std::io::Write as _;
use texemu_emulate::{FormatStatistics, Statistics};

/// Appends a device's statistics to the file that the settings name.
pub(crate) fn write(emulation: &Emulation) {
    let Some(path) = &emulation.instance.settings.statistics_file else { return };
    let emulator = &emulation.emulator;
    let device = &emulator.gpu().capabilities().info.name;
    let line = line(device, &emulator.statistics(), emulation.validation.counts());
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        log::warn!("{}: {error}", path.display());
    }
}

fn line(device: &str, statistics: &Statistics, [compared, different]: [u64; 2]) -> String {
    let formats: Vec<String> = statistics.formats.iter().map(format).collect();
    let asked: Vec<String> = statistics.asked.iter().map(|format| format!("\"{format:?}\"")).collect();
    format!(
        "{{\"device\":{},\"bytes\":{},\"peak_bytes\":{},\"compared\":{compared},\"different\":{different},\"formats\":[{}],\"asked\":[{}]}}\n",
        quoted(device),
        statistics.bytes,
        statistics.peak_bytes,
        formats.join(","),
        asked.join(",")
    )
}

fn format(one: &FormatStatistics) -> String {
    let numbers = [
        ("images", one.images),
        ("created", one.created),
        ("decoded_bytes", one.decoded_bytes),
        ("compressed_bytes", one.compressed_bytes),
        ("rgba8_bytes", one.rgba8_bytes),
        ("uploads_direct", one.direct),
        ("uploads_by_plane", one.by_plane),
        ("uploads_by_scratch", one.by_scratch),
        ("uploads_deferred", one.deferred),
        ("downloads", one.downloads),
        ("image_copies", one.image_copies),
        ("dispatches", one.dispatches),
        ("blocks", one.blocks),
        ("texels", one.texels),
        ("gpu_nanoseconds", one.gpu_nanoseconds),
        ("timed", one.timed),
    ];
    let mut text = format!("{{\"format\":\"{}\"", one.format.name);
    for (name, value) in numbers {
        // Writing to a string cannot fail.
        let _ = write!(text, ",\"{name}\":{value}");
    }
    text + "}"
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_json_has_it() {
        assert_eq!(quoted("a \"b\" \\ c\n"), "\"a \\\"b\\\" \\\\ c\\u000a\"");
    }
}
