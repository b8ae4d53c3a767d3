#version 460
#extension GL_GOOGLE_include_directive : require
// Two-phase occlusion culling: one invocation a box. For examples/occlusion.rs.
//
// LATE 0: draws again what was visible in the frame before.
// LATE 1: asks the pyramid of what that drew about every box, draws those that show now and were not drawn yet, and remembers.

layout(local_size_x = 64) in;

struct Box { vec4 low; vec4 high; };
layout(set = 0, binding = 0, std430) readonly buffer Boxes { Box boxes[]; };
layout(set = 0, binding = 1, std430) buffer Visible { uint visible[]; };
layout(set = 0, binding = 2, std430) buffer Draw { uint vertices, instances, first_vertex, first_instance; } draw;
layout(set = 0, binding = 3, std430) writeonly buffer Drawn { Box drawn[]; };

layout(push_constant) uniform Push {
    mat4 clip_from_world;
    ivec2 extent; // the pyramid, as HizPlan::query_pyramid gives it
    int first_level, last_level, layer;
    int count;
} push;

#if LATE
layout(set = 0, binding = 4) uniform sampler2DArray depth;
layout(set = 0, binding = 5) uniform sampler2DArray pyramid;

#define HIZ_SCHEME HIZ_CHAINED
#define HIZ_KEEP HIZ_FARTHEST
#define HIZ_REVERSED 1
#define HIZ_FETCH(LEVEL, TEXEL, LAYER) texelFetch(pyramid, ivec3(TEXEL, LAYER), (LEVEL) - 1)
#define HIZ_FETCH_DEPTH(PIXEL, LAYER) texelFetch(depth, ivec3(PIXEL, LAYER), 0).x
#include "include/hiz_query.glsl"
#endif

void main() {
    int index = int(gl_GlobalInvocationID.x);
    if (index >= push.count) return;
    Box box = boxes[index];
    bool before = visible[index] != 0u;
#if LATE
    HizPyramid p = HizPyramid(push.extent, push.first_level, push.last_level, push.layer);
    bool now = hiz_visible_box(p, push.clip_from_world, box.low.xyz, box.high.xyz);
    visible[index] = uint(now);
    if (!now || before) return;
#else
    if (!before) return;
#endif
    drawn[atomicAdd(draw.instances, 1u)] = box;
}
