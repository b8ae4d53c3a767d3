//! The layer called as a loader calls it, with functions below it that the drivers here do not have: they do what the older
//! version of the command does, or answer something that can be recognized.

use crate::app::{App, Wish};
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use texemu_core::ash::vk::Handle;
use texemu_core::ash::{self, vk};

/// The extensions whose functions are here.
const MADE_UP: [&CStr; 3] =
    [ash::khr::maintenance6::NAME, ash::ext::shader_object::NAME, ash::ext::descriptor_buffer::NAME];

/// How often the functions here were called.
pub(crate) static CALLS: AtomicU32 = AtomicU32::new(0);

/// What `vkGetPhysicalDeviceExternalImageFormatPropertiesNV` answers here.
pub(crate) const EXTERNAL_LAYERS: u32 = 77;

struct Real {
    entry: ash::Entry,
    get_device: OnceLock<vk::PFN_vkGetDeviceProcAddr>,
    device: OnceLock<ash::Device>,
    push: OnceLock<ash::khr::push_descriptor::Device>,
}

static REAL: OnceLock<Real> = OnceLock::new();

fn real() -> &'static Real {
    REAL.get().expect("an instance was opened")
}

fn device() -> &'static ash::Device {
    CALLS.fetch_add(1, Ordering::Relaxed);
    real().device.get().expect("a device was opened")
}

fn push() -> &'static ash::khr::push_descriptor::Device {
    CALLS.fetch_add(1, Ordering::Relaxed);
    real().push.get().expect("a device was opened")
}

/// `VkNegotiateLayerInterface`.
#[repr(C)]
struct Interface {
    s_type: i32,
    p_next: *mut c_void,
    version: u32,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    get_physical_device_proc_addr: *mut c_void,
}

#[repr(C)]
struct InstanceLink {
    next: *mut InstanceLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_physical_device_proc_addr: *mut c_void,
}

#[repr(C)]
struct DeviceLink {
    next: *mut DeviceLink,
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// The loader's structure in a create info.
#[repr(C)]
struct Info<T> {
    s_type: vk::StructureType,
    p_next: *const c_void,
    function: i32,
    link: *mut T,
}

/// Erases a function's type.
macro_rules! erase {
    ($type:ident, $function:path) => {{
        let function: vk::$type = $function;
        // SAFETY: function pointers have one size; whoever asked by the name casts it back.
        Some(unsafe { std::mem::transmute::<vk::$type, unsafe extern "system" fn()>(function) })
    }};
}

unsafe extern "system" fn get_instance(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: a string.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkCreateInstance" => erase!(PFN_vkCreateInstance, create_instance),
        b"vkCreateDevice" => erase!(PFN_vkCreateDevice, create_device),
        b"vkGetDeviceProcAddr" => erase!(PFN_vkGetDeviceProcAddr, get_device),
        b"vkGetPhysicalDeviceExternalImageFormatPropertiesNV" => {
            erase!(PFN_vkGetPhysicalDeviceExternalImageFormatPropertiesNV, external_image)
        }
        b"vkGetPhysicalDeviceQueueFamilyProperties" if has_transfer_family() => {
            erase!(PFN_vkGetPhysicalDeviceQueueFamilyProperties, queue_families)
        }
        b"vkGetPhysicalDeviceQueueFamilyProperties2" if has_transfer_family() => {
            erase!(PFN_vkGetPhysicalDeviceQueueFamilyProperties2, queue_families2)
        }
        // SAFETY: handed on.
        _ => unsafe { (real().entry.static_fn().get_instance_proc_addr)(instance, name) },
    }
}

/// A variable that, if it is set, gives devices a queue family that can only copy.
pub(crate) const TRANSFER_FAMILY: &str = "TEXEMU_LAYER_TEST_TRANSFER_FAMILY";

fn has_transfer_family() -> bool {
    std::env::var_os(TRANSFER_FAMILY).is_some()
}

fn families(device: vk::PhysicalDevice) -> Vec<vk::QueueFamilyProperties> {
    // SAFETY: the device belongs to the instance.
    let mut families = unsafe { real_instance().get_physical_device_queue_family_properties(device) };
    let queue_flags = vk::QueueFlags::TRANSFER | vk::QueueFlags::SPARSE_BINDING;
    families.push(vk::QueueFamilyProperties { queue_flags, queue_count: 1, ..Default::default() });
    families
}

unsafe extern "system" fn queue_families(
    device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::QueueFamilyProperties,
) {
    let families = families(device);
    if !properties.is_null() {
        // SAFETY: the caller asked how many there are.
        unsafe { std::ptr::copy_nonoverlapping(families.as_ptr(), properties, families.len()) };
    }
    // SAFETY: the caller's.
    unsafe { *count = families.len() as u32 };
}

unsafe extern "system" fn queue_families2(
    device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::QueueFamilyProperties2<'_>,
) {
    let families = families(device);
    for (index, &family) in families.iter().enumerate().filter(|_| !properties.is_null()) {
        // SAFETY: the caller asked how many there are.
        let slot = unsafe { properties.add(index) };
        // SAFETY: as above.
        unsafe { (*slot).queue_family_properties = family };
    }
    // SAFETY: the caller's.
    unsafe { *count = families.len() as u32 };
}

unsafe extern "system" fn get_device(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: a string.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkGetDeviceProcAddr" => erase!(PFN_vkGetDeviceProcAddr, get_device),
        b"vkCmdBindDescriptorSets2KHR" => erase!(PFN_vkCmdBindDescriptorSets2KHR, bind_descriptor_sets2),
        b"vkCmdPushConstants2KHR" => erase!(PFN_vkCmdPushConstants2KHR, push_constants2),
        b"vkCmdPushDescriptorSet2KHR" => erase!(PFN_vkCmdPushDescriptorSet2KHR, push_descriptor_set2),
        b"vkCmdPushDescriptorSetWithTemplate2KHR" => {
            erase!(PFN_vkCmdPushDescriptorSetWithTemplate2KHR, push_descriptor_set_with_template2)
        }
        b"vkCmdBindShadersEXT" => erase!(PFN_vkCmdBindShadersEXT, bind_shaders),
        b"vkCmdBindDescriptorBuffersEXT" => {
            erase!(PFN_vkCmdBindDescriptorBuffersEXT, bind_descriptor_buffers)
        }
        b"vkCmdSetDescriptorBufferOffsetsEXT" => {
            erase!(PFN_vkCmdSetDescriptorBufferOffsetsEXT, set_descriptor_buffer_offsets)
        }
        b"vkCmdSetDescriptorBufferOffsets2EXT" => {
            erase!(PFN_vkCmdSetDescriptorBufferOffsets2EXT, set_descriptor_buffer_offsets2)
        }
        b"vkCmdBindDescriptorBufferEmbeddedSamplersEXT" => {
            erase!(PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT, bind_embedded_samplers)
        }
        b"vkCmdBindDescriptorBufferEmbeddedSamplers2EXT" => {
            erase!(PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT, bind_embedded_samplers2)
        }
        // SAFETY: handed on.
        _ => unsafe { real().get_device.get().expect("opened")(device, name) },
    }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the layer's structure is valid.
    let mut info = unsafe { *info };
    // The link that this file put there, and nothing behind it.
    info.p_next = std::ptr::null();
    // SAFETY: valid.
    let instance = unsafe { real().entry.create_instance(&info, None) }.expect("an instance");
    let name = c"vkGetDeviceProcAddr".as_ptr();
    // SAFETY: the instance is alive.
    let get = unsafe { (real().entry.static_fn().get_instance_proc_addr)(instance.handle(), name) };
    let get = get.expect("every instance has it");
    // SAFETY: the name's own type.
    let get = unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkGetDeviceProcAddr>(get) };
    let _ = real().get_device.set(get);
    // SAFETY: the layer's.
    unsafe { *out = instance.handle() };
    vk::Result::SUCCESS
}

unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    let get = real().entry.static_fn().get_instance_proc_addr;
    // SAFETY: the layer's structure is valid.
    let mut info = unsafe { *info };
    let first: *const Info<DeviceLink> = info.p_next.cast();
    // SAFETY: the layer hands the chain on as it came.
    let link = unsafe { &*first };
    assert_eq!(link.s_type, vk::StructureType::LOADER_DEVICE_CREATE_INFO);
    info.p_next = link.p_next;
    // SAFETY: valid.
    let names = unsafe {
        std::slice::from_raw_parts(info.pp_enabled_extension_names, info.enabled_extension_count as usize)
    };
    // What is done in this file is no extension of the driver's.
    let mut names: Vec<*const c_char> = names
        .iter()
        .copied()
        // SAFETY: strings.
        .filter(|&name| !MADE_UP.contains(&unsafe { CStr::from_ptr(name) }))
        .collect();
    // As Vulkan 1.4 has it, for whoever does not ask.
    // SAFETY: the device belongs to the instance.
    let known = unsafe { real_instance().enumerate_device_extension_properties(physical_device) };
    let push = ash::khr::push_descriptor::NAME;
    let has = known.expect("extensions").iter().any(|one| one.extension_name_as_c_str() == Ok(push));
    // SAFETY: strings.
    if has && !names.iter().any(|&name| unsafe { CStr::from_ptr(name) } == push) {
        names.push(push.as_ptr());
    }
    let info = info.enabled_extension_names(&names);
    // SAFETY: the loader knows the instance of its own device; the function is looked up for it.
    let create = unsafe { get(INSTANCE.get().expect("opened").0, c"vkCreateDevice".as_ptr()) };
    // SAFETY: the name's own type.
    let create = unsafe { std::mem::transmute::<vk::PFN_vkVoidFunction, vk::PFN_vkCreateDevice>(create) };
    // SAFETY: valid.
    let result = unsafe { create(physical_device, &info, std::ptr::null(), out) };
    if result == vk::Result::SUCCESS {
        let instance = real_instance();
        // SAFETY: written by the call.
        let handle = unsafe { *out };
        // SAFETY: just created.
        let device = unsafe { ash::Device::load(instance.fp_v1_0(), handle) };
        let _ = real().push.set(ash::khr::push_descriptor::Device::new(&instance, &device));
        let _ = real().device.set(device);
    }
    result
}

struct Opened(vk::Instance);

static INSTANCE: OnceLock<Opened> = OnceLock::new();

/// The instance without the layer.
pub(crate) fn real_instance() -> ash::Instance {
    let handle = INSTANCE.get().expect("opened").0;
    // SAFETY: the instance is alive.
    unsafe { ash::Instance::load(real().entry.static_fn(), handle) }
}

unsafe extern "system" fn external_image(
    _: vk::PhysicalDevice,
    _: vk::Format,
    _: vk::ImageType,
    _: vk::ImageTiling,
    _: vk::ImageUsageFlags,
    _: vk::ImageCreateFlags,
    _: vk::ExternalMemoryHandleTypeFlagsNV,
    properties: *mut vk::ExternalImageFormatPropertiesNV,
) -> vk::Result {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller's.
    unsafe { (*properties).image_format_properties.max_array_layers = EXTERNAL_LAYERS };
    vk::Result::SUCCESS
}

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

unsafe extern "system" fn bind_descriptor_sets2(
    commands: vk::CommandBuffer,
    info: *const vk::BindDescriptorSetsInfoKHR<'_>,
) {
    // SAFETY: the application's structure is valid.
    let info = unsafe { &*info };
    // SAFETY: as above.
    let sets =
        unsafe { std::slice::from_raw_parts(info.p_descriptor_sets, info.descriptor_set_count as usize) };
    // SAFETY: as above.
    let offsets =
        unsafe { std::slice::from_raw_parts(info.p_dynamic_offsets, info.dynamic_offset_count as usize) };
    // SAFETY: as above.
    unsafe {
        device().cmd_bind_descriptor_sets(commands, COMPUTE, info.layout, info.first_set, sets, offsets)
    };
}

unsafe extern "system" fn push_constants2(
    commands: vk::CommandBuffer,
    info: *const vk::PushConstantsInfoKHR<'_>,
) {
    // SAFETY: the application's structure is valid.
    let info = unsafe { &*info };
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(info.p_values.cast::<u8>(), info.size as usize) };
    // SAFETY: as above.
    unsafe { device().cmd_push_constants(commands, info.layout, info.stage_flags, info.offset, bytes) };
}

unsafe extern "system" fn push_descriptor_set2(
    commands: vk::CommandBuffer,
    info: *const vk::PushDescriptorSetInfoKHR<'_>,
) {
    // SAFETY: the application's structure is valid.
    let info = unsafe { &*info };
    // SAFETY: as above.
    let writes =
        unsafe { std::slice::from_raw_parts(info.p_descriptor_writes, info.descriptor_write_count as usize) };
    // SAFETY: as above.
    unsafe { push().cmd_push_descriptor_set(commands, COMPUTE, info.layout, info.set, writes) };
}

unsafe extern "system" fn push_descriptor_set_with_template2(
    commands: vk::CommandBuffer,
    info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
) {
    // SAFETY: the application's structure is valid.
    let info = unsafe { &*info };
    let (template, layout) = (info.descriptor_update_template, info.layout);
    // SAFETY: as above.
    unsafe {
        push().cmd_push_descriptor_set_with_template(commands, template, layout, info.set, info.p_data)
    };
}

/// Shader objects are pipelines here.
unsafe extern "system" fn bind_shaders(
    commands: vk::CommandBuffer,
    count: u32,
    stages: *const vk::ShaderStageFlags,
    shaders: *const vk::ShaderEXT,
) {
    // SAFETY: the application's arrays are valid.
    let stages = unsafe { std::slice::from_raw_parts(stages, count as usize) };
    // SAFETY: as above.
    let shaders = unsafe { std::slice::from_raw_parts(shaders, count as usize) };
    for (_, shader) in
        stages.iter().zip(shaders).filter(|(stage, _)| **stage == vk::ShaderStageFlags::COMPUTE)
    {
        let pipeline = vk::Pipeline::from_raw(shader.as_raw());
        // SAFETY: the tests hand over the handle of one.
        unsafe { device().cmd_bind_pipeline(commands, COMPUTE, pipeline) };
    }
}

/// The set that descriptor buffers stand for here.
pub(crate) static DESCRIPTORS: AtomicU64 = AtomicU64::new(0);

unsafe extern "system" fn bind_descriptor_buffers(
    _: vk::CommandBuffer,
    _: u32,
    _: *const vk::DescriptorBufferBindingInfoEXT<'_>,
) {
    CALLS.fetch_add(1, Ordering::Relaxed);
}

/// The halves of an offset are two dynamic offsets of the set.
unsafe extern "system" fn set_descriptor_buffer_offsets(
    commands: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first: u32,
    _: u32,
    _: *const u32,
    offsets: *const vk::DeviceSize,
) {
    // SAFETY: the application's array has one.
    let offset = unsafe { *offsets };
    let offsets = [offset as u32, (offset >> 32) as u32];
    let sets = [vk::DescriptorSet::from_raw(DESCRIPTORS.load(Ordering::Relaxed))];
    // SAFETY: the tests name a set of this layout.
    unsafe { device().cmd_bind_descriptor_sets(commands, point, layout, first, &sets, &offsets) };
}

unsafe extern "system" fn set_descriptor_buffer_offsets2(
    commands: vk::CommandBuffer,
    info: *const vk::SetDescriptorBufferOffsetsInfoEXT<'_>,
) {
    // SAFETY: the application's structure is valid.
    let info = unsafe { &*info };
    let (layout, first, buffers) = (info.layout, info.first_set, info.p_buffer_indices);
    // SAFETY: as above.
    unsafe { set_descriptor_buffer_offsets(commands, COMPUTE, layout, first, 1, buffers, info.p_offsets) };
}

unsafe extern "system" fn bind_embedded_samplers(
    commands: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
) {
    let offset = u64::from(SAMPLERS[0]) | (u64::from(SAMPLERS[1]) << 32);
    // SAFETY: as for the offsets.
    unsafe {
        set_descriptor_buffer_offsets(commands, point, layout, set, 1, std::ptr::null(), &raw const offset);
    }
}

unsafe extern "system" fn bind_embedded_samplers2(
    commands: vk::CommandBuffer,
    info: *const vk::BindDescriptorBufferEmbeddedSamplersInfoEXT<'_>,
) {
    // SAFETY: the application's structure is valid.
    let info = unsafe { &*info };
    // SAFETY: as above.
    unsafe { bind_embedded_samplers(commands, COMPUTE, info.layout, info.set) };
}

/// The dynamic offsets that embedded samplers stand for here.
pub(crate) const SAMPLERS: [u32; 2] = [3 * 4096, 2 * 4096];

/// The layer, on top of this file.
pub(crate) struct Layer {
    get_instance: vk::PFN_vkGetInstanceProcAddr,
    get_device: vk::PFN_vkGetDeviceProcAddr,
    pub(crate) instance: ash::Instance,
    pub(crate) physical_device: vk::PhysicalDevice,
    entry: ash::Entry,
}

impl Layer {
    pub(crate) fn new() -> Self {
        // SAFETY: the library is a Vulkan loader.
        let entry = unsafe { ash::Entry::load() }.expect("a loader");
        let (get_device, push) = (OnceLock::new(), OnceLock::new());
        let _ = REAL.set(Real { entry: entry.clone(), get_device, device: OnceLock::new(), push });
        let mut interface = Interface {
            s_type: 1,
            p_next: std::ptr::null_mut(),
            version: 2,
            get_instance_proc_addr: None,
            get_device_proc_addr: None,
            get_physical_device_proc_addr: std::ptr::null_mut(),
        };
        // SAFETY: the structure is the interface's.
        let result =
            unsafe { VkLayer_texemu::vkNegotiateLoaderLayerInterfaceVersion((&raw mut interface).cast()) };
        assert_eq!(result, vk::Result::SUCCESS);
        let get_instance = interface.get_instance_proc_addr.expect("negotiated");
        let mut link = InstanceLink {
            next: std::ptr::null_mut(),
            get_instance_proc_addr: self::get_instance,
            get_physical_device_proc_addr: std::ptr::null_mut(),
        };
        let mut chained = Info {
            s_type: vk::StructureType::LOADER_INSTANCE_CREATE_INFO,
            p_next: std::ptr::null(),
            function: 0,
            link: &raw mut link,
        };
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let extensions = [ash::khr::get_physical_device_properties2::NAME.as_ptr()];
        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&extensions);
        info.p_next = (&raw mut chained).cast_const().cast();
        // SAFETY: the layer answers for it without an instance.
        let create = unsafe { get_instance(vk::Instance::null(), c"vkCreateInstance".as_ptr()) };
        // SAFETY: the name's own type.
        let create =
            unsafe { std::mem::transmute::<vk::PFN_vkVoidFunction, vk::PFN_vkCreateInstance>(create) };
        let mut handle = vk::Instance::null();
        // SAFETY: valid, for a layer.
        let result = unsafe { create(&info, std::ptr::null(), &raw mut handle) };
        assert_eq!(result, vk::Result::SUCCESS);
        let _ = INSTANCE.set(Opened(handle));
        // SAFETY: the functions are the layer's.
        let instance =
            unsafe { ash::Instance::load(&ash::StaticFn { get_instance_proc_addr: get_instance }, handle) };
        // SAFETY: the instance is alive.
        let physical_device = unsafe { instance.enumerate_physical_devices() }.expect("devices")[0];
        let get_device = interface.get_device_proc_addr.expect("negotiated");
        Self { get_instance, get_device, instance, physical_device, entry }
    }

    /// Whether the device has an extension.
    pub(crate) fn has(&self, name: &CStr) -> bool {
        // SAFETY: the device belongs to the instance.
        let all = unsafe { self.instance.enumerate_device_extension_properties(self.physical_device) };
        all.expect("extensions").iter().any(|one| one.extension_name_as_c_str() == Ok(name))
    }

    /// A function of the instance, by its name.
    pub(crate) fn instance_function(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the instance is alive.
        unsafe { (self.get_instance)(self.instance.handle(), name.as_ptr()) }
    }

    /// The functions of a device by their names: the layer's, and those below it.
    pub(crate) fn device_functions(&self, device: &ash::Device, name: &CStr) -> [vk::PFN_vkVoidFunction; 2] {
        // SAFETY: the device is alive.
        let own = unsafe { (self.get_device)(device.handle(), name.as_ptr()) };
        // SAFETY: as above.
        [own, unsafe { get_device(device.handle(), name.as_ptr()) }]
    }

    /// An application's device.
    pub(crate) fn app(&self, wish: &Wish<'_>) -> App {
        let create = |info: &vk::DeviceCreateInfo<'_>| {
            let mut link = DeviceLink {
                next: std::ptr::null_mut(),
                get_instance_proc_addr: get_instance,
                get_device_proc_addr: get_device,
            };
            let mut chained = Info {
                s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
                p_next: info.p_next,
                function: 0,
                link: &raw mut link,
            };
            let mut info = *info;
            info.p_next = (&raw mut chained).cast_const().cast();
            // SAFETY: valid, for a layer.
            unsafe { self.instance.create_device(self.physical_device, &info, None) }.expect("a device")
        };
        let (entry, instance) = (self.entry.clone(), self.instance.clone());
        App::with(entry, self.get_instance, instance, self.physical_device, wish, create)
    }
}
