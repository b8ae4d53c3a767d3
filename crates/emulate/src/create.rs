//! Creating images: which target, which planes.

use crate::chain::Chain;
use crate::emulator::Emulator;
use crate::error::{Context, Error, Result};
use crate::image::{EmulatedImage, Parts, Plane};
use crate::offer::Entry;
use crate::plane::PlaneLayout;
use crate::query::{chain_refusal, keep, plane_formats, refusal};
use crate::settings::Policy;
use std::sync::Arc;
use texemu_core::vk;
use texemu_format::{Format, VkFormat, by_vk};

impl Emulator {
    /// `vkCreateImage`. `None`: the format is not emulated here, and the driver is to be called with `info` as it is (and
    /// [`Emulator::note_image`] told).
    ///
    /// The handle is the decoded plane's: barriers, views made by [`Emulator::create_image_view`] and descriptors work on it
    /// as on any image. Copies go through this crate.
    ///
    /// # Safety
    /// As `vkCreateImage`, on a device that has the format.
    #[doc(alias = "vkCreateImage")]
    pub unsafe fn create_image(
        &self,
        info: &vk::ImageCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) -> Result<Option<vk::Image>> {
        // SAFETY: the caller's promise.
        let Some(wanted) = (unsafe { self.wanted(info) })? else { return Ok(None) };
        let mut refused = None;
        for target in wanted.ladder {
            // SAFETY: the caller's promise.
            match unsafe { self.build(info, allocator, wanted.format, target) } {
                Ok(parts) => match self.budget.reserve(parts.requirements.size) {
                    Ok(()) => return self.finish_creation(info, allocator, parts).map(Some),
                    Err(used) => {
                        let bytes = parts.requirements.size;
                        // SAFETY: just created, and given to nobody.
                        unsafe { self.discard(&parts, allocator) };
                        let ceiling = self.budget.ceiling().unwrap_or(u64::MAX);
                        refused = Some(Error::Ceiling { format: wanted.format, bytes, used, ceiling });
                    }
                },
                // The device cannot hold such an image in this target; a ceiling that was hit before says more.
                Err(error) => refused = Some(refused.unwrap_or(error)),
            }
        }
        let what = || "no target fits this device".to_owned();
        Err(refused.unwrap_or_else(|| Error::Unsupported { format: wanted.format, what: what() }))
    }

    /// What an image of `info` would need, largest target first if the choice is not made yet.
    ///
    /// # Safety
    /// As [`Emulator::create_image`].
    pub(crate) unsafe fn requirements_before_creation<T>(
        &self,
        info: &vk::ImageCreateInfo<'_>,
        mut look: impl FnMut(&Parts) -> T,
        mut merge: impl FnMut(T, T) -> T,
    ) -> Result<Option<T>> {
        // SAFETY: the caller's promise.
        let Some(wanted) = (unsafe { self.wanted(info) })? else { return Ok(None) };
        let settings = &self.offer.settings;
        // Whatever is chosen later has to fit into memory that is allocated now.
        let undecided = settings.ceiling.is_some() || settings.policy_for(wanted.format.vk) == Policy::Auto;
        let ladder = if undecided { self.offer.ladder(wanted.format, Policy::Exact) } else { wanted.ladder };
        let (mut result, mut refused) = (None, None);
        for target in ladder {
            // SAFETY: the caller's promise.
            match unsafe { self.build(info, None, wanted.format, target) } {
                Ok(parts) => {
                    let one = look(&parts);
                    // SAFETY: just created, and given to nobody.
                    unsafe { self.discard(&parts, None) };
                    result = Some(match result {
                        Some(all) => merge(all, one),
                        None => one,
                    });
                    if !undecided {
                        break;
                    }
                }
                Err(error) => refused = Some(error),
            }
        }
        match (result, refused) {
            (Some(result), _) => Ok(Some(result)),
            (None, Some(error)) => Err(error),
            (None, None) => {
                Err(Error::Unsupported { format: wanted.format, what: "no target fits this device".into() })
            }
        }
    }

    /// Whether the image is emulated, and the targets to try.
    ///
    /// # Safety
    /// `info` starts a valid chain.
    unsafe fn wanted(&self, info: &vk::ImageCreateInfo<'_>) -> Result<Option<Wanted>> {
        let (Some(entry), Some(format)) =
            (self.offer.entry(info.format), by_vk(VkFormat(info.format.as_raw())))
        else {
            return Ok(None);
        };
        let refuse = |what: String| Err(Error::Unsupported { format, what });
        match entry {
            Entry::Native => return Ok(None),
            Entry::Missing => return refuse("the device does not have it and it is not emulated".into()),
            Entry::Emulated { .. } => {}
        }
        let shape = refusal(info.image_type, info.tiling, info.usage, info.flags, info.samples);
        // SAFETY: the caller's promise.
        if let Some(what) = shape.or_else(|| unsafe { chain_refusal(info.p_next) }) {
            return refuse(what);
        }
        let mut policy = self.offer.settings.policy_for(format.vk);
        if policy == Policy::Auto {
            policy = self.budget.policy(&self.offer, exact_bytes(format, info));
        }
        Ok(Some(Wanted { format, ladder: self.offer.ladder(format, policy) }))
    }

    /// Creates both planes for one target and says what memory they need.
    ///
    /// # Safety
    /// As [`Emulator::create_image`].
    unsafe fn build(
        &self,
        info: &vk::ImageCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        format: &'static Format,
        target: &'static Format,
    ) -> Result<Parts> {
        let extent = [info.extent.width, info.extent.height, info.extent.depth];
        let too_large =
            || Error::Vulkan { call: "vkCreateImage", result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY };
        let layout =
            PlaneLayout::new(format, extent, info.mip_levels, info.array_layers).ok_or_else(too_large)?;
        let (usage, flags) = self.offer.plane_usage(target, info.usage, info.flags);
        let vk_target = texemu_core::vk_format(target.vk);
        // SAFETY: the device belongs to the instance.
        let limits = unsafe {
            self.gpu.instance().get_physical_device_image_format_properties(
                self.gpu.physical_device(),
                vk_target,
                info.image_type,
                info.tiling,
                usage,
                flags,
            )
        }
        .call("vkGetPhysicalDeviceImageFormatProperties")?;
        let most = [limits.max_extent.width, limits.max_extent.height, limits.max_extent.depth];
        if (0..3).any(|axis| extent[axis] > most[axis])
            || info.mip_levels > limits.max_mip_levels
            || info.array_layers > limits.max_array_layers
        {
            let what = format!("{extent:?}, {} levels, {} layers", info.mip_levels, info.array_layers);
            return Err(Error::Unsupported { format, what });
        }
        let formats = plane_formats(target);
        // SAFETY: the caller's promise; the chain lives until the end of this function.
        let mut chain = unsafe { Chain::copy(info.p_next, keep) };
        if let Some(list) = chain.find::<vk::ImageFormatListCreateInfo<'_>>() {
            list.view_format_count = formats.len() as u32;
            list.p_view_formats = formats.as_ptr();
        }
        let mut plane_info = *info;
        plane_info.p_next = chain.head();
        plane_info.format = vk_target;
        plane_info.usage = usage;
        plane_info.flags = flags;
        // SAFETY: the caller's promise; what was changed is valid for the target, as the driver was asked.
        let handle =
            unsafe { self.gpu.device().create_image(&plane_info, allocator) }.call("vkCreateImage")?;
        // SAFETY: just created.
        let requirements = unsafe { self.gpu.device().get_image_memory_requirements(handle) };
        let mut parts = Parts { handle, format, target, layout, plane: None, requirements };
        if (self.offer.keeps_blocks(format, target, info.usage) || !self.copy_families.is_empty())
            && let Err(error) = self.add_plane(&mut parts)
        {
            // SAFETY: just created, and given to nobody.
            unsafe { self.discard(&parts, allocator) };
            return Err(error);
        }
        Ok(parts)
    }

    /// Creates the compressed plane and makes room for it behind the decoded one.
    fn add_plane(&self, parts: &mut Parts) -> Result<()> {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        let mut info = vk::BufferCreateInfo::default().size(parts.layout.bytes).usage(usage);
        if self.queue_families.len() > 1 {
            info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&self.queue_families);
        }
        // SAFETY: the device is alive and has queues of these families.
        let buffer = unsafe { self.gpu.device().create_buffer(&info, None) }.call("vkCreateBuffer")?;
        self.gpu.name(buffer, "compressed plane");
        // SAFETY: just created.
        let blocks = unsafe { self.gpu.device().get_buffer_memory_requirements(buffer) };
        let granularity = self.gpu.capabilities().limits.buffer_image_granularity;
        let joined = join(parts.requirements, blocks, granularity);
        parts.plane =
            Some(Plane { buffer, offset: joined.map_or(0, |(_, offset)| offset), bytes: parts.layout.bytes });
        let Some((requirements, _)) = joined else {
            let result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
            return Err(Error::Vulkan { call: "vkCreateImage", result });
        };
        parts.requirements = requirements;
        Ok(())
    }

    fn finish_creation(
        &self,
        info: &vk::ImageCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        parts: Parts,
    ) -> Result<vk::Image> {
        let prepare = || {
            let (format, target, options) = (parts.format, parts.target, self.options());
            self.transcoder.prepare_for(format, target, info.image_type, options)
        };
        if self.offer.settings.prepare
            && let Err(error) = prepare()
        {
            self.budget.release(parts.requirements.size, false);
            // SAFETY: just created, and given to nobody.
            unsafe { self.discard(&parts, allocator) };
            return Err(error.into());
        }
        let image = Arc::new(EmulatedImage::new(info, parts));
        self.gpu.name(image.handle, image.format.name);
        self.stats.created(&image, self.budget.used());
        let handle = image.handle;
        self.images.insert(handle, image);
        Ok(handle)
    }

    /// # Safety
    /// Nothing uses the parts.
    unsafe fn discard(&self, parts: &Parts, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        if let Some(plane) = parts.plane {
            // SAFETY: the caller's promise.
            unsafe { self.gpu.device().destroy_buffer(plane.buffer, None) };
        }
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().destroy_image(parts.handle, allocator) };
    }
}

/// An image to be emulated.
struct Wanted {
    format: &'static Format,
    ladder: Vec<&'static Format>,
}

/// Bytes of the texels that the exact target holds; a little less than the driver will ask for.
fn exact_bytes(format: &Format, info: &vk::ImageCreateInfo<'_>) -> u64 {
    let extent = [info.extent.width, info.extent.height, info.extent.depth];
    let layout = format
        .targets
        .exact()
        .and_then(|exact| PlaneLayout::new(exact, extent, info.mip_levels, info.array_layers));
    layout.map_or(u64::MAX, |layout| layout.bytes)
}

/// The requirements of an image with a buffer behind it, and where the buffer lies; `None` if they cannot lie together.
///
/// The two are kept apart by `bufferImageGranularity`, and so is whatever the application places behind them: to the
/// application all of it is one image (Vulkan specification, "Buffer-Image Granularity").
fn join(
    image: vk::MemoryRequirements,
    buffer: vk::MemoryRequirements,
    granularity: u64,
) -> Option<(vk::MemoryRequirements, u64)> {
    let alignment = image.alignment.max(buffer.alignment).max(granularity);
    let memory_type_bits = image.memory_type_bits & buffer.memory_type_bits;
    let offset = image.size.checked_next_multiple_of(alignment)?;
    let size = offset.checked_add(buffer.size)?.checked_next_multiple_of(granularity.max(1))?;
    let joined = vk::MemoryRequirements { size, alignment, memory_type_bits };
    (memory_type_bits != 0).then_some((joined, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirements(size: u64, alignment: u64, memory_type_bits: u32) -> vk::MemoryRequirements {
        vk::MemoryRequirements { size, alignment, memory_type_bits }
    }

    #[test]
    fn planes_are_kept_apart_and_counted_in_64_bits() {
        let (joined, offset) =
            join(requirements(1000, 256, 0b111), requirements(64, 16, 0b110), 1024).expect("fits");
        assert_eq!(offset, 1024, "on another granule than the image's end");
        assert_eq!((joined.size, joined.alignment), (2048, 1024), "and what follows is on yet another");
        assert_eq!(joined.memory_type_bits, 0b110, "memory that takes both");
        let large = requirements(6 << 30, 4096, 1);
        let (joined, offset) = join(large, requirements(3 << 30, 256, 1), 1).expect("fits");
        assert_eq!((offset, joined.size), (6 << 30, 9 << 30), "beyond 4 GiB");
        assert!(join(requirements(1, 1, 1), requirements(1, 1, 2), 1).is_none(), "no memory takes both");
        assert!(join(requirements(u64::MAX, 1, 1), requirements(1, 1, 1), 1).is_none(), "past 64 bits");
    }
}
