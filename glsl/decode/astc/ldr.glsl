// The LDR profile to 8-bit channels: decode_unorm8 for UNORM, and for sRGB endpoints (c << 8) | 0x80 on all four
// channels (Khronos Data Format Specification 1.4, "Weight Application").
#include "decode/astc/void_extent.glsl"

#define Texel uint         // RGBA8, R in the low byte
#define Endpoint uint      // likewise
#define ENDPOINT_WORDS 1u
#define Ramp uvec4

Texel error_texel() { return ERROR_COLOUR; }

Texel void_extent(uvec4 w) {
  uint colour = ((w.z >> 8) & 0xFFu) | ((w.z >> 16) & 0xFF00u) | ((w.w << 8) & 0xFF0000u) | (w.w & 0xFF000000u);
  return void_extent_is_legal(w) && (w.x & 0x200u) == 0u ? colour : ERROR_COLOUR;
}

// The endpoint pair of one partition from its colour values, a byte each ("LDR Endpoint Decoding").
void decode_endpoints(uint mode, uvec2 values, out Endpoint e0, out Endpoint e1) {
  uint kind = mode & 3u, size = mode >> 2;
  int v0 = int(values.x & 255u), v1 = int((values.x >> 8) & 255u), v2 = int((values.x >> 16) & 255u), v3 = int(values.x >> 24);
  int v4 = int(values.y & 255u), v5 = int((values.y >> 8) & 255u), v6 = int((values.y >> 16) & 255u), v7 = int(values.y >> 24);
  int r0, g0, b0, a0 = 255, r1, g1, b1, a1 = 255;
  if (kind == 2u) { // base and scale: 6, 10
    r1 = v0; g1 = v1; b1 = v2;
    r0 = v0 * v3 >> 8; g0 = v1 * v3 >> 8; b0 = v2 * v3 >> 8;
    if (size == 2u) { a0 = v4; a1 = v5; }
  } else if (mode == 1u) { // luminance, base and offset
    r0 = (v0 >> 2) | (v1 & 0xC0);
    r1 = min(r0 + (v1 & 0x3F), 255);
    g0 = r0; b0 = r0; g1 = r1; b1 = r1;
  } else {
    if (kind == 1u) { // base and offset: 5, 9, 13
#define TRANSFER_BIT(base, offset) \
  { base = (base >> 1) | (offset & 0x80); offset = bitfieldExtract(offset, 1, 6) + base; }
      TRANSFER_BIT(v0, v1) TRANSFER_BIT(v2, v3) TRANSFER_BIT(v4, v5) TRANSFER_BIT(v6, v7)
#undef TRANSFER_BIT
    }
    if (size < 2u) { // luminance: 0, 4, 5
      r0 = v0; g0 = v0; b0 = v0; r1 = v1; g1 = v1; b1 = v1;
      if (size == 1u) { a0 = v2; a1 = v3; }
    } else { // 8, 9, 12, 13
      r0 = v0; g0 = v2; b0 = v4; r1 = v1; g1 = v3; b1 = v5;
      if (size == 3u) { a0 = v6; a1 = v7; }
      if (v1 + v3 + v5 < v0 + v2 + v4) { // swapped, and contracted towards blue
        r0 = (v1 + v5) >> 1; g0 = (v3 + v5) >> 1; b0 = v5;
        r1 = (v0 + v4) >> 1; g1 = (v2 + v4) >> 1; b1 = v4;
        int a = a0; a0 = a1; a1 = a;
      }
    }
    if (kind == 1u) {
      r0 = clamp(r0, 0, 255); g0 = clamp(g0, 0, 255); b0 = clamp(b0, 0, 255); a0 = clamp(a0, 0, 255);
      r1 = clamp(r1, 0, 255); g1 = clamp(g1, 0, 255); b1 = clamp(b1, 0, 255); a1 = clamp(a1, 0, 255);
    }
  }
  e0 = uint(r0 | g0 << 8 | b0 << 16 | a0 << 24);
  e1 = uint(r1 | g1 << 8 | b1 << 16 | a1 << 24);
  if (kind == 3u || mode == 2u || mode == 14u) { // HDR: an error for this partition's texels alone
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
