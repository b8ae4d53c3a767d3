// Depth values as integers whose minimum is the reduction. Floats are never compared, so no path depends on how a device's min() treats
// NaN, signed zero or denormals. -0 is below +0; a NaN counts as -infinity for a minimum and as +infinity for a maximum.
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

// Several floats, of which at least one is negative, -0 or a NaN. `greatest`: the greatest of their bits.
bool unusual(uvec4 greatest) { return max(max(greatest.x, greatest.y), max(greatest.z, greatest.w)) > INFINITY; }

// The key of floats that are not unusual: they order as their bits do.
KEY usual(ivec4 least, uvec4 greatest) {
    int low = min(min(least.x, least.y), min(least.z, least.w));
#if COMPONENTS == 2
    return ivec2(low, ~int(max(max(greatest.x, greatest.y), max(greatest.z, greatest.w))));
#else
    return MAXIMUM ? ~int(max(max(greatest.x, greatest.y), max(greatest.z, greatest.w))) : low;
#endif
}

KEY keyOf(ivec4 b) { return min(min(keyOf(b.x), keyOf(b.y)), min(keyOf(b.z), keyOf(b.w))); }

KEY fold(ivec4 a) {
    KEY k = usual(a, uvec4(a));
    if (unusual(uvec4(a))) k = keyOf(a);
    return k;
}

KEY fold(ivec4 a, ivec4 b) {
    uvec4 greatest = max(uvec4(a), uvec4(b));
    KEY k = usual(min(a, b), greatest);
    if (unusual(greatest)) k = min(keyOf(a), keyOf(b));
    return k;
}

KEY fold(ivec4 a, ivec4 b, ivec4 c, ivec4 d) {
    uvec4 greatest = max(max(uvec4(a), uvec4(b)), max(uvec4(c), uvec4(d)));
    KEY k = usual(min(min(a, b), min(c, d)), greatest);
    if (unusual(greatest)) k = min(min(keyOf(a), keyOf(b)), min(keyOf(c), keyOf(d)));
    return k;
}

// The bits of the value on the half-precision grid next to these, away from zero if `away`.
uint onHalfGrid(uint magnitude, bool away) {
    if (magnitude >= INFINITY) return magnitude;
    if (magnitude >= 0x38800000u) { // 2^-14, the least normal half
        uint cut = (away ? magnitude + 0x1fffu : magnitude) & ~0x1fffu;
        return cut < 0x47800000u ? cut : away ? INFINITY : 0x477fe000u;
    }
    // Multiples of 2^-24. A denormal float lies below the first.
    uint exponent = magnitude >> 23u;
    uint mantissa = exponent == 0u ? magnitude : (magnitude & 0x7fffffu) | 0x800000u;
    uint by = min(126u - exponent, 31u);
    uint whole = mantissa >> by;
    if (away && (mantissa & ((1u << by) - 1u)) != 0u) whole++;
    return floatBitsToUint(float(whole) * 5.9604644775390625e-8);
}

float valueOf(int key, bool maximum) {
    uint bits = uint(ordered(maximum ? ~key : key));
    if (HALF) {
        uint sign = bits & 0x80000000u;
        bits = sign | onHalfGrid(bits & 0x7fffffffu, (sign != 0u) != maximum);
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
