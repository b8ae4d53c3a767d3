//! Images on the device: what kernels write into, and what they read blocks from.

use texemu_core::vk;
use texemu_core::{Buffer, Gpu, Image, ImageDesc, Result};
use texemu_format::{Format, level_extent};
use texemu_transcode::Target;

/// Size and kind of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ImageShape {
    pub(crate) image_type: vk::ImageType,
    /// Texels of level 0.
    pub(crate) extent: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) layers: u32,
}

impl ImageShape {
    /// A 2D image of one level and one layer.
    pub(crate) fn plain(width: u32, height: u32) -> Self {
        Self { image_type: vk::ImageType::TYPE_2D, extent: [width, height, 1], levels: 1, layers: 1 }
    }

    fn info(&self, format: vk::Format) -> vk::ImageCreateInfo<'static> {
        let [width, height, depth] = self.extent;
        vk::ImageCreateInfo::default()
            .image_type(self.image_type)
            .format(format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(self.levels)
            .array_layers(self.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
    }

    /// Bytes of all layers of a level in `format`, tightly packed.
    pub(crate) fn level_bytes(&self, format: &Format, level: u32) -> u64 {
        let layer = format.level_bytes(level_extent(self.extent, level)).unwrap_or(u64::MAX);
        layer.saturating_mul(self.layers.into())
    }

    /// Where each level starts in a buffer that holds them all, and the buffer's bytes.
    pub(crate) fn packed_levels(&self, format: &Format) -> (Vec<u64>, u64) {
        let mut end = 0;
        let mut starts = Vec::new();
        for level in 0..self.levels {
            starts.push(end);
            // Copies want offsets that are multiples of the texel and of 4.
            end += self.level_bytes(format, level).next_multiple_of(16);
        }
        (starts, end)
    }
}

/// An image that kernels write into.
#[derive(Debug)]
pub(crate) struct TargetImage {
    image: Image,
    pub(crate) format: &'static Format,
    pub(crate) shape: ImageShape,
    /// Blocks are stored through views with a texel a block.
    straight: bool,
}

/// What an image has whose blocks are stored through views with a texel a block.
const STRAIGHT_USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::TRANSFER_SRC.as_raw() | vk::ImageUsageFlags::STORAGE.as_raw(),
);
const STRAIGHT_FLAGS: vk::ImageCreateFlags = vk::ImageCreateFlags::from_raw(
    vk::ImageCreateFlags::MUTABLE_FORMAT.as_raw()
        | vk::ImageCreateFlags::EXTENDED_USAGE.as_raw()
        | vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE.as_raw(),
);

/// The views of a target that stores blocks straight into its image: the arena makes them.
pub(crate) const VIEWS_OF_THE_ARENA: &[vk::ImageView] = &[vk::ImageView::null()];

/// Whether the device lets kernels store blocks of this format into a 2D image.
pub(crate) fn stores_straight(gpu: &Gpu, format: &Format) -> bool {
    // R32G32_UINT is one of the extended formats.
    if !format.is_compressed() || (format.block_bytes == 8 && !gpu.features().storage_image_extended_formats)
    {
        return false;
    }
    // SAFETY: the physical device is the instance's own.
    let properties = unsafe {
        gpu.instance().get_physical_device_image_format_properties(
            gpu.physical_device(),
            texemu_core::vk_format(format.vk),
            vk::ImageType::TYPE_2D,
            vk::ImageTiling::OPTIMAL,
            STRAIGHT_USAGE,
            STRAIGHT_FLAGS,
        )
    };
    properties.is_ok()
}

impl TargetImage {
    /// A 2D image of one layer whose blocks are stored straight into it; [`stores_straight`] says whether the device has such.
    pub(crate) fn straight(gpu: &Gpu, format: &'static Format, shape: ImageShape) -> Result<Self> {
        let info = shape.info(texemu_core::vk_format(format.vk)).flags(STRAIGHT_FLAGS).usage(STRAIGHT_USAGE);
        let image = Image::new(gpu, &ImageDesc { name: "target", info })?;
        Ok(Self { image, format, shape, straight: true })
    }

    pub(crate) fn new(gpu: &Gpu, format: &'static Format, shape: ImageShape) -> Result<Self> {
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let mut flags = vk::ImageCreateFlags::empty();
        if !format.is_compressed() {
            usage |= vk::ImageUsageFlags::STORAGE;
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
        }
        let info = shape.info(texemu_core::vk_format(format.vk)).flags(flags).usage(usage);
        let image = Image::new(gpu, &ImageDesc { name: "target", info })?;
        Ok(Self { image, format, shape, straight: false })
    }

    pub(crate) fn handle(&self) -> vk::Image {
        self.image.handle()
    }

    /// The image as a job's target, to be left as the source of a copy.
    pub(crate) fn target(&self, discard: bool) -> Target<'static> {
        Target {
            image: self.handle(),
            format: self.format,
            image_type: self.shape.image_type,
            extent: self.shape.extent,
            levels: self.shape.levels,
            layers: self.shape.layers,
            layout: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            discard,
            views: if self.straight { VIEWS_OF_THE_ARENA } else { &[] },
        }
    }
}

impl TargetImage {
    fn copies(&self) -> Vec<vk::BufferImageCopy> {
        let (starts, _) = self.shape.packed_levels(self.format);
        let copy = |(level, start): (u32, u64)| {
            let [width, height, depth] = level_extent(self.shape.extent, level);
            vk::BufferImageCopy::default()
                .buffer_offset(start)
                .image_subresource(
                    vk::ImageSubresourceLayers::default()
                        .aspect_mask(vk::ImageAspectFlags::COLOR)
                        .mip_level(level)
                        .layer_count(self.shape.layers),
                )
                .image_extent(vk::Extent3D { width, height, depth })
        };
        (0..).zip(starts).map(copy).collect()
    }

    /// Records a copy of all levels, packed as [`ImageShape::packed_levels`] says, into the image, from whatever layout it is
    /// in to that of [`TargetImage::target`].
    ///
    /// # Safety
    /// `commands` is being recorded; image and buffer live until they have run, and the buffer holds the levels.
    pub(crate) unsafe fn fill(&self, gpu: &Gpu, commands: vk::CommandBuffer, source: &Buffer) {
        let (copied, left) = (vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let (none, write) = (vk::AccessFlags::empty(), vk::AccessFlags::TRANSFER_WRITE);
        let before = [barrier(self.handle(), vk::ImageLayout::UNDEFINED, copied, none, write)];
        let (top, transfer) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
        let (device, flags) = (gpu.device(), vk::DependencyFlags::empty());
        // SAFETY: the caller's promise.
        unsafe { device.cmd_pipeline_barrier(commands, top, transfer, flags, &[], &[], &before) };
        let copies = self.copies();
        // SAFETY: as above.
        unsafe { device.cmd_copy_buffer_to_image(commands, source.handle(), self.handle(), copied, &copies) };
        let read = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
        let after = [barrier(self.handle(), copied, left, write, read)];
        // SAFETY: as above.
        unsafe { device.cmd_pipeline_barrier(commands, transfer, transfer, flags, &[], &[], &after) };
    }

    /// Records the reverse copy; the image is as a job left it.
    ///
    /// # Safety
    /// As [`TargetImage::fill`]; the buffer has the room.
    pub(crate) unsafe fn read_back(&self, gpu: &Gpu, commands: vk::CommandBuffer, target: &Buffer) {
        let (device, layout) = (gpu.device(), vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let copies = self.copies();
        // SAFETY: the caller's promise.
        unsafe { device.cmd_copy_image_to_buffer(commands, self.handle(), layout, target.handle(), &copies) };
        let host = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        let (transfer, stage) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: as above.
        unsafe { device.cmd_pipeline_barrier(commands, transfer, stage, flags, &[host], &[], &[]) };
    }
}

/// A storage image with a texel a block.
#[derive(Debug)]
pub(crate) struct BlockImage {
    image: Image,
    pub(crate) view: vk::ImageView,
    pub(crate) format: vk::Format,
    pub(crate) shape: ImageShape,
    gpu: Gpu,
}

impl BlockImage {
    /// For blocks of `format`; `shape` counts blocks, and has one level.
    pub(crate) fn new(gpu: &Gpu, format: &Format, shape: ImageShape) -> Result<Self> {
        let format = texemu_core::vk_format(format.storage_view());
        let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::STORAGE;
        let info = shape.info(format).usage(usage);
        let image = Image::new(gpu, &ImageDesc { name: "blocks", info })?;
        let view_type = if shape.image_type == vk::ImageType::TYPE_3D {
            vk::ImageViewType::TYPE_3D
        } else {
            vk::ImageViewType::TYPE_2D_ARRAY
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(image.handle())
            .view_type(view_type)
            .format(format)
            .subresource_range(whole());
        // SAFETY: the image was just made.
        let view = unsafe { gpu.device().create_image_view(&info, None) };
        let view = view.map_err(|result| texemu_core::Error::Vulkan { call: "vkCreateImageView", result })?;
        Ok(Self { image, view, format, shape, gpu: gpu.clone() })
    }

    /// Records a copy of all blocks from `source` at `offset`, whose rows hold `row` blocks, and the image's change to the
    /// layout that a kernel reads it in.
    ///
    /// # Safety
    /// `commands` is being recorded; buffer and image live until they have run, and the buffer holds the blocks.
    pub(crate) unsafe fn fill(&self, commands: vk::CommandBuffer, source: &Buffer, offset: u64, row: u32) {
        let (top, transfer) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
        let (none, write) = (vk::AccessFlags::empty(), vk::AccessFlags::TRANSFER_WRITE);
        let copied = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let flags = vk::DependencyFlags::empty();
        let device = self.gpu.device();
        let before = [barrier(self.image.handle(), vk::ImageLayout::UNDEFINED, copied, none, write)];
        // SAFETY: the caller's promise.
        unsafe { device.cmd_pipeline_barrier(commands, top, transfer, flags, &[], &[], &before) };
        let [width, height, depth] = self.shape.extent;
        let copy = vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .buffer_row_length(row)
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(self.shape.layers),
            )
            .image_extent(vk::Extent3D { width, height, depth });
        // SAFETY: as above.
        unsafe {
            device.cmd_copy_buffer_to_image(commands, source.handle(), self.image.handle(), copied, &[copy]);
        }
        let after = [barrier(self.image.handle(), copied, vk::ImageLayout::GENERAL, write, none)];
        // SAFETY: as above.
        unsafe { device.cmd_pipeline_barrier(commands, transfer, transfer, flags, &[], &[], &after) };
    }
}

impl Drop for BlockImage {
    fn drop(&mut self) {
        // SAFETY: whoever recorded its use waited for it.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
    }
}

fn whole() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS)
}

fn barrier(
    image: vk::Image,
    old: vk::ImageLayout,
    new: vk::ImageLayout,
    source: vk::AccessFlags,
    target: vk::AccessFlags,
) -> vk::ImageMemoryBarrier<'static> {
    vk::ImageMemoryBarrier::default()
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(whole())
        .old_layout(old)
        .new_layout(new)
        .src_access_mask(source)
        .dst_access_mask(target)
}
