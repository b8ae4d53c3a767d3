//! ASTC, all two-dimensional footprints (KDFS 1.4, "ASTC Compressed Texture Image Formats").
//!
//! A block is decoded in the order of these files: [`block_mode`](BlockMode) and `physical` read its header,
//! `integer_sequence` and `quantization` unpack its weights and colours, `endpoints` makes colour pairs of
//! them, `weights` and `partition` say which pair and which weight each texel takes, `decoder` interpolates.

mod block_mode;
mod decoder;
mod endpoints;
mod fault;
pub(crate) mod integer_sequence;
mod partition;
mod physical;
pub(crate) mod quantization;
mod weights;

pub use block_mode::BlockMode;
pub(crate) use decoder::{Decoder, Float16, Srgb8, Unorm8};
pub use fault::Fault;
pub use physical::{Block, Coded, VoidExtent, inspect};
pub(crate) use {block_mode::MODES, physical::color_range};

/// Texels of the largest footprint, 12 x 12.
pub(crate) const MAX_TEXELS: usize = 144;
/// The most weights that a block may store.
pub(crate) const MAX_WEIGHTS: usize = 64;
/// The most colour values that a block may store.
pub(crate) const MAX_COLORS: usize = 18;
