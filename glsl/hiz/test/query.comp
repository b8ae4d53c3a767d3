#version 460
#extension GL_GOOGLE_include_directive : require
// Evaluates one query an invocation with the header that users include, for comparison with its twin. Dispatch: ceil(queries / 64).

layout(local_size_x = 64) in;

layout(constant_id = 0) const bool REVERSED = false;

// Values of all levels, texel by texel, from the words of `offsets` on; level 0 is the depth buffer, of one component.
layout(set = 0, binding = 0, std430) readonly buffer Pyramid { uint values[]; };
layout(set = 0, binding = 1, std430) readonly buffer Queries { uint queries[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Answers { uvec4 answers[]; };

layout(push_constant) uniform Push {
    ivec2 extent;
    int first_level;
    int last_level;
    int count;
    int offsets[16];
} push;

ivec2 hiz_level_size_of(int level);
vec4 fetch(int level, ivec2 texel) {
    int at = push.offsets[level] + COMPONENTS * (texel.y * hiz_level_size_of(level).x + texel.x);
    return vec4(uintBitsToFloat(values[at]), uintBitsToFloat(values[at + COMPONENTS - 1]), 0.0, 0.0);
}

#define HIZ_REVERSED REVERSED
#define HIZ_FETCH(LEVEL, TEXEL, LAYER) fetch(LEVEL, TEXEL)
#define HIZ_FETCH_DEPTH(PIXEL, LAYER) uintBitsToFloat(values[push.offsets[0] + (PIXEL).y * push.extent.x + (PIXEL).x])
#include "include/hiz_query.glsl"

const int RECT = 0, POINT = 1, SPHERE = 2, BOX = 3, RAY = 4;
const int WORDS = 32; // of a query

float number(int at) { return uintBitsToFloat(queries[at]); }
vec3 triple(int at) { return vec3(number(at), number(at + 1), number(at + 2)); }
vec4 quadruple(int at) { return vec4(triple(at), number(at + 3)); }

HizPyramid pyramid() { return HizPyramid(push.extent, push.first_level, push.last_level, 0); }
ivec2 hiz_level_size_of(int level) { return hiz_level_size(pyramid(), level); }

void main() {
    int index = int(gl_GlobalInvocationID.x);
    if (index >= push.count) return;
    HizPyramid p = pyramid();
    int at = index * WORDS, kind = int(queries[at]);
    int a = int(queries[at + 1]), b = int(queries[at + 2]), c = int(queries[at + 3]), d = int(queries[at + 4]);
    uvec4 answer = uvec4(0);
    if (kind == POINT) {
        answer.x = uint(hiz_settle_point(p, c, ivec2(a, b), number(at + 5)));
        answer.y = uint(hiz_visible_point(p, c, ivec2(a, b), number(at + 5)));
    }
#if HIZ_KEEP != HIZ_NEAREST
    if (kind == RECT) answer.x = uint(hiz_visible_rect(p, ivec2(a, b), ivec2(c, d), number(at + 5)));
    if (kind == SPHERE) {
        HizProjection view =
            HizProjection(quadruple(at + 5).xy, quadruple(at + 5).zw, triple(at + 9).xy, triple(at + 9).z, a);
        answer.x = uint(hiz_visible_sphere(p, view, triple(at + 12), number(at + 15)));
    }
    if (kind == BOX) {
        mat4 m = mat4(quadruple(at + 5), quadruple(at + 9), quadruple(at + 13), quadruple(at + 17));
        answer.x = uint(hiz_visible_box(p, m, triple(at + 21), triple(at + 24)));
    }
#endif
#if HIZ_KEEP != HIZ_FARTHEST
    if (kind == RAY) {
        HizRay ray = hiz_ray(triple(at + 5), triple(at + 8));
        HizMarch m = hiz_march(p, ray);
        int state = HIZ_ON;
        for (int step = 0; step < a && state == HIZ_ON; step++) state = hiz_march_step(p, ray, m);
        answer = uvec4(uint(state), uint(m.pixel.y) << 16u | uint(m.pixel.x), floatBitsToUint(m.t), uint(m.level));
    }
#endif
    answers[index] = answer;
}
