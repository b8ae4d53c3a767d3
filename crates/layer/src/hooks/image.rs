//! Images and their views.

use crate::device::fail;
use ash::vk;

device_hook! {
    fn create_image(
        device: vk::Device,
        info: *const vk::ImageCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        image: *mut vk::Image,
    ) -> vk::Result; |state| {
        let Some(emulation) = &state.emulation else {
            return next!(state, create_image(device, info, allocator, image));
        };
        // SAFETY: valid by Vulkan's rules.
        let (create, callbacks) = (unsafe { &*info }, unsafe { allocator.as_ref() });
        // SAFETY: as above.
        match unsafe { emulation.emulator.create_image(create, callbacks) } {
            Ok(Some(handle)) => {
                // SAFETY: as above.
                unsafe { *image = handle };
                vk::Result::SUCCESS
            }
            Ok(None) => {
                let result = next!(state, create_image(device, info, allocator, image));
                if result == vk::Result::SUCCESS {
                    // SAFETY: written by the call.
                    emulation.emulator.note_image(unsafe { *image }, create);
                }
                result
            }
            Err(error) => fail("vkCreateImage", &error),
        }
    }
}

device_hook! {
    fn destroy_image(
        device: vk::Device,
        image: vk::Image,
        allocator: *const vk::AllocationCallbacks<'_>,
    ); |state| {
        if let Some(emulation) = &state.emulation {
            // SAFETY: valid by Vulkan's rules.
            let callbacks = unsafe { allocator.as_ref() };
            // SAFETY: as above.
            if unsafe { emulation.emulator.destroy_image(image, callbacks) } {
                return;
            }
            // Before the driver can give the handle to another image.
            emulation.emulator.forget_image(image);
        }
        next!(state, destroy_image(device, image, allocator));
    }
}

device_hook! {
    fn create_image_view(
        device: vk::Device,
        info: *const vk::ImageViewCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        view: *mut vk::ImageView,
    ) -> vk::Result; |state| {
        // SAFETY: valid by Vulkan's rules.
        let create = unsafe { &*info };
        let emulation = state.emulation.as_ref().filter(|one| one.emulator.is_emulated(create.image));
        let Some(emulation) = emulation else {
            return next!(state, create_image_view(device, info, allocator, view));
        };
        let mut create = *create;
        if emulation.instance.settings.tint {
            create.components.r = vk::ComponentSwizzle::ONE;
        }
        // SAFETY: as above.
        let callbacks = unsafe { allocator.as_ref() };
        // SAFETY: as above.
        match unsafe { emulation.emulator.create_image_view(&create, callbacks) } {
            Ok(Some(handle)) => {
                // SAFETY: as above.
                unsafe { *view = handle };
                vk::Result::SUCCESS
            }
            Ok(None) => next!(state, create_image_view(device, info, allocator, view)),
            Err(error) => fail("vkCreateImageView", &error),
        }
    }
}
