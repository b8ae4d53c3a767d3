//! The crate's one error type.

use texemu_core::vk;
use texemu_format::Format;

/// What a caller of this crate cannot foresee, and what an emulated image refuses.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] texemu_core::Error),
    /// The transcoder refused a job.
    #[error(transparent)]
    Transcode(#[from] texemu_transcode::Error),
    /// A Vulkan function failed.
    #[error("{call}: {result}")]
    Vulkan {
        /// The function.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// An image, view or copy that emulation does not offer: [`Offer`](crate::Offer) does not advertise it either.
    #[error("{}: {what}", format.name)]
    Unsupported {
        /// The format asked for.
        format: &'static Format,
        /// What was asked of it.
        what: String,
    },
    /// No target is small enough for the ceiling of [`Settings`](crate::Settings).
    #[error("{}: {bytes} bytes more would pass the ceiling of {ceiling}, of which {used} are in use", format.name)]
    Ceiling {
        /// The format asked for.
        format: &'static Format,
        /// What the smallest target needs.
        bytes: u64,
        /// What emulated images hold already.
        used: u64,
        /// The ceiling.
        ceiling: u64,
    },
    /// A copy meets an image that is neither emulated nor described by [`Emulator::note_image`](crate::Emulator::note_image).
    #[error("image {0:?} is unknown: describe it with note_image")]
    UnknownImage(vk::Image),
    /// The image's memory is not bound yet.
    #[error("image {0:?} has no memory yet")]
    Unbound(vk::Image),
}

impl Error {
    /// The `VkResult` that tells the same to an application.
    pub fn vk_result(&self) -> vk::Result {
        match self {
            Self::Device(error) => device_result(error),
            Self::Transcode(texemu_transcode::Error::Device(error)) => device_result(error),
            Self::Transcode(_) | Self::UnknownImage(_) | Self::Unbound(_) => vk::Result::ERROR_UNKNOWN,
            Self::Vulkan { result, .. } => *result,
            Self::Unsupported { .. } => vk::Result::ERROR_FORMAT_NOT_SUPPORTED,
            Self::Ceiling { .. } => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        }
    }
}

fn device_result(error: &texemu_core::Error) -> vk::Result {
    match error {
        texemu_core::Error::Vulkan { result, .. } => *result,
        texemu_core::Error::Allocation { .. } => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        texemu_core::Error::MissingFeature { .. } => vk::Result::ERROR_FEATURE_NOT_PRESENT,
        _ => vk::Result::ERROR_INITIALIZATION_FAILED,
    }
}

/// `std::result::Result` with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Names the failing call.
pub(crate) trait Context<T> {
    fn call(self, call: &'static str) -> Result<T>;
}

impl<T> Context<T> for Result<T, vk::Result> {
    fn call(self, call: &'static str) -> Result<T> {
        self.map_err(|result| Error::Vulkan { call, result })
    }
}
