// Level 1 of a tile, each texel read once. A texel of level 1 takes its own square of 2x2 texels and, where the size is odd, the left
// column of the square to the right, the top row of the one below and the corner of the one between: three values from other
// lanes. 16 or 32 neighbouring lanes take a region of squares, 2x2 blocks of one square a lane; the squares beside the region are read
// by lanes in the first column and row, whose own values nobody in their block asks for.

// Floats as integers of the same order, a NaN as the extreme that keeps the reduction safe.
ivec4 settled(ivec4 b) {
    bvec4 nan = greaterThan(b & 0x7fffffff, ivec4(INFINITY));
    return mix(b ^ ((b >> 31) & 0x7fffffff), ivec4(MAXIMUM ? int(INFINITY) : UNKNOWN), nan);
}

void level1OfTile(uvec2 tile) {
    uint wide = gl_SubgroupSize >= 32u ? 1u : 0u, width = 4u << wide; // a block is width x 4
    uint lane = thread & ((16u << wide) - 1u), region = thread >> (4u + wide);
    uvec2 at = uvec2(lane & (width - 1u), lane >> (2u + wide));
    uvec2 first = uvec2(region & (3u >> wide), region >> (2u - wide)) * uvec2(2u * width, 8u), q = first + at;
    bool left = at.x == 0u, top = at.y == 0u;
    int z = int(layer), w = 2 * int(width);
    ivec2 p = ivec2(tile * 64u + 2u * q), corner = ivec2(tile * 64u + 2u * first);
    ivec4 a = gatherBits(p, push.extent, z), b = gatherBits(p + ivec2(0, 8), push.extent, z);
    ivec4 c = gatherBits(p + ivec2(w, 0), push.extent, z), d = gatherBits(p + ivec2(w, 8), push.extent, z);
    // Beside the region: e and f right of c and d, or below b and d; g, h, i those that the first lane lacks, below b, below d, between.
    ivec4 e = ivec4(0), f = ivec4(0), g = ivec4(0), h = ivec4(0), i = ivec4(0);
    if (left || top) {
        e = gatherBits(left ? p + ivec2(2 * w, 0) : p + ivec2(0, 16), push.extent, z);
        f = gatherBits(left ? p + ivec2(2 * w, 8) : p + ivec2(w, 16), push.extent, z);
    }
    if (lane == 0u) {
        g = gatherBits(corner + ivec2(0, 16), push.extent, z);
        h = gatherBits(corner + ivec2(w, 16), push.extent, z);
        i = gatherBits(corner + ivec2(2 * w, 16), push.extent, z);
    }
    if (unusual(a | b | c | d | e | f | g | h | i)) {
        a = settled(a);
        b = settled(b);
        c = settled(c);
        d = settled(d);
        e = settled(e);
        f = settled(f);
        g = settled(g);
        h = settled(h);
        i = settled(i);
    }
    KEY ka = usual(a), kb = usual(b), kc = usual(c), kd = usual(d);
    bvec2 odd = oddSize();
    uint base = gl_SubgroupInvocationID - lane;
    uint right = at.x == width - 1u ? lane + 1u - width : lane + 1u, below = at.y == 3u ? at.x : lane + width;
    uint between = base + (at.x == width - 1u ? below + 1u - width : below + 1u);
    right += base;
    below += base;
    KEY ra = EMPTY, rb = EMPTY, rc = EMPTY, rd = EMPTY;
    if (odd.x) {
        KEY ca = usual(a.w, a.x), cb = usual(b.w, b.x), cc = usual(c.w, c.x), cd = usual(d.w, d.x);
        ra = subgroupShuffle(left ? cc : ca, right);
        rb = subgroupShuffle(left ? cd : cb, right);
        rc = subgroupShuffle(left ? usual(e.w, e.x) : cc, right);
        rd = subgroupShuffle(left ? usual(f.w, f.x) : cd, right);
    }
    KEY ba = EMPTY, bb = EMPTY, bc = EMPTY, bd = EMPTY;
    if (odd.y) {
        KEY ta = usual(a.w, a.z), tb = usual(b.w, b.z), tc = usual(c.w, c.z), td = usual(d.w, d.z);
        ba = subgroupShuffle(top ? tb : ta, below);
        bc = subgroupShuffle(top ? td : tc, below);
        bb = subgroupShuffle(top ? (left ? usual(g.w, g.z) : usual(e.w, e.z)) : tb, below);
        bd = subgroupShuffle(top ? (left ? usual(h.w, h.z) : usual(f.w, f.z)) : td, below);
    }
    KEY xa = EMPTY, xb = EMPTY, xc = EMPTY, xd = EMPTY;
    if (odd.x && odd.y) {
        xa = subgroupShuffle(left ? (top ? d.w : c.w) : top ? b.w : a.w, between);
        xb = subgroupShuffle(left ? (top ? h.w : d.w) : top ? e.w : b.w, between);
        xc = subgroupShuffle(left ? (top ? f.w : e.w) : top ? d.w : c.w, between);
        xd = subgroupShuffle(left ? (top ? i.w : f.w) : top ? f.w : d.w, between);
        xa = usual(xa, xa);
        xb = usual(xb, xb);
        xc = usual(xc, xc);
        xd = usual(xd, xd);
    }
    if (EDGE) {
        // Whoever is not last on an axis takes nothing there.
        bvec2 ta = thirdOf(tile * 32u + q), tb = thirdOf(tile * 32u + q + uvec2(0, 4));
        bvec2 tc = thirdOf(tile * 32u + q + uvec2(width, 0)), td = thirdOf(tile * 32u + q + uvec2(width, 4));
        if (!ta.x) ra = xa = EMPTY;
        if (!tb.x) rb = xb = EMPTY;
        if (!tc.x) rc = xc = EMPTY;
        if (!td.x) rd = xd = EMPTY;
        if (!ta.y) ba = xa = EMPTY;
        if (!tb.y) bb = xb = EMPTY;
        if (!tc.y) bc = xc = EMPTY;
        if (!td.y) bd = xd = EMPTY;
    }
    put1(q, tile, min(min(ka, ra), min(ba, xa)));
    put1(q + uvec2(0, 4), tile, min(min(kb, rb), min(bb, xb)));
    put1(q + uvec2(width, 0), tile, min(min(kc, rc), min(bc, xc)));
    put1(q + uvec2(width, 4), tile, min(min(kd, rd), min(bd, xd)));
}
