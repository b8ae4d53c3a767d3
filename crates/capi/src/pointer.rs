//! Pointers from C: null is an answer, everything else is the caller's promise.

use crate::status::{Answer, Failure, Outcome};

fn null(name: &str) -> Failure {
    Failure::argument(format!("{name} is null"))
}

/// What `pointer` points to; a failure that names it if it is null.
///
/// # Safety
/// Null, or valid for reads for as long as the result is used.
pub(crate) unsafe fn get<'a, T>(pointer: *const T, name: &str) -> Outcome<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// As [`get`], to write to.
///
/// # Safety
/// Null, or valid for reads and writes, and used by nobody else, for as long as the result is used.
pub(crate) unsafe fn get_mut<'a, T>(pointer: *mut T, name: &str) -> Outcome<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// An array; `pointer` may be null if it is empty.
///
/// # Safety
/// `pointer` is valid for `count` elements for as long as the result is used.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: u32, name: &str) -> Outcome<&'a [T]> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer, count as usize) }),
    }
}

/// Bytes; `pointer` may be null if there are none.
///
/// # Safety
/// `pointer` is valid for `size` bytes for as long as the result is used.
pub(crate) unsafe fn bytes<'a>(pointer: *const u8, size: usize, name: &str) -> Outcome<&'a [u8]> {
    match (pointer.is_null(), size) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer, size) }),
    }
}

/// Hands an object to C.
pub(crate) fn give<T>(slot: &mut *mut T, object: T) -> Answer {
    *slot = Box::into_raw(Box::new(object));
    Answer::Done
}

/// Takes an object back from C; null is none.
///
/// # Safety
/// Null, or what [`give`] gave, and not taken before.
pub(crate) unsafe fn take<T>(pointer: *mut T) -> Option<Box<T>> {
    // SAFETY: the caller's promise.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer) })
}

/// Vulkan's way to hand out a list: with a null array only the count is told; otherwise as many as fit.
///
/// # Safety
/// `count` is null or valid; `array` is null or holds `*count` elements.
pub(crate) unsafe fn list<T: Copy>(all: &[T], count: *mut u32, array: *mut T) -> Outcome {
    // SAFETY: the caller's promise.
    let count = unsafe { get_mut(count, "the pointer to the count") }?;
    let whole = u32::try_from(all.len()).unwrap_or(u32::MAX);
    if array.is_null() {
        *count = whole;
        return Ok(Answer::Done);
    }
    let fits = whole.min(*count);
    // SAFETY: the array holds *count elements by the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(all.as_ptr(), array, fits as usize) };
    *count = fits;
    Ok(if fits < whole { Answer::Incomplete } else { Answer::Done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_counted_and_cut() {
        let all = [3u32, 4, 5];
        let mut count = 0;
        // SAFETY: a null array asks for the count.
        let answer = unsafe { list(&all, &mut count, std::ptr::null_mut()) };
        assert_eq!((answer.unwrap(), count), (Answer::Done, 3), "the count alone");
        let mut room = [0; 4];
        count = 2;
        // SAFETY: the array has room for 4.
        let answer = unsafe { list(&all, &mut count, room.as_mut_ptr()) };
        assert_eq!((answer.unwrap(), count, room), (Answer::Incomplete, 2, [3, 4, 0, 0]), "as many as fit");
        count = 4;
        // SAFETY: the array has room for 4.
        let answer = unsafe { list(&all, &mut count, room.as_mut_ptr()) };
        assert_eq!((answer.unwrap(), count, room), (Answer::Done, 3, [3, 4, 5, 0]), "all");
    }

    #[test]
    fn null_is_named() {
        // SAFETY: null is allowed.
        let failure = unsafe { get::<u32>(std::ptr::null(), "image") }.unwrap_err();
        assert!(format!("{failure:?}").contains("image is null"), "{failure:?}");
        // SAFETY: null is allowed with nothing in it.
        let nothing = unsafe { array::<u32>(std::ptr::null(), 0, "regions") }.unwrap();
        assert!(nothing.is_empty(), "nothing of nothing");
        // SAFETY: null is refused.
        assert!(unsafe { array::<u32>(std::ptr::null(), 1, "regions") }.is_err(), "one of nothing");
    }
}
