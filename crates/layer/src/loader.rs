//! The loader's own structures (`vk_layer.h`).

use ash::vk;
use std::ffi::{c_char, c_void};

/// `CURRENT_LOADER_LAYER_INTERFACE_VERSION`.
pub(crate) const INTERFACE_VERSION: u32 = 2;
/// `LAYER_NEGOTIATE_INTERFACE_STRUCT`.
pub(crate) const NEGOTIATE_INTERFACE: i32 = 1;
/// `VK_LAYER_LINK_INFO`.
const LINK_INFO: i32 = 0;

/// `PFN_GetPhysicalDeviceProcAddr`.
pub(crate) type GetPhysicalDeviceProcAddr =
    unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct NegotiateInterface {
    pub(crate) s_type: i32,
    pub(crate) p_next: *mut c_void,
    pub(crate) version: u32,
    pub(crate) get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub(crate) get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    pub(crate) get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// `VkLayerInstanceLink`.
#[repr(C)]
pub(crate) struct InstanceLink {
    next: *mut InstanceLink,
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) get_physical_device_proc_addr: Option<GetPhysicalDeviceProcAddr>,
}

/// `VkLayerDeviceLink`.
#[repr(C)]
pub(crate) struct DeviceLink {
    next: *mut DeviceLink,
    pub(crate) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`, which differ in what the link points to.
#[repr(C)]
struct CreateInfo<T> {
    s_type: vk::StructureType,
    p_next: *const c_void,
    function: i32,
    /// A union; a link where `function` is `VK_LAYER_LINK_INFO`.
    link: *mut T,
}

/// A link that leads on.
pub(crate) trait Link {
    /// What names the structure that holds it.
    const S_TYPE: vk::StructureType;
    /// The next layer's.
    fn next(&self) -> *mut Self;
}

impl Link for InstanceLink {
    const S_TYPE: vk::StructureType = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;

    fn next(&self) -> *mut Self {
        self.next
    }
}

impl Link for DeviceLink {
    const S_TYPE: vk::StructureType = vk::StructureType::LOADER_DEVICE_CREATE_INFO;

    fn next(&self) -> *mut Self {
        self.next
    }
}

/// This layer's place in the loader's chain.
pub(crate) struct Place<T> {
    slot: *mut CreateInfo<T>,
    own: *mut T,
}

impl<T: Link> Place<T> {
    /// Finds it in the chain of a create info; `None` if no loader called.
    ///
    /// # Safety
    /// `next` is null or the start of a valid chain that a loader gave to this layer.
    pub(crate) unsafe fn find(next: *const c_void) -> Option<Self> {
        let mut address: *const vk::BaseInStructure<'_> = next.cast();
        // SAFETY: every element of the chain starts with sType and pNext and is readable.
        while let Some(structure) = unsafe { address.as_ref() } {
            if structure.s_type == T::S_TYPE {
                let slot: *mut CreateInfo<T> = address.cast_mut().cast();
                // SAFETY: sType names the structure.
                let info = unsafe { &*slot };
                if info.function == LINK_INFO && !info.link.is_null() {
                    return Some(Self { slot, own: info.link });
                }
            }
            address = structure.p_next;
        }
        None
    }

    /// The functions of the next layer.
    pub(crate) fn link(&self) -> &T {
        // SAFETY: not null; the loader keeps the link until the create call returns.
        unsafe { &*self.own }
    }

    /// Makes the next layer find its own link. The loader's structure is written to, as its interface demands.
    pub(crate) fn advance(&self) {
        let next = self.link().next();
        // SAFETY: the loader's structure, which layers write to one after the other in the create call.
        unsafe { (*self.slot).link = next };
    }
}
