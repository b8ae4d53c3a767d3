//! Command pools and command buffers: what belongs to one comes and goes with it.
//!
//! An application may begin, reset or free a command buffer only when the device is done with it, so nothing has to be known
//! of submissions.

use super::slice;
use ash::vk;

device_hook! {
    fn create_command_pool(
        device: vk::Device,
        info: *const vk::CommandPoolCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        pool: *mut vk::CommandPool,
    ) -> vk::Result; |state| {
        let result = next!(state, create_command_pool(device, info, allocator, pool));
        if let (vk::Result::SUCCESS, Some(emulation)) = (result, &state.emulation) {
            // SAFETY: valid by Vulkan's rules.
            let family = unsafe { (*info).queue_family_index };
            // SAFETY: written by the call.
            emulation.commands.add_pool(unsafe { *pool }, emulation.queue(family));
        }
        result
    }
}

device_hook! {
    fn destroy_command_pool(
        device: vk::Device,
        pool: vk::CommandPool,
        allocator: *const vk::AllocationCallbacks<'_>,
    ); |state| {
        next!(state, destroy_command_pool(device, pool, allocator));
        if let Some(emulation) = &state.emulation {
            // SAFETY: the pool is destroyed, so the device is done with its command buffers.
            unsafe { emulation.commands.destroy_pool(emulation, pool) };
        }
    }
}

device_hook! {
    fn reset_command_pool(
        device: vk::Device,
        pool: vk::CommandPool,
        flags: vk::CommandPoolResetFlags,
    ) -> vk::Result; |state| {
        let result = next!(state, reset_command_pool(device, pool, flags));
        if let (vk::Result::SUCCESS, Some(emulation)) = (result, &state.emulation) {
            // SAFETY: the pool was reset, so the device is done with its command buffers.
            unsafe { emulation.commands.reset_pool(emulation, pool) };
        }
        result
    }
}

device_hook! {
    fn allocate_command_buffers(
        device: vk::Device,
        info: *const vk::CommandBufferAllocateInfo<'_>,
        buffers: *mut vk::CommandBuffer,
    ) -> vk::Result; |state| {
        let result = next!(state, allocate_command_buffers(device, info, buffers));
        if let (vk::Result::SUCCESS, Some(emulation)) = (result, &state.emulation) {
            // SAFETY: valid by Vulkan's rules.
            let info = unsafe { &*info };
            // SAFETY: written by the call.
            let buffers = unsafe { slice(buffers.cast_const(), info.command_buffer_count) };
            emulation.commands.add(info.command_pool, buffers);
        }
        result
    }
}

device_hook! {
    fn free_command_buffers(
        device: vk::Device,
        pool: vk::CommandPool,
        count: u32,
        buffers: *const vk::CommandBuffer,
    ); |state| {
        if let Some(emulation) = &state.emulation {
            // SAFETY: valid by Vulkan's rules.
            let buffers = unsafe { slice(buffers, count) };
            // Before the driver can give the handles to another thread.
            // SAFETY: the device is done with command buffers that are freed.
            unsafe { emulation.commands.free(emulation, pool, buffers) };
        }
        next!(state, free_command_buffers(device, pool, count, buffers));
    }
}

device_hook! {
    fn begin_command_buffer(
        commands: vk::CommandBuffer,
        info: *const vk::CommandBufferBeginInfo<'_>,
    ) -> vk::Result; |state| {
        let result = next!(state, begin_command_buffer(commands, info));
        if let Some(emulation) = &state.emulation {
            // SAFETY: the device is done with a command buffer that begins.
            emulation.commands.with(commands, |state| unsafe { state.reset(emulation) });
        }
        result
    }
}

device_hook! {
    /// Fails if a command of the emulation did: no command can say so itself.
    fn end_command_buffer(commands: vk::CommandBuffer) -> vk::Result; |state| {
        let result = next!(state, end_command_buffer(commands));
        let Some(emulation) = &state.emulation else { return result };
        let failure = emulation.commands.with(commands, |state| state.failure).flatten();
        match failure {
            Some(failure) if result == vk::Result::SUCCESS && may_end_with(failure) => failure,
            _ => result,
        }
    }
}

/// What Vulkan lets `vkEndCommandBuffer` return.
fn may_end_with(result: vk::Result) -> bool {
    matches!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)
}

device_hook! {
    fn reset_command_buffer(
        commands: vk::CommandBuffer,
        flags: vk::CommandBufferResetFlags,
    ) -> vk::Result; |state| {
        let result = next!(state, reset_command_buffer(commands, flags));
        if let (vk::Result::SUCCESS, Some(emulation)) = (result, &state.emulation) {
            // SAFETY: the device is done with a command buffer that is reset.
            emulation.commands.with(commands, |state| unsafe { state.reset(emulation) });
        }
        result
    }
}

device_hook! {
    fn cmd_execute_commands(
        commands: vk::CommandBuffer,
        count: u32,
        buffers: *const vk::CommandBuffer,
    ); |state| {
        next!(state, cmd_execute_commands(commands, count, buffers));
        if let Some(emulation) = &state.emulation {
            // What was bound before is undefined now (Vulkan specification, "Secondary Command Buffer Execution").
            emulation.commands.with(commands, |state| state.compute().clear());
        }
    }
}
