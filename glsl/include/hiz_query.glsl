// Queries of a depth pyramid made by texemu-hiz: is a rectangle, a sphere, a box or a particle hidden; how far may a ray go.
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// "Hidden" is never wrong: it is only said where every pixel asked about holds a depth that is nearer. "Visible" may be more careful
// than necessary. docs/hiz.md says how much, and crates/hiz/src/query holds a twin in Rust of every function, with the same bits
// where the device's 1 / x and sqrt round correctly.
//
// Before including it, define
//   HIZ_SCHEME                      HIZ_CHAINED, HIZ_EDGE_TEXEL, HIZ_POW2_EXACT or HIZ_ROUNDED_UP, as the plan has it
//   HIZ_KEEP                        HIZ_FARTHEST, HIZ_NEAREST or HIZ_BOTH: what the pyramid keeps
//   HIZ_REVERSED                    1 if near is 1 and far is 0; 0, the default, if near is 0
//   HIZ_FETCH(LEVEL, TEXEL, LAYER)  a vec4 with a texel of the pyramid: texelFetch(pyramid, ivec3(TEXEL, LAYER), (LEVEL) - 1), say
// and if they are wanted
//   HIZ_FETCH_DEPTH(PIXEL, LAYER)   a float with a pixel of the depth buffer, counted from the viewport's corner
//   HIZ_LOOKUP                      HIZ_UV or HIZ_INTEGER, for the chained scheme, which answers both
//
// Depth is what the depth buffer holds, 0 to 1. A NaN, as a depth or in a query, hides nothing and lets no ray pass. Denormals count as 0,
// as in the pyramid.

#ifndef HIZ_QUERY_GLSL
#define HIZ_QUERY_GLSL

#define HIZ_CHAINED 0
#define HIZ_EDGE_TEXEL 1
#define HIZ_POW2_EXACT 2
#define HIZ_ROUNDED_UP 3

#define HIZ_NEAREST 0
#define HIZ_FARTHEST 1
#define HIZ_BOTH 2

#define HIZ_UV 0
#define HIZ_INTEGER 1

#ifndef HIZ_REVERSED
#define HIZ_REVERSED 0
#endif
#ifndef HIZ_LOOKUP
#if HIZ_SCHEME == HIZ_CHAINED || HIZ_SCHEME == HIZ_POW2_EXACT
#define HIZ_LOOKUP HIZ_UV
#else
#define HIZ_LOOKUP HIZ_INTEGER
#endif
#endif
#if HIZ_SCHEME == HIZ_POW2_EXACT && HIZ_LOOKUP != HIZ_UV
#error a pow2-exact pyramid answers UV queries alone
#elif (HIZ_SCHEME == HIZ_EDGE_TEXEL || HIZ_SCHEME == HIZ_ROUNDED_UP) && HIZ_LOOKUP != HIZ_INTEGER
#error edge-texel and rounded-up pyramids answer integer queries alone
#endif

// What there is of a pyramid. 20 bytes that HizPlan::query_pyramid fills.
struct HizPyramid {
    ivec2 extent;    // pixels that it covers, the viewport's
    int first_level; // that is stored; level 0 is the depth buffer
    int last_level;
    int layer;
};

#ifdef HIZ_FETCH_DEPTH
#define HIZ_FINEST(P) 0
#else
#define HIZ_FINEST(P) (P).first_level
#endif

// ---- Depths ----

// An integer of the depth's order. -0, +0 and denormals are one; a NaN lies beyond the infinities.
int hiz_order(float depth) {
    int bits = floatBitsToInt(depth), magnitude = bits & 0x7fffffff;
    if (magnitude < 0x00800000) return 0;
    return bits < 0 ? -magnitude : magnitude;
}

// Whether a is strictly farther than b; false if either is a NaN.
bool hiz_farther(float a, float b) {
    int i = hiz_order(a), j = hiz_order(b);
    if (max(abs(i), abs(j)) > 0x7f800000) return false;
    return bool(HIZ_REVERSED) ? i < j : i > j;
}

// ---- Levels and texels ----

ivec2 hiz_level_size(HizPyramid p, int level) {
    if (level == 0) return p.extent;
#if HIZ_SCHEME == HIZ_ROUNDED_UP
    return ((p.extent - 1) >> level) + 1;
#elif HIZ_SCHEME == HIZ_POW2_EXACT
    ivec2 below = ivec2(1) << findMSB(max(p.extent - 1, 1)); // the powers of two below
    return max(below >> (level - 1), 1);
#else
    return max(p.extent >> level, 1);
#endif
}

int hiz_finer(HizPyramid p, int level) { return level > p.first_level ? level - 1 : HIZ_FINEST(p); }
int hiz_coarser(HizPyramid p, int level) { return level < p.first_level ? p.first_level : min(level + 1, p.last_level); }

// The texel that holds the depths around a pixel of the viewport.
ivec2 hiz_texel(HizPyramid p, int level, ivec2 pixel) {
    ivec2 size = hiz_level_size(p, level);
#if HIZ_LOOKUP == HIZ_UV
    return ivec2(uvec2(pixel) * uvec2(size) / uvec2(p.extent));
#else
    return min(pixel >> level, size - 1);
#endif
}

// The pixels whose texel this is: from `low`, up to and without `end`.
void hiz_cell(HizPyramid p, int level, ivec2 texel, out ivec2 low, out ivec2 end) {
    ivec2 size = hiz_level_size(p, level);
#if HIZ_LOOKUP == HIZ_UV
    uvec2 extent = uvec2(p.extent), count = uvec2(size);
    low = ivec2((uvec2(texel) * extent + count - 1u) / count);
    end = ivec2((uvec2(texel + 1) * extent + count - 1u) / count);
#else
    low = texel << level;
    end = (texel + 1) << level;
    if (texel.x == size.x - 1) end.x = p.extent.x;
    if (texel.y == size.y - 1) end.y = p.extent.y;
#endif
}

// The includer's macros, where no name of a parameter or variable can stand before one of theirs.
vec4 hiz_fetch(int hiz_level, ivec2 hiz_at, int hiz_layer) { return HIZ_FETCH(hiz_level, hiz_at, hiz_layer); }
#ifdef HIZ_FETCH_DEPTH
float hiz_fetch_depth(ivec2 hiz_at, int hiz_layer) { return HIZ_FETCH_DEPTH(hiz_at, hiz_layer); }
#endif

#if HIZ_KEEP != HIZ_NEAREST
float hiz_farthest(HizPyramid p, int level, ivec2 texel) {
#ifdef HIZ_FETCH_DEPTH
    if (level == 0) return hiz_fetch_depth(texel, p.layer);
#endif
    vec4 v = hiz_fetch(level, texel, p.layer);
    return HIZ_KEEP == HIZ_BOTH && !bool(HIZ_REVERSED) ? v.y : v.x;
}
#endif

#if HIZ_KEEP != HIZ_FARTHEST
float hiz_nearest(HizPyramid p, int level, ivec2 texel) {
#ifdef HIZ_FETCH_DEPTH
    if (level == 0) return hiz_fetch_depth(texel, p.layer);
#endif
    vec4 v = hiz_fetch(level, texel, p.layer);
    return HIZ_KEEP == HIZ_BOTH && bool(HIZ_REVERSED) ? v.y : v.x;
}
#endif

// ---- Rectangles ----

#if HIZ_KEEP != HIZ_NEAREST
// Whether something whose nearest depth is `nearest` can show in the pixels first..last. Pixels outside the viewport show nothing.
// Reads at most four texels, or more where the pyramid's last level is not its smallest.
bool hiz_visible_rect(HizPyramid p, ivec2 first, ivec2 last, float nearest) {
    first = max(first, 0);
    last = min(last, p.extent - 1);
    if (any(greaterThan(first, last))) return false;
    // The finest level at which the rectangle takes two texels an axis at most: one of three from here on.
    int longest = max(last.x - first.x, last.y - first.y);
    int level = longest < 2 ? 0 : findMSB(longest - 1);
    level = level <= HIZ_FINEST(p) ? HIZ_FINEST(p) : clamp(level, p.first_level, p.last_level);
    ivec2 a = hiz_texel(p, level, first), b = hiz_texel(p, level, last);
    while (level < p.last_level && any(greaterThan(b - a, ivec2(1)))) {
        level = hiz_coarser(p, level);
        a = hiz_texel(p, level, first);
        b = hiz_texel(p, level, last);
    }
    if (all(lessThanEqual(b - a, ivec2(1)))) {
        float f00 = hiz_farthest(p, level, a), f10 = hiz_farthest(p, level, ivec2(b.x, a.y));
        float f01 = hiz_farthest(p, level, ivec2(a.x, b.y)), f11 = hiz_farthest(p, level, b);
        return !(hiz_farther(nearest, f00) && hiz_farther(nearest, f10) && hiz_farther(nearest, f01) && hiz_farther(nearest, f11));
    }
    for (int y = a.y; y <= b.y; y++) {
        for (int x = a.x; x <= b.x; x++) {
            if (!hiz_farther(nearest, hiz_farthest(p, level, ivec2(x, y)))) return true;
        }
    }
    return false;
}

// ---- Shapes: their rectangle and nearest depth, rounded to the safe side ----

const float HIZ_ROUNDING = 9.5367431640625e-7; // 2^-20: more than a few operations' rounding, also of 1 / x and sqrt
const float HIZ_SNAPPING = 0.0625;             // pixels; a rasterizer snaps vertices by half of it at most

// Where a viewport of depths 0 to 1 is put: x right, y down.
//   perspective:   ndc = scale * xy / z + offset, depth = depth_of.x + depth_of.y / z
//   orthographic:  ndc = scale * xy + offset,     depth = depth_of.x + depth_of.y * z
// z grows away from the viewer, and is its distance from the eye's plane.
struct HizProjection {
    vec2 scale;
    vec2 offset;
    vec2 depth_of;
    float near;       // z of the near plane; what reaches in front of it is visible
    int orthographic; // 0 or 1
};

// From normalized device coordinates known to `slack`.
bool hiz_visible_ndc(HizPyramid p, vec2 low, vec2 high, vec2 slack, float nearest) {
    vec2 extent = vec2(p.extent);
    precise vec2 wide = slack + (max(abs(low), abs(high)) + 1.0) * HIZ_ROUNDING;
    if (!(max(wide.x, wide.y) < 1e30)) return true;
    precise vec2 from = ((low - wide) * 0.5 + 0.5) * extent - HIZ_SNAPPING;
    precise vec2 to = ((high + wide) * 0.5 + 0.5) * extent + HIZ_SNAPPING;
    ivec2 first = ivec2(floor(clamp(from, vec2(-1.0), extent)));
    ivec2 last = ivec2(floor(clamp(to, vec2(-1.0), extent)));
    return hiz_visible_rect(p, first, last, nearest);
}

// Slopes x / z between which a sphere at (x, z) lies, z > radius. False if that cannot be made sure of.
bool hiz_slopes(float x, float z, float radius, out float low, out float high) {
    precise float tangent = sqrt(x * x + (z - radius) * (z + radius));
    precise float l = (tangent * x - radius * z) * (1.0 / (tangent * z + radius * x));
    precise float h = (tangent * x + radius * z) * (1.0 / (tangent * z - radius * x));
    precise float wide_l = l - (1.0 + abs(l)) * 6.103515625e-5;
    precise float wide_h = h + (1.0 + abs(h)) * 6.103515625e-5;
    low = wide_l;
    high = wide_h;
    // A line lies beside the sphere if it is a radius or more away from its center.
    precise float left = x - wide_l * z - (abs(x) + abs(wide_l * z)) * HIZ_ROUNDING;
    precise float right = wide_h * z - x - (abs(x) + abs(wide_h * z)) * HIZ_ROUNDING;
    precise float reach_l = radius * sqrt(1.0 + wide_l * wide_l) * (1.0 + HIZ_ROUNDING);
    precise float reach_h = radius * sqrt(1.0 + wide_h * wide_h) * (1.0 + HIZ_ROUNDING);
    return left >= reach_l && right >= reach_h;
}

// Whether a sphere can show. `center` in view space, as HizProjection has it; radius >= 0.
bool hiz_visible_sphere(HizPyramid p, HizProjection view, vec3 center, float radius) {
    precise float around = (abs(center.z) + radius) * HIZ_ROUNDING;
    precise float z = (center.z - radius) - around;
    precise float back = (center.z + radius) + around;
    bool orthographic = view.orthographic != 0;
    float near = orthographic ? view.near : max(view.near, 0.0);
    if (back < near) return false;
    if (!(z > near)) return true;
    vec2 low, high;
    precise vec2 slack;
    precise float term;
    if (orthographic) {
        precise vec2 a = view.scale * (center.xy - radius) + view.offset;
        precise vec2 b = view.scale * (center.xy + radius) + view.offset;
        low = min(a, b);
        high = max(a, b);
        slack = (abs(view.scale) * (abs(center.xy) + radius) + abs(view.offset)) * HIZ_ROUNDING;
        term = view.depth_of.y * z;
    } else {
        vec2 l, h;
        if (!hiz_slopes(center.x, center.z, radius, l.x, h.x) || !hiz_slopes(center.y, center.z, radius, l.y, h.y)) return true;
        precise vec2 a = view.scale * l + view.offset;
        precise vec2 b = view.scale * h + view.offset;
        low = min(a, b);
        high = max(a, b);
        slack = (abs(view.scale) * max(abs(l), abs(h)) + abs(view.offset)) * HIZ_ROUNDING;
        term = view.depth_of.y * (1.0 / z);
    }
    precise float away = (abs(view.depth_of.x) + abs(term)) * HIZ_ROUNDING;
    precise float depth = view.depth_of.x + term;
    precise float nearest = bool(HIZ_REVERSED) ? depth + away : depth - away;
    return hiz_visible_ndc(p, low, high, slack, nearest);
}

// Whether a box can show, which `clip_from_box` takes to Vulkan's clip space. A box that reaches behind the eye is visible, unless all of
// it lies there.
bool hiz_visible_box(HizPyramid p, mat4 clip_from_box, vec3 low, vec3 high) {
    mat4 m = clip_from_box;
    vec3 reach = max(abs(low), abs(high));
    precise vec4 bound = abs(m[0]) * reach.x + abs(m[1]) * reach.y + abs(m[2]) * reach.z + abs(m[3]);
    precise float all_of_it = bound.x + bound.y + bound.z + bound.w;
    if (!(all_of_it < 1e30)) return true;
    precise vec4 slack = bound * HIZ_ROUNDING;
    vec3 least = vec3(3e38), greatest = vec3(-3e38);
    float most = 0.0;
    precise float limit = 2.0 * slack.w + 1e-30;
    int behind = 0, before = 0;
    for (int i = 0; i < 8; i++) {
        vec3 corner = vec3((i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y, (i & 4) != 0 ? high.z : low.z);
        precise vec4 clip = m[0] * corner.x + m[1] * corner.y + m[2] * corner.z + m[3];
        if (clip.w < -limit) behind++;
        if (!(clip.w > limit)) continue;
        before++;
        precise float inverse = 1.0 / clip.w;
        precise vec3 ndc = clip.xyz * inverse;
        least = min(least, ndc);
        greatest = max(greatest, ndc);
        most = max(most, inverse);
    }
    if (behind == 8) return false;
    if (before < 8) return true;
    vec3 size = max(abs(least), abs(greatest));
    precise vec3 wide = (slack.xyz + size * slack.w) * (2.0 * most) + size * HIZ_ROUNDING;
    precise float nearest = bool(HIZ_REVERSED) ? greatest.z + wide.z : least.z - wide.z;
    return hiz_visible_ndc(p, least.xy, greatest.xy, wide.xy, nearest);
}
#endif

// ---- Particles ----

const int HIZ_HIDDEN = 0, HIZ_VISIBLE = 1, HIZ_UNDECIDED = 2;

// What one texel of a stored level says about a point. Hidden and visible are what the depth buffer would say.
int hiz_settle_point(HizPyramid p, int level, ivec2 pixel, float depth) {
    if (any(lessThan(pixel, ivec2(0))) || any(greaterThanEqual(pixel, p.extent))) return HIZ_HIDDEN;
    ivec2 texel = hiz_texel(p, level, pixel);
#if HIZ_KEEP != HIZ_NEAREST
    if (hiz_farther(depth, hiz_farthest(p, level, texel))) return HIZ_HIDDEN;
#endif
#if HIZ_KEEP != HIZ_FARTHEST
    if (!hiz_farther(depth, hiz_nearest(p, level, texel))) return HIZ_VISIBLE;
#endif
    return HIZ_UNDECIDED;
}

#ifdef HIZ_FETCH_DEPTH
// Whether a point shows: asks `level` first, and the depth buffer only if that leaves it undecided. Exact.
bool hiz_visible_point(HizPyramid p, int level, ivec2 pixel, float depth) {
    int settled = hiz_settle_point(p, level, pixel, depth);
    if (settled != HIZ_UNDECIDED) return settled == HIZ_VISIBLE;
    return !hiz_farther(depth, hiz_fetch_depth(pixel, p.layer));
}
#endif

// ---- Rays ----

#if HIZ_KEEP != HIZ_FARTHEST
const float HIZ_NEVER = 3e38;
const float HIZ_LAG = 9.5367431640625e-7; // 2^-20

// origin + t * direction, in pixels and depth: under perspective too a straight line.
struct HizRay {
    vec3 origin;
    vec3 direction;
    vec2 inverse; // of the direction, 0 where that is 0
};

// Where a march is: it has come to this pixel at t, without touching anything.
struct HizMarch {
    ivec2 pixel;
    float t;
    int level; // that the next step looks at
};

const int HIZ_ON = 0, HIZ_HIT = 1, HIZ_OUT = 2;

HizRay hiz_ray(vec3 origin, vec3 direction) {
    vec2 d = direction.xy;
    return HizRay(origin, direction, vec2(d.x == 0.0 ? 0.0 : 1.0 / d.x, d.y == 0.0 ? 0.0 : 1.0 / d.y));
}

// A march from the ray's origin, which must lie in the viewport.
HizMarch hiz_march(HizPyramid p, HizRay ray) {
    return HizMarch(clamp(ivec2(floor(ray.origin.xy)), ivec2(0), p.extent - 1), 0.0, hiz_coarser(p, HIZ_FINEST(p)));
}

// One step: past the level's texel if the ray stays in front of all it covers (HIZ_ON, or HIZ_OUT if that leaves the viewport);
// otherwise to a finer level, and on the finest it is a hit: in m.pixel the ray is at the depth or behind. No pixel on the ray's way is
// left out. Steps through a viewport are bounded by its pixels, so bound the loop around it.
int hiz_march_step(HizPyramid p, HizRay ray, inout HizMarch m) {
    vec3 d = ray.direction;
    ivec2 texel = hiz_texel(p, m.level, m.pixel), low, end;
    hiz_cell(p, m.level, texel, low, end);
    vec2 edge = vec2(d.x > 0.0 ? end.x : low.x, d.y > 0.0 ? end.y : low.y);
    precise vec2 t = (edge - ray.origin.xy) * ray.inverse;
    float tx = d.x == 0.0 ? HIZ_NEVER : t.x, ty = d.y == 0.0 ? HIZ_NEVER : t.y;
    float leave = tx <= ty ? tx : ty;
    leave = leave > m.t ? leave : m.t;
    precise float enters = ray.origin.z + d.z * m.t;
    precise float leaves = ray.origin.z + d.z * leave;
    precise float slack = (abs(ray.origin.z) + abs(d.z) * leave) * HIZ_LAG;
    precise float reached = bool(HIZ_REVERSED) ? min(enters, leaves) - slack : max(enters, leaves) + slack;
    if (!hiz_farther(hiz_nearest(p, m.level, texel), reached)) {
        if (m.level == HIZ_FINEST(p)) return HIZ_HIT;
        m.level = hiz_finer(p, m.level);
        return HIZ_ON;
    }
    if (leave >= HIZ_NEVER) return HIZ_OUT;
    // A pixel too early is put right by a step of no length; a pixel too late would be left out.
    precise vec2 lag = (abs(ray.origin.xy) + abs(d.xy) * leave) * HIZ_LAG;
    precise vec2 at = ray.origin.xy + d.xy * leave - sign(d.xy) * lag;
    ivec2 next = ivec2(floor(clamp(at, vec2(low), vec2(end - 1))));
    next.x = d.x > 0.0 ? max(next.x, m.pixel.x) : min(next.x, m.pixel.x);
    next.y = d.y > 0.0 ? max(next.y, m.pixel.y) : min(next.y, m.pixel.y);
    if (tx <= ty) {
        next.x = d.x > 0.0 ? end.x : low.x - 1;
    } else {
        next.y = d.y > 0.0 ? end.y : low.y - 1;
    }
    if (any(lessThan(next, ivec2(0))) || any(greaterThanEqual(next, p.extent))) return HIZ_OUT;
    m.pixel = next;
    m.t = leave;
    m.level = hiz_coarser(p, m.level);
    return HIZ_ON;
}
#endif

#endif
