//! Shapes and regions made to be awkward.

use crate::bands::common_footprint;
use crate::images::ImageShape;
use texemu_core::vk;
use texemu_format::{Format, level_extent};
use texemu_reference::blocks::{Class, generate};
use texemu_transcode::Region;

/// An image, what is copied into it, and from which blocks.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) shape: ImageShape,
    pub(crate) regions: Vec<Region>,
    /// All of the image is written, so what it held is dropped.
    pub(crate) discard: bool,
    pub(crate) class: Class,
    pub(crate) seed: u64,
}

impl Scenario {
    /// Bytes that the regions' blocks span in a buffer.
    pub(crate) fn buffer_bytes(&self, format: &Format) -> u64 {
        let end = |region: &Region| {
            let (row, slice) = pitches(region, format);
            let [columns, rows, _] = format.blocks(region.extent).map(u64::from);
            let slices = u64::from(slices(region));
            let last = (slices - 1) * slice + (rows - 1) * row + columns;
            region.buffer_offset + last * u64::from(format.block_bytes)
        };
        self.regions.iter().map(end).max().unwrap_or(0)
    }

    /// A buffer full of blocks.
    pub(crate) fn blocks(&self, format: &Format) -> Vec<u8> {
        let count = self.buffer_bytes(format).div_ceil(u64::from(format.block_bytes));
        generate(format, self.class, count as usize, self.seed)
    }
}

/// Layers or slices of a region.
pub(crate) fn slices(region: &Region) -> u32 {
    region.layer_count * region.extent[2]
}

/// Blocks from row to row and from slice to slice in the buffer (Vulkan specification, "Buffer and Image Addressing").
pub(crate) fn pitches(region: &Region, format: &Format) -> (u64, u64) {
    let or = |given: u32, extent: u32| if given == 0 { extent } else { given };
    let row = or(region.buffer_row_length, region.extent[0]).div_ceil(format.footprint[0]);
    let rows = or(region.buffer_image_height, region.extent[1]).div_ceil(format.footprint[1]);
    (row.into(), u64::from(row) * u64::from(rows))
}

/// What every kernel goes through.
pub(crate) fn scenarios(
    source: &Format,
    target: &Format,
    is_3d: bool,
    blocks: u32,
    seed: u64,
) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    let classes = [("legal", Class::Legal), ("random", Class::Random), ("illegal", Class::Corner)];
    for (index, (name, class)) in classes.into_iter().enumerate() {
        let scenario = many_blocks(source, is_3d, blocks);
        scenarios.push(Scenario { name, class, seed: seed + index as u64, ..scenario });
    }
    scenarios.push(levels(source, is_3d, seed + 10));
    scenarios.push(regions(source, target, is_3d, seed + 20));
    for (index, extent) in
        [[1, 1], [1, 17], [13, 1], [source.footprint[0] + 1, source.footprint[1]]].into_iter().enumerate()
    {
        let shape = ImageShape { extent: [extent[0], extent[1], 1], ..base_shape(is_3d) };
        let regions = vec![Region::whole_level(shape.extent, 1, 0, 0)];
        scenarios.push(Scenario {
            name: "tiny",
            shape,
            regions,
            discard: true,
            class: Class::Mixed,
            seed: seed + 30 + index as u64,
        });
    }
    scenarios
}

fn base_shape(is_3d: bool) -> ImageShape {
    let image_type = if is_3d { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D };
    ImageShape { image_type, ..ImageShape::plain(1, 1) }
}

/// One level of about so many blocks, its edges inside blocks.
fn many_blocks(source: &Format, is_3d: bool, blocks: u32) -> Scenario {
    let [width, height] = source.footprint;
    let columns = blocks.isqrt().max(1);
    let rows = blocks.div_ceil(columns);
    let shape = ImageShape {
        extent: [(columns * width - 1).max(1), (rows * height - 2).max(1), 1],
        ..base_shape(is_3d)
    };
    let regions = vec![Region::whole_level(shape.extent, 1, 0, 0)];
    Scenario { name: "", shape, regions, discard: true, class: Class::Legal, seed: 0 }
}

/// All levels to the last, of all layers or slices, one after the other in the buffer.
fn levels(source: &Format, is_3d: bool, seed: u64) -> Scenario {
    let extent = if is_3d { [37, 23, 5] } else { [37, 23, 1] };
    let layers = if is_3d { 1 } else { 6 };
    let shape = ImageShape { extent, levels: 6, layers, ..base_shape(is_3d) };
    let mut offset = 0;
    let mut regions = Vec::new();
    for level in 0..shape.levels {
        regions.push(Region::whole_level(extent, layers, level, offset));
        let bytes = source.level_bytes(level_extent(extent, level)).unwrap_or(0);
        offset += bytes * u64::from(layers);
    }
    Scenario { name: "levels", shape, regions, discard: true, class: Class::Mixed, seed }
}

/// Parts of levels and layers, loosely packed in the buffer; what lies between them must stay.
fn regions(source: &Format, target: &Format, is_3d: bool, seed: u64) -> Scenario {
    let [width, height] = common_footprint(source, target);
    let block = u64::from(source.block_bytes);
    let extent = [width * 5 + 3, height * 4 + 1, if is_3d { 7 } else { 1 }];
    let layers = if is_3d { 1 } else { 4 };
    let shape = ImageShape { extent, levels: 3, layers, ..base_shape(is_3d) };
    // A layer of a 2D image is a slice of a 3D one.
    let place = |region: Region, first: u32, count: u32| {
        if is_3d {
            let [x, y, _] = region.offset;
            let [w, h, _] = region.extent;
            Region { offset: [x, y, first], extent: [w, h, count], layer_count: 1, ..region }
        } else {
            Region { base_layer: first, layer_count: count, ..region }
        }
    };
    let inside = Region {
        buffer_offset: 3 * block,
        buffer_row_length: 2 * width + 7,
        buffer_image_height: 2 * height + 5,
        offset: [width, height, 0],
        extent: [2 * width, 2 * height, 1],
        ..Region::default()
    };
    let edge = Region {
        buffer_offset: 7 * block,
        offset: [4 * width, 3 * height, 0],
        extent: [width + 3, height + 1, 1],
        ..Region::default()
    };
    let level_1 = level_extent(extent, 1);
    let whole = Region {
        level: 1,
        buffer_row_length: level_1[0] + 1,
        extent: [level_1[0], level_1[1], 1],
        ..Region::default()
    };
    let level_2 = level_extent(extent, 2);
    let small = Region {
        level: 2,
        buffer_offset: 11 * block,
        buffer_image_height: level_2[1] + 3,
        extent: [level_2[0], level_2[1], 1],
        ..Region::default()
    };
    let deepest = if is_3d { 0 } else { 3 };
    let regions = vec![place(inside, 1, 2), place(edge, 0, 1), place(whole, 2, 1), place(small, deepest, 1)];
    Scenario { name: "regions", shape, regions, discard: false, class: Class::Mixed, seed }
}
