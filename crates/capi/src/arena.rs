//! What the transcoder's commands refer to until they have run.

use crate::gpu::texemu_gpu;
use crate::pointer::{get, get_mut, give, take};
use crate::status::{Answer, guard, guarded};
use crate::versioned::{Versioned, write};
use texemu_core::{Arena, vk};

/// Holds what recorded commands refer to: descriptor sets, views, scratch memory. One thread uses it at a time; keep one for each
/// submission in flight.
pub struct texemu_arena(pub(crate) Arena);

/// How much an arena holds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_arena_statistics {
    /// `sizeof(texemu_arena_statistics)`.
    pub struct_size: u32,
    /// Descriptor pools; kept by a reset.
    pub descriptor_pools: u32,
    /// Bytes of device memory for scratch; kept by a reset.
    pub scratch_bytes: u64,
    /// Buffer views made since the last reset.
    pub buffer_views: u32,
    /// Image views made since the last reset.
    pub image_views: u32,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_arena_statistics {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Makes an empty arena: it holds nothing until something is recorded.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_arena_create(
    gpu: *const texemu_gpu,
    arena: *mut *mut texemu_arena,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let gpu = unsafe { get(gpu, "gpu") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(arena, "arena") }?;
        Ok(give(slot, texemu_arena(Arena::new(&gpu.0))))
    })
}

/// Takes everything back, and keeps memory and pools for the next recording.
///
/// # Safety
/// `arena` is valid. The device is done with all commands recorded with it since the last reset, and they are not submitted
/// again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_arena_reset(arena: *mut texemu_arena) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let arena = unsafe { get_mut(arena, "arena") }?;
        // SAFETY: as above.
        unsafe { arena.0.reset() }?;
        Ok(Answer::Done)
    })
}

/// Bytes of device memory that the arena holds for scratch; 0 for null.
///
/// # Safety
/// `arena` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_arena_bytes(arena: *const texemu_arena) -> u64 {
    // SAFETY: the caller's promise.
    guarded(0, || unsafe { arena.as_ref() }.map_or(0, |arena| arena.0.bytes()))
}

/// How much the arena holds of everything.
///
/// # Safety
/// Both pointers are valid, and the `struct_size` of `statistics` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_arena_get_statistics(
    arena: *const texemu_arena,
    statistics: *mut texemu_arena_statistics,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let arena = unsafe { get(arena, "arena") }?;
        let held = arena.0.stats();
        let told = texemu_arena_statistics {
            struct_size: 0,
            descriptor_pools: held.descriptor_pools as u32,
            scratch_bytes: held.scratch_bytes,
            buffer_views: held.buffer_views as u32,
            image_views: held.image_views as u32,
        };
        // SAFETY: the caller's promise.
        unsafe { write(statistics, told, "statistics") }?;
        Ok(Answer::Done)
    })
}

/// Destroys an arena and what it holds; null is ignored.
///
/// # Safety
/// As `texemu_arena_reset`; `arena` is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_arena_destroy(arena: *mut texemu_arena) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(arena) }));
}
