// One level of a depth pyramid, from one before it or from the depth image; any scheme. An invocation writes a texel.
// Dispatch: (ceil(width / 16), ceil(height / 16), layers).
#version 460
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 16, local_size_y = 16) in;

#include "level_taps.glsl"

#ifdef TYPED
layout(set = 0, binding = 1, r32f) uniform writeonly image2DArray level;
#else
layout(set = 0, binding = 1) uniform writeonly image2DArray level;
#endif

void main() {
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(at.xy, push.to))) return;
    imageStore(level, at, texelOf(reduceTexel(at.xy, at.z)));
}
