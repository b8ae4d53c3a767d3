// ETC1, ETC2 RGB8, RGB8A1 and RGBA8 (Khronos Data Format Specification 1.4, "ETC2 Compressed Texture Image Formats"). A
// block's bytes are in big-endian order; texels are numbered down the columns.
//
// All modes but planar are one: a texel takes one of two base colours and adds or subtracts one of two magnitudes to all
// channels. The individual and differential modes choose base and magnitudes by position, T and H by index.

#define Texel uvec4 // R, G, B, A, 8 bits each

#if defined(DECODER_ETC2_RGBA)
#include "decode/eac.glsl"
#endif
#ifndef DECODE_SWAP_BYTES
#define DECODE_SWAP_BYTES
uint swap_bytes(uint word) {
  return (word >> 24) | ((word >> 8) & 0xFF00u) | ((word << 8) & 0xFF0000u) | (word << 24);
}
#endif

struct Column {
  ivec3 first, second; // the base colours; planar: four times the top texel's colour plus 2, and the step down
  uint choose;         // bit y: the second base
  uint subtract;       // bit y
  uint larger;         // bit y: the larger magnitude
  uint magnitudes;     // smaller and larger a byte, for the first base, then for the second
  uint clear;          // bit y: transparent black
  bool planar;
#if defined(DECODER_ETC2_RGBA)
  EacColumn alpha;
#endif
};

uvec3 expand4(uvec3 colour) { return colour * 17u; }
uvec3 expand5(uvec3 colour) { return colour << 3 | colour >> 2; }
uvec3 expand676(uvec3 colour) { return uvec3(colour.x << 2 | colour.x >> 4, colour.y << 1 | colour.y >> 6, colour.z << 2 | colour.z >> 4); }

// The magnitudes of an intensity table, a byte each.
uint intensity(uint table) {
  uint pair = (table & 4u) == 0u ? ((table & 2u) == 0u ? 0x11050802u : 0x2A0D1D09u) : ((table & 2u) == 0u ? 0x50183C12u : 0xB72F6A21u);
  return pair >> (16u * (table & 1u)) & 0xFFFFu;
}

// A distance of the T and H modes, as both magnitudes.
uint distances(uint index, uint smaller_scale) {
  uint distance = ((index & 4u) == 0u ? 0x100B0603u : 0x40292017u) >> (8u * (index & 3u)) & 0xFFu;
  return distance * (0x01000100u + smaller_scale);
}

Column block_column(SourceBlock block, uint x) {
#if defined(DECODER_ETC2_RGBA)
  uint high = swap_bytes(block.z), low = swap_bytes(block.w);
#else
  uint high = swap_bytes(block.x), low = swap_bytes(block.y);
#endif
  Column column;
#if defined(DECODER_ETC2_RGBA)
  column.alpha = eac_column(block.xy, x);
#endif
  uint bits_high = (low >> (16u + 4u * x)) & 15u, bits_low = (low >> (4u * x)) & 15u;
  column.subtract = bits_high;
  column.larger = bits_low;
  column.planar = false;
  column.clear = 0u;
  bool opaque = true, differential = (high & 2u) != 0u;
#if defined(DECODER_ETC2_RGBA1)
  opaque = differential;
  differential = true;
  if (!opaque) column.clear = bits_high & ~bits_low;
#endif
  uvec3 base5 = (uvec3(high) >> uvec3(27u, 19u, 11u)) & 31u;
  ivec3 other5 = ivec3(base5) + bitfieldExtract(ivec3(int(high) >> 24, int(high) >> 16, int(high) >> 8), 0, 3);
  bvec3 overflow = greaterThan(uvec3(other5), uvec3(31u));
  if (!differential || !any(overflow)) {
    column.first = ivec3(differential ? expand5(base5) : expand4((uvec3(high) >> uvec3(28u, 20u, 12u)) & 15u));
    column.second = ivec3(differential ? expand5(uvec3(other5)) : expand4((uvec3(high) >> uvec3(24u, 16u, 8u)) & 15u));
    column.magnitudes = intensity((high >> 5) & 7u) | intensity((high >> 2) & 7u) << 16;
    if (!opaque) column.magnitudes &= 0xFF00FF00u;
    column.choose = (high & 1u) != 0u ? 12u : x > 1u ? 15u : 0u;
  } else if (overflow.x) { // T
    column.first = ivec3(expand4(uvec3((high >> 25) & 12u | (high >> 24) & 3u, (high >> 20) & 15u, (high >> 16) & 15u)));
    column.second = ivec3(expand4((uvec3(high) >> uvec3(12u, 8u, 4u)) & 15u));
    column.magnitudes = distances((high >> 1) & 6u | high & 1u, 0u);
    column.choose = bits_high | bits_low;
    // Index 2 is the second base itself, as 0 is the first: the smaller magnitude is 0.
  } else if (overflow.y) { // H
    uvec3 first = uvec3((high >> 27) & 15u, (high >> 23) & 14u | (high >> 20) & 1u, (high >> 16) & 8u | (high >> 15) & 7u);
    uvec3 second = (uvec3(high) >> uvec3(11u, 7u, 3u)) & 15u;
    uint order = (first.x << 8 | first.y << 4 | first.z) >= (second.x << 8 | second.y << 4 | second.z) ? 1u : 0u;
    column.first = ivec3(expand4(first));
    column.second = ivec3(expand4(second));
    column.magnitudes = distances(high & 4u | (high << 1) & 2u | order, 0x00010001u);
    column.choose = bits_high;
    column.subtract = bits_low;
  } else {
    ivec3 origin = ivec3(expand676(uvec3((high >> 25) & 63u, (high >> 18) & 64u | (high >> 17) & 63u,
                                         (high >> 11) & 32u | (high >> 8) & 24u | (high >> 7) & 7u)));
    ivec3 right = ivec3(expand676(uvec3((high >> 1) & 62u | high & 1u, low >> 25, (low >> 19) & 63u)));
    ivec3 below = ivec3(expand676(uvec3((low >> 13) & 63u, (low >> 6) & 127u, low & 63u)));
    column.first = origin * 4 + (right - origin) * int(x) + 2;
    column.second = below - origin;
    column.planar = true;
    column.clear = 0u;
  }
  return column;
}

Texel column_texel(Column column, uint y) {
  bool choose = (column.choose >> y & 1u) != 0u;
  uint magnitudes = column.magnitudes >> (choose ? 16u : 0u);
  int magnitude = int(((column.larger >> y & 1u) != 0u ? magnitudes >> 8 : magnitudes) & 255u);
  if ((column.subtract >> y & 1u) != 0u) magnitude = -magnitude;
  ivec3 colour = (choose ? column.second : column.first) + magnitude;
  if (column.planar) colour = (column.first + column.second * int(y)) >> 2;
  uint alpha = 255u;
#if defined(DECODER_ETC2_RGBA)
  alpha = eac_alpha(column.alpha, y);
#elif defined(DECODER_ETC2_RGBA1)
  if ((column.clear >> y & 1u) != 0u) return uvec4(0u);
#endif
  return uvec4(clamp(colour, 0, 255), alpha);
}
