//! Ctrl-C: work stops at the next band, so that temporary files are removed and the device is left idle.

use crate::failure::Interrupted;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Starts to watch for SIGINT, SIGTERM and SIGHUP. A second one ends the program at once.
pub(crate) fn watch() {
    let result = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let Err(error) = result {
        log::warn!("Ctrl-C will end the program at once: {error}");
    }
}

/// An error once the user wants to stop.
pub(crate) fn check() -> Result<(), Interrupted> {
    if REQUESTED.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
}
