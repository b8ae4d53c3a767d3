// Endpoints for BC7: quantisation, indices, and the parts of a fit that all modes share.
#ifndef ENCODE_BC7_FIT_GLSL
#define ENCODE_BC7_FIT_GLSL
#include "vector.glsl"

// Rounds of least squares; the best endpoints of all rounds count.
#define BC7_ROUNDS (EFFORT_HIGH != 0 ? 2u : 1u)

// The stored values nearest to e (sixteenths), as the decoder expands them to eight bits. `bits` counts the p bit, the
// lowest one, which is `p` if that is not negative.
ivec3 bc7_nearest(ivec3 e, int bits, int p) {
  int top = (1 << bits) - 1;
  ivec3 steps = (e * (top * 257) + 32768) >> 16;  // sixteenths of a stored step
  ivec3 v = p < 0 ? min((steps + 8) >> 4, ivec3(top)) : clamp((steps - 16 * p + 16) >> 5, ivec3(0), ivec3(top >> 1)) * 2 + p;
  return v << (8 - bits) | v >> (2 * bits - 8);
}
int bc7_nearest(int e, int bits, int p) { return bc7_nearest(ivec3(e), bits, p).x; }
// bits.y: alpha's; 0 where the mode stores none.
ivec4 bc7_nearest(ivec4 e, ivec2 bits, int p) {
  return ivec4(bc7_nearest(e.xyz, bits.x, p), bits.y == 0 ? 255 : bc7_nearest(e.w, max(bits.y, 4), p));
}

int bc7_distance(ivec3 stored, ivec3 e) { ivec3 off = (stored << 4) - e; return bc_dot(off, off); }
int bc7_distance(ivec4 stored, ivec4 e) { ivec4 off = (stored << 4) - e; return bc_dot(off, off); }

// Of an endpoint pair stored with p bits 0 and 1: that with the nearer p bit for each endpoint.
ivec4 bc7_nearer(ivec4 e, ivec4 zero, ivec4 one) {
  return bc7_distance(one, e) < bc7_distance(zero, e) ? one : zero;
}

uint bc7_reciprocal(int levels, int span) { return (uint(levels) << 27) / uint(max(span, 1)); }
// The index of t, a projection from the first endpoint on; span is the other endpoint's.
int bc7_index(int t, int span, uint reciprocal) {
  return int((uint(clamp(t, 0, span)) * reciprocal + 0x4000000u) >> 27);
}
// The decoder's weight of endpoint 1, of 64: index * x + y, shifted right by z.
ivec3 bc7_weights(int levels) {
  return levels == 3 ? ivec3(341, 8, 4) : levels == 7 ? ivec3(585, 32, 6) : ivec3(273, 32, 6);
}
int bc7_weight(int index, ivec3 weights) { return (index * weights.x + weights.y) >> weights.z; }

// Puts an index in front of those of later texels, `bits` each.
void bc7_put_index(inout uvec2 indices, int index, uint bits) {
  indices = uvec2(indices.x << bits | uint(index), indices.y << bits | indices.x >> (32u - bits));
}
uint bc7_index_bits(int levels) { return levels == 3 ? 2u : levels == 7 ? 3u : 4u; }

// All index bits of the texels that `mask` has, two or three bits each.
uvec2 bc7_subset_bits(uint mask, uint bits) {
  uvec2 each = uvec2(mask & 255u, mask >> 8 & 255u);
  if (bits == 2u) {
    each = (each | each << 4) & 0x0F0Fu;
    each = (each | each << 2) & 0x3333u;
    each = ((each | each << 1) & 0x5555u) * 3u;
    return uvec2(each.x | each.y << 16, 0u);
  }
  each = (each | each << 8) & 0x00F00Fu;
  each = (each | each << 4) & 0x0C30C3u;
  each = ((each | each << 2) & 0x249249u) * 7u;
  return uvec2(each.x | each.y << 24, each.y >> 8);
}

// Sums over the texels of a block: themselves, squares, products of different channels.
struct Bc7Sums {
  ivec4 sum;
  ivec4 square;
  ivec3 cross;       // RG, RB, GB
  ivec3 with_alpha;  // RA, GA, BA
};

// Least squares of n texels of which the indices sum to s1, their squares to s2, the texels to `sum` and texels times
// indices to `weighted`: both endpoints in sixteenths, or those given where all indices are equal.
#define BC7_SOLVE(TYPE) \
  void bc7_solve(int n, int s1, int s2, TYPE sum, TYPE weighted, int levels, inout TYPE from, inout TYPE to) { \
    int determinant = n * s2 - s1 * s1; \
    from = from << 4; \
    to = to << 4; \
    if (determinant > 0) { \
      uint reciprocal = (0x1000000u + uint(determinant >> 1)) / uint(determinant); \
      TYPE a = sum * s2 - weighted * s1; \
      TYPE b = a + (weighted * n - sum * s1) * levels; \
      from = bc_sixteenths(a, determinant, reciprocal); \
      to = bc_sixteenths(b, determinant, reciprocal); \
    } \
  }
BC7_SOLVE(int)
BC7_SOLVE(ivec3)
BC7_SOLVE(ivec4)

// An 8-bit colour in one word.
uint bc7_word(ivec4 e) { return uint(e.x | e.y << 8 | e.z << 16 | e.w << 24); }

#endif
