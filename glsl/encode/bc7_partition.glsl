// Which partitions suit a block of BC7.
#ifndef ENCODE_BC7_PARTITION_GLSL
#define ENCODE_BC7_PARTITION_GLSL
#include "bc7_fit.glsl"
#include "partition.glsl"

#if EFFORT_HIGH

// Six bits of partition below the error to expect; the four least, in order.
uvec4 bc7_promising(ivec4 sum, ivec4 square, ivec3 cross, ivec3 with_alpha) {
  uvec4 best = uvec4(0xFFFFFFFFu);
  ROLLED for (uint part = 0u; part < 64u; part++) {
    uint mask = bc_partition_mask(part);
    ivec4 sum1 = ivec4(0), square1 = ivec4(0);
    ivec3 cross1 = ivec3(0), alpha1 = ivec3(0);
    EACH_TEXEL(k) {
      ivec4 p = bc_rgba(encode_texel(k)) * int(mask >> k & 1u);
      sum1 += p;
      square1 += p * p;
      cross1 += bc_cross(p.xyz);
      alpha1 += p.xyz * p.w;
    }
    int n = bitCount(mask);
    uint expected = 0u;
    ROLLED for (uint subset = 0u; subset < 2u; subset++) {
      expected += bc_expected_error(square1 * n - sum1 * sum1, cross1 * n - bc_cross(sum1.xyz),
                                     alpha1 * n - sum1.xyz * sum1.w, n);
      sum1 = sum - sum1;
      square1 = square - square1;
      cross1 = cross - cross1;
      alpha1 = with_alpha - alpha1;
      n = 16 - n;
    }
    bc_keep_promising(best, expected, part);
  }
  return best;
}

#else

// Texels on the far side of the mean along `direction`.
uint bc7_split_by(ivec3 direction, ivec3 sum) {
  int mean = bc_dot(direction, sum);
  uint split = 0u;
  direction *= 16;
  EACH_TEXEL_DOWN(k) split = split << 1 | uint(mean - bc_dot(bc_rgb(encode_texel(k)), direction)) >> 31;
  return split;
}

// best: the two nearest to the axis split, the nearest to the other.
void bc7_keep_nearest(inout uvec3 best, uint code, int wrong_axis, int wrong_worst) {
  uint key = uint(min(wrong_axis, 16 - wrong_axis)) << 22 | code;
  best.y = min(best.y, max(best.x, key));
  best.x = min(best.x, key);
  best.z = min(best.z, uint(min(wrong_worst, 16 - wrong_worst)) << 22 | code);
}

// The partition nearest to the one split, and the nearest to the other that is not the same: bits 0 to 15 the mask, 16 to
// 21 the partition. Either side of a split may be subset 1.
uvec2 bc7_nearest_partitions(uint split_axis, uint split_worst) {
  // Above them, the number of texels on the wrong side.
  uvec3 best = uvec3(0xFFFFFFFFu);
  ROLLED for (uint part = 0u; part < 4u * TEXEL_COUNT; part++) {
    uint code = bc_partition_mask(part) | part << 16;
    bc7_keep_nearest(best, code, bitCount((code & 0xFFFFu) ^ split_axis), bitCount((code & 0xFFFFu) ^ split_worst));
  }
  uint other = ((best.x ^ best.z) & 0x3F0000u) == 0u ? best.y : best.x;
  return uvec2(best.z, other) & 0x3FFFFFu;
}

#endif

#endif
