//! The functions that the layer intercepts: a line each, with every name they have.

use crate::hooks::{bind, command, copy, image, memory, query, resource};
use crate::{device, hook, instance, registry};
use ash::vk;
use std::ffi::{CStr, c_char};
use vk::Handle;

macro_rules! functions {
    ($(#[$attribute:meta])* $table:ident, $find:ident; $($field:ident: $type:ident = $name:literal $(| $alias:literal)* => $hook:path;)*) => {
        $(#[$attribute])*
        pub(crate) struct $table {
            $(pub(crate) $field: Option<vk::$type>,)*
        }

        impl $table {
            /// Looks every function up under each of its names.
            pub(crate) fn load(find: impl Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
                $(
                    let function = find($name)$(.or_else(|| find($alias)))*;
                    // SAFETY: the type belongs to the names.
                    let $field = function.map(|function| unsafe {
                        std::mem::transmute::<unsafe extern "system" fn(), vk::$type>(function)
                    });
                )*
                Self { $($field,)* }
            }
        }

        /// This layer's function of that name.
        fn $find(name: &CStr) -> vk::PFN_vkVoidFunction {
            $(
                if name == $name $(|| name == $alias)* {
                    let function: vk::$type = $hook;
                    // SAFETY: function pointers have one size; the caller casts it back by its name.
                    let function = unsafe {
                        std::mem::transmute::<vk::$type, unsafe extern "system" fn()>(function)
                    };
                    return Some(function);
                }
            )*
            None
        }

        #[cfg(test)]
        impl $table {
            /// All names.
            pub(crate) const NAMES: &'static [&'static CStr] = &[$($name, $($alias,)*)*];
        }
    };
}

functions! {
    /// The next layer's functions of an instance and its physical devices.
    InstanceFunctions, instance_hook;
    enumerate_device_extension_properties: PFN_vkEnumerateDeviceExtensionProperties
        = c"vkEnumerateDeviceExtensionProperties" => query::enumerate_device_extension_properties;
    get_physical_device_features: PFN_vkGetPhysicalDeviceFeatures
        = c"vkGetPhysicalDeviceFeatures" => query::get_physical_device_features;
    get_physical_device_features2: PFN_vkGetPhysicalDeviceFeatures2
        = c"vkGetPhysicalDeviceFeatures2" | c"vkGetPhysicalDeviceFeatures2KHR" => query::get_physical_device_features2;
    get_physical_device_format_properties: PFN_vkGetPhysicalDeviceFormatProperties
        = c"vkGetPhysicalDeviceFormatProperties" => query::get_physical_device_format_properties;
    get_physical_device_format_properties2: PFN_vkGetPhysicalDeviceFormatProperties2
        = c"vkGetPhysicalDeviceFormatProperties2" | c"vkGetPhysicalDeviceFormatProperties2KHR"
        => query::get_physical_device_format_properties2;
    get_physical_device_image_format_properties: PFN_vkGetPhysicalDeviceImageFormatProperties
        = c"vkGetPhysicalDeviceImageFormatProperties" => query::get_physical_device_image_format_properties;
    get_physical_device_image_format_properties2: PFN_vkGetPhysicalDeviceImageFormatProperties2
        = c"vkGetPhysicalDeviceImageFormatProperties2" | c"vkGetPhysicalDeviceImageFormatProperties2KHR"
        => query::get_physical_device_image_format_properties2;
    get_physical_device_external_image_format_properties_nv: PFN_vkGetPhysicalDeviceExternalImageFormatPropertiesNV
        = c"vkGetPhysicalDeviceExternalImageFormatPropertiesNV"
        => query::get_physical_device_external_image_format_properties_nv;
    get_physical_device_sparse_image_format_properties: PFN_vkGetPhysicalDeviceSparseImageFormatProperties
        = c"vkGetPhysicalDeviceSparseImageFormatProperties"
        => query::get_physical_device_sparse_image_format_properties;
    get_physical_device_sparse_image_format_properties2: PFN_vkGetPhysicalDeviceSparseImageFormatProperties2
        = c"vkGetPhysicalDeviceSparseImageFormatProperties2" | c"vkGetPhysicalDeviceSparseImageFormatProperties2KHR"
        => query::get_physical_device_sparse_image_format_properties2;
    get_physical_device_queue_family_properties: PFN_vkGetPhysicalDeviceQueueFamilyProperties
        = c"vkGetPhysicalDeviceQueueFamilyProperties" => query::get_physical_device_queue_family_properties;
    get_physical_device_queue_family_properties2: PFN_vkGetPhysicalDeviceQueueFamilyProperties2
        = c"vkGetPhysicalDeviceQueueFamilyProperties2" | c"vkGetPhysicalDeviceQueueFamilyProperties2KHR"
        => query::get_physical_device_queue_family_properties2;
    get_physical_device_tool_properties: PFN_vkGetPhysicalDeviceToolProperties
        = c"vkGetPhysicalDeviceToolProperties" | c"vkGetPhysicalDeviceToolPropertiesEXT"
        => query::get_physical_device_tool_properties;
}

functions! {
    /// The next layer's functions of a device.
    DeviceFunctions, device_hook;
    destroy_device: PFN_vkDestroyDevice = c"vkDestroyDevice" => destroy_device;

    create_image: PFN_vkCreateImage = c"vkCreateImage" => image::create_image;
    destroy_image: PFN_vkDestroyImage = c"vkDestroyImage" => image::destroy_image;
    create_image_view: PFN_vkCreateImageView = c"vkCreateImageView" => image::create_image_view;
    create_buffer: PFN_vkCreateBuffer = c"vkCreateBuffer" => resource::create_buffer;
    destroy_buffer: PFN_vkDestroyBuffer = c"vkDestroyBuffer" => resource::destroy_buffer;
    get_device_buffer_memory_requirements: PFN_vkGetDeviceBufferMemoryRequirements
        = c"vkGetDeviceBufferMemoryRequirements" | c"vkGetDeviceBufferMemoryRequirementsKHR"
        => resource::get_device_buffer_memory_requirements;

    allocate_memory: PFN_vkAllocateMemory = c"vkAllocateMemory" => memory::allocate_memory;
    get_image_memory_requirements: PFN_vkGetImageMemoryRequirements
        = c"vkGetImageMemoryRequirements" => memory::get_image_memory_requirements;
    get_image_memory_requirements2: PFN_vkGetImageMemoryRequirements2
        = c"vkGetImageMemoryRequirements2" | c"vkGetImageMemoryRequirements2KHR"
        => memory::get_image_memory_requirements2;
    get_device_image_memory_requirements: PFN_vkGetDeviceImageMemoryRequirements
        = c"vkGetDeviceImageMemoryRequirements" | c"vkGetDeviceImageMemoryRequirementsKHR"
        => memory::get_device_image_memory_requirements;
    get_image_sparse_memory_requirements: PFN_vkGetImageSparseMemoryRequirements
        = c"vkGetImageSparseMemoryRequirements" => memory::get_image_sparse_memory_requirements;
    get_image_sparse_memory_requirements2: PFN_vkGetImageSparseMemoryRequirements2
        = c"vkGetImageSparseMemoryRequirements2" | c"vkGetImageSparseMemoryRequirements2KHR"
        => memory::get_image_sparse_memory_requirements2;
    get_device_image_sparse_memory_requirements: PFN_vkGetDeviceImageSparseMemoryRequirements
        = c"vkGetDeviceImageSparseMemoryRequirements" | c"vkGetDeviceImageSparseMemoryRequirementsKHR"
        => memory::get_device_image_sparse_memory_requirements;
    bind_image_memory: PFN_vkBindImageMemory = c"vkBindImageMemory" => memory::bind_image_memory;
    bind_image_memory2: PFN_vkBindImageMemory2
        = c"vkBindImageMemory2" | c"vkBindImageMemory2KHR" => memory::bind_image_memory2;

    create_command_pool: PFN_vkCreateCommandPool = c"vkCreateCommandPool" => command::create_command_pool;
    destroy_command_pool: PFN_vkDestroyCommandPool = c"vkDestroyCommandPool" => command::destroy_command_pool;
    reset_command_pool: PFN_vkResetCommandPool = c"vkResetCommandPool" => command::reset_command_pool;
    allocate_command_buffers: PFN_vkAllocateCommandBuffers
        = c"vkAllocateCommandBuffers" => command::allocate_command_buffers;
    free_command_buffers: PFN_vkFreeCommandBuffers = c"vkFreeCommandBuffers" => command::free_command_buffers;
    begin_command_buffer: PFN_vkBeginCommandBuffer = c"vkBeginCommandBuffer" => command::begin_command_buffer;
    end_command_buffer: PFN_vkEndCommandBuffer = c"vkEndCommandBuffer" => command::end_command_buffer;
    reset_command_buffer: PFN_vkResetCommandBuffer = c"vkResetCommandBuffer" => command::reset_command_buffer;
    cmd_execute_commands: PFN_vkCmdExecuteCommands = c"vkCmdExecuteCommands" => command::cmd_execute_commands;

    cmd_copy_buffer_to_image: PFN_vkCmdCopyBufferToImage
        = c"vkCmdCopyBufferToImage" => copy::cmd_copy_buffer_to_image;
    cmd_copy_buffer_to_image2: PFN_vkCmdCopyBufferToImage2
        = c"vkCmdCopyBufferToImage2" | c"vkCmdCopyBufferToImage2KHR" => copy::cmd_copy_buffer_to_image2;
    cmd_copy_image_to_buffer: PFN_vkCmdCopyImageToBuffer
        = c"vkCmdCopyImageToBuffer" => copy::cmd_copy_image_to_buffer;
    cmd_copy_image_to_buffer2: PFN_vkCmdCopyImageToBuffer2
        = c"vkCmdCopyImageToBuffer2" | c"vkCmdCopyImageToBuffer2KHR" => copy::cmd_copy_image_to_buffer2;
    cmd_copy_image: PFN_vkCmdCopyImage = c"vkCmdCopyImage" => copy::cmd_copy_image;
    cmd_copy_image2: PFN_vkCmdCopyImage2
        = c"vkCmdCopyImage2" | c"vkCmdCopyImage2KHR" => copy::cmd_copy_image2;
    cmd_blit_image: PFN_vkCmdBlitImage = c"vkCmdBlitImage" => copy::cmd_blit_image;
    cmd_blit_image2: PFN_vkCmdBlitImage2
        = c"vkCmdBlitImage2" | c"vkCmdBlitImage2KHR" => copy::cmd_blit_image2;
    cmd_resolve_image: PFN_vkCmdResolveImage = c"vkCmdResolveImage" => copy::cmd_resolve_image;
    cmd_resolve_image2: PFN_vkCmdResolveImage2
        = c"vkCmdResolveImage2" | c"vkCmdResolveImage2KHR" => copy::cmd_resolve_image2;
    cmd_clear_color_image: PFN_vkCmdClearColorImage = c"vkCmdClearColorImage" => copy::cmd_clear_color_image;

    cmd_bind_pipeline: PFN_vkCmdBindPipeline = c"vkCmdBindPipeline" => bind::cmd_bind_pipeline;
    cmd_bind_descriptor_sets: PFN_vkCmdBindDescriptorSets
        = c"vkCmdBindDescriptorSets" => bind::cmd_bind_descriptor_sets;
    cmd_bind_descriptor_sets2: PFN_vkCmdBindDescriptorSets2KHR
        = c"vkCmdBindDescriptorSets2KHR" | c"vkCmdBindDescriptorSets2" => bind::cmd_bind_descriptor_sets2;
    cmd_push_constants: PFN_vkCmdPushConstants = c"vkCmdPushConstants" => bind::cmd_push_constants;
    cmd_push_constants2: PFN_vkCmdPushConstants2KHR
        = c"vkCmdPushConstants2KHR" | c"vkCmdPushConstants2" => bind::cmd_push_constants2;
    cmd_push_descriptor_set: PFN_vkCmdPushDescriptorSetKHR
        = c"vkCmdPushDescriptorSetKHR" | c"vkCmdPushDescriptorSet" => bind::cmd_push_descriptor_set;
    cmd_push_descriptor_set2: PFN_vkCmdPushDescriptorSet2KHR
        = c"vkCmdPushDescriptorSet2KHR" | c"vkCmdPushDescriptorSet2" => bind::cmd_push_descriptor_set2;
    cmd_push_descriptor_set_with_template: PFN_vkCmdPushDescriptorSetWithTemplateKHR
        = c"vkCmdPushDescriptorSetWithTemplateKHR" | c"vkCmdPushDescriptorSetWithTemplate"
        => bind::cmd_push_descriptor_set_with_template;
    cmd_push_descriptor_set_with_template2: PFN_vkCmdPushDescriptorSetWithTemplate2KHR
        = c"vkCmdPushDescriptorSetWithTemplate2KHR" | c"vkCmdPushDescriptorSetWithTemplate2"
        => bind::cmd_push_descriptor_set_with_template2;
    create_descriptor_update_template: PFN_vkCreateDescriptorUpdateTemplate
        = c"vkCreateDescriptorUpdateTemplate" | c"vkCreateDescriptorUpdateTemplateKHR"
        => bind::create_descriptor_update_template;
    destroy_descriptor_update_template: PFN_vkDestroyDescriptorUpdateTemplate
        = c"vkDestroyDescriptorUpdateTemplate" | c"vkDestroyDescriptorUpdateTemplateKHR"
        => bind::destroy_descriptor_update_template;
    cmd_bind_shaders: PFN_vkCmdBindShadersEXT = c"vkCmdBindShadersEXT" => bind::cmd_bind_shaders;
    cmd_bind_descriptor_buffers: PFN_vkCmdBindDescriptorBuffersEXT
        = c"vkCmdBindDescriptorBuffersEXT" => bind::cmd_bind_descriptor_buffers;
    cmd_set_descriptor_buffer_offsets: PFN_vkCmdSetDescriptorBufferOffsetsEXT
        = c"vkCmdSetDescriptorBufferOffsetsEXT" => bind::cmd_set_descriptor_buffer_offsets;
    cmd_set_descriptor_buffer_offsets2: PFN_vkCmdSetDescriptorBufferOffsets2EXT
        = c"vkCmdSetDescriptorBufferOffsets2EXT" => bind::cmd_set_descriptor_buffer_offsets2;
    cmd_bind_descriptor_buffer_embedded_samplers: PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT
        = c"vkCmdBindDescriptorBufferEmbeddedSamplersEXT" => bind::cmd_bind_descriptor_buffer_embedded_samplers;
    cmd_bind_descriptor_buffer_embedded_samplers2: PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT
        = c"vkCmdBindDescriptorBufferEmbeddedSamplers2EXT" => bind::cmd_bind_descriptor_buffer_embedded_samplers2;
    cmd_begin_conditional_rendering: PFN_vkCmdBeginConditionalRenderingEXT
        = c"vkCmdBeginConditionalRenderingEXT" => bind::cmd_begin_conditional_rendering;
    cmd_end_conditional_rendering: PFN_vkCmdEndConditionalRenderingEXT
        = c"vkCmdEndConditionalRenderingEXT" => bind::cmd_end_conditional_rendering;
}

/// Erases the type of a function whose caller casts it back by its name.
macro_rules! erase {
    ($type:ident, $function:path) => {{
        let function: vk::$type = $function;
        // SAFETY: function pointers have one size.
        Some(unsafe { std::mem::transmute::<vk::$type, unsafe extern "system" fn()>(function) })
    }};
}

/// The functions that the layer answers for on every instance, known to it or not.
fn global_hook(name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkGetInstanceProcAddr" => erase!(PFN_vkGetInstanceProcAddr, get_instance_proc_addr),
        b"vkGetDeviceProcAddr" => erase!(PFN_vkGetDeviceProcAddr, get_device_proc_addr),
        b"vkCreateInstance" => erase!(PFN_vkCreateInstance, create_instance),
        b"vkDestroyInstance" => erase!(PFN_vkDestroyInstance, destroy_instance),
        // Some loaders ask for it without an instance.
        b"vkCreateDevice" => erase!(PFN_vkCreateDevice, create_device),
        _ => None,
    }
}

/// `vkGetInstanceProcAddr`.
pub(crate) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    hook::guard("vkGetInstanceProcAddr", None, || {
        // SAFETY: a string, as Vulkan demands.
        let text = unsafe { CStr::from_ptr(name) };
        if let Some(function) = global_hook(text) {
            return Some(function);
        }
        if instance.is_null() {
            return None;
        }
        // SAFETY: the instance is alive.
        let state = unsafe { registry::instance(instance) }?;
        // SAFETY: as above.
        let next = unsafe { (state.get_instance_proc_addr)(instance, name) }?;
        if !state.settings.enable && text != c"vkDestroyDevice" {
            return Some(next);
        }
        Some(instance_hook(text).or_else(|| device_hook(text)).unwrap_or(next))
    })
}

/// `vk_layerGetPhysicalDeviceProcAddr`: functions of physical devices, of extensions that the loader does not know too.
pub(crate) unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    hook::guard("vk_layerGetPhysicalDeviceProcAddr", None, || {
        // SAFETY: the instance is alive.
        let state = unsafe { registry::instance(instance) }?;
        // SAFETY: as above.
        let next = unsafe { state.get_physical_device_proc_addr?(instance, name) }?;
        // SAFETY: a string, as the interface demands.
        let hook = instance_hook(unsafe { CStr::from_ptr(name) });
        Some(hook.filter(|_| state.settings.enable).unwrap_or(next))
    })
}

/// `vkGetDeviceProcAddr`: the driver's own functions for a device that is left as it is.
pub(crate) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    hook::guard("vkGetDeviceProcAddr", None, || {
        // SAFETY: a string, as Vulkan demands.
        let text = unsafe { CStr::from_ptr(name) };
        if text == c"vkGetDeviceProcAddr" {
            return erase!(PFN_vkGetDeviceProcAddr, get_device_proc_addr);
        }
        // SAFETY: the device is alive.
        let state = unsafe { registry::device(device) }?;
        // SAFETY: as above.
        let next = unsafe { (state.get_device_proc_addr)(device, name) }?;
        let hook = device_hook(text).filter(|_| state.emulation.is_some() || text == c"vkDestroyDevice");
        Some(hook.unwrap_or(next))
    })
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    hook::guard("vkCreateInstance", vk::Result::ERROR_INITIALIZATION_FAILED, || {
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        // SAFETY: as above.
        unsafe { instance::create(info, allocator, instance) }
    })
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    hook::guard("vkDestroyInstance", (), || {
        // SAFETY: valid by Vulkan's rules.
        unsafe { instance::destroy(instance, allocator) };
    });
}

unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    hook::guard("vkCreateDevice", vk::Result::ERROR_INITIALIZATION_FAILED, || {
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        // SAFETY: as above.
        unsafe { device::create(physical_device, info, allocator, device) }
    })
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    hook::guard("vkDestroyDevice", (), || {
        // SAFETY: valid by Vulkan's rules.
        unsafe { device::destroy(device, allocator) };
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_finds_its_function_once() {
        let names: Vec<&CStr> = [InstanceFunctions::NAMES, DeviceFunctions::NAMES].concat();
        let different: BTreeSet<&CStr> = names.iter().copied().collect();
        assert_eq!(different.len(), names.len(), "no name stands twice");
        for name in InstanceFunctions::NAMES {
            assert!(instance_hook(name).is_some() && device_hook(name).is_none(), "{name:?}");
        }
        for name in DeviceFunctions::NAMES {
            assert!(device_hook(name).is_some() && instance_hook(name).is_none(), "{name:?}");
        }
        assert!(device_hook(c"vkQueueSubmit").is_none(), "nothing has to be known of submissions");
    }

    #[test]
    fn functions_are_found_under_any_of_their_names() {
        unsafe extern "system" fn some() {}
        let functions = DeviceFunctions::load(|name| (name == c"vkCmdCopyImage2KHR").then_some(some));
        assert!(functions.cmd_copy_image2.is_some(), "by the extension's name");
        assert!(functions.cmd_copy_image.is_none(), "not there");
    }
}
