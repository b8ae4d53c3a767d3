// The colour half of BC1 and BC3: two 5:6:5 endpoints and a palette between them.
// The includer defines `uint encode_texel(uint)` and EFFORT_HIGH.
#ifndef ENCODE_COLOR_GLSL
#define ENCODE_COLOR_GLSL
#include "vector.glsl"
#include "transcode/tables.glsl"

// Whether a texel counts: all do where there are no holes.
#if ENCODE_PUNCH_THROUGH
#define COUNTED(mask, k) (((mask) >> (k) & 1u) != 0u)
#else
#define COUNTED(mask, k) true
#endif

// Palette positions past 0: thirds between the endpoints, or halves beside a code for holes.
const int THIRDS = 3;
const int HALVES = 2;

// The 5:6:5 number nearest to a colour in sixteenths.
uint color_to_565(ivec3 e) {
  ivec3 q = ((e * ivec3(31, 63, 31) + 2040) * 257) >> 20;
  return uint(q.x << 11 | q.y << 5 | q.z);
}
ivec3 color_expand(ivec3 q) {
  return ivec3(q.x << 3 | q.x >> 2, q.y << 2 | q.y >> 4, q.z << 3 | q.z >> 2);
}
ivec3 color_from_565(uint c) { return color_expand(ivec3(c >> 11, (c >> 5) & 63u, c & 31u)); }

// x over the number of levels, rounded; x at most 765.
ivec3 color_over_levels(ivec3 x, int levels) {
  return levels == THIRDS ? ((x + 1) * 43691) >> 17 : (x + 1) >> 1;
}
// 2-bit code of palette position j.
uint color_code(int j, int levels) { return ((levels == THIRDS ? 0x78u : 0x18u) >> (2 * j)) & 3u; }

// Places colours on the line between two 8-bit colours.
struct ColorLine {
  ivec3 from;
  ivec3 along;
  int base;
  int span;  // squared length
  uint reciprocal;
};
ColorLine color_line(ivec3 from, ivec3 to, int levels) {
  ColorLine line;
  line.from = from;
  line.along = to - from;
  line.base = bc_dot(from, line.along);
  line.span = bc_dot(line.along, line.along);
  line.reciprocal = (uint(levels) << 27) / uint(max(line.span, 1));
  return line;
}
// The palette position nearest to p, 0..levels.
int color_position(ColorLine line, ivec3 p) {
  uint t = uint(clamp(bc_dot(p, line.along) - line.base, 0, line.span));
  return int((t * line.reciprocal + 0x4000000u) >> 27);
}

// The line through n texels of which the positions sum to s1, their squares to s2, the texels to `sum` and texels times
// positions to `weighted`: both endpoints in sixteenths. False where all stand at one position.
bool color_solve(int n, int s1, int s2, ivec3 sum, ivec3 weighted, int levels, inout ivec3 from, inout ivec3 to) {
  int determinant = n * s2 - s1 * s1;
  if (determinant <= 0) return false;
  uint reciprocal = (0x1000000u + uint(determinant >> 1)) / uint(determinant);
  ivec3 a = sum * s2 - weighted * s1;
  ivec3 b = a + (weighted * n - sum * s1) * levels;
  from = bc_sixteenths(a, determinant, reciprocal);
  to = bc_sixteenths(b, determinant, reciprocal);
  return true;
}

// 5:6:5 endpoints that fit the counted texels best at the positions they have on the line.
uvec2 color_least_squares(uint mask, ivec3 sum, ColorLine line, int levels) {
  int s1 = 0, s2 = 0;
  ivec3 weighted = ivec3(0);
  EACH_TEXEL(k) {
    ivec3 p = bc_rgb(encode_texel(k));
    int j = COUNTED(mask, k) ? color_position(line, p) : 0;
    s1 += j;
    s2 += j * j;
    weighted += p * j;
  }
  ivec3 from = line.from << 4, to = (line.from + line.along) << 4;
  color_solve(bitCount(mask), s1, s2, sum, weighted, levels, from, to);
  return uvec2(color_to_565(from), color_to_565(to));
}

// Bit k of the low 16 moved to bit 2 k.
uint color_spread(uint bits) {
  bits = (bits | bits << 8) & 0x00FF00FFu;
  bits = (bits | bits << 4) & 0x0F0F0F0Fu;
  bits = (bits | bits << 2) & 0x33333333u;
  return (bits | bits << 1) & 0x55555555u;
}

// Codes of 16 positions, two bits each.
uint color_codes_at(uint positions, int levels) {
  uint low = positions & 0x55555555u, high = (positions >> 1) & 0x55555555u;
  return levels == THIRDS ? (low ^ high) << 1 | high : low << 1 | high;
}

// Codes of all texels on the line, 3 where the mask leaves one out, and their squared error.
uint color_codes(uint mask, ColorLine line, int levels, out uint error) {
  uint positions = 0u;
  error = 0u;
  EACH_TEXEL_DOWN(k) {
    bool counted = COUNTED(mask, k);
    ivec3 p = bc_rgb(encode_texel(k));
    int j = color_position(line, p);
    positions = positions << 2 | uint(j);
    ivec3 off = color_over_levels(line.from * levels + line.along * j, levels) - p;
    error += counted ? uint(bc_dot(off, off)) : 0u;
  }
  uint codes = color_codes_at(positions, levels);
#if ENCODE_PUNCH_THROUGH
  codes |= color_spread(~mask & 0xFFFFu) * 3u;
#endif
  return codes;
}

// The endpoints whose palette comes nearest to a colour at position 1, among equals the nearer pair, and the squared
// error: looked up, a channel at a time (see `solid_pair` in crates/transcode/src/tables.rs).
uvec2 color_solid_pair(ivec3 color, int levels, out uint error) {
  uint at = levels == THIRDS ? 0u : 256u;
  uint r = solid_pairs[at + uint(color.x)], g = solid_pairs[at + uint(color.y)], b = solid_pairs[at + uint(color.z)];
  uvec3 off = uvec3(r >> 22, g >> 27, b >> 22) & 31u;
  error = off.x * off.x + off.y * off.y + off.z * off.z;
  return uvec2((r & 31u) << 11 | (g >> 10 & 63u) << 5 | (b & 31u), (r >> 5 & 31u) << 11 | (g >> 16 & 63u) << 5 | (b >> 5 & 31u));
}

#if EFFORT_HIGH
int color_along(uint mask, ivec3 axis, uint k) {
  return (mask >> k & 1u) != 0u ? bc_dot(bc_rgb(encode_texel(k)), axis) : 0x7fffffff;
}
// The counted texels' numbers in their order along an axis, four bits each; the rest follow.
uvec2 color_order(uint mask, ivec3 axis) {
  uvec2 order = uvec2(0u);
  EACH_TEXEL(k) {
    int t = color_along(mask, axis, k);
    uint rank = 0u;
    EACH_TEXEL(m) {
      int other = color_along(mask, axis, m);
      rank += other < t || (other == t && m < k) ? 1u : 0u;
    }
    uint place = k << (4u * (rank & 7u));
    if (rank < 8u) order.x |= place;
    else order.y |= place;
  }
  return order;
}
ivec3 color_in_order(uvec2 order, int position) {
  uint k = ((position < 8 ? order.x : order.y) >> (4 * (position & 7))) & 15u;
  return bc_rgb(encode_texel(k));
}

// The endpoints of the best split of the counted texels, in their order along the axis, into runs of one palette position
// each. Every split is tried, with the endpoints as stored and the palette unrounded.
uvec2 color_cluster_fit(uint mask, ivec3 sum, ivec3 axis, int levels) {
  uvec2 order = color_order(mask, axis);
  int n = bitCount(mask);
  int least = 0x7fffffff;
  uvec2 best = uvec2(0u);
  // In order, texels before i stand at position 0, before j at 1, before k at 2, the rest at 3.
  ivec3 before_i = ivec3(0);
  ROLLED for (int i = 0; i <= n; i++) {
    ivec3 before_j = before_i;
    ROLLED for (int j = i; j <= n; j++) {
      ivec3 before_k = levels == THIRDS ? before_j : sum;
      ROLLED for (int k = levels == THIRDS ? j : n; k <= n; k++) {
        int s1 = 3 * n - i - j - k;
        int s2 = 9 * n - i - 3 * j - 5 * k;
        ivec3 weighted = sum * 3 - before_i - before_j - before_k;
        ivec3 from, to;
        if (color_solve(n, s1, s2, sum, weighted, levels, from, to)) {
          uvec2 stored = uvec2(color_to_565(from), color_to_565(to));
          ivec3 a = color_from_565(stored.x), b = color_from_565(stored.y);
          // The squared error, times levels squared, less what no endpoint changes.
          ivec3 rest = sum * levels - weighted;
          ivec3 own = a * (levels * (levels * n - 2 * s1) + s2) + b * (2 * (levels * s1 - s2));
          int error = bc_dot(a, own - rest * (2 * levels)) + bc_dot(b, b * s2 - weighted * (2 * levels));
          if (error < least) {
            least = error;
            best = stored;
          }
        }
        if (k < n) before_k += color_in_order(order, k);
      }
      if (j < n) before_j += color_in_order(order, j);
    }
    if (i < n) before_i += color_in_order(order, i);
  }
  return best;
}

// The best of three starts, each followed by rounds of least squares.
uvec2 color_refined(uint mask, int levels, ivec3 sum, ivec3 axis, uvec2 endpoints, uvec2 pair, out uint codes) {
  uint least = 0xFFFFFFFFu;
  uvec2 best = endpoints;
  codes = 0u;
  uvec2 cluster = color_cluster_fit(mask, sum, axis, levels);
  ROLLED for (uint turn = 0u; turn < 9u; turn++) {
    if (turn == 3u) endpoints = pair;
    if (turn == 6u) endpoints = cluster;
    ColorLine line = color_line(color_from_565(endpoints.x), color_from_565(endpoints.y), levels);
    uint error;
    uint found = color_codes(mask, line, levels, error);
    if (error < least) {
      least = error;
      best = endpoints;
      codes = found;
    }
    endpoints = color_least_squares(mask, sum, line, levels);
  }
  return best;
}
#endif

// Encodes the texels that `mask` counts, at least one; the others get code 3. Endpoints in the order found, and codes. Where the
// includer sets COLOR_EITHER_PALETTE, a block of one colour takes the palette that comes nearer.
uvec2 color_block(uint mask, inout int levels, out uint codes) {
  ivec3 sum = ivec3(0), square = ivec3(0), cross = ivec3(0);
  EACH_TEXEL(k) {
    ivec3 p = bc_rgb(COUNTED(mask, k) ? encode_texel(k) : 0u);
    sum += p;
    square += p * p;
    cross += bc_cross(p);
  }
  int n = bitCount(mask);
  ivec3 axis = bc_principal_axis(square * n - sum * sum, cross * n - bc_cross(sum), 3u);
  // The texels at both ends of the axis: the key is the place on it, then which of several at one place comes first.
  int low = 0x7fffffff, high = -0x7fffffff;
  EACH_TEXEL(k) {
    int t = bc_dot(bc_rgb(encode_texel(k)), axis * 16);
    if (COUNTED(mask, k)) {
      low = min(low, t + int(k));
      high = max(high, t + int(15u - k));
    }
  }
  ivec3 from = bc_rgb(encode_texel(uint(low) & 15u)), to = bc_rgb(encode_texel(15u - (uint(high) & 15u)));
  uvec2 endpoints = color_least_squares(mask, sum, color_line(from, to, levels), levels);
  bool flat_color = endpoints.x == endpoints.y;
  uvec2 pair = uvec2(0u);
  if (flat_color || EFFORT_HIGH != 0) {
    uint error;
    ivec3 mean = ivec3(uvec3(2 * sum + n) / uint(2 * n));
    pair = color_solid_pair(mean, levels, error);
#ifdef COLOR_EITHER_PALETTE
    uint first = encode_texel(0u), differ = ~mask << 16;
    EACH_TEXEL(k) differ |= (encode_texel(k) ^ first) & 0xFFFFFFu;
    if (differ == 0u) {
      uint other_error;
      uvec2 other = color_solid_pair(mean, HALVES, other_error);
      if (other_error < error) {
        pair = other;
        levels = HALVES;
      }
    }
#endif
  }
  if (flat_color && (EFFORT_HIGH == 0 || from == to)) {
    codes = (color_code(1, levels) * 0x55555555u) | (color_spread(~mask & 0xFFFFu) * 3u);
    return pair;
  }
#if EFFORT_HIGH
  return color_refined(mask, levels, sum, axis, endpoints, pair, codes);
#else
  uint error;
  codes = color_codes(mask, color_line(color_from_565(endpoints.x), color_from_565(endpoints.y), levels), levels, error);
  return endpoints;
#endif
}

// A colour block: endpoints in the order that tells the decoder which palette is meant, then codes.
uvec2 color_stored(uvec2 endpoints, uint codes, int levels) {
  if (levels == THIRDS ? endpoints.x < endpoints.y : endpoints.x > endpoints.y) {
    endpoints = endpoints.yx;
    codes ^= levels == THIRDS ? 0x55555555u : ~(codes >> 1) & 0x55555555u;
  }
  return uvec2(endpoints.x | endpoints.y << 16, codes);
}

#endif
