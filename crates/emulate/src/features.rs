//! Feature bits: what a guest is told, and what its device is created with instead.

use crate::chain::{Chain, Keep, find_out};
use crate::offer::Offer;
use std::ffi::{CStr, c_char};
use texemu_core::{ash, vk};

impl Offer {
    /// Puts the families into `vkGetPhysicalDeviceFeatures`' answer: emulated ones are there, hidden ones are not.
    #[doc(alias = "vkGetPhysicalDeviceFeatures")]
    pub fn add_features(&self, features: &mut vk::PhysicalDeviceFeatures) {
        let families = self.families();
        features.texture_compression_etc2 = families.etc2.into();
        features.texture_compression_astc_ldr = families.astc_ldr.into();
    }

    /// Puts them into `vkGetPhysicalDeviceFeatures2`'s answer, in every structure of the chain that names them.
    ///
    /// # Safety
    /// `features` starts a valid, writable chain.
    #[doc(alias = "vkGetPhysicalDeviceFeatures2")]
    pub unsafe fn add_features2(&self, features: &mut vk::PhysicalDeviceFeatures2<'_>) {
        self.add_features(&mut features.features);
        let families = self.families();
        let next = features.p_next;
        type Hdr<'a> = vk::PhysicalDeviceTextureCompressionASTCHDRFeatures<'a>;
        // SAFETY: the caller's promise.
        if let Some(hdr) = unsafe { find_out::<Hdr<'_>>(next) } {
            hdr.texture_compression_astc_hdr = families.astc_hdr.into();
        }
        // SAFETY: the caller's promise.
        if let Some(core) = unsafe { find_out::<vk::PhysicalDeviceVulkan13Features<'_>>(next) } {
            core.texture_compression_astc_hdr = families.astc_hdr.into();
        }
        type Decode<'a> = vk::PhysicalDeviceASTCDecodeFeaturesEXT<'a>;
        // A driver that does not know the structure leaves it as it was, and emulation has no shared-exponent target.
        // SAFETY: the caller's promise.
        if let Some(decode) = unsafe { find_out::<Decode<'_>>(next) }
            && (families.astc_ldr || families.astc_hdr)
            && !self.has_extension(ash::ext::astc_decode_mode::NAME)
        {
            decode.decode_mode_shared_exponent = vk::FALSE;
        }
    }

    /// The device extensions that emulation adds to those of the device: what `vkEnumerateDeviceExtensionProperties` is to
    /// name too, and what [`Offer::device_create_info`] takes out again.
    #[doc(alias = "vkEnumerateDeviceExtensionProperties")]
    pub fn added_extensions(&self) -> Vec<&'static CStr> {
        let families = self.families();
        let hdr = families.astc_hdr.then_some(ash::ext::texture_compression_astc_hdr::NAME);
        let decode = (families.astc_ldr || families.astc_hdr).then_some(ash::ext::astc_decode_mode::NAME);
        hdr.into_iter().chain(decode).filter(|name| !self.has_extension(name)).collect()
    }

    fn has_extension(&self, name: &CStr) -> bool {
        self.extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
    }

    /// What the device is to be created with: the application's wishes without the families that the device lacks, and
    /// with what the kernels need. The application's structures stay as they are.
    ///
    /// # Safety
    /// `info` is a valid `VkDeviceCreateInfo` and outlives the result.
    #[doc(alias = "vkCreateDevice")]
    pub unsafe fn device_create_info<'a>(&self, info: &'a vk::DeviceCreateInfo<'a>) -> DeviceCreateInfo<'a> {
        // SAFETY: the physical device belongs to the instance.
        let native = unsafe { self.instance.0.get_physical_device_features(self.physical_device) };
        let needed = self.needed_features();
        let amend = |features: &mut vk::PhysicalDeviceFeatures| {
            features.texture_compression_etc2 &= native.texture_compression_etc2;
            features.texture_compression_astc_ldr &= native.texture_compression_astc_ldr;
            features.shader_storage_image_extended_formats |=
                needed.shader_storage_image_extended_formats & native.shader_storage_image_extended_formats;
        };
        let native_hdr = self.native_astc_hdr();
        let keep = |s_type| match s_type {
            vk::StructureType::PHYSICAL_DEVICE_FEATURES_2 => Keep::Change,
            vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_3_FEATURES if !native_hdr => Keep::Change,
            // The device may not know the structure at all.
            vk::StructureType::PHYSICAL_DEVICE_TEXTURE_COMPRESSION_ASTC_HDR_FEATURES if !native_hdr => {
                Keep::Drop
            }
            vk::StructureType::PHYSICAL_DEVICE_ASTC_DECODE_FEATURES_EXT
                if !self.has_extension(ash::ext::astc_decode_mode::NAME) =>
            {
                Keep::Drop
            }
            _ => Keep::Same,
        };
        // SAFETY: the caller's promise.
        let mut chain = unsafe { Chain::copy(info.p_next, keep) };
        let in_chain =
            chain.find::<vk::PhysicalDeviceFeatures2<'_>>().map(|head| amend(&mut head.features)).is_some();
        if !native_hdr && let Some(core) = chain.find::<vk::PhysicalDeviceVulkan13Features<'_>>() {
            core.texture_compression_astc_hdr = vk::FALSE;
        }
        // An application that enables no feature at all has neither structure.
        // SAFETY: null or valid by the caller's promise.
        let asked = unsafe { info.p_enabled_features.as_ref() }.copied().unwrap_or_default();
        let mut features = Box::new(asked);
        amend(&mut features);
        let added = self.added_extensions();
        let mut extensions = Vec::with_capacity(info.enabled_extension_count as usize);
        for index in 0..info.enabled_extension_count as usize {
            // SAFETY: the array holds enabledExtensionCount pointers, by the caller's promise.
            let entry = unsafe { info.pp_enabled_extension_names.add(index) };
            // SAFETY: as above.
            let name = unsafe { *entry };
            // SAFETY: each is a null-terminated string, by the caller's promise.
            if !added.contains(&unsafe { CStr::from_ptr(name) }) {
                extensions.push(name);
            }
        }
        DeviceCreateInfo { info: *info, chain, features: (!in_chain).then_some(features), extensions }
    }

    fn native_astc_hdr(&self) -> bool {
        let mut hdr = vk::PhysicalDeviceTextureCompressionASTCHDRFeatures::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut hdr);
        // SAFETY: the device belongs to the instance; a device that does not know the structure leaves it alone.
        unsafe { self.instance.0.get_physical_device_features2(self.physical_device, &mut features) };
        hdr.texture_compression_astc_hdr == vk::TRUE
    }
}

/// A changed `VkDeviceCreateInfo`.
pub struct DeviceCreateInfo<'a> {
    info: vk::DeviceCreateInfo<'a>,
    chain: Chain,
    features: Option<Box<vk::PhysicalDeviceFeatures>>,
    extensions: Vec<*const c_char>,
}

impl DeviceCreateInfo<'_> {
    /// The structure to create the device with.
    pub fn get(&mut self) -> vk::DeviceCreateInfo<'_> {
        let mut info = self.info;
        info.p_next = self.chain.head();
        info.p_enabled_features = self.features.as_deref().map_or(std::ptr::null(), std::ptr::from_ref);
        info.enabled_extension_count = self.extensions.len() as u32;
        info.pp_enabled_extension_names = self.extensions.as_ptr();
        info
    }
}
