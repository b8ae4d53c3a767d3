// BC7: endpoints to the 128 bits of a block, any of the modes 1 and 3 to 7.
#ifndef ENCODE_BC7_PACK_GLSL
#define ENCODE_BC7_PACK_GLSL
#include "bc7_partition.glsl"
#include "bc7_split.glsl"
#include "block.glsl"

// What was found best. `detail` is the partition (modes 1, 3, 7), the rotation and above it the index selection bit
// (modes 4, 5), or 0. Endpoints are expanded, RGBA8: both of subset 0, then those of subset 1.
struct Bc7Choice {
  uint error;
  uint mode;
  uint detail;
  uint mask;
  uvec4 ends;
  uvec2 indices;  // the first texel's lowest; of the three channels in modes 4 and 5
  uvec2 scalars;  // those of the channel apart
};

// Takes bit n out of a pair of words.
uvec2 bc7_without_bit(uvec2 v, uint n) {
  uint keep = (1u << (n & 31u)) - 1u;
  uvec2 moved = uvec2(v.x >> 1 | v.y << 31, v.y >> 1);
  if (n < 32u) return uvec2((v.x & keep) | (moved.x & ~keep), moved.y);
  return uvec2(v.x, (v.y & keep) | (moved.y & ~keep));
}

uvec4 bc7_pack(Bc7Choice choice) {
  uint mode = choice.mode;
  bool split = mode == 4u || mode == 5u;
  bool pair = mode == 1u || mode == 3u || mode == 7u;
  uint rotation = split ? choice.detail & 3u : 0u;
  uint swapped = split ? choice.detail >> 2 : 0u;
  uvec4 block = uvec4(0u);

  // Indices, back to front, so that where they start follows from how many bits they take.
  uint at = 128u;
  ROLLED for (uint turn = 0u; turn < 2u; turn++) {
    if (turn == 1u && !split) break;
    // The last part is the scalar channel, or the colour if mode 4 says so.
    bool scalar = split && (turn ^ swapped) == 0u;
    uint bits = mode == 6u ? 4u : mode == 1u ? 3u : mode == 4u && scalar == (swapped == 0u) ? 3u : 2u;
    uvec2 indices = scalar ? choice.scalars : choice.indices;
    // An anchor's index must not have its top bit: else the subset's endpoints change places.
    uint anchor_bit = bits * bc_anchor(choice.detail & 63u) + bits - 1u;
    uvec2 subset1 = pair ? bc7_subset_bits(choice.mask, bits) : uvec2(0u);
    if ((indices.x >> (bits - 1u) & 1u) != 0u) {
      indices ^= ~subset1;
      uint exchange = (choice.ends.x ^ choice.ends.y) & (split ? scalar ? 0xFF000000u : 0xFFFFFFu : 0xFFFFFFFFu);
      choice.ends.xy ^= exchange;
    }
    if (pair && ((anchor_bit < 32u ? indices.x : indices.y) >> (anchor_bit & 31u) & 1u) != 0u) {
      indices ^= subset1;
      choice.ends.zw = choice.ends.wz;
    }
    if (pair) indices = bc7_without_bit(indices, anchor_bit);
    indices = bc7_without_bit(indices, bits - 1u);
    uint count = 16u * bits - (pair ? 2u : 1u);
    at -= count;
    uvec2 used = uvec2(0xFFFFFFFFu >> (count < 32u ? 32u - count : 0u),
                       count <= 32u ? 0u : 0xFFFFFFFFu >> (64u - count));
    bc_put(block, at, indices.x & used.x);
    bc_put(block, at + 32u, indices.y & used.y);
  }

  // Mode, partition or rotation.
  bc_put(block, 0u, 1u << mode | choice.detail << (mode + 1u));
  at = mode + (pair ? 7u : mode == 4u ? 4u : mode == 5u ? 3u : 1u);
  // Endpoints, channel by channel.
  uint bits = 0x57757060u >> (4u * mode) & 15u, alpha_bits = 0x57860000u >> (4u * mode) & 15u;
  uint ends = pair ? 4u : 2u;
  ROLLED for (uint channel = 0u; channel < 4u; channel++) {
    uint b = channel == 3u ? alpha_bits : bits;
    uvec4 q = (choice.ends >> (8u * channel) & 255u) >> (8u - b);
    uint low = q.x | q.y << b, high = q.z | q.w << b;
    bc_put(block, at, low | (pair ? high << (2u * b) : 0u));
    at += ends * b;
  }
  // P bits: the lowest bits of what was expanded; in red as in all channels.
  if (!split) {
    uvec4 p = choice.ends >> (mode == 7u ? 2u : mode == 1u ? 1u : 0u) & 1u;
    uint all = p.x | p.y << 1;
    if (pair) all |= p.z << 2 | p.w << 3;
    if (mode == 1u) all = p.x | p.z << 1;
    bc_put(block, at, all);
  }
  return block;
}

#endif
