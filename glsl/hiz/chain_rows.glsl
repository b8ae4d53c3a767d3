// Levels 1 and 2 of a tile at any size, each texel read once or little more. 32 lanes stand side by side across the tile, a lane on two columns of
// texels: what a texel takes from below it is in the lane's own registers, what it takes from the right comes from the next lane. Such a row of
// lanes makes 8 rows of texels, and reads as many more below as its level 2 covers.
//
// What the last lane takes from the next tile at level 1 is read from there; at level 2 it is the next tile's prefix.

#ifdef ROWS_SHARED
// Subgroups too narrow, or none: the lanes' values go through shared memory. In uniform control flow only.
shared KEY exchanged[GROUP];
KEY fromLane(KEY key, uint lane) {
    barrier();
    exchanged[thread] = key;
    barrier();
    return exchanged[(thread & ~31u) + lane];
}
#else
// In subgroups of 32 or more.
KEY fromLane(KEY key, uint lane) { return subgroupShuffle(key, (gl_SubgroupInvocationID & ~31u) + lane); }
#endif

bool isLast(uint at, uint levelTexels) { return at == levelTexels - 1u; }

// The bits of 2x2 texels, before NaN and negative values are seen to. Where `at` is the last column or row there is, it is the left or upper one.
ivec4 squareBits(ivec2 at) {
    ivec4 b = gatherBits(at, push.extent, int(layer));
    if (INSIDE) {
        // The gather was moved back by one to stay in the viewport.
        if (at.x == push.extent.x - 1) b.xw = b.yz;
        if (at.y == push.extent.y - 1) b.wz = b.xy;
    }
    return b;
}

// As above, a NaN as the extreme that keeps the reduction safe, floats as integers of the same order.
ivec4 settled(ivec4 b) {
    bvec4 nan = greaterThan(b & 0x7fffffff, ivec4(INFINITY));
    return mix(b ^ ((b >> 31) & 0x7fffffff), ivec4(MAXIMUM ? int(INFINITY) : UNKNOWN), nan);
}

void lowLevels(uint index, uvec2 tile, uint slot) {
    const uint BOTTOM = 4u; // the row of level 1 below those made here
    uint lane = thread & 31u, row = thread >> 5u, to = AT_LEVEL2 + slot * LEVEL2;
    ivec2 corner = ivec2(tile * 64u) + ivec2(0, 8u * row), at = corner + ivec2(2u * lane, 0);
    ivec4 g[6];
    [[unroll]] for (int k = 0; k < 6; k++) g[k] = squareBits(at + ivec2(0, 2 * k));
    // The column right of the tile, a square a lane.
    ivec4 beside = squareBits(corner + ivec2(64, 2u * min(lane, 5u)));
    if (unusual(g[0] | g[1] | g[2] | g[3] | g[4] | g[5] | beside)) {
        [[unroll]] for (int k = 0; k < 6; k++) g[k] = settled(g[k]);
        beside = settled(beside);
    }
    if (MAXIMUM) {
        [[unroll]] for (int k = 0; k < 6; k++) g[k] = ~g[k];
        beside = ~beside;
    }
    bool odd0x = (size.x & 1u) != 0u, odd0y = (size.y & 1u) != 0u, odd1x = (size.x & 2u) != 0u, odd1y = (size.y & 2u) != 0u;
    uint next = (lane + 1u) & 31u, after = (lane + 2u) & 31u;
    uvec2 size1 = levelSize(1u), size2 = levelSize(2u), p = tile * 32u + uvec2(lane, 4u * row);

    // Level 1. `left` and `value`: minima of the left column and of both, the third row included where it belongs.
    bool third = odd0x && (!EDGE || isLast(p.x, size1.x));
    KEY below = fromLane(beside.w, next), rim = min(beside.x, beside.w);
    if (odd0y && (!EDGE || isLast(p.y + lane, size1.y))) rim = min(rim, below);
    KEY left[5], value[5];
    [[unroll]] for (int k = 0; k < 5; k++) {
        left[k] = min(g[k].w, g[k].x);
        value[k] = min(g[k].z, g[k].y);
        if (odd0y && (!EDGE || isLast(p.y + uint(k), size1.y))) {
            left[k] = min(left[k], g[k + 1].w);
            value[k] = min(value[k], g[k + 1].z);
        }
        value[k] = min(value[k], left[k]);
    }
    if (odd0x) {
        [[unroll]] for (int k = 0; k < 5; k++) {
            KEY right = fromLane(left[k], next), out_ = fromLane(rim, uint(k));
            if (third) value[k] = min(value[k], lane == 31u ? out_ : right);
        }
    }
    [[unroll]] for (int k = 0; k < 4; k++) {
        if (all(lessThan(p + uvec2(0, k), size1))) store(1u, p + uvec2(0, k), value[k]);
    }

    // Level 2, two rows of 16 texels: the upper by even lanes, the lower by odd ones.
    KEY upper = min(value[0], value[1]), lower = min(value[2], value[3]);
    KEY upperLeft = min(left[0], left[1]), lowerLeft = min(left[2], left[3]);
    uint line = 2u * row;
    if (odd1y && (!EDGE || isLast(tile.y * 16u + line, size2.y))) {
        upper = min(upper, value[2]);
        upperLeft = min(upperLeft, left[2]);
    }
    if (odd1y && (!EDGE || isLast(tile.y * 16u + line + 1u, size2.y))) {
        lower = min(lower, value[BOTTOM]);
        lowerLeft = min(lowerLeft, left[BOTTOM]);
    }
    bool odd = (lane & 1u) != 0u;
    uint i = lane >> 1u, j = line + (lane & 1u);
    KEY own = odd ? lower : upper, other = fromLane(odd ? upper : lower, lane ^ 1u);
    KEY right = fromLane(odd ? other : own, after), k = min(own, other);
    bool third2 = odd1x && i < 15u && (!EDGE || isLast(tile.x * 16u + i, size2.x));
    if (third2) k = min(k, right);
    work[to + j * 17u + i] = k;
    emit(2u, index, tile, 16u, i, j, k);

    // Prefixes of level 2: the tile's first column of level 1 or of texels, or nothing, and likewise the first row.
    if (exchange.x && lane == 0u) {
        KEY a = odd1x ? upper : odd0x ? upperLeft : EMPTY, b = odd1x ? lower : odd0x ? lowerLeft : EMPTY;
        work[to + line * 17u + 16u] = a;
        work[to + (line + 1u) * 17u + 16u] = b;
        emitPrefix(2u, index, 16u, 16u, line, a);
        emitPrefix(2u, index, 16u, 16u, line + 1u, b);
    }
    if (exchange.y) {
        KEY first = value[0];
        if (!odd1y) {
            first = EMPTY;
            if (odd0y) {
                first = min(g[0].w, g[0].z);
                KEY r = fromLane(g[0].w, next), out_ = fromLane(beside.w, 0u);
                if (third) first = min(first, lane == 31u ? out_ : r);
            }
        }
        KEY pair = min(first, fromLane(first, lane ^ 1u)), r = fromLane(first, after);
        if (third2) pair = min(pair, r);
        if (row == 0u && !odd) {
            work[to + 16u * 17u + i] = pair;
            emitPrefix(2u, index, 16u, i, 16u, pair);
        }
        if (row == 0u && lane == 0u && exchange.x) {
            KEY c = odd1x ? first : !odd0x ? EMPTY : odd1y ? left[0] : odd0y ? g[0].w : EMPTY;
            work[to + 16u * 17u + 16u] = c;
            emitPrefix(2u, index, 16u, 16u, 16u, c);
        }
    }
}

// Entry (i, j) of level 3 of the tile in `slot`.
void level3(uint group, uint groups, uint slot, uint i, uint j) {
    uint index = group + slot * groups;
    uvec2 tile = tileAt(index);
    KEY k = reduceEntry(2u, tile, 8u, AT_LEVEL2 + slot * LEVEL2, i, j);
    work[AT_LEVEL3 + slot * LEVEL3 + j * 9u + i] = k;
    if (i < 8u && j < 8u) emit(3u, index, tile, 8u, i, j, k);
    else emitPrefix(3u, index, 8u, i, j, k);
}

// Level 3 of all the group's tiles: 64 invocations a tile, then 32 for the column, the row and the corner of prefixes.
void level3OfTiles(uint group, uint groups, uint mine) {
    barrier();
    [[dont_unroll]] for (uint first = 0u; first < MAX_TILES; first += GROUP / 64u) {
        uint slot = first + (thread >> 6u);
        if (slot < mine) level3(group, groups, slot, thread & 7u, thread >> 3u & 7u);
    }
    if (any(exchange)) {
        uint back = GROUP - 1u - thread, slot = back >> 5u, e = back & 31u, i = e < 8u || e == 16u ? 8u : e - 8u, j = e < 8u ? e : 8u;
        if (slot < mine && e <= 16u && prefixWanted(8u, i, j)) level3(group, groups, slot, i, j);
    }
}
