//! The `validate` setting: every decode against the CPU twin.

use std::sync::atomic::{AtomicU64, Ordering};
use texemu_emulate::{Capture, Captured, Effort, ErrorColor, Settings};
use texemu_format::{Codec, Format};
use texemu_reference::encode::{self, encode_image};
use texemu_reference::{Options, decode_image};

/// Whether decodes are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Validate {
    /// They are not.
    #[default]
    Off,
    /// They are.
    On,
    /// They are, and a bit of each is turned over first: shows that differences are told.
    SelfTest,
}

/// What a device's decodes came to.
#[derive(Debug, Default)]
pub(crate) struct Validation {
    compared: AtomicU64,
    different: AtomicU64,
}

impl Validation {
    /// Regions that were compared, and those of them that differ.
    pub(crate) fn counts(&self) -> [u64; 2] {
        [&self.compared, &self.different].map(|count| count.load(Ordering::Relaxed))
    }

    /// Compares what the commands of a recording did, if they ran, and logs what differs.
    pub(crate) fn check(&self, validate: Validate, settings: &Settings, captures: &[Capture]) {
        for capture in captures.iter().filter(|capture| capture.has_run()) {
            for captured in capture.regions() {
                let mut stored = captured.stored.to_vec();
                if let (Validate::SelfTest, Some(byte)) = (validate, stored.last_mut()) {
                    *byte ^= 1;
                }
                self.compared.fetch_add(1, Ordering::Relaxed);
                if let Some(problem) = compare(capture.format, capture.target, settings, &captured, &stored) {
                    self.different.fetch_add(1, Ordering::Relaxed);
                    let (region, name) = (&captured.region, capture.format.name);
                    log::error!(
                        "validate: {name} as {}, level {}, layers {} + {}, offset {:?}, extent {:?}: {problem}",
                        capture.target.name,
                        region.level,
                        region.base_layer,
                        region.layer_count,
                        region.offset,
                        region.extent,
                    );
                }
            }
        }
    }
}

/// What differs, in words.
fn compare(
    format: &Format,
    target: &Format,
    settings: &Settings,
    captured: &Captured<'_>,
    stored: &[u8],
) -> Option<String> {
    let expected = match twin(format, target, settings, captured) {
        Ok(expected) => expected,
        Err(error) => return Some(format!("the CPU twin cannot: {error}")),
    };
    if expected.len() != stored.len() {
        return Some(format!("{} bytes instead of {}", stored.len(), expected.len()));
    }
    let bytes = target.block_bytes as usize;
    let mut different =
        stored.chunks(bytes).zip(expected.chunks(bytes)).enumerate().filter(|(_, (got, want))| got != want);
    let (first, (got, want)) = different.next()?;
    let [columns, rows, _] = target.blocks(captured.size).map(|count| count as usize);
    let [x, y, z] = [first % columns, first / columns % rows, first / columns / rows];
    let what = if target.is_compressed() { "blocks" } else { "texels" };
    let (count, all) = (1 + different.count(), stored.len() / bytes);
    Some(format!("{count} of {all} {what} differ, first {x}, {y}, {z}: {got:02x?} instead of {want:02x?}"))
}

/// What the device should hold.
fn twin(
    format: &Format,
    target: &Format,
    settings: &Settings,
    captured: &Captured<'_>,
) -> Result<Vec<u8>, texemu_reference::Error> {
    let options = Options {
        error_color: match settings.error_color {
            ErrorColor::Magenta => texemu_reference::ErrorColor::Magenta,
            ErrorColor::TransparentBlack => texemu_reference::ErrorColor::TransparentBlack,
        },
        float16: format.codec == Codec::AstcLdr && target.codec == Codec::Rgba16f,
        ..Options::default()
    };
    let texels = decode_image(format, captured.blocks, captured.size, &options)?;
    if !target.is_compressed() {
        return Ok(texels);
    }
    let effort = match settings.effort {
        Effort::Fast => encode::Effort::Fast,
        Effort::High => encode::Effort::High,
    };
    encode_image(target, &texels, captured.size, effort)
}
