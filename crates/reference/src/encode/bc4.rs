//! BC4. Twin of `glsl/encode/bc4.glsl` and `channel.glsl`.

use super::Effort;
use super::scalar::{ScalarBlock, Scale, scalar_block};

/// Encodes 16 UNORM16 values, or SNORM16 values in two's complement.
pub(super) fn encode(values: &[u16; 16], snorm: bool, effort: Effort) -> [u8; 8] {
    if snorm {
        // -32767 is 0 and 32767 is 254 * 16; -32768 is -1 as well.
        let above = values.map(|v| i32::from(v as i16).max(-32767) + 32767);
        let block = scalar_block(&above.map(|v| (v * 4064 + 32767) / 65534), Scale::SNORM, effort);
        packed(block, 127)
    } else {
        // 65535 is 255 * 16.
        let values = values.map(|v| (i32::from(v) * 4080 + 32767) / 65535);
        packed(scalar_block(&values, Scale::UNORM, effort), 0)
    }
}

/// The block's bytes; `bias` is taken off both endpoints.
pub(super) fn packed(block: ScalarBlock, bias: i32) -> [u8; 8] {
    let [e0, e1] = block.endpoints.map(|e| (e - bias) as u32 & 255);
    let [a, b] = block.codes;
    let words = [e0 | e1 << 8 | a << 16, a >> 16 | b << 8];
    std::array::from_fn(|byte| words[byte / 4].to_le_bytes()[byte % 4])
}
