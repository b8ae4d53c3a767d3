// The endpoint pair of an HDR mode, 12 bits a channel (Khronos Data Format Specification 1.4, "HDR Endpoint Decoding"). The
// alpha of mode 14 is LDR and has 8.

const int HDR_ONE = 0x780;
const int HDR_MOST = 0xFFF;

void swap_channels(inout ivec4 colour, uint major) {
  if (major == 1u) colour.xy = colour.yx;
  if (major == 2u) colour.xz = colour.zx;
}

// Mode 2: luminance over the whole range.
void hdr_luminance_large(int v0, int v1, out ivec4 e0, out ivec4 e1) {
  int y0 = v1 >= v0 ? v0 << 4 : (v1 << 4) + 8, y1 = v1 >= v0 ? v1 << 4 : (v0 << 4) - 8;
  e0 = ivec4(y0, y0, y0, HDR_ONE);
  e1 = ivec4(y1, y1, y1, HDR_ONE);
}

// Mode 3: luminance over a small range.
void hdr_luminance_small(int v0, int v1, out ivec4 e0, out ivec4 e1) {
  bool coarse = (v0 & 0x80) != 0;
  int y0 = coarse ? (v1 & 0xE0) << 4 | (v0 & 0x7F) << 2 : (v1 & 0xF0) << 4 | (v0 & 0x7F) << 1;
  int y1 = min(y0 + (coarse ? (v1 & 0x1F) << 2 : (v1 & 0x0F) << 1), HDR_MOST);
  e0 = ivec4(y0, y0, y0, HDR_ONE);
  e1 = ivec4(y1, y1, y1, HDR_ONE);
}

// `bit` of `value` moved to `to`, if `set` has the bit of the mode.
#define GATHER(set, value, bit, to) ((set) >> mode & 1 & (value) >> (bit)) << (to)

// Mode 7: a colour and what the other endpoint is darker by.
void hdr_base_scale(int v0, int v1, int v2, int v3, out ivec4 e0, out ivec4 e1) {
  int selector = v0 >> 6 | (v1 >> 7) << 2 | (v2 >> 7) << 3, mode;
  uint major;
  if ((selector & 12) != 12) {
    major = uint(selector >> 2);
    mode = selector & 3;
  } else if (selector != 15) {
    major = uint(selector & 3);
    mode = 4;
  } else {
    major = 0u;
    mode = 5;
  }
  int red = v0 & 0x3F, green = v1 & 0x1F, blue = v2 & 0x1F, scale = v3 & 0x1F;
  green |= GATHER(0x30, v1, 6, 6) | GATHER(0x3A, v1, 5, 5);
  blue |= GATHER(0x30, v2, 6, 6) | GATHER(0x3A, v2, 5, 5);
  scale |= GATHER(0x3D, v3, 5, 5) | GATHER(0x2D, v3, 6, 6) | GATHER(0x04, v3, 7, 7);
  red |= GATHER(0x3B, v3, 7, 6) | GATHER(0x04, v2, 5, 6) | GATHER(0x10, v3, 6, 7) | GATHER(0x0F, v2, 6, 7);
  red |= GATHER(0x05, v1, 5, 8) | GATHER(0x0A, v1, 6, 8) | GATHER(0x05, v1, 6, 9) | GATHER(0x02, v3, 5, 9);
  red |= GATHER(0x01, v2, 5, 10) | GATHER(0x02, v3, 6, 10);
  int shift = mode < 2 ? 1 : mode;
  red <<= shift; green <<= shift; blue <<= shift; scale <<= shift;
  if (mode != 5) {
    green = red - green;
    blue = red - blue;
  }
  e1 = ivec4(red, green, blue, HDR_ONE);
  swap_channels(e1, major);
  e0 = ivec4(clamp(e1.xyz - scale, 0, HDR_MOST), HDR_ONE);
  e1.xyz = clamp(e1.xyz, 0, HDR_MOST);
}

// Modes 11, 14 and 15: two colours.
void hdr_colours(int v0, int v1, int v2, int v3, int v4, int v5, out ivec4 e0, out ivec4 e1) {
  uint major = uint(v4 >> 7 | (v5 >> 7) << 1);
  if (major == 3u) {
    e0 = ivec4(v0 << 4, v2 << 4, (v4 & 0x7F) << 5, HDR_ONE);
    e1 = ivec4(v1 << 4, v3 << 4, (v5 & 0x7F) << 5, HDR_ONE);
    return;
  }
  int mode = v1 >> 7 | (v2 >> 7) << 1 | (v3 >> 7) << 2;
  int a = v0 | (v1 & 0x40) << 2, b0 = v2 & 0x3F, b1 = v3 & 0x3F, c = v1 & 0x3F;
  int d_bits = (mode & 1) != 0 ? 6 : mode < 4 ? 7 : 5;
  int d0 = bitfieldExtract(v4, 0, d_bits), d1 = bitfieldExtract(v5, 0, d_bits);
  a |= GATHER(0xA4, v2, 6, 9) | GATHER(0x08, v4, 6, 9) | GATHER(0x50, v4, 5, 9);
  a |= GATHER(0x50, v5, 5, 10) | GATHER(0xA0, v3, 6, 10) | GATHER(0xC0, v4, 6, 11);
  c |= GATHER(0x04, v3, 6, 6) | GATHER(0xE8, v5, 6, 6) | GATHER(0x20, v4, 6, 7);
  b0 |= GATHER(0x5B, v2, 6, 6) | GATHER(0x12, v4, 6, 7);
  b1 |= GATHER(0x5B, v3, 6, 6) | GATHER(0x12, v5, 6, 7);
  int shift = (mode >> 1) ^ 3;
  a <<= shift; b0 <<= shift; b1 <<= shift; c <<= shift;
  d0 *= 1 << shift;
  d1 *= 1 << shift;
  e1 = ivec4(clamp(ivec3(a, a - b0, a - b1), 0, HDR_MOST), HDR_ONE);
  e0 = ivec4(clamp(ivec3(a - c, a - b0 - c - d0, a - b1 - c - d1), 0, HDR_MOST), HDR_ONE);
  swap_channels(e0, major);
  swap_channels(e1, major);
}
#undef GATHER

// Alpha of mode 15.
ivec2 hdr_alpha(int v6, int v7) {
  int mode = v6 >> 7 | (v7 >> 7) << 1;
  v6 &= 0x7F;
  v7 &= 0x7F;
  if (mode == 3) return ivec2(v6 << 5, v7 << 5);
  v6 |= (v7 << (mode + 1)) & 0x780;
  v7 = ((v7 & (0x3F >> mode)) ^ (0x20 >> mode)) - (0x20 >> mode);
  v6 <<= 4 - mode;
  return ivec2(v6, clamp(v7 * (1 << (4 - mode)) + v6, 0, HDR_MOST));
}

void hdr_endpoints(uint mode, uvec2 values, out ivec4 e0, out ivec4 e1) {
  int v0 = int(values.x & 255u), v1 = int((values.x >> 8) & 255u), v2 = int((values.x >> 16) & 255u), v3 = int(values.x >> 24);
  int v4 = int(values.y & 255u), v5 = int((values.y >> 8) & 255u), v6 = int((values.y >> 16) & 255u), v7 = int(values.y >> 24);
  if (mode == 2u) {
    hdr_luminance_large(v0, v1, e0, e1);
  } else if (mode == 3u) {
    hdr_luminance_small(v0, v1, e0, e1);
  } else if (mode == 7u) {
    hdr_base_scale(v0, v1, v2, v3, e0, e1);
  } else {
    hdr_colours(v0, v1, v2, v3, v4, v5, e0, e1);
    ivec2 alpha = mode == 14u ? ivec2(v6, v7) : mode == 15u ? hdr_alpha(v6, v7) : ivec2(HDR_ONE);
    e0.w = alpha.x;
    e1.w = alpha.y;
  }
}
