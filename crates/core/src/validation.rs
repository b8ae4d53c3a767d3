//! Collects what the validation layers say.

use ash::vk;
use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether to load the Khronos validation layer on an owned instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Validation {
    /// No layer.
    #[default]
    Off,
    /// Core checks and synchronization validation.
    Synchronization,
}

/// The messages of the validation layers since the instance was made. Clones share one list, and outlive the device,
/// so that what is reported while it is destroyed is seen too.
#[derive(Clone, Default, Debug)]
pub struct ValidationLog(Arc<Mutex<Vec<String>>>);

impl ValidationLog {
    /// All messages of severity warning or error, in order.
    pub fn messages(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn push(&self, message: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    /// The pointer handed to the messenger: stays valid as long as any clone lives.
    pub(crate) fn user_data(&self) -> *mut c_void {
        Arc::as_ptr(&self.0).cast_mut().cast()
    }

    pub(crate) fn messenger_info(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            )
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(callback))
            .user_data(self.user_data())
    }
}

/// Called by the layer on any thread; must not unwind.
unsafe extern "system" fn callback(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    let result = std::panic::catch_unwind(|| {
        // SAFETY: the layer passes a valid structure for the duration of the call.
        let Some(data) = (unsafe { data.as_ref() }) else { return };
        if data.p_message.is_null() {
            return;
        }
        // SAFETY: p_message is a null-terminated string, checked not to be null.
        let text = unsafe { CStr::from_ptr(data.p_message) }.to_string_lossy().into_owned();
        let list: *const Mutex<Vec<String>> = user.cast_const().cast();
        // SAFETY: user is `ValidationLog::user_data` of a log that the instance's owner keeps; the count taken here
        // is given back when `log` is dropped.
        unsafe { Arc::increment_strong_count(list) };
        // SAFETY: as above; this takes over the count just added.
        let log = ValidationLog(unsafe { Arc::from_raw(list) });
        if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
            log::error!("{text}");
        } else {
            log::warn!("{text}");
        }
        log.push(text);
    });
    // The message is lost if logging panics; the application is not.
    drop(result);
    vk::FALSE
}
