// The LDR profile to 8-bit channels: decode_unorm8 for UNORM, and for sRGB endpoints (c << 8) | 0x80 on all four
// channels (Khronos Data Format Specification 1.4, "Weight Application").
#include "decode/astc/ldr_endpoints.glsl"
#include "decode/astc/void_extent.glsl"

#define Texel uint         // RGBA8, R in the low byte
#define Endpoint uint      // likewise
#define Ramp uvec4

Texel error_texel() { return ERROR_COLOUR; }

Texel void_extent(uvec4 w) {
  uint colour = ((w.z >> 8) & 0xFFu) | ((w.z >> 16) & 0xFF00u) | ((w.w << 8) & 0xFF0000u) | (w.w & 0xFF000000u);
  return void_extent_is_legal(w) && (w.x & 0x200u) == 0u ? colour : ERROR_COLOUR;
}

// An HDR mode is an error for its partition's texels alone.
void decode_endpoints(uint mode, uvec2 values, out Endpoint e0, out Endpoint e1) {
  ldr_endpoints(mode, values, e0, e1);
  if (is_hdr_mode(mode)) {
    e0 = ERROR_COLOUR;
    e1 = ERROR_COLOUR;
  }
}

// Two 16-bit lanes a word (RB, GA): start 256 * c0 + 128 and step 4 * (c1 - c0). With weight w (0 to 64) a lane holds
// 4 * S + 128, where S = c0 * (64 - w) + c1 * w.
Ramp endpoint_ramp(Endpoint e0, Endpoint e1, uint grid, uint part) {
  uint rb0 = e0 & 0xFF00FFu, ga0 = (e0 >> 8) & 0xFF00FFu;
  uint rb1 = e1 & 0xFF00FFu, ga1 = (e1 >> 8) & 0xFF00FFu;
  return Ramp((rb0 << 8) | 0x800080u, (ga0 << 8) | 0x800080u, (rb1 - rb0) << 2, (ga1 - ga0) << 2);
}

// sRGB: the 0x80 parts of the endpoints add 8192 + 32 in 14 fraction bits and the 32 never carries, which leaves
// (S + 32) >> 6, a lane's top byte.
// UNORM: (257 * S + 32) >> 14 = (4 * S + ((S + 32) >> 6)) >> 8.
Texel ramp_texel(Ramp ramp, uint weight) {
  uint rb = ramp.x + ramp.z * weight, ga = ramp.y + ramp.w * weight;
  if (NUMERIC == 0u) {
    rb = rb + ((rb >> 8) & 0xFF00FFu) - 0x800080u;
    ga = ga + ((ga >> 8) & 0xFF00FFu) - 0x800080u;
  }
  return ((rb >> 8) & 0xFF00FFu) | (ga & 0xFF00FF00u);
}

// `texel` with one channel from the second plane's weight.
Texel with_second_plane(Texel texel, Ramp ramp, uint weight, uint channel) {
  uint shift = 8u * channel;
  return bitfieldInsert(texel, ramp_texel(ramp, weight) >> shift, int(shift), 8);
}
