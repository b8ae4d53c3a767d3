//! The compressed plane: where an image's blocks lie in its buffer, and which bytes a copy moves. Pure arithmetic.

use texemu_core::vk;
use texemu_format::{Format, level_extent};
use texemu_transcode::Region;

/// The blocks of an image, level by level; in a level layer by layer or slice by slice, row by row, with nothing between.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlaneLayout {
    pub(crate) levels: Vec<LevelLayout>,
    /// In all.
    pub(crate) bytes: u64,
}

/// One level: a grid of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LevelLayout {
    /// Bytes from the plane's start.
    pub(crate) offset: u64,
    /// Texels.
    pub(crate) extent: [u32; 3],
    pub(crate) columns: u32,
    pub(crate) rows: u32,
    /// Array layers or depth slices.
    pub(crate) slices: u32,
}

impl PlaneLayout {
    /// `None` past 64 bits.
    pub(crate) fn new(format: &Format, extent: [u32; 3], levels: u32, layers: u32) -> Option<Self> {
        let mut bytes: u64 = 0;
        let mut list = Vec::with_capacity(levels as usize);
        for level in 0..levels {
            let extent = level_extent(extent, level);
            let [columns, rows, depth] = format.blocks(extent);
            list.push(LevelLayout {
                offset: bytes,
                extent,
                columns,
                rows,
                slices: depth.checked_mul(layers)?,
            });
            bytes = format.level_bytes(extent)?.checked_mul(layers.into())?.checked_add(bytes)?;
        }
        Some(Self { levels: list, bytes })
    }
}

/// A box of blocks in one level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Blocks {
    pub(crate) level: u32,
    /// The first column, row and layer or slice.
    pub(crate) first: [u32; 3],
    /// Columns, rows and layers or slices.
    pub(crate) size: [u32; 3],
}

/// Blocks in a buffer: where the first lies in bytes, and how many blocks on the next row and slice are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pitched {
    pub(crate) offset: u64,
    pub(crate) row: u64,
    pub(crate) slice: u64,
}

impl LevelLayout {
    /// Where a box of this level lies.
    pub(crate) fn place(&self, format: &Format, first: [u32; 3]) -> Pitched {
        let (row, slice) = (u64::from(self.columns), u64::from(self.columns) * u64::from(self.rows));
        let [x, y, z] = first.map(u64::from);
        let block = z * slice + y * row + x;
        Pitched { offset: self.offset + block * u64::from(format.block_bytes), row, slice }
    }

    /// Whether the box lies inside the level.
    pub(crate) fn holds(&self, blocks: &Blocks) -> bool {
        let size = [self.columns, self.rows, self.slices];
        (0..3).all(|axis| u64::from(blocks.first[axis]) + u64::from(blocks.size[axis]) <= size[axis].into())
    }
}

impl Pitched {
    /// What a `VkBufferImageCopy` addresses (Vulkan specification, "Buffer and Image Addressing").
    pub(crate) fn of_region(region: &Region, format: &Format) -> Self {
        let texels = |given: u32, extent: u32| if given == 0 { extent } else { given };
        let row = u64::from(texels(region.buffer_row_length, region.extent[0]).div_ceil(format.footprint[0]));
        let rows =
            u64::from(texels(region.buffer_image_height, region.extent[1]).div_ceil(format.footprint[1]));
        Self { offset: region.buffer_offset, row, slice: row * rows }
    }

    /// A box of `size` blocks without gaps.
    pub(crate) fn tight(offset: u64, size: [u32; 3]) -> Self {
        Self { offset, row: size[0].into(), slice: u64::from(size[0]) * u64::from(size[1]) }
    }

    /// The region of an image of `format` that these blocks fill: `blocks` of a level of `extent` texels, `layered` if
    /// slices are array layers. Row and image lengths are in texels of `format`.
    pub(crate) fn region(&self, format: &Format, blocks: &Blocks, extent: [u32; 3], layered: bool) -> Region {
        let [width, height] = format.footprint;
        let offset = [blocks.first[0] * width, blocks.first[1] * height];
        let clip = |axis: usize, block: u32| {
            (blocks.size[axis] * block).min(extent[axis].saturating_sub(offset[axis]))
        };
        let rows = self.slice.checked_div(self.row).unwrap_or(0);
        let texels = |blocks: u64, block: u32| u32::try_from(blocks * u64::from(block)).unwrap_or(0);
        let (z, layer) = if layered { (0, blocks.first[2]) } else { (blocks.first[2], 0) };
        let (depth, layers) = if layered { (1, blocks.size[2]) } else { (blocks.size[2], 1) };
        Region {
            buffer_offset: self.offset,
            buffer_row_length: texels(self.row, width),
            buffer_image_height: texels(rows, height),
            level: blocks.level,
            base_layer: layer,
            layer_count: layers,
            offset: [offset[0], offset[1], z],
            extent: [clip(0, width), clip(1, height), depth],
        }
    }
}

/// The blocks that a region covers.
pub(crate) fn blocks_of(region: &Region, format: &Format) -> Blocks {
    let [width, height] = format.footprint;
    Blocks {
        level: region.level,
        first: [region.offset[0] / width, region.offset[1] / height, region.offset[2] + region.base_layer],
        size: [
            region.extent[0].div_ceil(width),
            region.extent[1].div_ceil(height),
            region.extent[2].saturating_mul(region.layer_count),
        ],
    }
}

/// Adds the copies that move a box of `size` blocks of `block_bytes` bytes: as few as the two pitches allow.
pub(crate) fn add_copies(
    copies: &mut Vec<vk::BufferCopy>,
    from: Pitched,
    to: Pitched,
    size: [u32; 3],
    block_bytes: u32,
) {
    let bytes = u64::from(block_bytes);
    let [columns, rows, slices] = size.map(u64::from);
    let whole_rows = rows == 1 || (from.row == columns && to.row == columns);
    let whole_slices = slices == 1 || (from.slice == columns * rows && to.slice == columns * rows);
    let (slices, rows, run) = match (whole_rows, whole_rows && whole_slices) {
        (_, true) => (1, 1, columns * rows * slices),
        (true, _) => (slices, 1, columns * rows),
        _ => (slices, rows, columns),
    };
    for slice in 0..slices {
        for row in 0..rows {
            copies.push(vk::BufferCopy {
                src_offset: from.offset + (slice * from.slice + row * from.row) * bytes,
                dst_offset: to.offset + (slice * to.slice + row * to.row) * bytes,
                size: run * bytes,
            });
        }
    }
}

/// The smallest box of whole blocks of both formats that covers `blocks` of `format`, in a level of `extent` texels:
/// what has to be encoded again when a copy cuts blocks of `target`. Boxes on the same slices that touch become one.
pub(crate) fn widen(
    format: &Format,
    target: &Format,
    extents: &[LevelLayout],
    blocks: &[Blocks],
) -> Vec<Blocks> {
    let mut wide: Vec<Blocks> = Vec::with_capacity(blocks.len());
    for one in blocks {
        let level = &extents[one.level as usize];
        let mut one = *one;
        for (axis, blocks) in [level.columns, level.rows].into_iter().enumerate() {
            // In blocks of `format`: how many make up whole blocks of both.
            let step = lcm(format.footprint[axis], target.footprint[axis]) / format.footprint[axis];
            let end = (one.first[axis] + one.size[axis]).next_multiple_of(step).min(blocks);
            one.first[axis] = one.first[axis] / step * step;
            one.size[axis] = end - one.first[axis];
        }
        while let Some(index) = wide.iter().position(|other| overlap(other, &one)) {
            let other = wide.swap_remove(index);
            for axis in 0..3 {
                let first = one.first[axis].min(other.first[axis]);
                let end = (one.first[axis] + one.size[axis]).max(other.first[axis] + other.size[axis]);
                (one.first[axis], one.size[axis]) = (first, end - first);
            }
        }
        wide.push(one);
    }
    wide
}

fn overlap(a: &Blocks, b: &Blocks) -> bool {
    a.level == b.level
        && (0..3).all(|axis| {
            a.first[axis] < b.first[axis] + b.size[axis] && b.first[axis] < a.first[axis] + a.size[axis]
        })
}

fn lcm(a: u32, b: u32) -> u32 {
    let gcd = |mut a: u32, mut b: u32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    a / gcd(a, b) * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use texemu_format::by_name;

    fn format(name: &str) -> &'static Format {
        by_name(name).expect("in the table")
    }

    #[test]
    fn levels_follow_one_another() {
        let layout = PlaneLayout::new(format("ASTC_6x5_UNORM_BLOCK"), [13, 11, 1], 4, 3).expect("small");
        let grids: Vec<_> =
            layout.levels.iter().map(|level| (level.columns, level.rows, level.offset)).collect();
        assert_eq!(grids, [(3, 3, 0), (1, 1, 9 * 3 * 16), (1, 1, 10 * 3 * 16), (1, 1, 11 * 3 * 16)]);
        assert_eq!(layout.bytes, 12 * 3 * 16);
        let volume = PlaneLayout::new(format("EAC_R11_UNORM_BLOCK"), [8, 8, 5], 2, 1).expect("small");
        assert_eq!(volume.levels[1].slices, 2, "depth halves too");
        assert_eq!(volume.bytes, (4 * 5 + 2) * 8);
    }

    #[test]
    fn planes_beyond_4_gib_are_counted_in_64_bits() {
        let layout =
            PlaneLayout::new(format("ASTC_4x4_UNORM_BLOCK"), [32768, 32768, 1], 16, 6).expect("fits 64 bits");
        assert_eq!(layout.levels[1].offset, 8192 * 8192 * 16 * 6, "6 GiB");
        let last = layout.levels[0].place(format("ASTC_4x4_UNORM_BLOCK"), [8191, 8191, 5]);
        assert_eq!(last.offset, layout.levels[1].offset - 16, "the last block of level 0");
        assert_eq!(PlaneLayout::new(format("ASTC_4x4_UNORM_BLOCK"), [u32::MAX; 3], 1, u32::MAX), None);
    }

    /// Moves bytes as the copies say.
    fn run(copies: &[vk::BufferCopy], source: &[u8], target: &mut [u8]) {
        for copy in copies {
            let (from, to, size) = (copy.src_offset as usize, copy.dst_offset as usize, copy.size as usize);
            target[to..to + size].copy_from_slice(&source[from..from + size]);
        }
    }

    #[test]
    fn copies_move_every_block_and_nothing_else() {
        let source: Vec<u8> = (0..4096u32).map(|value| (value * 7 + value / 256) as u8).collect();
        let size = [3, 4, 2];
        for (from, to, count) in [
            (Pitched { offset: 8, row: 3, slice: 12 }, Pitched { offset: 16, row: 3, slice: 12 }, 1),
            (Pitched { offset: 8, row: 3, slice: 15 }, Pitched { offset: 0, row: 3, slice: 12 }, 2),
            (Pitched { offset: 0, row: 5, slice: 20 }, Pitched { offset: 24, row: 3, slice: 12 }, 8),
            (Pitched { offset: 0, row: 3, slice: 12 }, Pitched { offset: 0, row: 4, slice: 30 }, 8),
        ] {
            let mut copies = Vec::new();
            add_copies(&mut copies, from, to, size, 8);
            assert_eq!(copies.len(), count, "{from:?} to {to:?}");
            let (mut moved, mut expected) = (vec![0xAA; 4096], vec![0xAA; 4096]);
            run(&copies, &source, &mut moved);
            for block in 0..24u64 {
                let (x, y, z) = (block % 3, block / 3 % 4, block / 12);
                let at = |pitched: &Pitched| {
                    (pitched.offset + (z * pitched.slice + y * pitched.row + x) * 8) as usize
                };
                expected[at(&to)..][..8].copy_from_slice(&source[at(&from)..][..8]);
            }
            assert_eq!(moved, expected, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn cut_target_blocks_are_encoded_whole() {
        let (astc, bc) = (format("ASTC_5x5_UNORM_BLOCK"), format("BC7_UNORM_BLOCK"));
        let layout = PlaneLayout::new(astc, [64, 33, 1], 1, 4).expect("small");
        let one = |first, size| Blocks { level: 0, first, size };
        assert_eq!(
            widen(astc, bc, &layout.levels, &[one([1, 1, 2], [1, 1, 1])]),
            [one([0, 0, 2], [4, 4, 1])],
            "20 texels are whole blocks of both"
        );
        assert_eq!(
            widen(astc, bc, &layout.levels, &[one([9, 5, 0], [4, 2, 4])]),
            [one([8, 4, 0], [5, 3, 4])],
            "the level's edge ends blocks too"
        );
        let pair = [one([0, 0, 0], [1, 1, 1]), one([6, 0, 0], [1, 1, 1]), one([2, 1, 0], [3, 1, 1])];
        assert_eq!(
            widen(astc, bc, &layout.levels, &pair),
            [one([0, 0, 0], [8, 4, 1])],
            "touching boxes become one"
        );
        let eight = format("ASTC_8x8_UNORM_BLOCK");
        let layout = PlaneLayout::new(eight, [64, 64, 1], 1, 1).expect("small");
        let inner = one([1, 1, 0], [1, 1, 1]);
        assert_eq!(widen(eight, bc, &layout.levels, &[inner]), [inner], "8 is a multiple of 4");
    }

    #[test]
    fn regions_and_blocks_agree() {
        let astc = format("ASTC_6x5_UNORM_BLOCK");
        let layout = PlaneLayout::new(astc, [40, 23, 1], 2, 5).expect("small");
        let region = Region {
            level: 1,
            base_layer: 2,
            layer_count: 3,
            offset: [6, 5, 0],
            extent: [14, 6, 1],
            ..Region::default()
        };
        let blocks = blocks_of(&region, astc);
        assert_eq!(blocks, Blocks { level: 1, first: [1, 1, 2], size: [3, 2, 3] });
        assert!(layout.levels[1].holds(&blocks), "inside 20 x 11 texels, five layers");
        let place = layout.levels[1].place(astc, blocks.first);
        let back = place.region(astc, &blocks, layout.levels[1].extent, true);
        let expected =
            Region { buffer_offset: place.offset, buffer_row_length: 24, buffer_image_height: 15, ..region };
        assert_eq!(back, expected, "clipped at the level's edge, pitches in texels");
        assert_eq!(Pitched::of_region(&back, astc), place, "and the same place again");
    }
}
