//! What the application has bound for compute, told so that copies bind it again.
//!
//! A decode binds a compute pipeline and set 0 of the compute bind point, and pushes constants. An embedder either binds its own
//! again after each copy to an emulated image, or calls these beside its own commands.

use crate::pointer::{array, get, get_mut};
use crate::recording::texemu_recording;
use crate::status::{Answer, Failure, guard};
use texemu_core::{ash, vk};

/// Beside `vkCmdBindPipeline`; bind points other than compute are ignored.
///
/// # Safety
/// `recording` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_state_bind_pipeline(
    recording: *mut texemu_recording,
    point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        recording.recording.state.bind_pipeline(point, pipeline);
        Ok(Answer::Done)
    })
}

/// Beside `vkCmdBindDescriptorSets`; bind points other than compute are ignored.
///
/// # Safety
/// `recording` is valid, and the arrays hold as many elements as their counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_state_bind_descriptor_sets(
    recording: *mut texemu_recording,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first_set: u32,
    set_count: u32,
    sets: *const vk::DescriptorSet,
    dynamic_offset_count: u32,
    dynamic_offsets: *const u32,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        // SAFETY: as above.
        let sets = unsafe { array(sets, set_count, "sets") }?;
        // SAFETY: as above.
        let offsets = unsafe { array(dynamic_offsets, dynamic_offset_count, "dynamic_offsets") }?;
        if first_set.checked_add(set_count).is_none() {
            return Err(Failure::argument(format!("sets {first_set} + {set_count}")));
        }
        recording.recording.state.bind_descriptor_sets(point, layout, first_set, sets, offsets);
        Ok(Answer::Done)
    })
}

/// Beside `vkCmdPushDescriptorSetKHR`; bind points other than compute are ignored.
///
/// # Safety
/// `recording` is valid, and `writes` holds `write_count` valid structures.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_state_push_descriptor_set(
    recording: *mut texemu_recording,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
    write_count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        // SAFETY: as above.
        let writes = unsafe { array(writes, write_count, "writes") }?;
        // SAFETY: as above.
        unsafe { recording.recording.state.push_descriptor_set(point, layout, set, writes) };
        Ok(Answer::Done)
    })
}

/// Beside `vkCmdPushConstants`, for all stages: push constants are shared by all bind points.
///
/// # Safety
/// `recording` is valid; `values` holds `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_state_push_constants(
    recording: *mut texemu_recording,
    layout: vk::PipelineLayout,
    stages: vk::ShaderStageFlags,
    offset: u32,
    size: u32,
    values: *const std::ffi::c_void,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        // SAFETY: as above.
        let values = unsafe { array(values.cast::<u8>(), size, "values") }?;
        recording.recording.state.push_constants(layout, stages, offset, values);
        Ok(Answer::Done)
    })
}

/// Beside `vkCmdBeginConditionalRenderingEXT`: decodes are not to be skipped with what surrounds them.
///
/// # Safety
/// Both pointers are valid, and the device was created with the extension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_state_begin_conditional_rendering(
    recording: *mut texemu_recording,
    info: *const vk::ConditionalRenderingBeginInfoEXT<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        let gpu = recording.emulator.gpu();
        let load = || ash::ext::conditional_rendering::Device::new(gpu.instance(), gpu.device());
        let device = recording.conditional.get_or_insert_with(load);
        // SAFETY: as above.
        unsafe { recording.recording.state.begin_conditional_rendering(device, info) };
        Ok(Answer::Done)
    })
}

/// Beside `vkCmdEndConditionalRenderingEXT`.
///
/// # Safety
/// `recording` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_state_end_conditional_rendering(
    recording: *mut texemu_recording,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        recording.recording.state.end_conditional_rendering();
        Ok(Answer::Done)
    })
}

/// Forgets all that was told: after `vkCmdExecuteCommands`, which leaves no state.
///
/// # Safety
/// `recording` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_state_clear(recording: *mut texemu_recording) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        recording.recording.state.clear();
        Ok(Answer::Done)
    })
}
