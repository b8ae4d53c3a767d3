//! Copies from and to emulated images. Each is called in place of its Vulkan command, on a command buffer that is being recorded,
//! outside a render pass. On failure nothing was recorded, and the command buffer goes on.

use crate::choices::source_access;
use crate::emulator::texemu_emulator;
use crate::pointer::{array, bytes, get, get_mut};
use crate::recording::texemu_recording;
use crate::status::{Answer, guard};
use texemu_core::vk;
use texemu_emulate::{ImagePair, KnownBuffer};

/// `vkCmdCopyBufferToImage`. `access` is a `texemu_source_access`. Disturbs the compute state of `commands`, unless `recording` was told
/// it: see `texemu_state_bind_pipeline`.
///
/// # Safety
/// - As `vkCmdCopyBufferToImage`; `recording` belongs to `commands`.
/// - With `TEXEMU_SOURCE_ACCESS_TEXEL_BUFFER`, `buffer` was created with UNIFORM_TEXEL_BUFFER usage.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_copy_buffer_to_image(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    access: u32,
    buffer: vk::Buffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    region_count: u32,
    regions: *const vk::BufferImageCopy,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let regions = unsafe { array(regions, region_count, "regions") }?;
        let access = source_access(access)?;
        let of = &emulator.emulator;
        // SAFETY: as above.
        let copied =
            unsafe { of.copy_buffer_to_image(commands, recording, buffer, access, image, layout, regions) };
        Ok(Answer::emulated(copied?))
    })
}

/// `vkCmdCopyBufferToImage2`; otherwise as `texemu_cmd_copy_buffer_to_image`.
///
/// # Safety
/// As `texemu_cmd_copy_buffer_to_image`, for the `2` form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_copy_buffer_to_image2(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    access: u32,
    info: *const vk::CopyBufferToImageInfo2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        let access = source_access(access)?;
        // SAFETY: as above.
        let copied = unsafe { emulator.emulator.copy_buffer_to_image2(commands, recording, access, info) };
        Ok(Answer::emulated(copied?))
    })
}

/// `texemu_cmd_copy_buffer_to_image` of a buffer whose bytes the caller knows, by way of the transcode cache (`cache_memory_bytes` in
/// `texemu_settings`): into an image with a BC target, what was copied before is not decoded again. For other images, and where the cache
/// is off, it is the same as without. `content` is what the buffer holds from its first byte on, `content_bytes` long.
///
/// # Safety
/// As `texemu_cmd_copy_buffer_to_image`. The buffer holds `content` whenever the commands run; `content` is read during the call alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_copy_known_buffer_to_image(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    access: u32,
    buffer: vk::Buffer,
    content: *const u8,
    content_bytes: usize,
    image: vk::Image,
    layout: vk::ImageLayout,
    region_count: u32,
    regions: *const vk::BufferImageCopy,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let regions = unsafe { array(regions, region_count, "regions") }?;
        // SAFETY: as above.
        let content = unsafe { bytes(content, content_bytes, "content") }?;
        let source = KnownBuffer { buffer, access: source_access(access)?, content };
        let of = &emulator.emulator;
        // SAFETY: as above.
        let copied =
            unsafe { of.copy_known_buffer_to_image(commands, recording, &source, image, layout, regions) };
        Ok(Answer::emulated(copied?))
    })
}

/// `vkCmdCopyImageToBuffer`: the original bytes. Disturbs no state.
///
/// # Safety
/// As `vkCmdCopyImageToBuffer`; `recording` belongs to `commands`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_copy_image_to_buffer(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    image: vk::Image,
    buffer: vk::Buffer,
    region_count: u32,
    regions: *const vk::BufferImageCopy,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let regions = unsafe { array(regions, region_count, "regions") }?;
        let of = &emulator.emulator;
        // SAFETY: as above.
        let copied = unsafe { of.copy_image_to_buffer(commands, recording, image, buffer, regions) };
        Ok(Answer::emulated(copied?))
    })
}

/// `vkCmdCopyImageToBuffer2`; otherwise as `texemu_cmd_copy_image_to_buffer`.
///
/// # Safety
/// As `texemu_cmd_copy_image_to_buffer`, for the `2` form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_copy_image_to_buffer2(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    info: *const vk::CopyImageToBufferInfo2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let copied = unsafe { emulator.emulator.copy_image_to_buffer2(commands, recording, info) };
        Ok(Answer::emulated(copied?))
    })
}

/// `vkCmdCopyImage`, of images of which at least one is emulated. The other must be known by `texemu_note_image`. Disturbs the compute
/// state if the image copied to is emulated, as `texemu_cmd_copy_buffer_to_image` does.
///
/// # Safety
/// As `vkCmdCopyImage`; `recording` belongs to `commands`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_copy_image(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    src: vk::Image,
    src_layout: vk::ImageLayout,
    dst: vk::Image,
    dst_layout: vk::ImageLayout,
    region_count: u32,
    regions: *const vk::ImageCopy,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let regions = unsafe { array(regions, region_count, "regions") }?;
        let images = ImagePair { src, src_layout, dst, dst_layout };
        // SAFETY: as above.
        let copied = unsafe { emulator.emulator.copy_image(commands, recording, images, regions) };
        Ok(Answer::emulated(copied?))
    })
}

/// `vkCmdCopyImage2`; otherwise as `texemu_cmd_copy_image`.
///
/// # Safety
/// As `texemu_cmd_copy_image`, for the `2` form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_copy_image2(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    info: *const vk::CopyImageInfo2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { emulator.emulator.copy_image2(commands, recording, info) }?))
    })
}

/// Decodes the blocks of `range` that copies on a queue which cannot compute have left in the compressed plane, for hosts that do not let
/// `texemu_cmd_pipeline_barrier` do it. Call it on a queue that can, behind the barrier that acquires the image, or behind the semaphore if its families share it. The image is in `layout`; what
/// wrote its blocks is visible to TRANSFER, and afterwards the texels are as written by a copy.
///
/// # Safety
/// As `vkCmdCopyBufferToImage` into that range; `recording` belongs to `commands`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_decode(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    image: vk::Image,
    layout: vk::ImageLayout,
    range: *const vk::ImageSubresourceRange,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let range = unsafe { get(range, "range") }?;
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { emulator.emulator.decode(commands, recording, image, layout, range) }?))
    })
}
