//! What turns blocks into the target, a band at a time: the CPU twins, or kernels on a device.

mod cpu;
mod gpu;

pub(crate) use cpu::CpuEngine;
/// What commands say that can do without a device.
pub(crate) const CPU_HINT: &str = "--cpu needs no device";

pub(crate) use gpu::{DeviceArguments, GpuEngine, dummy_job};

use crate::bands::bands;
use crate::interrupt;
use crate::part::Part;
use anyhow::Result;
use std::time::Duration;
use texemu_container::Subresource;
use texemu_format::Format;
use texemu_transcode::{Options, SourceKind};

/// What is made of what, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) source: &'static Format,
    pub(crate) target: &'static Format,
    pub(crate) options: Options,
    /// How a kernel reads the blocks; the twins do not care.
    pub(crate) source_kind: SourceKind,
}

/// Turns blocks into the target.
pub(crate) trait Engine {
    /// Where it runs, for people.
    fn name(&self) -> String;

    /// The target's bytes of `width` x `height` texels, tightly packed; `blocks` holds the source's, tightly packed. Only
    /// at the lower edge of an image may `height` end inside a block.
    fn run(&mut self, task: &Task, blocks: &[u8], width: u32, height: u32) -> Result<&[u8]>;

    /// How long the device worked since this was last asked; `None` without a device, or without a clock on it.
    fn take_device_time(&mut self) -> Option<Duration> {
        None
    }
}

/// Some rows of a slice, as blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BandOfBlocks<'a> {
    pub(crate) slice: u32,
    /// The first row of texels.
    pub(crate) first_row: u32,
    pub(crate) width: u32,
    pub(crate) rows: u32,
    pub(crate) blocks: &'a [u8],
}

/// Calls `each` for all bands of one image, in the order of raw output.
pub(crate) fn for_each_band(
    part: &Part<'_>,
    task: &Task,
    at: Subresource,
    mut each: impl FnMut(BandOfBlocks<'_>) -> Result<()>,
) -> Result<()> {
    let [width, height, depth] = part.shape().level_extent(at.level);
    for slice in 0..depth {
        for band in bands(task.source, task.target, width, height) {
            interrupt::check()?;
            let blocks = part.rows(at, slice, band.first, band.rows);
            each(BandOfBlocks { slice, first_row: band.first, width, rows: band.rows, blocks })?;
        }
    }
    Ok(())
}
