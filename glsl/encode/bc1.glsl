// BC1, opaque or with holes. One invocation encodes one block of 16 texels.
// The includer defines `uint encode_texel(uint)`, EFFORT_HIGH, and ENCODE_PUNCH_THROUGH: 1 makes texels with an alpha
// below 128 holes; 0 ignores alpha, and no texel is a hole under any reading of BC1.
#include "color.glsl"
#ifndef ENCODE_PUNCH_THROUGH
#define ENCODE_PUNCH_THROUGH 0
#endif

uvec2 encode_block() {
  uint mask = 0xFFFFu;
#if ENCODE_PUNCH_THROUGH
  mask = 0u;
  EACH_TEXEL(k) mask |= (encode_texel(k) >> 31) << k;
  if (mask == 0u) return uvec2(0u, 0xFFFFFFFFu);
#endif
  int levels = mask == 0xFFFFu ? THIRDS : HALVES;
  uint first = encode_texel(0u), differ = 0u;
  EACH_TEXEL(k) differ |= (encode_texel(k) ^ first) & 0xFFFFFFu;
  if (mask == 0xFFFFu && differ == 0u) {
    uint least = 0xFFFFFFFFu;
    ROLLED for (int trial = THIRDS; trial >= HALVES; trial--) {
      uint error;
      color_solid_pair(bc_rgb(first), trial, error);
      if (error < least) { least = error; levels = trial; }
    }
  }
  uint codes;
  uvec2 endpoints = color_block(mask, levels, codes);
  return color_stored(endpoints, codes, levels);
}
