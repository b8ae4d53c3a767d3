//! What is wanted: one copy's worth of work.

use crate::choose::Choice;
use crate::error::{Error, Result};
use texemu_core::vk;
use texemu_format::{Format, level_extent};
use texemu_shaders::{Effort, SourceKind};

/// One copy's worth of work: blocks from one source into one image.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// What the blocks are.
    pub format: &'static Format,
    /// Where they are.
    pub source: Source<'a>,
    /// Where the result goes.
    pub target: Target<'a>,
    /// What is copied.
    pub regions: &'a [Region],
    /// How.
    pub options: Options,
}

/// Where the blocks are. What wrote them must be visible to `VK_PIPELINE_STAGE_TRANSFER_BIT`, as for any copy.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A buffer with `UNIFORM_TEXEL_BUFFER` usage.
    TexelBuffer(vk::Buffer),
    /// A buffer with `STORAGE_BUFFER` usage.
    StorageBuffer(vk::Buffer),
    /// A storage view (`R32G32_UINT` for 8-byte blocks, `R32G32B32A32_UINT` for 16-byte ones, layout `GENERAL`) a target level,
    /// a texel a block; `2D_ARRAY`, or `3D` if the target image is 3D and its format uncompressed. The block of target texel (x, y) in layer or slice z lies
    /// at (x / footprint width, y / footprint height, z). A region's buffer fields are ignored.
    StorageImage(&'a [vk::ImageView]),
}

impl Source<'_> {
    pub(crate) fn kind(&self) -> SourceKind {
        match self {
            Self::TexelBuffer(_) => SourceKind::TexelBuffer,
            Self::StorageBuffer(_) => SourceKind::StorageBuffer,
            Self::StorageImage(_) => SourceKind::StorageImage,
        }
    }
}

/// The image that takes the result.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The image. For an uncompressed target format: usage `STORAGE`, flags `MUTABLE_FORMAT` and `EXTENDED_USAGE`, so that its
    /// [`Format::storage_view`] may be stored through. For a BC format: usage `TRANSFER_DST`.
    pub image: vk::Image,
    /// What it stores: one of the source format's targets.
    pub format: &'static Format,
    /// 2D or 3D.
    pub image_type: vk::ImageType,
    /// Texels of level 0.
    pub extent: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Array layers; six a cube.
    pub layers: u32,
    /// The layout that the touched levels and layers are in, and will be in again.
    pub layout: vk::ImageLayout,
    /// What the touched levels and layers hold is not needed: they may be in any layout, and end up in `layout`. Only for
    /// jobs that write whole levels.
    pub discard: bool,
    /// A storage view of [`Format::storage_view`] for each region, in their order: `2D_ARRAY` of the region's level and
    /// layers and no others, or `3D` of its level; null, or missing, where the arena shall make it.
    ///
    /// Views of a 2D BC image are block-texel views: blocks are stored straight into the image, which has usage `STORAGE` and
    /// flags `BLOCK_TEXEL_VIEW_COMPATIBLE`, `MUTABLE_FORMAT` and `EXTENDED_USAGE`. The source is then a texel buffer, and each
    /// region has one layer. Without views the blocks wait in the arena's scratch memory and are copied.
    pub views: &'a [vk::ImageView],
}

impl Target<'_> {
    /// Whether BC blocks go into the image through the caller's block-texel views.
    pub(crate) fn stores_straight(&self) -> bool {
        self.format.is_compressed() && !self.views.is_empty() && self.image_type != vk::ImageType::TYPE_3D
    }
}

/// `VkBufferImageCopy` with one aspect, colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// Bytes from the buffer's start to the first block; a multiple of the block size.
    pub buffer_offset: u64,
    /// Texels from one row of the buffer to the next; 0 for the extent's width. Need not be a multiple of the footprint.
    pub buffer_row_length: u32,
    /// Texel rows from one slice or layer of the buffer to the next; 0 for the extent's height.
    pub buffer_image_height: u32,
    /// The level.
    pub level: u32,
    /// The first array layer; 0 for 3D images.
    pub base_layer: u32,
    /// How many; 1 for 3D images.
    pub layer_count: u32,
    /// The first texel: x and y multiples of the footprint, z a depth slice.
    pub offset: [u32; 3],
    /// Texels; multiples of the footprint, or up to the level's edge.
    pub extent: [u32; 3],
}

impl From<&vk::BufferImageCopy> for Region {
    fn from(copy: &vk::BufferImageCopy) -> Self {
        let offset = copy.image_offset;
        let extent = copy.image_extent;
        Self {
            buffer_offset: copy.buffer_offset,
            buffer_row_length: copy.buffer_row_length,
            buffer_image_height: copy.buffer_image_height,
            level: copy.image_subresource.mip_level,
            base_layer: copy.image_subresource.base_array_layer,
            layer_count: copy.image_subresource.layer_count,
            // Negative offsets become huge ones, which the check refuses.
            offset: [offset.x, offset.y, offset.z].map(|value| value as u32),
            extent: [extent.width, extent.height, extent.depth],
        }
    }
}

impl Region {
    /// A whole level of an image of `extent`, all layers, tightly packed at `buffer_offset`.
    pub fn whole_level(extent: [u32; 3], layers: u32, level: u32, buffer_offset: u64) -> Self {
        Self {
            buffer_offset,
            level,
            layer_count: layers,
            extent: level_extent(extent, level),
            ..Self::default()
        }
    }

    /// Layers, or depth slices: never both are above 1.
    pub(crate) fn slices(&self) -> u32 {
        self.extent[2] * self.layer_count
    }

    /// The first layer or depth slice.
    pub(crate) fn first_slice(&self) -> u32 {
        self.base_layer + self.offset[2]
    }

    /// Blocks from row to row and from slice to slice in the buffer (Vulkan specification, "Buffer and Image Addressing").
    pub(crate) fn pitches(&self, format: &Format) -> (u64, u64) {
        let texels = |given: u32, extent: u32| u64::from(if given == 0 { extent } else { given });
        let row = texels(self.buffer_row_length, self.extent[0]).div_ceil(format.footprint[0].into());
        let rows = texels(self.buffer_image_height, self.extent[1]).div_ceil(format.footprint[1].into());
        (row, row * rows)
    }

    /// Checks what would make a kernel read or write in the wrong place.
    pub(crate) fn check(&self, index: usize, job: &Job<'_>) -> Result<()> {
        let (format, target) = (job.format, &job.target);
        let fail = |what: String| Err(Error::Region { index, what });
        if self.level >= target.levels {
            return fail(format!("level {} of an image with {}", self.level, target.levels));
        }
        let layers = u64::from(self.base_layer) + u64::from(self.layer_count);
        if self.layer_count == 0 || layers > target.layers.into() {
            return fail(format!(
                "layers {} to {layers} of an image with {}",
                self.base_layer, target.layers
            ));
        }
        if self.extent.contains(&0) {
            return fail(format!("its extent {:?} is empty", self.extent));
        }
        let level = level_extent(target.extent, self.level);
        for axis in 0..3 {
            let block = format.footprint.get(axis).copied().unwrap_or(1);
            let end = u64::from(self.offset[axis]) + u64::from(self.extent[axis]);
            if end > level[axis].into() {
                return fail(format!(
                    "offset {:?} and extent {:?} pass the level's end {level:?}",
                    self.offset, self.extent
                ));
            }
            if !self.offset[axis].is_multiple_of(block) {
                return fail(format!("offset {:?} lies inside a {} block", self.offset, format.name));
            }
            if !self.extent[axis].is_multiple_of(block) && end != level[axis].into() {
                return fail(format!(
                    "extent {:?} ends inside a {} block before the level's edge",
                    self.extent, format.name
                ));
            }
        }
        if matches!(job.source, Source::StorageImage(_)) {
            return Ok(());
        }
        if !self.buffer_offset.is_multiple_of(format.block_bytes.into()) {
            return fail(format!(
                "buffer offset {} is no multiple of the block's {} bytes",
                self.buffer_offset, format.block_bytes
            ));
        }
        let too_small = |given: u32, extent: u32| given != 0 && given < extent;
        if too_small(self.buffer_row_length, self.extent[0]) {
            return fail(format!("row length {} is below the extent's width", self.buffer_row_length));
        }
        if too_small(self.buffer_image_height, self.extent[1]) {
            return fail(format!("image height {} is below the extent's height", self.buffer_image_height));
        }
        Ok(())
    }
}

/// How a job is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Which kernel.
    pub choice: Choice,
    /// What illegal blocks decode to.
    pub error_color: ErrorColor,
    /// How hard an encoder tries.
    pub effort: Effort,
}

/// What illegal blocks, and HDR endpoint modes in an LDR format, decode to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ErrorColor {
    /// Opaque magenta: what the Khronos Data Format Specification asks for.
    #[default]
    Magenta,
    /// Transparent black.
    TransparentBlack,
}

impl ErrorColor {
    /// RGBA8, R in the low byte.
    pub fn rgba8(self) -> u32 {
        match self {
            Self::Magenta => 0xFFFF_00FF,
            Self::TransparentBlack => 0,
        }
    }
}
