//! One emulated image: what stands behind the application's handle.

use crate::error::{Context, Result};
use crate::plane::PlaneLayout;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use texemu_core::{Gpu, vk};
use texemu_format::Format;
use texemu_transcode::{Region, Target};

/// The application's image. The decoded plane has the application's handle, so barriers, views and descriptors need no
/// translation; the compressed plane, where there is one, is a buffer behind it in the same memory.
#[derive(Debug)]
pub(crate) struct EmulatedImage {
    pub(crate) handle: vk::Image,
    pub(crate) format: &'static Format,
    pub(crate) target: &'static Format,
    pub(crate) image_type: vk::ImageType,
    pub(crate) extent: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) layers: u32,
    /// The application's usage, without what the emulation added.
    pub(crate) usage: vk::ImageUsageFlags,
    /// Shared by queue families, so that none acquires it.
    pub(crate) concurrent: bool,
    /// Where the blocks of each level lie, kept or not.
    pub(crate) layout: PlaneLayout,
    pub(crate) plane: Option<Plane>,
    /// Of both planes together.
    pub(crate) requirements: vk::MemoryRequirements,
    pub(crate) bound: AtomicBool,
    /// Storage views by level, first layer and count, made when such a range is first decoded. A view holds no other layers:
    /// they may be in another layout.
    views: RwLock<HashMap<Range, vk::ImageView>>,
}

/// Storage views that an image keeps: all levels of an ordinary image, but not every layer of a large array.
const VIEWS: usize = 64;

/// A level, its first layer and how many.
type Range = (u32, u32, u32);

/// The compressed plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) buffer: vk::Buffer,
    /// Bytes from the image's place in its memory.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// What an [`EmulatedImage`] is made of.
pub(crate) struct Parts {
    pub(crate) handle: vk::Image,
    pub(crate) format: &'static Format,
    pub(crate) target: &'static Format,
    pub(crate) layout: PlaneLayout,
    pub(crate) plane: Option<Plane>,
    pub(crate) requirements: vk::MemoryRequirements,
}

impl EmulatedImage {
    pub(crate) fn new(info: &vk::ImageCreateInfo<'_>, parts: Parts) -> Self {
        let Parts { handle, format, target, layout, plane, requirements } = parts;
        Self {
            handle,
            format,
            target,
            image_type: info.image_type,
            extent: [info.extent.width, info.extent.height, info.extent.depth],
            levels: info.mip_levels,
            layers: info.array_layers,
            usage: info.usage,
            concurrent: info.sharing_mode == vk::SharingMode::CONCURRENT,
            layout,
            plane,
            requirements,
            bound: AtomicBool::new(false),
            views: RwLock::default(),
        }
    }

    /// Whether the third coordinate of a block is an array layer.
    pub(crate) fn layered(&self) -> bool {
        self.image_type != vk::ImageType::TYPE_3D
    }

    /// Bytes of the decoded plane.
    pub(crate) fn decoded_bytes(&self) -> u64 {
        self.plane.map_or(self.requirements.size, |plane| plane.offset)
    }

    /// Bytes of the same image in `R8G8B8A8`, what an emulation without a choice of targets would need.
    pub(crate) fn rgba8_bytes(&self) -> u64 {
        self.layout.levels.iter().fold(0, |sum: u64, level| {
            let texels = u64::from(level.extent[0]) * u64::from(level.extent[1]) * u64::from(level.slices);
            sum.saturating_add(texels.saturating_mul(4))
        })
    }

    /// The levels, and the layers, of a range that may leave them to be counted: the first, and the one past the last.
    pub(crate) fn range(&self, range: &vk::ImageSubresourceRange) -> ([u32; 2], [u32; 2]) {
        let part = |first: u32, count: u32, all: u32| {
            let end = if count == u32::MAX { all } else { first.saturating_add(count).min(all) };
            [first.min(end), end]
        };
        let levels = part(range.base_mip_level, range.level_count, self.levels);
        (levels, part(range.base_array_layer, range.layer_count, self.layers))
    }

    pub(crate) fn is_bound(&self) -> bool {
        self.bound.load(Ordering::Acquire)
    }

    /// The storage view that a region is written through; `None` once the image has many, and the recording is to make it.
    pub(crate) fn storage_view(&self, gpu: &Gpu, region: &Region) -> Result<Option<vk::ImageView>> {
        let key = (region.level, region.base_layer, region.layer_count);
        if let Some(&view) = self.views.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Some(view));
        }
        let view_type =
            if self.layered() { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_3D };
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .base_mip_level(region.level)
            .level_count(1)
            .base_array_layer(region.base_layer)
            .layer_count(region.layer_count);
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::STORAGE);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.handle)
            .view_type(view_type)
            .format(texemu_core::vk_format(self.target.storage_view()))
            .subresource_range(range)
            .push_next(&mut usage);
        let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&view) = views.get(&key) {
            return Ok(Some(view));
        }
        if views.len() >= VIEWS {
            return Ok(None);
        }
        // SAFETY: the image is alive and bound; it was created with STORAGE usage, mutable and with extended usage.
        let view = unsafe { gpu.device().create_image_view(&info, None) }.call("vkCreateImageView")?;
        gpu.name(view, "storage view of an emulated image");
        views.insert(key, view);
        Ok(Some(view))
    }

    /// The image as a transcoder sees it, in `layout`.
    pub(crate) fn target<'a>(&self, layout: vk::ImageLayout, views: &'a [vk::ImageView]) -> Target<'a> {
        Target {
            image: self.handle,
            format: self.target,
            image_type: self.image_type,
            extent: self.extent,
            levels: self.levels,
            layers: self.layers,
            layout,
            discard: false,
            views,
        }
    }

    /// Destroys what the emulation made: the storage views and the compressed plane. The decoded plane stays.
    ///
    /// # Safety
    /// The device is done with the image, and nothing of it is used afterwards.
    pub(crate) unsafe fn destroy(&self, gpu: &Gpu) {
        let device = gpu.device();
        for (_, view) in self.views.write().unwrap_or_else(PoisonError::into_inner).drain() {
            // SAFETY: made by this image; the device is done with it by the caller's promise.
            unsafe { device.destroy_image_view(view, None) };
        }
        if let Some(plane) = self.plane {
            // SAFETY: as above.
            unsafe { device.destroy_buffer(plane.buffer, None) };
        }
    }
}
