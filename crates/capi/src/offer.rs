//! What a physical device offers once emulation is counted: the answers to an application's queries.

use crate::gpu::PFN_vkGetInstanceProcAddr;
use crate::pointer::{get, get_mut, give, take};
use crate::settings::{settings, texemu_settings};
use crate::status::{Answer, Failure, Outcome, guard, guarded};
use std::ops::Deref;
use std::sync::Arc;
use texemu_core::{ash, vk};
use texemu_emulate::{DeviceCreateInfo, Emulator, Offer};

/// Answers for a physical device: before there is a device by `texemu_offer_create`, later by `texemu_emulator_get_offer`. Any threads
/// may ask at once.
pub struct texemu_offer(pub(crate) Source);

/// Where an offer lies.
pub(crate) enum Source {
    Own(Box<Offer>),
    Of(Arc<Emulator>),
}

impl Deref for texemu_offer {
    type Target = Offer;

    fn deref(&self) -> &Offer {
        match &self.0 {
            Source::Own(offer) => offer,
            Source::Of(emulator) => emulator.offer(),
        }
    }
}

/// A changed `VkDeviceCreateInfo`, by `texemu_offer_amend_device`.
pub struct texemu_device_create_info {
    /// The structure that C sees; points into `amended`.
    info: vk::DeviceCreateInfo<'static>,
    /// Never read again: it owns what `info` points to.
    _amended: Box<DeviceCreateInfo<'static>>,
}

/// Asks a physical device what it offers to a device created as `texemu_offer_amend_device` says. `settings` may be null.
///
/// # Safety
/// - The handles belong together, implement Vulkan 1.1, and outlive the offer.
/// - `settings` is null or valid; `offer` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_create(
    get_instance_proc_addr: PFN_vkGetInstanceProcAddr,
    instance: vk::Instance,
    physical_device: vk::PhysicalDevice,
    settings: *const texemu_settings,
    offer: *mut *mut texemu_offer,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let slot = unsafe { get_mut(offer, "offer") }?;
        // SAFETY: as above.
        let settings = unsafe { self::settings(settings) }?;
        let Some(get_instance_proc_addr) = get_instance_proc_addr else {
            return Err(Failure::argument("get_instance_proc_addr is null"));
        };
        if instance == vk::Instance::null() || physical_device == vk::PhysicalDevice::null() {
            return Err(Failure::argument("instance and physical_device are needed, and one is null"));
        }
        // SAFETY: as above.
        let instance = unsafe { ash::Instance::load(&ash::StaticFn { get_instance_proc_addr }, instance) };
        // SAFETY: as above.
        let made = unsafe { Offer::new(&instance, physical_device, &settings) };
        Ok(give(slot, texemu_offer(Source::Own(Box::new(made)))))
    })
}

/// Destroys an offer; null is ignored.
///
/// # Safety
/// `offer` is null, or from `texemu_offer_create` or `texemu_emulator_get_offer`, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_destroy(offer: *mut texemu_offer) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(offer) }));
}

/// Whether images of `format` are emulated.
///
/// # Safety
/// `offer` is valid; null emulates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_emulates(offer: *const texemu_offer, format: vk::Format) -> vk::Bool32 {
    // SAFETY: the caller's promise.
    guarded(vk::FALSE, || unsafe { offer.as_ref() }.is_some_and(|offer| offer.emulates(format)).into())
}

/// Adds the emulated families to the answer of `vkGetPhysicalDeviceFeatures`.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_add_features(
    offer: *const texemu_offer,
    features: *mut vk::PhysicalDeviceFeatures,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above.
        offer.add_features(unsafe { get_mut(features, "features") }?);
        Ok(Answer::Done)
    })
}

/// Adds them to the answer of `vkGetPhysicalDeviceFeatures2`, in every structure of its chain that names them.
///
/// # Safety
/// Both pointers are valid; `features` starts a valid chain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_add_features2(
    offer: *const texemu_offer,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above.
        let features = unsafe { get_mut(features, "features") }?;
        // SAFETY: as above.
        unsafe { offer.add_features2(features) };
        Ok(Answer::Done)
    })
}

/// What the device is to be created with: the application's wishes without the families that the device lacks, and with what the
/// kernels need. The application's structures stay as they are.
///
/// # Safety
/// The pointers are valid; `info` starts a valid chain, and outlives the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_amend_device(
    offer: *const texemu_offer,
    info: *const vk::DeviceCreateInfo<'static>,
    amended: *mut *mut texemu_device_create_info,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above; the caller keeps it for as long as the result.
        let info: &'static vk::DeviceCreateInfo<'static> = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(amended, "amended") }?;
        // SAFETY: as above.
        let mut amended = Box::new(unsafe { offer.device_create_info(info) });
        let mut info = vk::DeviceCreateInfo::default();
        copy_create_info(&mut info, amended.get());
        Ok(give(slot, texemu_device_create_info { info, _amended: amended }))
    })
}

/// The same pointers, without the borrow: their owner is kept beside them.
fn copy_create_info(to: &mut vk::DeviceCreateInfo<'static>, from: vk::DeviceCreateInfo<'_>) {
    to.p_next = from.p_next;
    to.flags = from.flags;
    to.queue_create_info_count = from.queue_create_info_count;
    to.p_queue_create_infos = from.p_queue_create_infos.cast();
    #[expect(deprecated, reason = "what the application says is handed on, also what drivers ignore")]
    {
        to.enabled_layer_count = from.enabled_layer_count;
        to.pp_enabled_layer_names = from.pp_enabled_layer_names;
    }
    to.enabled_extension_count = from.enabled_extension_count;
    to.pp_enabled_extension_names = from.pp_enabled_extension_names;
    to.p_enabled_features = from.p_enabled_features;
}

/// The structure to hand to `vkCreateDevice`, and then to `texemu_gpu_borrow`; null for null. Belongs to `amended`.
///
/// # Safety
/// `amended` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_device_create_info_get(
    amended: *const texemu_device_create_info,
) -> *const vk::DeviceCreateInfo<'static> {
    // SAFETY: the caller's promise.
    let get = || unsafe { amended.as_ref() }.map_or(std::ptr::null(), |amended| &raw const amended.info);
    guarded(std::ptr::null(), get)
}

/// Destroys it; null is ignored.
///
/// # Safety
/// `amended` is null, or from `texemu_offer_amend_device`, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_device_create_info_destroy(amended: *mut texemu_device_create_info) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(amended) }));
}

/// `vkGetPhysicalDeviceFormatProperties`.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_get_format_properties(
    offer: *const texemu_offer,
    format: vk::Format,
    properties: *mut vk::FormatProperties,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above.
        let properties = unsafe { get_mut(properties, "properties") }?;
        let answer = offer.format_properties(format);
        Ok(Answer::emulated(answer.map(|answer| *properties = answer).is_some()))
    })
}

/// `vkGetPhysicalDeviceFormatProperties2`, with `VkFormatProperties3` and whatever else the chain asks.
///
/// # Safety
/// The pointers are valid; `properties` starts a valid chain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_get_format_properties2(
    offer: *const texemu_offer,
    format: vk::Format,
    properties: *mut vk::FormatProperties2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above.
        let properties = unsafe { get_mut(properties, "properties") }?;
        // SAFETY: as above.
        Ok(Answer::emulated(unsafe { offer.format_properties2(format, properties) }))
    })
}

/// `vkGetPhysicalDeviceImageFormatProperties`. `VK_ERROR_FORMAT_NOT_SUPPORTED` is the answer for the application then, and no
/// failure: there is no message.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_get_image_format_properties(
    offer: *const texemu_offer,
    format: vk::Format,
    image_type: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    properties: *mut vk::ImageFormatProperties,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above.
        let properties = unsafe { get_mut(properties, "properties") }?;
        let answer = offer.image_format_properties(format, image_type, tiling, usage, flags);
        told(answer.map(|answer| answer.map(|answer| *properties = answer)))
    })
}

/// `vkGetPhysicalDeviceImageFormatProperties2`; otherwise as `texemu_offer_get_image_format_properties`.
///
/// # Safety
/// The pointers are valid, and start valid chains.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_get_image_format_properties2(
    offer: *const texemu_offer,
    info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    properties: *mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above.
        let info = unsafe { get(info, "info") }?;
        // SAFETY: as above.
        let properties = unsafe { get_mut(properties, "properties") }?;
        // SAFETY: as above.
        told(unsafe { offer.image_format_properties2(info, properties) })
    })
}

/// An answer for the application.
fn told(answer: Option<Result<(), vk::Result>>) -> Outcome {
    match answer {
        None => Ok(Answer::NotEmulated),
        Some(Ok(())) => Ok(Answer::Done),
        Some(Err(result)) => Err(Failure::vulkan(result, "")),
    }
}

/// `vkGetPhysicalDeviceSparseImageFormatProperties` and its `2` form: `*count` becomes 0, for emulated images are never sparse.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_offer_get_sparse_image_format_property_count(
    offer: *const texemu_offer,
    format: vk::Format,
    count: *mut u32,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let offer = unsafe { get(offer, "offer") }?;
        // SAFETY: as above.
        let count = unsafe { get_mut(count, "count") }?;
        let answer = offer.sparse_image_format_property_count(format);
        Ok(Answer::emulated(answer.map(|answer| *count = answer).is_some()))
    })
}
