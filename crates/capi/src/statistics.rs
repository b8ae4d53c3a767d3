//! What was emulated and what it cost.

use crate::emulator::texemu_emulator;
use crate::pointer::{get, list};
use crate::status::{Answer, guard};
use crate::versioned::{Versioned, write};
use std::mem::offset_of;
use texemu_core::vk;
use texemu_emulate::FormatStatistics;

/// Of all emulated images.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_statistics {
    /// `sizeof(texemu_statistics)`.
    pub struct_size: u32,
    /// Formats that images were created of.
    pub format_count: u32,
    /// Bytes that all emulated images alive need.
    pub bytes: u64,
    /// The most they ever needed at once.
    pub peak_bytes: u64,
    /// Bytes by which they are smaller than in R8G8B8A8, their blocks counted; negative if they are larger.
    pub bytes_saved: i64,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_statistics {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Of one source format. Bytes and `images` are of the images alive; everything else counts since the start, at recording.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_format_statistics {
    /// `sizeof(texemu_format_statistics)`.
    pub struct_size: u32,
    /// Which one.
    pub format: vk::Format,
    /// Images alive.
    pub images: u64,
    /// Images created.
    pub created: u64,
    /// Bytes of their decoded planes.
    pub decoded_bytes: u64,
    /// Bytes of their compressed planes.
    pub compressed_bytes: u64,
    /// Bytes that the same images would need in R8G8B8A8, without their blocks.
    pub rgba8_bytes: u64,
    /// Uploads whose decoder read the application's buffer.
    pub direct: u64,
    /// Uploads by way of the compressed plane.
    pub by_plane: u64,
    /// Uploads by way of scratch memory.
    pub by_scratch: u64,
    /// Uploads on queues that cannot compute.
    pub deferred: u64,
    /// Copies to buffers.
    pub downloads: u64,
    /// Copies from or to other images.
    pub image_copies: u64,
    /// Dispatches.
    pub dispatches: u64,
    /// Blocks decoded.
    pub blocks: u64,
    /// Texels written.
    pub texels: u64,
    /// Nanoseconds of device time spent on decoding, of the copies timed so far.
    pub gpu_nanoseconds: u64,
    /// Copies timed.
    pub timed: u64,
    /// Uploads that the transcode cache knew whole.
    pub cached: u64,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_format_statistics {
    const FIRST_SIZE: usize = offset_of!(Self, cached);
}

impl From<&FormatStatistics> for texemu_format_statistics {
    fn from(of: &FormatStatistics) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            format: texemu_core::vk_format(of.format.vk),
            images: of.images,
            created: of.created,
            decoded_bytes: of.decoded_bytes,
            compressed_bytes: of.compressed_bytes,
            rgba8_bytes: of.rgba8_bytes,
            direct: of.direct,
            by_plane: of.by_plane,
            by_scratch: of.by_scratch,
            deferred: of.deferred,
            downloads: of.downloads,
            image_copies: of.image_copies,
            dispatches: of.dispatches,
            blocks: of.blocks,
            texels: of.texels,
            gpu_nanoseconds: of.gpu_nanoseconds,
            timed: of.timed,
            cached: of.cached,
        }
    }
}

/// What the transcode cache did: regions, counted when they are recorded. All zero if it is off.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_cache_statistics {
    /// `sizeof(texemu_cache_statistics)`.
    pub struct_size: u32,
    /// Zero.
    pub reserved: u32,
    /// Found in memory.
    pub memory_hits: u64,
    /// Found in a file.
    pub disk_hits: u64,
    /// Not found.
    pub misses: u64,
    /// Entries added, once the device had made them.
    pub stored: u64,
    /// Entries that went to make room, from memory and files.
    pub evicted: u64,
    /// Files that were damaged, or not what their name says, and were removed.
    pub damaged: u64,
    /// Files that could not be written.
    pub failed: u64,
    /// Entries in memory.
    pub memory_entries: u64,
    /// Their bytes.
    pub memory_bytes: u64,
    /// Files known.
    pub disk_entries: u64,
    /// Their bytes.
    pub disk_bytes: u64,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_cache_statistics {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// What the transcode cache did.
///
/// # Safety
/// Both pointers are valid, and the `struct_size` of `statistics` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_cache_statistics(
    emulator: *const texemu_emulator,
    statistics: *mut texemu_cache_statistics,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        let of = emulator.emulator.statistics().cache.unwrap_or_default();
        let told = texemu_cache_statistics {
            struct_size: 0,
            reserved: 0,
            memory_hits: of.memory_hits,
            disk_hits: of.disk_hits,
            misses: of.misses,
            stored: of.stored,
            evicted: of.evicted,
            damaged: of.damaged,
            failed: of.failed,
            memory_entries: of.memory_entries,
            memory_bytes: of.memory_bytes,
            disk_entries: of.disk_entries,
            disk_bytes: of.disk_bytes,
        };
        // SAFETY: the caller's promise.
        unsafe { write(statistics, told, "statistics") }?;
        Ok(Answer::Done)
    })
}

/// What all emulated images need.
///
/// # Safety
/// Both pointers are valid, and the `struct_size` of `statistics` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_statistics(
    emulator: *const texemu_emulator,
    statistics: *mut texemu_statistics,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        let all = emulator.emulator.statistics();
        let told = texemu_statistics {
            struct_size: 0,
            format_count: all.formats.len() as u32,
            bytes: all.bytes,
            peak_bytes: all.peak_bytes,
            bytes_saved: all.bytes_saved(),
        };
        // SAFETY: the caller's promise.
        unsafe { write(statistics, told, "statistics") }?;
        Ok(Answer::Done)
    })
}

/// What images of one format need and were used for; all zero if there was none.
///
/// # Safety
/// Both pointers are valid, and the `struct_size` of `statistics` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_format_statistics(
    emulator: *const texemu_emulator,
    format: vk::Format,
    statistics: *mut texemu_format_statistics,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        let row = crate::format::row(format)?;
        let all = emulator.emulator.statistics();
        // SAFETY: integers.
        let mut told: texemu_format_statistics = unsafe { std::mem::zeroed() };
        told.format = format;
        if let Some(of) = all.formats.iter().find(|of| of.format == row) {
            told = of.into();
        }
        // SAFETY: the caller's promise.
        unsafe { write(statistics, told, "statistics") }?;
        Ok(Answer::Done)
    })
}

/// The source formats that were asked about since the emulator was made. With `formats` null, `*count` becomes their number;
/// otherwise it says how many `formats` holds, and becomes how many were written: `VK_INCOMPLETE` if those were not all.
///
/// # Safety
/// `emulator` and `count` are valid; `formats` is null or holds `*count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_formats_asked(
    emulator: *const texemu_emulator,
    count: *mut u32,
    formats: *mut vk::Format,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let emulator = unsafe { get(emulator, "emulator") }?;
        let asked = emulator.emulator.offer().formats_asked();
        let all: Vec<vk::Format> = asked.into_iter().map(texemu_core::vk_format).collect();
        // SAFETY: the caller's promise.
        unsafe { list(&all, count, formats) }
    })
}
