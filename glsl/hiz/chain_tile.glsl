// A tile's share of levels 1..6: first the low ones, 1..3, then the upper ones of all the group's tiles at once.

// The k-th 2x2 of texels of this invocation, k < 4. 32 lanes cover 8x4 of them (16x8 texels) in Morton order, the four 16x8.
uvec2 quadAt(uint k) {
    uint lane = thread & 31u, block = thread >> 5u;
    uvec2 morton = uvec2((lane & 1u) | (lane >> 1u & 2u) | (lane >> 2u & 4u), (lane >> 1u & 1u) | (lane >> 2u & 2u));
    return uvec2(block & 1u, block >> 1u) * uvec2(16, 8) + morton + uvec2(8u * (k >> 1u), 4u * (k & 1u));
}

// A finished value goes to its level, one that lacks a neighbour's share to the tile's slots. m: the level's texels a tile.
void emit(uint level, uint index, uvec2 tile, uint m, uint i, uint j, KEY key) {
    uvec2 p = tile * m + uvec2(i, j);
    bool right = i == m - 1u, bottom = j == m - 1u;
    bvec2 open = reachesOut(level, tile, m);
    if ((right && open.x) || (bottom && open.y)) scratch[slotBase(index) + (right ? j : SIDE + i) + slotOffset(level)] = key;
    else if (all(lessThan(p, levelSize(level)))) store(level, p, key);
}

// The corner prefix takes the bottom row's corner slot, which is free: the corner itself is in the right column.
void emitPrefix(uint level, uint index, uint m, uint i, uint j, KEY key) {
    bool px = i == m, py = j == m;
    scratch[slotBase(index) + slotOffset(level) + (px && py ? SIDE + m - 1u : px ? 2u * SIDE + j : 3u * SIDE + i)] = key;
}

// Entry (i, j) of level `level + 1` of a tile, of (m + 1)^2: values, and the prefix on an axis where i or j is m. The level before has
// 2m values and its prefix from `from` on, in rows of 2m + 1. A third tap that is not needed, or beyond the tile, repeats the second.
KEY reduceEntry(uint level, uvec2 tile, uint m, uint from, uint i, uint j) {
    uint n = 2u * m, row = n + 1u;
    bool px = i == m, py = j == m;
    bvec2 odd = notEqual(size >> level & 1u, uvec2(0)), third = odd;
    if (EDGE) {
        bvec2 last = equal(tile * m + uvec2(i, j), levelSize(level + 1u) - 1u);
        third = bvec2(odd.x && last.x, odd.y && last.y);
    }
    uint x0 = px ? (odd.x ? 0u : n) : 2u * i, y0 = py ? (odd.y ? 0u : n) : 2u * j;
    uint x1 = px ? x0 : x0 + 1u, y1 = py ? y0 : y0 + 1u;
    uint x2 = !px && third.x && x0 + 2u < n ? x0 + 2u : x1, y2 = !py && third.y && y0 + 2u < n ? y0 + 2u : y1;
    uint a = from + y0 * row, b = from + y1 * row, c = from + y2 * row;
    KEY k = min(min(work[a + x0], work[a + x1]), min(work[b + x0], work[b + x1]));
    if (odd.x) k = min(k, min(work[a + x2], work[b + x2]));
    if (odd.y) k = min(k, min(work[c + x0], work[c + x1]));
    if (odd.x && odd.y) k = min(k, work[c + x2]);
#ifdef ALIGNED
    // The three low bits of both sizes are zero, so level 3 has no prefixes.
    if (level == 3u && ((px && !odd.x) || (py && !odd.y))) k = EMPTY;
#endif
    return k;
}

bool prefixWanted(uint m, uint i, uint j) { return (i < m || exchange.x) && (j < m || exchange.y); }

#ifdef ALIGNED
void store1(uint k, uvec2 tile, KEY key) {
    uvec2 p = tile * 32u + quadAt(k);
    if (all(lessThan(p, size >> 1u))) store(1u, p, key);
}

// Levels 1 to 3: each step of a Morton group of four lanes folds one level. The first two shuffles also deal the four level-2 values of a
// lane group out to its lanes, so that three shuffles serve four values and the level-2 store covers 8x4 texels.
void lowLevels(uint index, uvec2 tile, uint to) {
    ivec2 corner = ivec2(tile * 64u);
    ivec4 a = gatherBits(corner + 2 * ivec2(quadAt(0u)), push.extent, int(layer));
    ivec4 b = gatherBits(corner + 2 * ivec2(quadAt(1u)), push.extent, int(layer));
    ivec4 c = gatherBits(corner + 2 * ivec2(quadAt(2u)), push.extent, int(layer));
    ivec4 d = gatherBits(corner + 2 * ivec2(quadAt(3u)), push.extent, int(layer));
    KEY ka = usual(a, uvec4(a)), kb = usual(b, uvec4(b)), kc = usual(c, uvec4(c)), kd = usual(d, uvec4(d));
    if (unusual(max(max(uvec4(a), uvec4(b)), max(uvec4(c), uvec4(d))))) {
        ka = keyOf(a);
        kb = keyOf(b);
        kc = keyOf(c);
        kd = keyOf(d);
    }
    store1(0u, tile, ka);
    store1(1u, tile, kb);
    store1(2u, tile, kc);
    store1(3u, tile, kd);
    bool bx = (thread & 1u) != 0u, by = (thread & 2u) != 0u;
    KEY left = min(bx ? kc : ka, subgroupShuffleXor(bx ? ka : kc, 1u));
    KEY right = min(bx ? kd : kb, subgroupShuffleXor(bx ? kb : kd, 1u));
    KEY k = min(by ? right : left, subgroupShuffleXor(by ? left : right, 2u));
    uvec2 q = (quadAt(0u) >> 1u) + uvec2(bx ? 4u : 0u, by ? 2u : 0u);
    uvec2 p = tile * 16u + q;
    if (all(lessThan(p, size >> 2u))) store(2u, p, k);
    k = min(k, subgroupShuffleXor(k, 4u));
    k = min(k, subgroupShuffleXor(k, 8u));
    if ((thread & 12u) == 0u) {
        q >>= 1u;
        work[to + q.y * 9u + q.x] = k;
        p = tile * 8u + q;
        if (all(lessThan(p, size >> 3u))) store(3u, p, k);
    }
}
#else
// Texel `p` of level 1, which may lie past the end.
KEY level1(uvec2 p) {
    ivec2 first = ivec2(2u * p), second = first, count = 2 + (push.size & 1);
    if (STRETCHED) {
        count = ivec2(3);
        // A power of two of texels an axis, so the division is a shift. A single texel of the depth image is both first and last.
        ivec2 by = findLSB(push.size) - 1, t = min(ivec2(p), (push.size >> 1) - 1);
        first = (t * push.extent) >> by;
        second = max((((t + 1) * push.extent + (ivec2(1) << by) - 1) >> by) - 2, first);
    } else {
        bvec2 third = notEqual(size & 1u, uvec2(0));
        if (EDGE) {
            bvec2 last = equal(p, levelSize(1u) - 1u);
            third = bvec2(third.x && last.x, third.y && last.y);
        }
        second += ivec2(third);
    }
    return fetchTaps(first, second, count, push.extent, int(layer));
}

// Prefixes of level 1, from the texels: a column, a row and the corner.
void prefix1(uvec2 tile) {
    bool px = thread < 32u || thread == 64u, py = thread >= 32u;
    uint i = px ? 32u : thread - 32u, j = py ? 32u : thread;
    bvec2 odd = notEqual(size & 1u, uvec2(0));
    if (!prefixWanted(32u, i, j)) return;
    KEY k = EMPTY;
    if ((!px || odd.x) && (!py || odd.y)) {
        // One texel across; along it, what the value there takes.
        uint along = px ? j : i, base = px ? tile.y : tile.x;
        bool third = (px ? odd.y : odd.x) && (!EDGE || base * 32u + along == (px ? levelSize(1u).y : levelSize(1u).x) - 1u);
        ivec2 at = ivec2(tile * 64u + 2u * uvec2(px ? 0u : i, py ? 0u : j)), next = px ? ivec2(0, 1) : ivec2(1, 0);
        if (px && py) next = ivec2(0);
        k = min(fetch(at, push.extent, int(layer)), fetch(at + next, push.extent, int(layer)));
        if (third) k = min(k, fetch(at + 2 * next, push.extent, int(layer)));
    }
    work[j * 33u + i] = k;
}

void reduceLevel(const uint level, const uint m, uint index, uvec2 tile, uint from, uint to) {
    uint i = thread & (m - 1u), j = thread / m, row = m + 1u;
    if (thread < m * m) {
        KEY k = reduceEntry(level, tile, m, from, i, j);
        work[to + j * row + i] = k;
        emit(level + 1u, index, tile, m, i, j, k);
    }
    if (any(exchange)) {
        uint e = GROUP - 1u - thread; // the last subgroups: a column, a row, the corner
        i = e < m || e == 2u * m ? m : e - m;
        j = e < m ? e : m;
        if (e <= 2u * m && prefixWanted(m, i, j)) {
            KEY k = reduceEntry(level, tile, m, from, i, j);
            work[to + j * row + i] = k;
            emitPrefix(level + 1u, index, m, i, j, k);
        }
    }
}

void lowLevels(uint index, uvec2 tile, uint to) {
    [[dont_unroll]] for (uint k = 0u; k < 4u; k++) {
        uvec2 q = quadAt(k), p = tile * 32u + q;
        KEY key = level1(p);
        work[q.y * 33u + q.x] = key;
        if (all(lessThan(p, levelSize(1u)))) store(1u, p, key);
    }
    if (any(exchange) && thread <= 64u) prefix1(tile);
    barrier();
    reduceLevel(1u, 16u, index, tile, 0u, AT_LEVEL2);
    barrier();
    reduceLevel(2u, 8u, index, tile, AT_LEVEL2, to);
}
#endif

// Levels 4 to 6 of all the group's tiles, 32 invocations a tile.
void upperLevels(uint group, uint groups, uint mine) {
    uint slot = thread >> 5u, lane = thread & 31u, index = group + slot * groups;
    uvec2 tile = tileAt(index);
    uint from = AT_LEVEL3 + slot * LEVEL3, to = AT_LEVEL4 + slot * LEVEL4;
    [[dont_unroll]] for (uint level = 3u; level < 6u; level++) {
        barrier();
        uint m = 32u >> level, side = m + 1u;
        uint j = lane * (level == 3u ? 13u : level == 4u ? 22u : 32u) >> 6u, i = lane - j * side; // lane / side
        if (slot < mine && j < side && prefixWanted(m, i, j)) {
            KEY k = reduceEntry(level, tile, m, from, i, j);
            work[to + j * side + i] = k;
            if (i < m && j < m) emit(level + 1u, index, tile, m, i, j, k);
            else emitPrefix(level + 1u, index, m, i, j, k);
            if (level == 5u && push.lastLevel > 6u) scratch[planeBase(i + 2u * j) + index] = k;
        }
        uint swap = from;
        from = to;
        to = swap;
    }
}
