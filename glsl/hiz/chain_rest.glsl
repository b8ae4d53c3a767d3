// What tiles owe each other, and levels 7..n.

// Slot k of the right column (first SIDE) or the bottom row of a tile whose neighbours have all left their share.
void finishEdge(uint index, uint k) {
    bool right = k < SIDE;
    uint slot = k & (SIDE - 1u);
    if (slot == SIDE - 1u) return;
    uint level = 6u - uint(findMSB(SIDE - 1u - slot));
    uint m = 64u >> level, at = slot - slotOffset(level);
    uvec2 tile = tileAt(index), p = tile * m + (right ? uvec2(m - 1u, at) : uvec2(at, m - 1u));
    bvec2 open = reachesOut(level, tile, m);
    bool corner = at == m - 1u, useX = right && open.x, useY = (corner || !right) && open.y;
    if ((!right && corner) || !(useX || useY) || any(greaterThanEqual(p, levelSize(level)))) return;
    // A share that is not needed is replaced by the tile's own, so that no load waits behind a branch.
    uint own = slotBase(index) + k;
    KEY a = scratch[own];
    KEY b = scratch[useX ? slotBase(index + 1u) + 2u * SIDE + slot : own];
    KEY c = scratch[useY ? slotBase(index + tiles.x) + 3u * SIDE + slot : own];
    KEY d = scratch[useX && useY ? slotBase(index + tiles.x + 1u) + SIDE + slot : own];
    storeApart(level, p, min(min(a, b), min(c, d)));
}

// Level 7 from the planes of level 6. On an axis: two blocks, a third at an odd size, then the prefix of the block after.
KEY level7(uvec2 p) {
    uvec2 s = levelSize(6u);
    bvec2 odd = notEqual(s & 1u, uvec2(0)), after = exchange;
    if (EDGE) {
        bvec2 last = equal(p, levelSize(7u) - 1u);
        odd = bvec2(odd.x && last.x, odd.y && last.y);
        after = bvec2(after.x && last.x, after.y && last.y);
    }
    uvec2 one = uvec2(notEqual(s, uvec2(1)));
    uvec2 two = one + (uvec2(odd) & one);
    uint base = planeBase(0u) + p.y * 2u * tiles.x + p.x * 2u;
    uint x1 = one.x, x2 = two.x, xe = after.x ? two.x + 1u + tileCount : 0u;
    uint y1 = one.y * tiles.x, y2 = two.y * tiles.x, ye = after.y ? (two.y + 1u) * tiles.x + 2u * tileCount : 0u;
    // Taps that are not needed repeat others: a branch round some loads makes them wait for the rest.
    uint b1 = base + y1, b2 = base + y2, be = base + ye;
    KEY k = min(min(scratch[base], scratch[base + x1]), min(scratch[base + x2], scratch[base + xe]));
    KEY k1 = min(min(scratch[b1], scratch[b1 + x1]), min(scratch[b1 + x2], scratch[b1 + xe]));
    KEY k2 = min(min(scratch[b2], scratch[b2 + x1]), min(scratch[b2 + x2], scratch[b2 + xe]));
    KEY ke = min(min(scratch[be], scratch[be + x1]), min(scratch[be + x2], scratch[be + xe]));
    return min(min(k, k1), min(k2, ke));
}

// Texel p of the level after one of s.x * s.y keys, which ARRAY holds from `from` on.
#define TAPS(ARRAY)                                                                                  \
    uvec2 q = p * 2u, q1 = min(q + 1u, s - 1u), q2 = min(q + 2u, s - 1u);                            \
    if (EDGE) q2 = uvec2(q2.x == s.x - 1u ? q2.x : q1.x, q2.y == s.y - 1u ? q2.y : q1.y);            \
    uint r0 = from + q.y * s.x, r1 = from + q1.y * s.x, r2 = from + q2.y * s.x;                      \
    KEY k = min(min(ARRAY[r0 + q.x], ARRAY[r0 + q1.x]), min(ARRAY[r1 + q.x], ARRAY[r1 + q1.x]));     \
    if ((s.x & 1u) != 0u) k = min(k, min(ARRAY[r0 + q2.x], ARRAY[r1 + q2.x]));                       \
    if ((s.y & 1u) != 0u) k = min(k, min(ARRAY[r2 + q.x], ARRAY[r2 + q1.x]));                        \
    if ((s.x & s.y & 1u) != 0u) k = min(k, ARRAY[r2 + q2.x]);                                        \
    return k

KEY tapsOfWork(uint from, uvec2 s, uvec2 p) { TAPS(work); }
KEY tapsOfScratch(uint from, uvec2 s, uvec2 p) { TAPS(scratch); }

// Element e of rows of `width`. Exact: at most 2^14 elements in rows of at most 2^7, so half an element is above all rounding.
uvec2 place(uint e, uint width) {
    uint y = uint((float(e) + 0.5) / float(width));
    return uvec2(e - y * width, y);
}

// Texel e of level 7, of s.x * s.y.
void put7(uint e, uvec2 s, KEY key, uint from, bool small) {
    store(7u, place(e, s.x), key);
    if (small) work[e] = key;
    else scratch[from + e] = key;
}

// Levels 7 to n of a layer, by one workgroup: through scratch memory while a level exceeds shared memory, then within it.
// Every invocation makes every turn of a loop, with a test inside: some compilers mishandle turns that differ before a barrier.
void tail() {
    uint level = 7u;
    uvec2 s = levelSize(7u);
    uint count = s.x * s.y, from = planeBase(4u), to = from + count;
    bool small = count <= TAIL_CAPACITY;
    uint begin = 0u;
#if PASS == 2
    // Registers cost nothing here, so the loads of four texels stand side by side.
    [[dont_unroll]] for (; begin + 2u * GROUP < count; begin += 4u * GROUP) {
        KEY k[4];
        [[unroll]] for (uint turn = 0u; turn < 4u; turn++) k[turn] = level7(place(min(begin + turn * GROUP + thread, count - 1u), s.x));
        [[unroll]] for (uint turn = 0u; turn < 4u; turn++) {
            uint e = begin + turn * GROUP + thread;
            if (e < count) put7(e, s, k[turn], from, small);
        }
    }
#endif
    [[dont_unroll]] for (; begin < count; begin += GROUP) {
        uint e = begin + thread;
        if (e < count) put7(e, s, level7(place(e, s.x)), from, small);
    }
    if (small) barrier();
    else groupBarrier();
    [[dont_unroll]] while (s.x * s.y > TAIL_CAPACITY) {
        uvec2 d = max(s >> 1u, uvec2(1));
        count = d.x * d.y;
        small = count <= TAIL_CAPACITY;
        [[dont_unroll]] for (uint first = 0u; first < count; first += GROUP) {
            uint e = first + thread;
            if (e < count) {
                uvec2 p = place(e, d.x);
                KEY k = tapsOfScratch(from, s, p);
                if (level < push.lastLevel) store(level + 1u, p, k);
                if (small) work[e] = k;
                else scratch[to + e] = k;
            }
        }
        from = to;
        to += count;
        s = d;
        level++;
        groupBarrier();
    }
    from = 0u;
    to = TAIL_CAPACITY;
    [[dont_unroll]] while (level < push.lastLevel) {
        uvec2 d = max(s >> 1u, uvec2(1));
        count = d.x * d.y;
        [[dont_unroll]] for (uint first = 0u; first < count; first += GROUP) {
            uint e = first + thread;
            if (e < count) {
                uvec2 p = place(e, d.x);
                KEY k = tapsOfWork(from, s, p);
                store(level + 1u, p, k);
                work[to + e] = k;
            }
        }
        barrier();
        uint swap = from;
        from = to;
        to = swap;
        s = d;
        level++;
    }
}

#if PASS == 0
// Counts this workgroup's tiles in at their four corners, and the workgroup at the end of its layer. The increment releases the slots and
// planes that every invocation wrote before the barrier; whoever completes a count acquires all the others', and writes the counter back
// to zero for the next use.
void countIn(uint group, uint groups, uint mine) {
    groupBarrier();
    if (thread <= mine * 4u) {
        uint need = 0u, counter = layer * (tileCount + 1u), index = group + (thread >> 2u) * groups;
        if (thread == mine * 4u) {
            if (push.lastLevel > 6u) need = groups;
        } else {
            uvec2 tile = tileAt(index), back = uvec2(thread & 1u, thread >> 1u & 1u);
            if (all(lessThanEqual(back, tile)) && (back.x == 0u || exchange.x) && (back.y == 0u || exchange.y)) {
                tile -= back; // the tile whose bottom right corner this is
                index -= back.x + back.y * tiles.x;
                counter += 1u + index;
                need = (exchange.x && tile.x + 1u < tiles.x ? 2u : 1u) * (exchange.y && tile.y + 1u < tiles.y ? 2u : 1u);
                if (need == 1u) need = 0u; // no neighbour: nothing was left open
            }
        }
        bool last = false;
        if (need != 0u) {
            last = atomicAdd(counters[counter], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                             gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible) == need - 1u;
        }
        if (last) {
            counters[counter] = 0u;
            if (thread < mine * 4u) completed[atomicAdd(completedCount, 1u)] = index;
        }
        if (thread == mine * 4u) lastGroup = last;
    }
    groupBarrier();
}
#endif
