//! An allocator that tells how much heap a piece of work takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

/// The heap in use, and the most that was since the last look.
struct Meter {
    now: AtomicUsize,
    peak: AtomicUsize,
}

static METER: Meter = Meter { now: AtomicUsize::new(0), peak: AtomicUsize::new(0) };

struct Metered;

// SAFETY: every request goes to the system's allocator as it came; the counting touches no memory of it.
unsafe impl GlobalAlloc for Metered {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = METER.now.fetch_add(layout.size(), Relaxed) + layout.size();
        METER.peak.fetch_max(now, Relaxed);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        METER.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `pointer` came from `alloc` above with this layout, as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Large blocks are moved by their pages, never held twice.
        let now = METER.now.fetch_add(size, Relaxed) + size - layout.size();
        METER.now.fetch_sub(layout.size(), Relaxed);
        METER.peak.fetch_max(now, Relaxed);
        // SAFETY: `pointer` came from `alloc` above with this layout, as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Metered = Metered;

/// One test at a time looks at the meter.
static ONE: Mutex<()> = Mutex::new(());

/// What keeps other tests from the meter until it is dropped.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(|poison| poison.into_inner())
}

/// Does `work` and tells the most bytes of heap that were taken at one time for it.
pub(crate) fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = METER.now.load(Relaxed);
    METER.peak.store(before, Relaxed);
    let value = work();
    (value, METER.peak.load(Relaxed) - before)
}
