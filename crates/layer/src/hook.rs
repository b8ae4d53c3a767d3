//! What every exported function is made of.

use ash::vk;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`; a panic is logged and becomes `fallback`. Nothing may unwind into the loader.
pub(crate) fn guard<T>(name: &str, fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        // Logging may be what panicked.
        let _ = catch_unwind(|| log::error!("{name}: a panic was caught; the call did nothing"));
        fallback
    })
}

/// What a function returns if it cannot do anything.
pub(crate) trait Failure {
    const FAILURE: Self;
}

impl Failure for vk::Result {
    const FAILURE: Self = Self::ERROR_UNKNOWN;
}

impl Failure for () {
    const FAILURE: Self = ();
}

/// An exported function of a device: finds the device of its first argument, and lets nothing unwind.
macro_rules! device_hook {
    ($(#[$attribute:meta])* fn $name:ident($handle:ident: $handle_type:ty $(, $argument:ident: $type:ty)* $(,)?)
        $(-> $result:ty)?; |$device:ident| $body:block) => {
        $(#[$attribute])*
        pub(crate) unsafe extern "system" fn $name($handle: $handle_type $(, $argument: $type)*) $(-> $result)? {
            crate::hook::guard(stringify!($name), crate::hook::Failure::FAILURE, || {
                // SAFETY: the loader passes dispatchable handles that are alive.
                let Some($device) = (unsafe { crate::registry::device($handle) }) else {
                    log::error!("{}: the device is unknown", stringify!($name));
                    return crate::hook::Failure::FAILURE;
                };
                $body
            })
        }
    };
}

/// Calls the next layer's function.
macro_rules! next {
    ($state:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $state.next.$function {
            // SAFETY: the caller's own arguments, or such as are as valid as they are.
            Some(function) => unsafe { function($($argument),*) },
            None => {
                log::error!("{}: the driver does not have it", stringify!($function));
                crate::hook::Failure::FAILURE
            }
        }
    };
}
