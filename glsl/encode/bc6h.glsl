// BC6H, unsigned. One invocation encodes one block of 16 texels.
// The includer defines `uvec2 encode_half(uint)`, RGBA16F of which alpha is ignored, and EFFORT_HIGH.
//
// Errors are measured in the bits of half floats, about the logarithm of the value. One subset of texels is tried in the
// most precise mode that can store its endpoints; at high effort so are two, for some partitions.
#include "bc6h_pack.glsl"

const uint BC6H_ROUNDS = 2u;

// The most precise mode that can store these endpoints, 16-bit numbers; they become its stored values.
Bc6hMode bc6h_choose_mode(bool two, inout ivec3 ends[4]) {
  Bc6hMode mode;
  ivec3 stored[4];
  ROLLED for (uint n = 0u; n < (two ? 10u : 4u); n++) {
#if EFFORT_HIGH
    if (two) mode = bc6h_mode_of_two(n);
    else mode = bc6h_mode_of_one(n);
#else
    mode = bc6h_mode_of_one(n);
#endif
    int shift = 16 - mode.bits;
    stored[0] = ends[0] >> shift;
    stored[1] = ends[1] >> shift;
    stored[2] = ends[2] >> shift;
    stored[3] = ends[3] >> shift;
    ivec3 most = abs(stored[1] - stored[0]);
    if (two) most = max(most, max(abs(stored[2] - stored[0]), abs(stored[3] - stored[0])));
    if (!bc6h_relative(mode) || all(lessThan(most, ivec3(1) << (mode.difference - 1)))) break;
  }
  ends = stored;
  return mode;
}

// The best of some rounds of least squares with one subset, or the two of a partition, if it beats what is there.
void bc6h_consider(bool two, uint part, uint mask, inout Bc6hChoice best) {
  Bc6hShape shape = Bc6hShape(mask, two ? 1u | 1u << bc_anchor(part) : 1u, two ? 7 : 15);
  ivec3 ends[4];
  Bc6hMoments moments = bc6h_extremes(shape, ends);
  ROLLED for (uint round = 0u; round < BC6H_ROUNDS; round++) {
    bc6h_least_squares(shape, moments, ends);
    Bc6hMode mode = bc6h_choose_mode(two, ends);
    ivec3 stored[4] = ends;
    ivec3 expanded[4];
    for (uint end = 0u; end < 4u; end++) {
      expanded[end] = bc6h_expand(mode, stored[end]);
      ends[end] = bc6h_scale(bc6h_finished(expanded[end]) - bc6h_base);
    }
    Bc6hLine line0 = bc6h_line(ends[0], ends[1], shape.levels), line1 = bc6h_line(ends[2], ends[3], shape.levels);
    uint error = bc6h_error(shape, expanded, line0, line1);
    if (error < best.error) best = Bc6hChoice(error, mode, two, part, mask, stored);
  }
}

#if EFFORT_HIGH
// Six bits of partition below the error to expect; the four least, in order.
uvec4 bc6h_promising() {
  ivec3 sum = ivec3(0), square = ivec3(0), cross = ivec3(0);
  EACH_TEXEL(k) {
    ivec3 p = bc6h_scaled_texel(k);
    sum += p;
    square += p * p;
    cross += bc_cross(p);
  }
  uvec4 best = uvec4(0xFFFFFFFFu);
  ROLLED for (uint part = 0u; part < 32u; part++) {
    uint mask = bc_partition_mask(part);
    ivec3 sum1 = ivec3(0), square1 = ivec3(0), cross1 = ivec3(0);
    EACH_TEXEL(k) {
      ivec3 p = bc6h_scaled_texel(k) * int(mask >> k & 1u);
      sum1 += p;
      square1 += p * p;
      cross1 += bc_cross(p);
    }
    int n = bitCount(mask);
    uint expected = 0u;
    ROLLED for (uint subset = 0u; subset < 2u; subset++) {
      ivec4 diagonal = ivec4(square1 * n - sum1 * sum1, 0);
      expected += bc_expected_error(diagonal, cross1 * n - bc_cross(sum1), ivec3(0), n);
      sum1 = sum - sum1;
      square1 = square - square1;
      cross1 = cross - cross1;
      n = 16 - n;
    }
    bc_keep_promising(best, expected, part);
  }
  return best;
}
#endif

uvec4 encode_block() {
  ivec3 low = ivec3(0x7BFF), high = ivec3(0);
  EACH_TEXEL(k) {
    ivec3 v = bc6h_exact(k);
    low = min(low, v);
    high = max(high, v);
  }
  bc6h_base = low;
  bc6h_shift = max(findMSB(bc_max(high - low) | 1) - 10, 0);
  Bc6hChoice best;
  best.error = 0xFFFFFFFFu;
#if EFFORT_HIGH
  uvec4 promising = bc6h_promising() & 63u;
  ROLLED for (uint turn = 0u; turn < 5u; turn++) {
    if (best.error == 0u) break;
    bool two = turn > 0u;
    if (turn > 1u) promising = promising.yzwx;
    uint part = promising.x;
    bc6h_consider(two, two ? part : 0u, two ? bc_partition_mask(part) : 0u, best);
  }
#else
  bc6h_consider(false, 0u, 0u, best);
#endif
  return bc6h_pack(best);
}
