#include "transcode/tables.glsl"

#define NO_DIGITS 384u

// What a range's entry says beside its masks, which differ between weights and colours.
#define RANGE_DIGIT_SCALE(range) ((range).z & 255u)
#define RANGE_BITS_SCALE(range) (((range).z >> 8) & 4095u)
#define RANGE_SHIFT(range) (((range).z >> 20) & 15u)
#define RANGE_GROUP_VALUES(range) (((range).z >> 24) & 15u)
#define RANGE_TRITS(range) (((range).z & 0x10000000u) != 0u)
#define RANGE_QUINTS(range) (((range).z & 0x20000000u) != 0u)
#define RANGE_BITS(range) ((range).w & 15u)
#define RANGE_GROUP_BITS(range) (((range).w >> 4) & 255u)
#define RANGE_MIRRORS(range) (((range).w >> 12) & 1u)
#define RANGE_PLAIN(range) (((range).w >> 13) & 1u)
