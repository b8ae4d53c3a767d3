// One level k of a depth pyramid, 2 <= k <= 6, straight from the depth image: aligned blocks of 2^k texels. Sizes are rounded down and
// the last texel of an axis takes the rest (edge-texel), or rounded up, and the last block ends with the image.

layout(push_constant) uniform Push {
    ivec2 extent; // the viewport
    ivec2 to;     // size of level k
    ivec2 offset;
    vec2 inverse; // 1 / the depth image's size
    int samples;
} push;

#define PUSH_OFFSET push.offset
#define PUSH_INVERSE push.inverse
#define PUSH_SAMPLES push.samples
#include "key.glsl"
#include "source.glsl"

layout(constant_id = 3) const uint K = 4;
const int BLOCK = 1 << K;

layout(set = 0, binding = 1) uniform writeonly image2DArray level;

// Blocks that texel `at` takes on each axis: 2 where it takes the rest.
ivec2 blocksOf(ivec2 at) {
    bvec2 last = equal(at, push.to - 1), rest = greaterThan(push.extent, push.to * BLOCK);
    return ivec2(last.x && rest.x ? 2 : 1, last.y && rest.y ? 2 : 1);
}

// The key of 2x2 texels, in a viewport of any size. Past the end the last texels repeat, which are in the last block.
KEY quad(ivec2 at, int layer) {
    at = min(at, push.extent - 1);
#if SOURCE == SOURCE_DEPTH
    if (!INSIDE) return FOLD1(gatherBits(at, push.extent, layer));
#endif
    KEY k = EMPTY;
    for (int i = 0; i < 4; i++) k = min(k, fetch(at + ivec2(i & 1, i >> 1), push.extent, layer));
    return k;
}

// Of 4x4.
KEY square4(ivec2 at, int layer) {
#if SOURCE == SOURCE_DEPTH
    return min(min(quad(at, layer), quad(at + ivec2(2, 0), layer)), min(quad(at + ivec2(0, 2), layer), quad(at + 2, layer)));
#else
    KEY k = EMPTY;
    for (int i = 0; i < 16; i++) k = min(k, fetch(at + ivec2(i & 3, i >> 2), push.extent, layer));
    return k;
#endif
}
