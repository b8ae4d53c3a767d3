//! Memory of emulated images: what they need, and binding it.

use crate::chain::{Chain, Keep, find_in, find_out};
use crate::emulator::Emulator;
use crate::error::{Context, Result};
use crate::image::EmulatedImage;
use std::sync::atomic::Ordering;
use texemu_core::vk;

impl Emulator {
    /// `vkGetImageMemoryRequirements`; `None` if the image is not emulated.
    #[doc(alias = "vkGetImageMemoryRequirements")]
    pub fn image_memory_requirements(&self, image: vk::Image) -> Option<vk::MemoryRequirements> {
        Some(self.images.get(image)?.requirements)
    }

    /// `vkGetImageMemoryRequirements2`; `false` if the image is not emulated, and nothing was written.
    ///
    /// # Safety
    /// `info` and `requirements` start valid chains; that of `requirements` is writable.
    #[doc(alias = "vkGetImageMemoryRequirements2")]
    pub unsafe fn image_memory_requirements2(
        &self,
        info: &vk::ImageMemoryRequirementsInfo2<'_>,
        requirements: &mut vk::MemoryRequirements2<'_>,
    ) -> bool {
        let Some(image) = self.images.get(info.image) else { return false };
        // The driver fills what it knows of the chain; then what holds for both planes is put over it.
        // SAFETY: the caller's promise; the image is alive.
        unsafe { self.gpu.device().get_image_memory_requirements2(info, requirements) };
        requirements.memory_requirements = image.requirements;
        if image.plane.is_some() {
            // SAFETY: the caller's promise.
            unsafe { refuse_dedication(requirements) };
        }
        true
    }

    /// `vkGetDeviceImageMemoryRequirements`; `false` if such an image would not be emulated, and nothing was written.
    ///
    /// Where the target is chosen only when the image is created ([`crate::Policy::Auto`], or a ceiling), this is what
    /// suffices for any of them.
    ///
    /// # Safety
    /// `info` and `requirements` start valid chains; that of `requirements` is writable.
    #[doc(alias = "vkGetDeviceImageMemoryRequirements")]
    pub unsafe fn device_image_memory_requirements(
        &self,
        info: &vk::DeviceImageMemoryRequirements<'_>,
        requirements: &mut vk::MemoryRequirements2<'_>,
    ) -> Result<bool> {
        // SAFETY: pCreateInfo is valid by the caller's promise.
        let create = unsafe { &*info.p_create_info };
        let look = |parts: &crate::image::Parts| parts.requirements;
        let merge = |a: vk::MemoryRequirements, b: vk::MemoryRequirements| vk::MemoryRequirements {
            size: a.size.max(b.size),
            alignment: a.alignment.max(b.alignment),
            memory_type_bits: a.memory_type_bits & b.memory_type_bits,
        };
        // SAFETY: the caller's promise.
        let Some(answer) = (unsafe { self.requirements_before_creation(create, look, merge) })? else {
            return Ok(false);
        };
        requirements.memory_requirements = answer;
        // SAFETY: the caller's promise.
        unsafe { refuse_dedication(requirements) };
        Ok(true)
    }

    /// `vkGetImageSparseMemoryRequirements` and its `2` form: how many there are. Emulated images are never sparse.
    #[doc(alias = "vkGetImageSparseMemoryRequirements")]
    pub fn image_sparse_memory_requirement_count(&self, image: vk::Image) -> Option<u32> {
        self.is_emulated(image).then_some(0)
    }

    /// `vkBindImageMemory`; `false` if the image is not emulated, and nothing was done.
    ///
    /// # Safety
    /// As `vkBindImageMemory`, with the requirements that were given here.
    #[doc(alias = "vkBindImageMemory")]
    pub unsafe fn bind_image_memory(
        &self,
        image: vk::Image,
        memory: vk::DeviceMemory,
        offset: u64,
    ) -> Result<bool> {
        let Some(image) = self.images.get(image) else { return Ok(false) };
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().bind_image_memory(image.handle, memory, offset) }
            .call("vkBindImageMemory")?;
        // SAFETY: the caller's promise.
        unsafe { self.bind_plane(&image, memory, offset) }?;
        Ok(true)
    }

    /// `vkBindImageMemory2`, for emulated images and others together: everything goes to the driver as it is, and then the
    /// compressed planes are bound behind their images.
    ///
    /// # Safety
    /// As `vkBindImageMemory2`, with the requirements that were given here.
    #[doc(alias = "vkBindImageMemory2")]
    pub unsafe fn bind_image_memory2(&self, infos: &[vk::BindImageMemoryInfo<'_>]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().bind_image_memory2(infos) }.call("vkBindImageMemory2")?;
        for info in infos {
            if let Some(image) = self.images.get(info.image) {
                // SAFETY: the caller's promise.
                unsafe { self.bind_plane(&image, info.memory, info.memory_offset) }?;
            }
        }
        Ok(())
    }

    /// # Safety
    /// `memory` holds the image's requirements from `offset` on.
    unsafe fn bind_plane(&self, image: &EmulatedImage, memory: vk::DeviceMemory, offset: u64) -> Result<()> {
        if let Some(plane) = image.plane {
            // SAFETY: the image's requirements count the plane at this offset.
            unsafe { self.gpu.device().bind_buffer_memory(plane.buffer, memory, offset + plane.offset) }
                .call("vkBindBufferMemory")?;
        }
        if !image.bound.swap(true, Ordering::AcqRel) {
            self.budget.bind(image.requirements.size);
        }
        Ok(())
    }

    /// `vkAllocateMemory`: the changed structure, or `None` if `info` can go to the driver as it is. An allocation that an
    /// application dedicates to an emulated image holds two resources if the blocks are kept, so it is dedicated no longer.
    ///
    /// # Safety
    /// `info` starts a valid chain, and outlives the result.
    #[doc(alias = "vkAllocateMemory")]
    pub unsafe fn memory_allocate_info<'a>(
        &self,
        info: &'a vk::MemoryAllocateInfo<'a>,
    ) -> Option<MemoryAllocateInfo<'a>> {
        // SAFETY: the caller's promise.
        let dedicated = unsafe { find_in::<vk::MemoryDedicatedAllocateInfo<'_>>(info.p_next) };
        // SAFETY: the caller's promise.
        let older = unsafe { find_in::<vk::DedicatedAllocationMemoryAllocateInfoNV<'_>>(info.p_next) };
        let image = dedicated.map(|info| info.image).or(older.map(|info| info.image))?;
        self.images.get(image)?.plane?;
        let keep = |s_type| match s_type {
            vk::StructureType::MEMORY_DEDICATED_ALLOCATE_INFO
            | vk::StructureType::DEDICATED_ALLOCATION_MEMORY_ALLOCATE_INFO_NV => Keep::Drop,
            _ => Keep::Same,
        };
        // SAFETY: the caller's promise.
        Some(MemoryAllocateInfo { info: *info, chain: unsafe { Chain::copy(info.p_next, keep) } })
    }
}

/// A changed `VkMemoryAllocateInfo`.
pub struct MemoryAllocateInfo<'a> {
    info: vk::MemoryAllocateInfo<'a>,
    chain: Chain,
}

impl MemoryAllocateInfo<'_> {
    /// The structure to allocate with.
    pub fn get(&mut self) -> vk::MemoryAllocateInfo<'_> {
        let mut info = self.info;
        info.p_next = self.chain.head();
        info
    }
}

/// # Safety
/// `requirements` starts a valid, writable chain.
unsafe fn refuse_dedication(requirements: &mut vk::MemoryRequirements2<'_>) {
    // SAFETY: the caller's promise.
    if let Some(dedicated) = unsafe { find_out::<vk::MemoryDedicatedRequirements<'_>>(requirements.p_next) } {
        dedicated.prefers_dedicated_allocation = vk::FALSE;
        dedicated.requires_dedicated_allocation = vk::FALSE;
    }
}
