//! The crate's one error type.

use crate::Path;

/// What a caller of this crate cannot foresee.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The description contradicts itself.
    #[error("{0}")]
    Invalid(&'static str),
    /// The path cannot make this pyramid on this device.
    #[error("path {path:?}: {reason}")]
    Unsupported {
        /// The path asked for.
        path: Path,
        /// Why not.
        reason: &'static str,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] texemu_core::Error),
}

/// `std::result::Result` with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
