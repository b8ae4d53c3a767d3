// How the modes of BC6H store endpoints (KDFS 1.4, "BC6H").
#ifndef ENCODE_BC6H_MODE_GLSL
#define ENCODE_BC6H_MODE_GLSL
#include "vector.glsl"

struct Bc6hMode {
  uint code;         // as the block stores it
  int bits;          // of the first endpoint
  ivec3 difference;  // bits of the others' differences from it, a channel each
  uvec4 scattered;   // where single bits go, a byte each; 255 where the mode has no such bit: see bc6h_pack
};

Bc6hMode bc6h_unpack(uint word, uvec4 scattered) {
  return Bc6hMode(word & 31u, int(word >> 5 & 31u), ivec3(uvec3(word >> 10, word >> 14, word >> 18) & 15u), scattered);
}

// Modes of one subset, the most precise first; four.
Bc6hMode bc6h_mode_of_one(uint n) {
  return bc6h_unpack(n < 2u ? (n == 0u ? 0x11120Fu : 0x22218Bu) : (n == 2u ? 0x266567u : 0x2AA943u), uvec4(0u));
}

#if EFFORT_HIGH
// Modes of two subsets, the most precise first; ten.
Bc6hMode bc6h_mode_of_two(uint n) {
  uint word = 0u;
  uvec4 scattered = uvec4(0u);
#define BC6H_TWO(number, packed, places) if (n == uint(number)) { word = packed; scattered = places; }
  BC6H_TWO(0, 0x111562u, uvec4(0xFF3B3128u, 0xFFFFFFFFu, 0x463C32FFu, 0xFFFFFF4Cu))
  BC6H_TWO(1, 0x115166u, uvec4(0x4B3B3227u, 0xFFFF28FFu, 0x463C45FFu, 0xFFFFFF4Cu))
  BC6H_TWO(2, 0x15116Au, uvec4(0xFF3C3127u, 0x28FFFFFFu, 0x464532FFu, 0xFFFF4B4Cu))
  BC6H_TWO(3, 0x155540u, uvec4(0x02FFFFFFu, 0x03FF28FFu, 0x463C32FFu, 0xFFFF044Cu))
  BC6H_TWO(4, 0x15552Eu, uvec4(0x18FFFFFFu, 0x0EFF28FFu, 0x463C32FFu, 0xFFFF224Cu))
  BC6H_TWO(5, 0x155912u, uvec4(0x18FFFFFFu, 0x0EFF0DFFu, 0x173C32FFu, 0xFFFF2221u))
  BC6H_TWO(6, 0x159516u, uvec4(0x18FFFFFFu, 0x0E212817u, 0x463C0DFFu, 0xFFFF224Cu))
  BC6H_TWO(7, 0x19551Au, uvec4(0x18FFFFFFu, 0x0EFF28FFu, 0x460D3217u, 0xFF21224Cu))
  BC6H_TWO(8, 0x1998E1u, uvec4(0x18FFFFFFu, 0x0E040302u, 0x170D0C16u, 0xFF212220u))
  BC6H_TWO(9, 0x1998DEu, uvec4(0x18FFFFFFu, 0x0E1F0B15u, 0x170D0C16u, 0xFF212220u))
#undef BC6H_TWO
  return bc6h_unpack(word, scattered);
}
#endif

// Whether the other endpoints are stored as differences.
bool bc6h_relative(Bc6hMode mode) { return mode.difference.x < mode.bits; }

// What the decoder makes of stored values: 16 bits.
ivec3 bc6h_expand(Bc6hMode mode, ivec3 stored) {
  if (mode.bits == 16) return stored;
  ivec3 inner = ((stored << 16) + 0x8000) >> mode.bits;
  inner = mix(inner, ivec3(0xFFFF), equal(stored, ivec3((1 << mode.bits) - 1)));
  return mix(inner, ivec3(0), equal(stored, ivec3(0)));
}

#endif
