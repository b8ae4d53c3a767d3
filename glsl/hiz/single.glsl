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

// The key of 2x2 texels. A viewport of one texel an axis inside a larger image allows no gather.
KEY quad(ivec2 at, int layer) {
    // Past the end the last texels repeat, which are in the last block.
    at = min(at, push.extent - 1);
#if SOURCE == SOURCE_DEPTH
    if (!INSIDE) return FOLD1(gatherBits(at, push.extent, layer));
#endif
    return min(min(fetch(at, push.extent, layer), fetch(at + ivec2(1, 0), push.extent, layer)),
               min(fetch(at + ivec2(0, 1), push.extent, layer), fetch(at + 1, push.extent, layer)));
}
