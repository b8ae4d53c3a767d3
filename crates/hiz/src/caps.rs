//! What a plan asks of a device.

/// What a device can do, as far as a plan cares. [`HizCaps::default`] is a device of which nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct HizCaps {
    /// `maxPerStageDescriptorStorageImages`; Vulkan guarantees 4.
    pub storage_images: u32,
    /// Workgroups of 256 invocations that the device runs at once: how many the one dispatch has at most.
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
            resident_groups: 512,
            write_without_format: false,
            typed_r32f: true,
            extended_formats: false,
            memory_model: false,
            shuffles_of_16: false,
            subgroup_fold: false,
            graphics: true,
            cpu: false,
        }
    }
}
