//! Answers to format queries: what an application is told about an emulated format. Each function answers `None`, or
//! `false`, for formats that are not emulated: the driver is to be asked then.

use crate::chain::{Chain, Keep, find_in, find_out, for_each_in};
use crate::offer::{Entry, FLAGS, Offer, USAGE};
use crate::settings::Policy;
use texemu_core::vk;
use texemu_format::{Format, VkFormat, by_vk};

/// Vulkan asks for 2^31 bytes at least (Vulkan specification, `VkImageFormatProperties`).
const LEAST_RESOURCE_BYTES: u64 = 1 << 31;

impl Offer {
    /// `vkGetPhysicalDeviceFormatProperties`.
    #[doc(alias = "vkGetPhysicalDeviceFormatProperties")]
    pub fn format_properties(&self, format: vk::Format) -> Option<vk::FormatProperties> {
        match self.ask(format)? {
            Entry::Emulated { features, .. } => {
                Some(vk::FormatProperties { optimal_tiling_features: *features, ..Default::default() })
            }
            Entry::Missing => Some(vk::FormatProperties::default()),
            Entry::Native => None,
        }
    }

    /// `vkGetPhysicalDeviceFormatProperties2`: the properties and every structure of the chain that can say something of
    /// an emulated format. `false`: ask the driver, nothing was written.
    ///
    /// # Safety
    /// `properties` starts a valid, writable chain.
    #[doc(alias = "vkGetPhysicalDeviceFormatProperties2")]
    pub unsafe fn format_properties2(
        &self,
        format: vk::Format,
        properties: &mut vk::FormatProperties2<'_>,
    ) -> bool {
        let Some(answer) = self.format_properties(format) else { return false };
        properties.format_properties = answer;
        let next = properties.p_next;
        // SAFETY: the caller's promise.
        if let Some(three) = unsafe { find_out::<vk::FormatProperties3<'_>>(next) } {
            three.linear_tiling_features = vk::FormatFeatureFlags2::empty();
            // The bits of the first 31 features are the same in both types.
            three.optimal_tiling_features =
                vk::FormatFeatureFlags2::from_raw(answer.optimal_tiling_features.as_raw().into());
            three.buffer_features = vk::FormatFeatureFlags2::empty();
        }
        // SAFETY: the caller's promise.
        if let Some(list) = unsafe { find_out::<vk::DrmFormatModifierPropertiesListEXT<'_>>(next) } {
            list.drm_format_modifier_count = 0;
        }
        // SAFETY: the caller's promise.
        if let Some(list) = unsafe { find_out::<vk::DrmFormatModifierPropertiesList2EXT<'_>>(next) } {
            list.drm_format_modifier_count = 0;
        }
        // SAFETY: the caller's promise.
        if let Some(resolve) = unsafe { find_out::<vk::SubpassResolvePerformanceQueryEXT<'_>>(next) } {
            resolve.optimal = vk::FALSE;
        }
        true
    }

    /// `vkGetPhysicalDeviceImageFormatProperties`: the limits that the decoded plane and the blocks both keep to.
    #[doc(alias = "vkGetPhysicalDeviceImageFormatProperties")]
    pub fn image_format_properties(
        &self,
        format: vk::Format,
        image_type: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
    ) -> Option<Result<vk::ImageFormatProperties, vk::Result>> {
        let info = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(format)
            .ty(image_type)
            .tiling(tiling)
            .usage(usage)
            .flags(flags);
        let mut properties = vk::ImageFormatProperties2::default();
        // SAFETY: both chains consist of one structure.
        let answer = unsafe { self.image_format_properties2(&info, &mut properties) }?;
        Some(answer.map(|()| properties.image_format_properties))
    }

    /// `vkGetPhysicalDeviceImageFormatProperties2`. The chain of `properties` is filled as for the image that would be
    /// created.
    ///
    /// # Safety
    /// `info` and `properties` start valid chains; that of `properties` is writable.
    #[doc(alias = "vkGetPhysicalDeviceImageFormatProperties2")]
    pub unsafe fn image_format_properties2(
        &self,
        info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
        properties: &mut vk::ImageFormatProperties2<'_>,
    ) -> Option<Result<(), vk::Result>> {
        let entry = self.ask(info.format)?;
        let unsupported = Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        match entry {
            Entry::Native => return None,
            Entry::Missing => return Some(unsupported),
            Entry::Emulated { .. } => {}
        }
        // SAFETY: the caller's promise.
        let refused = refusal(info.ty, info.tiling, info.usage, info.flags, vk::SampleCountFlags::TYPE_1)
            .or(unsafe { chain_refusal(info.p_next) });
        if refused.is_some() {
            properties.image_format_properties = vk::ImageFormatProperties::default();
            return Some(unsupported);
        }
        let format = by_vk(VkFormat(info.format.as_raw()))?;
        let policy = self.settings.policy_for(format.vk);
        // Auto may end anywhere on the ladder, so what is promised must hold for all of it.
        let ladder = self.ladder(format, policy);
        let count = if policy == Policy::Auto || self.settings.ceiling.is_some() { ladder.len() } else { 1 };
        let mut answer: Option<vk::ImageFormatProperties> = None;
        let mut failure = vk::Result::ERROR_FORMAT_NOT_SUPPORTED;
        for target in ladder {
            if answer.is_some() && count == 1 {
                break;
            }
            // SAFETY: the caller's promise.
            match unsafe { self.ask_driver(info, properties, target) } {
                Ok(()) => {
                    let one = properties.image_format_properties;
                    answer = Some(answer.map_or(one, |all| narrower(all, one)));
                }
                // A target that the device refuses for such an image is passed over when the image is created too.
                Err(result) => failure = result,
            }
        }
        Some(answer.map(|answer| properties.image_format_properties = self.limit(answer)).ok_or(failure))
    }

    /// `vkGetPhysicalDeviceSparseImageFormatProperties` and its `2` form: how many properties there are. Emulated images are
    /// never sparse.
    #[doc(alias = "vkGetPhysicalDeviceSparseImageFormatProperties")]
    pub fn sparse_image_format_property_count(&self, format: vk::Format) -> Option<u32> {
        (!matches!(self.ask(format)?, Entry::Native)).then_some(0)
    }

    /// What the driver says of the decoded plane.
    ///
    /// # Safety
    /// As [`Offer::image_format_properties2`].
    unsafe fn ask_driver(
        &self,
        info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
        properties: &mut vk::ImageFormatProperties2<'_>,
        target: &'static Format,
    ) -> Result<(), vk::Result> {
        let formats = plane_formats(target);
        // SAFETY: the caller's promise; the chain lives until the end of this function.
        let mut chain = unsafe { Chain::copy(info.p_next, keep) };
        if let Some(list) = chain.find::<vk::ImageFormatListCreateInfo<'_>>() {
            list.view_format_count = formats.len() as u32;
            list.p_view_formats = formats.as_ptr();
        }
        let (usage, flags) = self.plane_usage(target, info.usage, info.flags);
        let mut plane = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(texemu_core::vk_format(target.vk))
            .ty(info.ty)
            .tiling(info.tiling)
            .usage(usage)
            .flags(flags);
        plane.p_next = chain.head();
        // SAFETY: the device belongs to the instance; both chains are valid.
        unsafe {
            self.instance.0.get_physical_device_image_format_properties2(
                self.physical_device,
                &plane,
                properties,
            )
        }
    }

    fn limit(&self, mut properties: vk::ImageFormatProperties) -> vk::ImageFormatProperties {
        properties.sample_counts = vk::SampleCountFlags::TYPE_1;
        // Both planes lie in one allocation.
        let allocation = self.max_allocation().max(LEAST_RESOURCE_BYTES);
        properties.max_resource_size = properties.max_resource_size.min(allocation);
        properties
    }

    fn max_allocation(&self) -> u64 {
        let mut maintenance = vk::PhysicalDeviceMaintenance3Properties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut maintenance);
        // SAFETY: the device belongs to the instance and implements Vulkan 1.1.
        unsafe { self.instance.0.get_physical_device_properties2(self.physical_device, &mut properties) };
        maintenance.max_memory_allocation_size
    }
}

/// The formats that the decoded plane is viewed as: its own and its sibling, and what kernels store through.
pub(crate) fn plane_formats(target: &'static Format) -> Vec<vk::Format> {
    let mut formats = vec![texemu_core::vk_format(target.vk)];
    formats.extend(siblings(target).map(|other| texemu_core::vk_format(other.vk)));
    if !target.is_compressed() {
        formats.push(texemu_core::vk_format(target.storage_view()));
    }
    formats
}

/// The rows that differ from `format` in the transfer function alone.
pub(crate) fn siblings(format: &'static Format) -> impl Iterator<Item = &'static Format> {
    use texemu_format::Numeric::{Srgb, Unorm};
    let other = match format.numeric {
        Unorm => format.with_numeric(Srgb),
        Srgb => format.with_numeric(Unorm),
        _ => None,
    };
    other.into_iter()
}

/// Which structures of an image's chain are changed or left out for the decoded plane.
pub(crate) fn keep(s_type: vk::StructureType) -> Keep {
    match s_type {
        vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO => Keep::Change,
        // They speak of depth and stencil, of single allocations, or ask for nothing once they were not refused.
        vk::StructureType::IMAGE_STENCIL_USAGE_CREATE_INFO
        | vk::StructureType::DEDICATED_ALLOCATION_IMAGE_CREATE_INFO_NV
        | vk::StructureType::EXTERNAL_MEMORY_IMAGE_CREATE_INFO
        | vk::StructureType::EXTERNAL_MEMORY_IMAGE_CREATE_INFO_NV
        | vk::StructureType::PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO => Keep::Drop,
        _ => Keep::Same,
    }
}

/// Why such an image is not emulated, if it is not.
pub(crate) fn refusal(
    image_type: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    samples: vk::SampleCountFlags,
) -> Option<String> {
    if tiling != vk::ImageTiling::OPTIMAL {
        return Some(format!("{tiling:?} tiling"));
    }
    if !matches!(image_type, vk::ImageType::TYPE_2D | vk::ImageType::TYPE_3D) {
        return Some(format!("images of {image_type:?}"));
    }
    if !(usage & !USAGE).is_empty() {
        return Some(format!("usage {:?}", usage & !USAGE));
    }
    if !(flags & !FLAGS).is_empty() {
        return Some(format!("flags {:?}", flags & !FLAGS));
    }
    (samples != vk::SampleCountFlags::TYPE_1).then(|| format!("{samples:?} samples"))
}

/// Why an image with such a chain is not emulated, if it is not: memory from elsewhere.
///
/// # Safety
/// `next` is null or the start of a valid chain.
pub(crate) unsafe fn chain_refusal(next: *const std::ffi::c_void) -> Option<String> {
    let mut refused = None;
    // SAFETY: the caller's promise.
    if let Some(external) = unsafe { find_in::<vk::PhysicalDeviceExternalImageFormatInfo<'_>>(next) } {
        refused = (!external.handle_type.is_empty()).then(|| "external memory".to_owned());
    }
    // SAFETY: the caller's promise.
    if let Some(external) = unsafe { find_in::<vk::ExternalMemoryImageCreateInfo<'_>>(next) } {
        refused = refused.or((!external.handle_types.is_empty()).then(|| "external memory".to_owned()));
    }
    // SAFETY: the caller's promise.
    if let Some(external) = unsafe { find_in::<vk::ExternalMemoryImageCreateInfoNV<'_>>(next) } {
        refused = refused.or((!external.handle_types.is_empty()).then(|| "external memory".to_owned()));
    }
    let each = |structure: &vk::BaseInStructure<'_>| match structure.s_type {
        vk::StructureType::IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT
        | vk::StructureType::IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT
        | vk::StructureType::PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT
        | vk::StructureType::IMAGE_SWAPCHAIN_CREATE_INFO_KHR
        | vk::StructureType::EXTERNAL_FORMAT_ANDROID
        | vk::StructureType::BUFFER_COLLECTION_IMAGE_CREATE_INFO_FUCHSIA
        | vk::StructureType::IMPORT_METAL_TEXTURE_INFO_EXT
        | vk::StructureType::IMPORT_METAL_IO_SURFACE_INFO_EXT
        | vk::StructureType::VIDEO_PROFILE_LIST_INFO_KHR
        | vk::StructureType::OPTICAL_FLOW_IMAGE_FORMAT_INFO_NV => {
            refused.get_or_insert_with(|| format!("{:?}", structure.s_type));
        }
        _ => {}
    };
    // SAFETY: the caller's promise.
    unsafe { for_each_in(next, each) };
    refused
}

fn narrower(a: vk::ImageFormatProperties, b: vk::ImageFormatProperties) -> vk::ImageFormatProperties {
    vk::ImageFormatProperties {
        max_extent: vk::Extent3D {
            width: a.max_extent.width.min(b.max_extent.width),
            height: a.max_extent.height.min(b.max_extent.height),
            depth: a.max_extent.depth.min(b.max_extent.depth),
        },
        max_mip_levels: a.max_mip_levels.min(b.max_mip_levels),
        max_array_layers: a.max_array_layers.min(b.max_array_layers),
        sample_counts: a.sample_counts & b.sample_counts,
        max_resource_size: a.max_resource_size.min(b.max_resource_size),
    }
}
