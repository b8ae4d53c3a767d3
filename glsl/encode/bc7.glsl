// BC7. One invocation encodes one block of 16 texels.
// The includer defines `uint encode_texel(uint)` and EFFORT_HIGH.
//
// The encoder tries one subset (mode 6), two (modes 1, 3, 7), and one channel apart from the others (modes 4, 5), and keeps
// what decodes with the least squared error. An opaque block decodes with alpha 255 everywhere. Errors are exact, so a
// choice is kept as endpoints, and the indices are worked out again for the one that is packed.
#include "bc7_single.glsl"
#include "bc7_pair.glsl"
#include "bc7_pack.glsl"

// At fast effort, opaque blocks with at most this squared error are not tried in other modes.
#define BC7_GOOD_ENOUGH 40u

// One colour, exactly, in mode 5: every 8-bit value is 43 / 64 of one 7-bit value and 21 / 64 of another.
uvec4 bc7_solid(uint texel) {
  ivec3 v = bc_rgb(texel);
  // Below 128 the even values are exact as they are, above it the odd ones; the others lie between neighbours.
  ivec3 even = 1 - (v & 1), top = ivec3(greaterThanEqual(v, ivec3(130))), middle = ivec3(equal(v, ivec3(128)));
  uvec3 q0 = uvec3((v >> 1) - top * even);
  uvec3 q1 = uvec3((v >> 1) + (1 - even) * ivec3(lessThan(v, ivec3(128))) - middle);
  uint a = texel >> 24;
  return uvec4(0x20u | q0.x << 8 | q1.x << 15 | q0.y << 22 | q1.y << 29,
               q1.y >> 3 | q0.z << 4 | q1.z << 11 | a << 18 | a << 26,
               a >> 6 | 0xAAAAAAACu, 0u);
}

// Takes what was found if it is better.
void bc7_consider(inout Bc7Choice best, uint error, uint mode, uint detail, uint mask, uvec4 ends) {
  if (error < best.error) best = Bc7Choice(error, mode, detail, mask, ends);
}

uvec4 encode_block() {
  ivec4 sum = ivec4(0), square = ivec4(0);
  ivec3 cross = ivec3(0), with_alpha = ivec3(0);
  uint first = encode_texel(0u), differ = 0u;
  EACH_TEXEL(k) {
    uint texel = encode_texel(k);
    ivec4 p = bc_rgba(texel);
    sum += p;
    square += p * p;
    cross += bc_cross(p.xyz);
    with_alpha += p.xyz * p.w;
    differ |= texel ^ first;
  }
  if (differ == 0u) return bc7_solid(first);
  bool opaque = sum.w == 16 * 255;

  ivec4 axis = bc_principal_axis(square * 16 - sum * sum, cross * 16 - bc_cross(sum.xyz),
                                 with_alpha * 16 - sum.xyz * sum.w, 2u);
  int low = 0x7fffffff, high = -0x7fffffff;
  ivec4 from = ivec4(0), to = ivec4(0);
  EACH_TEXEL(k) {
    ivec4 p = bc_rgba(encode_texel(k));
    int t = bc_dot(p, axis);
    if (t < low) { low = t; from = p; }
    if (t > high) { high = t; to = p; }
  }
  Bc7Choice best;
  best.mode = 6u;
  best.detail = 0u;
  best.mask = 0u;
  ivec3 worst;
  best.error = bc7_single(from, to, sum, opaque, best.ends, worst);
  if (best.error > (opaque && EFFORT_HIGH == 0 ? BC7_GOOD_ENOUGH : 0u)) {
#if EFFORT_HIGH
    PairSums all = PairSums(sum, square, cross, with_alpha);
    uvec4 promising = bc7_promising(sum, square, cross, with_alpha) & 63u;
    // Opaque: mode 1 on four partitions, mode 3 on the best two of them. Else mode 7 on the best two.
    ROLLED for (uint turn = 0u; turn < (opaque ? 6u : 2u); turn++) {
      uint place = turn & 3u;
      uint part = place < 2u ? (place == 0u ? promising.x : promising.y) : place == 2u ? promising.z : promising.w;
      PairMode mode = !opaque ? PairMode(7, 3, ivec2(6, 6)) : turn < 4u ? PairMode(1, 7, ivec2(7, 0)) : PairMode(3, 3, ivec2(8, 0));
      uint mask = bc_partition_mask(part);
      uvec4 ends;
      uint error = bc7_pair(mode, all, mask, ends);
      bc7_consider(best, error, uint(mode.number), part, mask, ends);
    }
    uint first_split = 0u, splits = 12u;
#else
    if (opaque) {
      PairSums all = PairSums(sum.xyz, square.xyz, cross);
      uvec2 partitions = bc7_nearest_partitions(bc7_split_by(axis, sum), bc7_split_by(ivec4(worst, 0), sum));
      ROLLED for (uint turn = 0u; turn < 2u; turn++) {
        uint code = turn == 0u ? partitions.x : partitions.y;
        uvec4 ends;
        uint error = bc7_pair(PairMode(1, 7, ivec2(7, 0)), all, code & 0xFFFFu, ends);
        bc7_consider(best, error, 1u, code >> 16, code & 0xFFFFu, ends);
      }
    }
    // Alpha apart; or in an opaque block, and in mode 5 alone, the channel in which the worst texel is furthest off.
    ivec3 off = abs(worst);
    uint rotation = !opaque ? 0u : off.x >= max(off.y, off.z) ? 1u : off.y >= off.z ? 2u : 3u;
    uint first_split = 3u * rotation, splits = opaque ? 1u : 3u;
#endif
    // A rotation in mode 5, and in mode 4 with either part finer; then the next. High tries all.
    ROLLED for (uint turn = first_split; turn < first_split + splits; turn++) {
      uint rotated = turn / 3u, kind = turn - 3u * rotated;
      SplitMode mode = SplitMode(ivec2(3), ivec2(7, 8));
      if (kind > 0u) mode = SplitMode(kind == 1u ? ivec2(3, 7) : ivec2(7, 3), ivec2(5, 6));
      uvec4 ends;
      uint error = bc7_split(mode, rotated, ends);
      bc7_consider(best, error, kind == 0u ? 5u : 4u, rotated | (kind == 2u ? 4u : 0u), 0u, ends);
    }
  }
  return bc7_pack(best);
}
