//! What belongs to one command buffer while it is recorded and until it has run.

use crate::choices::queue;
use crate::emulator::texemu_emulator;
use crate::pointer::{get, get_mut, give, take};
use crate::status::{Answer, guard, guarded};
use std::sync::Arc;
use texemu_core::{ash, vk};
use texemu_emulate::{Emulator, Recording};

/// What belongs to one command buffer, primary or secondary: descriptor sets, scratch memory, timestamps, and the application's compute
/// state if it is told. One thread at a time uses it, as with the command buffer itself.
pub struct texemu_recording {
    pub(crate) recording: Recording,
    pub(crate) emulator: Arc<Emulator>,
    /// Loaded when conditional rendering is first told of.
    pub(crate) conditional: Option<ash::ext::conditional_rendering::Device>,
}

/// Takes a recording from the emulator's pool, or makes one, for a command buffer that begins. `queue` is a `texemu_queue`.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_recording_create(
    emulator: *const texemu_emulator,
    queue: u32,
    recording: *mut *mut texemu_recording,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = Arc::clone(&unsafe { get(emulator, "emulator") }?.emulator);
        // SAFETY: as above.
        let slot = unsafe { get_mut(recording, "recording") }?;
        let recording = emulator.recording(self::queue(queue)?);
        Ok(give(slot, texemu_recording { recording, emulator, conditional: None }))
    })
}

/// Makes a recording ready for the next use of its command buffer: reads the timestamps, takes everything else back.
///
/// # Safety
/// `recording` is valid. The device is done with every command recorded with it, and they are not submitted again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_recording_reset(recording: *mut texemu_recording) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let recording = unsafe { get_mut(recording, "recording") }?;
        // SAFETY: as above.
        unsafe { recording.emulator.reset(&mut recording.recording) }?;
        Ok(Answer::Done)
    })
}

/// Gives a recording back to the pool; null is ignored.
///
/// # Safety
/// As `texemu_recording_reset`; `recording` is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_recording_destroy(recording: *mut texemu_recording) {
    guarded((), || {
        // SAFETY: the caller's promise.
        let Some(taken) = (unsafe { take(recording) }) else { return };
        let texemu_recording { recording, emulator, .. } = *taken;
        // SAFETY: as above.
        if let Err(error) = unsafe { emulator.recycle(recording) } {
            log::warn!("giving a recording back: {error}");
        }
    });
}

/// Bytes of device memory that the recording holds for scratch; 0 for null.
///
/// # Safety
/// `recording` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_recording_scratch_bytes(recording: *const texemu_recording) -> u64 {
    // SAFETY: the caller's promise.
    let of = || unsafe { recording.as_ref() }.map_or(0, |recording| recording.recording.scratch_bytes());
    guarded(0, of)
}
