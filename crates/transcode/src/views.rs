//! The views a job is bound through.

use crate::error::Result;
use crate::job::{Job, Source, Target};
use crate::record::Prepared;
use texemu_core::vk;
use texemu_core::{Arena, Resource};

#[derive(Default)]
pub(crate) struct Views {
    pub(crate) source: Vec<vk::BufferView>,
    pub(crate) target: Vec<vk::ImageView>,
}

/// The source's views, one a window, and the target's, one a level; empty where buffers or the caller's views serve.
///
/// # Safety
/// The job's handles are valid.
pub(crate) unsafe fn make(arena: &mut Arena, prepared: &Prepared<'_>) -> Result<Views> {
    let job = prepared.job;
    let mut views = Views::default();
    if let Source::TexelBuffer(buffer) = job.source {
        for window in &prepared.plan.windows {
            let info = vk::BufferViewCreateInfo::default()
                .buffer(buffer)
                .format(texemu_core::vk_format(job.format.storage_view()))
                .offset(window.offset)
                .range(window.bytes);
            // SAFETY: the buffer is valid by the caller's promise, and holds the window.
            views.source.push(unsafe { arena.buffer_view(&info) }?);
        }
    }
    if prepared.block_buffer.is_none() && job.target.views.is_empty() {
        views.target = vec![vk::ImageView::null(); job.target.levels as usize];
        for region in job.regions {
            let view = &mut views.target[region.level as usize];
            if *view == vk::ImageView::null() {
                // SAFETY: the image is valid by the caller's promise.
                *view = unsafe { storage_view(arena, &job.target, region.level) }?;
            }
        }
    }
    Ok(views)
}

pub(crate) fn source_resource(
    job: &Job<'_>,
    prepared: &Prepared<'_>,
    views: &Views,
    window: usize,
    level: u32,
) -> Resource {
    match job.source {
        Source::TexelBuffer(_) => Resource::TexelBuffer(views.source[window]),
        Source::StorageBuffer(buffer) => {
            let window = prepared.plan.windows[window];
            Resource::Buffer(buffer, window.offset, window.bytes)
        }
        Source::StorageImage(levels) => Resource::StorageImage(levels[level as usize]),
    }
}

/// # Safety
/// The target's image is valid.
unsafe fn storage_view(arena: &mut Arena, target: &Target<'_>, level: u32) -> Result<vk::ImageView> {
    let view_type = if target.image_type == vk::ImageType::TYPE_3D {
        vk::ImageViewType::TYPE_3D
    } else {
        vk::ImageViewType::TYPE_2D_ARRAY
    };
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .base_mip_level(level)
        .level_count(1)
        .layer_count(vk::REMAINING_ARRAY_LAYERS);
    let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::STORAGE);
    let info = vk::ImageViewCreateInfo::default()
        .image(target.image)
        .view_type(view_type)
        .format(texemu_core::vk_format(target.format.storage_view()))
        .subresource_range(range)
        .push_next(&mut usage);
    // SAFETY: the image is valid by the caller's promise.
    Ok(unsafe { arena.image_view(&info) }?)
}
