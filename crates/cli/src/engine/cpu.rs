//! The CPU twins.

use super::{Engine, Task};
use crate::bc;
use anyhow::{Context, Result, bail};
use texemu_format::Format;
use texemu_reference::decode_into;
use texemu_reference::encode::{self, encode_image};
use texemu_transcode::{Effort, ErrorColor};

/// Runs the twins on all threads.
#[derive(Debug, Default)]
pub(crate) struct CpuEngine {
    texels: Vec<u8>,
    blocks: Vec<u8>,
}

/// The twins' options for decoding to `texels`.
fn decode_options(task: &Task, texels: &'static Format) -> Result<texemu_reference::Options> {
    let options = texemu_reference::Options {
        error_color: match task.options.error_color {
            ErrorColor::Magenta => texemu_reference::ErrorColor::Magenta,
            ErrorColor::TransparentBlack => texemu_reference::ErrorColor::TransparentBlack,
        },
        // An LDR format may become floats instead of its exact target.
        float16: task.source.targets.exact() != Some(texels),
        ..Default::default()
    };
    match texemu_reference::target(task.source, &options) {
        Ok(target) if target == texels => Ok(options),
        _ => bail!("there is no CPU twin that turns {} into {}", task.source.name, task.target.name),
    }
}

impl CpuEngine {
    /// The texels that the blocks decode to: the target's own, or those that its encoder starts from.
    pub(crate) fn decode(&mut self, task: &Task, blocks: &[u8], width: u32, height: u32) -> Result<&[u8]> {
        let texels = bc::texels_of(task.target).unwrap_or(task.target);
        let options = decode_options(task, texels)?;
        let extent = [width, height, 1];
        let bytes = texels.level_bytes(extent).and_then(|bytes| usize::try_from(bytes).ok());
        self.texels.resize(bytes.context("the band is too large")?, 0);
        decode_into(task.source, blocks, extent, &options, &mut self.texels)?;
        Ok(&self.texels)
    }
}

impl Engine for CpuEngine {
    fn name(&self) -> String {
        "the CPU".into()
    }

    fn run(&mut self, task: &Task, blocks: &[u8], width: u32, height: u32) -> Result<&[u8]> {
        self.decode(task, blocks, width, height)?;
        if !task.target.is_compressed() {
            return Ok(&self.texels);
        }
        let effort = match task.options.effort {
            Effort::Fast => encode::Effort::Fast,
            Effort::High => encode::Effort::High,
        };
        self.blocks = encode_image(task.target, &self.texels, [width, height, 1], effort)
            .with_context(|| format!("there is no CPU twin that makes {}", task.target.name))?;
        Ok(&self.blocks)
    }
}
