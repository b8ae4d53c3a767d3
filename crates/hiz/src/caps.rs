//! What a plan asks of a device.

use texemu_core::{Gpu, vk};

/// What a device can do, as far as a plan cares. [`HizCaps::default`] is a device of which nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct HizCaps {
    /// `maxPerStageDescriptorStorageImages`; Vulkan guarantees 4.
    pub storage_images: u32,
    /// Workgroups of 256 invocations that the device runs at once: how many the one dispatch has at most, all layers
    /// together.
    pub resident_groups: u32,
    /// `shaderStorageImageWriteWithoutFormat`.
    pub write_without_format: bool,
    /// `R32_SFLOAT` is a storage image format, as Vulkan guarantees.
    pub typed_r32f: bool,
    /// `shaderStorageImageExtendedFormats`: 16-bit and two-channel storage images.
    pub extended_formats: bool,
    /// `vulkanMemoryModel`.
    pub memory_model: bool,
    /// Subgroups are full, of 16 invocations or more, with shuffles.
    pub shuffles_of_16: bool,
    /// The same of 32.
    pub shuffles_of_32: bool,
    /// Subgroups are full, of 4 invocations or more, with shuffles and arithmetic.
    pub subgroup_fold: bool,
    /// The queue draws.
    pub graphics: bool,
    /// The device is a CPU, where barriers are dear.
    pub cpu: bool,
}

impl Default for HizCaps {
    fn default() -> Self {
        Self {
            storage_images: 4,
            resident_groups: 1056,
            write_without_format: false,
            typed_r32f: true,
            extended_formats: false,
            memory_model: false,
            shuffles_of_16: false,
            shuffles_of_32: false,
            subgroup_fold: false,
            graphics: true,
            cpu: false,
        }
    }
}

impl HizCaps {
    /// What `gpu` can, with the features it was created with.
    pub fn of(gpu: &Gpu) -> Self {
        let (capabilities, features) = (gpu.capabilities(), gpu.features());
        let limits = &capabilities.limits;
        let subgroup = capabilities.subgroup;
        let with = |size: u32, operations: vk::SubgroupFeatureFlags| {
            features.full_subgroups && subgroup.size >= size && subgroup.operations.contains(operations)
        };
        // SAFETY: the physical device belongs to the instance.
        let families =
            unsafe { gpu.instance().get_physical_device_queue_family_properties(gpu.physical_device()) };
        let family = families.get(gpu.queue_family() as usize);
        Self {
            storage_images: limits
                .max_per_stage_descriptor_storage_images
                .min(limits.max_descriptor_set_storage_images),
            write_without_format: features.storage_image_write_without_format,
            typed_r32f: true,
            extended_formats: features.storage_image_extended_formats,
            memory_model: features.vulkan_memory_model,
            shuffles_of_16: with(16, vk::SubgroupFeatureFlags::BASIC | vk::SubgroupFeatureFlags::SHUFFLE),
            shuffles_of_32: with(32, vk::SubgroupFeatureFlags::BASIC | vk::SubgroupFeatureFlags::SHUFFLE),
            subgroup_fold: with(4, vk::SubgroupFeatureFlags::ARITHMETIC | vk::SubgroupFeatureFlags::SHUFFLE),
            graphics: family.is_some_and(|family| family.queue_flags.contains(vk::QueueFlags::GRAPHICS)),
            cpu: capabilities.is_cpu(),
            ..Self::default()
        }
    }
}
