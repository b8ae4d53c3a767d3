//! What both examples of depth pyramids need around them: images, barriers, a pyramid with its view, values read back.

use std::error::Error;
use texemu_core::{
    Arena, Buffer, BufferDesc, Commands, Gpu, GpuDesc, Image, ImageDesc, Location, Pipeline, Resource,
    Validation, bind, vk,
};
use texemu_hiz::{Hiz, HizImage, HizPlan, HizTarget};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A stage and an access: one side of a barrier.
pub(crate) type Scope = (vk::PipelineStageFlags, vk::AccessFlags);

pub(crate) const COMPUTE: Scope = (
    vk::PipelineStageFlags::COMPUTE_SHADER,
    vk::AccessFlags::from_raw(vk::AccessFlags::SHADER_READ.as_raw() | vk::AccessFlags::SHADER_WRITE.as_raw()),
);
pub(crate) const COPY_FROM: Scope = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_READ);
pub(crate) const COPY_TO: Scope = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
pub(crate) const HOST: Scope = (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ);

/// A device, under the validation layer where it is installed.
pub(crate) struct Host {
    pub(crate) gpu: Gpu,
    pub(crate) commands: Commands,
    pub(crate) arena: Arena,
}

impl Host {
    pub(crate) fn new() -> Result<Self> {
        let watched = GpuDesc { validation: Validation::Synchronization, ..GpuDesc::default() };
        let gpu = Gpu::open(&watched).or_else(|_| Gpu::open(&GpuDesc::default()))?;
        Ok(Self { commands: Commands::new(&gpu)?, arena: Arena::new(&gpu), gpu })
    }

    /// Fails if the validation layer said anything.
    pub(crate) fn expect_silence(&self) -> Result<()> {
        match self.gpu.validation_log().messages() {
            messages if messages.is_empty() => Ok(()),
            messages => Err(messages.join("\n").into()),
        }
    }

    /// A buffer that both sides reach, filled with `bytes`.
    pub(crate) fn buffer(&self, usage: vk::BufferUsageFlags, bytes: &[u8]) -> Result<Buffer> {
        let size = bytes.len() as u64;
        let desc = BufferDesc { name: "example", size, usage, location: Location::Upload };
        let mut buffer = Buffer::new(&self.gpu, &desc)?;
        buffer.mapped_mut().ok_or("the memory is not mapped")?.copy_from_slice(bytes);
        Ok(buffer)
    }

    /// A buffer for the host to read.
    pub(crate) fn readback(&self, size: u64) -> Result<Buffer> {
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        Ok(Buffer::new(
            &self.gpu,
            &BufferDesc { name: "readback", size, usage, location: Location::Readback },
        )?)
    }

    pub(crate) fn image(
        &self,
        format: vk::Format,
        [width, height]: [u32; 2],
        levels: u32,
        usage: vk::ImageUsageFlags,
    ) -> Result<Image> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        Ok(Image::new(&self.gpu, &ImageDesc { name: "example", info })?)
    }

    /// A view of all levels.
    pub(crate) fn view(
        &self,
        image: &Image,
        format: vk::Format,
        aspect: vk::ImageAspectFlags,
    ) -> Result<View> {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspect)
            .level_count(vk::REMAINING_MIP_LEVELS)
            .layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image.handle())
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(format)
            .subresource_range(range);
        // SAFETY: the image is of this device and format.
        let handle = unsafe { self.gpu.device().create_image_view(&info, None) }?;
        Ok(View { gpu: self.gpu.clone(), handle })
    }
}

/// A view that goes with its owner, by when everything was waited for.
pub(crate) struct View {
    gpu: Gpu,
    pub(crate) handle: vk::ImageView,
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: made on this device, which is done with it.
        unsafe { self.gpu.device().destroy_image_view(self.handle, None) };
    }
}

/// Nearest, for `texelFetch`.
pub(crate) struct Sampler {
    gpu: Gpu,
    pub(crate) handle: vk::Sampler,
}

impl Sampler {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self> {
        // SAFETY: the device is alive.
        let handle = unsafe {
            gpu.device().create_sampler(&vk::SamplerCreateInfo::default().max_lod(vk::LOD_CLAMP_NONE), None)
        }?;
        Ok(Self { gpu: gpu.clone(), handle })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: made on this device, which is done with it.
        unsafe { self.gpu.device().destroy_sampler(self.handle, None) };
    }
}

/// A plan with an image for its levels, and a view of them all for queries.
pub(crate) struct Pyramid {
    pub(crate) target: HizTarget,
    pub(crate) view: View,
    image: Image,
}

impl Pyramid {
    pub(crate) fn new(host: &Host, hiz: &Hiz, plan: &HizPlan) -> Result<Self> {
        if !plan.is_mip_chain() {
            return Err("the levels of this plan do not fit one image".into());
        }
        let count = plan.levels().len() as u32;
        let usage = plan.level_usage() | vk::ImageUsageFlags::SAMPLED;
        let image = host.image(plan.format(), plan.levels()[0].extent, count, usage)?;
        let view = host.view(&image, plan.format(), vk::ImageAspectFlags::COLOR)?;
        let level = |mip_level| HizImage { image: image.handle(), mip_level, array_layer: 0 };
        let levels: Vec<HizImage> = (0..count).map(level).collect();
        // SAFETY: the image is the plan's, and lives beside the target.
        let target = unsafe { HizTarget::new(hiz, plan, &levels) }?;
        Ok(Self { target, view, image })
    }

    /// Puts the levels into the layout they are kept in.
    pub(crate) fn begin(&self, gpu: &Gpu, commands: vk::CommandBuffer) {
        let access = self.target.plan().access().levels;
        let from = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::AccessFlags::NONE);
        let layouts = [vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL];
        transition(
            gpu,
            commands,
            &self.image,
            vk::ImageAspectFlags::COLOR,
            from,
            (access.stages, access.access),
            layouts,
        );
    }
}

/// Makes what was done before in one scope visible to what is done after in the other.
pub(crate) fn barrier(gpu: &Gpu, commands: vk::CommandBuffer, from: Scope, to: Scope) {
    let barriers = [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
    let flags = vk::DependencyFlags::empty();
    // SAFETY: the examples record on this device.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, flags, &barriers, &[], &[]) };
}

pub(crate) fn transition(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    image: &Image,
    aspect: vk::ImageAspectFlags,
    from: Scope,
    to: Scope,
    layouts: [vk::ImageLayout; 2],
) {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(1);
    let barriers = [vk::ImageMemoryBarrier::default()
        .src_access_mask(from.1)
        .dst_access_mask(to.1)
        .old_layout(layouts[0])
        .new_layout(layouts[1])
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image.handle())
        .subresource_range(range)];
    let flags = vk::DependencyFlags::empty();
    // SAFETY: the examples record on this device.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, flags, &[], &[], &barriers) };
}

/// One invocation for each of `count`, 64 a workgroup.
pub(crate) fn dispatch(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    arena: &mut Arena,
    pipeline: &Pipeline,
    resources: &[Resource],
    push: &[u8],
    count: u32,
) -> Result<()> {
    // SAFETY: the examples pass what the kernel binds, and wait for it.
    unsafe { bind(gpu, commands, arena, pipeline, resources) }?;
    let stage = vk::ShaderStageFlags::COMPUTE;
    // SAFETY: the kernel's push constants are of this size.
    unsafe { gpu.device().cmd_push_constants(commands, pipeline.layout(), stage, 0, push) };
    // SAFETY: everything is bound.
    unsafe { gpu.device().cmd_dispatch(commands, count.div_ceil(64), 1, 1) };
    Ok(())
}

pub(crate) fn whole(buffer: &Buffer) -> Resource {
    Resource::Buffer(buffer.handle(), 0, vk::WHOLE_SIZE)
}

pub(crate) fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

/// The words that a buffer holds.
pub(crate) fn words(buffer: &Buffer) -> Result<Vec<u32>> {
    let bytes = buffer.mapped().ok_or("the memory is not mapped")?;
    Ok(bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect())
}
