//! Queues that cannot compute. A recording for `TEXEMU_QUEUE_TRANSFER_ONLY` copies blocks and decodes nothing; that follows on a queue
//! that can compute, with the barrier that acquires the image there, or before what is submitted there.

use crate::emulator::texemu_emulator;
use crate::pointer::{array, get, get_mut};
use crate::recording::texemu_recording;
use crate::status::{Answer, guard, guarded};
use texemu_core::vk;
use texemu_emulate::PipelineBarrier;

/// `vkCmdPipelineBarrier`, for hosts with queues that cannot compute. A barrier that acquires emulated images from such a family is recorded
/// here, and behind it the decoding of the ranges that it acquires; all others are `TEXEMU_NOT_EMULATED`, for the driver. Disturbs the
/// compute state if it decodes, as `texemu_cmd_copy_buffer_to_image` does.
///
/// # Safety
/// As `vkCmdPipelineBarrier`; `recording` belongs to `commands`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_pipeline_barrier(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    src_stage_mask: vk::PipelineStageFlags,
    dst_stage_mask: vk::PipelineStageFlags,
    dependency_flags: vk::DependencyFlags,
    memory_barrier_count: u32,
    memory_barriers: *const vk::MemoryBarrier<'_>,
    buffer_barrier_count: u32,
    buffer_barriers: *const vk::BufferMemoryBarrier<'_>,
    image_barrier_count: u32,
    image_barriers: *const vk::ImageMemoryBarrier<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let memory_barriers = unsafe { array(memory_barriers, memory_barrier_count, "memory_barriers") }?;
        // SAFETY: as above.
        let buffer_barriers = unsafe { array(buffer_barriers, buffer_barrier_count, "buffer_barriers") }?;
        // SAFETY: as above.
        let image_barriers = unsafe { array(image_barriers, image_barrier_count, "image_barriers") }?;
        let barrier = PipelineBarrier {
            src_stage_mask,
            dst_stage_mask,
            dependency_flags,
            memory_barriers,
            buffer_barriers,
            image_barriers,
        };
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { emulator.emulator.pipeline_barrier(commands, recording, &barrier) }?))
    })
}

/// `vkCmdPipelineBarrier2`; otherwise as `texemu_cmd_pipeline_barrier`.
///
/// # Safety
/// As `texemu_cmd_pipeline_barrier`, for the `2` form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_pipeline_barrier2(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    info: *const vk::DependencyInfo<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { emulator.emulator.pipeline_barrier2(commands, recording, info) }?))
    })
}

/// Says that what `recording` holds was submitted to a queue that cannot compute, and is done when a timeline of the caller's choosing
/// reaches `value`. Only for images that nobody acquires, because the families share them; for others it does nothing.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_submit_copies(
    emulator: *const texemu_emulator,
    recording: *const texemu_recording,
    value: u64,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = unsafe { get(recording, "recording") }?;
        emulator.emulator.submit_copies(&recording.recording, value);
        Ok(Answer::Done)
    })
}

/// How many copies wait for `texemu_cmd_decode_copies`; 0 for null.
///
/// # Safety
/// `emulator` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_pending_copies(emulator: *const texemu_emulator) -> u64 {
    guarded(0, || {
        // SAFETY: the caller's promise.
        unsafe { emulator.as_ref() }.map_or(0, |emulator| emulator.emulator.pending_copies() as u64)
    })
}

/// Decodes the blocks that were submitted with values up to `reached`. `commands` goes to a queue that can compute, behind a wait for
/// `reached` at `VK_PIPELINE_STAGE_ALL_COMMANDS_BIT`, and before all that uses the images, which needs no barrier. The images stay in the
/// layout that they were left in.
///
/// # Safety
/// As `vkCmdCopyBufferToImage` into what was copied; `recording` belongs to `commands`, which are submitted once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_cmd_decode_copies(
    emulator: *const texemu_emulator,
    commands: vk::CommandBuffer,
    recording: *mut texemu_recording,
    reached: u64,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let recording = &mut unsafe { get_mut(recording, "recording") }?.recording;
        // SAFETY: as above.
        unsafe { emulator.emulator.decode_copies(commands, recording, reached) }?;
        Ok(Answer::Done)
    })
}
