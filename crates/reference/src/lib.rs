//! The CPU twins: every decoder of the project in plain Rust, written from the Khronos Data Format
//! Specification 1.4 (KDFS) alone. They are the oracle of the GPU tests and the fallback where there is no
//! GPU.
//!
//! One image, all threads:
//!
//! ```
//! use texemu_reference::{Options, decode_image};
//! let format = texemu_format::by_name("ASTC_8x8_SRGB_BLOCK").unwrap();
//! let blocks = [0u8; 2 * 16]; // two blocks of a reserved mode
//! let texels = decode_image(format, &blocks, [13, 7, 1], &Options::default())?;
//! assert_eq!(texels.len(), 13 * 7 * 4);
//! assert_eq!(texels[..4], [255, 0, 255, 255], "an illegal block is opaque magenta");
//! # Ok::<(), texemu_reference::Error>(())
//! ```
//!
//! A large image goes into the caller's own memory with [`decode_into`], or band by band with
//! [`decode_bands`].

pub mod astc;
pub mod blocks;
mod difference;
mod eac;
pub mod encode;
mod error;
pub mod etc2;
pub mod filter;
mod half;
mod image;

pub use difference::{Difference, difference};
pub use error::Error;
pub use image::{ErrorColor, Options, decode_bands, decode_block, decode_image, decode_into, target};
