// BC7 mode 6: one subset of four channels, 7 bits and a p bit an endpoint, 4-bit indices.
#ifndef ENCODE_BC7_SINGLE_GLSL
#define ENCODE_BC7_SINGLE_GLSL
#include "bc7_fit.glsl"

// Least squares and quantisation with the indices that e0 and e1 give. An opaque block keeps alpha 255: p bits 1.
void bc7_single_refine(inout ivec4 e0, inout ivec4 e1, ivec4 sum, bool opaque) {
  ivec4 along = e1 - e0;
  int span = bc_dot(along, along), base = bc_dot(e0, along);
  uint reciprocal = bc7_reciprocal(15, span);
  int s1 = 0, s2 = 0;
  ivec4 weighted = ivec4(0);
  EACH_TEXEL(k) {
    ivec4 p = bc_rgba(encode_texel(k));
    int i = bc7_index(bc_dot(p, along) - base, span, reciprocal);
    s1 += i;
    s2 += i * i;
    weighted += p * i;
  }
  bc7_solve(16, s1, s2, sum, weighted, 15, e0, e1);
  const ivec2 bits = ivec2(8);
  ivec4 one0 = bc7_nearest(e0, bits, 1), one1 = bc7_nearest(e1, bits, 1);
  e0 = opaque ? one0 : bc7_nearer(e0, bc7_nearest(e0, bits, 0), one0);
  e1 = opaque ? one1 : bc7_nearer(e1, bc7_nearest(e1, bits, 0), one1);
}

// Squared error; `worst` is how far the texel that fits worst is off.
uint bc7_single_error(ivec4 e0, ivec4 e1, out ivec3 worst, out uvec2 indices) {
  ivec4 along = e1 - e0;
  int span = bc_dot(along, along);
  uint reciprocal = bc7_reciprocal(15, span);
  uint error = 0u;
  int furthest = -1;
  worst = ivec3(0);
  indices = uvec2(0u);
  // Backwards: of several worst texels the first counts.
  EACH_TEXEL_DOWN(k) {
    ivec4 p = bc_rgba(encode_texel(k)) - e0;
    int index = bc7_index(bc_dot(p, along), span, reciprocal);
    ivec4 off = p - ((along * bc7_weight(index, bc7_weights(15)) + 32) >> 6);
    int e = bc_dot(off, off);
    error += uint(e);
    bc7_put_index(indices, index, 4u);
    if (e >= furthest) {
      furthest = e;
      worst = off.xyz;
    }
  }
  return error;
}

// From the texels furthest apart along the axis.
uint bc7_single(ivec4 e0, ivec4 e1, ivec4 sum, bool opaque, out uvec4 ends, out ivec3 worst, out uvec2 indices) {
  uint least = 0xFFFFFFFFu;
  ends = uvec4(0u);
  worst = ivec3(0);
  indices = uvec2(0u);
  ROLLED for (uint round = 0u; round < BC7_ROUNDS; round++) {
    bc7_single_refine(e0, e1, sum, opaque);
    ivec3 furthest;
    uvec2 found;
    uint error = bc7_single_error(e0, e1, furthest, found);
    if (error < least) {
      least = error;
      worst = furthest;
      indices = found;
      ends = uvec4(bc7_word(e0), bc7_word(e1), 0u, 0u);
    }
  }
  return least;
}

#endif
