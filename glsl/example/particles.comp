#version 460
#extension GL_GOOGLE_include_directive : require
// Counts how particles fare against a depth buffer: one invocation a particle. For examples/particles.rs.

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Particles { vec4 particles[]; }; // pixel in x and y, depth in z
layout(set = 0, binding = 1, std430) buffer Counts { uint hidden, visible, hidden_by_depth, visible_by_depth; } counts;
layout(set = 0, binding = 2) uniform sampler2DArray depth;
layout(set = 0, binding = 3) uniform sampler2DArray pyramid; // one level

layout(push_constant) uniform Push {
    ivec2 extent; // the pyramid, as HizPlan::query_pyramid gives it
    int first_level, last_level, layer;
    int count;
} push;

#define HIZ_SCHEME HIZ_EDGE_TEXEL
#define HIZ_KEEP HIZ_BOTH
#define HIZ_FETCH(LEVEL, TEXEL, LAYER) texelFetch(pyramid, ivec3(TEXEL, LAYER), 0)
#define HIZ_FETCH_DEPTH(PIXEL, LAYER) texelFetch(depth, ivec3(PIXEL, LAYER), 0).x
#include "include/hiz_query.glsl"

void main() {
    int index = int(gl_GlobalInvocationID.x);
    if (index >= push.count) return;
    HizPyramid p = HizPyramid(push.extent, push.first_level, push.last_level, push.layer);
    ivec2 pixel = ivec2(particles[index].xy);
    float z = particles[index].z;
    // What hiz_visible_point does, in two halves to count them.
    int settled = hiz_settle_point(p, p.first_level, pixel, z);
    if (settled == HIZ_HIDDEN) {
        atomicAdd(counts.hidden, 1u);
    } else if (settled == HIZ_VISIBLE) {
        atomicAdd(counts.visible, 1u);
    } else if (hiz_visible_point(p, p.first_level, pixel, z)) {
        atomicAdd(counts.visible_by_depth, 1u);
    } else {
        atomicAdd(counts.hidden_by_depth, 1u);
    }
}
