//! The crate's one error type.

use texemu_core::vk;

/// What a caller of this crate cannot foresee.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] texemu_core::Error),
    /// An image could not be emulated.
    #[error(transparent)]
    Emulate(#[from] texemu_emulate::Error),
    /// A Vulkan function failed.
    #[error("{call}: {result}")]
    Vulkan {
        /// The function.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// What the viewer's user says about a file that it could not read.
    #[error(transparent)]
    File(#[from] Box<dyn std::error::Error + Send + Sync>),
    /// A texture that this device cannot hold or sample.
    #[error("{0}")]
    Unsupported(String),
    /// A level, layer, face or slice that the texture does not have.
    #[error("{what} {index}: there are {count}, counted from 0")]
    Outside {
        /// Level, layer, face or slice.
        what: &'static str,
        /// Which was asked for.
        index: u32,
        /// How many there are.
        count: u32,
    },
    /// The system gives no window.
    #[error("no window: {0}")]
    Window(String),
}

impl Error {
    /// Whether the device or its driver failed, not what it was given.
    pub fn is_device(&self) -> bool {
        match self {
            Self::Device(_) | Self::Vulkan { .. } => true,
            Self::Emulate(error) => !matches!(
                error.vk_result(),
                vk::Result::ERROR_UNKNOWN | vk::Result::ERROR_FORMAT_NOT_SUPPORTED
            ),
            _ => false,
        }
    }

    /// Whether nothing can be done with the device any more.
    pub(crate) fn is_device_lost(&self) -> bool {
        let result = match self {
            Self::Vulkan { result, .. } | Self::Device(texemu_core::Error::Vulkan { result, .. }) => *result,
            Self::Emulate(error) => error.vk_result(),
            _ => return false,
        };
        result == vk::Result::ERROR_DEVICE_LOST
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
