// BC7. One invocation encodes one block of 16 texels.
// The includer defines `uint encode_texel(uint)`, `void encode_replace(uint, uint)`, which gives a texel another value, and EFFORT_HIGH.
//
// The encoder tries one subset (mode 6), two (modes 1, 3, 7), and one channel apart from the others (modes 4, 5), and keeps
// what decodes with the least squared error. An opaque block decodes with alpha 255 everywhere. Errors are exact.
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
void bc7_consider(inout Bc7Choice best, Bc7Choice found) {
  if (found.error < best.error) best = found;
}

uvec4 encode_block() {
  Bc7Sums all = Bc7Sums(ivec4(0), ivec4(0), ivec3(0), ivec3(0));
  uint first = encode_texel(0u), differ = 0u;
  EACH_TEXEL(k) {
    uint texel = encode_texel(k);
    ivec4 p = bc_rgba(texel);
    all.sum += p;
    all.square += p * p;
    all.cross += bc_cross(p.xyz);
    all.with_alpha += p.xyz * p.w;
    differ |= texel ^ first;
  }
  if (differ == 0u) return bc7_solid(first);
  ivec4 sum = all.sum;
  bool opaque = sum.w == 16 * 255;

  ivec4 axis = bc_principal_axis(all.square * 16 - sum * sum, all.cross * 16 - bc_cross(sum.xyz),
                                 all.with_alpha * 16 - sum.xyz * sum.w, 2u);
  // The texels at both ends of the axis: the key is the place on it, then which of several at one place comes first.
  int low = 0x7fffffff, high = -0x7fffffff, mean = bc_dot(axis, sum);
  uint split_axis = 0u; // the texels on the far side of the mean
  axis *= 16;
  EACH_TEXEL_DOWN(k) {
    int t = bc_dot(bc_rgba(encode_texel(k)), axis);
    low = min(low, t + int(k));
    high = max(high, t + int(15u - k));
    split_axis = split_axis << 1 | uint(mean - t) >> 31;
  }
  ivec4 from = bc_rgba(encode_texel(uint(low) & 15u)), to = bc_rgba(encode_texel(15u - (uint(high) & 15u)));
  Bc7Choice best;
  best.mode = 6u;
  best.detail = 0u;
  best.mask = 0u;
  best.scalars = uvec2(0u);
  ivec3 worst;
  best.error = bc7_single(from, to, sum, opaque, best.ends, worst, best.indices);
  Bc7Choice found = best;
  if (best.error > (opaque && EFFORT_HIGH == 0 ? BC7_GOOD_ENOUGH : 0u)) {
#if EFFORT_HIGH
    PairSums sums = PairSums(all.sum, all.square, all.cross, all.with_alpha);
    uvec4 promising = bc7_promising(all.sum, all.square, all.cross, all.with_alpha) & 63u;
    // Opaque: mode 1 on four partitions, mode 3 on the best two of them. Else mode 7 on the best two.
    ROLLED for (uint turn = 0u; turn < (opaque ? 6u : 2u); turn++) {
      uint place = turn & 3u;
      uint part = place < 2u ? (place == 0u ? promising.x : promising.y) : place == 2u ? promising.z : promising.w;
      PairMode mode = !opaque ? PairMode(7, 3, ivec2(6, 6)) : turn < 4u ? PairMode(1, 7, ivec2(7, 0)) : PairMode(3, 3, ivec2(8, 0));
      found.mode = uint(mode.number);
      found.detail = part;
      found.mask = bc_partition_mask(part);
      found.error = bc7_pair(mode, sums, found.mask, found.ends, found.indices);
      bc7_consider(best, found);
    }
    uint rotation = 0u, last_rotation = 3u, kinds = 3u;
#else
    if (opaque) {
      PairSums sums = PairSums(sum.xyz, all.square.xyz, all.cross);
      uvec2 partitions = bc7_nearest_partitions(split_axis, bc7_split_by(worst, sum.xyz));
      ROLLED for (uint turn = 0u; turn < 2u; turn++) {
        uint code = turn == 0u ? partitions.x : partitions.y;
        found.mode = 1u;
        found.detail = code >> 16;
        found.mask = code & 0xFFFFu;
        found.error = bc7_pair(PairMode(1, 7, ivec2(7, 0)), sums, found.mask, found.ends, found.indices);
        bc7_consider(best, found);
      }
    }
    // Alpha apart; or in an opaque block, and in mode 5 alone, the channel in which the worst texel is furthest off.
    ivec3 off = abs(worst);
    uint rotation = !opaque ? 0u : off.x >= max(off.y, off.z) ? 1u : off.y >= off.z ? 2u : 3u;
    uint last_rotation = rotation, kinds = opaque ? 1u : 3u;
#endif
    // A rotation in mode 5, and in mode 4 with either part finer; then the next. High tries all.
    ROLLED for (; rotation <= last_rotation; rotation++) {
      Bc7Sums sums = bc7_rotated_sums(all, rotation);
      SplitEnds extremes = bc7_split_extremes(rotation, sums);
      ROLLED for (uint kind = 0u; kind < kinds; kind++) {
        SplitMode mode = SplitMode(ivec2(3), ivec2(7, 8));
        if (kind > 0u) mode = SplitMode(kind == 1u ? ivec2(3, 7) : ivec2(7, 3), ivec2(5, 6));
        found.mode = kind == 0u ? 5u : 4u;
        found.detail = rotation | (kind == 2u ? 4u : 0u);
        found.mask = 0u;
        found.error = bc7_split(mode, sums.sum, extremes, found.ends, found.indices, found.scalars);
        bc7_consider(best, found);
      }
#if EFFORT_HIGH
      if (rotation != 0u) {
        EACH_TEXEL(k) encode_replace(k, bc7_rotated(encode_texel(k), rotation));
      }
#endif
    }
  }
  return bc7_pack(best);
}
