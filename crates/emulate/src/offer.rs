//! What a physical device offers once emulation is counted: decided from each `VkFormat`'s own features and the kernels
//! there are, before there is a device.

use crate::settings::{KeepBlocks, Policy, Rule, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use texemu_core::{Capabilities, Gpu, ash, vk};
use texemu_format::{Codec, Format, VkFormat, by_vk, sources};

/// What an emulated image can do, and nothing else: every one of these works on every path.
pub(crate) const FEATURES: vk::FormatFeatureFlags = vk::FormatFeatureFlags::from_raw(
    vk::FormatFeatureFlags::SAMPLED_IMAGE.as_raw()
        | vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR.as_raw()
        | vk::FormatFeatureFlags::BLIT_SRC.as_raw()
        | vk::FormatFeatureFlags::TRANSFER_SRC.as_raw()
        | vk::FormatFeatureFlags::TRANSFER_DST.as_raw(),
);

/// Usages that an application may ask of an emulated image.
pub(crate) const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::SAMPLED.as_raw()
        | vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw(),
);

/// Flags that an application may ask of an emulated image.
pub(crate) const FLAGS: vk::ImageCreateFlags = vk::ImageCreateFlags::from_raw(
    vk::ImageCreateFlags::MUTABLE_FORMAT.as_raw()
        | vk::ImageCreateFlags::CUBE_COMPATIBLE.as_raw()
        | vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE.as_raw()
        | vk::ImageCreateFlags::ALIAS.as_raw()
        | vk::ImageCreateFlags::EXTENDED_USAGE.as_raw(),
);

/// The three feature bits of the emulated families. One is set if every format of its family can be sampled, native or
/// emulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Families {
    /// `textureCompressionETC2`.
    pub etc2: bool,
    /// `textureCompressionASTC_LDR`.
    pub astc_ldr: bool,
    /// `textureCompressionASTC_HDR`.
    pub astc_hdr: bool,
}

/// One source format.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// The device answers for itself.
    Native,
    /// Into one of these targets, the exact one among them.
    Emulated { targets: Vec<&'static Format>, features: vk::FormatFeatureFlags },
    /// It is not there, or is said not to be.
    Missing,
}

/// What a physical device offers once emulation is counted.
#[derive(Debug)]
pub struct Offer {
    pub(crate) instance: Instance,
    pub(crate) physical_device: vk::PhysicalDevice,
    pub(crate) settings: Settings,
    entries: BTreeMap<VkFormat, Entry>,
    asked: Mutex<BTreeSet<VkFormat>>,
    /// The physical device's own.
    pub(crate) extensions: Vec<vk::ExtensionProperties>,
}

/// The functions; they have no `Debug` of their own.
pub(crate) struct Instance(pub(crate) ash::Instance);

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Instance").field(&self.0.handle()).finish()
    }
}

impl Offer {
    /// What the physical device would offer to a device created with [`Offer::needed_features`].
    ///
    /// # Safety
    /// `physical_device` belongs to `instance`, which outlives the offer; both implement Vulkan 1.1.
    pub unsafe fn new(
        instance: &ash::Instance,
        physical_device: vk::PhysicalDevice,
        settings: &Settings,
    ) -> Self {
        // SAFETY: the caller's promise.
        let capabilities = unsafe { Capabilities::of_physical_device(instance, physical_device) };
        // SAFETY: as above.
        let features = unsafe { instance.get_physical_device_features(physical_device) };
        let extended = features.shader_storage_image_extended_formats == vk::TRUE;
        Self::assemble(instance.clone(), physical_device, &capabilities, extended, settings)
    }

    /// What a device offers with the features it was created with.
    pub(crate) fn of_gpu(gpu: &Gpu, settings: &Settings) -> Self {
        let extended = gpu.features().storage_image_extended_formats;
        Self::assemble(gpu.instance().clone(), gpu.physical_device(), gpu.capabilities(), extended, settings)
    }

    fn assemble(
        instance: ash::Instance,
        physical_device: vk::PhysicalDevice,
        capabilities: &Capabilities,
        extended: bool,
        settings: &Settings,
    ) -> Self {
        let entries =
            sources().map(|format| (format.vk, entry(capabilities, extended, settings, format))).collect();
        // SAFETY: the device belongs to the instance.
        let extensions = unsafe { instance.enumerate_device_extension_properties(physical_device) };
        Self {
            instance: Instance(instance),
            physical_device,
            settings: settings.clone(),
            entries,
            asked: Mutex::default(),
            extensions: extensions.unwrap_or_default(),
        }
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether images of `format` are emulated.
    pub fn emulates(&self, format: vk::Format) -> bool {
        matches!(self.entry(format), Some(Entry::Emulated { .. }))
    }

    /// Whether the device is left as it is: nothing is emulated and nothing hidden.
    pub fn is_idle(&self) -> bool {
        let emulated = self.entries.values().any(|entry| matches!(entry, Entry::Emulated { .. }));
        !emulated && !self.settings.rules.values().any(|&rule| rule == Rule::Hidden)
    }

    /// The feature bits that a guest is told.
    pub fn families(&self) -> Families {
        let whole = |of: fn(Codec) -> bool| {
            sources().filter(|format| of(format.codec)).all(|format| match &self.entries[&format.vk] {
                Entry::Native => true,
                Entry::Emulated { features, .. } => features.contains(FEATURES),
                Entry::Missing => false,
            })
        };
        Families {
            etc2: whole(|codec| !matches!(codec, Codec::AstcLdr | Codec::AstcHdr)),
            astc_ldr: whole(|codec| codec == Codec::AstcLdr),
            astc_hdr: whole(|codec| codec == Codec::AstcHdr),
        }
    }

    /// What a device must be created with, besides what its application asks for, for everything offered to work.
    pub fn needed_features(&self) -> vk::PhysicalDeviceFeatures {
        let extended = self.entries.iter().any(|(&format, entry)| {
            let small =
                by_vk(format).and_then(|format| format.targets.exact()).is_some_and(needs_extended_formats);
            small && matches!(entry, Entry::Emulated { .. })
        });
        vk::PhysicalDeviceFeatures::default().shader_storage_image_extended_formats(extended)
    }

    /// The source formats that were asked about since the offer was made, by number.
    pub fn formats_asked(&self) -> Vec<VkFormat> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// The entry of a source format; `None` for all others.
    pub(crate) fn entry(&self, format: vk::Format) -> Option<&Entry> {
        self.entries.get(&VkFormat(format.as_raw()))
    }

    /// As [`Offer::entry`], and remembers that it was asked for.
    pub(crate) fn ask(&self, format: vk::Format) -> Option<&Entry> {
        let entry = self.entry(format)?;
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(VkFormat(format.as_raw()));
        Some(entry)
    }

    /// The targets of `format` in the order in which `policy` tries them.
    pub(crate) fn ladder(&self, format: &Format, policy: Policy) -> Vec<&'static Format> {
        match self.entries.get(&format.vk) {
            Some(Entry::Emulated { targets, .. }) => self.settings.ladder(format, policy, targets),
            _ => Vec::new(),
        }
    }

    /// What the decoded plane is created with so that `target` can be filled: the application's usage and flags, and more.
    pub(crate) fn plane_usage(
        &self,
        target: &Format,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
    ) -> (vk::ImageUsageFlags, vk::ImageCreateFlags) {
        let usage = if self.settings.capture { usage | vk::ImageUsageFlags::TRANSFER_SRC } else { usage };
        if target.is_compressed() {
            let mut usage = usage | vk::ImageUsageFlags::TRANSFER_DST;
            if self.settings.cache.is_on() {
                // What the device encodes is read back for the cache.
                usage |= vk::ImageUsageFlags::TRANSFER_SRC;
            }
            (usage, flags & !vk::ImageCreateFlags::EXTENDED_USAGE)
        } else {
            let views = vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
            (usage | vk::ImageUsageFlags::STORAGE, flags | views)
        }
    }

    /// Whether an image that stores `target` and is used as `usage` keeps its blocks.
    pub(crate) fn keeps_blocks(&self, format: &Format, target: &Format, usage: vk::ImageUsageFlags) -> bool {
        let readable = usage.contains(vk::ImageUsageFlags::TRANSFER_SRC);
        self.settings.keep_blocks == KeepBlocks::Always || readable || cuts_blocks(format, target)
    }
}

/// Whether a copy of whole source blocks may cover a target block in part.
pub(crate) fn cuts_blocks(format: &Format, target: &Format) -> bool {
    (0..2).any(|axis| !format.footprint[axis].is_multiple_of(target.footprint[axis]))
}

fn entry(capabilities: &Capabilities, extended: bool, settings: &Settings, format: &'static Format) -> Entry {
    let rule = settings.rules.get(&format.vk);
    let native = capabilities.format(format.vk).optimal.contains(
        vk::FormatFeatureFlags::SAMPLED_IMAGE
            | vk::FormatFeatureFlags::TRANSFER_SRC
            | vk::FormatFeatureFlags::TRANSFER_DST,
    );
    match rule {
        Some(Rule::Hidden) => return Entry::Missing,
        Some(Rule::Native) => return if native { Entry::Native } else { Entry::Missing },
        _ if native && !settings.force => return Entry::Native,
        _ => {}
    }
    let exact = format.targets.exact();
    let offered = |target: &Format| {
        // Transfer bits are Vulkan 1.1's; what the emulation itself does with the plane's blocks needs none of them.
        capabilities.format(target.vk).optimal & FEATURES
    };
    let usable = |target: &&'static Format| {
        texemu_transcode::has_kernel(format, target)
            && (extended || !needs_extended_formats(target))
            && (Some(*target) == exact || offered(target).contains(FEATURES))
    };
    let targets: Vec<_> = texemu_core::targets(capabilities, format).into_iter().filter(usable).collect();
    match exact {
        Some(exact) if targets.contains(&exact) => Entry::Emulated { targets, features: offered(exact) },
        _ if native => Entry::Native,
        _ => Entry::Missing,
    }
}

/// `shaderStorageImageExtendedFormats` covers one- and two-channel 16-bit formats (Vulkan specification, "Features").
fn needs_extended_formats(target: &Format) -> bool {
    matches!(target.codec, Codec::R16 | Codec::Rg16)
}
