//! Instances, and what their physical devices offer.

use crate::entries::InstanceFunctions;
use crate::loader::{GetPhysicalDeviceProcAddr, InstanceLink, Place};
use crate::settings::Settings;
use crate::{logger, registry};
use ash::vk;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use texemu_emulate::Offer;
use vk::Handle;

/// One instance.
pub(crate) struct Instance {
    /// The next layer's functions.
    pub(crate) functions: ash::Instance,
    /// Those that may be missing, by every name they have.
    pub(crate) next: InstanceFunctions,
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
    pub(crate) settings: Settings,
    /// What the instance was created for.
    pub(crate) api_version: u32,
    offers: Mutex<HashMap<vk::PhysicalDevice, Option<Arc<Offer>>>>,
}

impl Instance {
    /// What a physical device offers; `None` if it is left as it is.
    pub(crate) fn offer(&self, device: vk::PhysicalDevice) -> Option<Arc<Offer>> {
        if !self.settings.enable {
            return None;
        }
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        offers.entry(device).or_insert_with(|| self.make_offer(device)).clone()
    }

    fn make_offer(&self, device: vk::PhysicalDevice) -> Option<Arc<Offer>> {
        // SAFETY: the physical device belongs to the instance.
        let properties = unsafe { self.functions.get_physical_device_properties(device) };
        if properties.api_version.min(self.api_version) < vk::API_VERSION_1_1 {
            log::warn!("a device with Vulkan 1.0 is left as it is");
            return None;
        }
        // SAFETY: as above; offers go with the instance.
        let offer = unsafe { Offer::new(&self.functions, device, &self.settings.emulation) };
        (!offer.is_idle()).then(|| Arc::new(offer))
    }
}

/// `vkCreateInstance`.
///
/// # Safety
/// As `vkCreateInstance`, called by a loader.
pub(crate) unsafe fn create(
    info: &vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the caller's promise.
    let Some(place) = (unsafe { Place::<InstanceLink>::find(info.p_next) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let link = place.link();
    let (get, get_physical) = (link.get_instance_proc_addr, link.get_physical_device_proc_addr);
    // SAFETY: global functions are found without an instance.
    let Some(create) = (unsafe { get(vk::Instance::null(), c"vkCreateInstance".as_ptr()) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the name's own type.
    let create =
        unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(create) };

    // SAFETY: the chain is valid by the caller's promise.
    let settings = Settings::read(unsafe { layer_settings(info.p_next) });
    logger::set_up(settings.log_level);
    for problem in &settings.problems {
        log::warn!("{problem}");
    }

    // Emulation needs functions of Vulkan 1.1, whatever the application knows of.
    // SAFETY: null or valid by the caller's promise.
    let mut application = unsafe { info.p_application_info.as_ref() }.copied().unwrap_or_default();
    let asked = if application.api_version == 0 { vk::API_VERSION_1_0 } else { application.api_version };
    application.api_version = if settings.enable { asked.max(vk::API_VERSION_1_1) } else { asked };
    let mut raised = *info;
    raised.p_application_info = &raw const application;
    let info = if application.api_version == asked { info } else { &raised };
    place.advance();
    // SAFETY: the caller's promise; the application's structure was copied to be changed.
    let result = unsafe { create(info, allocator, out) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    // SAFETY: written by the call.
    let handle = unsafe { *out };
    let loader = ash::StaticFn { get_instance_proc_addr: get };
    // SAFETY: the instance was just created, and the function is the next layer's.
    let functions = unsafe { ash::Instance::load(&loader, handle) };
    // SAFETY: as above.
    let next = InstanceFunctions::load(|name| unsafe { get(handle, name.as_ptr()) });
    let instance = Instance {
        functions,
        next,
        get_instance_proc_addr: get,
        get_physical_device_proc_addr: get_physical,
        settings,
        api_version: application.api_version,
        offers: Mutex::default(),
    };
    // SAFETY: just created.
    registry::add_instance(unsafe { registry::key(handle) }, Arc::new(instance));
    vk::Result::SUCCESS
}

/// `vkDestroyInstance`.
///
/// # Safety
/// As `vkDestroyInstance`.
pub(crate) unsafe fn destroy(instance: vk::Instance, allocator: *const vk::AllocationCallbacks<'_>) {
    if instance.is_null() {
        return;
    }
    // SAFETY: alive by the caller's promise.
    let key = unsafe { registry::key(instance) };
    let Some(state) = registry::remove_instance(key) else { return };
    let destroy = state.functions.fp_v1_0().destroy_instance;
    drop(state);
    // SAFETY: the caller's promise.
    unsafe { destroy(instance, allocator) };
}

/// What `VK_EXT_layer_settings` says of this layer.
///
/// # Safety
/// `next` is null or the start of a valid chain.
unsafe fn layer_settings(next: *const std::ffi::c_void) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut address: *const vk::BaseInStructure<'_> = next.cast();
    // SAFETY: every element of the chain starts with sType and pNext and is readable.
    while let Some(structure) = unsafe { address.as_ref() } {
        if structure.s_type == vk::StructureType::LAYER_SETTINGS_CREATE_INFO_EXT {
            let info: *const vk::LayerSettingsCreateInfoEXT<'_> = address.cast();
            // SAFETY: sType names the structure.
            let info = unsafe { &*info };
            for index in 0..info.setting_count as usize {
                // SAFETY: the array holds settingCount structures.
                let setting = unsafe { info.p_settings.add(index) };
                // SAFETY: as above.
                let setting = unsafe { &*setting };
                // SAFETY: as above.
                found.extend(unsafe { layer_setting(setting) });
            }
        }
        address = structure.p_next;
    }
    found
}

/// One setting as a line of the settings file would have it.
///
/// # Safety
/// The structure is valid.
unsafe fn layer_setting(setting: &vk::LayerSettingEXT<'_>) -> Option<(String, String)> {
    use vk::LayerSettingTypeEXT as Type;
    // SAFETY: a string by the caller's promise.
    let layer = unsafe { std::ffi::CStr::from_ptr(setting.p_layer_name) };
    if layer != crate::NAME {
        return None;
    }
    // SAFETY: as above.
    let name = unsafe { std::ffi::CStr::from_ptr(setting.p_setting_name) }.to_string_lossy().into_owned();
    let mut values = Vec::new();
    for index in 0..setting.value_count as usize {
        macro_rules! value {
            ($type:ty) => {{
                let array: *const $type = setting.p_values.cast();
                // SAFETY: the array holds valueCount values of the type that `ty` names.
                unsafe { array.add(index).read() }
            }};
        }
        values.push(match setting.ty {
            Type::BOOL32 => (value!(vk::Bool32) != vk::FALSE).to_string(),
            Type::INT32 => value!(i32).to_string(),
            Type::INT64 => value!(i64).to_string(),
            Type::UINT32 => value!(u32).to_string(),
            Type::UINT64 => value!(u64).to_string(),
            Type::FLOAT32 => value!(f32).to_string(),
            Type::FLOAT64 => value!(f64).to_string(),
            Type::STRING => {
                let text = value!(*const std::ffi::c_char);
                // SAFETY: a string by the caller's promise.
                unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
            }
            _ => return None,
        });
    }
    Some((name, values.join(",")))
}
