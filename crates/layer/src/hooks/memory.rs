//! What images need, and what they are bound to.

use super::slice;
use crate::device::fail;
use ash::vk;

device_hook! {
    fn allocate_memory(
        device: vk::Device,
        info: *const vk::MemoryAllocateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        memory: *mut vk::DeviceMemory,
    ) -> vk::Result; |state| {
        // SAFETY: valid by Vulkan's rules.
        let create = unsafe { &*info };
        let amended = state.emulation.as_ref().and_then(|emulation| {
            // SAFETY: as above.
            unsafe { emulation.emulator.memory_allocate_info(create) }
        });
        match amended {
            Some(mut amended) => {
                let create = amended.get();
                next!(state, allocate_memory(device, &raw const create, allocator, memory))
            }
            None => next!(state, allocate_memory(device, info, allocator, memory)),
        }
    }
}

device_hook! {
    fn get_image_memory_requirements(
        device: vk::Device,
        image: vk::Image,
        requirements: *mut vk::MemoryRequirements,
    ); |state| {
        let emulation = state.emulation.as_ref();
        match emulation.and_then(|emulation| emulation.emulator.image_memory_requirements(image)) {
            // SAFETY: valid by Vulkan's rules.
            Some(answer) => unsafe { *requirements = answer },
            None => next!(state, get_image_memory_requirements(device, image, requirements)),
        }
    }
}

device_hook! {
    fn get_image_memory_requirements2(
        device: vk::Device,
        info: *const vk::ImageMemoryRequirementsInfo2<'_>,
        requirements: *mut vk::MemoryRequirements2<'_>,
    ); |state| {
        let answered = state.emulation.as_ref().is_some_and(|emulation| {
            // SAFETY: valid by Vulkan's rules.
            let (info, requirements) = (unsafe { &*info }, unsafe { &mut *requirements });
            // SAFETY: as above.
            unsafe { emulation.emulator.image_memory_requirements2(info, requirements) }
        });
        if !answered {
            next!(state, get_image_memory_requirements2(device, info, requirements));
        }
    }
}

device_hook! {
    fn get_device_image_memory_requirements(
        device: vk::Device,
        info: *const vk::DeviceImageMemoryRequirements<'_>,
        requirements: *mut vk::MemoryRequirements2<'_>,
    ); |state| {
        let answer = state.emulation.as_ref().map(|emulation| {
            // SAFETY: valid by Vulkan's rules.
            let (info, requirements) = (unsafe { &*info }, unsafe { &mut *requirements });
            // SAFETY: as above.
            unsafe { emulation.emulator.device_image_memory_requirements(info, requirements) }
        });
        match answer {
            None | Some(Ok(false)) => {
                next!(state, get_device_image_memory_requirements(device, info, requirements));
            }
            Some(Ok(true)) => {}
            Some(Err(error)) => {
                // The function cannot fail: no memory type is what fits such an image.
                let _told = fail("vkGetDeviceImageMemoryRequirements", &error);
                // SAFETY: as above.
                unsafe { (*requirements).memory_requirements = vk::MemoryRequirements::default() };
            }
        }
    }
}

device_hook! {
    fn get_image_sparse_memory_requirements(
        device: vk::Device,
        image: vk::Image,
        count: *mut u32,
        requirements: *mut vk::SparseImageMemoryRequirements,
    ); |state| {
        let emulation = state.emulation.as_ref();
        match emulation.and_then(|one| one.emulator.image_sparse_memory_requirement_count(image)) {
            // SAFETY: valid by Vulkan's rules.
            Some(none) => unsafe { *count = none },
            None => next!(state, get_image_sparse_memory_requirements(device, image, count, requirements)),
        }
    }
}

device_hook! {
    fn get_image_sparse_memory_requirements2(
        device: vk::Device,
        info: *const vk::ImageSparseMemoryRequirementsInfo2<'_>,
        count: *mut u32,
        requirements: *mut vk::SparseImageMemoryRequirements2<'_>,
    ); |state| {
        // SAFETY: valid by Vulkan's rules.
        let image = unsafe { (*info).image };
        let emulation = state.emulation.as_ref();
        match emulation.and_then(|one| one.emulator.image_sparse_memory_requirement_count(image)) {
            // SAFETY: as above.
            Some(none) => unsafe { *count = none },
            None => next!(state, get_image_sparse_memory_requirements2(device, info, count, requirements)),
        }
    }
}

device_hook! {
    fn get_device_image_sparse_memory_requirements(
        device: vk::Device,
        info: *const vk::DeviceImageMemoryRequirements<'_>,
        count: *mut u32,
        requirements: *mut vk::SparseImageMemoryRequirements2<'_>,
    ); |state| {
        // SAFETY: valid by Vulkan's rules.
        let create = unsafe { (*info).p_create_info };
        // SAFETY: as above.
        let format = unsafe { (*create).format };
        if state.emulation.as_ref().is_some_and(|one| one.emulator.offer().emulates(format)) {
            // SAFETY: as above.
            unsafe { *count = 0 };
            return;
        }
        next!(state, get_device_image_sparse_memory_requirements(device, info, count, requirements));
    }
}

device_hook! {
    fn bind_image_memory(
        device: vk::Device,
        image: vk::Image,
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
    ) -> vk::Result; |state| {
        let bound = state.emulation.as_ref().map(|emulation| {
            // SAFETY: valid by Vulkan's rules.
            unsafe { emulation.emulator.bind_image_memory(image, memory, offset) }
        });
        match bound {
            None | Some(Ok(false)) => next!(state, bind_image_memory(device, image, memory, offset)),
            Some(Ok(true)) => vk::Result::SUCCESS,
            Some(Err(error)) => fail("vkBindImageMemory", &error),
        }
    }
}

device_hook! {
    fn bind_image_memory2(
        device: vk::Device,
        count: u32,
        infos: *const vk::BindImageMemoryInfo<'_>,
    ) -> vk::Result; |state| {
        // SAFETY: valid by Vulkan's rules.
        let binds = unsafe { slice(infos, count) };
        let meets = |one: &&crate::device::Emulation| binds.iter().any(|bind| one.emulator.is_emulated(bind.image));
        let Some(emulation) = state.emulation.as_ref().filter(meets) else {
            return next!(state, bind_image_memory2(device, count, infos));
        };
        // SAFETY: as above.
        match unsafe { emulation.emulator.bind_image_memory2(binds) } {
            Ok(()) => vk::Result::SUCCESS,
            Err(error) => fail("vkBindImageMemory2", &error),
        }
    }
}
