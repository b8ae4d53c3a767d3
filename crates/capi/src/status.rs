//! How calls end: result codes, the message of the last failure, and the wall that panics do not pass.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use texemu_core::vk;

/// The version of the header. `texemu_version` tells that of the library.
pub const TEXEMU_VERSION_MAJOR: u32 = 0;
/// See `TEXEMU_VERSION_MAJOR`.
pub const TEXEMU_VERSION_MINOR: u32 = 1;
/// See `TEXEMU_VERSION_MAJOR`.
pub const TEXEMU_VERSION_PATCH: u32 = 0;

/// A positive `VkResult`: the image or format is not emulated. Nothing was done; call the driver.
pub const TEXEMU_NOT_EMULATED: i32 = 1_979_000_001;
/// A `VkResult`: an argument is null, out of range, or a structure of a newer version than the library. Nothing was done.
pub const TEXEMU_ERROR_INVALID_ARGUMENT: i32 = -1_979_000_001;
/// A `VkResult`: a bug in texemu, stopped at its boundary. Destroy the handles that the call was given, and use them no more.
pub const TEXEMU_ERROR_PANIC: i32 = -1_979_000_002;

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    result: vk::Result,
    message: String,
}

pub(crate) type Outcome<T = Answer> = Result<T, Failure>;

/// What a call answers that did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Done,
    /// The driver is to be called.
    NotEmulated,
    /// There is more than the caller's array holds.
    Incomplete,
}

impl Answer {
    /// The emulation's own "not mine".
    pub(crate) fn emulated(emulated: bool) -> Self {
        if emulated { Self::Done } else { Self::NotEmulated }
    }
}

impl Failure {
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self { result: vk::Result::from_raw(TEXEMU_ERROR_INVALID_ARGUMENT), message: message.into() }
    }

    pub(crate) fn vulkan(result: vk::Result, message: impl Into<String>) -> Self {
        Self { result, message: message.into() }
    }
}

impl From<texemu_emulate::Error> for Failure {
    fn from(error: texemu_emulate::Error) -> Self {
        Self { result: error.vk_result(), message: error.to_string() }
    }
}

impl From<texemu_core::Error> for Failure {
    fn from(error: texemu_core::Error) -> Self {
        texemu_emulate::Error::from(error).into()
    }
}

impl From<texemu_transcode::Error> for Failure {
    fn from(error: texemu_transcode::Error) -> Self {
        match error {
            // A job that breaks a rule is the caller's mistake, and named as such.
            texemu_transcode::Error::Device(error) => error.into(),
            other => Self::argument(other.to_string()),
        }
    }
}

impl From<::texemu_hiz::Error> for Failure {
    fn from(error: ::texemu_hiz::Error) -> Self {
        match error {
            ::texemu_hiz::Error::Device(error) => error.into(),
            error @ ::texemu_hiz::Error::Unsupported { .. } => {
                Self::vulkan(vk::Result::ERROR_FEATURE_NOT_PRESENT, error.to_string())
            }
            other => Self::argument(other.to_string()),
        }
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

fn set_message(text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no message any more.
    let _ = MESSAGE.try_with(|message| *message.borrow_mut() = text);
}

/// Runs the body of an export: panics end here, and a failure's message is kept for its thread.
pub(crate) fn guard(body: impl FnOnce() -> Outcome) -> vk::Result {
    let outcome = guarded(Err(Failure::vulkan(vk::Result::from_raw(TEXEMU_ERROR_PANIC), "")), body);
    match outcome {
        Ok(Answer::Done) => vk::Result::SUCCESS,
        Ok(Answer::NotEmulated) => vk::Result::from_raw(TEXEMU_NOT_EMULATED),
        Ok(Answer::Incomplete) => vk::Result::INCOMPLETE,
        Err(failure) => {
            if !failure.message.is_empty() {
                set_message(&failure.message);
            }
            failure.result
        }
    }
}

/// As [`guard`], for exports that answer with a value; `otherwise` after a panic.
pub(crate) fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    set_message("");
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_default();
        set_message(&format!("panic: {text}"));
        // A payload whose own destructor panics would pass the wall after all.
        std::mem::forget(cause);
        otherwise
    })
}

/// The version of the library: `VK_MAKE_API_VERSION(0, major, minor, patch)`. A header of the same major and minor version
/// fits it; before 1.0 nothing else is promised.
#[unsafe(no_mangle)]
pub extern "C" fn texemu_version() -> u32 {
    guarded(0, || vk::make_api_version(0, TEXEMU_VERSION_MAJOR, TEXEMU_VERSION_MINOR, TEXEMU_VERSION_PATCH))
}

/// What went wrong in the last call on this thread, in English; empty if nothing did. Never null. The text stays until this
/// thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn texemu_last_error_message() -> *const c_char {
    MESSAGE.try_with(|message| message.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn message() -> String {
        // SAFETY: the text stays until the next call of this thread.
        unsafe { CStr::from_ptr(texemu_last_error_message()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_becomes_a_result_with_its_message() {
        let index = std::hint::black_box(7);
        let result = guard(|| {
            assert!([1, 2, 3].get(index).is_some(), "index {index} is outside");
            Ok(Answer::Done)
        });
        assert_eq!(result.as_raw(), TEXEMU_ERROR_PANIC, "the panic's own code");
        assert!(message().contains("index 7 is outside"), "its message is kept: {}", message());
        assert_eq!(guard(|| Ok(Answer::Done)), vk::Result::SUCCESS, "the thread goes on");
        assert_eq!(message(), "", "and the message is gone");
    }

    #[test]
    fn messages_belong_to_their_thread() {
        let result = guard(|| Err(Failure::argument("here\0there")));
        assert_eq!(result.as_raw(), TEXEMU_ERROR_INVALID_ARGUMENT);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(message(), "", "another thread failed in nothing"));
        });
        assert_eq!(message(), "here there", "this one still knows");
    }

    #[test]
    fn the_version_is_that_of_the_package() {
        let numbers = [TEXEMU_VERSION_MAJOR, TEXEMU_VERSION_MINOR, TEXEMU_VERSION_PATCH];
        let text = numbers.map(|number| number.to_string()).join(".");
        assert_eq!(text, env!("CARGO_PKG_VERSION"), "the constants follow Cargo.toml");
        let whole = texemu_version();
        let parts =
            [vk::api_version_major(whole), vk::api_version_minor(whole), vk::api_version_patch(whole)];
        assert_eq!(parts, numbers, "and the function follows the constants");
    }
}
