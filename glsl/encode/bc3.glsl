// BC3. One invocation encodes one block of 16 texels.
// The includer defines `uint encode_texel(uint)` and EFFORT_HIGH.
#include "color.glsl"

#define SCALAR_UNIT 1
#define SCALAR_TOP 255
int scalar_value(uint k) { return int(encode_texel(k) >> 24); }
#include "scalar.glsl"

uvec4 encode_block() {
  uvec2 alpha = scalar_block(0);
  uint codes;
  uvec2 endpoints = color_block(0xFFFFu, THIRDS, codes);
  return uvec4(alpha, color_stored(endpoints, codes, THIRDS));
}
