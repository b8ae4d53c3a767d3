//! The crate's one error type.

use texemu_format::Format;

/// Why a job cannot be recorded. Nothing was recorded then.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] texemu_core::Error),
    /// There is no kernel for this pair of formats.
    #[error("no kernel turns {} into {}", source_format.name, target.name)]
    NoKernel {
        /// The format asked for.
        source_format: &'static Format,
        /// The format to store.
        target: &'static Format,
    },
    /// There are kernels for the pair, but none as it was asked for.
    #[error("no kernel turns {} into {} with {what}", source_format.name, target.name)]
    NoVariant {
        /// The format asked for.
        source_format: &'static Format,
        /// The format to store.
        target: &'static Format,
        /// The granularity, source or store that was asked for.
        what: String,
    },
    /// A region does not fit its image or its blocks.
    #[error("region {index}: {what}")]
    Region {
        /// Its place in the job.
        index: usize,
        /// Which rule it breaks, with the numbers.
        what: String,
    },
}

/// `std::result::Result` with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
