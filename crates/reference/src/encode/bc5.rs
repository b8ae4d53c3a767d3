//! BC5: two BC4 blocks. Twin of `glsl/encode/bc5.glsl`.

use super::{Effort, bc4};

/// Encodes 16 values of each channel.
pub(super) fn encode(channels: [[u16; 16]; 2], snorm: bool, effort: Effort) -> [u8; 16] {
    let blocks = channels.map(|values| bc4::encode(&values, snorm, effort));
    std::array::from_fn(|byte| blocks[byte / 8][byte % 8])
}
