// What a level is reduced from.
//
// SOURCE_DEPTH: a single-sampled depth image, or a level of one component.
// SOURCE_SAMPLES: a multisampled depth image.
// SOURCE_LEVEL: a level of two components.
//
// Positions count texels from the viewport's corner; `extent` is the viewport's size. Include key.glsl first, and define PUSH_OFFSET
// (ivec2, the corner), PUSH_INVERSE (vec2, 1 / image size) and PUSH_SAMPLES (int).

#define SOURCE_DEPTH 0
#define SOURCE_SAMPLES 1
#define SOURCE_LEVEL 2

// A viewport inside a larger image, of at least two texels an axis: what lies outside must not be read. Where the viewport is the whole
// image the sampler clamps.
layout(constant_id = 2) const bool INSIDE = false;

#if SOURCE == SOURCE_SAMPLES
layout(set = 0, binding = 0) uniform sampler2DMSArray source;
#else
layout(set = 0, binding = 0) uniform sampler2DArray source; // nearest, clamp to edge
#endif

#if SOURCE == SOURCE_SAMPLES
KEY fetch(ivec2 at, ivec2 extent, int layer) {
    ivec3 p = ivec3(PUSH_OFFSET + min(at, extent - 1), layer);
    KEY k = EMPTY;
    for (int s = 0; s < PUSH_SAMPLES; s++) k = min(k, keyOf(floatBitsToInt(texelFetch(source, p, s).x)));
    return k;
}
#else
KEY fetch(ivec2 at, ivec2 extent, int layer) {
    vec4 v = texelFetch(source, ivec3(PUSH_OFFSET + min(at, extent - 1), layer), 0);
#if SOURCE == SOURCE_LEVEL
    return ivec2(ordered(floatBitsToInt(v.x)), ~ordered(floatBitsToInt(v.y)));
#else
    return keyOf(floatBitsToInt(v.x));
#endif
}

// Texels at, at + (1, 0), at + (0, 1), at + (1, 1) as w, z, x, y. Beyond the end of an axis its last texels repeat: they belong to the
// footprint of every texel that asks.
vec3 gatherAt(ivec2 at, ivec2 extent, int layer) {
    ivec2 middle = at + 1;
    if (INSIDE) middle = min(middle, extent - 1);
    return vec3(vec2(PUSH_OFFSET + middle) * PUSH_INVERSE, float(layer));
}

ivec4 gatherBits(ivec2 at, ivec2 extent, int layer) { return floatBitsToInt(textureGather(source, gatherAt(at, extent, layer), 0)); }
#endif

// The key of `count` texels an axis, 2 or 3, from `first`; fewer where `second + 1` is the last. `second` is `first`, or one further.
#if SOURCE == SOURCE_SAMPLES
// One fetch in a loop: samples make it long, and copies of it make some compilers slow.
KEY fetchTaps(ivec2 first, ivec2 second, ivec2 count, ivec2 extent, int layer) {
    KEY k = EMPTY;
    for (int i = 0; i < count.x * count.y; i++) {
        k = min(k, fetch(min(first + ivec2(i % count.x, i / count.x), second + 1), extent, layer));
    }
    return k;
}
#else
#if SOURCE == SOURCE_DEPTH
#define SQUARE(AT) gatherBits(AT, extent, layer)
#define FOLD1(A) fold(A)
#define FOLD2(A, B) fold(A, B)
#define FOLD4(A, B, C, D) fold(A, B, C, D)
#else
#define FOLD1(A) (A)
#define FOLD2(A, B) min(A, B)
#define FOLD4(A, B, C, D) min(min(A, B), min(C, D))
#define SQUARE(AT) square(AT, extent, layer)
int lowest(ivec4 v) { return min(min(v.x, v.y), min(v.z, v.w)); }
KEY square(ivec2 at, ivec2 extent, int layer) {
    ivec4 l = gatherBits(at, extent, layer), h = floatBitsToInt(textureGather(source, gatherAt(at, extent, layer), 1));
    return ivec2(lowest(l ^ ((l >> 31) & 0x7fffffff)), lowest(~(h ^ ((h >> 31) & 0x7fffffff))));
}
#endif

// Squares of 2x2 that overlap cover three texels. Loads stand side by side, so that none waits for another.
KEY fetchTaps(ivec2 first, ivec2 second, ivec2 count, ivec2 extent, int layer) {
    if (all(notEqual(first, second))) {
        return FOLD4(SQUARE(first), SQUARE(ivec2(second.x, first.y)), SQUARE(ivec2(first.x, second.y)), SQUARE(second));
    }
    if (first != second) return FOLD2(SQUARE(first), SQUARE(second));
    return FOLD1(SQUARE(first));
}
#endif
