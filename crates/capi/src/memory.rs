//! Memory of emulated images.

use crate::emulator::texemu_emulator;
use crate::pointer::{array, get, get_mut};
use crate::status::{Answer, Failure, guard};
use texemu_core::vk;

/// `vkGetImageMemoryRequirements`: of both planes together.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_image_memory_requirements(
    emulator: *const texemu_emulator,
    image: vk::Image,
    requirements: *mut vk::MemoryRequirements,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(requirements, "requirements") }?;
        let told = emulator.emulator.image_memory_requirements(image);
        Ok(Answer::emulated(told.map(|told| *slot = told).is_some()))
    })
}

/// `vkGetImageMemoryRequirements2`, with `VkMemoryDedicatedRequirements` in the chain.
///
/// # Safety
/// The pointers are valid, and start valid chains.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_image_memory_requirements2(
    emulator: *const texemu_emulator,
    info: *const vk::ImageMemoryRequirementsInfo2<'_>,
    requirements: *mut vk::MemoryRequirements2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(requirements, "requirements") }?;
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { emulator.emulator.image_memory_requirements2(info, slot) }))
    })
}

/// `vkGetDeviceImageMemoryRequirements`: before there is an image. Where the target is chosen only when the image is created
/// (`TEXEMU_POLICY_AUTO`, or a ceiling), this suffices for any of them.
///
/// # Safety
/// The pointers are valid, and start valid chains.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_device_image_memory_requirements(
    emulator: *const texemu_emulator,
    info: *const vk::DeviceImageMemoryRequirements<'_>,
    requirements: *mut vk::MemoryRequirements2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(requirements, "requirements") }?;
        if info.p_create_info.is_null() {
            return Err(Failure::argument("info's pCreateInfo is null"));
        }
        // SAFETY: as above.
        let told = unsafe { emulator.emulator.device_image_memory_requirements(info, slot) }?;
        Ok(Answer::emulated(told))
    })
}

/// `vkGetImageSparseMemoryRequirements` and its `2` form: `*count` becomes 0, for emulated images are never sparse.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_image_sparse_memory_requirement_count(
    emulator: *const texemu_emulator,
    image: vk::Image,
    count: *mut u32,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(count, "count") }?;
        let told = emulator.emulator.image_sparse_memory_requirement_count(image);
        Ok(Answer::emulated(told.map(|told| *slot = told).is_some()))
    })
}

/// `vkAllocateMemory` for memory that the application dedicates to an emulated image which keeps its blocks: two resources lie in it, so
/// the device must not be told that it is for one. `TEXEMU_NOT_EMULATED`: allocate with `info` as it is.
///
/// # Safety
/// As `vkAllocateMemory`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_allocate_memory(
    emulator: *const texemu_emulator,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(memory, "memory") }?;
        // SAFETY: null or valid by the caller's promise.
        let allocator = unsafe { allocator.as_ref() };
        // SAFETY: the caller's promise.
        let Some(mut changed) = (unsafe { emulator.emulator.memory_allocate_info(info) }) else {
            return Ok(Answer::NotEmulated);
        };
        let device = emulator.emulator.gpu().device();
        // SAFETY: the application's own structure, without what names the image.
        let allocated = unsafe { device.allocate_memory(&changed.get(), allocator) };
        *slot = allocated.map_err(|result| Failure::vulkan(result, format!("vkAllocateMemory: {result}")))?;
        Ok(Answer::Done)
    })
}

/// `vkBindImageMemory`: binds both planes.
///
/// # Safety
/// As `vkBindImageMemory`, with the requirements that were given here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_bind_image_memory(
    emulator: *const texemu_emulator,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { emulator.emulator.bind_image_memory(image, memory, offset) }?))
    })
}

/// `vkBindImageMemory2`, for emulated images and others together: calls the driver with all of them, then binds the compressed planes.
/// Never answers `TEXEMU_NOT_EMULATED`.
///
/// # Safety
/// As `vkBindImageMemory2`, with the requirements that were given here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_bind_image_memory2(
    emulator: *const texemu_emulator,
    info_count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let infos = unsafe { array(infos, info_count, "infos") }?;
        // SAFETY: as above.
        unsafe { emulator.emulator.bind_image_memory2(infos) }?;
        Ok(Answer::Done)
    })
}
