//! Copies from and to emulated images.
//!
//! Every command exists in its first form and its `2` form; both become the same regions and take the same path. Copies of
//! blocks are buffer copies; behind each that writes blocks follows the decoding of what it wrote, between barriers that
//! make it look like the copy itself, to `VK_PIPELINE_STAGE_TRANSFER_BIT`.

mod acquire;
mod cached;
mod decode;
mod deferred;
mod download;
mod image;
mod upload;

pub use acquire::PipelineBarrier;
pub(crate) use cached::Encoded;
pub use cached::KnownBuffer;
pub(crate) use deferred::{Deferred, Pending};
pub use image::ImagePair;

use crate::emulator::Emulator;
use crate::error::{Error, Result};
use crate::image::EmulatedImage;
use crate::plane::{Blocks, blocks_of};
use texemu_core::vk;
use texemu_transcode::Region;

/// How a decoder may read the buffer that an application copies from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SourceAccess {
    /// Directly: the buffer was created with `UNIFORM_TEXEL_BUFFER` usage.
    #[default]
    TexelBuffer,
    /// Not at all, or slowly: the buffer lacks that usage, or lies in memory that shaders are not to read. The blocks are
    /// copied first.
    TransferOnly,
}

/// Copies that one call takes, so that a list of single rows stays small.
const COPIES_A_CALL: usize = 1024;

impl Emulator {
    /// Records buffer copies.
    ///
    /// # Safety
    /// `commands` is being recorded on the device; both buffers are valid and hold what the copies address.
    pub(crate) unsafe fn copy_buffer(
        &self,
        commands: vk::CommandBuffer,
        from: vk::Buffer,
        to: vk::Buffer,
        copies: &[vk::BufferCopy],
    ) {
        for copies in copies.chunks(COPIES_A_CALL) {
            // SAFETY: the caller's promise.
            unsafe { self.gpu.device().cmd_copy_buffer(commands, from, to, copies) };
        }
    }
}

impl EmulatedImage {
    /// The blocks of a region, if it lies in the image and on whole blocks.
    fn blocks(&self, region: &Region) -> Result<Blocks> {
        let refuse = |what: &str| {
            let Region { level, base_layer, layer_count, offset, extent, .. } = region;
            let what = format!(
                "a region of level {level}, layers {base_layer} + {layer_count}, offset {offset:?}, extent {extent:?} {what}"
            );
            Err(Error::Unsupported { format: self.format, what })
        };
        let Some(level) = self.layout.levels.get(region.level as usize) else {
            return refuse("of an image without that level");
        };
        if (0..2).any(|axis| !region.offset[axis].is_multiple_of(self.format.footprint[axis])) {
            return refuse("that starts inside a block");
        }
        let (layers, depth) = if self.layered() { (self.layers, 1) } else { (1, level.extent[2]) };
        let inside = u64::from(region.base_layer) + u64::from(region.layer_count) <= layers.into()
            && u64::from(region.offset[2]) + u64::from(region.extent[2]) <= depth.into();
        if !inside || region.extent.contains(&0) || region.layer_count == 0 {
            return refuse("outside the image");
        }
        let blocks = blocks_of(region, self.format);
        if level.holds(&blocks) { Ok(blocks) } else { refuse("outside the image") }
    }

    /// `VK_REMAINING_ARRAY_LAYERS` spelt out.
    fn layer_count(&self, layers: &vk::ImageSubresourceLayers) -> u32 {
        if layers.layer_count == vk::REMAINING_ARRAY_LAYERS {
            self.layers.saturating_sub(layers.base_array_layer)
        } else {
            layers.layer_count
        }
    }

    fn region(&self, copy: &vk::BufferImageCopy) -> Region {
        Region { layer_count: self.layer_count(&copy.image_subresource), ..Region::from(copy) }
    }

    fn regions2(&self, copies: &[vk::BufferImageCopy2<'_>]) -> Vec<Region> {
        let first_form = |copy: &vk::BufferImageCopy2<'_>| vk::BufferImageCopy {
            buffer_offset: copy.buffer_offset,
            buffer_row_length: copy.buffer_row_length,
            buffer_image_height: copy.buffer_image_height,
            image_subresource: copy.image_subresource,
            image_offset: copy.image_offset,
            image_extent: copy.image_extent,
        };
        copies.iter().map(|copy| self.region(&first_form(copy))).collect()
    }
}

/// The array of a `2` structure.
///
/// # Safety
/// `regions` points to `count` structures that outlive the slice, or `count` is 0.
pub(crate) unsafe fn regions_of<'a, T>(regions: *const T, count: u32) -> &'a [T] {
    if count == 0 || regions.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(regions, count as usize) }
}
