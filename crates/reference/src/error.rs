use texemu_format::VkFormat;

/// Why an image could not be decoded or encoded. Illegal blocks are no error: they decode to the error
/// colour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The format is not one that this crate decodes.
    #[error("{0:?} is not a format with a CPU decoder")]
    NotASource(VkFormat),
    /// Only `ASTC_*_UNORM_BLOCK` and `ASTC_*_SFLOAT_BLOCK` can be decoded to 16-bit floats.
    #[error("{0:?} cannot be decoded to 16-bit floats")]
    NoFloat16(VkFormat),
    /// The format is not one that this crate encodes.
    #[error("{0:?} is not a format with a CPU encoder")]
    NotATarget(VkFormat),
    /// Fewer bytes of texels than the extent needs.
    #[error("the image needs {needed} bytes of texels, {given} were given")]
    TooFewTexels {
        /// Bytes that the extent needs.
        needed: u64,
        /// Bytes that were given.
        given: u64,
    },
    /// Fewer bytes of blocks than the extent needs.
    #[error("the image needs {needed} bytes of blocks, {given} were given")]
    TooFewBlocks {
        /// Bytes that the extent needs.
        needed: u64,
        /// Bytes that were given.
        given: u64,
    },
    /// The buffer for the result does not have its size.
    #[error("the result takes {needed} bytes, the buffer has {given}")]
    WrongBufferSize {
        /// Bytes that the result takes.
        needed: u64,
        /// Bytes that the buffer has.
        given: u64,
    },
    /// The image does not fit in the address space.
    #[error("an image of {0:?} texels does not fit in memory")]
    TooLarge([u32; 3]),
    /// The format is not one whose texels can be compared.
    #[error("texels of {0:?} cannot be compared")]
    NotTexels(VkFormat),
}
