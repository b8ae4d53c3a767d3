//! Running a kernel on the device through every scenario.

use super::expected::{Blocks, Levels};
use super::plan::{Group, Kernel};
use super::scenario::{Scenario, scenarios};
use crate::engine::{CpuEngine, Task};
use crate::images::{BlockImage, ImageShape, TargetImage};
use anyhow::{Context, Result};
use std::fmt;
use texemu_core::vk;
use texemu_core::{Arena, Buffer, BufferDesc, Commands, Gpu, Location};
use texemu_format::level_extent;
use texemu_reference::blocks::generate;
use texemu_transcode::{DispatchLimits, Job, Region, Source, SourceKind, Transcoder};

/// Runs kernels.
pub(crate) struct Runner {
    gpu: Gpu,
    transcoder: Transcoder,
    /// With the limits of a small device.
    split: Transcoder,
    commands: Commands,
    arena: Arena,
    cpu: CpuEngine,
    blocks: u32,
    seed: u64,
}

/// What became of one kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) jobs: u32,
    pub(crate) blocks: u64,
    pub(crate) texels: u64,
    pub(crate) failure: Option<Failure>,
}

/// The first thing that went wrong.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    Mismatch(Box<Mismatch>),
    /// The kernel could not be run.
    Error(String),
}

/// A texel, or a block of a BC target, that is not what the twin says.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    scenario: &'static str,
    level: u32,
    slice: u32,
    /// In texels.
    x: u32,
    y: u32,
    /// The source block; `None` if no region covers the place.
    block: Option<Vec<u8>>,
    expected: Vec<u8>,
    actual: Vec<u8>,
    /// Texels or target blocks that differ, in this job.
    count: u64,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mismatch = match self {
            Self::Error(error) => return f.write_str(error),
            Self::Mismatch(mismatch) => mismatch,
        };
        let Mismatch { scenario, level, slice, x, y, block, expected, actual, count } = mismatch.as_ref();
        write!(f, "{scenario}: {count} differ, the first at ({x}, {y}), slice {slice}, level {level}")?;
        match block {
            Some(block) => write!(f, ", block {}", hex(block))?,
            None => write!(f, ", which no region covers")?,
        }
        write!(f, ": CPU {}, GPU {}", hex(expected), hex(actual))
    }
}

impl Runner {
    pub(crate) fn new(gpu: &Gpu, blocks: u32, seed: u64) -> Result<Self> {
        let limits = &gpu.capabilities().limits;
        let alignment =
            limits.min_texel_buffer_offset_alignment.max(limits.min_storage_buffer_offset_alignment).max(64);
        let small =
            DispatchLimits { window_blocks: 64, window_alignment: alignment, workgroups: 3, texels: 3000 };
        Ok(Self {
            gpu: gpu.clone(),
            transcoder: Transcoder::new(gpu)?,
            split: Transcoder::new(gpu)?.with_limits(small),
            commands: Commands::new(gpu)?,
            arena: Arena::new(gpu),
            cpu: CpuEngine::default(),
            blocks,
            seed,
        })
    }

    /// Runs one kernel of a group through all scenarios, until one fails.
    pub(crate) fn run(&mut self, group: &Group, kernel: &Kernel) -> Result<Outcome> {
        let task = Task {
            source: group.source,
            target: group.target,
            options: kernel.options,
            source_kind: kernel.source_kind,
        };
        let mut outcome = Outcome::default();
        for scenario in scenarios(group.source, group.target, kernel.is_3d, self.blocks, self.seed) {
            outcome.jobs += 1;
            let result = self.scenario(&scenario, &task, kernel.is_split, &mut outcome);
            outcome.failure = match result {
                Ok(None) => continue,
                Ok(Some(mismatch)) => Some(Failure::Mismatch(Box::new(mismatch))),
                Err(error) if crate::failure::ends_everything(&error) => return Err(error),
                Err(error) => Some(Failure::Error(format!("{}: {error:#}", scenario.name))),
            };
            break;
        }
        Ok(outcome)
    }

    fn scenario(
        &mut self,
        scenario: &Scenario,
        task: &Task,
        is_split: bool,
        outcome: &mut Outcome,
    ) -> Result<Option<Mismatch>> {
        let buffer = scenario.blocks(task.source);
        let grids: Vec<Vec<u8>> = if task.source_kind == SourceKind::StorageImage {
            let count =
                |level| scenario.shape.level_bytes(task.source, level) / u64::from(task.source.block_bytes);
            (0..scenario.shape.levels)
                .map(|level| {
                    generate(
                        task.source,
                        scenario.class,
                        count(level) as usize,
                        scenario.seed + u64::from(level),
                    )
                })
                .collect()
        } else {
            Vec::new()
        };
        let blocks = if grids.is_empty() {
            Blocks::Buffer(&buffer)
        } else {
            Blocks::Grids { grids: &grids, extent: scenario.shape.extent }
        };
        let before = Levels::before(scenario, task);
        let mut expected = before.clone();
        expected.apply(scenario, task, &blocks, &mut self.cpu)?;
        let actual = self.on_device(scenario, task, is_split, &blocks, &before, outcome)?;
        Ok(first_mismatch(scenario, task, &blocks, &expected, &actual))
    }

    /// The image's levels after the job.
    fn on_device(
        &mut self,
        scenario: &Scenario,
        task: &Task,
        is_split: bool,
        blocks: &Blocks<'_>,
        before: &Levels,
        outcome: &mut Outcome,
    ) -> Result<Levels> {
        let gpu = &self.gpu;
        let image = TargetImage::new(gpu, task.target, scenario.shape)?;
        let (starts, bytes) = scenario.shape.packed_levels(task.target);
        let mut fill = new_buffer(gpu, "fill", bytes, Location::Upload)?;
        let mapped = fill.mapped_mut().context("upload memory is not mapped")?;
        for (start, level) in starts.iter().zip(&before.0) {
            mapped[*start as usize..][..level.len()].copy_from_slice(level);
        }
        let readback = new_buffer(gpu, "read back", bytes, Location::Readback)?;

        let mut images = Vec::new();
        let mut uploads = Vec::new();
        match blocks {
            Blocks::Buffer(bytes) => uploads.push(upload(gpu, bytes)?),
            Blocks::Grids { grids, extent } => {
                for (level, grid) in (0..).zip(*grids) {
                    let extent = task.source.blocks(level_extent(*extent, level));
                    let mut shape = ImageShape { extent, levels: 1, ..scenario.shape };
                    if task.target.is_compressed() && shape.image_type == vk::ImageType::TYPE_3D {
                        shape = ImageShape { layers: extent[2], ..ImageShape::plain(extent[0], extent[1]) };
                    }
                    images.push(BlockImage::new(gpu, task.source, shape)?);
                    uploads.push(upload(gpu, grid)?);
                }
            }
        }
        let views: Vec<_> = images.iter().map(|image| image.view).collect();
        let source = match task.source_kind {
            SourceKind::TexelBuffer => Source::TexelBuffer(uploads[0].handle()),
            SourceKind::StorageBuffer => Source::StorageBuffer(uploads[0].handle()),
            SourceKind::StorageImage => Source::StorageImage(&views),
        };
        let job = Job {
            format: task.source,
            source,
            target: image.target(scenario.discard),
            regions: &scenario.regions,
            options: task.options,
        };
        // SAFETY: `Commands::run` waited for everything recorded before.
        unsafe { self.arena.reset() }?;
        let transcoder = if is_split { &self.split } else { &self.transcoder };
        let arena = &mut self.arena;
        let recorded = self.commands.run(|commands| {
            for (image, upload) in images.iter().zip(&uploads) {
                // SAFETY: both live until `run` has waited; the buffer holds the grid.
                unsafe { image.fill(commands, upload, 0, 0) };
            }
            // SAFETY: as above; the buffer holds all levels.
            unsafe { image.fill(gpu, commands, &fill) };
            // SAFETY: the handles live until `run` has waited.
            let recorded = unsafe { transcoder.record(commands, arena, &[job]) }?;
            // SAFETY: as above.
            unsafe { image.read_back(gpu, commands, &readback) };
            Ok::<_, texemu_transcode::Error>(recorded)
        })?;
        outcome.blocks += recorded.blocks;
        outcome.texels += recorded.texels;
        let mapped = readback.mapped().context("read-back memory is not mapped")?;
        let level = |(start, level): (&u64, &Vec<u8>)| mapped[*start as usize..][..level.len()].to_vec();
        Ok(Levels(starts.iter().zip(&before.0).map(level).collect()))
    }
}

fn new_buffer(gpu: &Gpu, name: &str, size: u64, location: Location) -> Result<Buffer> {
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    Ok(Buffer::new(gpu, &BufferDesc { name, size, usage, location })?)
}

fn upload(gpu: &Gpu, bytes: &[u8]) -> Result<Buffer> {
    let mut buffer = new_buffer(gpu, "blocks", bytes.len() as u64, Location::Upload)?;
    buffer.mapped_mut().context("upload memory is not mapped")?.copy_from_slice(bytes);
    Ok(buffer)
}

fn first_mismatch(
    scenario: &Scenario,
    task: &Task,
    blocks: &Blocks<'_>,
    expected: &Levels,
    actual: &Levels,
) -> Option<Mismatch> {
    let unit = task.target.block_bytes as usize;
    for (level, (expected, actual)) in (0..).zip(expected.0.iter().zip(&actual.0)) {
        if expected == actual {
            continue;
        }
        let differs = |index: &usize| expected[index * unit..][..unit] != actual[index * unit..][..unit];
        let mut differing = (0..expected.len() / unit).filter(differs);
        let Some(index) = differing.next() else { continue };
        let extent = level_extent(scenario.shape.extent, level);
        let [columns, rows, _] = task.target.blocks([extent[0], extent[1], 1]).map(|count| count as usize);
        let [x, y] = [index % columns, index / columns % rows];
        let [width, height] = task.target.footprint;
        let (x, y, slice) = (x as u32 * width, y as u32 * height, (index / columns / rows) as u32);
        let bytes = |levels: &[u8]| levels[index * unit..][..unit].to_vec();
        return Some(Mismatch {
            scenario: scenario.name,
            level,
            slice,
            x,
            y,
            block: source_block(scenario, task, blocks, level, [x, y, slice]),
            expected: bytes(expected),
            actual: bytes(actual),
            count: 1 + differing.count() as u64,
        });
    }
    None
}

/// The block that the texel comes from.
fn source_block(
    scenario: &Scenario,
    task: &Task,
    blocks: &Blocks<'_>,
    level: u32,
    texel: [u32; 3],
) -> Option<Vec<u8>> {
    let covers = |region: &&Region| {
        let first = [region.offset[0], region.offset[1], region.offset[2] + region.base_layer];
        let size = [region.extent[0], region.extent[1], region.extent[2] * region.layer_count];
        region.level == level
            && (0..3).all(|axis| (first[axis]..first[axis] + size[axis]).contains(&texel[axis]))
    };
    let region = scenario.regions.iter().find(covers)?;
    let [width, height] = task.source.footprint;
    let column = (texel[0] - region.offset[0]) / width;
    let row = (texel[1] - region.offset[1]) / height;
    let slice = texel[2] - region.offset[2] - region.base_layer;
    Some(blocks.block(task, region, [column, row, slice]).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Task;
    use texemu_transcode::Options;

    #[test]
    fn a_wrong_texel_is_found_with_its_block() {
        let source = texemu_format::by_name("ASTC_6x5_UNORM_BLOCK").expect("in the table");
        let target = source.targets.exact().expect("a source format");
        let options = Options::default();
        let task = Task { source, target, options, source_kind: SourceKind::TexelBuffer };
        for scenario in scenarios(source, target, false, 40, 3) {
            let buffer = scenario.blocks(source);
            let blocks = Blocks::Buffer(&buffer);
            let mut expected = Levels::before(&scenario, &task);
            let mut cpu = CpuEngine::default();
            expected.apply(&scenario, &task, &blocks, &mut cpu).expect("the twin decodes");
            let found = |actual: &Levels| first_mismatch(&scenario, &task, &blocks, &expected, actual);
            assert!(found(&expected).is_none(), "{}: equal levels", scenario.name);

            // The last texel of the last region.
            let region = scenario.regions[scenario.regions.len() - 1];
            let [width, height, _] = level_extent(scenario.shape.extent, region.level);
            let (x, y) = (region.offset[0] + region.extent[0] - 1, region.offset[1] + region.extent[1] - 1);
            let slice = region.base_layer + region.layer_count - 1;
            let index = ((slice * height + y) * width + x) as usize * 4;
            let mut actual = expected.clone();
            actual.0[region.level as usize][index + 3] ^= 1;
            let mismatch = found(&actual).expect("one bit is wrong");
            let place = (mismatch.level, mismatch.slice, mismatch.x, mismatch.y, mismatch.count);
            assert_eq!(place, (region.level, slice, x, y, 1), "{}", scenario.name);
            let [columns, rows, _] = source.blocks(region.extent);
            let block = blocks.block(&task, &region, [columns - 1, rows - 1, region.layer_count - 1]);
            assert_eq!(mismatch.block.as_deref(), Some(block), "{}", scenario.name);
        }
    }

    #[test]
    fn texels_outside_the_regions_count_too() {
        let source = texemu_format::by_name("EAC_R11_UNORM_BLOCK").expect("in the table");
        let target = source.targets.exact().expect("a source format");
        let options = Options::default();
        let task = Task { source, target, options, source_kind: SourceKind::TexelBuffer };
        let all = scenarios(source, target, false, 40, 3);
        let scenario = all.iter().find(|scenario| scenario.name == "regions").expect("the partial one");
        let expected = Levels::before(scenario, &task);
        let mut actual = expected.clone();
        actual.0[0][0] ^= 1;
        let buffer = scenario.blocks(source);
        let found = first_mismatch(scenario, &task, &Blocks::Buffer(&buffer), &expected, &actual);
        let mismatch = found.expect("one bit is wrong");
        assert_eq!(
            (mismatch.x, mismatch.y, mismatch.block),
            (0, 0, None),
            "no region covers the first texel"
        );
    }
}
