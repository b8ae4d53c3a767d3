//! Image filters in compute shaders. One is added by its file, `glsl/filter/NAME.comp`, and by nothing else.
//!
//! A filter runs twice, from the image to a scratch image and back, and transposes each time: rows first, then columns.

use crate::error::Result;
use crate::pass::{create_view, image_barrier, plain_image};
use std::sync::Arc;
use texemu_core::{
    Arena, Buffer, BufferDesc, Commands, Gpu, Image, ImageDesc, Location, Pipeline, PipelineDesc,
    PipelineMap, Resource, bind, vk,
};
use texemu_shaders::{Kernel, WorkgroupSize};

/// What filters read and write.
pub(crate) const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

const PREFIX: &str = "filter_";

/// One of the filters.
#[derive(Clone, Copy, Debug)]
pub struct Filter(&'static Kernel);

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Filter {
    /// All of them, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        texemu_shaders::KERNELS
            .iter()
            .filter(|kernel| kernel.name.starts_with(PREFIX))
            .map(|kernel| Self(kernel))
    }

    /// The filter of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().find(|filter| filter.name() == name)
    }

    /// That of its file.
    pub fn name(self) -> &'static str {
        &self.0.name[PREFIX.len()..]
    }

    /// Filters `texels`, rows of `width`, and waits for the result. One call makes and frees everything it needs.
    ///
    /// # Panics
    /// If `texels` are no whole rows, or none.
    pub fn apply(self, gpu: &Gpu, texels: &[[f32; 4]], width: u32) -> Result<Vec<[f32; 4]>> {
        let height = (texels.len() / width as usize) as u32;
        assert!(height > 0 && texels.len() == width as usize * height as usize, "whole rows");
        let desc = BufferDesc {
            name: "texels",
            size: size_of_val(texels) as u64,
            usage: vk::BufferUsageFlags::TRANSFER_SRC,
            location: Location::Upload,
        };
        let mut upload = Buffer::new(gpu, &desc)?;
        if let Some(mapped) = upload.mapped_mut() {
            mapped.copy_from_slice(bytemuck::cast_slice(texels));
        }
        let desc =
            BufferDesc { usage: vk::BufferUsageFlags::TRANSFER_DST, location: Location::Readback, ..desc };
        let readback = Buffer::new(gpu, &desc)?;
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let image = FilterImage::new(gpu, [width, height], usage)?;
        let runner = Runner::new(gpu, &PipelineMap::new(gpu), self, [width, height])?;
        let mut arena = Arena::new(gpu);
        Commands::new(gpu)?.run(|commands| {
            let device = gpu.device();
            let layers =
                vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
            let copy = [vk::BufferImageCopy::default()
                .image_subresource(layers)
                .image_extent(vk::Extent3D { width, height, depth: 1 })];
            let flags = vk::DependencyFlags::empty();
            let (none, write) = (vk::AccessFlags::empty(), vk::AccessFlags::TRANSFER_WRITE);
            let (fresh, copied, general) =
                (vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::GENERAL);
            let (top, transfer) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
            let compute = vk::PipelineStageFlags::COMPUTE_SHADER;
            let handle = image.image.handle();
            let barrier = [image_barrier(handle, [fresh, copied], [none, write])];
            // SAFETY: recorded outside a render pass; everything lives until `run` has waited, here and below.
            unsafe { device.cmd_pipeline_barrier(commands, top, transfer, flags, &[], &[], &barrier) };
            // SAFETY: as above; the buffer holds the image.
            unsafe { device.cmd_copy_buffer_to_image(commands, upload.handle(), handle, copied, &copy) };
            let barrier = [image_barrier(handle, [copied, general], [write, vk::AccessFlags::SHADER_READ])];
            // SAFETY: as above.
            unsafe { device.cmd_pipeline_barrier(commands, transfer, compute, flags, &[], &[], &barrier) };
            // SAFETY: as above.
            unsafe { runner.record(commands, &mut arena, image.view) }?;
            let last = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            let accesses = [vk::AccessFlags::SHADER_WRITE, vk::AccessFlags::TRANSFER_READ];
            let barrier = [image_barrier(handle, [general, last], accesses)];
            // SAFETY: as above.
            unsafe { device.cmd_pipeline_barrier(commands, compute, transfer, flags, &[], &[], &barrier) };
            // SAFETY: as above; the buffer has the room.
            unsafe { device.cmd_copy_image_to_buffer(commands, handle, last, readback.handle(), &copy) };
            let host = [vk::MemoryBarrier::default()
                .src_access_mask(write)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            let reader = vk::PipelineStageFlags::HOST;
            // SAFETY: as above.
            unsafe { device.cmd_pipeline_barrier(commands, transfer, reader, flags, &host, &[], &[]) };
            Ok::<_, crate::Error>(())
        })?;
        let mut result = vec![[0.0; 4]; texels.len()];
        bytemuck::cast_slice_mut(&mut result).copy_from_slice(readback.mapped().unwrap_or_default());
        Ok(result)
    }
}

/// An image that a filter can read and write.
pub(crate) struct FilterImage {
    gpu: Gpu,
    pub(crate) image: Image,
    /// Of type `2D`.
    pub(crate) view: vk::ImageView,
}

impl FilterImage {
    pub(crate) fn new(gpu: &Gpu, size: [u32; 2], usage: vk::ImageUsageFlags) -> Result<Self> {
        let info = plain_image(FORMAT, size, usage | vk::ImageUsageFlags::STORAGE);
        let image = Image::new(gpu, &ImageDesc { name: "filtered", info })?;
        let view = create_view(gpu, image.handle(), vk::ImageViewType::TYPE_2D, FORMAT, 1)?;
        Ok(Self { gpu: gpu.clone(), image, view })
    }
}

impl Drop for FilterImage {
    fn drop(&mut self) {
        // SAFETY: the owner waited for every recording.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
    }
}

/// A filter with what it needs for images of one size.
pub(crate) struct Runner {
    gpu: Gpu,
    pipeline: Arc<Pipeline>,
    size: [u32; 2],
    /// As wide as the image is high.
    scratch: FilterImage,
}

impl Runner {
    pub(crate) fn new(
        gpu: &Gpu,
        pipelines: &PipelineMap,
        filter: Filter,
        [width, height]: [u32; 2],
    ) -> Result<Self> {
        let desc = PipelineDesc { kernel: filter.0, constants: &[], full_subgroups: false };
        let pipeline = pipelines.get(&desc)?;
        let scratch = FilterImage::new(gpu, [height, width], vk::ImageUsageFlags::empty())?;
        Ok(Self { gpu: gpu.clone(), pipeline, size: [width, height], scratch })
    }

    /// Records both passes; `image` stays in `GENERAL`.
    ///
    /// # Safety
    /// `commands` is being recorded outside a render pass; `image` is a `2D` storage view of the runner's size, in `GENERAL`,
    /// and visible to shader reads; it and the runner live until the commands have run, as does what `arena` holds.
    pub(crate) unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        arena: &mut Arena,
        image: vk::ImageView,
    ) -> Result<()> {
        let device = self.gpu.device();
        let compute = vk::PipelineStageFlags::COMPUTE_SHADER;
        let flags = vk::DependencyFlags::empty();
        let (read, write) = (vk::AccessFlags::SHADER_READ, vk::AccessFlags::SHADER_WRITE);
        let layouts = [vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL];
        let fresh = [image_barrier(self.scratch.image.handle(), layouts, [vk::AccessFlags::empty(), write])];
        // SAFETY: the caller's promise.
        unsafe { device.cmd_pipeline_barrier(commands, compute, compute, flags, &[], &[], &fresh) };
        let [width, height] = self.size;
        // SAFETY: the caller's promise.
        unsafe { self.pass(commands, arena, [image, self.scratch.view], [width, height]) }?;
        let between = [vk::MemoryBarrier::default().src_access_mask(write).dst_access_mask(read | write)];
        // SAFETY: the caller's promise.
        unsafe { device.cmd_pipeline_barrier(commands, compute, compute, flags, &between, &[], &[]) };
        // SAFETY: the caller's promise.
        unsafe { self.pass(commands, arena, [self.scratch.view, image], [height, width]) }
    }

    /// # Safety
    /// As [`Runner::record`].
    unsafe fn pass(
        &self,
        commands: vk::CommandBuffer,
        arena: &mut Arena,
        views: [vk::ImageView; 2],
        [columns, rows]: [u32; 2],
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { bind(&self.gpu, commands, arena, &self.pipeline, &views.map(Resource::StorageImage)) }?;
        let tile = match self.pipeline.kernel().workgroup[0] {
            WorkgroupSize::Literal(size) => size,
            WorkgroupSize::SpecConstant(_) => unreachable!("filters are tiled as scanline.glsl says"),
        };
        // SAFETY: everything the pipeline needs is bound.
        unsafe { self.gpu.device().cmd_dispatch(commands, columns.div_ceil(tile), rows, 1) };
        Ok(())
    }
}
