//! Structures that grow: the first member says how long the caller's is.
//!
//! A shorter one is an older caller's: what it does not have is zero, and zero is the default everywhere. A longer one is a
//! newer caller's: it is taken if all that this library does not know is zero.

use crate::status::{Failure, Outcome};

/// A structure whose first member is `uint32_t struct_size`, and for which all bits zero is a valid value.
///
/// # Safety
/// `repr(C)`, the first member a `u32`, every member fine with zero bits; `FIRST_SIZE` is at most its size.
pub(crate) unsafe trait Versioned: Copy {
    /// Bytes in the first version.
    const FIRST_SIZE: usize;
}

/// Bytes that the caller's structure has.
///
/// # Safety
/// `pointer` is null or points to a structure that starts with its size.
unsafe fn size<T: Versioned>(pointer: *const T, name: &str) -> Outcome<usize> {
    // SAFETY: the caller's promise.
    let size = *unsafe { crate::pointer::get(pointer.cast::<u32>(), name) }? as usize;
    if size < T::FIRST_SIZE {
        let least = T::FIRST_SIZE;
        return Err(Failure::argument(format!(
            "{name}: struct_size is {size}, the first version has {least}"
        )));
    }
    Ok(size)
}

/// Copies a structure of the caller's.
///
/// # Safety
/// `pointer` is null, or points to as many readable bytes as its first member says.
pub(crate) unsafe fn read<T: Versioned>(pointer: *const T, name: &str) -> Outcome<T> {
    // SAFETY: the caller's promise.
    let size = unsafe { size(pointer, name) }?;
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    if bytes.iter().skip(size_of::<T>()).any(|&byte| byte != 0) {
        let known = size_of::<T>();
        let message = format!(
            "{name}: of {size} bytes this version of libtexemu knows {known}, and the rest is not zero"
        );
        return Err(Failure::argument(message));
    }
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    let length = size.min(size_of::<T>());
    // SAFETY: both hold `length` bytes, and one of them is ours alone.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.as_mut_ptr().cast::<u8>(), length) };
    // SAFETY: zero bits are valid by the trait's promise, and the rest came from a value of the caller's.
    Ok(unsafe { value.assume_init() })
}

/// As [`read`], where null stands for zero.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn read_or_zero<T: Versioned>(pointer: *const T, name: &str) -> Outcome<Option<T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { read(pointer, name) }.map(Some)
}

/// An array of structures: the first one's size is the step from each to the next.
///
/// # Safety
/// `pointer` is valid for `count` structures of that size.
pub(crate) unsafe fn read_array<T: Versioned>(pointer: *const T, count: u32, name: &str) -> Outcome<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller's promise.
    let step = unsafe { size(pointer, name) }?;
    let mut all = Vec::with_capacity(count as usize);
    for index in 0..count as usize {
        // SAFETY: the array has this element by the caller's promise.
        let element = unsafe { pointer.byte_add(index * step) };
        // SAFETY: as above.
        let element_size = unsafe { size(element, name) }?;
        if element_size != step {
            return Err(Failure::argument(format!(
                "{name}[{index}]: struct_size differs from the first one's"
            )));
        }
        // SAFETY: as above.
        all.push(unsafe { read(element, name) }?);
    }
    Ok(all)
}

/// Fills a structure of the caller's as far as it goes; its size stays.
///
/// # Safety
/// `pointer` is null, or points to as many writable bytes as its first member says.
pub(crate) unsafe fn write<T: Versioned>(pointer: *mut T, value: T, name: &str) -> Outcome<()> {
    // SAFETY: the caller's promise.
    let size = unsafe { size(pointer.cast_const(), name) }?;
    let length = size.min(size_of::<T>()) - size_of::<u32>();
    // SAFETY: the caller's structure is longer than its first member.
    let to = unsafe { pointer.cast::<u8>().add(size_of::<u32>()) };
    // SAFETY: as above, for the value.
    let from = unsafe { (&raw const value).cast::<u8>().add(size_of::<u32>()) };
    // SAFETY: both hold as many bytes, and the value is ours.
    unsafe { std::ptr::copy_nonoverlapping(from, to, length) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Two {
        struct_size: u32,
        old: u32,
        new: u32,
    }

    // SAFETY: three integers, the size first.
    unsafe impl Versioned for Two {
        const FIRST_SIZE: usize = 8;
    }

    fn read_words(words: &[u32]) -> Outcome<Two> {
        // SAFETY: every test hands as many words as the first one says.
        unsafe { read(words.as_ptr().cast(), "two") }
    }

    #[test]
    fn old_and_new_callers_are_understood() {
        assert_eq!(
            read_words(&[8, 5]).unwrap(),
            Two { struct_size: 8, old: 5, new: 0 },
            "what is not there is zero"
        );
        assert_eq!(read_words(&[12, 5, 6]).unwrap().new, 6, "all of it");
        assert_eq!(read_words(&[16, 5, 6, 0]).unwrap().new, 6, "a newer caller that wants nothing new");
        assert!(read_words(&[16, 5, 6, 1]).is_err(), "a newer caller that wants what is not known here");
        assert!(read_words(&[4, 5, 6]).is_err(), "shorter than the first version");
        assert!(read_words(&[0]).is_err(), "a size that was never set");
    }

    #[test]
    fn arrays_step_by_the_callers_size() {
        let words = [16, 1, 2, 0, 16, 3, 4, 0];
        // SAFETY: two structures of 16 bytes.
        let all = unsafe { read_array::<Two>(words.as_ptr().cast(), 2, "twos") }.unwrap();
        assert_eq!([all[0].old, all[1].old], [1, 3], "the second lies 16 bytes on");
        let mixed = [16, 1, 2, 0, 12, 3, 4, 0];
        // SAFETY: as above.
        let read = unsafe { read_array::<Two>(mixed.as_ptr().cast(), 2, "twos") };
        assert!(read.is_err(), "two sizes in one array");
    }

    #[test]
    fn nothing_is_written_behind_an_old_callers_structure() {
        let mut words = [8u32, 0, 77];
        let value = Two { struct_size: 12, old: 5, new: 6 };
        // SAFETY: eight bytes may be written.
        unsafe { write(words.as_mut_ptr().cast(), value, "two") }.unwrap();
        assert_eq!(words, [8, 5, 77], "its size stays, and so does what lies behind it");
    }
}
