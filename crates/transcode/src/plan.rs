//! From regions to dispatches: pure arithmetic, so that it is tested without a device.
//!
//! A kernel reads its source through a window (a texel-buffer view, or a range of a storage buffer) whose length and alignment
//! the device limits. Regions whose blocks do not fit one window are cut into pieces of whole slices, then of whole rows of
//! units. A unit is what a kernel numbers: a block for decoders, a workgroup's target tile for re-blocking encoders.

use crate::choose::least_common_multiple;
use crate::error::Result;
use crate::job::{Job, Region, Source};
use bytemuck::{Pod, Zeroable};
use texemu_core::Capabilities;
use texemu_shaders::SourceKind;

/// What bounds one dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DispatchLimits {
    /// Blocks that a window may span.
    pub window_blocks: u64,
    /// What a window's offset in bytes must be a multiple of; a power of two.
    pub window_alignment: u64,
    /// Workgroups in x.
    pub workgroups: u32,
    /// Texels: some drivers kill dispatches that last long.
    pub texels: u64,
}

impl DispatchLimits {
    /// The device's own, for blocks of `block_bytes` read through `source`.
    pub(crate) fn of(capabilities: &Capabilities, source: SourceKind, block_bytes: u32) -> Self {
        let limits = &capabilities.limits;
        let (window_blocks, window_alignment) = match source {
            SourceKind::TexelBuffer => {
                (limits.max_texel_buffer_elements.into(), limits.min_texel_buffer_offset_alignment)
            }
            SourceKind::StorageBuffer => (
                u64::from(limits.max_storage_buffer_range / block_bytes),
                limits.min_storage_buffer_offset_alignment,
            ),
            SourceKind::StorageImage => (u64::MAX, 1),
        };
        Self {
            window_blocks,
            window_alignment,
            workgroups: limits.max_compute_work_group_count[0],
            texels: if capabilities.is_cpu() { 1 << 23 } else { 1 << 27 },
        }
    }
}

/// How a kernel covers its work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Texels a unit, width and height.
    pub(crate) unit: [u32; 2],
    /// Units that this many workgroups take: `(units, workgroups)` in lowest terms or not.
    pub(crate) units: u64,
    pub(crate) workgroups: u64,
}

impl Shape {
    fn workgroups(&self, units: u64) -> u64 {
        (units * self.workgroups).div_ceil(self.units)
    }

    /// The most units whose workgroups do not pass `limit`.
    fn most_units(&self, limit: u64) -> u64 {
        (limit.saturating_mul(self.units) / self.workgroups).max(1)
    }
}

/// The push constants of `glsl/transcode/interface.glsl`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Push {
    pub(crate) source: [u32; 3],
    pub(crate) columns: u32,
    pub(crate) target_offset: [u32; 3],
    pub(crate) units_per_slice: u32,
    pub(crate) target_extent: [u32; 2],
    pub(crate) first_unit: u32,
    pub(crate) end_unit: u32,
    pub(crate) column_divisor: [u32; 2],
    pub(crate) slice_divisor: [u32; 2],
}

/// Multiplier and shift by which `glsl/transcode/region.glsl` divides numbers below 2^31 by `value`.
fn divisor(value: u32) -> [u32; 2] {
    let shift = value.next_power_of_two().trailing_zeros();
    let multiplier = (1u64 << (31 + shift)).div_ceil(value.into());
    [u32::try_from(multiplier).expect("above 2^31, below 2^32"), shift]
}

/// A part of the source buffer: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dispatch {
    /// The region's place in the job.
    pub(crate) region: usize,
    /// Index into [`Plan::windows`].
    pub(crate) window: usize,
    pub(crate) push: Push,
    pub(crate) workgroups: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plan {
    /// Empty for storage-image sources.
    pub(crate) windows: Vec<Window>,
    pub(crate) dispatches: Vec<Dispatch>,
}

/// A region, or a part of it that one window holds.
#[derive(Clone, Copy, Debug)]
struct Piece {
    index: usize,
    region: Region,
    /// The first block, counted from the buffer's start, and one past the last.
    blocks: (u64, u64),
    pitches: (u64, u64),
}

/// Checks the regions and cuts them into dispatches.
pub(crate) fn plan(job: &Job<'_>, shape: &Shape, limits: &DispatchLimits) -> Result<Plan> {
    for (index, region) in job.regions.iter().enumerate() {
        region.check(index, job)?;
    }
    let mut plan = Plan::default();
    if matches!(job.source, Source::StorageImage(_)) {
        for (index, region) in job.regions.iter().enumerate() {
            let [width, height] = job.format.footprint;
            let first = [region.offset[0] / width, region.offset[1] / height, region.first_slice()];
            push_dispatches(&mut plan, shape, limits, index, region, first, 0);
        }
        return Ok(plan);
    }
    let whole: Vec<Piece> =
        job.regions.iter().enumerate().map(|(index, region)| Piece::new(job, index, *region)).collect();
    let start = whole.iter().map(|piece| piece.blocks.0).min().unwrap_or(0);
    let end = whole.iter().map(|piece| piece.blocks.1).max().unwrap_or(0);
    if fits(job, limits, start, end) {
        plan.windows.extend(window(job, limits, start, end));
        for piece in &whole {
            push_piece(&mut plan, job, shape, limits, piece, 0);
        }
    } else {
        for piece in whole {
            for piece in split(job, shape, limits, piece) {
                let index = plan.windows.len();
                plan.windows.extend(window(job, limits, piece.blocks.0, piece.blocks.1));
                push_piece(&mut plan, job, shape, limits, &piece, index);
            }
        }
    }
    Ok(plan)
}

impl Piece {
    fn new(job: &Job<'_>, index: usize, region: Region) -> Self {
        let pitches = region.pitches(job.format);
        let first = region.buffer_offset / u64::from(job.format.block_bytes);
        Self::at(job, index, region, first, pitches)
    }

    fn at(job: &Job<'_>, index: usize, region: Region, first: u64, pitches: (u64, u64)) -> Self {
        let [columns, rows, _] = job.format.blocks(region.extent).map(u64::from);
        let slices = u64::from(region.slices());
        let last = first + (slices - 1) * pitches.1 + (rows - 1) * pitches.0 + columns;
        Self { index, region, blocks: (first, last), pitches }
    }
}

/// Whether one window holds the blocks from `start` to `end`, and 32 bits count them.
fn fits(job: &Job<'_>, limits: &DispatchLimits, start: u64, end: u64) -> bool {
    let bytes = u64::from(job.format.block_bytes);
    let slack = (start * bytes) % limits.window_alignment.max(bytes) / bytes;
    end - start + slack <= limits.window_blocks.min(1 << 31)
}

fn window(job: &Job<'_>, limits: &DispatchLimits, start: u64, end: u64) -> Option<Window> {
    let bytes = u64::from(job.format.block_bytes);
    let alignment = limits.window_alignment.max(bytes);
    let offset = start * bytes / alignment * alignment;
    (end > start).then_some(Window { offset, bytes: end * bytes - offset })
}

/// Whole slices while they fit; where one slice does not, rows that both blocks and units divide.
fn split(job: &Job<'_>, shape: &Shape, limits: &DispatchLimits, piece: Piece) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let step = least_common_multiple(job.format.footprint[1], shape.unit[1]);
    let step_blocks = step / job.format.footprint[1];
    let steps = piece.region.extent[1].div_ceil(step);
    for slice in 0..piece.region.slices() {
        let first = piece.blocks.0 + u64::from(slice) * piece.pitches.1;
        let mut row = 0;
        while row < steps {
            let mut count = steps - row;
            let start = first + u64::from(row * step_blocks) * piece.pitches.0;
            let part = |count: u32| {
                let mut region = one_slice(&piece.region, slice);
                region.offset[1] += row * step;
                region.extent[1] = (region.extent[1] - row * step).min(count * step);
                Piece::at(job, piece.index, region, start, piece.pitches)
            };
            while count > 1 && !fits(job, limits, start, part(count).blocks.1) {
                count = count.div_ceil(2);
            }
            pieces.push(part(count));
            row += count;
        }
    }
    pieces
}

fn one_slice(region: &Region, slice: u32) -> Region {
    let mut region = *region;
    if region.extent[2] > 1 {
        region.offset[2] += slice;
        region.extent[2] = 1;
    } else {
        region.base_layer += slice;
        region.layer_count = 1;
    }
    region
}

fn push_piece(
    plan: &mut Plan,
    job: &Job<'_>,
    shape: &Shape,
    limits: &DispatchLimits,
    piece: &Piece,
    window: usize,
) {
    let bytes = u64::from(job.format.block_bytes);
    let base = piece.blocks.0 - plan.windows[window].offset / bytes;
    // A pitch that 32 bits do not hold belongs to a single row or slice, where it is not used.
    let narrow = |value: u64| u32::try_from(value).unwrap_or(0);
    let source = [narrow(base), narrow(piece.pitches.0), narrow(piece.pitches.1)];
    push_dispatches(plan, shape, limits, piece.index, &piece.region, source, window);
}

fn push_dispatches(
    plan: &mut Plan,
    shape: &Shape,
    limits: &DispatchLimits,
    index: usize,
    region: &Region,
    source: [u32; 3],
    window: usize,
) {
    let columns = region.extent[0].div_ceil(shape.unit[0]);
    let units_per_slice = columns * region.extent[1].div_ceil(shape.unit[1]);
    let units = u64::from(units_per_slice) * u64::from(region.slices());
    let unit_texels = u64::from(shape.unit[0] * shape.unit[1]);
    let most = shape.most_units(limits.workgroups.into()).min((limits.texels / unit_texels).max(1));
    // A workgroup's units stay together: a split in the middle of one would leave lanes idle.
    let group = shape.units.div_ceil(shape.workgroups);
    let most = if most > group { most / group * group } else { most };
    let mut first = 0;
    while first < units {
        let end = units.min(first + most);
        let narrow = |value: u64| u32::try_from(value).expect("an image has fewer than 2^32 units");
        plan.dispatches.push(Dispatch {
            region: index,
            window,
            push: Push {
                source,
                columns,
                target_offset: [region.offset[0], region.offset[1], region.first_slice()],
                units_per_slice,
                target_extent: [region.extent[0], region.extent[1]],
                first_unit: narrow(first),
                end_unit: narrow(end),
                column_divisor: divisor(columns),
                slice_divisor: divisor(units_per_slice),
            },
            workgroups: narrow(shape.workgroups(end - first)),
        });
        first = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Options, Target};
    use texemu_core::vk;
    use texemu_format::by_name;

    const LIMITS: DispatchLimits =
        DispatchLimits { window_blocks: 1 << 27, window_alignment: 16, workgroups: 65_535, texels: 1 << 27 };
    const BLOCKWISE: Shape = Shape { unit: [6, 6], units: 32, workgroups: 1 };

    fn job<'a>(extent: [u32; 3], layers: u32, regions: &'a [Region]) -> Job<'a> {
        let format = by_name("ASTC_6x6_UNORM_BLOCK").expect("in the table");
        Job {
            format,
            source: Source::TexelBuffer(vk::Buffer::null()),
            target: Target {
                image: vk::Image::null(),
                format: format.targets.exact().expect("a source format"),
                image_type: vk::ImageType::TYPE_2D,
                extent,
                levels: 3,
                layers,
                layout: vk::ImageLayout::GENERAL,
                discard: false,
                views: &[],
            },
            regions,
            options: Options::default(),
        }
    }

    /// Every block of every region exactly once, as (byte in the buffer, texel x, y, slice).
    fn covered(job: &Job<'_>, plan: &Plan) -> Vec<(u64, u32, u32, u32)> {
        let mut blocks = Vec::new();
        for dispatch in &plan.dispatches {
            let (push, window) = (&dispatch.push, plan.windows[dispatch.window]);
            for unit in push.first_unit..push.end_unit {
                let (slice, rest) = (unit / push.units_per_slice, unit % push.units_per_slice);
                let (row, column) = (rest / push.columns, rest % push.columns);
                let block = push.source[0] + slice * push.source[2] + row * push.source[1] + column;
                let byte = window.offset + u64::from(block) * u64::from(job.format.block_bytes);
                assert!(byte + 16 <= window.offset + window.bytes, "block {block} lies in its window");
                blocks.push((
                    byte,
                    push.target_offset[0] + column * 6,
                    push.target_offset[1] + row * 6,
                    push.target_offset[2] + slice,
                ));
            }
        }
        blocks
    }

    fn expected(job: &Job<'_>) -> Vec<(u64, u32, u32, u32)> {
        let mut blocks = Vec::new();
        for region in job.regions {
            let (row_pitch, slice_pitch) = region.pitches(job.format);
            let [columns, rows, _] = job.format.blocks(region.extent);
            for slice in 0..region.slices() {
                for row in 0..rows {
                    for column in 0..columns {
                        let block =
                            u64::from(slice) * slice_pitch + u64::from(row) * row_pitch + u64::from(column);
                        blocks.push((
                            region.buffer_offset + block * 16,
                            region.offset[0] + column * 6,
                            region.offset[1] + row * 6,
                            region.first_slice() + slice,
                        ));
                    }
                }
            }
        }
        blocks
    }

    fn regions() -> Vec<Region> {
        let region = Region {
            buffer_offset: 48,
            buffer_row_length: 100,
            buffer_image_height: 61,
            base_layer: 1,
            layer_count: 3,
            offset: [6, 12, 0],
            extent: [84, 41, 1],
            ..Region::default()
        };
        let small = Region {
            level: 1,
            layer_count: 1,
            extent: [45, 26, 1],
            buffer_offset: 1 << 20,
            ..Region::default()
        };
        vec![region, small]
    }

    #[test]
    fn divisors_divide_every_number_below_2_to_the_31() {
        let divide = |number: u32, [multiplier, shift]: [u32; 2]| {
            ((u64::from(number << 1) * u64::from(multiplier)) >> 32 >> shift) as u32
        };
        let values =
            (1..2000).chain([4095, 4096, 4097, 65_535, (1 << 24) + 1, (1 << 30) + 1, (1 << 31) - 1, 1 << 31]);
        for value in values {
            let by = divisor(value);
            // Quotients change at multiples: they and their neighbours decide.
            let last = ((1 << 31) - 1) / value;
            for multiple in [0, 1, 2, 3, last / 3, last / 2, last].map(|multiple| multiple.min(last)) {
                for number in [multiple * value, (multiple * value).saturating_sub(1), (1 << 31) - 1] {
                    assert_eq!(divide(number, by), number / value, "{number} / {value}");
                }
            }
        }
    }

    #[test]
    fn one_window_serves_all_regions_where_it_can() {
        let regions = regions();
        let job = job([90, 53, 1], 4, &regions);
        let plan = plan(&job, &BLOCKWISE, &LIMITS).expect("the regions are valid");
        assert_eq!(plan.windows.len(), 1, "one view suffices");
        assert_eq!(plan.dispatches.len(), 2, "one dispatch a region, layers together");
        assert_eq!(covered(&job, &plan), expected(&job), "every block once, in its place");
    }

    #[test]
    fn small_windows_and_dispatches_cover_the_same_blocks() {
        let regions = regions();
        let job = job([90, 53, 1], 4, &regions);
        for window_blocks in [14 + 16, 40, 64, 100, 1000] {
            for (workgroups, texels) in [(1, 1 << 27), (2, 1 << 27), (65_535, 36), (65_535, 36 * 33)] {
                let limits = DispatchLimits { window_blocks, window_alignment: 256, workgroups, texels };
                let plan = plan(&job, &BLOCKWISE, &limits).expect("the regions are valid");
                for window in &plan.windows {
                    assert_eq!(window.offset % 256, 0, "windows are aligned");
                    assert!(
                        window.bytes / 16 <= window_blocks,
                        "{window:?} holds at most {window_blocks} blocks"
                    );
                }
                assert!(plan.dispatches.iter().all(|dispatch| dispatch.workgroups <= workgroups));
                let mut blocks = covered(&job, &plan);
                let mut wanted = expected(&job);
                blocks.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(
                    blocks, wanted,
                    "windows of {window_blocks} blocks, {workgroups} groups, {texels} texels"
                );
            }
        }
    }

    #[test]
    fn regions_that_would_read_or_write_elsewhere_are_refused() {
        let good = regions()[0];
        let cases = [
            (Region { level: 3, ..good }, "level 3"),
            (Region { base_layer: 2, ..good }, "layers 2 to 5"),
            (Region { layer_count: 0, ..good }, "layers 1 to 1"),
            (Region { base_layer: u32::MAX, layer_count: u32::MAX, ..good }, "layers"),
            (Region { extent: [0, 6, 1], ..good }, "empty"),
            (Region { offset: [7, 12, 0], extent: [83, 41, 1], ..good }, "inside"),
            (Region { offset: [u32::MAX, 0, 0], ..good }, "pass the level's end"),
            (Region { extent: [83, 41, 1], ..good }, "ends inside"),
            (Region { extent: [84, 41, 2], ..good }, "pass the level's end"),
            (Region { buffer_offset: 40, ..good }, "no multiple"),
            (Region { buffer_row_length: 80, ..good }, "row length"),
            (Region { buffer_image_height: 40, ..good }, "image height"),
        ];
        for (region, word) in cases {
            let regions = [good, region];
            let error =
                plan(&job([90, 53, 1], 4, &regions), &BLOCKWISE, &LIMITS).expect_err(word).to_string();
            assert!(error.starts_with("region 1: ") && error.contains(word), "{error:?} tells of {word:?}");
        }
    }

    #[test]
    fn pitches_beyond_32_bits_split_into_slices() {
        let region = Region {
            buffer_row_length: 1 << 20,
            buffer_image_height: 1 << 20,
            layer_count: 4,
            extent: [12, 6, 1],
            ..Region::default()
        };
        let regions = [region];
        let job = job([12, 6, 1], 4, &regions);
        let plan = plan(&job, &BLOCKWISE, &LIMITS).expect("valid, if sparse");
        assert_eq!(plan.windows.len(), 4, "a window a layer");
        assert_eq!(covered(&job, &plan), expected(&job), "every block once, in its place");
    }
}
