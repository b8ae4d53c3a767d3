// Integer arithmetic that the encoders share. Everything stays inside 32 bits and every division is unsigned, so a
// device and the CPU twin compute the same bits.
#ifndef ENCODE_VECTOR_GLSL
#define ENCODE_VECTOR_GLSL

// Loops over texels stay loops: unrolled, a pipeline takes seconds to compile and spills registers. Some compilers unroll them all the
// same. The short encoders gain by that; BC7 becomes longer than an instruction cache and counts to TEXEL_COUNT, which is 16 but known
// only when it runs.
#ifndef TEXEL_COUNT
#define TEXEL_COUNT 16u
#endif
#define ROLLED [[dont_unroll]]
#define EACH_TEXEL(k) ROLLED for (uint k = 0u; k < TEXEL_COUNT; k++)
#define EACH_TEXEL_DOWN(k) ROLLED for (uint k = TEXEL_COUNT - 1u; k < TEXEL_COUNT; k--)

// The channels of an RGBA8 texel, red in the low byte.
ivec3 bc_rgb(uint texel) { return ivec3(uvec3(texel, texel >> 8, texel >> 16) & 255u); }
ivec4 bc_rgba(uint texel) { return ivec4(uvec4(texel, texel >> 8, texel >> 16, texel >> 24) & 255u); }

int bc_dot(ivec3 a, ivec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
int bc_dot(ivec4 a, ivec4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
int bc_max(ivec3 v) { return max(max(v.x, v.y), v.z); }
int bc_max(ivec4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }

// Right shift that brings `most` below 2^14.
int bc_scale_shift(int most) { return max(findMSB(most | 1) - 13, 0); }

// Least squares: numerator / determinant, a value of 0..255, in sixteenths. reciprocal: 2^24 / determinant.
int bc_sixteenths(int numerator, int determinant, uint reciprocal) {
  uint n = uint(clamp(numerator, 0, 255 * determinant));
  return int((n * reciprocal + 0x80000u) >> 20);
}
ivec3 bc_sixteenths(ivec3 n, int determinant, uint reciprocal) {
  return ivec3((uvec3(clamp(n, ivec3(0), ivec3(255 * determinant))) * reciprocal + 0x80000u) >> 20);
}
ivec4 bc_sixteenths(ivec4 n, int determinant, uint reciprocal) {
  return ivec4((uvec4(clamp(n, ivec4(0), ivec4(255 * determinant))) * reciprocal + 0x80000u) >> 20);
}

// Products of different channels: RG, RB, GB.
ivec3 bc_cross(ivec3 p) { return p.xxy * p.yzz; }

// The principal axis of a covariance matrix, by power iteration from its heaviest row.
// diagonal: RR, GG, BB; cross: RG, RB, GB.
ivec3 bc_principal_axis(ivec3 diagonal, ivec3 cross, uint rounds) {
  int shift = bc_scale_shift(bc_max(diagonal));
  diagonal = diagonal >> shift;
  cross = cross >> shift;
  ivec3 r = ivec3(diagonal.x, cross.x, cross.y);
  ivec3 g = ivec3(cross.x, diagonal.y, cross.z);
  ivec3 b = ivec3(cross.y, cross.z, diagonal.z);
  ivec3 axis = r;
  int heaviest = diagonal.x;
  if (diagonal.y > heaviest) { axis = g; heaviest = diagonal.y; }
  if (diagonal.z > heaviest) axis = b;
  for (uint round = 0u; round < rounds; round++) {
    axis = ivec3(bc_dot(r, axis), bc_dot(g, axis), bc_dot(b, axis));
    axis = axis >> bc_scale_shift(bc_max(abs(axis)));
  }
  return axis;
}

// The same in four channels; cross: RG, RB, GB; with_alpha: RA, GA, BA.
ivec4 bc_principal_axis(ivec4 diagonal, ivec3 cross, ivec3 with_alpha, uint rounds) {
  int shift = bc_scale_shift(bc_max(diagonal));
  diagonal = diagonal >> shift;
  cross = cross >> shift;
  with_alpha = with_alpha >> shift;
  ivec4 r = ivec4(diagonal.x, cross.x, cross.y, with_alpha.x);
  ivec4 g = ivec4(cross.x, diagonal.y, cross.z, with_alpha.y);
  ivec4 b = ivec4(cross.y, cross.z, diagonal.z, with_alpha.z);
  ivec4 a = ivec4(with_alpha, diagonal.w);
  ivec4 axis = r;
  int heaviest = diagonal.x;
  if (diagonal.y > heaviest) { axis = g; heaviest = diagonal.y; }
  if (diagonal.z > heaviest) { axis = b; heaviest = diagonal.z; }
  if (diagonal.w > heaviest) axis = a;
  for (uint round = 0u; round < rounds; round++) {
    axis = ivec4(bc_dot(r, axis), bc_dot(g, axis), bc_dot(b, axis), bc_dot(a, axis));
    axis = axis >> bc_scale_shift(bc_max(abs(axis)));
  }
  return axis;
}

#endif
