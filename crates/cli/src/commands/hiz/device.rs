//! Making a pyramid on a device.

use super::depth::Depth;
use crate::interrupt;
use anyhow::{Result, ensure};
use texemu_core::vk::{AccessFlags as A, ImageLayout as L, PipelineStageFlags as S};
use texemu_core::{Arena, Buffer, BufferDesc, Commands, Gpu, Image, ImageDesc, Location, vk};
use texemu_hiz::{Hiz, HizDepth, HizImage, HizPlan, HizTarget, Level};

/// Depth is taken as a color, so that every float comes through as it is.
const SOURCE: vk::Format = vk::Format::R32_SFLOAT;

/// A view that goes with its owner, by when its commands were waited for.
struct View(Gpu, vk::ImageView);

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: made on this device, which is done with it.
        unsafe { self.0.device().destroy_image_view(self.1, None) };
    }
}

/// The plan's levels of `depth`.
pub(super) fn make(gpu: &Gpu, plan: &HizPlan, depth: &Depth) -> Result<Vec<Level>> {
    let most = gpu.capabilities().limits.max_image_dimension2_d;
    ensure!(
        depth.extent.iter().all(|&size| size <= most),
        "the device has images of at most {most} texels an axis; --cpu knows no such limit"
    );
    let hiz = Hiz::new(gpu)?;
    hiz.prepare(plan)?;
    interrupt::check()?;
    let source =
        image(gpu, SOURCE, depth.extent, vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST)?;
    let view = view(gpu, &source)?;
    let upload = upload(gpu, depth)?;
    // An image a level: so any range of levels of any scheme has its place.
    let usage = plan.level_usage() | vk::ImageUsageFlags::TRANSFER_SRC;
    let images = plan
        .levels()
        .iter()
        .map(|level| image(gpu, plan.format(), level.extent, usage))
        .collect::<Result<Vec<_>>>()?;
    let bound: Vec<HizImage> =
        images.iter().map(|image| HizImage { image: image.handle(), mip_level: 0, array_layer: 0 }).collect();
    // SAFETY: the images are the plan's and live beside the target, which `run` below waits for.
    let target = unsafe { HizTarget::new(&hiz, plan, &bound) }?;
    let readback = Buffer::new(
        gpu,
        &BufferDesc {
            name: "levels",
            size: plan.bytes(),
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: Location::Readback,
        },
    )?;
    let mut arena = Arena::new(gpu);
    Commands::new(gpu)?.run(|commands| {
        let access = plan.access();
        let none = (S::TOP_OF_PIPE, A::empty(), L::UNDEFINED);
        let copied = (S::TRANSFER, A::TRANSFER_WRITE, L::TRANSFER_DST_OPTIMAL);
        let read = (access.depth.stages, access.depth.access, L::SHADER_READ_ONLY_OPTIMAL);
        let levels = (access.levels.stages, access.levels.access, L::GENERAL);
        transition(gpu, commands, &source, none, copied);
        let regions = [region(depth.extent, 0)];
        // SAFETY: the buffer holds every texel, and the image is in this layout.
        unsafe {
            gpu.device().cmd_copy_buffer_to_image(
                commands,
                upload.handle(),
                source.handle(),
                copied.2,
                &regions,
            )
        };
        transition(gpu, commands, &source, copied, read);
        for image in &images {
            transition(gpu, commands, image, none, levels);
        }
        let depth = HizDepth { view: view.1, layout: read.2, offset: [0, 0] };
        // SAFETY: recording on this device; everything outlives `run`, which waits.
        unsafe { hiz.record(commands, &mut arena, &target, &depth) }?;
        let mut offset = 0;
        for (level, image) in plan.levels().iter().zip(&images) {
            let source = (S::TRANSFER, A::TRANSFER_READ, L::TRANSFER_SRC_OPTIMAL);
            transition(gpu, commands, image, levels, source);
            let regions = [region(level.extent, offset)];
            // SAFETY: the buffer has room for all levels, and the image is in this layout.
            unsafe {
                gpu.device().cmd_copy_image_to_buffer(
                    commands,
                    image.handle(),
                    source.2,
                    readback.handle(),
                    &regions,
                )
            };
            offset += level.bytes;
        }
        let barriers =
            [vk::MemoryBarrier::default().src_access_mask(A::TRANSFER_WRITE).dst_access_mask(A::HOST_READ)];
        let flags = vk::DependencyFlags::empty();
        // SAFETY: recording on this device.
        unsafe {
            gpu.device().cmd_pipeline_barrier(commands, S::TRANSFER, S::HOST, flags, &barriers, &[], &[])
        };
        Ok::<(), texemu_hiz::Error>(())
    })?;
    let mut bytes = readback.mapped().unwrap_or_default();
    let mut levels = Vec::new();
    for level in plan.levels() {
        let (these, rest) = bytes.split_at_checked(level.bytes as usize).unwrap_or((bytes, &[]));
        bytes = rest;
        let value = |bytes: &[u8]| f32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let values = these.chunks_exact(4).map(value).collect();
        levels.push(Level { level: level.level, extent: level.extent, values });
    }
    Ok(levels)
}

fn image(
    gpu: &Gpu,
    format: vk::Format,
    [width, height]: [u32; 2],
    usage: vk::ImageUsageFlags,
) -> Result<Image> {
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width, height, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage);
    Ok(Image::new(gpu, &ImageDesc { name: "depth pyramid", info })?)
}

fn view(gpu: &Gpu, image: &Image) -> Result<View> {
    let info = vk::ImageViewCreateInfo::default()
        .image(image.handle())
        .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
        .format(SOURCE)
        .subresource_range(COLOR);
    // SAFETY: the image is of this device and format.
    let view = unsafe { gpu.device().create_image_view(&info, None) };
    let view = view.map_err(|result| texemu_core::Error::Vulkan { call: "vkCreateImageView", result })?;
    Ok(View(gpu.clone(), view))
}

fn upload(gpu: &Gpu, depth: &Depth) -> Result<Buffer> {
    let size = depth.values.len() as u64 * 4;
    let usage = vk::BufferUsageFlags::TRANSFER_SRC;
    let desc = BufferDesc { name: "depth", size, usage, location: Location::Upload };
    let mut buffer = Buffer::new(gpu, &desc)?;
    let bytes = buffer.mapped_mut().unwrap_or_default();
    for (bytes, value) in bytes.chunks_exact_mut(4).zip(&depth.values) {
        bytes.copy_from_slice(&value.to_ne_bytes());
    }
    Ok(buffer)
}

const COLOR: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

fn region([width, height]: [u32; 2], offset: u64) -> vk::BufferImageCopy {
    vk::BufferImageCopy::default()
        .buffer_offset(offset)
        .image_subresource(
            vk::ImageSubresourceLayers::default().aspect_mask(COLOR.aspect_mask).layer_count(1),
        )
        .image_extent(vk::Extent3D { width, height, depth: 1 })
}

fn transition(gpu: &Gpu, commands: vk::CommandBuffer, image: &Image, from: (S, A, L), to: (S, A, L)) {
    let barriers = [vk::ImageMemoryBarrier::default()
        .src_access_mask(from.1)
        .dst_access_mask(to.1)
        .old_layout(from.2)
        .new_layout(to.2)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image.handle())
        .subresource_range(COLOR)];
    let flags = vk::DependencyFlags::empty();
    // SAFETY: `commands` is being recorded on the image's device.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, flags, &[], &[], &barriers) };
}
