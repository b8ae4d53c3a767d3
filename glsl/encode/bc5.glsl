// BC5, UNORM or SNORM: two BC4 blocks. One invocation encodes one block of 16 pairs.
// The includer defines `uint encode_value(uint, uint)`, EFFORT_HIGH and ENCODE_SNORM; see channel.glsl.
#include "channel.glsl"

uvec4 encode_block() {
  uvec4 block = uvec4(0u);
  ROLLED for (channel_encoded = 0u; channel_encoded < 2u; channel_encoded++) {
    block = uvec4(block.zw, scalar_block(CHANNEL_BIAS));
  }
  return block;
}
