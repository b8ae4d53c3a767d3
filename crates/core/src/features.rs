//! What a device was created with, as far as kernels care.

use ash::vk;
use std::ffi::CStr;

/// Optional features and extensions that kernels use where they are enabled. A host fills this in for its device
/// (by hand, or with [`Features::from_create_info`]); an owned device enables all it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Features {
    /// SPIR-V 1.4 modules are accepted: Vulkan 1.2, or VK_KHR_spirv_1_4.
    pub spirv_1_4: bool,
    /// `shaderInt8`.
    pub shader_int8: bool,
    /// `workgroupMemoryExplicitLayout` and `workgroupMemoryExplicitLayout8BitAccess`.
    pub workgroup_memory_explicit_layout_8bit: bool,
    /// `vulkanMemoryModel`.
    pub vulkan_memory_model: bool,
    /// `shaderStorageImageExtendedFormats`: 16-bit and two-channel storage formats.
    pub storage_image_extended_formats: bool,
    /// `shaderStorageImageWriteWithoutFormat`.
    pub storage_image_write_without_format: bool,
    /// `shaderStorageImageArrayDynamicIndexing`.
    pub storage_image_array_dynamic_indexing: bool,
    /// `subgroupSizeControl` and `computeFullSubgroups`.
    pub full_subgroups: bool,
    /// VK_KHR_push_descriptor.
    pub push_descriptor: bool,
    /// VK_KHR_pipeline_executable_properties with its feature.
    pub pipeline_executable_info: bool,
    /// `multiview`.
    pub multiview: bool,
}

pub(crate) const PUSH_DESCRIPTOR: &CStr = ash::khr::push_descriptor::NAME;
pub(crate) const EXPLICIT_LAYOUT: &CStr = ash::khr::workgroup_memory_explicit_layout::NAME;
pub(crate) const EXECUTABLE_PROPERTIES: &CStr = ash::khr::pipeline_executable_properties::NAME;

impl Features {
    /// Reads the features out of the structure a device was created from: `pEnabledFeatures`, every known structure of
    /// the `pNext` chain, and the extension names. `api_version` is the lower of the application's and the device's.
    ///
    /// # Safety
    /// `info` must be a valid `VkDeviceCreateInfo`: its pointers and its `pNext` chain must be readable.
    pub unsafe fn from_create_info(info: &vk::DeviceCreateInfo<'_>, api_version: u32) -> Self {
        let mut features = Self { spirv_1_4: api_version >= vk::API_VERSION_1_2, ..Self::default() };
        // SAFETY: pEnabledFeatures is null or valid, by the caller's promise.
        if let Some(enabled) = unsafe { info.p_enabled_features.as_ref() } {
            features.add_core(enabled);
        }
        let mut next: *const vk::BaseInStructure<'_> = info.p_next.cast();
        // SAFETY: every element of the chain starts with sType and pNext and is readable, by the caller's promise.
        while let Some(structure) = unsafe { next.as_ref() } {
            // SAFETY: as above.
            unsafe { features.add_structure(structure) };
            next = structure.p_next;
        }
        for index in 0..info.enabled_extension_count as usize {
            // SAFETY: the array holds enabledExtensionCount pointers, by the caller's promise.
            let entry = unsafe { info.pp_enabled_extension_names.add(index) };
            // SAFETY: as above.
            let name = unsafe { *entry };
            // SAFETY: each is a null-terminated string, by the caller's promise.
            let name = unsafe { CStr::from_ptr(name) };
            features.add_extension(name);
        }
        features
    }

    pub(crate) fn add_extension(&mut self, name: &CStr) {
        self.push_descriptor |= name == PUSH_DESCRIPTOR;
        self.spirv_1_4 |= name == ash::khr::spirv_1_4::NAME;
    }

    pub(crate) fn add_core(&mut self, core: &vk::PhysicalDeviceFeatures) {
        self.storage_image_extended_formats |= core.shader_storage_image_extended_formats == vk::TRUE;
        self.storage_image_write_without_format |= core.shader_storage_image_write_without_format == vk::TRUE;
        self.storage_image_array_dynamic_indexing |=
            core.shader_storage_image_array_dynamic_indexing == vk::TRUE;
    }

    /// # Safety
    /// `structure` must be the start of a valid structure of the type that its `sType` names.
    unsafe fn add_structure(&mut self, structure: &vk::BaseInStructure<'_>) {
        let address: *const vk::BaseInStructure<'_> = structure;
        match structure.s_type {
            vk::StructureType::PHYSICAL_DEVICE_FEATURES_2 => {
                let address: *const vk::PhysicalDeviceFeatures2<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.add_core(&value.features);
            }
            vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_1_FEATURES => {
                let address: *const vk::PhysicalDeviceVulkan11Features<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.multiview |= value.multiview == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES => {
                let address: *const vk::PhysicalDeviceVulkan12Features<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.shader_int8 |= value.shader_int8 == vk::TRUE;
                self.vulkan_memory_model |= value.vulkan_memory_model == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_3_FEATURES => {
                let address: *const vk::PhysicalDeviceVulkan13Features<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.full_subgroups |=
                    value.subgroup_size_control == vk::TRUE && value.compute_full_subgroups == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES => {
                let address: *const vk::PhysicalDeviceShaderFloat16Int8Features<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.shader_int8 |= value.shader_int8 == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES => {
                let address: *const vk::PhysicalDeviceVulkanMemoryModelFeatures<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.vulkan_memory_model |= value.vulkan_memory_model == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_MULTIVIEW_FEATURES => {
                let address: *const vk::PhysicalDeviceMultiviewFeatures<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.multiview |= value.multiview == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES => {
                let address: *const vk::PhysicalDeviceSubgroupSizeControlFeatures<'_> = address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.full_subgroups |=
                    value.subgroup_size_control == vk::TRUE && value.compute_full_subgroups == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR => {
                let address: *const vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'_> =
                    address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.workgroup_memory_explicit_layout_8bit |= value.workgroup_memory_explicit_layout
                    == vk::TRUE
                    && value.workgroup_memory_explicit_layout8_bit_access == vk::TRUE;
            }
            vk::StructureType::PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR => {
                let address: *const vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'_> =
                    address.cast();
                // SAFETY: sType names the type.
                let value = unsafe { &*address };
                self.pipeline_executable_info |= value.pipeline_executable_info == vk::TRUE;
            }
            _ => {}
        }
    }
}

/// The structures an owned device is created from. Boxed by its user: the structures point at one another.
#[derive(Default)]
pub(crate) struct FeatureChain {
    pub(crate) core: vk::PhysicalDeviceFeatures2<'static>,
    pub(crate) int8: vk::PhysicalDeviceShaderFloat16Int8Features<'static>,
    pub(crate) memory_model: vk::PhysicalDeviceVulkanMemoryModelFeatures<'static>,
    pub(crate) multiview: vk::PhysicalDeviceMultiviewFeatures<'static>,
    pub(crate) subgroup_size: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    pub(crate) explicit_layout: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    pub(crate) executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    pub(crate) synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
}

impl FeatureChain {
    /// Links the structures that a device of `api_version` with `extensions` knows, and returns the chain's head.
    pub(crate) fn link(
        &mut self,
        api_version: u32,
        has: impl Fn(&CStr) -> bool,
    ) -> *mut vk::PhysicalDeviceFeatures2<'static> {
        let mut next: *mut std::ffi::c_void = std::ptr::null_mut();
        let mut push = |address: *mut std::ffi::c_void, slot: &mut *mut std::ffi::c_void| {
            *slot = next;
            next = address;
        };
        macro_rules! add {
            ($field:ident, $when:expr) => {
                if $when {
                    let address = (&raw mut self.$field).cast();
                    push(address, &mut self.$field.p_next);
                }
            };
        }
        add!(int8, api_version >= vk::API_VERSION_1_2 || has(ash::khr::shader_float16_int8::NAME));
        add!(memory_model, api_version >= vk::API_VERSION_1_2 || has(ash::khr::vulkan_memory_model::NAME));
        add!(multiview, true);
        add!(subgroup_size, api_version >= vk::API_VERSION_1_3 || has(ash::ext::subgroup_size_control::NAME));
        add!(explicit_layout, has(EXPLICIT_LAYOUT));
        add!(executables, has(EXECUTABLE_PROPERTIES));
        add!(synchronization2, api_version >= vk::API_VERSION_1_3);
        self.core.p_next = next;
        &raw mut self.core
    }
}
