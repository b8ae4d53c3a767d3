// The partitions into two subsets that BC7 and, its first 32, BC6H know (KDFS 1.4, "BC7", partition table), and how well
// one suits a block.
#ifndef ENCODE_PARTITION_GLSL
#define ENCODE_PARTITION_GLSL
#include "vector.glsl"

// Subset 1's anchor: the texel of which the index lacks its top bit.
uint bc_anchor(uint part) {
  // Two bits a partition: 15, 2, 8 or 6.
  uint codes = part < 16u ? 0u : part < 32u ? 0x5A592964u : part < 48u ? 0xC15909B0u : 0x140050B7u;
  uint code = (codes >> (2u * (part & 15u))) & 3u;
  return code == 0u ? 15u : code == 1u ? 2u : code == 2u ? 8u : 6u;
}

#if EFFORT_HIGH

// Bit k: texel k is in subset 1. A tree of selections: some drivers copy indexed tables to memory for every invocation.
uint bc_partition_mask(uint part) {
  uint word = 0u, row = part >> 3, column = (part >> 1) & 3u;
#define PARTITION_FOUR(a, b, c, d, n) \
  if (row == uint(n)) word = column < 2u ? (column == 0u ? a : b) : (column == 2u ? c : d);
  PARTITION_FOUR(0x8888CCCCu, 0xECC8EEEEu, 0xFEECC880u, 0xEC80FEC8u, 0)
  PARTITION_FOUR(0xFFECC800u, 0xE800FE80u, 0xFF00FFE8u, 0xF000FFF0u, 1)
  PARTITION_FOUR(0x008EF710u, 0x08CE7100u, 0x7310008Cu, 0x8CCE3100u, 2)
  PARTITION_FOUR(0x3110088Cu, 0x366C6666u, 0x0FF017E8u, 0x399C718Eu, 3)
  PARTITION_FOUR(0xF0F0AAAAu, 0x33CC5A5Au, 0x55AA3C3Cu, 0xA55A9696u, 4)
  PARTITION_FOUR(0x13C873CEu, 0x3BDC324Cu, 0xC33C6996u, 0x06609966u, 5)
  PARTITION_FOUR(0x04E40272u, 0x27204E40u, 0x936CC936u, 0x639C39C6u, 6)
  PARTITION_FOUR(0x9CC69336u, 0xE718817Eu, 0x0FCCCCF0u, 0xEE227744u, 7)
#undef PARTITION_FOUR
  return (word >> (16u * (part & 1u))) & 0xFFFFu;
}

// About the squared error of a subset: all that lies off its principal axis, and a part of what lies along it, which has
// few indices. diagonal, cross and with_alpha are the covariances times n squared.
uint bc_expected_error(ivec4 diagonal, ivec3 cross, ivec3 with_alpha, int n) {
  ivec4 axis = bc_principal_axis(diagonal, cross, with_alpha, 2u);
  axis = axis >> bc_scale_shift(bc_max(abs(axis)) << 8);  // below 64
  int trace = diagonal.x + diagonal.y + diagonal.z + diagonal.w;
  int shift = bc_scale_shift(bc_max(diagonal));
  diagonal = diagonal >> shift;
  cross = cross >> shift;
  with_alpha = with_alpha >> shift;
  ivec4 image = ivec4(diagonal.x * axis.x + cross.x * axis.y + cross.y * axis.z + with_alpha.x * axis.w,
                      cross.x * axis.x + diagonal.y * axis.y + cross.z * axis.z + with_alpha.y * axis.w,
                      cross.y * axis.x + cross.z * axis.y + diagonal.z * axis.z + with_alpha.z * axis.w,
                      bc_dot(with_alpha, axis.xyz) + diagonal.w * axis.w);
  // A quotient of what is positive but for rounding.
  uint quotient = uint(max(bc_dot(image, axis), 0)) / uint(max(bc_dot(axis, axis), 1));
  int along = int(quotient) << shift;
  return uint(max(trace - along, 0) + (along >> 5)) / uint(n);
}

// Puts a partition in its place among the best four: its six bits below the error to expect.
void bc_keep_promising(inout uvec4 best, uint expected, uint part) {
  uint key = expected << 6 | part;
  best = min(best, uvec4(key, max(best, uvec4(key)).xyz));
}

#endif

#endif
