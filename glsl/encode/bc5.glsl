// BC5, UNORM or SNORM: two BC4 blocks. One invocation encodes one block of 16 pairs.
// See channel.glsl for what the includer defines.
#include "channel.glsl"

uvec4 encode_block() {
  uvec4 block = uvec4(0u);
  ROLLED for (channel_encoded = 0u; channel_encoded < 2u; channel_encoded++) {
    block = uvec4(block.zw, channel_block());
  }
  return block;
}
