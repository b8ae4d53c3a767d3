//! Instances and devices by the pointer that the loader keeps at the start of every dispatchable handle.

use crate::device::Device;
use crate::instance::Instance;
use ash::vk;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

type Map<T> = LazyLock<RwLock<HashMap<usize, T>>>;

static INSTANCES: Map<Arc<Instance>> = LazyLock::new(RwLock::default);
static DEVICES: Map<Box<Device>> = LazyLock::new(RwLock::default);
static NEXT_DEVICE_FUNCTIONS: Map<vk::PFN_vkGetDeviceProcAddr> = LazyLock::new(RwLock::default);

/// Counts removed devices: what threads remember from before a removal is not trusted.
static EPOCH: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The device that this thread called last: its key, the epoch, its address.
    static LAST: Cell<(usize, u64, *const Device)> = const { Cell::new((0, 0, std::ptr::null())) };
}

/// The loader's pointer: one value for an instance and its physical devices, one for a device, its queues and command
/// buffers.
///
/// # Safety
/// `handle` is a dispatchable handle that is alive.
pub(crate) unsafe fn key(handle: impl vk::Handle) -> usize {
    let address: *const usize = std::ptr::with_exposed_provenance(handle.as_raw() as usize);
    // SAFETY: every dispatchable handle points to the loader's pointer first.
    unsafe { *address }
}

/// # Safety
/// As [`key`].
pub(crate) unsafe fn instance(handle: impl vk::Handle) -> Option<Arc<Instance>> {
    // SAFETY: the caller's promise.
    let key = unsafe { key(handle) };
    INSTANCES.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
}

pub(crate) fn add_instance(key: usize, instance: Arc<Instance>) {
    INSTANCES.write().unwrap_or_else(PoisonError::into_inner).insert(key, instance);
}

pub(crate) fn remove_instance(key: usize) -> Option<Arc<Instance>> {
    INSTANCES.write().unwrap_or_else(PoisonError::into_inner).remove(&key)
}

/// The device of a device, queue or command buffer. A thread that keeps calling one device takes no lock.
///
/// # Safety
/// As [`key`]. The reference is not used once the device is being destroyed, which Vulkan asks of the call that it is for:
/// `vkDestroyDevice` is externally synchronized with everything else on the device.
pub(crate) unsafe fn device<'a>(handle: impl vk::Handle) -> Option<&'a Device> {
    // SAFETY: the caller's promise.
    let key = unsafe { key(handle) };
    let epoch = EPOCH.load(Ordering::Acquire);
    let (last, at, mut address) = LAST.get();
    if (last, at) != (key, epoch) {
        let devices = DEVICES.read().unwrap_or_else(PoisonError::into_inner);
        address = &raw const **devices.get(&key)?;
        LAST.set((key, epoch, address));
    }
    // SAFETY: the box lives until the device is removed, which changes the epoch and comes after this call.
    unsafe { address.as_ref() }
}

pub(crate) fn add_device(key: usize, device: Box<Device>) {
    DEVICES.write().unwrap_or_else(PoisonError::into_inner).insert(key, device);
}

pub(crate) fn remove_device(key: usize) -> Option<Box<Device>> {
    let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    EPOCH.fetch_add(1, Ordering::AcqRel);
    devices.remove(&key)
}

/// Remembers how the next layer's functions of a device are found; needed before the device itself is known here.
pub(crate) fn add_next(key: usize, get: vk::PFN_vkGetDeviceProcAddr) {
    NEXT_DEVICE_FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner).insert(key, get);
}

pub(crate) fn remove_next(key: usize) {
    NEXT_DEVICE_FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner).remove(&key);
}

pub(crate) fn next(key: usize) -> Option<vk::PFN_vkGetDeviceProcAddr> {
    NEXT_DEVICE_FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
}
