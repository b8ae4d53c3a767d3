//! The barriers around the dispatches: they make a job look like a copy.

use crate::job::Target;
use crate::record::Prepared;
use texemu_core::Gpu;
use texemu_core::vk;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// # Safety
/// As [`crate::Transcoder::record`].
pub(crate) unsafe fn record(gpu: &Gpu, commands: vk::CommandBuffer, prepared: &[Prepared<'_>], side: Side) {
    let images: Vec<_> = prepared.iter().flat_map(|job| image_barriers(job, side)).collect();
    let (transfer, compute) = (
        vk::PipelineStageFlags::TRANSFER,
        vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
    );
    let memory = vk::MemoryBarrier::default();
    let (source_stage, target_stage, memory) = match side {
        Side::Before => (
            transfer,
            compute,
            memory
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::SHADER_READ),
        ),
        Side::After => (
            compute,
            transfer,
            memory
                .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE),
        ),
    };
    if prepared.is_empty() {
        return;
    }
    // SAFETY: the caller records `commands` outside a render pass; the images are valid by its promise.
    unsafe {
        gpu.device().cmd_pipeline_barrier(
            commands,
            source_stage,
            target_stage,
            vk::DependencyFlags::empty(),
            &[memory],
            &[],
            &images,
        );
    }
}

/// The layout a target is in while it is written.
pub(crate) fn working_layout(target: &Target<'_>) -> vk::ImageLayout {
    match (target.format.is_compressed(), target.layout) {
        (true, vk::ImageLayout::GENERAL) | (false, _) => vk::ImageLayout::GENERAL,
        (true, _) => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    }
}

/// One barrier a touched range: the levels and layers of each region, and nothing else of the image.
fn image_barriers(prepared: &Prepared<'_>, side: Side) -> Vec<vk::ImageMemoryBarrier<'static>> {
    let target = &prepared.job.target;
    let working = working_layout(target);
    let write = if prepared.block_buffer.is_some() {
        vk::AccessFlags::TRANSFER_WRITE
    } else {
        vk::AccessFlags::SHADER_WRITE
    };
    let outside = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
    let mut ranges: Vec<(u32, u32, u32)> = Vec::new();
    for region in prepared.job.regions {
        let (first, end) = (region.base_layer, region.base_layer + region.layer_count);
        match ranges.iter_mut().find(|range| range.0 == region.level) {
            // A range may hold layers between two regions that neither touches: unless their content may be
            // discarded, moving them to the working layout and back changes nothing.
            Some(range) if !target.discard => {
                (range.1, range.2) = (range.1.min(first), range.2.max(end));
            }
            _ => ranges.push((region.level, first, end)),
        }
    }
    ranges
        .into_iter()
        .map(|(level, first, end)| {
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .base_mip_level(level)
                .level_count(1)
                .base_array_layer(first)
                .layer_count(end - first);
            let barrier = vk::ImageMemoryBarrier::default()
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(target.image)
                .subresource_range(range);
            match side {
                Side::Before => barrier
                    .old_layout(if target.discard { vk::ImageLayout::UNDEFINED } else { target.layout })
                    .new_layout(working)
                    .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .dst_access_mask(write),
                Side::After => barrier
                    .old_layout(working)
                    .new_layout(target.layout)
                    .src_access_mask(write)
                    .dst_access_mask(outside),
            }
        })
        .collect()
}
