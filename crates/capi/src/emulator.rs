//! The emulation of one device.

use crate::gpu::texemu_gpu;
use crate::offer::{Source, texemu_offer};
use crate::pointer::{array, get, get_mut, give, take};
use crate::settings::{settings, texemu_settings};
use crate::status::{Answer, guard, guarded};
use std::sync::Arc;
use texemu_core::vk;
use texemu_emulate::{Emulator, EmulatorDesc};

/// Emulated images of one device. Any threads may call at once, as far as Vulkan allows for the handles that they hand in.
pub struct texemu_emulator {
    pub(crate) emulator: Arc<Emulator>,
}

/// Makes the emulation of a device. `settings` may be null. `queue_families` are those of all queues that the device was created with:
/// compressed planes are shared between them, so that an image's ownership transfers need not name them.
///
/// # Safety
/// `gpu` and `emulator` are valid, `settings` null or valid, `queue_families` holds `queue_family_count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_emulator_create(
    gpu: *const texemu_gpu,
    settings: *const texemu_settings,
    queue_families: *const u32,
    queue_family_count: u32,
    emulator: *mut *mut texemu_emulator,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let gpu = unsafe { get(gpu, "gpu") }?;
        // SAFETY: as above.
        let settings = unsafe { self::settings(settings) }?;
        // SAFETY: as above.
        let queue_families = unsafe { array(queue_families, queue_family_count, "queue_families") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(emulator, "emulator") }?;
        let desc = EmulatorDesc { gpu: &gpu.0, settings: &settings, queue_families };
        let emulator = Arc::new(Emulator::new(&desc)?);
        Ok(give(slot, texemu_emulator { emulator }))
    })
}

/// Destroys an emulator, and the planes of images that were not destroyed; null is ignored. Recordings and offers taken from it keep it
/// alive until they are destroyed too.
///
/// # Safety
/// `emulator` is null or from `texemu_emulator_create`, and not used afterwards. The device is done with all that it recorded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_emulator_destroy(emulator: *mut texemu_emulator) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(emulator) }));
}

/// The answers to an application's queries, with the features that the device was created with. To be destroyed with
/// `texemu_offer_destroy`.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_emulator_get_offer(
    emulator: *const texemu_emulator,
    offer: *mut *mut texemu_offer,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(offer, "offer") }?;
        Ok(give(slot, texemu_offer(Source::Of(Arc::clone(&emulator.emulator)))))
    })
}

/// Compiles the pipelines that images of these formats need, so that nothing later has to. Takes a while; call it from a thread of
/// its own. Formats that are not emulated are passed over.
///
/// # Safety
/// `emulator` is valid; `formats` holds `format_count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_emulator_prepare(
    emulator: *const texemu_emulator,
    formats: *const vk::Format,
    format_count: u32,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        // SAFETY: as above.
        let formats = unsafe { array(formats, format_count, "formats") }?;
        emulator.emulator.prepare(formats)?;
        Ok(Answer::Done)
    })
}
