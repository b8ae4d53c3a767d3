// Depth values as integers whose minimum is the reduction. Floats are never compared, so no path depends on how a device's min() treats
// NaN, signed zero or denormals. A NaN counts as -infinity for a minimum and as +infinity for a maximum. A denormal and -0 count as +0, which
// some devices make of them before anyone sees them: keys keep them apart, values do not, and what is least before is least after.
//
// COMPONENTS 1: the minimum, or the maximum if MAXIMUM. COMPONENTS 2: both, minimum first.

layout(constant_id = 0) const bool MAXIMUM = false;
layout(constant_id = 1) const bool HALF = false; // 16-bit output: round minima down, maxima up

#if COMPONENTS == 2
#define KEY ivec2
#else
#define KEY int
#endif

const KEY EMPTY = KEY(0x7fffffff);      // no value's key
const int UNKNOWN = -0x7f800001;        // of a NaN: -infinity, or +infinity turned round
const uint INFINITY = 0x7f800000u;

int ordered(int bits) { return bits ^ ((bits >> 31) & 0x7fffffff); }

// The key of the float with these bits.
KEY keyOf(int bits) {
    bool nan = uint(bits & 0x7fffffff) > INFINITY;
    int o = ordered(bits);
#if COMPONENTS == 2
    return nan ? ivec2(UNKNOWN) : ivec2(o, ~o);
#else
    return nan ? UNKNOWN : MAXIMUM ? ~o : o;
#endif
}

// Whether the floats whose bits were joined by "or" may have a negative one, -0 or a NaN among them. Never so for depths between 0 and 1:
// below 2 the two highest bits are clear.
bool unusual(ivec4 joined) { return uint(joined.x | joined.y | joined.z | joined.w) > 0x3fffffffu; }

// The key of floats that are not unusual: they order as their bits do.
KEY usual(ivec4 b) {
#if COMPONENTS == 2
    return ivec2(min(min(b.x, b.y), min(b.z, b.w)), ~max(max(b.x, b.y), max(b.z, b.w)));
#else
    return MAXIMUM ? ~max(max(b.x, b.y), max(b.z, b.w)) : min(min(b.x, b.y), min(b.z, b.w));
#endif
}

KEY usual(int a, int b) {
#if COMPONENTS == 2
    return ivec2(min(a, b), ~max(a, b));
#else
    return MAXIMUM ? ~max(a, b) : min(a, b);
#endif
}

KEY keyOf(ivec4 b) { return min(min(keyOf(b.x), keyOf(b.y)), min(keyOf(b.z), keyOf(b.w))); }

KEY fold(ivec4 a) {
    KEY k = usual(a);
    if (unusual(a)) k = keyOf(a);
    return k;
}

KEY fold(ivec4 a, ivec4 b) {
    KEY k = min(usual(a), usual(b));
    if (unusual(a | b)) k = min(keyOf(a), keyOf(b));
    return k;
}

KEY fold(ivec4 a, ivec4 b, ivec4 c, ivec4 d) {
    KEY k = min(min(usual(a), usual(b)), min(usual(c), usual(d)));
    if (unusual(a | b | c | d)) k = min(min(keyOf(a), keyOf(b)), min(keyOf(c), keyOf(d)));
    return k;
}

// The bits of the value on the half-precision grid next to these, away from zero if `away`.
uint onHalfGrid(uint magnitude, bool away) {
    if (magnitude >= INFINITY) return magnitude;
    if (magnitude >= 0x38800000u) { // 2^-14, the least normal half
        uint cut = (away ? magnitude + 0x1fffu : magnitude) & ~0x1fffu;
        return cut < 0x47800000u ? cut : away ? INFINITY : 0x477fe000u;
    }
    // Multiples of 2^-24.
    if (magnitude == 0u) return 0u;
    uint mantissa = (magnitude & 0x7fffffu) | 0x800000u, by = min(126u - (magnitude >> 23u), 31u);
    uint whole = mantissa >> by;
    if (away && (mantissa & ((1u << by) - 1u)) != 0u) whole++;
    return floatBitsToUint(float(whole) * 5.9604644775390625e-8);
}

float valueOf(int key, bool maximum) {
    uint bits = uint(ordered(maximum ? ~key : key));
    if ((bits & INFINITY) == 0u) bits = 0u;
    if (HALF) {
        uint sign = bits & 0x80000000u;
        bits = onHalfGrid(bits & 0x7fffffffu, (sign != 0u) != maximum);
        if (bits != 0u) bits |= sign;
    }
    return uintBitsToFloat(bits);
}

// What a level stores for a key.
vec4 texelOf(KEY key) {
#if COMPONENTS == 2
    return vec4(valueOf(key.x, false), valueOf(key.y, true), 0.0, 0.0);
#else
    return vec4(valueOf(key, MAXIMUM), 0.0, 0.0, 0.0);
#endif
}
