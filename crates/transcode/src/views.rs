//! The views a job is bound through.

use crate::error::Result;
use crate::job::{Job, Region, Source, Target};
use crate::record::Prepared;
use texemu_core::vk;
use texemu_core::{Arena, Resource};

#[derive(Default)]
pub(crate) struct Views {
    pub(crate) source: Vec<vk::BufferView>,
    /// One a region.
    pub(crate) target: Vec<TargetView>,
}

/// A storage view of one level.
#[derive(Clone, Copy)]
pub(crate) struct TargetView {
    pub(crate) handle: vk::ImageView,
    /// The layer that it starts at.
    pub(crate) base_layer: u32,
}

/// The source's views, one a window, and the target's, one a region; empty where buffers serve.
///
/// A target's view holds no layer that its region does not touch: only the touched layers are in the layout that a kernel
/// writes in, and a descriptor promises that for all it reaches.
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
    if prepared.block_buffer.is_none() {
        for (index, region) in job.regions.iter().enumerate() {
            // SAFETY: the image is valid by the caller's promise.
            let view = unsafe { target_view(arena, job, &views.target, index, region) }?;
            views.target.push(view);
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

/// The caller's view, that of an earlier region, or a new one.
///
/// # Safety
/// The target's image is valid.
unsafe fn target_view(
    arena: &mut Arena,
    job: &Job<'_>,
    earlier: &[TargetView],
    index: usize,
    region: &Region,
) -> Result<TargetView> {
    let base_layer = region.base_layer;
    if let Some(&handle) = job.target.views.get(index).filter(|&&view| view != vk::ImageView::null()) {
        return Ok(TargetView { handle, base_layer });
    }
    let place = |region: &Region| (region.level, region.base_layer, region.layer_count);
    let same = job.regions[..index].iter().position(|other| place(other) == place(region));
    if let Some(&view) = same.and_then(|index| earlier.get(index)) {
        return Ok(view);
    }
    // SAFETY: the caller's promise.
    let handle = unsafe { storage_view(arena, &job.target, region) }?;
    Ok(TargetView { handle, base_layer })
}

/// # Safety
/// The target's image is valid.
unsafe fn storage_view(arena: &mut Arena, target: &Target<'_>, region: &Region) -> Result<vk::ImageView> {
    let view_type = if target.image_type == vk::ImageType::TYPE_3D {
        vk::ImageViewType::TYPE_3D
    } else {
        vk::ImageViewType::TYPE_2D_ARRAY
    };
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .base_mip_level(region.level)
        .level_count(1)
        .base_array_layer(region.base_layer)
        .layer_count(region.layer_count);
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
