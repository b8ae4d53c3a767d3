// One channel of BC3's alpha, BC4 or BC5: two 8-bit endpoints and the 8-value or the 6-value palette between them.
// The includer defines `int scalar_value(uint)`, SCALAR_UNIT (steps an endpoint step), SCALAR_TOP (the largest
// endpoint) and EFFORT_HIGH.
#include "vector.glsl"

#define SCALAR_LAST (SCALAR_TOP * SCALAR_UNIT)
#define SCALAR_REFINE 2
#define SCALAR_NEIGHBOURS 18
#define SCALAR_STEPS (EFFORT_HIGH != 0 ? 1 + SCALAR_REFINE + SCALAR_NEIGHBOURS : 1)

int scalar_round(int v) { return int(uint(v + SCALAR_UNIT / 2) / uint(SCALAR_UNIT)); }

// Codes for the palette from low to high (units), texels 0 to 7 and 8 to 15; their error, and the least-squares endpoints
// for those codes.
uvec2 scalar_fit(bool six, int low, int high, out uint error, out ivec2 next) {
  int levels = six ? 5 : 7;
  int range = high - low;
  uint reciprocal = (uint(levels) << 27) / uint(max(range, 1));
  uint inverse = six ? 209716u : 149797u;
  uvec2 codes = uvec2(0u);
  int n = 0, s1 = 0, s2 = 0, sum = 0, weighted = 0;
  error = 0u;
  EACH_TEXEL_DOWN(k) {
    int a = scalar_value(k);
    int j = int((uint(clamp(a - low, 0, range)) * reciprocal + 0x4000000u) >> 27);
    int v = int((uint(low * (levels - j) + high * j + levels / 2) * inverse) >> 20);
    int d = abs(a - v);
    int inner = 1;
    // 8 values: high is code 0, low is code 1. 6 values: low is code 0, high is code 1.
    int w = six ? j : levels - j;
    uint code = w == 0 ? 0u : w == levels ? 1u : uint(w + 1);
    if (six && a < d) { d = a; code = 6u; inner = 0; }
    if (six && SCALAR_LAST - a < d) { d = SCALAR_LAST - a; code = 7u; inner = 0; }
    n += inner;
    s1 += inner * j;
    s2 += inner * j * j;
    sum += inner * a;
    weighted += inner * a * j;
    error += uint(d * d);
    if (k < 8u) codes.x = codes.x << 3 | code;
    else codes.y = codes.y << 3 | code;
  }
  int determinant = n * s2 - s1 * s1;
  next = ivec2(low, high);
  if (determinant > 0) {
    int a = sum * s2 - weighted * s1;
    ivec2 ends = ivec2(a, a + (weighted * n - sum * s1) * levels);
    uvec2 numerator = uvec2(clamp(ends, ivec2(0), ivec2(SCALAR_LAST * determinant)));
    next = min(ivec2((numerator + uint(determinant / 2)) / uint(determinant)), ivec2(SCALAR_LAST));
  }
  return codes;
}

// Encodes 16 values of 0..SCALAR_LAST; `bias` is taken off both endpoints.
uvec2 scalar_block(int bias) {
  int low = SCALAR_LAST, high = 0, low_inner = SCALAR_LAST, high_inner = 0;
  EACH_TEXEL(k) {
    int a = scalar_value(k);
    low = min(low, a);
    high = max(high, a);
    if (a >= (SCALAR_UNIT + 1) / 2) low_inner = min(low_inner, a);
    if (a <= SCALAR_LAST - (SCALAR_UNIT + 1) / 2) high_inner = max(high_inner, a);
  }
  ivec2 endpoints = ivec2(scalar_round(high), scalar_round(low));
  uvec2 codes = uvec2(0u);
  uint least = low == high && low == scalar_round(low) * SCALAR_UNIT ? 0u : 0xFFFFFFFFu;
  uint palettes = low < low_inner || high > high_inner ? 2u : 1u;
  ROLLED for (uint palette = 0u; palette < palettes; palette++) {
    bool six = palette == 1u;
    int from = six ? low_inner : low, to = six ? high_inner : high;
    if (from > to || least == 0u) break;
    ivec2 e = ivec2(scalar_round(from), scalar_round(to));
    if (to - from < 4 * SCALAR_UNIT) {
      e = ivec2(uint(from) / uint(SCALAR_UNIT), uint(to + SCALAR_UNIT - 1) / uint(SCALAR_UNIT));
    }
    // A range narrower than the palette's steps is widened to them: every 8-bit value is then exact, whatever the
    // decoder's rounding.
    int narrowest = SCALAR_UNIT > 1 ? 1 : six ? 5 : 7;
    if (e.y - e.x < narrowest) {
      e.y = min(e.x + narrowest, SCALAR_TOP);
      e.x = e.y - narrowest;
    }
    uint own = 0xFFFFFFFFu;
    ivec2 centre = e;
    ROLLED for (int step = 0; step < SCALAR_STEPS; step++) {
      if (step > SCALAR_REFINE) {
        int turn = step - SCALAR_REFINE - 1;
        turn = turn < 9 ? turn : turn - 9;
        int row = turn < 3 ? 0 : turn < 6 ? 1 : 2;
        e = clamp(centre + ivec2(row - 1, turn - 3 * row - 1), ivec2(0), ivec2(SCALAR_TOP));
      }
      if (e.x > e.y || (!six && e.x == e.y)) continue;
      uint error;
      ivec2 next;
      uvec2 found = scalar_fit(six, e.x * SCALAR_UNIT, e.y * SCALAR_UNIT, error, next);
      if (error < own) {
        own = error;
        centre = e;
      }
      if (error < least) {
        least = error;
        endpoints = six ? e : e.yx;
        codes = found;
      }
      e = ivec2(scalar_round(next.x), scalar_round(next.y));
    }
  }
  endpoints = (endpoints - bias) & 255;
  return uvec2(uint(endpoints.x | endpoints.y << 8) | codes.x << 16, codes.x >> 16 | codes.y << 8);
}
