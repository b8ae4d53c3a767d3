//! The encoders' CPU twins: 16 texels to one BC block, in integers, so that the shaders of `glsl/encode` give the same
//! bytes.
//!
//! ```
//! use texemu_reference::encode::{Effort, encode_image};
//! let format = texemu_format::by_name("BC1_RGB_UNORM_BLOCK").unwrap();
//! let gray = [128u8; 5 * 3 * 4];
//! let blocks = encode_image(format, &gray, [5, 3, 1], Effort::Fast)?;
//! assert_eq!(blocks.len(), 2 * 8);
//! # Ok::<(), texemu_reference::Error>(())
//! ```

mod bc1;
mod bc3;
mod bc4;
mod bc5;
mod bc6h;
mod bc7;
mod color;
mod image;
mod partition;
mod scalar;
mod vector;

pub use image::{encode_block, encode_image, texel_bytes};

/// How long an encoder may take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Effort {
    /// For a frame.
    #[default]
    Fast,
    /// For a background upgrade or offline work.
    High,
}
