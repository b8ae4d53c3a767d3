// A tile's share of levels 1..6: first the low ones, 1..3, then the upper ones of all the group's tiles at once.

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
#include "chain_aligned.glsl"
#elif defined(ROWS)
#include "chain_rows.glsl"
#else
#include "chain_any.glsl"
#endif

// Levels 4 to 6 of all the group's tiles, 32 invocations a tile.
void upperLevels(uint group, uint groups, uint mine) {
    uint slot = thread >> 5u, lane = thread & 31u, index = group + slot * groups;
    uvec2 tile = tileAt(index);
    uint from = AT_LEVEL3 + slot * LEVEL3, to = AT_LEVEL4 + slot * LEVEL4;
#ifdef ROWS
    level3OfTiles(group, groups, mine);
#endif
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
