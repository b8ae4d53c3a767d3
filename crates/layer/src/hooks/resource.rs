//! Buffers: those that applications copy from are made readable for decoders.

use crate::buffers::Change;
use ash::vk;

device_hook! {
    fn create_buffer(
        device: vk::Device,
        info: *const vk::BufferCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        buffer: *mut vk::Buffer,
    ) -> vk::Result; |state| {
        let Some(emulation) = &state.emulation else {
            return next!(state, create_buffer(device, info, allocator, buffer));
        };
        // SAFETY: valid by Vulkan's rules.
        let mut create = unsafe { *info };
        // SAFETY: as above.
        let change = unsafe { Change::of(&create) };
        if change == Change::Readable {
            create.usage |= vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        }
        let result = next!(state, create_buffer(device, &raw const create, allocator, buffer));
        if result == vk::Result::SUCCESS && change == Change::Plain {
            // SAFETY: written by the call.
            emulation.buffers.add_plain(unsafe { *buffer });
        }
        result
    }
}

device_hook! {
    fn destroy_buffer(
        device: vk::Device,
        buffer: vk::Buffer,
        allocator: *const vk::AllocationCallbacks<'_>,
    ); |state| {
        if let Some(emulation) = &state.emulation {
            emulation.buffers.forget(buffer);
        }
        next!(state, destroy_buffer(device, buffer, allocator));
    }
}

device_hook! {
    /// Asks for the buffer as it would be created here.
    fn get_device_buffer_memory_requirements(
        device: vk::Device,
        info: *const vk::DeviceBufferMemoryRequirements<'_>,
        requirements: *mut vk::MemoryRequirements2<'_>,
    ); |state| {
        // SAFETY: valid by Vulkan's rules.
        let mut asked = unsafe { *info };
        // SAFETY: as above.
        let mut create = unsafe { *asked.p_create_info };
        // SAFETY: as above.
        if state.emulation.is_some() && unsafe { Change::of(&create) } == Change::Readable {
            create.usage |= vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
            asked.p_create_info = &raw const create;
        }
        next!(state, get_device_buffer_memory_requirements(device, &raw const asked, requirements));
    }
}
