//! BC blocks on their way: kernels write them into scratch memory, copies take them into the image.

use crate::barrier::working_layout;
use crate::error::{Error, Result};
use crate::job::{Job, Region};
use crate::record::Prepared;
use texemu_core::vk;
use texemu_core::{Arena, Gpu};

/// Where a BC target's blocks wait for their copy: each region's offset in `buffer`.
pub(crate) struct BlockBuffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) regions: Vec<u64>,
}

pub(crate) fn reserve(gpu: &Gpu, arena: &mut Arena, job: &Job<'_>) -> Result<BlockBuffer> {
    let mut bytes = 0;
    let mut regions = Vec::with_capacity(job.regions.len());
    for (index, region) in job.regions.iter().enumerate() {
        check_whole_blocks(index, region, job)?;
        regions.push(bytes);
        let layer = job.target.format.level_bytes(region.extent).unwrap_or(u64::MAX);
        bytes = layer.saturating_mul(region.layer_count.into()).saturating_add(bytes);
    }
    let alignment = gpu.capabilities().limits.min_storage_buffer_offset_alignment.max(16);
    let (buffer, offset) = arena.scratch(bytes, alignment)?;
    Ok(BlockBuffer { buffer, offset, bytes, regions })
}

/// Checks regions whose blocks go straight into the image: a block-texel view has one layer
/// (VUID-VkImageViewCreateInfo-image-07072).
pub(crate) fn check_straight(job: &Job<'_>) -> Result<()> {
    for (index, region) in job.regions.iter().enumerate() {
        check_whole_blocks(index, region, job)?;
        if region.layer_count != 1 {
            let what = format!("{} layers through a block-texel view, which has one", region.layer_count);
            return Err(Error::Region { index, what });
        }
    }
    Ok(())
}

/// Regions may end inside a source block at the level's edge alone; the same holds for the target's blocks.
fn check_whole_blocks(index: usize, region: &Region, job: &Job<'_>) -> Result<()> {
    region.check(index, job)?;
    let target = job.target.format;
    let level = texemu_format::level_extent(job.target.extent, region.level);
    for (axis, size) in target.footprint.into_iter().enumerate() {
        let (offset, extent) = (region.offset[axis], region.extent[axis]);
        if !offset.is_multiple_of(size) {
            let what = format!("offset {:?} lies inside a {} block", region.offset, target.name);
            return Err(Error::Region { index, what });
        }
        if !extent.is_multiple_of(size) && offset + extent != level[axis] {
            let what = format!("extent {:?} ends inside a {} block", region.extent, target.name);
            return Err(Error::Region { index, what });
        }
    }
    Ok(())
}

/// Copies the block buffers into their BC images.
///
/// # Safety
/// As [`crate::Transcoder::record`].
pub(crate) unsafe fn copy(gpu: &Gpu, commands: vk::CommandBuffer, prepared: &[Prepared<'_>]) {
    let device = gpu.device();
    if !prepared.iter().any(|job| job.block_buffer.is_some()) {
        return;
    }
    let barrier = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::SHADER_WRITE)
        .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
    // SAFETY: the caller records `commands` outside a render pass.
    unsafe {
        device.cmd_pipeline_barrier(
            commands,
            vk::PipelineStageFlags::COMPUTE_SHADER,
            vk::PipelineStageFlags::TRANSFER,
            vk::DependencyFlags::empty(),
            &barrier,
            &[],
            &[],
        );
    }
    for prepared in prepared {
        let (job, Some(blocks)) = (prepared.job, &prepared.block_buffer) else { continue };
        let copies: Vec<_> = job
            .regions
            .iter()
            .zip(&blocks.regions)
            .map(|(region, &offset)| {
                let [x, y, z] = region.offset.map(|value| value as i32);
                vk::BufferImageCopy::default()
                    .buffer_offset(blocks.offset + offset)
                    .image_subresource(
                        vk::ImageSubresourceLayers::default()
                            .aspect_mask(vk::ImageAspectFlags::COLOR)
                            .mip_level(region.level)
                            .base_array_layer(region.base_layer)
                            .layer_count(region.layer_count),
                    )
                    .image_offset(vk::Offset3D { x, y, z })
                    .image_extent(vk::Extent3D {
                        width: region.extent[0],
                        height: region.extent[1],
                        depth: region.extent[2],
                    })
            })
            .collect();
        let layout = working_layout(&job.target);
        // SAFETY: the image has TRANSFER_DST usage and is in that layout since the first barrier.
        unsafe {
            device.cmd_copy_buffer_to_image(commands, blocks.buffer, job.target.image, layout, &copies);
        }
    }
}
