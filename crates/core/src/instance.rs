//! Owned instances, and the devices they see.

use crate::capabilities::DeviceInfo;
use crate::error::{Context, Error, Result};
use crate::validation::{Validation, ValidationLog};
use ash::{Entry, vk};
use std::ffi::CStr;

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

pub(crate) struct OwnedInstance {
    pub(crate) entry: Entry,
    pub(crate) instance: ash::Instance,
    pub(crate) api_version: u32,
    pub(crate) debug: Option<ash::ext::debug_utils::Instance>,
    messenger: vk::DebugUtilsMessengerEXT,
    pub(crate) log: ValidationLog,
}

impl OwnedInstance {
    pub(crate) fn new(validation: Validation) -> Result<Self> {
        Self::with_extensions(validation, &[])
    }

    /// `extra` names instance extensions that must be there.
    pub(crate) fn with_extensions(validation: Validation, extra: &[&CStr]) -> Result<Self> {
        // SAFETY: the loader library is trusted to be a Vulkan loader.
        let entry = unsafe { Entry::load() }?;
        // SAFETY: no preconditions.
        let loader_version = unsafe { entry.try_enumerate_instance_version() }
            .call("vkEnumerateInstanceVersion")?
            .unwrap_or(vk::API_VERSION_1_0);
        let api_version = loader_version.min(vk::API_VERSION_1_3);
        let application = vk::ApplicationInfo::default()
            .application_name(c"texemu")
            .engine_name(c"texemu")
            .api_version(api_version);

        let mut layers = Vec::new();
        let mut extensions: Vec<*const i8> = extra.iter().map(|name| name.as_ptr()).collect();
        let mut layer_extensions = Vec::new();
        if validation != Validation::Off {
            // SAFETY: no preconditions.
            let available = unsafe { entry.enumerate_instance_layer_properties() }
                .call("vkEnumerateInstanceLayerProperties")?;
            if !available.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER)) {
                return Err(Error::NoValidation);
            }
            layers.push(VALIDATION_LAYER.as_ptr());
            // SAFETY: the layer was just enumerated.
            layer_extensions =
                unsafe { entry.enumerate_instance_extension_properties(Some(VALIDATION_LAYER)) }
                    .call("vkEnumerateInstanceExtensionProperties")?;
        }
        // SAFETY: no preconditions.
        let mut known = unsafe { entry.enumerate_instance_extension_properties(None) }
            .call("vkEnumerateInstanceExtensionProperties")?;
        known.extend(layer_extensions);
        let has = |name: &CStr| known.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
        let debug_utils = has(ash::ext::debug_utils::NAME);
        if debug_utils {
            extensions.push(ash::ext::debug_utils::NAME.as_ptr());
        }

        let log = ValidationLog::default();
        let mut messenger_info = log.messenger_info();
        let enables = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enables);
        let mut info =
            vk::InstanceCreateInfo::default().application_info(&application).enabled_layer_names(&layers);
        if validation != Validation::Off {
            if debug_utils {
                info = info.push_next(&mut messenger_info);
            }
            if has(ash::ext::validation_features::NAME) {
                extensions.push(ash::ext::validation_features::NAME.as_ptr());
                info = info.push_next(&mut features);
            }
        }
        let info = info.enabled_extension_names(&extensions);
        // SAFETY: every name and structure in info outlives the call.
        let instance = unsafe { entry.create_instance(&info, None) }.call("vkCreateInstance")?;
        let debug = debug_utils.then(|| ash::ext::debug_utils::Instance::new(&entry, &instance));
        let mut owned =
            Self { entry, instance, api_version, debug, messenger: vk::DebugUtilsMessengerEXT::null(), log };
        if let (Some(debug), true) = (&owned.debug, validation != Validation::Off) {
            // SAFETY: the log outlives the messenger: both are fields of `owned`, destroyed in Drop.
            owned.messenger =
                unsafe { debug.create_debug_utils_messenger(&owned.log.messenger_info(), None) }
                    .call("vkCreateDebugUtilsMessengerEXT")?;
        }
        Ok(owned)
    }

    pub(crate) fn physical_devices(&self) -> Result<Vec<(vk::PhysicalDevice, DeviceInfo)>> {
        // SAFETY: the instance is alive.
        let devices =
            unsafe { self.instance.enumerate_physical_devices() }.call("vkEnumeratePhysicalDevices")?;
        let describe = |(index, device)| (device, DeviceInfo::query(&self.instance, device, index));
        Ok(devices.into_iter().enumerate().map(describe).collect())
    }
}

impl Drop for OwnedInstance {
    fn drop(&mut self) {
        if let (Some(debug), true) = (&self.debug, self.messenger != vk::DebugUtilsMessengerEXT::null()) {
            // SAFETY: created by this instance, destroyed once.
            unsafe { debug.destroy_debug_utils_messenger(self.messenger, None) };
        }
        // SAFETY: the device that was made from it is gone: its owner drops it first.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// The devices that the loader finds, in its order; [`crate::Select::Index`] counts in it.
pub fn list_devices() -> Result<Vec<DeviceInfo>> {
    let instance = OwnedInstance::new(Validation::Off)?;
    Ok(instance.physical_devices()?.into_iter().map(|(_, info)| info).collect())
}
