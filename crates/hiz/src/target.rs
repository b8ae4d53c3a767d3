//! What a recording writes to.

use crate::hiz::vulkan;
use crate::raster::Draws;
use crate::{Error, Hiz, HizPlan, Path, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use texemu_core::{Buffer, BufferDesc, Gpu, Location, vk};

/// Where a level lies: a mip level of an image, and as many of its array layers as the plan has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HizImage {
    /// The image, of the plan's format and [`HizPlan::level_usage`].
    pub image: vk::Image,
    /// The mip level, of the level's extent.
    pub mip_level: u32,
    /// The first array layer.
    pub array_layer: u32,
}

/// A plan bound to the images it fills, with what one recording in flight needs: views, scratch memory and counters, or framebuffers.
/// Recordings with the same target must not overlap on the device; frames in flight need a target each.
#[derive(Debug)]
pub struct HizTarget {
    plan: HizPlan,
    levels: Views,
    scratch: Option<Buffer>,
    /// The counters are not known to be zero.
    dirty: AtomicBool,
    pub(crate) draws: Option<Draws>,
}

impl HizTarget {
    /// Binds `plan` to `levels`: one image a level of the plan, finest first.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are not as many images as levels; [`Error::Device`] if memory or objects cannot be had.
    ///
    /// # Safety
    /// The images are as [`HizImage`] says, were made on `hiz`'s device, and live as long as the target. The target lives until all
    /// recordings with it have run.
    pub unsafe fn new(hiz: &Hiz, plan: &HizPlan, levels: &[HizImage]) -> Result<Self> {
        if levels.len() != plan.levels().len() {
            return Err(Error::Invalid("a target has an image for each level of its plan"));
        }
        let gpu = hiz.gpu();
        let layers = plan.desc().layers;
        let mut views = Views::new(gpu);
        for image in levels {
            // SAFETY: the caller's promise.
            unsafe { views.add(image, plan.format(), 0, layers) }?;
        }
        let draws = if plan.path() == Path::Raster {
            // SAFETY: the caller's promise.
            Some(unsafe { Draws::new(hiz, plan, levels) }?)
        } else {
            None
        };
        let scratch = match plan.scratch_bytes() {
            0 => None,
            bytes => Some(scratch(gpu, bytes)?),
        };
        Ok(Self { plan: plan.clone(), levels: views, scratch, dirty: AtomicBool::new(true), draws })
    }

    /// The plan.
    pub fn plan(&self) -> &HizPlan {
        &self.plan
    }

    /// A `2D_ARRAY` view of each level and all its layers, finest first; for queries to sample.
    pub fn views(&self) -> &[vk::ImageView] {
        self.levels.handles()
    }

    /// Says that the last recording may not have run to its end: it was never submitted, or the device was lost. The next one clears
    /// the counters first, as the first one does.
    pub fn invalidate(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take_dirty(&self) -> bool {
        self.dirty.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn scratch(&self) -> Option<&Buffer> {
        self.scratch.as_ref()
    }

    /// The view of a level that is stored; of any for one that is not, which no kernel writes.
    pub(crate) fn level(&self, level: u32) -> vk::ImageView {
        let index = level.saturating_sub(self.plan.desc().first_level) as usize;
        let views = self.views();
        views[index.min(views.len() - 1)]
    }
}

fn scratch(gpu: &Gpu, size: u64) -> Result<Buffer> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
    Ok(Buffer::new(gpu, &BufferDesc { name: "hiz scratch", size, usage, location: Location::Device })?)
}

/// Views that go with their owner.
#[derive(Debug)]
pub(crate) struct Views {
    gpu: Gpu,
    handles: Vec<vk::ImageView>,
}

impl Views {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), handles: Vec::new() }
    }

    pub(crate) fn handles(&self) -> &[vk::ImageView] {
        &self.handles
    }

    /// A view of `layers` layers of a level from its `layer`-th on.
    ///
    /// # Safety
    /// As [`HizTarget::new`].
    pub(crate) unsafe fn add(
        &mut self,
        image: &HizImage,
        format: vk::Format,
        layer: u32,
        layers: u32,
    ) -> Result<vk::ImageView> {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .base_mip_level(image.mip_level)
            .level_count(1)
            .base_array_layer(image.array_layer + layer)
            .layer_count(layers);
        let info = vk::ImageViewCreateInfo::default()
            .image(image.image)
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(format)
            .subresource_range(range);
        // SAFETY: the caller's promise.
        let view = unsafe { self.gpu.device().create_image_view(&info, None) };
        let view = view.map_err(|result| vulkan("vkCreateImageView", result))?;
        self.handles.push(view);
        Ok(view)
    }
}

impl Drop for Views {
    fn drop(&mut self) {
        for &view in &self.handles {
            // SAFETY: made on this device; the target's owner promises that the device is done with it.
            unsafe { self.gpu.device().destroy_image_view(view, None) };
        }
    }
}
