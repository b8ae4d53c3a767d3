//! What a device can do: who it is, its limits, and what it takes per `VkFormat`.

use ash::vk;
use std::collections::HashMap;
use std::ffi::CStr;
use texemu_format::{Codec, FORMATS, VkFormat};

/// Who a device is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its place in the loader's list.
    pub index: usize,
    /// `deviceName`.
    pub name: String,
    /// Discrete, integrated, virtual or CPU.
    pub kind: vk::PhysicalDeviceType,
    /// The Vulkan version it implements.
    pub api_version: u32,
    /// `vendorID`.
    pub vendor: u32,
    /// `driverVersion`, in the vendor's own encoding.
    pub driver_version: u32,
    /// `driverName` and `driverInfo`, where the device tells them.
    pub driver: String,
    /// `deviceUUID`.
    pub uuid: [u8; 16],
    /// `pipelineCacheUUID`.
    pub pipeline_cache_uuid: [u8; 16],
}

impl DeviceInfo {
    pub(crate) fn query(instance: &ash::Instance, device: vk::PhysicalDevice, index: usize) -> Self {
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        // SAFETY: the device belongs to the instance.
        let version = unsafe { instance.get_physical_device_properties(device) }.api_version;
        let mut properties = vk::PhysicalDeviceProperties2::default();
        if version >= vk::API_VERSION_1_1 {
            properties = properties.push_next(&mut id);
        }
        if version >= vk::API_VERSION_1_2 {
            properties = properties.push_next(&mut driver);
        }
        // SAFETY: as above; the chain's structures are known to a device of that version.
        unsafe { instance.get_physical_device_properties2(device, &mut properties) };
        let core = properties.properties;
        let text =
            |text: Result<&CStr, _>| text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
        let driver = [text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str())].join(" ");
        Self {
            index,
            name: text(core.device_name_as_c_str()),
            kind: core.device_type,
            api_version: core.api_version,
            vendor: core.vendor_id,
            driver_version: core.driver_version,
            driver: driver.trim().to_owned(),
            uuid: id.device_uuid,
            pipeline_cache_uuid: core.pipeline_cache_uuid,
        }
    }

    /// The UUID as 8-4-4-4-12 hexadecimal digits.
    pub fn uuid_text(&self) -> String {
        let hex: String = self.uuid.iter().map(|byte| format!("{byte:02x}")).collect();
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }
}

/// `VkFormatProperties` of one format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FormatFeatures {
    /// Images with linear tiling.
    pub linear: vk::FormatFeatureFlags,
    /// Images with optimal tiling.
    pub optimal: vk::FormatFeatureFlags,
    /// Texel buffers.
    pub buffer: vk::FormatFeatureFlags,
}

/// Subgroup facts (Vulkan specification, "Subgroups").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subgroup {
    /// `subgroupSize`.
    pub size: u32,
    /// The operations that compute shaders may use; empty if they may use none.
    pub operations: vk::SubgroupFeatureFlags,
}

/// What a device can do, asked once.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// Who it is.
    pub info: DeviceInfo,
    /// Its limits.
    pub limits: vk::PhysicalDeviceLimits,
    /// Its subgroups.
    pub subgroup: Subgroup,
    /// The timestamps of the queue family in use are valid.
    pub timestamps: bool,
    formats: HashMap<VkFormat, FormatFeatures>,
}

impl Capabilities {
    /// Asks a physical device before there is a device: what a layer or an embedder answers format queries from. Subgroup and
    /// format facts hold for every queue; `timestamps` is for queue family 0.
    ///
    /// # Safety
    /// `device` belongs to `instance`, and both implement Vulkan 1.1.
    pub unsafe fn of_physical_device(instance: &ash::Instance, device: vk::PhysicalDevice) -> Self {
        Self::query(instance, device, 0, DeviceInfo::query(instance, device, 0))
    }

    pub(crate) fn query(
        instance: &ash::Instance,
        device: vk::PhysicalDevice,
        queue_family: u32,
        info: DeviceInfo,
    ) -> Self {
        let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
        // SAFETY: the device belongs to the instance and implements Vulkan 1.1.
        unsafe { instance.get_physical_device_properties2(device, &mut properties) };
        let limits = properties.properties.limits;
        // SAFETY: as above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
        let timestamps =
            families.get(queue_family as usize).is_some_and(|family| family.timestamp_valid_bits > 0);
        let operations = if subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE) {
            subgroup.supported_operations
        } else {
            vk::SubgroupFeatureFlags::empty()
        };
        // A VkFormat of an extension may only be asked about where the device has the extension.
        // SAFETY: as above.
        let extensions =
            unsafe { instance.enumerate_device_extension_properties(device) }.unwrap_or_default();
        let has_astc_hdr = extensions.iter().any(|extension| {
            extension.extension_name_as_c_str() == Ok(ash::ext::texture_compression_astc_hdr::NAME)
        });
        let may_ask = |format: VkFormat| {
            has_astc_hdr || texemu_format::by_vk(format).is_none_or(|row| row.codec != Codec::AstcHdr)
        };
        let mut formats = HashMap::new();
        let views = FORMATS.iter().map(texemu_format::Format::storage_view);
        for format in FORMATS.iter().map(|format| format.vk).chain(views).filter(|&format| may_ask(format)) {
            formats.entry(format).or_insert_with(|| {
                let raw = vk::Format::from_raw(format.0);
                // SAFETY: as above.
                let properties = unsafe { instance.get_physical_device_format_properties(device, raw) };
                FormatFeatures {
                    linear: properties.linear_tiling_features,
                    optimal: properties.optimal_tiling_features,
                    buffer: properties.buffer_features,
                }
            });
        }
        let subgroup = Subgroup { size: subgroup.subgroup_size, operations };
        Self { info, limits, subgroup, timestamps, formats }
    }

    /// What the device does with `format` itself: no emulation counted. Formats outside the table have no features.
    pub fn format(&self, format: VkFormat) -> FormatFeatures {
        self.formats.get(&format).copied().unwrap_or_default()
    }

    /// Whether the device is a CPU.
    pub fn is_cpu(&self) -> bool {
        self.info.kind == vk::PhysicalDeviceType::CPU
    }
}
