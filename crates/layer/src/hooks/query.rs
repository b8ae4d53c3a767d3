//! Questions to physical devices.

use crate::instance::Instance;
use ash::vk;
use std::ffi::{CStr, c_char};
use std::sync::Arc;
use texemu_emulate::Offer;

/// An exported function of a physical device.
macro_rules! physical_hook {
    ($(#[$attribute:meta])* fn $name:ident($handle:ident: $handle_type:ty $(, $argument:ident: $type:ty)* $(,)?)
        $(-> $result:ty)?; |$instance:ident| $body:block) => {
        $(#[$attribute])*
        pub(crate) unsafe extern "system" fn $name($handle: $handle_type $(, $argument: $type)*) $(-> $result)? {
            crate::hook::guard(stringify!($name), crate::hook::Failure::FAILURE, || {
                // SAFETY: the loader passes dispatchable handles that are alive.
                let Some($instance) = (unsafe { crate::registry::instance($handle) }) else {
                    log::error!("{}: the instance is unknown", stringify!($name));
                    return crate::hook::Failure::FAILURE;
                };
                $body
            })
        }
    };
}

physical_hook! {
    fn get_physical_device_features(
        device: vk::PhysicalDevice,
        features: *mut vk::PhysicalDeviceFeatures,
    ); |instance| {
        next!(instance, get_physical_device_features(device, features));
        if let Some(offer) = instance.offer(device) {
            // SAFETY: valid by Vulkan's rules.
            offer.add_features(unsafe { &mut *features });
        }
    }
}

physical_hook! {
    fn get_physical_device_features2(
        device: vk::PhysicalDevice,
        features: *mut vk::PhysicalDeviceFeatures2<'_>,
    ); |instance| {
        next!(instance, get_physical_device_features2(device, features));
        if let Some(offer) = instance.offer(device) {
            // SAFETY: valid by Vulkan's rules.
            let features = unsafe { &mut *features };
            // SAFETY: as above.
            unsafe { offer.add_features2(features) };
        }
    }
}

physical_hook! {
    fn get_physical_device_format_properties(
        device: vk::PhysicalDevice,
        format: vk::Format,
        properties: *mut vk::FormatProperties,
    ); |instance| {
        match instance.offer(device).and_then(|offer| offer.format_properties(format)) {
            // SAFETY: valid by Vulkan's rules.
            Some(answer) => unsafe { *properties = answer },
            None => next!(instance, get_physical_device_format_properties(device, format, properties)),
        }
    }
}

physical_hook! {
    fn get_physical_device_format_properties2(
        device: vk::PhysicalDevice,
        format: vk::Format,
        properties: *mut vk::FormatProperties2<'_>,
    ); |instance| {
        let answer = |offer: Arc<Offer>| {
            // SAFETY: valid by Vulkan's rules.
            let properties = unsafe { &mut *properties };
            // SAFETY: as above.
            unsafe { offer.format_properties2(format, properties) }
        };
        if !instance.offer(device).is_some_and(answer) {
            next!(instance, get_physical_device_format_properties2(device, format, properties));
        }
    }
}

physical_hook! {
    fn get_physical_device_image_format_properties(
        device: vk::PhysicalDevice,
        format: vk::Format,
        image_type: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
        properties: *mut vk::ImageFormatProperties,
    ) -> vk::Result; |instance| {
        let offer = instance.offer(device);
        match offer.and_then(|offer| offer.image_format_properties(format, image_type, tiling, usage, flags)) {
            None => next!(
                instance,
                get_physical_device_image_format_properties(
                    device, format, image_type, tiling, usage, flags, properties,
                )
            ),
            Some(answer) => {
                // SAFETY: valid by Vulkan's rules.
                unsafe { *properties = answer.unwrap_or_default() };
                answer.err().unwrap_or(vk::Result::SUCCESS)
            }
        }
    }
}

physical_hook! {
    fn get_physical_device_image_format_properties2(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
        properties: *mut vk::ImageFormatProperties2<'_>,
    ) -> vk::Result; |instance| {
        let answer = instance.offer(device).and_then(|offer| {
            // SAFETY: valid by Vulkan's rules.
            let (info, properties) = (unsafe { &*info }, unsafe { &mut *properties });
            // SAFETY: as above.
            unsafe { offer.image_format_properties2(info, properties) }
        });
        match answer {
            None => next!(instance, get_physical_device_image_format_properties2(device, info, properties)),
            Some(answer) => answer.err().unwrap_or(vk::Result::SUCCESS),
        }
    }
}

physical_hook! {
    fn get_physical_device_external_image_format_properties_nv(
        device: vk::PhysicalDevice,
        format: vk::Format,
        image_type: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
        handle_type: vk::ExternalMemoryHandleTypeFlagsNV,
        properties: *mut vk::ExternalImageFormatPropertiesNV,
    ) -> vk::Result; |instance| {
        let offer = instance.offer(device);
        let answer = offer.and_then(|offer| offer.image_format_properties(format, image_type, tiling, usage, flags));
        match answer {
            None => next!(
                instance,
                get_physical_device_external_image_format_properties_nv(
                    device, format, image_type, tiling, usage, flags, handle_type, properties,
                )
            ),
            Some(answer) => {
                let limits = answer.unwrap_or_default();
                // An emulated image takes no memory from elsewhere.
                let refused = !handle_type.is_empty();
                let image_format_properties = if refused { vk::ImageFormatProperties::default() } else { limits };
                let answered = vk::ExternalImageFormatPropertiesNV { image_format_properties, ..Default::default() };
                // SAFETY: valid by Vulkan's rules.
                unsafe { *properties = answered };
                let unsupported = refused.then_some(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
                unsupported.or(answer.err()).unwrap_or(vk::Result::SUCCESS)
            }
        }
    }
}

physical_hook! {
    fn get_physical_device_sparse_image_format_properties(
        device: vk::PhysicalDevice,
        format: vk::Format,
        image_type: vk::ImageType,
        samples: vk::SampleCountFlags,
        usage: vk::ImageUsageFlags,
        tiling: vk::ImageTiling,
        count: *mut u32,
        properties: *mut vk::SparseImageFormatProperties,
    ); |instance| {
        match instance.offer(device).and_then(|offer| offer.sparse_image_format_property_count(format)) {
            // SAFETY: valid by Vulkan's rules.
            Some(none) => unsafe { *count = none },
            None => next!(
                instance,
                get_physical_device_sparse_image_format_properties(
                    device, format, image_type, samples, usage, tiling, count, properties,
                )
            ),
        }
    }
}

physical_hook! {
    fn get_physical_device_sparse_image_format_properties2(
        device: vk::PhysicalDevice,
        info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
        count: *mut u32,
        properties: *mut vk::SparseImageFormatProperties2<'_>,
    ); |instance| {
        // SAFETY: valid by Vulkan's rules.
        let format = unsafe { (*info).format };
        match instance.offer(device).and_then(|offer| offer.sparse_image_format_property_count(format)) {
            // SAFETY: valid by Vulkan's rules.
            Some(none) => unsafe { *count = none },
            None => next!(
                instance,
                get_physical_device_sparse_image_format_properties2(device, info, count, properties)
            ),
        }
    }
}

physical_hook! {
    fn get_physical_device_queue_family_properties(
        device: vk::PhysicalDevice,
        count: *mut u32,
        properties: *mut vk::QueueFamilyProperties,
    ); |instance| {
        next!(instance, get_physical_device_queue_family_properties(device, count, properties));
        if instance.offer(device).is_some() && !properties.is_null() {
            // SAFETY: valid by Vulkan's rules.
            let count = unsafe { *count };
            for index in 0..count as usize {
                // SAFETY: the array holds `count` structures.
                let family = unsafe { properties.add(index) };
                // SAFETY: as above.
                hide_transfer(unsafe { &mut *family });
            }
        }
    }
}

physical_hook! {
    fn get_physical_device_queue_family_properties2(
        device: vk::PhysicalDevice,
        count: *mut u32,
        properties: *mut vk::QueueFamilyProperties2<'_>,
    ); |instance| {
        next!(instance, get_physical_device_queue_family_properties2(device, count, properties));
        if instance.offer(device).is_some() && !properties.is_null() {
            // SAFETY: valid by Vulkan's rules.
            let count = unsafe { *count };
            for index in 0..count as usize {
                // SAFETY: the array holds `count` structures.
                let family = unsafe { properties.add(index) };
                // SAFETY: as above.
                hide_transfer(unsafe { &mut (*family).queue_family_properties });
            }
        }
    }
}

/// A queue that can copy and not compute cannot decode what it copies: it is not offered for copies.
fn hide_transfer(family: &mut vk::QueueFamilyProperties) {
    let computes = vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS;
    if !family.queue_flags.intersects(computes) {
        family.queue_flags &= !vk::QueueFlags::TRANSFER;
    }
}

physical_hook! {
    fn enumerate_device_extension_properties(
        device: vk::PhysicalDevice,
        layer: *const c_char,
        count: *mut u32,
        properties: *mut vk::ExtensionProperties,
    ) -> vk::Result; |instance| {
        // SAFETY: null or a string, as Vulkan demands.
        let own = !layer.is_null() && unsafe { CStr::from_ptr(layer) } == crate::NAME;
        let offer = instance.offer(device);
        if !own && (!layer.is_null() || offer.is_none()) {
            return next!(instance, enumerate_device_extension_properties(device, layer, count, properties));
        }
        let mut all = Vec::new();
        if !own {
            match device_extensions(&instance, device) {
                Ok(extensions) => all = extensions,
                Err(result) => return result,
            }
        }
        for name in offer.map(|offer| offer.added_extensions()).unwrap_or_default() {
            let known = all.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
            if let (false, Ok(extension)) = (known, vk::ExtensionProperties::default().extension_name(name)) {
                all.push(extension.spec_version(1));
            }
        }
        // SAFETY: valid by Vulkan's rules.
        unsafe { fill(&all, count, properties) }
    }
}

/// The device's own extensions.
fn device_extensions(
    instance: &Instance,
    device: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    // SAFETY: the device belongs to the instance.
    unsafe { instance.functions.enumerate_device_extension_properties(device) }
}

physical_hook! {
    fn get_physical_device_tool_properties(
        device: vk::PhysicalDevice,
        count: *mut u32,
        properties: *mut vk::PhysicalDeviceToolProperties<'_>,
    ) -> vk::Result; |instance| {
        if instance.offer(device).is_none() {
            return next!(instance, get_physical_device_tool_properties(device, count, properties));
        }
        let mut below = 0;
        let result: vk::Result =
            next!(instance, get_physical_device_tool_properties(device, &raw mut below, std::ptr::null_mut()));
        if result != vk::Result::SUCCESS {
            return result;
        }
        if properties.is_null() {
            // SAFETY: valid by Vulkan's rules.
            unsafe { *count = below + 1 };
            return vk::Result::SUCCESS;
        }
        // SAFETY: as above.
        let room = unsafe { *count };
        let result: vk::Result = next!(instance, get_physical_device_tool_properties(device, count, properties));
        if room <= below {
            return if result == vk::Result::SUCCESS { vk::Result::INCOMPLETE } else { result };
        }
        // SAFETY: as above.
        let written = unsafe { *count };
        // SAFETY: the array holds `room` structures, and fewer were written.
        let slot = unsafe { properties.add(written as usize) };
        // SAFETY: as above.
        tool(unsafe { &mut *slot });
        // SAFETY: as above.
        unsafe { *count = written + 1 };
        result
    }
}

/// How applications can tell emulated textures from native ones.
fn tool(tool: &mut vk::PhysicalDeviceToolProperties<'_>) {
    tool.purposes = vk::ToolPurposeFlags::ADDITIONAL_FEATURES | vk::ToolPurposeFlags::MODIFYING_FEATURES;
    // The texts are constant and shorter than the arrays.
    let set = |array: &mut [c_char], text: &CStr| {
        for (to, &from) in array.iter_mut().zip(text.to_bytes_with_nul()) {
            *to = from as c_char;
        }
    };
    set(&mut tool.name, c"texemu");
    set(&mut tool.version, c"0.1.0");
    set(&mut tool.description, c"emulates ASTC, ETC2 and EAC textures");
    set(&mut tool.layer, crate::NAME);
}

/// The two-call idiom.
///
/// # Safety
/// `count` is valid, and `properties` is null or an array of as many.
unsafe fn fill<T: Copy>(all: &[T], count: *mut u32, properties: *mut T) -> vk::Result {
    if properties.is_null() {
        // SAFETY: the caller's promise.
        unsafe { *count = all.len() as u32 };
        return vk::Result::SUCCESS;
    }
    // SAFETY: the caller's promise.
    let room = unsafe { *count } as usize;
    let written = room.min(all.len());
    // SAFETY: the array holds at least as many.
    unsafe { std::ptr::copy_nonoverlapping(all.as_ptr(), properties, written) };
    // SAFETY: the caller's promise.
    unsafe { *count = written as u32 };
    if written < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_calls_get_everything_and_short_arrays_are_told_so() {
        let (all, mut count, mut out) = ([1, 2, 3], 0, [0; 3]);
        // SAFETY: the count says how long the array is.
        assert_eq!(unsafe { fill(&all, &raw mut count, std::ptr::null_mut()) }, vk::Result::SUCCESS);
        assert_eq!(count, 3);
        count = 2;
        // SAFETY: as above.
        assert_eq!(unsafe { fill(&all, &raw mut count, out.as_mut_ptr()) }, vk::Result::INCOMPLETE);
        assert_eq!((count, out), (2, [1, 2, 0]));
        count = 3;
        // SAFETY: as above.
        assert_eq!(unsafe { fill(&all, &raw mut count, out.as_mut_ptr()) }, vk::Result::SUCCESS);
        assert_eq!((count, out), (3, all));
    }

    #[test]
    fn only_families_that_can_decode_are_offered_for_copies() {
        let hidden = |flags| {
            let mut family = vk::QueueFamilyProperties { queue_flags: flags, ..Default::default() };
            hide_transfer(&mut family);
            family.queue_flags
        };
        use vk::QueueFlags as Q;
        assert_eq!(hidden(Q::TRANSFER | Q::SPARSE_BINDING), Q::SPARSE_BINDING);
        assert_eq!(hidden(Q::TRANSFER | Q::COMPUTE), Q::TRANSFER | Q::COMPUTE);
        assert_eq!(hidden(Q::TRANSFER | Q::GRAPHICS), Q::TRANSFER | Q::GRAPHICS);
    }
}
