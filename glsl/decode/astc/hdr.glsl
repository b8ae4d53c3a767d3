// decode_float16: the HDR profile for SFLOAT formats, and the LDR one to floats for UNORM formats (Khronos Data Format
// Specification 1.4, "Weight Application" and "HDR Endpoint Decoding").
#include "decode/astc/ldr_endpoints.glsl"
#include "decode/astc/hdr_endpoints.glsl"
#include "decode/astc/void_extent.glsl"

#define Texel uvec2        // four half floats, two a word, R in the low half of the first
#define Endpoint uvec2     // four values of 16 bits, likewise

struct Ramp {
  Endpoint e0, e1;
  uint kinds; // 1: R, G and B are logarithmic; 2: A is; 4: the values are half floats already
};

#define NUMERIC_SFLOAT 3u

// Of a linear 16-bit value: 65535 is 1, any other v / 65536 rounded toward zero.
uint linear_half(uint v) {
  if (v == 0xFFFFu) return 0x3C00u;
  if (v < 4u) return v << 8; // denormal
  int top = findMSB(v);
  return (uint(top - 2) << 10) + (v << (15 - top) >> 5);
}

// Of a logarithmic one: five bits of exponent and eleven of a piecewise linear mantissa.
uint logarithmic_half(uint v) {
  uint mantissa = v & 0x7FFu;
  mantissa = mantissa < 512u ? 3u * mantissa : mantissa < 1536u ? 4u * mantissa - 512u : 5u * mantissa - 2048u;
  return min((v >> 11 << 10) + (mantissa >> 3), 0x7BFFu);
}

uvec2 linear_halves(uvec2 values) {
  return uvec2(linear_half(values.x & 0xFFFFu) | linear_half(values.x >> 16) << 16,
               linear_half(values.y & 0xFFFFu) | linear_half(values.y >> 16) << 16);
}

// Each byte times 257.
uvec2 widen(uint rgba) {
  uvec2 spread = uvec2((rgba & 0xFFu) | (rgba & 0xFF00u) << 8, ((rgba >> 16) & 0xFFu) | (rgba >> 8 & 0xFF0000u));
  return spread | spread << 8;
}

Texel error_texel() { return linear_halves(widen(ERROR_COLOUR)); }

Texel void_extent(uvec4 w) {
  bool hdr = (w.x & 0x200u) != 0u;
  if (!void_extent_is_legal(w) || (hdr && NUMERIC != NUMERIC_SFLOAT)) return error_texel();
  return hdr ? w.zw : linear_halves(w.zw);
}

void decode_endpoints(uint mode, uvec2 values, out Endpoint e0, out Endpoint e1) {
  if (!is_hdr_mode(mode)) {
    uint rgba0, rgba1;
    ldr_endpoints(mode, values, rgba0, rgba1);
    e0 = widen(rgba0);
    e1 = widen(rgba1);
  } else if (NUMERIC != NUMERIC_SFLOAT) {
    e0 = widen(ERROR_COLOUR);
    e1 = e0;
  } else {
    ivec4 colour0, colour1;
    hdr_endpoints(mode, values, colour0, colour1);
    uvec4 c0 = uvec4(colour0), c1 = uvec4(colour1);
    uint alpha_scale = mode == 14u ? 257u : 16u;
    e0 = uvec2(c0.x << 4 | c0.y << 20, c0.z << 4 | c0.w * alpha_scale << 16);
    e1 = uvec2(c1.x << 4 | c1.y << 20, c1.z << 4 | c1.w * alpha_scale << 16);
  }
}

Ramp endpoint_ramp(Endpoint e0, Endpoint e1, uint grid, uint part) {
  uint mode = (grid >> (13u + 4u * part)) & 15u;
  uint kinds = NUMERIC == NUMERIC_SFLOAT && is_hdr_mode(mode) ? (mode == 14u ? 1u : 3u) : 0u;
  return Ramp(e0, e1, int(grid) < 0 ? 4u : kinds); // bit 31: a block of one colour
}

uint ramp_channel(uint c0, uint c1, uint weight, bool logarithmic) {
  uint v = (c0 * (64u - weight) + c1 * weight + 32u) >> 6;
  return logarithmic ? logarithmic_half(v) : linear_half(v);
}

Texel ramp_texel(Ramp ramp, uint weight) {
  if (ramp.kinds == 4u) return ramp.e0;
  bool rgb = (ramp.kinds & 1u) != 0u, alpha = (ramp.kinds & 2u) != 0u;
  uint r = ramp_channel(ramp.e0.x & 0xFFFFu, ramp.e1.x & 0xFFFFu, weight, rgb);
  uint g = ramp_channel(ramp.e0.x >> 16, ramp.e1.x >> 16, weight, rgb);
  uint b = ramp_channel(ramp.e0.y & 0xFFFFu, ramp.e1.y & 0xFFFFu, weight, rgb);
  uint a = ramp_channel(ramp.e0.y >> 16, ramp.e1.y >> 16, weight, alpha);
  return uvec2(r | g << 16, b | a << 16);
}

// `texel` with one channel from the second plane's weight.
Texel with_second_plane(Texel texel, Ramp ramp, uint weight, uint channel) {
  bool high = (channel & 1u) != 0u, blue_alpha = channel >= 2u;
  uint c0 = blue_alpha ? ramp.e0.y : ramp.e0.x, c1 = blue_alpha ? ramp.e1.y : ramp.e1.x, shift = high ? 16u : 0u;
  uint value = ramp_channel(c0 >> shift & 0xFFFFu, c1 >> shift & 0xFFFFu, weight, (ramp.kinds >> (channel == 3u ? 1u : 0u) & 1u) != 0u);
  return uvec2(blue_alpha ? texel.x : bitfieldInsert(texel.x, value, int(shift), 16),
               blue_alpha ? bitfieldInsert(texel.y, value, int(shift), 16) : texel.y);
}
