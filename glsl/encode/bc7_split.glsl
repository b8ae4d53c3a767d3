// BC7 modes 4 and 5: three channels, and one with indices of its own. Both parts are fitted in the same passes.
#ifndef ENCODE_BC7_SPLIT_GLSL
#define ENCODE_BC7_SPLIT_GLSL
#include "bc7_fit.glsl"

// Texel k with alpha exchanged with channel rotation - 1.
uint bc7_rotated(uint k, uint rotation) {
  uint texel = encode_texel(k);
  if (rotation == 0u) return texel;
  uint shift = 8u * (rotation - 1u);
  uint exchange = (texel >> shift ^ texel >> 24) & 255u;
  return texel ^ exchange << shift ^ exchange << 24;
}

struct SplitMode {
  ivec2 levels;  // of the colour part and of the scalar part
  ivec2 bits;
};

struct SplitEnds {
  ivec3 from;
  ivec3 to;
  ivec2 scalar;  // first and second
};

struct SplitLine {
  ivec3 along;
  ivec2 span;
  uvec2 reciprocal;
};
SplitLine bc7_split_line(SplitMode mode, SplitEnds ends) {
  SplitLine line;
  line.along = ends.to - ends.from;
  int apart = ends.scalar.y - ends.scalar.x;
  line.span = ivec2(bc_dot(line.along, line.along), apart * apart);
  line.reciprocal = uvec2(bc7_reciprocal(mode.levels.x, line.span.x), bc7_reciprocal(mode.levels.y, line.span.y));
  return line;
}
// Indices of a texel, given from the first endpoints on.
ivec2 bc7_split_indices(SplitLine line, int apart, ivec4 p) {
  return ivec2(bc7_index(bc_dot(p.xyz, line.along), line.span.x, line.reciprocal.x),
               bc7_index(p.w * apart, line.span.y, line.reciprocal.y));
}

SplitEnds bc7_split_extremes(uint rotation, out ivec4 sum) {
  sum = ivec4(0);
  ivec3 square = ivec3(0), cross = ivec3(0);
  SplitEnds ends;
  ends.scalar = ivec2(255, 0);
  EACH_TEXEL(k) {
    ivec4 p = bc_rgba(bc7_rotated(k, rotation));
    sum += p;
    square += p.xyz * p.xyz;
    cross += bc_cross(p.xyz);
    ends.scalar = ivec2(min(ends.scalar.x, p.w), max(ends.scalar.y, p.w));
  }
  ivec3 axis = bc_principal_axis(square * 16 - sum.xyz * sum.xyz, cross * 16 - bc_cross(sum.xyz), 2u);
  int low = 0x7fffffff, high = -0x7fffffff;
  ends.from = ends.to = ivec3(0);
  EACH_TEXEL(k) {
    ivec3 p = bc_rgb(bc7_rotated(k, rotation));
    int t = bc_dot(p, axis);
    if (t < low) { low = t; ends.from = p; }
    if (t > high) { high = t; ends.to = p; }
  }
  return ends;
}

void bc7_split_refine(SplitMode mode, uint rotation, ivec4 sum, inout SplitEnds ends) {
  SplitLine line = bc7_split_line(mode, ends);
  ivec4 first = ivec4(ends.from, ends.scalar.x);
  int apart = ends.scalar.y - ends.scalar.x;
  ivec2 s1 = ivec2(0), s2 = ivec2(0);
  ivec4 weighted = ivec4(0);
  EACH_TEXEL(k) {
    ivec4 p = bc_rgba(bc7_rotated(k, rotation));
    ivec2 i = bc7_split_indices(line, apart, p - first);
    s1 += i;
    s2 += i * i;
    weighted += p * i.xxxy;
  }
  bc7_solve(16, s1.x, s2.x, sum.xyz, weighted.xyz, mode.levels.x, ends.from, ends.to);
  bc7_solve(16, s1.y, s2.y, sum.w, weighted.w, mode.levels.y, ends.scalar.x, ends.scalar.y);
  ends.from = bc7_nearest(ends.from, mode.bits.x, -1);
  ends.to = bc7_nearest(ends.to, mode.bits.x, -1);
  ends.scalar = bc7_nearest(ivec3(ends.scalar, 0), mode.bits.y, -1).xy;
}

// Squared errors of the colour part and of the scalar part.
uvec2 bc7_split_error(SplitMode mode, uint rotation, SplitEnds ends) {
  SplitLine line = bc7_split_line(mode, ends);
  ivec4 first = ivec4(ends.from, ends.scalar.x);
  int apart = ends.scalar.y - ends.scalar.x;
  uvec2 error = uvec2(0u);
  EACH_TEXEL(k) {
    ivec4 p = bc_rgba(bc7_rotated(k, rotation)) - first;
    ivec2 i = bc7_split_indices(line, apart, p);
    ivec3 off = p.xyz - ((line.along * bc7_weight(i.x, mode.levels.x) + 32) >> 6);
    int off_scalar = p.w - ((apart * bc7_weight(i.y, mode.levels.y) + 32) >> 6);
    error += uvec2(bc_dot(off, off), off_scalar * off_scalar);
  }
  return error;
}

// The best endpoints of every round, for each part by itself. Returns the squared error.
uint bc7_split(SplitMode mode, uint rotation, out uvec4 packed_ends) {
  ivec4 sum;
  SplitEnds ends = bc7_split_extremes(rotation, sum);
  SplitEnds best = ends;
  uvec2 least = uvec2(0xFFFFFFFFu);
  ROLLED for (uint round = 0u; round < BC7_ROUNDS; round++) {
    bc7_split_refine(mode, rotation, sum, ends);
    uvec2 error = bc7_split_error(mode, rotation, ends);
    if (error.x < least.x) {
      least.x = error.x;
      best.from = ends.from;
      best.to = ends.to;
    }
    if (error.y < least.y) {
      least.y = error.y;
      best.scalar = ends.scalar;
    }
  }
  packed_ends = uvec4(bc7_word(ivec4(best.from, best.scalar.x)), bc7_word(ivec4(best.to, best.scalar.y)), 0u, 0u);
  return least.x + least.y;
}

#endif
