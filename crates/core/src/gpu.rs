//! The device: opened here, or borrowed from a host.

use crate::cache::{CacheLocation, PipelineCache};
use crate::capabilities::{Capabilities, DeviceInfo};
use crate::error::{Context, Error, Result};
use crate::features::{EXECUTABLE_PROPERTIES, EXPLICIT_LAYOUT, FeatureChain, Features, PUSH_DESCRIPTOR};
use crate::instance::OwnedInstance;
use crate::validation::{Validation, ValidationLog};
use ash::{Entry, vk};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};
use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which device to open.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Select {
    /// The first discrete one, else integrated, else virtual, else a CPU.
    #[default]
    Best,
    /// By place in [`crate::list_devices`].
    Index(usize),
    /// By a part of its name, upper or lower case.
    Name(String),
    /// By `deviceUUID`.
    Uuid([u8; 16]),
}

impl std::fmt::Display for Select {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Best => f.write_str("what it takes"),
            Self::Index(index) => write!(f, "the number {index}"),
            Self::Name(name) => write!(f, "{name:?} in its name"),
            Self::Uuid(uuid) => write!(f, "the UUID {:032x}", u128::from_be_bytes(*uuid)),
        }
    }
}

impl Select {
    /// Reads what a user writes: a number, 8-4-4-4-12 hexadecimal digits, or a part of a name. Never fails: what is
    /// neither of the first two is a name.
    pub fn parse(text: &str) -> Self {
        if let Ok(index) = text.parse() {
            return Self::Index(index);
        }
        let digits: String = text.chars().filter(|&c| c != '-').collect();
        match u128::from_str_radix(&digits, 16) {
            Ok(value) if digits.len() == 32 => Self::Uuid(value.to_be_bytes()),
            _ => Self::Name(text.to_owned()),
        }
    }

    fn find(&self, devices: &[(vk::PhysicalDevice, DeviceInfo)]) -> Option<usize> {
        match self {
            Self::Best => (0..devices.len()).min_by_key(|&index| match devices[index].1.kind {
                vk::PhysicalDeviceType::DISCRETE_GPU => 0,
                vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
                vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
                _ => 3,
            }),
            Self::Index(index) => (*index < devices.len()).then_some(*index),
            Self::Name(part) => {
                let part = part.to_lowercase();
                devices.iter().position(|(_, info)| info.name.to_lowercase().contains(&part))
            }
            Self::Uuid(uuid) => devices.iter().position(|(_, info)| info.uuid == *uuid),
        }
    }
}

/// How to open a device of one's own.
#[derive(Clone, Debug, Default)]
pub struct GpuDesc {
    /// Which one.
    pub select: Select,
    /// Whether validation layers watch.
    pub validation: Validation,
    /// Where compiled pipelines are kept between runs.
    pub cache: CacheLocation,
    /// Ignore optional features, to run what the weakest device would.
    pub baseline: bool,
}

/// A host's device. Everything here must outlive the [`Gpu`] and all that is made from it.
#[derive(Clone)]
pub struct HostDevice<'a> {
    /// `vkGetInstanceProcAddr` of the loader or layer that made the instance.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The instance; Vulkan 1.1 or later.
    pub instance: vk::Instance,
    /// The physical device.
    pub physical_device: vk::PhysicalDevice,
    /// The device.
    pub device: vk::Device,
    /// The family of the queues that recorded command buffers go to; it must support compute.
    pub queue_family_index: u32,
    /// What the device was created with; [`Features::from_create_info`] reads it out of the create info.
    pub features: Features,
    /// The device extensions that were enabled.
    pub extensions: &'a [&'a CStr],
    /// Where compiled pipelines are kept between runs.
    pub cache: CacheLocation,
}

/// A Vulkan device, shared by everything made from it. Clones are the same device.
#[derive(Clone)]
pub struct Gpu(Arc<Inner>);

struct Inner {
    // Fields that hold Vulkan objects are taken apart in Drop, in the order written there.
    instance: ash::Instance,
    physical_device: vk::PhysicalDevice,
    device: ash::Device,
    queue_family: u32,
    capabilities: Capabilities,
    features: Features,
    push_descriptor: Option<ash::khr::push_descriptor::Device>,
    executables: Option<ash::khr::pipeline_executable_properties::Device>,
    debug: Option<ash::ext::debug_utils::Device>,
    allocator: Mutex<Option<Allocator>>,
    cache: PipelineCache,
    /// Set for owned devices only.
    queue: Option<Mutex<vk::Queue>>,
    owned: Option<OwnedInstance>,
}

/// Extensions that a device of one's own must be opened with, for what this crate does not do itself: surfaces and swapchains.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extensions<'a> {
    /// Of the instance.
    pub instance: &'a [&'a CStr],
    /// Of the device.
    pub device: &'a [&'a CStr],
}

impl Gpu {
    /// Opens a device of its own: instance, device and one queue, without a surface.
    pub fn open(desc: &GpuDesc) -> Result<Self> {
        Self::open_with(desc, &Extensions::default())
    }

    /// As [`Gpu::open`], with more extensions; an error if one of them is not there.
    pub fn open_with(desc: &GpuDesc, extensions: &Extensions<'_>) -> Result<Self> {
        let owned = OwnedInstance::with_extensions(desc.validation, extensions.instance)?;
        let devices = owned.physical_devices()?;
        if devices.is_empty() {
            return Err(Error::NoDevice(
                "no Vulkan device: install a driver (Debian: mesa-vulkan-drivers), or set VK_ICD_FILENAMES"
                    .into(),
            ));
        }
        let names =
            || devices.iter().map(|(_, info)| format!("{}: {}", info.index, info.name)).collect::<Vec<_>>();
        let index = desc.select.find(&devices).ok_or_else(|| {
            Error::NoDevice(format!("no device has {}; there are {}", desc.select, names().join(", ")))
        })?;
        let (physical_device, info) = devices[index].clone();
        if info.api_version < vk::API_VERSION_1_1 {
            return Err(Error::NoDevice(format!("{} implements Vulkan 1.0 only; 1.1 is needed", info.name)));
        }
        let instance = owned.instance.clone();
        let queue_family = choose_queue_family(&instance, physical_device)
            .ok_or_else(|| Error::NoDevice(format!("{} has no queue family with compute", info.name)))?;
        let api_version = owned.api_version.min(info.api_version);
        let (device, features) = create_device(
            &instance,
            physical_device,
            queue_family,
            api_version,
            desc.baseline,
            extensions.device,
        )?;
        // SAFETY: the family was created with one queue.
        let queue = unsafe { device.get_device_queue(queue_family, 0) };
        let debug = owned.debug.as_ref().map(|_| ash::ext::debug_utils::Device::new(&instance, &device));
        let capabilities = Capabilities::query(&instance, physical_device, queue_family, info);
        Self::assemble(Parts {
            instance,
            physical_device,
            device,
            queue_family,
            capabilities,
            features,
            debug,
            cache: desc.cache.clone(),
            queue: Some(Mutex::new(queue)),
            owned: Some(owned),
        })
    }

    /// Builds on a host's device. Nothing of the host's is destroyed, submitted to or waited for.
    ///
    /// # Safety
    /// - The handles belong together, and outlive the `Gpu` and everything made from it.
    /// - `features` and `extensions` claim nothing that the device was not created with.
    /// - The device implements Vulkan 1.1, and `queue_family_index` was among its create info's queues.
    pub unsafe fn borrow_host(host: &HostDevice<'_>) -> Result<Self> {
        let static_fn = ash::StaticFn { get_instance_proc_addr: host.get_instance_proc_addr };
        // SAFETY: the function pointer and the instance are valid by the caller's promise.
        let instance = unsafe { ash::Instance::load(&static_fn, host.instance) };
        // SAFETY: the device belongs to the instance by the caller's promise.
        let device = unsafe { ash::Device::load(instance.fp_v1_0(), host.device) };
        let info = DeviceInfo::query(&instance, host.physical_device, 0);
        let capabilities =
            Capabilities::query(&instance, host.physical_device, host.queue_family_index, info);
        let mut features = host.features;
        for &name in host.extensions {
            features.add_extension(name);
        }
        Self::assemble(Parts {
            instance,
            physical_device: host.physical_device,
            device,
            queue_family: host.queue_family_index,
            capabilities,
            features,
            debug: None,
            cache: host.cache.clone(),
            queue: None,
            owned: None,
        })
    }

    fn assemble(parts: Parts) -> Result<Self> {
        let Parts { instance, physical_device, device, queue_family, capabilities, features, .. } = parts;
        let cache = PipelineCache::load(&device, &capabilities.info, &parts.cache)?;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.clone(),
            device: device.clone(),
            physical_device,
            debug_settings: AllocatorDebugSettings::default(),
            buffer_device_address: false,
            allocation_sizes: AllocationSizes::new(8 << 20, 8 << 20),
        })
        .map_err(|source| Error::Allocation { what: "the allocator".into(), source })?;
        let push_descriptor =
            features.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(&instance, &device));
        let executables = features
            .pipeline_executable_info
            .then(|| ash::khr::pipeline_executable_properties::Device::new(&instance, &device));
        Ok(Self(Arc::new(Inner {
            instance,
            physical_device,
            device,
            queue_family,
            capabilities,
            features,
            push_descriptor,
            executables,
            debug: parts.debug,
            allocator: Mutex::new(Some(allocator)),
            cache,
            queue: parts.queue,
            owned: parts.owned,
        })))
    }

    /// The loaded device functions.
    pub fn device(&self) -> &ash::Device {
        &self.0.device
    }

    /// The loaded instance functions.
    pub fn instance(&self) -> &ash::Instance {
        &self.0.instance
    }

    /// The physical device.
    pub fn physical_device(&self) -> vk::PhysicalDevice {
        self.0.physical_device
    }

    /// The queue family that command buffers are recorded for.
    pub fn queue_family(&self) -> u32 {
        self.0.queue_family
    }

    /// What the device can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    /// What the device was created with.
    pub fn features(&self) -> &Features {
        &self.0.features
    }

    /// The loader that an owned device came from.
    pub fn entry(&self) -> Option<&Entry> {
        self.0.owned.as_ref().map(|owned| &owned.entry)
    }

    /// What the validation layers said; empty and silent on a borrowed device.
    pub fn validation_log(&self) -> ValidationLog {
        self.0.owned.as_ref().map(|owned| owned.log.clone()).unwrap_or_default()
    }

    /// Writes the pipeline cache to its file now; dropping the last clone does so too.
    pub fn save_pipeline_cache(&self) {
        self.0.cache.save(&self.0.device);
    }

    /// Gives `object` a name that debuggers and validation layers show.
    pub fn name<T: vk::Handle>(&self, object: T, name: &str) {
        let (Some(debug), Ok(name)) = (&self.0.debug, CString::new(name)) else { return };
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(&name);
        // SAFETY: the object is alive: its maker names it right after creation.
        if let Err(result) = unsafe { debug.set_debug_utils_object_name(&info) } {
            log::debug!("vkSetDebugUtilsObjectNameEXT: {result}");
        }
    }

    pub(crate) fn pipeline_cache(&self) -> vk::PipelineCache {
        self.0.cache.handle()
    }

    /// The functions of VK_KHR_push_descriptor, if the device was created with it.
    pub fn push_descriptor(&self) -> Option<&ash::khr::push_descriptor::Device> {
        self.0.push_descriptor.as_ref()
    }

    pub(crate) fn executables(&self) -> Option<&ash::khr::pipeline_executable_properties::Device> {
        self.0.executables.as_ref()
    }

    /// The queue of an owned device, locked: `vkQueueSubmit` needs external synchronization.
    pub fn queue(&self) -> Result<MutexGuard<'_, vk::Queue>> {
        let queue = self.0.queue.as_ref().ok_or(Error::NoQueue)?;
        Ok(queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn with_allocator<T>(&self, run: impl FnOnce(&mut Allocator) -> T) -> T {
        let mut guard = self.0.allocator.lock().unwrap_or_else(PoisonError::into_inner);
        run(guard.as_mut().expect("the allocator is taken only when the last clone is dropped"))
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu")
            .field("name", &self.0.capabilities.info.name)
            .field("owned", &self.0.owned.is_some())
            .finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.owned.is_some() {
            // SAFETY: the device is alive; all work was submitted by this process's own threads, which are done.
            if let Err(result) = unsafe { self.device.device_wait_idle() } {
                log::warn!("vkDeviceWaitIdle: {result}");
            }
        }
        drop(self.allocator.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        self.cache.save(&self.device);
        self.cache.destroy(&self.device);
        if self.owned.is_some() {
            // SAFETY: everything made from the device held a clone of the `Gpu`, so all of it is destroyed.
            unsafe { self.device.destroy_device(None) };
        }
    }
}

struct Parts {
    instance: ash::Instance,
    physical_device: vk::PhysicalDevice,
    device: ash::Device,
    queue_family: u32,
    capabilities: Capabilities,
    features: Features,
    debug: Option<ash::ext::debug_utils::Device>,
    cache: CacheLocation,
    queue: Option<Mutex<vk::Queue>>,
    owned: Option<OwnedInstance>,
}

/// A family with compute; one with graphics too if there is one, so that tests can draw.
fn choose_queue_family(instance: &ash::Instance, device: vk::PhysicalDevice) -> Option<u32> {
    // SAFETY: the device belongs to the instance.
    let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
    let with = |flags: vk::QueueFlags| families.iter().position(|family| family.queue_flags.contains(flags));
    let index = with(vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS).or(with(vk::QueueFlags::COMPUTE))?;
    u32::try_from(index).ok()
}

fn create_device(
    instance: &ash::Instance,
    physical_device: vk::PhysicalDevice,
    queue_family: u32,
    api_version: u32,
    baseline: bool,
    wanted: &[&CStr],
) -> Result<(ash::Device, Features)> {
    // SAFETY: the device belongs to the instance.
    let available = unsafe { instance.enumerate_device_extension_properties(physical_device) }
        .call("vkEnumerateDeviceExtensionProperties")?;
    let has = |name: &CStr| {
        !baseline && available.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name))
    };
    let api_version = if baseline { vk::API_VERSION_1_1 } else { api_version };
    let mut chain = Box::<FeatureChain>::default();
    let head = chain.link(api_version, has);
    // SAFETY: `head` starts a chain of structures inside `chain`, each known to this device.
    let head = unsafe { &mut *head };
    // SAFETY: as above.
    unsafe { instance.get_physical_device_features2(physical_device, head) };
    if baseline {
        head.features = vk::PhysicalDeviceFeatures::default();
    }
    // Costs on every buffer access, and no kernel relies on it.
    head.features.robust_buffer_access = vk::FALSE;

    let optional = [
        PUSH_DESCRIPTOR,
        EXPLICIT_LAYOUT,
        EXECUTABLE_PROPERTIES,
        ash::khr::shader_float16_int8::NAME,
        ash::khr::vulkan_memory_model::NAME,
        ash::ext::subgroup_size_control::NAME,
        ash::khr::shader_float_controls::NAME,
        ash::khr::spirv_1_4::NAME,
    ];
    let optional = optional.into_iter().filter(|&name| has(name));
    let extensions: Vec<_> = optional.chain(wanted.iter().copied()).map(CStr::as_ptr).collect();
    let priorities = [1.0];
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&priorities)];
    let mut info =
        vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
    info.p_next = std::ptr::from_ref(head).cast();
    // SAFETY: every structure and name lives until the end of this function.
    let device = unsafe { instance.create_device(physical_device, &info, None) }.call("vkCreateDevice")?;
    // SAFETY: the same structure, still alive.
    let features = unsafe { Features::from_create_info(&info, api_version) };
    Ok((device, features))
}
