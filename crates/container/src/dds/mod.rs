//! `.dds`: DirectDraw Surface, with the DX10 header or an older pixel format (Microsoft, "Programming Guide for DDS").

mod read;
mod write;

pub(crate) use read::{MAGIC, read};
pub use write::write_dds;

/// Magic and `DDS_HEADER`.
const HEADER_BYTES: u64 = 4 + 124;
/// `DDS_HEADER_DXT10`.
const HEADER_DX10_BYTES: u64 = 20;

/// `DDS_HEADER.dwFlags`.
mod flags {
    pub(super) const CAPS: u32 = 0x1;
    pub(super) const HEIGHT: u32 = 0x2;
    pub(super) const WIDTH: u32 = 0x4;
    pub(super) const PITCH: u32 = 0x8;
    pub(super) const PIXEL_FORMAT: u32 = 0x1000;
    pub(super) const MIP_MAP_COUNT: u32 = 0x2_0000;
    pub(super) const LINEAR_SIZE: u32 = 0x8_0000;
    pub(super) const DEPTH: u32 = 0x80_0000;
}

/// `DDS_PIXELFORMAT.dwFlags`.
mod pixel_format {
    pub(super) const FOUR_CC: u32 = 0x4;
    pub(super) const RGB: u32 = 0x40;
}

/// `DDS_HEADER.dwCaps` and `dwCaps2`.
mod caps {
    pub(super) const COMPLEX: u32 = 0x8;
    pub(super) const TEXTURE: u32 = 0x1000;
    pub(super) const MIP_MAP: u32 = 0x40_0000;
    pub(super) const CUBE_MAP: u32 = 0x200;
    pub(super) const ALL_FACES: u32 = 0xFC00;
    pub(super) const VOLUME: u32 = 0x20_0000;
}

/// `DDS_HEADER_DXT10`'s enumerations.
mod dx10 {
    pub(super) const TEXTURE_1D: u32 = 2;
    pub(super) const TEXTURE_2D: u32 = 3;
    pub(super) const TEXTURE_3D: u32 = 4;
    pub(super) const MISC_TEXTURE_CUBE: u32 = 0x4;
    pub(super) const ALPHA_MODE_MASK: u32 = 0x7;
    pub(super) const ALPHA_PREMULTIPLIED: u32 = 2;
    pub(super) const ALPHA_OPAQUE: u32 = 3;
}
