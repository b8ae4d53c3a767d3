//! The host's device.

use crate::pointer::{get, get_mut, give, take};
use crate::status::{Answer, Failure, guard, guarded};
use crate::versioned::{Versioned, read};
use std::ffi::{CStr, c_char};
use texemu_core::{CacheLocation, Features, Gpu, HostDevice, vk};

/// `PFN_vkGetInstanceProcAddr`, which C may hand over as null.
pub type PFN_vkGetInstanceProcAddr = Option<vk::PFN_vkGetInstanceProcAddr>;

/// A host's device, borrowed. Reference-counted inside: the objects made from it keep what they need, so handles may be destroyed
/// in any order, all of them before the `VkDevice`.
pub struct texemu_gpu(pub(crate) Gpu);

/// What a host tells of its device. Zero what is not needed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_host_device {
    /// `sizeof(texemu_host_device)`.
    pub struct_size: u32,
    /// The family of the queues that command buffers go to; it must support compute.
    pub queue_family_index: u32,
    /// Of the loader or layer that made the instance.
    pub get_instance_proc_addr: PFN_vkGetInstanceProcAddr,
    /// Of Vulkan 1.1 or later.
    pub instance: vk::Instance,
    /// The one that `device` was made from.
    pub physical_device: vk::PhysicalDevice,
    /// The device.
    pub device: vk::Device,
    /// What the device was created with, as `vkCreateDevice` got it; read during the call alone. Kernels use features and
    /// extensions that were enabled there, and no others; without the structure, none.
    pub device_create_info: *const vk::DeviceCreateInfo<'static>,
    /// The lower of what the application asked for and what the device implements; 0 means Vulkan 1.1.
    pub api_version: u32,
    /// Zero.
    pub reserved: u32,
    /// The folder in which compiled pipelines are kept between runs. Null: the user's cache (`TEXEMU_CACHE_DIR`, else
    /// `XDG_CACHE_HOME/texemu`, else `~/.cache/texemu`). Empty: nowhere.
    pub cache_directory: *const c_char,
}

// SAFETY: integers, handles and pointers that may be null, the size first.
unsafe impl Versioned for texemu_host_device {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Builds on a host's device. Nothing of the host's is destroyed, submitted to or waited for, now or later.
///
/// # Safety
/// - The handles in `host` belong together, and outlive everything made from the `texemu_gpu`.
/// - `device_create_info` is null or what the device was created with, chain and all.
/// - `queue_family_index` was among the queues that the device was created with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_gpu_borrow(
    host: *const texemu_host_device,
    gpu: *mut *mut texemu_gpu,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let host = unsafe { read(host, "host") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(gpu, "gpu") }?;
        let Some(get_instance_proc_addr) = host.get_instance_proc_addr else {
            return Err(Failure::argument("get_instance_proc_addr is null"));
        };
        if host.instance == vk::Instance::null()
            || host.physical_device == vk::PhysicalDevice::null()
            || host.device == vk::Device::null()
        {
            return Err(Failure::argument(
                "instance, physical_device and device are needed, and one is null",
            ));
        }
        let api_version = if host.api_version == 0 { vk::API_VERSION_1_1 } else { host.api_version };
        // SAFETY: null or valid by the caller's promise.
        let features = match unsafe { host.device_create_info.as_ref() } {
            // SAFETY: as above.
            Some(info) => unsafe { Features::from_create_info(info, api_version) },
            None => Features::default(),
        };
        // SAFETY: as above.
        let cache = unsafe { cache_location(host.cache_directory) }?;
        let desc = HostDevice {
            get_instance_proc_addr,
            instance: host.instance,
            physical_device: host.physical_device,
            device: host.device,
            queue_family_index: host.queue_family_index,
            features,
            extensions: &[],
            cache,
        };
        // SAFETY: the caller's promise.
        let borrowed = unsafe { Gpu::borrow_host(&desc) }?;
        Ok(give(slot, texemu_gpu(borrowed)))
    })
}

/// # Safety
/// `directory` is null or a string.
unsafe fn cache_location(directory: *const c_char) -> Result<CacheLocation, Failure> {
    if directory.is_null() {
        return Ok(CacheLocation::User);
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(directory) };
    let text = text.to_str().map_err(|_| Failure::argument("cache_directory is not UTF-8"))?;
    Ok(if text.is_empty() { CacheLocation::Off } else { CacheLocation::Directory(text.into()) })
}

/// Gives a borrowed device back; null is ignored. The last object made from it writes the pipeline cache.
///
/// # Safety
/// `gpu` is null or from `texemu_gpu_borrow`, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_gpu_destroy(gpu: *mut texemu_gpu) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(gpu) }));
}

/// Writes the pipeline cache to its folder now.
///
/// # Safety
/// `gpu` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_gpu_save_pipeline_cache(gpu: *const texemu_gpu) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let gpu = unsafe { get(gpu, "gpu") }?;
        gpu.0.save_pipeline_cache();
        Ok(Answer::Done)
    })
}
