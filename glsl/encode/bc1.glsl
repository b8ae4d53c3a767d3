// BC1, opaque or with holes. One invocation encodes one block of 16 texels.
// The includer defines `uint encode_texel(uint)`, EFFORT_HIGH, and ENCODE_PUNCH_THROUGH: 1 makes texels with an alpha
// below 128 holes; 0 ignores alpha, and no texel is a hole under any reading of BC1.
#ifndef ENCODE_PUNCH_THROUGH
#define ENCODE_PUNCH_THROUGH 0
#endif
#define COLOR_EITHER_PALETTE
#include "color.glsl"

uvec2 encode_block() {
  uint mask = 0xFFFFu;
  int levels = THIRDS;
#if ENCODE_PUNCH_THROUGH
  mask = 0u;
  EACH_TEXEL(k) mask |= (encode_texel(k) >> 31) << k;
  if (mask == 0u) return uvec2(0u, 0xFFFFFFFFu);
  if (mask != 0xFFFFu) levels = HALVES;
#endif
  uint codes;
  uvec2 endpoints = color_block(mask, levels, codes);
  return color_stored(endpoints, codes, levels);
}
