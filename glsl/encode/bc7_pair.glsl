// BC7 modes 1, 3 and 7: two subsets. Both are fitted in the same passes over the texels.
#ifndef ENCODE_BC7_PAIR_GLSL
#define ENCODE_BC7_PAIR_GLSL
#include "bc7_fit.glsl"

// Fast tries mode 1 alone, on opaque blocks: three channels, constant sizes.
#if EFFORT_HIGH
#define PAIR_VECTOR ivec4
#define PAIR_TEXEL(k) bc_rgba(encode_texel(k))
#else
#define PAIR_VECTOR ivec3
#define PAIR_TEXEL(k) bc_rgb(encode_texel(k))
#endif

struct PairMode {
  int number;
  int levels;
  ivec2 bits;  // with the p bit; colour and alpha
};

// Stored endpoints near e0 and e1 (sixteenths): mode 1 has one p bit for both.
void bc7_pair_quantize(PairMode mode, inout PAIR_VECTOR e0, inout PAIR_VECTOR e1) {
#if EFFORT_HIGH
  ivec4 zero0 = bc7_nearest(e0, mode.bits, 0), one0 = bc7_nearest(e0, mode.bits, 1);
  ivec4 zero1 = bc7_nearest(e1, mode.bits, 0), one1 = bc7_nearest(e1, mode.bits, 1);
#else
  ivec3 zero0 = bc7_nearest(e0, mode.bits.x, 0), one0 = bc7_nearest(e0, mode.bits.x, 1);
  ivec3 zero1 = bc7_nearest(e1, mode.bits.x, 0), one1 = bc7_nearest(e1, mode.bits.x, 1);
#endif
  int gain0 = bc7_distance(one0, e0) - bc7_distance(zero0, e0);
  int gain1 = bc7_distance(one1, e1) - bc7_distance(zero1, e1);
  bool shared_bit = mode.number == 1;
  e0 = (shared_bit ? gain0 + gain1 : gain0) < 0 ? one0 : zero0;
  e1 = (shared_bit ? gain0 + gain1 : gain1) < 0 ? one1 : zero1;
}

// As Bc7Sums, of the channels that are fitted.
struct PairSums {
  PAIR_VECTOR sum;
  PAIR_VECTOR square;
  ivec3 cross;
#if EFFORT_HIGH
  ivec3 with_alpha;
#endif
};

PAIR_VECTOR bc7_pair_axis(PairSums sums, int n) {
  PAIR_VECTOR diagonal = sums.square * n - sums.sum * sums.sum;
  ivec3 cross = sums.cross * n - bc_cross(sums.sum.xyz);
#if EFFORT_HIGH
  return bc_principal_axis(diagonal, cross, sums.with_alpha * n - sums.sum.xyz * sums.sum.w, 2u);
#else
  return bc_principal_axis(diagonal, cross, 2u);
#endif
}

// The texels of each subset furthest apart along its axis: a0 and b0 of subset 0, a1 and b1 of subset 1, of which `mask`
// has the texels. `all` are the sums of the block.
void bc7_pair_extremes(PairSums all, uint mask, out PAIR_VECTOR sum0, out PAIR_VECTOR sum1, out PAIR_VECTOR a0,
                       out PAIR_VECTOR b0, out PAIR_VECTOR a1, out PAIR_VECTOR b1) {
  PairSums one;
  one.sum = one.square = PAIR_VECTOR(0);
  one.cross = ivec3(0);
#if EFFORT_HIGH
  one.with_alpha = ivec3(0);
#endif
  EACH_TEXEL(k) {
    PAIR_VECTOR p = (mask >> k & 1u) != 0u ? PAIR_TEXEL(k) : PAIR_VECTOR(0);
    one.sum += p;
    one.square += p * p;
    one.cross += bc_cross(p.xyz);
#if EFFORT_HIGH
    one.with_alpha += p.xyz * p.w;
#endif
  }
  PairSums zero;
  zero.sum = all.sum - one.sum;
  zero.square = all.square - one.square;
  zero.cross = all.cross - one.cross;
#if EFFORT_HIGH
  zero.with_alpha = all.with_alpha - one.with_alpha;
#endif
  sum0 = zero.sum;
  sum1 = one.sum;
  int n1 = bitCount(mask);
  PAIR_VECTOR axis0 = bc7_pair_axis(zero, 16 - n1), axis1 = bc7_pair_axis(one, n1);
  // Keys: the place on the axis, then which texel comes first of several at one place.
  ivec2 low = ivec2(0x7fffffff), high = ivec2(-0x7fffffff);
  axis0 *= 16;
  axis1 *= 16;
  EACH_TEXEL(k) {
    bool one = (mask >> k & 1u) != 0u;
    int t = bc_dot(PAIR_TEXEL(k), one ? axis1 : axis0);
    int near = t + int(k), far = t + int(15u - k);
    if (one) {
      low.y = min(low.y, near);
      high.y = max(high.y, far);
    } else {
      low.x = min(low.x, near);
      high.x = max(high.x, far);
    }
  }
  a0 = PAIR_TEXEL(uint(low.x) & 15u);
  b0 = PAIR_TEXEL(15u - (uint(high.x) & 15u));
  a1 = PAIR_TEXEL(uint(low.y) & 15u);
  b1 = PAIR_TEXEL(15u - (uint(high.y) & 15u));
}

void bc7_pair_refine(PairMode mode, uint mask, PAIR_VECTOR sum0, PAIR_VECTOR sum1, inout PAIR_VECTOR a0,
                     inout PAIR_VECTOR b0, inout PAIR_VECTOR a1, inout PAIR_VECTOR b1) {
  PAIR_VECTOR along0 = b0 - a0, along1 = b1 - a1;
  int span0 = bc_dot(along0, along0), span1 = bc_dot(along1, along1);
  int base0 = bc_dot(a0, along0), base1 = bc_dot(a1, along1);
  uint reciprocal0 = bc7_reciprocal(mode.levels, span0), reciprocal1 = bc7_reciprocal(mode.levels, span1);
  // Of both subsets, and of subset 1.
  int u1 = 0, u2 = 0, t1 = 0, t2 = 0;
  PAIR_VECTOR u = PAIR_VECTOR(0), t = PAIR_VECTOR(0);
  EACH_TEXEL(k) {
    bool one = (mask >> k & 1u) != 0u;
    PAIR_VECTOR p = PAIR_TEXEL(k);
    int along = bc_dot(p, one ? along1 : along0) - (one ? base1 : base0);
    int i = bc7_index(along, one ? span1 : span0, one ? reciprocal1 : reciprocal0);
    int j = one ? i : 0;
    u1 += i;
    u2 += i * i;
    u += p * i;
    t1 += j;
    t2 += j * j;
    t += p * j;
  }
  int n1 = bitCount(mask);
  bc7_solve(16 - n1, u1 - t1, u2 - t2, sum0, u - t, mode.levels, a0, b0);
  bc7_solve(n1, t1, t2, sum1, t, mode.levels, a1, b1);
  bc7_pair_quantize(mode, a0, b0);
  bc7_pair_quantize(mode, a1, b1);
}

// Squared errors of subset 0 and of subset 1; with one round there is nothing to choose for either, and both are one sum.
uvec2 bc7_pair_error(PairMode mode, uint mask, PAIR_VECTOR a0, PAIR_VECTOR b0, PAIR_VECTOR a1, PAIR_VECTOR b1, out uvec2 indices) {
  PAIR_VECTOR along0 = b0 - a0, along1 = b1 - a1;
  int span0 = bc_dot(along0, along0), span1 = bc_dot(along1, along1);
  uint reciprocal0 = bc7_reciprocal(mode.levels, span0), reciprocal1 = bc7_reciprocal(mode.levels, span1);
  ivec3 weights = bc7_weights(mode.levels);
  uint bits = bc7_index_bits(mode.levels);
  uvec2 error = uvec2(0u);
  indices = uvec2(0u);
  EACH_TEXEL_DOWN(k) {
    bool one = (mask >> k & 1u) != 0u;
    PAIR_VECTOR along = one ? along1 : along0;
    PAIR_VECTOR p = PAIR_TEXEL(k) - (one ? a1 : a0);
    int i = bc7_index(bc_dot(p, along), one ? span1 : span0, one ? reciprocal1 : reciprocal0);
    PAIR_VECTOR off = p - ((along * bc7_weight(i, weights) + 32) >> 6);
    uint e = uint(bc_dot(off, off));
#if EFFORT_HIGH
    error += one ? uvec2(0u, e) : uvec2(e, 0u);
#else
    error.x += e;
#endif
    bc7_put_index(indices, i, bits);
  }
  return error;
}

uint bc7_pair_word(PAIR_VECTOR e) {
#if EFFORT_HIGH
  return bc7_word(e);
#else
  return bc7_word(ivec4(e, 255));
#endif
}

// The best endpoints of every round, for each subset by itself. Returns the squared error.
uint bc7_pair(PairMode mode, PairSums all, uint mask, out uvec4 ends, out uvec2 indices) {
  PAIR_VECTOR sum0, sum1, a0, b0, a1, b1;
  bc7_pair_extremes(all, mask, sum0, sum1, a0, b0, a1, b1);
  uvec2 least = uvec2(0xFFFFFFFFu);
  ends = uvec4(0u);
  indices = uvec2(0u);
#if EFFORT_HIGH
  uvec2 ones = bc7_subset_bits(mask, bc7_index_bits(mode.levels));
#endif
  ROLLED for (uint round = 0u; round < BC7_ROUNDS; round++) {
    bc7_pair_refine(mode, mask, sum0, sum1, a0, b0, a1, b1);
    uvec2 found;
    uvec2 error = bc7_pair_error(mode, mask, a0, b0, a1, b1, found);
#if EFFORT_HIGH
    if (error.x < least.x) indices = (indices & ones) | (found & ~ones);
    if (error.y < least.y) indices = (indices & ~ones) | (found & ones);
#else
    indices = found;
#endif
    if (error.x < least.x) {
      least.x = error.x;
      ends.xy = uvec2(bc7_pair_word(a0), bc7_pair_word(b0));
    }
    if (error.y < least.y) {
      least.y = error.y;
      ends.zw = uvec2(bc7_pair_word(a1), bc7_pair_word(b1));
    }
  }
  return least.x + least.y;
}

#endif
