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
        (true, _) if target.stores_straight() => vk::ImageLayout::GENERAL,
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
    let regions = prepared.job.regions.iter();
    touched(regions.map(|region| (region.level, region.base_layer, region.base_layer + region.layer_count)))
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

/// Levels with their first layer and the one past the last, each level and layer in one range and no other in any: the
/// layers between two regions may be in another layout, and in use.
fn touched(regions: impl Iterator<Item = (u32, u32, u32)>) -> Vec<(u32, u32, u32)> {
    let mut all: Vec<_> = regions.collect();
    all.sort_unstable();
    let mut ranges: Vec<(u32, u32, u32)> = Vec::with_capacity(all.len());
    for (level, first, end) in all {
        match ranges.last_mut() {
            Some(range) if range.0 == level && first <= range.2 => range.2 = range.2.max(end),
            _ => ranges.push((level, first, end)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untouched_layers_stay_out_of_barriers() {
        let regions = [(0, 5, 6), (1, 0, 2), (0, 0, 2), (0, 1, 3), (0, 3, 4), (1, 0, 1)];
        assert_eq!(touched(regions.into_iter()), [(0, 0, 4), (0, 5, 6), (1, 0, 2)]);
    }
}
