// BC6H: endpoints to the 128 bits of a block.
#ifndef ENCODE_BC6H_PACK_GLSL
#define ENCODE_BC6H_PACK_GLSL
#include "bc6h_fit.glsl"
#include "block.glsl"

struct Bc6hChoice {
  uint error;
  Bc6hMode mode;
  bool two;
  uint part;
  uint mask;
  ivec3 stored[4];
};

// What is stored of endpoint `stored`, which is not the first.
uvec3 bc6h_difference(Bc6hMode mode, ivec3 stored, ivec3 first) {
  ivec3 value = bc6h_relative(mode) ? stored - first : stored;
  return uvec3(value & ((ivec3(1) << mode.difference) - 1));
}

uvec4 bc6h_pack(Bc6hChoice choice) {
  Bc6hMode mode = choice.mode;
  uvec3 first = uvec3(choice.stored[0]);
  uvec3 x = bc6h_difference(mode, choice.stored[1], choice.stored[0]);
  uvec4 block = uvec4(0u);
  bc_put(block, 0u, mode.code);
  bc_put(block, 5u, first.x & 1023u);
  bc_put(block, 15u, first.y & 1023u);
  bc_put(block, 25u, first.z & 1023u);
  bc_put(block, 35u, x.x);
  bc_put(block, 45u, x.y);
  bc_put(block, 55u, x.z);
  uint anchors = 1u;
#if EFFORT_HIGH
  if (choice.two) {
    uvec3 y = bc6h_difference(mode, choice.stored[2], choice.stored[0]);
    uvec3 z = bc6h_difference(mode, choice.stored[3], choice.stored[0]);
    bc_put(block, 41u, y.y & 15u);
    bc_put(block, 51u, z.y & 15u);
    bc_put(block, 61u, y.z & 15u);
    bc_put(block, 65u, y.x);
    bc_put(block, 71u, z.x);
    bc_put(block, 77u, choice.part);
    // The bits that lie apart: the first endpoint's bit 10 in each channel; bits 4 and 5 of the third endpoint's green, of
    // the fourth's green, and of the third's blue; the fourth's blue, bits 0 to 5.
    uint apart = (first.x >> 10 & 1u) | (first.y >> 10 & 1u) << 1 | (first.z >> 10 & 1u) << 2 | (y.y >> 4 & 3u) << 3
               | (z.y >> 4 & 3u) << 5 | (y.z >> 4 & 3u) << 7 | z.z << 9;
    uvec4 places = mode.scattered;
    ROLLED for (uint n = 0u; n < 15u; n++) {
      bc_put(block, places.x & 255u, apart & 1u);
      apart >>= 1;
      places = uvec4(places.x >> 8 | places.y << 24, places.y >> 8 | places.z << 24, places.z >> 8 | places.w << 24,
                     places.w >> 8);
    }
    anchors |= 1u << bc_anchor(choice.part);
  }
#endif
  if (!choice.two) {
    // The bits above the tenth go below the next channel, the highest first.
    uvec3 above = bitfieldReverse(first >> 10) >> 26;
    bc_put(block, 39u, above.x);
    bc_put(block, 49u, above.y);
    bc_put(block, 59u, above.z);
  }
  Bc6hShape shape = Bc6hShape(choice.mask, anchors, choice.two ? 7 : 15);
  ivec3 ends[4];
  for (uint end = 0u; end < 4u; end++) {
    ends[end] = bc6h_scale(bc6h_finished(bc6h_expand(mode, choice.stored[end])) - bc6h_base);
  }
  Bc6hLine line0 = bc6h_line(ends[0], ends[1], shape.levels), line1 = bc6h_line(ends[2], ends[3], shape.levels);
  uint at = choice.two ? 82u : 65u, width = choice.two ? 3u : 4u;
  EACH_TEXEL(k) {
    Bc6hLine line = line0;
    if ((shape.mask >> k & 1u) != 0u) line = line1;
    int i = bc6h_index(line, bc6h_scaled_texel(k));
    uint anchor = shape.anchors >> k & 1u;
    if (anchor != 0u) i = min(i, shape.levels / 2);
    bc_put(block, at, uint(i));
    at += width - anchor;
  }
  return block;
}

#endif
