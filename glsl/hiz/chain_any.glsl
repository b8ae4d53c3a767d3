// The low levels of a tile at any size: level 1 from the texels, levels 2 and 3 through shared memory.

bvec2 oddSize() { return notEqual(size & 1u, uvec2(0)); }

// On each axis, whether texel `p` of level 1 takes a third texel.
bvec2 thirdOf(uvec2 p) {
    bvec2 third = oddSize();
    if (EDGE) {
        bvec2 last = equal(p, levelSize(1u) - 1u);
        third = bvec2(third.x && last.x, third.y && last.y);
    }
    return third;
}

void put1(uvec2 q, uvec2 tile, KEY key) {
    uvec2 p = tile * 32u + q;
    work[q.y * 33u + q.x] = key;
    if (all(lessThan(p, levelSize(1u)))) store(1u, p, key);
}

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
        second += ivec2(thirdOf(p));
    }
    return fetchTaps(first, second, count, push.extent, int(layer));
}

void level1OfTile(uvec2 tile) {
    [[dont_unroll]] for (uint k = 0u; k < 4u; k++) {
        // Neighbouring invocations take neighbouring squares of 2x2, 8x8 of them a turn and quarter of the workgroup.
        uint quarter = thread >> 6u;
        uvec2 q = uvec2(thread & 7u, thread >> 3u & 7u) + 8u * uvec2(k, quarter);
        put1(q, tile, level1(tile * 32u + q));
    }
}

// A prefix of level 1, from the texels: invocations 0..31 the column, 32..63 the row, 64 the corner. One texel across; along it, what the
// value there takes.
KEY prefix1(uvec2 tile) {
    bool px = thread < 32u || thread == 64u, py = thread >= 32u;
    bvec2 odd = oddSize();
    if ((px && !odd.x) || (py && !odd.y)) return EMPTY;
    uint along = thread & 31u;
    ivec2 at = ivec2(tile * 64u) + (py ? ivec2(2u * along, 0) : ivec2(0, 2u * along));
    if (px && py) return fetch(at, push.extent, int(layer));
    ivec2 next = px ? ivec2(0, 1) : ivec2(1, 0);
    bvec2 third = thirdOf(tile * 32u + along);
    if (px ? !third.y : !third.x) return min(fetch(at, push.extent, int(layer)), fetch(at + next, push.extent, int(layer)));
    return min(min(fetch(at, push.extent, int(layer)), fetch(at + next, push.extent, int(layer))), fetch(at + 2 * next, push.extent, int(layer)));
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

void lowLevels(uint index, uvec2 tile, uint slot) {
    bool prefix = any(exchange) && thread <= 64u;
    KEY key = EMPTY;
    if (prefix) key = prefix1(tile);
    level1OfTile(tile);
    if (prefix) work[thread < 32u ? thread * 33u + 32u : 32u * 33u + thread - 32u] = key;
    barrier();
    reduceLevel(1u, 16u, index, tile, 0u, AT_LEVEL2);
    barrier();
    reduceLevel(2u, 8u, index, tile, AT_LEVEL2, AT_LEVEL3 + slot * LEVEL3);
}
