// Levels 1 to n of a depth pyramid, at any size: in one dispatch (PASS 0), or in two without atomics (PASS 1, barrier, PASS 2).
//
// A workgroup reduces tiles of 64x64 texels to levels 1..6. Where a size is no multiple of 64, the last column and row of a tile's levels also
// cover the first texels of the next tile. Tiles exchange these as prefixes. On an axis,
//     r(n)    = size mod 2^n                       texels by which a footprint reaches past its aligned block
//     V(n, i) = min(aligned block i, first r(n) texels of block i + 1)
//     P(n)    = first r(n) texels of the tile
//     P(n+1)  = bit n of size ? V(n, 0) : P(n)
// so a level of a tile is m x m values, m = 64 >> n, and one more row and column of prefixes, reduced by one rule. What the last column and row
// lack is left in scratch memory; of the tiles around a corner the last to arrive completes it. The last workgroup of a layer reduces
// four planes of level 6 (own block, prefix in x, in y, in both) to levels 7..n, and so never waits for edges. No invocation waits for another workgroup.
//
// EDGE (scheme edge-texel): only the last texel of a level reaches past its block. The recursion holds where it is used: in the last tile.
//
// Front ends: ALIGNED makes levels 1..3 in registers; sizes are multiples of 8, subgroups are full and have 16 invocations or more.
// ROWS makes levels 1 and 2 in registers at any size; subgroups are full and have 32 invocations or more, or with ROWS_SHARED any.
// ANY reads up to 3x3 texels for a texel of level 1: any size, any subgroup, any source. Texels past the end of an axis repeat its
// last ones: no stored texel's footprint reaches them, except on an axis shorter than its texel, where repeats do no harm.
//
// Dispatch: PASS 0 (groups, 1, layers), a group takes tiles `group, group + groups, ...`, at most MAX_TILES. PASS 1 (tiles, 1, layers).
// PASS 2 (1 + edge groups, 1, layers): group 0 makes levels 7..n, the others finish edges.
// Memory: only scratch crosses workgroups, levels are write-only. All invocations write, a workgroup barrier makes that available, and a
// few invocations count in at queue-family scope with acquire and release; whoever completes a count has all others' writes visible.
#version 460
#ifdef ROWS_SHARED
#define ROWS 1
#endif
#if PASS == 0
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#define SHARING nonprivate
#else
#define SHARING
#endif
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#if PASS != 2 && (defined(ALIGNED) || (defined(ROWS) && !defined(ROWS_SHARED)))
#define SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif

#if PASS == 0 && defined(ALIGNED)
#define TAIL 640
#else
#define TAIL 1024
#endif

layout(local_size_x = 256) in;

layout(push_constant) uniform Push {
    ivec2 size;         // halving it gives the levels
    ivec2 extent;       // the viewport; differs from size under pow2-exact
    ivec2 offset;
    vec2 inverse;       // 1 / the depth image's size
    uint firstLevel;    // stored
    uint lastLevel;
    uint scratchStride; // keys a layer
    int samples;
} push;

#define PUSH_OFFSET push.offset
#define PUSH_INVERSE push.inverse
#define PUSH_SAMPLES push.samples
#include "key.glsl"
#if PASS != 2
#include "source.glsl"
#endif

layout(constant_id = 3) const bool EDGE = false;
layout(constant_id = 4) const bool STRETCHED = false; // scheme pow2-exact: a texel of level 1 covers up to 3 texels anywhere
layout(constant_id = 5) const bool RANGED = true;     // some level up to the last is not stored, or the last is below 6

layout(set = 0, binding = 1) uniform writeonly image2DArray levels[14]; // levels[k] is level k + 1; those not stored are never written
layout(set = 0, binding = 2, std430) SHARING buffer Scratch { KEY scratch[]; };
#if PASS == 0
layout(set = 0, binding = 3, std430) SHARING buffer Counters { uint counters[]; };
#endif

const uint GROUP = 256, TAIL_CAPACITY = TAIL; // texels of a level that the last workgroup keeps in shared memory
#ifdef ALIGNED
const uint SIDE = 8; // levels 4..6 are exchanged: 4 + 2 + 1 slots a side, one spare
#else
const uint SIDE = 32; // levels 2..6; level 1 reads past the tile
#endif
const uint TILE_SLOTS = 4 * SIDE;

// Level 1 of a tile, where it is not in registers; level 2 of a tile, or of all the group's; level 3, later 5, of all of them; level 4 of them.
// Small on purpose: it decides how many workgroups run at once, and some compilers take as many registers as it leaves.
const uint LEVEL2 = 289, LEVEL3 = 81, LEVEL4 = 25;
#if PASS != 0
const uint MAX_TILES = 1;
#elif defined(ALIGNED)
const uint MAX_TILES = 8;
#else
const uint MAX_TILES = 4;
#endif
#ifdef ANY
const uint AT_LEVEL2 = 33 * 33, AT_LEVEL3 = AT_LEVEL2 + LEVEL2;
#elif defined(ROWS)
const uint AT_LEVEL2 = 0, AT_LEVEL3 = MAX_TILES * LEVEL2;
#else
const uint AT_LEVEL3 = 0;
#endif
const uint AT_LEVEL4 = AT_LEVEL3 + MAX_TILES * LEVEL3;
#if PASS == 2
shared KEY work[TAIL_CAPACITY + TAIL_CAPACITY / 4];
#else
shared KEY work[AT_LEVEL4 + MAX_TILES * LEVEL4];
#endif
#if PASS == 0
shared uint completed[MAX_TILES * 4];
shared uint completedCount;
shared bool lastGroup;
#endif

uint thread, layer, tileCount, scratchBase;
uvec2 size, tiles;
bvec2 exchange; // a footprint reaches into the next tile

// Slots of a side, level after level, the widest first.
uint slotOffset(uint level) { return SIDE - (128u >> level); }
uint slotBase(uint tile) { return scratchBase + tile * TILE_SLOTS; }
uint planeBase(uint plane) { return scratchBase + tileCount * (TILE_SLOTS + plane); }
uvec2 tileAt(uint index) { return uvec2(index % tiles.x, index / tiles.x); }
uvec2 levelSize(uint level) { return max(size >> level, uvec2(1)); }

void groupBarrier() {
#if PASS == 0
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
#else
    memoryBarrierBuffer();
    barrier();
#endif
}

bool stored(uint level) { return !RANGED || (level >= push.firstLevel && level <= push.lastLevel); }

// `level` may differ between invocations, and so no index may depend on it.
void storeApart(uint level, uvec2 p, KEY key) {
    if (!stored(level)) return;
    ivec3 at = ivec3(p, layer);
    vec4 texel = texelOf(key);
    switch (level) {
    case 1u: imageStore(levels[0], at, texel); break;
    case 2u: imageStore(levels[1], at, texel); break;
    case 3u: imageStore(levels[2], at, texel); break;
    case 4u: imageStore(levels[3], at, texel); break;
    case 5u: imageStore(levels[4], at, texel); break;
    case 6u: imageStore(levels[5], at, texel); break;
    case 7u: imageStore(levels[6], at, texel); break;
    case 8u: imageStore(levels[7], at, texel); break;
    case 9u: imageStore(levels[8], at, texel); break;
    case 10u: imageStore(levels[9], at, texel); break;
    case 11u: imageStore(levels[10], at, texel); break;
    case 12u: imageStore(levels[11], at, texel); break;
    case 13u: imageStore(levels[12], at, texel); break;
    case 14u: imageStore(levels[13], at, texel); break;
    }
}

// `level` is the same in all invocations.
void store(uint level, uvec2 p, KEY key) {
#ifdef INDEXED
    if (stored(level)) imageStore(levels[level - 1u], ivec3(p, layer), texelOf(key));
#else
    storeApart(level, p, key);
#endif
}

// On each axis, whether the last texel of this tile's level covers texels of the next tile. m: the level's texels a tile.
bvec2 reachesOut(uint level, uvec2 tile, uint m) {
    bvec2 more = bvec2(exchange.x && tile.x + 1u < tiles.x, exchange.y && tile.y + 1u < tiles.y);
    bvec2 rest = notEqual(size & ((1u << level) - 1u), uvec2(0));
    bvec2 out_ = bvec2(more.x && rest.x, more.y && rest.y);
    if (EDGE) {
        bvec2 last = equal(size >> level, (tile + 1u) * m);
        out_ = bvec2(out_.x && last.x, out_.y && last.y);
    }
    return out_;
}

#if PASS != 2
#include "chain_tile.glsl"
#endif
#if PASS != 1
#include "chain_rest.glsl"
#endif

void main() {
#ifdef SUBGROUPS
    thread = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; // the shuffles need neighbours in a subgroup
#else
    thread = gl_LocalInvocationIndex;
#endif
    layer = gl_WorkGroupID.z;
    size = uvec2(push.size);
    tiles = (size + 63u) >> 6u;
    tileCount = tiles.x * tiles.y;
    exchange = bvec2(tiles.x > 1u && (size.x & 63u) != 0u, tiles.y > 1u && (size.y & 63u) != 0u);
    scratchBase = layer * push.scratchStride;
    uint group = gl_WorkGroupID.x;
#if PASS == 2
    if (group == 0u) {
        if (push.lastLevel > 6u) tail();
    } else {
        uint corner = (group - 1u) * (GROUP / (2u * SIDE)) + thread / (2u * SIDE);
        if (corner < tileCount) finishEdge(corner, thread % (2u * SIDE));
    }
#else
    uint groups = gl_NumWorkGroups.x, mine = 0u;
#if PASS == 0
    if (thread == 0u) completedCount = 0u;
#endif
    [[dont_unroll]] for (uint index = group; index < tileCount; index += groups) {
        lowLevels(index, tileAt(index), mine);
        mine++;
    }
    upperLevels(group, groups, mine);
#if PASS == 0
    countIn(group, groups, mine);
    uint total = completedCount;
    // From the last invocation down: the first ones have level 7 to make.
    [[dont_unroll]] for (uint first = 0u; first < total; first += GROUP / (2u * SIDE)) {
        uint corner = first + (GROUP - 1u - thread) / (2u * SIDE);
        if (corner < total) finishEdge(completed[corner], thread % (2u * SIDE));
    }
    if (lastGroup) tail();
#endif
#endif
}
