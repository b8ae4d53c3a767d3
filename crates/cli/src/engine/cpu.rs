//! The CPU twins.

use super::{Engine, Task};
use anyhow::{Context, Result, bail};
use texemu_reference::{ErrorColor, decode_into};
use texemu_transcode::ErrorColour;

/// Runs the twins on all threads.
#[derive(Debug, Default)]
pub(crate) struct CpuEngine {
    texels: Vec<u8>,
}

/// The twins' options for a task.
fn twin_options(task: &Task) -> Result<texemu_reference::Options> {
    let mut options = texemu_reference::Options {
        error_color: match task.options.error_colour {
            ErrorColour::Magenta => ErrorColor::Magenta,
            ErrorColour::TransparentBlack => ErrorColor::Transparent,
        },
        ..Default::default()
    };
    // An LDR format may become floats instead of its exact target.
    options.float16 = task.source.targets.exact() != Some(task.target);
    match texemu_reference::target(task.source, &options) {
        Ok(target) if target == task.target => Ok(options),
        _ => bail!("there is no CPU twin that turns {} into {}", task.source.name, task.target.name),
    }
}

impl Engine for CpuEngine {
    fn name(&self) -> String {
        "the CPU".into()
    }

    fn run(&mut self, task: &Task, blocks: &[u8], width: u32, height: u32) -> Result<&[u8]> {
        let options = twin_options(task)?;
        let extent = [width, height, 1];
        let bytes = task.target.level_bytes(extent).and_then(|bytes| usize::try_from(bytes).ok());
        self.texels.resize(bytes.context("the band is too large")?, 0);
        decode_into(task.source, blocks, extent, &options, &mut self.texels)?;
        Ok(&self.texels)
    }
}
