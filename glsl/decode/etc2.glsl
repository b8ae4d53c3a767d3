// ETC1, ETC2 RGB8, RGB8A1 and RGBA8 (Khronos Data Format Specification 1.4, "ETC2 Compressed Texture Image Formats"). A
// block's bytes are in big-endian order; texels are numbered down the columns.
//
// All modes but planar are one: a texel is one of at most eight colours, which the parse computes once a block. Where colours are
// computed, channels lie side by side in a word with 256 added to each, so that the bits above the low eight tell what to clamp.

#define DECODER_ETC2
#define Texel uint // RGBA8, R in the low byte

#if defined(DECODER_ETC2_RGBA)
#include "decode/eac.glsl"
#endif
#ifndef DECODE_SWAP_BYTES
#define DECODE_SWAP_BYTES
uint swap_bytes(uint word) {
  return (word >> 24) | ((word >> 8) & 0xFF00u) | ((word << 8) & 0xFF0000u) | (word << 24);
}
#endif

// A parsed block.
struct Etc2Block {
  uvec4 first, second; // the eight colours, 10 bits a channel, not yet clamped
  uvec2 indices;       // which of them, four bits a texel
  bool clear;          // colours 2 and 6 are transparent black
  // The colours are instead a plane: its origin and its steps to the right and down, red and blue in the halves of a word, then green.
  bool planar;
  uvec2 origin, right, below;
};

uvec3 expand4(uvec3 colour) { return colour * 17u; }
uvec3 expand5(uvec3 colour) { return colour << 3 | colour >> 2; }
uvec3 expand676(uvec3 colour) { return uvec3(colour.x << 2 | colour.x >> 4, colour.y << 1 | colour.y >> 6, colour.z << 2 | colour.z >> 4); }

// One in each channel.
const uint EACH_CHANNEL = 0x00100401u;
uint spread_channels(uvec3 colour) { return (colour.x | colour.y << 10 | colour.z << 20) + 256u * EACH_CHANNEL; }
uvec2 split_channels(ivec3 colour) { return uvec2(colour.x + colour.z * 65536, colour.y); }

// The magnitudes of an intensity table, a byte each.
uint intensity(uint table) {
  uint pair = (table & 4u) == 0u ? ((table & 2u) == 0u ? 0x11050802u : 0x2A0D1D09u) : ((table & 2u) == 0u ? 0x50183C12u : 0xB72F6A21u);
  return pair >> (16u * (table & 1u)) & 0xFFFFu;
}
// A distance of the T and H modes.
uint distance_of(uint index) { return ((index & 4u) == 0u ? 0x100B0603u : 0x40292017u) >> (8u * (index & 3u)) & 0xFFu; }

// Bit k of the low eight moved to bit 4 k.
uint spread_bits(uint bits) {
  bits = (bits | bits << 12) & 0x000F000Fu;
  bits = (bits | bits << 6) & 0x03030303u;
  return (bits | bits << 3) & 0x11111111u;
}

// A base colour, plus and minus its magnitudes, by index.
uvec4 four_colours(uint base, uint magnitudes, bool opaque) {
  uint smaller = opaque ? (magnitudes & 0xFFu) * EACH_CHANNEL : 0u, larger = (magnitudes >> 8) * EACH_CHANNEL;
  return uvec4(base + smaller, base + larger, base - smaller, base - larger);
}

Etc2Block parse_etc2(SourceBlock source) {
#if defined(DECODER_ETC2_RGBA)
  uint high = swap_bytes(source.z), low = swap_bytes(source.w);
#else
  uint high = swap_bytes(source.x), low = swap_bytes(source.y);
#endif
  Etc2Block block;
  block.planar = false;
  block.origin = block.right = block.below = uvec2(0u);
  block.second = uvec4(0u);
  bool opaque = true, differential = (high & 2u) != 0u;
#if defined(DECODER_ETC2_RGBA1)
  opaque = differential;
  differential = true;
#endif
  block.clear = !opaque;
  uvec2 choose = uvec2(0u); // in the places of indices: the second base
  uvec3 base5 = (uvec3(high) >> uvec3(27u, 19u, 11u)) & 31u;
  ivec3 other5 = ivec3(base5) + bitfieldExtract(ivec3(int(high) >> 24, int(high) >> 16, int(high) >> 8), 0, 3);
  bvec3 overflow = greaterThan(uvec3(other5), uvec3(31u));
  if (!differential || !any(overflow)) {
    uvec3 first = differential ? expand5(base5) : expand4((uvec3(high) >> uvec3(28u, 20u, 12u)) & 15u);
    uvec3 second = differential ? expand5(uvec3(other5)) : expand4((uvec3(high) >> uvec3(24u, 16u, 8u)) & 15u);
    block.first = four_colours(spread_channels(first), intensity((high >> 5) & 7u), opaque);
    block.second = four_colours(spread_channels(second), intensity((high >> 2) & 7u), opaque);
    choose = (high & 1u) != 0u ? uvec2(0x44004400u) : uvec2(0u, 0x44444444u);
  } else if (overflow.x) { // T
    uint first = spread_channels(expand4(uvec3((high >> 25) & 12u | (high >> 24) & 3u, (high >> 20) & 15u, (high >> 16) & 15u)));
    uint second = spread_channels(expand4((uvec3(high) >> uvec3(12u, 8u, 4u)) & 15u));
    uint distance = distance_of((high >> 1) & 6u | high & 1u) * EACH_CHANNEL;
    block.first = uvec4(first, second + distance, second, second - distance);
  } else if (overflow.y) { // H
    uvec3 first = uvec3((high >> 27) & 15u, (high >> 23) & 14u | (high >> 20) & 1u, (high >> 16) & 8u | (high >> 15) & 7u);
    uvec3 second = (uvec3(high) >> uvec3(11u, 7u, 3u)) & 15u;
    uint order = (first.x << 8 | first.y << 4 | first.z) >= (second.x << 8 | second.y << 4 | second.z) ? 1u : 0u;
    uint distance = distance_of(high & 4u | (high << 1) & 2u | order) * EACH_CHANNEL;
    uint a = spread_channels(expand4(first)), b = spread_channels(expand4(second));
    block.first = uvec4(a + distance, a - distance, b + distance, b - distance);
  } else {
    ivec3 origin = ivec3(expand676(uvec3((high >> 25) & 63u, (high >> 18) & 64u | (high >> 17) & 63u,
                                         (high >> 11) & 32u | (high >> 8) & 24u | (high >> 7) & 7u)));
    ivec3 right = ivec3(expand676(uvec3((high >> 1) & 62u | high & 1u, low >> 25, (low >> 19) & 63u)));
    ivec3 below = ivec3(expand676(uvec3((low >> 13) & 63u, (low >> 6) & 127u, low & 63u)));
    block.planar = true;
    block.clear = false;
    block.origin = split_channels(origin * 4 + 2 + 1024);
    block.right = split_channels(right - origin);
    block.below = split_channels(below - origin);
    block.first = uvec4(0u);
  }
  block.indices = uvec2(spread_bits((low >> 16) & 255u), spread_bits(low >> 24)) << 1
                | uvec2(spread_bits(low & 255u), spread_bits((low >> 8) & 255u)) | choose;
  return block;
}

// One of the eight colours as RGBA8, opaque unless alpha comes from elsewhere.
uint clamped_colour(uint colour) {
  uint over = (colour >> 9) & EACH_CHANNEL, inside = (colour >> 8) & EACH_CHANNEL;
  colour = (colour & inside * 255u) + over * 255u;
  uint texel = (colour & 0xFFu) | ((colour >> 2) & 0xFF00u) | ((colour >> 4) & 0xFF0000u);
#if !defined(DECODER_ETC2_RGBA)
  texel |= 0xFF000000u;
#endif
  return texel;
}

// A texel of a planar block: the plane at its place.
uint plane_colour(uvec2 at) {
  uint both = (at.x >> 2) & 0x03FF03FFu, over = (both >> 9) & 0x00010001u, inside = (both >> 8) & 0x00010001u;
  both = (both & inside * 255u) + over * 255u;
  uint texel = both | uint(clamp(int(at.y >> 2) - 256, 0, 255)) << 8;
#if !defined(DECODER_ETC2_RGBA)
  texel |= 0xFF000000u;
#endif
  return texel;
}

#if defined(DECODER_ETC2_RGBA)
// What alpha may be, a byte each; 24 bits of indices for every two columns, the first texel highest.
struct Etc2Alpha {
  uvec2 values;
  uvec2 indices;
};
Etc2Alpha parse_alpha(uvec2 source) {
  uint high = swap_bytes(source.x), low = swap_bytes(source.y);
  int base = int(high >> 24), multiplier = int((high >> 20) & 15u);
  uint modifiers = eac_modifiers((high >> 16) & 15u);
  Etc2Alpha alpha = Etc2Alpha(uvec2(0u), eac_indices(high, low));
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    int magnitude = int((modifiers >> (4u * i)) & 15u);
    alpha.values.x |= uint(clamp(base - magnitude * multiplier, 0, 255)) << (8u * i);
    alpha.values.y |= uint(clamp(base + (magnitude - 1) * multiplier, 0, 255)) << (8u * i);
  }
  return alpha;
}
uint alpha_bits(uvec2 values, uint index) { return (((index & 4u) == 0u ? values.x : values.y) >> (8u * (index & 3u))) << 24; }
#else
#define Etc2Alpha uint // none
Etc2Alpha parse_alpha(uvec2 source) { return 0u; }
#endif

// A texel of a parsed block.
Texel parsed_texel(Etc2Block block, Etc2Alpha alpha, uint x, uint y) {
  uint index = ((x < 2u ? block.indices.x : block.indices.y) >> (16u * (x & 1u) + 4u * y)) & 7u;
  uvec4 four = (index & 4u) == 0u ? block.first : block.second;
  uint colour = (index & 2u) == 0u ? ((index & 1u) == 0u ? four.x : four.y) : ((index & 1u) == 0u ? four.z : four.w);
  uint texel = block.planar ? plane_colour(block.origin + block.right * x + block.below * y) : clamped_colour(colour);
  if (block.clear && (index & 3u) == 2u) texel = 0u;
#if defined(DECODER_ETC2_RGBA)
  uint alpha_index = (x < 2u ? alpha.indices.x : alpha.indices.y) >> (21u - 12u * (x & 1u) - 3u * y);
  texel |= alpha_bits(alpha.values, alpha_index & 7u);
#endif
  return texel;
}

Texel decode_texel(SourceBlock source, uint x, uint y) {
  return parsed_texel(parse_etc2(source), parse_alpha(source.xy), x, y);
}

#ifdef DECODER_PARSED
// Parsed blocks wait in shared memory, for SLOTS blocks, values of different slots side by side; eight more than a multiple of 32, so
// that eight slots' colours fall into 32 different banks.
const uint ETC2_STRIDE = (SLOTS + 23u) / 32u * 32u + 8u;
shared uint s_colours[8u * ETC2_STRIDE]; // or the plane: origin, right, below
shared uint s_indices[2u * ETC2_STRIDE];
// With SCALAR_PALETTE, who encodes alpha parses it.
#if defined(DECODER_ETC2_RGBA) && !defined(SCALAR_PALETTE)
#define ETC2_STORES_ALPHA
shared uint s_alpha[4u * ETC2_STRIDE];
#endif

void store_parsed(uint slot, SourceBlock source) {
  Etc2Block block = parse_etc2(source);
  if (block.planar) {
    s_colours[slot] = block.origin.x;
    s_colours[ETC2_STRIDE + slot] = block.origin.y;
    s_colours[2u * ETC2_STRIDE + slot] = block.right.x;
    s_colours[3u * ETC2_STRIDE + slot] = block.right.y;
    s_colours[4u * ETC2_STRIDE + slot] = block.below.x;
    s_colours[5u * ETC2_STRIDE + slot] = block.below.y;
    block.indices = uvec2(8u);
  } else {
    uvec4 first = block.first, second = block.second;
    s_colours[slot] = clamped_colour(first.x);
    s_colours[ETC2_STRIDE + slot] = clamped_colour(first.y);
    s_colours[2u * ETC2_STRIDE + slot] = block.clear ? 0u : clamped_colour(first.z);
    s_colours[3u * ETC2_STRIDE + slot] = clamped_colour(first.w);
    s_colours[4u * ETC2_STRIDE + slot] = clamped_colour(second.x);
    s_colours[5u * ETC2_STRIDE + slot] = clamped_colour(second.y);
    s_colours[6u * ETC2_STRIDE + slot] = block.clear ? 0u : clamped_colour(second.z);
    s_colours[7u * ETC2_STRIDE + slot] = clamped_colour(second.w);
  }
  s_indices[slot] = block.indices.x;
  s_indices[ETC2_STRIDE + slot] = block.indices.y;
#ifdef ETC2_STORES_ALPHA
  Etc2Alpha alpha = parse_alpha(source.xy);
  s_alpha[slot] = alpha.values.x;
  s_alpha[ETC2_STRIDE + slot] = alpha.values.y;
  s_alpha[2u * ETC2_STRIDE + slot] = alpha.indices.x;
  s_alpha[3u * ETC2_STRIDE + slot] = alpha.indices.y;
#endif
}

// Column `x` of a slot: its texels from the top.
uvec4 parsed_column(uint slot, uint x) {
  uint indices = s_indices[(x >> 1) * ETC2_STRIDE + slot];
  uvec4 texels;
  if ((indices & 8u) != 0u) {
    uvec2 at = uvec2(s_colours[slot], s_colours[ETC2_STRIDE + slot])
             + uvec2(s_colours[2u * ETC2_STRIDE + slot], s_colours[3u * ETC2_STRIDE + slot]) * x;
    uvec2 step = uvec2(s_colours[4u * ETC2_STRIDE + slot], s_colours[5u * ETC2_STRIDE + slot]);
    texels = uvec4(plane_colour(at), plane_colour(at + step), plane_colour(at + step * 2u), plane_colour(at + step * 3u));
  } else {
    indices >>= 16u * (x & 1u);
    texels = uvec4(s_colours[(indices & 7u) * ETC2_STRIDE + slot], s_colours[((indices >> 4) & 7u) * ETC2_STRIDE + slot],
                   s_colours[((indices >> 8) & 7u) * ETC2_STRIDE + slot], s_colours[((indices >> 12) & 7u) * ETC2_STRIDE + slot]);
  }
#ifdef ETC2_STORES_ALPHA
  uvec2 values = uvec2(s_alpha[slot], s_alpha[ETC2_STRIDE + slot]);
  uint alphas = s_alpha[(2u + (x >> 1)) * ETC2_STRIDE + slot] >> (12u - 12u * (x & 1u));
  texels |= uvec4(alpha_bits(values, (alphas >> 9) & 7u), alpha_bits(values, (alphas >> 6) & 7u),
                  alpha_bits(values, (alphas >> 3) & 7u), alpha_bits(values, alphas & 7u));
#endif
  return texels;
}
#endif
