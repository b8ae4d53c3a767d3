// A texel of one level from a level before it, or from the depth image: what the dispatch a level and the draw a level share.
// Footprints are the closed forms of crates/hiz/src/scheme.rs.

layout(push_constant) uniform Push {
    ivec2 from;    // size of the level read, or of the viewport
    ivec2 to;      // size of the level written
    ivec2 offset;  // of the viewport in the depth image, 0 in a level
    vec2 inverse;  // 1 / size of the image read
    int step;      // levels in between, and 1; 0 copies
    int samples;
    int layer;     // the layer that a draw writes
} push;

#define PUSH_OFFSET push.offset
#define PUSH_INVERSE push.inverse
#define PUSH_SAMPLES push.samples
#include "key.glsl"
#include "source.glsl"

const uint CHAINED = 0, EDGE_TEXEL = 1, POW2_EXACT = 2, ROUNDED_UP = 3;
layout(constant_id = 3) const uint SCHEME = CHAINED;
layout(constant_id = 4) const bool STRETCHED = false; // scheme pow2-exact, from the depth image

// The first texel that texel `at` of the level written takes, and the last.
void taps(ivec2 at, out ivec2 first, out ivec2 last) {
    if (STRETCHED) {
        first = at * push.from / push.to;
        last = ((at + 1) * push.from + push.to - 1) / push.to - 1;
        return;
    }
    ivec2 width = ivec2(1 << push.step);
    first = at * width;
    last = first + width - 1;
    if (SCHEME == CHAINED) {
        last += push.from & (width - 1);
    } else if (SCHEME != ROUNDED_UP) {
        last = ivec2(at.x == push.to.x - 1 ? push.from.x : last.x, at.y == push.to.y - 1 ? push.from.y : last.y);
    }
    last = min(last, push.from - 1);
}

KEY reduceTexel(ivec2 at, int layer) {
    ivec2 first, last;
    taps(at, first, last);
    ivec2 more = last - first;
    // A square of 2x2 where there is one texel is harmless only if the sampler repeats that texel.
    bool squares = INSIDE ? all(greaterThanEqual(more, ivec2(1))) : push.step > 0;
    if (squares && all(lessThanEqual(more, ivec2(2)))) {
        return fetchTaps(first, first + max(more - 1, 0), more + 1, push.from, layer);
    }
    KEY k = EMPTY;
    for (int y = first.y; y <= last.y; y++) {
        for (int x = first.x; x <= last.x; x++) k = min(k, fetch(ivec2(x, y), push.from, layer));
    }
    return k;
}
