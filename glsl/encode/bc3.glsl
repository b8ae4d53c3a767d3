// BC3. One invocation encodes one block of 16 texels.
// The includer defines `uint encode_texel(uint)`, EFFORT_HIGH and, if alpha comes as a palette, SCALAR_PALETTE (see palette.glsl).
#include "color.glsl"

#define SCALAR_UNIT 1
#define SCALAR_TOP 255
#ifdef SCALAR_PALETTE
#include "palette.glsl"
#else
int scalar_value(uint k) { return int(encode_texel(k) >> 24); }
#endif
#include "scalar.glsl"

uvec4 encode_block() {
#ifdef SCALAR_PALETTE
  encode_palette(3u);
#endif
  uvec2 alpha = scalar_block(0);
  uint codes;
  int levels = THIRDS;
  uvec2 endpoints = color_block(0xFFFFu, levels, codes);
  return uvec4(alpha, color_stored(endpoints, codes, levels));
}
