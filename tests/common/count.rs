//! Counting what is alive: Vulkan objects made through a counting device, and bytes of the Rust heap.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{PoisonError, RwLock};
use texemu_core::{CacheLocation, Gpu, HostDevice, vk};

/// The kinds of objects counted: what the emulation makes.
const KINDS: [(&CStr, &CStr); 8] = [
    (c"vkCreateBuffer", c"vkDestroyBuffer"),
    (c"vkCreateImage", c"vkDestroyImage"),
    (c"vkCreateImageView", c"vkDestroyImageView"),
    (c"vkCreateBufferView", c"vkDestroyBufferView"),
    (c"vkCreateDescriptorPool", c"vkDestroyDescriptorPool"),
    (c"vkCreateQueryPool", c"vkDestroyQueryPool"),
    (c"vkAllocateMemory", c"vkFreeMemory"),
    (c"vkCreatePipelineLayout", c"vkDestroyPipelineLayout"),
];

/// Creates an object: all the functions above have this shape, for their handles are 64 bits.
type Create = unsafe extern "system" fn(vk::Device, *const c_void, *const c_void, *mut u64) -> vk::Result;
type Destroy = unsafe extern "system" fn(vk::Device, u64, *const c_void);

static LIVE: [AtomicI64; KINDS.len()] = [const { AtomicI64::new(0) }; KINDS.len()];
/// A function of the device counted last.
struct Next<T>(RwLock<Option<T>>);

impl<T: Copy> Next<T> {
    const fn none() -> Self {
        Self(RwLock::new(None))
    }

    fn set(&self, function: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(function);
    }

    fn get(&self) -> T {
        self.0.read().unwrap_or_else(PoisonError::into_inner).expect("looked up first")
    }
}

static CREATE: [Next<Create>; KINDS.len()] = [const { Next::none() }; KINDS.len()];
static DESTROY: [Next<Destroy>; KINDS.len()] = [const { Next::none() }; KINDS.len()];
static GET_INSTANCE: Next<vk::PFN_vkGetInstanceProcAddr> = Next::none();
static GET_DEVICE: Next<vk::PFN_vkGetDeviceProcAddr> = Next::none();

/// Objects alive, by the name of what creates them.
pub(crate) fn objects() -> Vec<(&'static str, i64)> {
    let name = |kind: usize| KINDS[kind].0.to_str().expect("ASCII");
    (0..KINDS.len()).map(|kind| (name(kind), LIVE[kind].load(Ordering::SeqCst))).collect()
}

/// The same device, borrowed through functions that count. One at a time in a process.
pub(crate) fn counting(gpu: &Gpu) -> Gpu {
    let entry = gpu.entry().expect("an owned device has a loader");
    GET_INSTANCE.set(entry.static_fn().get_instance_proc_addr);
    let host = HostDevice {
        get_instance_proc_addr,
        instance: gpu.instance().handle(),
        physical_device: gpu.physical_device(),
        device: gpu.device().handle(),
        queue_family_index: gpu.queue_family(),
        features: *gpu.features(),
        extensions: &[],
        cache: CacheLocation::Off,
    };
    // SAFETY: the handles belong together; the caller drops the result before `gpu`.
    unsafe { Gpu::borrow_host(&host) }.expect("borrowed")
}

unsafe extern "system" fn create<const KIND: usize>(
    device: vk::Device,
    info: *const c_void,
    allocator: *const c_void,
    out: *mut u64,
) -> vk::Result {
    let create = CREATE[KIND].get();
    // SAFETY: the caller's call.
    let result = unsafe { create(device, info, allocator, out) };
    if result == vk::Result::SUCCESS {
        LIVE[KIND].fetch_add(1, Ordering::SeqCst);
    }
    result
}

unsafe extern "system" fn destroy<const KIND: usize>(
    device: vk::Device,
    handle: u64,
    allocator: *const c_void,
) {
    let destroy = DESTROY[KIND].get();
    // SAFETY: the caller's call.
    unsafe { destroy(device, handle, allocator) };
    if handle != 0 {
        LIVE[KIND].fetch_sub(1, Ordering::SeqCst);
    }
}

const CREATES: [Create; KINDS.len()] =
    [create::<0>, create::<1>, create::<2>, create::<3>, create::<4>, create::<5>, create::<6>, create::<7>];
const DESTROYS: [Destroy; KINDS.len()] = [
    destroy::<0>,
    destroy::<1>,
    destroy::<2>,
    destroy::<3>,
    destroy::<4>,
    destroy::<5>,
    destroy::<6>,
    destroy::<7>,
];

unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    let next = GET_INSTANCE.get();
    // SAFETY: the caller's call.
    let found = unsafe { next(instance, name) };
    // SAFETY: names end with a zero.
    if unsafe { CStr::from_ptr(name) } != c"vkGetDeviceProcAddr" {
        return found;
    }
    // SAFETY: the name's own type.
    let device =
        unsafe { std::mem::transmute::<vk::PFN_vkVoidFunction, Option<vk::PFN_vkGetDeviceProcAddr>>(found) }?;
    GET_DEVICE.set(device);
    let own: vk::PFN_vkGetDeviceProcAddr = get_device_proc_addr;
    // SAFETY: a function pointer stands for the untyped one.
    Some(unsafe { std::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, unsafe extern "system" fn()>(own) })
}

unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    let next = GET_DEVICE.get();
    // SAFETY: the caller's call.
    let found = unsafe { next(device, name) }?;
    // SAFETY: names end with a zero.
    let name = unsafe { CStr::from_ptr(name) };
    for (kind, &(creates, destroys)) in KINDS.iter().enumerate() {
        if name == creates {
            // SAFETY: all functions of the table have this type but for the pointers' targets.
            CREATE[kind].set(unsafe { std::mem::transmute::<unsafe extern "system" fn(), Create>(found) });
            // SAFETY: as above.
            return Some(unsafe {
                std::mem::transmute::<Create, unsafe extern "system" fn()>(CREATES[kind])
            });
        }
        if name == destroys {
            // SAFETY: as above.
            DESTROY[kind].set(unsafe { std::mem::transmute::<unsafe extern "system" fn(), Destroy>(found) });
            // SAFETY: as above.
            return Some(unsafe {
                std::mem::transmute::<Destroy, unsafe extern "system" fn()>(DESTROYS[kind])
            });
        }
    }
    Some(found)
}

/// The system's allocator, counting.
pub(crate) struct CountingAllocator;

static HEAP: AtomicI64 = AtomicI64::new(0);

/// Bytes of the Rust heap that are alive.
pub(crate) fn heap() -> i64 {
    HEAP.load(Ordering::SeqCst)
}

// SAFETY: everything goes to the system's allocator as it is.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HEAP.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        HEAP.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(address, layout) };
    }
}

/// Bytes of the whole process in memory, the driver's and the layers' among them; `None` where that is not to be had.
pub(crate) fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()? * 1024)
}
