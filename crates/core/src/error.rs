//! The crate's one error type.

use ash::vk;

/// What a caller of this crate cannot foresee.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no Vulkan loader to load.
    #[error("cannot load Vulkan: {0}; install the Vulkan loader (Debian: libvulkan1)")]
    Loader(#[from] ash::LoadingError),
    /// Validation was asked for and the layer is not there.
    #[error(
        "the layer VK_LAYER_KHRONOS_validation is not installed (Debian: vulkan-validationlayers) or VK_LAYER_PATH hides it"
    )]
    NoValidation,
    /// No device fits what was asked for.
    #[error("{0}")]
    NoDevice(String),
    /// A Vulkan function failed.
    #[error("{call}: {result}")]
    Vulkan {
        /// The function.
        call: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// Device memory could not be had.
    #[error("no memory for {what}: {source}")]
    Allocation {
        /// The object's debug name.
        what: String,
        /// The allocator's reason.
        source: gpu_allocator::AllocationError,
    },
    /// A kernel needs what the device, or the host's choice of features, does not give.
    #[error("kernel {kernel} needs {what}, which this device was not created with")]
    MissingFeature {
        /// The kernel's name.
        kernel: &'static str,
        /// The feature or extension.
        what: &'static str,
    },
    /// The device was borrowed without a queue, so nothing can be submitted through it.
    #[error("this device belongs to a host: texemu has no queue of its own to submit to")]
    NoQueue,
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
