//! What an emulated image should hold: its blocks, kept on the CPU and changed by the same copies.

use crate::common::texture::TextureDesc;
use texemu_core::vk;
use texemu_reference::blocks::{Class, Rng, generate};

/// The blocks of every level.
pub(crate) struct Model {
    pub(crate) desc: TextureDesc,
    pub(crate) levels: Vec<Vec<u8>>,
}

/// A part of a level's grid of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Whole,
    FirstBlock,
    LastBlock,
    Interior,
    RightEdge,
    BottomEdge,
    Row,
}

pub(crate) const PARTS: [Part; 7] = [
    Part::Whole,
    Part::FirstBlock,
    Part::LastBlock,
    Part::Interior,
    Part::RightEdge,
    Part::BottomEdge,
    Part::Row,
];

/// `bufferRowLength` and `bufferImageHeight`, as added to the extent; `None` for 0.
pub(crate) const PITCHES: [Option<[u32; 2]>; 4] = [None, Some([0, 0]), Some([3, 5]), Some([100, 1])];

impl Model {
    pub(crate) fn new(desc: TextureDesc, class: Class, seed: u64) -> Self {
        Self { desc, levels: desc.blocks(class, seed) }
    }

    /// A level's columns, rows and layers or slices of blocks.
    pub(crate) fn grid(&self, level: u32) -> [u32; 3] {
        self.desc.format.blocks(self.desc.size(level))
    }

    /// A copy of a part of a level, of `slices` (first and count) of its layers or depth.
    pub(crate) fn region(
        &self,
        level: u32,
        part: Part,
        slices: (u32, u32),
        pitch: Option<[u32; 2]>,
        buffer_offset: u64,
    ) -> vk::BufferImageCopy {
        let [columns, rows, _] = self.grid(level);
        let (x, y, width, height) = match part {
            Part::Whole => (0, 0, columns, rows),
            Part::FirstBlock => (0, 0, 1, 1),
            Part::LastBlock => (columns - 1, rows - 1, 1, 1),
            Part::Interior => {
                let inner = |blocks: u32| (u32::from(blocks > 1), blocks.saturating_sub(2).max(1));
                let ((x, width), (y, height)) = (inner(columns), inner(rows));
                (x, y, width, height)
            }
            Part::RightEdge => (columns / 2, 0, columns - columns / 2, rows),
            Part::BottomEdge => (0, rows / 2, columns, rows - rows / 2),
            Part::Row => (0, rows / 2, columns, 1),
        };
        self.blocks_region(level, [x, y, slices.0], [width, height, slices.1], pitch, buffer_offset)
    }

    /// A copy of a box of blocks.
    pub(crate) fn blocks_region(
        &self,
        level: u32,
        first: [u32; 3],
        size: [u32; 3],
        pitch: Option<[u32; 2]>,
        buffer_offset: u64,
    ) -> vk::BufferImageCopy {
        let footprint = self.desc.format.footprint;
        let edge = self.desc.size(level);
        let axis = |axis: usize| {
            let offset = first[axis] * footprint[axis];
            (offset, (size[axis] * footprint[axis]).min(edge[axis] - offset))
        };
        let ((x, width), (y, height)) = (axis(0), axis(1));
        let volume = self.desc.extent[2] > 1;
        let (z, depth) = if volume { (first[2], size[2]) } else { (0, 1) };
        let (layer, layers) = if volume { (0, 1) } else { (first[2], size[2]) };
        let [row_length, image_height] = pitch.map_or([0, 0], |[row, rows]| [width + row, height + rows]);
        vk::BufferImageCopy {
            buffer_offset,
            buffer_row_length: row_length,
            buffer_image_height: image_height,
            image_subresource: self.desc.subresource(level, layer, layers),
            image_offset: vk::Offset3D { x: x as i32, y: y as i32, z: z as i32 },
            image_extent: vk::Extent3D { width, height, depth },
        }
    }

    /// Where each block of a region lies: its place in the buffer, and in the level's bytes.
    pub(crate) fn places(&self, copy: &vk::BufferImageCopy) -> Vec<(usize, usize)> {
        let format = self.desc.format;
        let [columns, rows, _] = self.grid(copy.image_subresource.mip_level);
        let [fw, fh] = format.footprint;
        let texels = |given: u32, extent: u32| if given == 0 { extent } else { given };
        let row = texels(copy.buffer_row_length, copy.image_extent.width).div_ceil(fw);
        let slice = row * texels(copy.buffer_image_height, copy.image_extent.height).div_ceil(fh);
        let (x, y) = (copy.image_offset.x as u32 / fw, copy.image_offset.y as u32 / fh);
        let z = copy.image_offset.z as u32 + copy.image_subresource.base_array_layer;
        let size = format.blocks([
            copy.image_extent.width,
            copy.image_extent.height,
            copy.image_extent.depth * copy.image_subresource.layer_count,
        ]);
        let bytes = format.block_bytes;
        let mut places = Vec::new();
        for k in 0..size[2] {
            for j in 0..size[1] {
                for i in 0..size[0] {
                    let from = copy.buffer_offset + u64::from((k * slice + j * row + i) * bytes);
                    let to = (((z + k) * rows + y + j) * columns + x + i) * bytes;
                    places.push((from as usize, to as usize));
                }
            }
        }
        places
    }

    /// Bytes of the buffer that the regions reach.
    pub(crate) fn reach(&self, copies: &[vk::BufferImageCopy]) -> usize {
        let bytes = self.desc.format.block_bytes as usize;
        copies.iter().flat_map(|copy| self.places(copy)).map(|(from, _)| from + bytes).max().unwrap_or(0)
    }

    /// Does what a copy from `buffer` does.
    pub(crate) fn apply(&mut self, copies: &[vk::BufferImageCopy], buffer: &[u8]) {
        let bytes = self.desc.format.block_bytes as usize;
        for copy in copies {
            for (from, to) in self.places(copy) {
                let level = &mut self.levels[copy.image_subresource.mip_level as usize];
                level[to..to + bytes].copy_from_slice(&buffer[from..from + bytes]);
            }
        }
    }

    /// A buffer's content that the regions may copy from: blocks everywhere, also where none is read.
    pub(crate) fn buffer(&self, copies: &[vk::BufferImageCopy], class: Class, seed: u64) -> Vec<u8> {
        let bytes = self.desc.format.block_bytes as usize;
        generate(self.desc.format, class, self.reach(copies).div_ceil(bytes), seed)
    }

    /// Some regions of one copy that do not overlap: one of each of several levels, of random parts and pitches.
    pub(crate) fn random_regions(&self, rng: &mut Rng) -> Vec<vk::BufferImageCopy> {
        let bytes = u64::from(self.desc.format.block_bytes);
        let mut offset = bytes * u64::from(rng.below(4));
        let mut copies = Vec::new();
        for level in 0..self.desc.levels {
            if copies.len() > 1 && rng.one_in(2) {
                continue;
            }
            let slices = self.grid(level)[2];
            let first = rng.below(slices);
            let range = (first, 1 + rng.below(slices - first));
            let copy = self.region(level, rng.pick(&PARTS), range, rng.pick(&PITCHES), offset);
            offset = (self.reach(&[copy]) as u64).next_multiple_of(bytes) + bytes * u64::from(rng.below(3));
            copies.push(copy);
        }
        copies
    }
}
