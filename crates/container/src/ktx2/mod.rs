//! `.ktx2`: the Khronos texture container, version 2.0 (KTX specification, 2.0).

mod inflate;
mod read;
mod write;

pub(crate) use read::{MAGIC, read};
pub use write::{Ktx2Options, write_ktx2};

/// The fixed header: the identifier, nine words, and the index of the other sections.
const HEADER_BYTES: u64 = ::ktx2::Header::LENGTH as u64;
/// One entry of the level index.
const LEVEL_BYTES: u64 = ::ktx2::LevelIndex::LENGTH as u64;

/// `supercompressionScheme`'s registered values.
mod scheme {
    pub(super) const NONE: u32 = 0;
    pub(super) const BASIS_LZ: u32 = 1;
    pub(super) const ZSTANDARD: u32 = 2;
    pub(super) const ZLIB: u32 = 3;
}
