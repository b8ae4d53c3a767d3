//! What an image must hold afterwards, by the CPU twins.

use super::scenario::{Scenario, pitches, slices};
use crate::engine::{CpuEngine, Engine, Task};
use anyhow::Result;
use texemu_format::level_extent;
use texemu_transcode::Region;

/// The bytes of every level, tightly packed, layer or slice after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Levels(pub(crate) Vec<Vec<u8>>);

impl Levels {
    /// What the image holds before the job: no byte like the one before, so that shifted copies show.
    pub(crate) fn before(scenario: &Scenario, task: &Task) -> Self {
        let mut state = 0x2545_F491u32;
        let levels = (0..scenario.shape.levels).map(|level| {
            let bytes = scenario.shape.level_bytes(task.target, level);
            let next = |_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state as u8
            };
            (0..bytes).map(next).collect()
        });
        Self(levels.collect())
    }

    /// Runs the twins on every region.
    pub(crate) fn apply(
        &mut self,
        scenario: &Scenario,
        task: &Task,
        blocks: &Blocks<'_>,
        cpu: &mut CpuEngine,
    ) -> Result<()> {
        let [unit_width, unit_height] = task.target.footprint;
        let unit_bytes = task.target.block_bytes as usize;
        for region in &scenario.regions {
            let [width, height, _] = region.extent;
            let level = level_extent(scenario.shape.extent, region.level);
            let [pitch, unit_rows, _] =
                task.target.blocks([level[0], level[1], 1]).map(|count| count as usize);
            let [columns, rows, _] = task.target.blocks([width, height, 1]).map(|count| count as usize);
            let (left, top) =
                ((region.offset[0] / unit_width) as usize, (region.offset[1] / unit_height) as usize);
            for slice in 0..slices(region) {
                let gathered = blocks.gather(task, region, slice);
                let made = cpu.run(task, &gathered, width, height)?;
                let z = (region.base_layer + region.offset[2] + slice) as usize;
                for (row, made) in made.chunks_exact(columns * unit_bytes).enumerate().take(rows) {
                    let start = ((z * unit_rows + top + row) * pitch + left) * unit_bytes;
                    self.0[region.level as usize][start..start + made.len()].copy_from_slice(made);
                }
            }
        }
        Ok(())
    }
}

/// Where the kernel finds its blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Blocks<'a> {
    /// A buffer that the regions address.
    Buffer(&'a [u8]),
    /// For each level a grid of all its blocks, slice after slice.
    Grids { grids: &'a [Vec<u8>], extent: [u32; 3] },
}

impl Blocks<'_> {
    /// The blocks of one slice of a region, tightly packed.
    pub(crate) fn gather(&self, task: &Task, region: &Region, slice: u32) -> Vec<u8> {
        let [columns, rows, _] = task.source.blocks(region.extent);
        let mut gathered = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                gathered.extend_from_slice(self.block(task, region, [column, row, slice]));
            }
        }
        gathered
    }

    /// The block at a column, row and slice of a region.
    pub(crate) fn block(&self, task: &Task, region: &Region, [column, row, slice]: [u32; 3]) -> &[u8] {
        let size = u64::from(task.source.block_bytes);
        let (bytes, index) = match self {
            Self::Buffer(bytes) => {
                let (row_pitch, slice_pitch) = pitches(region, task.source);
                let first = region.buffer_offset / size;
                let index =
                    first + u64::from(slice) * slice_pitch + u64::from(row) * row_pitch + u64::from(column);
                (*bytes, index)
            }
            Self::Grids { grids, extent } => {
                let [pitch, rows, _] = task.source.blocks(level_extent(*extent, region.level)).map(u64::from);
                let [width, height] = task.source.footprint;
                let x = u64::from(region.offset[0] / width + column);
                let y = u64::from(region.offset[1] / height + row);
                let z = u64::from(region.base_layer + region.offset[2] + slice);
                (grids[region.level as usize].as_slice(), (z * rows + y) * pitch + x)
            }
        };
        &bytes[(index * size) as usize..][..size as usize]
    }
}
