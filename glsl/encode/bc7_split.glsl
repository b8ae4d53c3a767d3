// BC7 modes 4 and 5: three channels, and one with indices of its own. Both parts are fitted in the same passes.
#ifndef ENCODE_BC7_SPLIT_GLSL
#define ENCODE_BC7_SPLIT_GLSL
#include "bc7_fit.glsl"

// A texel with alpha exchanged with channel rotation - 1.
uint bc7_rotated(uint texel, uint rotation) {
  uint shift = rotation == 0u ? 24u : 8u * (rotation - 1u);
  uint exchange = (texel >> shift ^ texel >> 24) & 255u;
  return texel ^ exchange << shift ^ exchange << 24;
}
// The sums of texels so changed.
Bc7Sums bc7_rotated_sums(Bc7Sums all, uint rotation) {
  ivec3 rgb = ivec3(equal(uvec3(rotation), uvec3(1u, 2u, 3u))), keep = 1 - rgb;
  ivec3 pair = rgb.xxy + rgb.yzz, crossed = rgb.xxy * all.with_alpha.yzz + rgb.yzz * all.with_alpha.xxy;
  Bc7Sums sums;
  sums.sum = ivec4(all.sum.xyz * keep + all.sum.w * rgb, rotation == 0u ? all.sum.w : bc_dot(all.sum.xyz, rgb));
  sums.square = ivec4(all.square.xyz * keep + all.square.w * rgb, 0);
  sums.cross = all.cross * (1 - pair) + crossed;
  sums.with_alpha = ivec3(0);
  return sums;
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

// The texels furthest apart in the three channels, and the least and largest of the one apart. Exchanges the waiting texels' channels.
SplitEnds bc7_split_extremes(uint rotation, Bc7Sums sums) {
  SplitEnds ends;
  ends.scalar = ivec2(255, 0);
  ivec3 axis = bc_principal_axis(sums.square.xyz * 16 - sums.sum.xyz * sums.sum.xyz, sums.cross * 16 - bc_cross(sums.sum.xyz), 2u);
  axis *= 16;
  int low = 0x7fffffff, high = -0x7fffffff;
  EACH_TEXEL(k) {
    uint texel = bc7_rotated(encode_texel(k), rotation);
    encode_replace(k, texel);
    int t = bc_dot(bc_rgb(texel), axis), scalar = int(texel >> 24);
    low = min(low, t + int(k));
    high = max(high, t + int(15u - k));
    ends.scalar = ivec2(min(ends.scalar.x, scalar), max(ends.scalar.y, scalar));
  }
  ends.from = bc_rgb(encode_texel(uint(low) & 15u));
  ends.to = bc_rgb(encode_texel(15u - (uint(high) & 15u)));
  return ends;
}

void bc7_split_refine(SplitMode mode, ivec4 sum, inout SplitEnds ends) {
  SplitLine line = bc7_split_line(mode, ends);
  ivec4 first = ivec4(ends.from, ends.scalar.x);
  int apart = ends.scalar.y - ends.scalar.x;
  ivec2 s1 = ivec2(0), s2 = ivec2(0);
  ivec4 weighted = ivec4(0);
  EACH_TEXEL(k) {
    ivec4 p = bc_rgba(encode_texel(k));
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
uvec2 bc7_split_error(SplitMode mode, SplitEnds ends, out uvec2 indices, out uvec2 scalars) {
  SplitLine line = bc7_split_line(mode, ends);
  ivec4 first = ivec4(ends.from, ends.scalar.x);
  int apart = ends.scalar.y - ends.scalar.x;
  ivec3 weights = bc7_weights(mode.levels.x), scalar_weights = bc7_weights(mode.levels.y);
  uint bits = bc7_index_bits(mode.levels.x), scalar_bits = bc7_index_bits(mode.levels.y);
  uvec2 error = uvec2(0u);
  indices = scalars = uvec2(0u);
  EACH_TEXEL_DOWN(k) {
    ivec4 p = bc_rgba(encode_texel(k)) - first;
    ivec2 i = bc7_split_indices(line, apart, p);
    ivec3 off = p.xyz - ((line.along * bc7_weight(i.x, weights) + 32) >> 6);
    int off_scalar = p.w - ((apart * bc7_weight(i.y, scalar_weights) + 32) >> 6);
    error += uvec2(bc_dot(off, off), off_scalar * off_scalar);
    bc7_put_index(indices, i.x, bits);
    bc7_put_index(scalars, i.y, scalar_bits);
  }
  return error;
}

// From the extremes on, the best endpoints of every round, for each part by itself. Returns the squared error.
uint bc7_split(SplitMode mode, ivec4 sum, SplitEnds ends, out uvec4 packed_ends, out uvec2 indices, out uvec2 scalars) {
  SplitEnds best = ends;
  uvec2 least = uvec2(0xFFFFFFFFu);
  indices = scalars = uvec2(0u);
  ROLLED for (uint round = 0u; round < BC7_ROUNDS; round++) {
    bc7_split_refine(mode, sum, ends);
    uvec2 found, found_scalars;
    uvec2 error = bc7_split_error(mode, ends, found, found_scalars);
    if (error.x < least.x) {
      least.x = error.x;
      best.from = ends.from;
      best.to = ends.to;
      indices = found;
    }
    if (error.y < least.y) {
      least.y = error.y;
      best.scalar = ends.scalar;
      scalars = found_scalars;
    }
  }
  packed_ends = uvec4(bc7_word(ivec4(best.from, best.scalar.x)), bc7_word(ivec4(best.to, best.scalar.y)), 0u, 0u);
  return least.x + least.y;
}

#endif
