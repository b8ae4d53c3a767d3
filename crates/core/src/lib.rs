//! The Vulkan device under texemu.
//!
//! A [`Gpu`] is either *owned* (headless: [`Gpu::open`] makes instance, device and queue) or *borrowed* from a host
//! ([`Gpu::borrow_host`]); everything built on it works the same on both. All state hangs off a `Gpu`, so several
//! devices may be used at once.
//!
//! Errors follow one policy: an [`Error`] is for what a caller cannot foresee (no device, no memory, a lost device).
//! What a caller can get wrong is stated under *Safety* or as a Vulkan valid usage, and the validation layers find it.

mod arena;
mod cache;
mod capabilities;
mod descriptors;
mod error;
mod features;
mod gpu;
mod instance;
mod memory;
mod pipeline;
mod submit;
mod support;
mod validation;

pub use arena::{Arena, ArenaStats};
pub use ash;
pub use ash::vk;
pub use cache::CacheLocation;
pub use capabilities::{Capabilities, DeviceInfo, FormatFeatures, Subgroup};
pub use descriptors::{Resource, bind};
pub use error::{Error, Result};
pub use features::Features;
pub use gpu::{Extensions, Gpu, GpuDesc, HostDevice, Select};
pub use instance::list_devices;
pub use memory::{Buffer, BufferDesc, Image, ImageDesc, Location};
pub use pipeline::{Pipeline, PipelineDesc, PipelineMap, PipelineStats};
pub use submit::{Commands, Timestamps};
pub use support::{Support, support, targets};
pub use texemu_format as format;
pub use validation::{Validation, ValidationLog};

/// Converts a number of the format table to ash's type.
pub fn vk_format(format: texemu_format::VkFormat) -> vk::Format {
    vk::Format::from_raw(format.0)
}
