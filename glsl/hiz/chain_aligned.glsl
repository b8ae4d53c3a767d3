// The low levels of a tile where sizes are multiples of 8: levels 1 to 3 in registers.

// The k-th 2x2 of texels of this invocation, k < 4. 32 lanes cover 8x4 of them (16x8 texels) in Morton order, the four 16x8.
uvec2 quadAt(uint k) {
    uint lane = thread & 31u, block = thread >> 5u;
    uvec2 morton = uvec2((lane & 1u) | (lane >> 1u & 2u) | (lane >> 2u & 4u), (lane >> 1u & 1u) | (lane >> 2u & 2u));
    return uvec2(block & 1u, block >> 1u) * uvec2(16, 8) + morton + uvec2(8u * (k >> 1u), 4u * (k & 1u));
}

void store1(uint k, uvec2 tile, KEY key) {
    uvec2 p = tile * 32u + quadAt(k);
    if (all(lessThan(p, size >> 1u))) store(1u, p, key);
}

// Levels 1 to 3: each step of a Morton group of four lanes folds one level. The first two shuffles also deal the four level-2 values of a
// lane group out to its lanes, so that three shuffles serve four values and the level-2 store covers 8x4 texels.
void lowLevels(uint index, uvec2 tile, uint slot) {
    uint to = AT_LEVEL3 + slot * LEVEL3;
    ivec2 corner = ivec2(tile * 64u);
    ivec4 a = gatherBits(corner + 2 * ivec2(quadAt(0u)), push.extent, int(layer));
    ivec4 b = gatherBits(corner + 2 * ivec2(quadAt(1u)), push.extent, int(layer));
    ivec4 c = gatherBits(corner + 2 * ivec2(quadAt(2u)), push.extent, int(layer));
    ivec4 d = gatherBits(corner + 2 * ivec2(quadAt(3u)), push.extent, int(layer));
    KEY ka = usual(a), kb = usual(b), kc = usual(c), kd = usual(d);
    if (unusual(a | b | c | d)) {
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
