// One channel of BC3's alpha, BC4 or BC5: two 8-bit endpoints and the 8-value or the 6-value palette between them.
// The includer defines SCALAR_UNIT (steps an endpoint step), SCALAR_TOP (the largest endpoint), EFFORT_HIGH, and
// `int scalar_value(uint)`: a texel's value. With SCALAR_PALETTE (encode/palette.glsl) it is instead one of eight values, which
// `int scalar_count(uint)` texels take, none unless `bool scalar_present(uint)`: half the work, and the same bits.
#include "vector.glsl"

#ifdef SCALAR_PALETTE
#define EACH_SCALAR(k) [[unroll]] for (uint k = 0u; k < 8u; k++)
#define EACH_SCALAR_DOWN(k) EACH_SCALAR(k)
#else
#define EACH_SCALAR(k) EACH_TEXEL(k)
#define EACH_SCALAR_DOWN(k) EACH_TEXEL_DOWN(k)
int scalar_count(uint k) { return 1; }
bool scalar_present(uint k) { return true; }
#endif

#define SCALAR_LAST (SCALAR_TOP * SCALAR_UNIT)
#define SCALAR_REFINE 2
#define SCALAR_NEIGHBOURS 18
#define SCALAR_STEPS (EFFORT_HIGH != 0 ? 1 + SCALAR_REFINE + SCALAR_NEIGHBOURS : 1)

int scalar_round(int v) { return int(uint(v + SCALAR_UNIT / 2) / uint(SCALAR_UNIT)); }

struct ScalarLine {
  bool six;
  int low, range, levels;
  uint reciprocal;
};
ScalarLine scalar_line(bool six, int low, int high) {
  int levels = six ? 5 : 7, range = high - low;
  return ScalarLine(six, low, range, levels, (uint(levels) << 27) / uint(max(range, 1)));
}
int scalar_position(ScalarLine line, int a) {
  return int((uint(clamp(a - line.low, 0, line.range)) * line.reciprocal + 0x4000000u) >> 27);
}
// 8 values: high is code 0, low is code 1. 6 values: low is code 0, high is code 1.
uint scalar_code(ScalarLine line, int j) {
  int w = line.six ? j : line.levels - j;
  return w == 0 ? 0u : w == line.levels ? 1u : uint(w + 1);
}

// Codes are kept for texels 0 to 7 and 8 to 15, the first lowest; or of values, four bits each.
void scalar_put(inout uvec2 codes, uint k, uint code) {
#ifdef SCALAR_PALETTE
  codes.x |= code << (4u * k);
#else
  if (k < 8u) codes.x = codes.x << 3 | code;
  else codes.y = codes.y << 3 | code;
#endif
}

#if !EFFORT_HIGH
// Codes for the 8-value palette from low to high, where there is nothing to choose from.
uvec2 scalar_eight(int low, int high) {
  ScalarLine line = scalar_line(false, low, high);
  uvec2 codes = uvec2(0u);
  EACH_SCALAR_DOWN(k) scalar_put(codes, k, scalar_code(line, scalar_position(line, scalar_value(k))));
  return codes;
}
#endif

// Codes for the palette from low to high (units), their error, and the least-squares endpoints for those codes.
uvec2 scalar_fit(bool six, int low, int high, out uint error, out ivec2 next) {
  ScalarLine line = scalar_line(six, low, high);
  int levels = line.levels;
  uint inverse = six ? 209716u : 149797u;
  uvec2 codes = uvec2(0u);
  int n = 0, s1 = 0, s2 = 0, sum = 0, weighted = 0;
  error = 0u;
  EACH_SCALAR_DOWN(k) {
    int a = scalar_value(k), count = scalar_count(k);
    int j = scalar_position(line, a);
    int v = int((uint(low * (levels - j) + high * j + levels / 2) * inverse) >> 20);
    int d = abs(a - v);
    int inner = count;
    uint code = scalar_code(line, j);
    if (six && a < d) { d = a; code = 6u; inner = 0; }
    if (six && SCALAR_LAST - a < d) { d = SCALAR_LAST - a; code = 7u; inner = 0; }
#if EFFORT_HIGH
    n += inner;
    s1 += inner * j;
    s2 += inner * j * j;
    sum += inner * a;
    weighted += inner * a * j;
#endif
    error += uint(count * d * d);
    scalar_put(codes, k, code);
  }
  next = ivec2(low, high);
#if EFFORT_HIGH
  int determinant = n * s2 - s1 * s1;
  if (determinant > 0) {
    int a = sum * s2 - weighted * s1;
    ivec2 ends = ivec2(a, a + (weighted * n - sum * s1) * levels);
    uvec2 numerator = uvec2(clamp(ends, ivec2(0), ivec2(SCALAR_LAST * determinant)));
    next = min(ivec2((numerator + uint(determinant / 2)) / uint(determinant)), ivec2(SCALAR_LAST));
  }
#endif
  return codes;
}

// Encodes values of 0..SCALAR_LAST; `bias` is taken off both endpoints.
uvec2 scalar_block(int bias) {
  int low = SCALAR_LAST, high = 0;
  EACH_SCALAR(k) {
    int a = scalar_value(k);
    if (scalar_present(k)) {
      low = min(low, a);
      high = max(high, a);
    }
  }
  // Without the values that the 6-value palette has beside its line.
  const int edge = (SCALAR_UNIT + 1) / 2;
  int low_inner = low, high_inner = high;
  if (low != high && (low < edge || high > SCALAR_LAST - edge)) {
    low_inner = SCALAR_LAST;
    high_inner = 0;
    EACH_SCALAR(k) {
      int a = scalar_value(k);
      if (scalar_present(k) && a >= edge) low_inner = min(low_inner, a);
      if (scalar_present(k) && a <= SCALAR_LAST - edge) high_inner = max(high_inner, a);
    }
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
#if EFFORT_HIGH
    ROLLED for (int step = 0; step < SCALAR_STEPS; step++)
#else
    const int step = 0;
#endif
    {
#if EFFORT_HIGH
      if (step > SCALAR_REFINE) {
        int turn = step - SCALAR_REFINE - 1;
        turn = turn < 9 ? turn : turn - 9;
        int row = turn < 3 ? 0 : turn < 6 ? 1 : 2;
        e = clamp(centre + ivec2(row - 1, turn - 3 * row - 1), ivec2(0), ivec2(SCALAR_TOP));
      }
#endif
      if (e.x > e.y || (!six && e.x == e.y)) continue;
#if !EFFORT_HIGH
      if (palettes == 1u) {
        endpoints = e.yx;
        codes = scalar_eight(e.x * SCALAR_UNIT, e.y * SCALAR_UNIT);
        break;
      }
#endif
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
#if EFFORT_HIGH
      e = ivec2(scalar_round(next.x), scalar_round(next.y));
#endif
    }
  }
#ifdef SCALAR_PALETTE
  codes = palette_codes(codes.x);
#endif
  endpoints = (endpoints - bias) & 255;
  return uvec2(uint(endpoints.x | endpoints.y << 8) | codes.x << 16, codes.x >> 16 | codes.y << 8);
}
