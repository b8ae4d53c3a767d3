//! `VK_LAYER_TEXEMU_texture_emulation`: any Vulkan application sees ASTC, ETC2 and EAC on a device that lacks them, and
//! they work.
//!
//! The layer translates the loader's calls to [`texemu_emulate`] and holds no texture logic of its own. Handles are not
//! wrapped: an emulated image is the driver's own image with another format. Where a device has every format itself, its
//! functions are handed out as they are, and the layer costs nothing.
//!
//! The library exports one function, [`vkNegotiateLoaderLayerInterfaceVersion`]; the loader learns the rest from it. What is
//! public besides describes the layer to the program that starts applications with it.
#![allow(non_snake_case, reason = "the loader's name for layer libraries, and its function")]

#[macro_use]
mod hook;

mod buffers;
mod commands;
mod device;
mod entries;
mod hooks;
mod instance;
mod loader;
mod logger;
mod manifest;
mod registry;
mod report;
mod settings;
mod templates;
mod validate;

pub use manifest::{LIBRARY, Loading, manifest};
pub use settings::{SETTINGS, Setting, Settings};

use ash::vk;

/// The layer's name.
pub const NAME: &std::ffi::CStr = c"VK_LAYER_TEXEMU_texture_emulation";

/// The loader's first call: agrees on the version of the interface and hands over the functions through which the loader
/// gets all others (Vulkan loader interface, "Layer Interface").
///
/// # Safety
/// `interface` is null or points to a valid, writable structure.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut loader::NegotiateInterface,
) -> vk::Result {
    hook::guard("vkNegotiateLoaderLayerInterfaceVersion", vk::Result::ERROR_INITIALIZATION_FAILED, || {
        // SAFETY: the caller's promise.
        let Some(interface) = (unsafe { interface.as_mut() }) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        if interface.s_type != loader::NEGOTIATE_INTERFACE || interface.version < loader::INTERFACE_VERSION {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        interface.version = loader::INTERFACE_VERSION;
        interface.get_instance_proc_addr = Some(entries::get_instance_proc_addr);
        interface.get_device_proc_addr = Some(entries::get_device_proc_addr);
        interface.get_physical_device_proc_addr = Some(entries::get_physical_device_proc_addr);
        vk::Result::SUCCESS
    })
}
