//! Devices.

use crate::buffers::Buffers;
use crate::commands::{CommandBuffers, CommandState};
use crate::entries::DeviceFunctions;
use crate::instance::Instance;
use crate::loader::{DeviceLink, Place};
use crate::templates::Templates;
use crate::validate::Validation;
use crate::{registry, report};
use ash::vk;
use std::ffi::{CStr, c_char};
use std::sync::Arc;
use texemu_core::{Features, Gpu, HostDevice};
use texemu_emulate::{Emulator, EmulatorDesc, Error, Offer, Queue, Recording};
use vk::Handle;

/// One device.
pub(crate) struct Device {
    /// The next layer's functions.
    pub(crate) next: DeviceFunctions,
    pub(crate) get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    /// `None` on a device that is left as it is.
    pub(crate) emulation: Option<Emulation>,
}

/// What an emulating device has.
pub(crate) struct Emulation {
    // The recordings of the command buffers go before the emulator that they came from.
    pub(crate) commands: CommandBuffers,
    pub(crate) emulator: Emulator,
    pub(crate) buffers: Buffers,
    pub(crate) templates: Templates,
    pub(crate) validation: Validation,
    /// The functions of VK_EXT_conditional_rendering, which an application may use.
    pub(crate) conditional: ash::ext::conditional_rendering::Device,
    pub(crate) instance: Arc<Instance>,
    families: Vec<vk::QueueFlags>,
}

impl Emulation {
    /// The kind of queue that the command buffers of a pool are for.
    pub(crate) fn queue(&self, family: u32) -> Queue {
        let flags = self.families.get(family as usize).copied().unwrap_or_default();
        if flags.contains(vk::QueueFlags::COMPUTE) { Queue::Compute } else { Queue::TransferOnly }
    }

    /// Compares what a recording's decodes did with the CPU twin, if the settings say so. The device is done with them.
    pub(crate) fn validate(&self, recording: &mut Recording) {
        let (validate, captures) = (self.instance.settings.validate, recording.take_captures());
        self.validation.check(validate, self.emulator.offer().settings(), &captures);
    }

    /// Records a command that meets emulated images. `false`: it meets none, and the driver is to be called.
    pub(crate) fn record(
        &self,
        name: &str,
        commands: vk::CommandBuffer,
        record: impl FnOnce(&mut Recording) -> Result<bool, Error>,
    ) -> bool {
        let done = self.commands.with(commands, |state: &mut CommandState| {
            match record(state.recording(&self.emulator)) {
                Ok(emulated) => emulated,
                Err(error) => {
                    state.failure = state.failure.or(Some(fail(name, &error)));
                    true
                }
            }
        });
        done.unwrap_or_else(|| {
            log::error!("{name}: the command buffer is unknown");
            true
        })
    }
}

/// Logs an error and returns what the application is told.
pub(crate) fn fail(name: &str, error: &Error) -> vk::Result {
    log::error!("{name}: {error}");
    error.vk_result()
}

/// `vkCreateDevice`.
///
/// # Safety
/// As `vkCreateDevice`, called by a loader.
pub(crate) unsafe fn create(
    physical_device: vk::PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: alive by the caller's promise.
    let Some(instance) = (unsafe { registry::instance(physical_device) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the caller's promise.
    let Some(place) = (unsafe { Place::<DeviceLink>::find(info.p_next) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let link = place.link();
    let (get_instance, get_device) = (link.get_instance_proc_addr, link.get_device_proc_addr);
    // SAFETY: the instance is alive.
    let create = unsafe { get_instance(instance.functions.handle(), c"vkCreateDevice".as_ptr()) };
    let Some(create) = create else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the name's own type.
    let create =
        unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateDevice>(create) };
    place.advance();
    let offer = instance.offer(physical_device);
    // SAFETY: the caller's promise.
    let mut amended = offer.as_ref().map(|offer| unsafe { offer.device_create_info(info) });
    let amended = amended.as_mut().map(|amended| amended.get());
    let info = amended.as_ref().unwrap_or(info);
    // SAFETY: the caller's promise; what was amended is valid for the device.
    let result = unsafe { create(physical_device, info, allocator, out) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    // SAFETY: written by the call.
    let handle = unsafe { *out };
    // SAFETY: just created.
    let key = unsafe { registry::key(handle) };
    registry::add_next(key, get_device);
    // SAFETY: just created, and the function is the next layer's.
    let next = DeviceFunctions::load(|name| unsafe { get_device(handle, name.as_ptr()) });
    let emulation = match offer {
        // SAFETY: the device was just created from `info`.
        Some(offer) => match unsafe { emulation(&instance, &offer, physical_device, handle, info) } {
            Ok(emulation) => emulation,
            Err(error) => {
                log::error!("vkCreateDevice: {error}");
                if let Some(destroy) = next.destroy_device {
                    // SAFETY: just created, and given to nobody.
                    unsafe { destroy(handle, allocator) };
                }
                registry::remove_next(key);
                return error.vk_result();
            }
        },
        None => None,
    };
    registry::add_device(key, Box::new(Device { next, get_device_proc_addr: get_device, emulation }));
    vk::Result::SUCCESS
}

/// # Safety
/// `device` was created from `info`, which is valid.
unsafe fn emulation(
    instance: &Arc<Instance>,
    offer: &Offer,
    physical_device: vk::PhysicalDevice,
    device: vk::Device,
    info: &vk::DeviceCreateInfo<'_>,
) -> Result<Option<Emulation>, Error> {
    let functions = &instance.functions;
    // SAFETY: the physical device belongs to the instance.
    let families = unsafe { functions.get_physical_device_queue_family_properties(physical_device) };
    let families: Vec<vk::QueueFlags> = families.iter().map(|family| family.queue_flags).collect();
    let mut used = Vec::new();
    for index in 0..info.queue_create_info_count as usize {
        // SAFETY: the array holds queueCreateInfoCount structures, by the caller's promise.
        let queue = unsafe { info.p_queue_create_infos.add(index) };
        // SAFETY: as above.
        used.push(unsafe { (*queue).queue_family_index });
    }
    let computes = |family: &&u32| {
        families.get(**family as usize).is_some_and(|flags| flags.contains(vk::QueueFlags::COMPUTE))
    };
    let Some(&queue_family_index) = used.iter().find(computes) else {
        log::warn!("a device without a queue that can compute is left as it is");
        return Ok(None);
    };
    // SAFETY: the physical device belongs to the instance.
    let api_version = unsafe { functions.get_physical_device_properties(physical_device) }.api_version;
    let host = HostDevice {
        get_instance_proc_addr: next_instance_proc_addr,
        instance: functions.handle(),
        physical_device,
        device,
        queue_family_index,
        // SAFETY: valid by the caller's promise.
        features: unsafe { Features::from_create_info(info, api_version.min(instance.api_version)) },
        extensions: &[],
        cache: instance.settings.cache.clone(),
    };
    // SAFETY: the handles belong together; the emulator is dropped before the device is destroyed.
    let gpu = unsafe { Gpu::borrow_host(&host) }?;
    let conditional = ash::ext::conditional_rendering::Device::new(gpu.instance(), gpu.device());
    // Families that neither draw nor compute are not offered for copies, so they never meet an image's blocks.
    let copies = |family: &u32| {
        let flags = families.get(*family as usize).copied().unwrap_or_default();
        flags.intersects(vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS)
    };
    used.retain(copies);
    let desc = EmulatorDesc { gpu: &gpu, settings: offer.settings(), queue_families: &used };
    Ok(Some(Emulation {
        commands: CommandBuffers::default(),
        emulator: Emulator::new(&desc)?,
        buffers: Buffers::default(),
        templates: Templates::default(),
        validation: Validation::default(),
        conditional,
        instance: instance.clone(),
        families,
    }))
}

/// `vkDestroyDevice`.
///
/// # Safety
/// As `vkDestroyDevice`.
pub(crate) unsafe fn destroy(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    if device.is_null() {
        return;
    }
    // SAFETY: alive by the caller's promise.
    let key = unsafe { registry::key(device) };
    let Some(state) = registry::remove_device(key) else { return };
    if let Some(emulation) = &state.emulation {
        report::write(emulation);
    }
    let destroy = state.next.destroy_device;
    // What the emulation made of the device goes before it.
    drop(state);
    registry::remove_next(key);
    if let Some(destroy) = destroy {
        // SAFETY: the caller's promise.
        unsafe { destroy(device, allocator) };
    }
}

/// The next layer's `vkGetInstanceProcAddr`, for whoever loads functions by an instance: device functions have to come from
/// the device's own chain, which the instance does not know.
unsafe extern "system" fn next_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a string by the caller's promise.
    if unsafe { CStr::from_ptr(name) } == c"vkGetDeviceProcAddr" {
        let function: vk::PFN_vkGetDeviceProcAddr = next_device_proc_addr;
        // SAFETY: function pointers have one size; the caller casts it back by its name.
        let function = unsafe {
            std::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, unsafe extern "system" fn()>(function)
        };
        return Some(function);
    }
    // SAFETY: the instance is alive by the caller's promise.
    let state = unsafe { registry::instance(instance) }?;
    // SAFETY: as above.
    unsafe { (state.get_instance_proc_addr)(instance, name) }
}

unsafe extern "system" fn next_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the device is alive by the caller's promise.
    let get = registry::next(unsafe { registry::key(device) })?;
    // SAFETY: as above.
    unsafe { get(device, name) }
}
