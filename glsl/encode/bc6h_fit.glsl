// BC6H: endpoints and indices, one subset or both of two in the same passes.
#ifndef ENCODE_BC6H_FIT_GLSL
#define ENCODE_BC6H_FIT_GLSL
#include "bc6h_mode.glsl"
#include "partition.glsl"

// The smallest value of each channel, and the shift that brings what lies above it to eleven bits, so that sums of
// squares fit in 32.
ivec3 bc6h_base;
int bc6h_shift;

// The bits of half floats, made to count up with the value: negative is 0, infinity and NaN the largest finite one.
int bc6h_ordered(uint half_float) {
  uint magnitude = half_float & 0x7FFFu;
  return magnitude > 0x7C00u ? 0x7BFF : half_float >= 0x8000u ? 0 : int(min(magnitude, 0x7BFFu));
}
ivec3 bc6h_exact(uint k) {
  uvec2 p = encode_half(k);
  return ivec3(bc6h_ordered(p.x & 0xFFFFu), bc6h_ordered(p.x >> 16), bc6h_ordered(p.y & 0xFFFFu));
}
ivec3 bc6h_scale(ivec3 v) { return (v + ((1 << bc6h_shift) >> 1)) >> bc6h_shift; }
ivec3 bc6h_scaled_texel(uint k) { return bc6h_scale(bc6h_exact(k) - bc6h_base); }

// A scaled colour, in sixteenths, as the 16-bit number that decodes nearest to it.
ivec3 bc6h_sixteen_bits(ivec3 e) {
  ivec3 v = clamp((bc6h_base << 4) + (e << bc6h_shift), ivec3(0), ivec3(0x7BFF * 16));
  // The decoder takes 31 / 64 and rounds down.
  return ivec3(uvec3(v * 4 + 32) / 31u);
}
// The half float that a decoder makes of its interpolated 16-bit number.
ivec3 bc6h_finished(ivec3 q) { return (q * 31) >> 6; }
int bc6h_weight(int index, int levels) { return levels == 7 ? (index * 585 + 32) >> 6 : (index * 273 + 32) >> 6; }

// The line between two scaled endpoints.
struct Bc6hLine {
  ivec3 from;
  ivec3 along;
  int span;
  uint reciprocal;
};
Bc6hLine bc6h_line(ivec3 from, ivec3 to, int levels) {
  ivec3 along = to - from;
  int span = bc_dot(along, along);
  return Bc6hLine(from, along, span, (uint(levels) << 27) / uint(max(span, 1)));
}
// The index of the nearest of equal steps.
int bc6h_index(Bc6hLine line, ivec3 p) {
  uint t = uint(clamp(bc_dot(p - line.from, line.along), 0, line.span));
  return int((t * line.reciprocal + 0x4000000u) >> 27);
}

// Which texels belong to which subset; anchors have an index in the lower half.
struct Bc6hShape {
  uint mask;     // texels of subset 1
  uint anchors;  // a bit each
  int levels;
};

struct Bc6hMoments {
  ivec3 sum0;
  ivec3 sum1;
};

// The texels of both subsets furthest apart along their axes, those nearer to the anchors first.
Bc6hMoments bc6h_extremes(Bc6hShape shape, out ivec3 ends[4]) {
  Bc6hMoments moments = Bc6hMoments(ivec3(0), ivec3(0));
  ivec3 square0 = ivec3(0), square1 = ivec3(0), cross0 = ivec3(0), cross1 = ivec3(0);
  EACH_TEXEL(k) {
    int one = int(shape.mask >> k & 1u), zero = 1 - one;
    ivec3 p = bc6h_scaled_texel(k), square = p * p, cross = bc_cross(p);
    moments.sum0 += p * zero;
    moments.sum1 += p * one;
    square0 += square * zero;
    square1 += square * one;
    cross0 += cross * zero;
    cross1 += cross * one;
  }
  int n1 = bitCount(shape.mask), n0 = 16 - n1;
  ivec3 sum0 = moments.sum0, sum1 = moments.sum1;
  ivec3 axis0 = bc_principal_axis(square0 * n0 - sum0 * sum0, cross0 * n0 - bc_cross(sum0), 2u);
  ivec3 axis1 = bc_principal_axis(square1 * n1 - sum1 * sum1, cross1 * n1 - bc_cross(sum1), 2u);
  int low0 = 0x7fffffff, high0 = -0x7fffffff, low1 = 0x7fffffff, high1 = -0x7fffffff;
  ivec3 a0 = ivec3(0), b0 = ivec3(0), a1 = ivec3(0), b1 = ivec3(0), anchor0 = ivec3(0), anchor1 = ivec3(0);
  EACH_TEXEL(k) {
    bool one = (shape.mask >> k & 1u) != 0u;
    bool anchor = (shape.anchors >> k & 1u) != 0u;
    ivec3 p = bc6h_scaled_texel(k);
    int t = bc_dot(p, one ? axis1 : axis0);
    if (one) {
      if (t < low1) { low1 = t; a1 = p; }
      if (t > high1) { high1 = t; b1 = p; }
      if (anchor) anchor1 = p;
    } else {
      if (t < low0) { low0 = t; a0 = p; }
      if (t > high0) { high0 = t; b0 = p; }
      if (anchor) anchor0 = p;
    }
  }
  bool swap0 = bc6h_index(bc6h_line(a0, b0, 1), anchor0) == 1;
  bool swap1 = bc6h_index(bc6h_line(a1, b1, 1), anchor1) == 1;
  ends[0] = swap0 ? b0 : a0;
  ends[1] = swap0 ? a0 : b0;
  ends[2] = swap1 ? b1 : a1;
  ends[3] = swap1 ? a1 : b1;
  return moments;
}

// Least squares of n texels of which the indices sum to s1, their squares to s2, the texels to `sum` and texels times
// indices to `weighted`: both endpoints as 16-bit numbers. Those given, scaled, count where all indices are equal.
void bc6h_solve(int n, int s1, int s2, ivec3 sum, ivec3 weighted, int levels, inout ivec3 from, inout ivec3 to) {
  int determinant = n * s2 - s1 * s1;
  ivec3 a = from << 4, b = to << 4;
  if (determinant > 0) {
    a = sum * s2 - weighted * s1;
    b = a + (weighted * n - sum * s1) * levels;
    // A quarter of the range beyond it is allowed; 512 makes what is divided positive.
    ivec3 low = ivec3(-512 * determinant), high = ivec3(2560 * determinant);
    uvec3 above_a = uvec3((clamp(a, low, high) - low) * 16 + (determinant >> 1));
    uvec3 above_b = uvec3((clamp(b, low, high) - low) * 16 + (determinant >> 1));
    a = ivec3(above_a / uint(determinant)) - 512 * 16;
    b = ivec3(above_b / uint(determinant)) - 512 * 16;
  }
  from = bc6h_sixteen_bits(a);
  to = bc6h_sixteen_bits(b);
}

void bc6h_least_squares(Bc6hShape shape, Bc6hMoments moments, inout ivec3 ends[4]) {
  Bc6hLine line0 = bc6h_line(ends[0], ends[1], shape.levels), line1 = bc6h_line(ends[2], ends[3], shape.levels);
  // Of both subsets, and of subset 1.
  int u1 = 0, u2 = 0, t1 = 0, t2 = 0;
  ivec3 u = ivec3(0), t = ivec3(0);
  EACH_TEXEL(k) {
    bool one = (shape.mask >> k & 1u) != 0u;
    ivec3 p = bc6h_scaled_texel(k);
    Bc6hLine line = line0;
    if (one) line = line1;
    int i = bc6h_index(line, p), j = one ? i : 0;
    u1 += i;
    u2 += i * i;
    u += p * i;
    t1 += j;
    t2 += j * j;
    t += p * j;
  }
  int n1 = bitCount(shape.mask);
  bc6h_solve(16 - n1, u1 - t1, u2 - t2, moments.sum0, u - t, shape.levels, ends[0], ends[1]);
  bc6h_solve(n1, t1, t2, moments.sum1, t, shape.levels, ends[2], ends[3]);
}

// Squared error, in scaled units, of endpoints as the decoder expands them.
uint bc6h_error(Bc6hShape shape, ivec3 expanded[4], Bc6hLine line0, Bc6hLine line1) {
  uint error = 0u;
  EACH_TEXEL(k) {
    bool one = (shape.mask >> k & 1u) != 0u;
    ivec3 exact = bc6h_exact(k);
    Bc6hLine line = line0;
    if (one) line = line1;
    int i = bc6h_index(line, bc6h_scale(exact - bc6h_base));
    if ((shape.anchors >> k & 1u) != 0u) i = min(i, shape.levels / 2);
    int w = bc6h_weight(i, shape.levels);
    ivec3 a = one ? expanded[2] : expanded[0], b = one ? expanded[3] : expanded[1];
    ivec3 got = bc6h_finished((a * (64 - w) + b * w + 32) >> 6);
    ivec3 off = bc6h_scale(got - exact);
    error += uint(bc_dot(off, off));
  }
  return error;
}

#endif
