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
uint bc7_split_by(ivec4 direction, ivec4 sum) {
  int mean = bc_dot(direction, sum);
  uint split = 0u;
  EACH_TEXEL(k) split |= (bc_dot(bc_rgba(encode_texel(k)), direction) * 16 > mean ? 1u : 0u) << k;
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
#define BC7_TRY(part, mask) \
  bc7_keep_nearest(best, part << 16 | mask, bitCount(mask ^ split_axis), bitCount(mask ^ split_worst));
  BC7_TRY( 0u, 0xCCCCu) BC7_TRY( 1u, 0x8888u) BC7_TRY( 2u, 0xEEEEu) BC7_TRY( 3u, 0xECC8u)
  BC7_TRY( 4u, 0xC880u) BC7_TRY( 5u, 0xFEECu) BC7_TRY( 6u, 0xFEC8u) BC7_TRY( 7u, 0xEC80u)
  BC7_TRY( 8u, 0xC800u) BC7_TRY( 9u, 0xFFECu) BC7_TRY(10u, 0xFE80u) BC7_TRY(11u, 0xE800u)
  BC7_TRY(12u, 0xFFE8u) BC7_TRY(13u, 0xFF00u) BC7_TRY(14u, 0xFFF0u) BC7_TRY(15u, 0xF000u)
  BC7_TRY(16u, 0xF710u) BC7_TRY(17u, 0x008Eu) BC7_TRY(18u, 0x7100u) BC7_TRY(19u, 0x08CEu)
  BC7_TRY(20u, 0x008Cu) BC7_TRY(21u, 0x7310u) BC7_TRY(22u, 0x3100u) BC7_TRY(23u, 0x8CCEu)
  BC7_TRY(24u, 0x088Cu) BC7_TRY(25u, 0x3110u) BC7_TRY(26u, 0x6666u) BC7_TRY(27u, 0x366Cu)
  BC7_TRY(28u, 0x17E8u) BC7_TRY(29u, 0x0FF0u) BC7_TRY(30u, 0x718Eu) BC7_TRY(31u, 0x399Cu)
  BC7_TRY(32u, 0xAAAAu) BC7_TRY(33u, 0xF0F0u) BC7_TRY(34u, 0x5A5Au) BC7_TRY(35u, 0x33CCu)
  BC7_TRY(36u, 0x3C3Cu) BC7_TRY(37u, 0x55AAu) BC7_TRY(38u, 0x9696u) BC7_TRY(39u, 0xA55Au)
  BC7_TRY(40u, 0x73CEu) BC7_TRY(41u, 0x13C8u) BC7_TRY(42u, 0x324Cu) BC7_TRY(43u, 0x3BDCu)
  BC7_TRY(44u, 0x6996u) BC7_TRY(45u, 0xC33Cu) BC7_TRY(46u, 0x9966u) BC7_TRY(47u, 0x0660u)
  BC7_TRY(48u, 0x0272u) BC7_TRY(49u, 0x04E4u) BC7_TRY(50u, 0x4E40u) BC7_TRY(51u, 0x2720u)
  BC7_TRY(52u, 0xC936u) BC7_TRY(53u, 0x936Cu) BC7_TRY(54u, 0x39C6u) BC7_TRY(55u, 0x639Cu)
  BC7_TRY(56u, 0x9336u) BC7_TRY(57u, 0x9CC6u) BC7_TRY(58u, 0x817Eu) BC7_TRY(59u, 0xE718u)
  BC7_TRY(60u, 0xCCF0u) BC7_TRY(61u, 0x0FCCu) BC7_TRY(62u, 0x7744u) BC7_TRY(63u, 0xEE22u)
#undef BC7_TRY
  uint other = ((best.x ^ best.z) & 0x3F0000u) == 0u ? best.y : best.x;
  return uvec2(best.z, other) & 0x3FFFFFu;
}

#endif

#endif
