//! The intercepted functions, in files by what they act on. Each hands its arguments to the emulation or to the next layer.

pub(crate) mod bind;
pub(crate) mod command;
pub(crate) mod copy;
pub(crate) mod image;
pub(crate) mod memory;
pub(crate) mod query;
pub(crate) mod resource;

/// An array of the application's.
///
/// # Safety
/// `array` points to `count` values that outlive the slice, or `count` is 0.
unsafe fn slice<'a, T>(array: *const T, count: u32) -> &'a [T] {
    if count == 0 || array.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(array, count as usize) }
}
