// The partitions into two subsets that BC7 and, its first 32, BC6H know (KDFS 1.4, "BC7", partition table), and how well
// one suits a block.
#ifndef ENCODE_PARTITION_GLSL
#define ENCODE_PARTITION_GLSL
#include "vector.glsl"
#include "transcode/tables.glsl"

// Subset 1's anchor: the texel of which the index lacks its top bit.
uint bc_anchor(uint part) {
  // Two bits a partition: 15, 2, 8 or 6.
  uint codes = part < 16u ? 0u : part < 32u ? 0x5A592964u : part < 48u ? 0xC15909B0u : 0x140050B7u;
  uint code = (codes >> (2u * (part & 15u))) & 3u;
  return code == 0u ? 15u : code == 1u ? 2u : code == 2u ? 8u : 6u;
}

// Bit k: texel k is in subset 1.
uint bc_partition_mask(uint part) { return two_subsets[part]; }

#if EFFORT_HIGH

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
