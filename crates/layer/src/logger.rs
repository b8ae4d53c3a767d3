//! Messages on the standard error stream. The layer's library has a logger of its own: the application's is not touched.

use log::{LevelFilter, Log, Metadata, Record};
use std::sync::Once;

struct Stderr;

impl Log for Stderr {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        eprintln!("texemu layer: {}: {}", record.level().as_str().to_lowercase(), record.args());
    }

    fn flush(&self) {}
}

/// Called for every instance; the most talkative one decides.
pub(crate) fn set_up(level: LevelFilter) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails if the program that links the layer has a logger: then that one is used.
        let _ = log::set_logger(&Stderr);
    });
    log::set_max_level(log::max_level().max(level));
}
