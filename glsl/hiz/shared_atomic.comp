// One level by atomics in shared memory. A workgroup is a texel of the level, 2^(k-2) invocations an axis (4x4 at level 4); an invocation
// reduces 4x4 texels and folds them into the workgroup's with one atomic a component.
// Dispatch: (width, height, layers) of the level.
#version 460
#extension GL_GOOGLE_include_directive : require

layout(local_size_x_id = 4, local_size_y_id = 5) in;

#include "single.glsl"

shared int least[COMPONENTS];

void main() {
    ivec3 at = ivec3(gl_WorkGroupID);
    ivec2 blocks = blocksOf(at.xy);
    if (gl_LocalInvocationIndex == 0u) {
        for (int i = 0; i < COMPONENTS; i++) least[i] = 0x7fffffff;
    }
    barrier();
    KEY k = EMPTY;
    for (int y = 0; y < blocks.y; y++) {
        for (int x = 0; x < blocks.x; x++) {
            k = min(k, square4((at.xy + ivec2(x, y)) * BLOCK + 4 * ivec2(gl_LocalInvocationID), at.z));
        }
    }
#if COMPONENTS == 2
    atomicMin(least[0], k.x);
    atomicMin(least[1], k.y);
#else
    atomicMin(least[0], k);
#endif
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
#if COMPONENTS == 2
        k = ivec2(least[0], least[1]);
#else
        k = least[0];
#endif
        imageStore(level, at, texelOf(k));
    }
}
