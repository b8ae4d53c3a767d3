//! How the program ends: its exit codes and its messages.

use anyhow::Error;
use std::io::Write;
use std::process::ExitCode;

const MISMATCH: u8 = 1;
const BAD_INPUT: u8 = 2;
const NO_DEVICE: u8 = 3;
/// What a shell reports for a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

/// How a command ended that did what it was asked to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Good,
    /// Something was compared and is not equal.
    Mismatch,
}

impl Outcome {
    pub(crate) fn of(equal: bool) -> Self {
        if equal { Self::Good } else { Self::Mismatch }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Good => ExitCode::SUCCESS,
            Outcome::Mismatch => MISMATCH.into(),
        }
    }
}

/// Ctrl-C.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted; nothing half-written was left behind")
    }
}

impl std::error::Error for Interrupted {}

/// Files that could not be processed and were reported one by one.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) files: usize,
    pub(crate) of: usize,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} files failed", self.files, self.of)
    }
}

impl std::error::Error for Failed {}

/// Prints one file's error while others are still to come.
pub(crate) fn print(error: &Error) {
    complain(format_args!("texemu: {error:#}"));
}

/// Writes a line to standard error. If nobody listens there is nobody to tell, and no reason to panic as `eprintln!` does.
pub(crate) fn complain(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Prints the error that ends the program.
pub(crate) fn report(error: &Error) -> ExitCode {
    print(error);
    code(error).into()
}

/// Whether no other file can fare better: the device is unusable, or the user wants to stop.
pub(crate) fn ends_everything(error: &Error) -> bool {
    code(error) != BAD_INPUT
}

fn code(error: &Error) -> u8 {
    let is_device = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<texemu_core::Error>()
            || matches!(cause.downcast_ref(), Some(texemu_transcode::Error::Device(_)))
            || matches!(cause.downcast_ref(), Some(texemu_hiz::Error::Device(_)))
            || is_viewers_device(cause)
    };
    if error.chain().any(|cause| cause.is::<Interrupted>()) {
        INTERRUPTED
    } else if error.chain().any(is_device) {
        NO_DEVICE
    } else {
        BAD_INPUT
    }
}

#[cfg(feature = "view")]
fn is_viewers_device(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref().is_some_and(texemu_view::Error::is_device)
}

#[cfg(not(feature = "view"))]
fn is_viewers_device(_: &(dyn std::error::Error + 'static)) -> bool {
    false
}
