//! Emulated images: created, viewed, described, destroyed.

use crate::emulator::texemu_emulator;
use crate::pointer::{get, get_mut};
use crate::status::{Answer, guard, guarded};
use crate::versioned::{Versioned, write};
use texemu_core::vk;

/// An emulated image, as reported.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_image_report {
    /// `sizeof(texemu_image_report)`.
    pub struct_size: u32,
    /// What the application asked for.
    pub format: vk::Format,
    /// What the device stores.
    pub target: vk::Format,
    /// Zero.
    pub reserved: u32,
    /// Bytes of the decoded plane.
    pub decoded_bytes: u64,
    /// Bytes of the compressed plane; 0 if the blocks are not kept.
    pub compressed_bytes: u64,
    /// Bytes that R8G8B8A8 would need.
    pub rgba8_bytes: u64,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_image_report {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// `vkCreateImage`. `TEXEMU_NOT_EMULATED`: create it with `info` as it is, and tell `texemu_note_image`.
///
/// The image is the decoded plane's own handle: barriers, descriptors and `vkCmdBlitImage` from it work as on any image. Views, memory
/// and copies go through this library. The chain and arrays of `info` are not changed. Compiles the image's pipelines unless
/// they are there already or `compile_late` is set.
///
/// # Safety
/// As `vkCreateImage`, on a device that has the format.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_create_image(
    emulator: *const texemu_emulator,
    info: *const vk::ImageCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    image: *mut vk::Image,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(image, "image") }?;
        // SAFETY: null or valid by the caller's promise.
        let allocator = unsafe { allocator.as_ref() };
        // SAFETY: the caller's promise.
        let created = unsafe { emulator.emulator.create_image(info, allocator) }?;
        Ok(Answer::emulated(created.map(|created| *slot = created).is_some()))
    })
}

/// `vkDestroyImage`.
///
/// # Safety
/// As `vkDestroyImage`, with callbacks compatible with those of the creation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_destroy_image(
    emulator: *const texemu_emulator,
    image: vk::Image,
    allocator: *const vk::AllocationCallbacks<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: null or valid by the caller's promise.
        let allocator = unsafe { allocator.as_ref() };
        // SAFETY: the caller's promise.
        Ok(Answer::emulated(unsafe { emulator.emulator.destroy_image(image, allocator) }))
    })
}

/// Destroys an image once the device has passed `value` on a timeline of the caller's choosing: see `texemu_collect`. From now on the
/// image is unknown here.
///
/// # Safety
/// `emulator` is valid. All work with the image was submitted, and ends by the time that the timeline reaches `value`. The image was
/// created without allocation callbacks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_retire_image(
    emulator: *const texemu_emulator,
    image: vk::Image,
    value: u64,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { emulator.emulator.retire_image(image, value) }))
    })
}

/// Destroys the images that were retired with values up to `reached`; their memory may be freed after this. Tells in `*left`, which may
/// be null, how many are still waiting.
///
/// # Safety
/// `emulator` is valid, and `left` null or valid. The device is done with all work up to `reached`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_collect(
    emulator: *const texemu_emulator,
    reached: u64,
    left: *mut u32,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let waiting = unsafe { emulator.emulator.collect(reached) };
        // SAFETY: null or valid by the caller's promise.
        if let Some(left) = unsafe { left.as_mut() } {
            *left = waiting as u32;
        }
        Ok(Answer::Done)
    })
}

/// Whether this is an emulated image. Costs one load while there are none.
///
/// # Safety
/// `emulator` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_is_emulated(
    emulator: *const texemu_emulator,
    image: vk::Image,
) -> vk::Bool32 {
    // SAFETY: the caller's promise.
    let is = || unsafe { emulator.as_ref() }.is_some_and(|emulator| emulator.emulator.is_emulated(image));
    guarded(vk::FALSE, || is().into())
}

/// What stands behind an emulated image.
///
/// # Safety
/// Both pointers are valid, and the `struct_size` of `report` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_describe_image(
    emulator: *const texemu_emulator,
    image: vk::Image,
    report: *mut texemu_image_report,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        let Some(of) = emulator.emulator.describe(image) else { return Ok(Answer::NotEmulated) };
        let told = texemu_image_report {
            struct_size: 0,
            format: texemu_core::vk_format(of.format.vk),
            target: texemu_core::vk_format(of.target.vk),
            reserved: 0,
            decoded_bytes: of.decoded_bytes,
            compressed_bytes: of.compressed_bytes,
            rgba8_bytes: of.rgba8_bytes,
        };
        // SAFETY: the caller's promise.
        unsafe { write(report, told, "report") }?;
        Ok(Answer::Done)
    })
}

/// Remembers an image that is not emulated, so that it can be copied from and to emulated ones. Images that cannot meet one are not
/// kept, so this may be called with all.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_note_image(
    emulator: *const texemu_emulator,
    image: vk::Image,
    info: *const vk::ImageCreateInfo<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        emulator.emulator.note_image(image, unsafe { get(info, "info") }?);
        Ok(Answer::Done)
    })
}

/// Forgets what `texemu_note_image` remembered; for when the image is destroyed.
///
/// # Safety
/// `emulator` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_forget_image(
    emulator: *const texemu_emulator,
    image: vk::Image,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        emulator.emulator.forget_image(image);
        Ok(Answer::Done)
    })
}

/// `vkCreateImageView`. The view is destroyed as any other. Its format is the image's or the other of the pair UNORM and SRGB; others
/// fail with `VK_ERROR_FORMAT_NOT_SUPPORTED`.
///
/// # Safety
/// As `vkCreateImageView`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_create_image_view(
    emulator: *const texemu_emulator,
    info: *const vk::ImageViewCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    view: *mut vk::ImageView,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(view, "view") }?;
        // SAFETY: null or valid by the caller's promise.
        let allocator = unsafe { allocator.as_ref() };
        // SAFETY: the caller's promise.
        let created = unsafe { emulator.emulator.create_image_view(info, allocator) }?;
        Ok(Answer::emulated(created.map(|created| *slot = created).is_some()))
    })
}
