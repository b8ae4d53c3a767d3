//! What follows from a device's capabilities for each source format: native, emulated, or missing.

use crate::capabilities::Capabilities;
use ash::vk;
use texemu_format::Format;

/// How a source format is had on a device.
#[derive(Clone, PartialEq, Debug)]
pub enum Support {
    /// The device samples it itself.
    Native,
    /// Into these targets, the exact one first if it is among them.
    Emulated(Vec<&'static Format>),
    /// Neither.
    Missing,
}

/// How `format` is had on the device: by its own `VkFormat` features, never by a family's feature bit.
pub fn support(capabilities: &Capabilities, format: &Format) -> Support {
    let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE
        | vk::FormatFeatureFlags::TRANSFER_DST
        | vk::FormatFeatureFlags::TRANSFER_SRC;
    if capabilities.format(format.vk).optimal.contains(needed) {
        return Support::Native;
    }
    let targets = targets(capabilities, format);
    if targets.is_empty() { Support::Missing } else { Support::Emulated(targets) }
}

/// The targets that the device could hold `format` in, native or not, the exact one first if it is among them.
pub fn targets(capabilities: &Capabilities, format: &Format) -> Vec<&'static Format> {
    format.targets.iter().filter(|target| can_be_target(capabilities, target)).collect()
}

/// Whether a kernel can fill an image of `target` and the device can sample it. BC images are filled by a copy from a
/// block buffer, so they need no storage view.
fn can_be_target(capabilities: &Capabilities, target: &Format) -> bool {
    let features = capabilities.format(target.vk).optimal;
    let sampled = features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE);
    let filled = if target.is_compressed() {
        features.contains(vk::FormatFeatureFlags::TRANSFER_DST)
    } else {
        let view = capabilities.format(target.storage_view()).optimal;
        view.contains(vk::FormatFeatureFlags::STORAGE_IMAGE)
    };
    sampled && filled
}
