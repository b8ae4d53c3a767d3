// The endpoint pair of an LDR mode from its colour values, a byte each, as RGBA8 with R in the low byte (Khronos Data
// Format Specification 1.4, "LDR Endpoint Decoding"). Means nothing for HDR modes.
void ldr_endpoints(uint mode, uvec2 values, out uint e0, out uint e1) {
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
}

// Modes 2, 3, 7, 11, 14 and 15.
bool is_hdr_mode(uint mode) { return (0xC88Cu >> mode & 1u) != 0u; }
