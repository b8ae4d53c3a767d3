// One level by subgroup minima: no shared memory, no barrier, no atomics. Needs full subgroups of at least 4 invocations, arithmetic and
// shuffles.
//
// Level 2: an invocation reduces 4x4 texels. Level 3: four invocations do, and fold by shuffles. From level 4 on a subgroup folds a block,
// in neighbouring 2x2 squares.
// Workgroup: 64x64 texels up to level 5, 128x128 at level 6. Dispatch: ceil(size of the level / texels a workgroup), layers.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 256) in;

#include "single.glsl"

const int TEXELS = K == 6u ? 2 : 64 >> K; // an axis, of a workgroup

KEY foldSubgroup(KEY k) { return KEY(subgroupMin(k)); }

// A block of 2^k texels by a subgroup, this invocation's share.
KEY share(ivec2 corner, int layer) {
    const uint side = uint(BLOCK) / 2u; // squares
    KEY k = EMPTY;
    for (uint q = gl_SubgroupInvocationID; q < side * side; q += gl_SubgroupSize) {
        k = min(k, quad(corner + 2 * ivec2(q % side, q / side), layer));
    }
    return k;
}

void main() {
    ivec2 first = ivec2(gl_WorkGroupID.xy) * TEXELS;
    int layer = int(gl_WorkGroupID.z);
    uint thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    if (K <= 3u) {
        // 16x16 squares of 4x4 texels; at level 3 four invocations in a row are the squares of a texel.
        ivec2 square = K == 2u ? ivec2(thread & 15u, thread >> 4u)
                               : 2 * ivec2(thread >> 2u & 7u, thread >> 5u) + ivec2(thread & 1u, thread >> 1u & 1u);
        ivec2 at = first + (K == 2u ? square : square >> 1);
        ivec2 blocks = blocksOf(at), within = 4 * square - BLOCK * (at - first);
        KEY k = EMPTY;
        for (int y = 0; y < blocks.y; y++) {
            for (int x = 0; x < blocks.x; x++) k = min(k, square4((at + ivec2(x, y)) * BLOCK + within, layer));
        }
        if (K == 3u) {
            k = min(k, subgroupShuffleXor(k, 1u));
            k = min(k, subgroupShuffleXor(k, 2u));
        }
        if ((K == 2u || (thread & 3u) == 0u) && all(lessThan(at, push.to))) imageStore(level, ivec3(at, layer), texelOf(k));
        return;
    }
    if (K == 4u && gl_SubgroupSize == 32u && all(lessThan(first + TEXELS, push.to))) {
        // Inside the image two blocks a subgroup, all gathers in flight before the first fold.
        uint b = gl_SubgroupID * 2u, lane = gl_SubgroupInvocationID;
        ivec2 p0 = first + ivec2(b % uint(TEXELS), b / uint(TEXELS)), p1 = first + ivec2((b + 1u) % uint(TEXELS), (b + 1u) / uint(TEXELS));
        ivec2 q = 2 * ivec2(lane & 7u, lane >> 3u);
        KEY u, v;
        if (!INSIDE) {
            ivec4 a0 = gatherBits(p0 * BLOCK + q, push.extent, layer), a1 = gatherBits(p0 * BLOCK + q + ivec2(0, 8), push.extent, layer);
            ivec4 b0 = gatherBits(p1 * BLOCK + q, push.extent, layer), b1 = gatherBits(p1 * BLOCK + q + ivec2(0, 8), push.extent, layer);
            u = fold(a0, a1);
            v = fold(b0, b1);
        } else {
            u = min(quad(p0 * BLOCK + q, layer), quad(p0 * BLOCK + q + ivec2(0, 8), layer));
            v = min(quad(p1 * BLOCK + q, layer), quad(p1 * BLOCK + q + ivec2(0, 8), layer));
        }
        u = foldSubgroup(u);
        v = foldSubgroup(v);
        if (lane < 2u) imageStore(level, ivec3(lane == 0u ? p0 : p1, layer), texelOf(lane == 0u ? u : v));
        return;
    }
    for (uint b = gl_SubgroupID; b < uint(TEXELS * TEXELS); b += gl_NumSubgroups) {
        ivec2 at = first + ivec2(b % uint(TEXELS), b / uint(TEXELS));
        if (any(greaterThanEqual(at, push.to))) continue;
        ivec2 blocks = blocksOf(at);
        KEY k = share(at * BLOCK, layer);
        if (blocks.x > 1) k = min(k, share((at + ivec2(1, 0)) * BLOCK, layer));
        if (blocks.y > 1) k = min(k, share((at + ivec2(0, 1)) * BLOCK, layer));
        if (blocks.x > 1 && blocks.y > 1) k = min(k, share((at + 1) * BLOCK, layer));
        k = foldSubgroup(k);
        if (gl_SubgroupInvocationID == 0u) imageStore(level, ivec3(at, layer), texelOf(k));
    }
}
