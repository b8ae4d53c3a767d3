// Reading and writing what an ASTC workgroup keeps in shared memory.
#include "decode/astc/staging.glsl"

// s_info: first texel x | y << 16; grid; partition steps in x and in y.
// s_sequence: partition start; sequences | slice << 17.
// s_words[word * SLOTS + slot]: weight bits in words 0 to 3, colour bits in 4 to 7; then endpoint pairs.
// s_partial: not 0 if a watched slot's weight grid is smaller than the footprint.

#define COLOURS_AT (SLOTS * WEIGHT_STRIDE)
#define COLOUR_WORD 4u

// Values `index` to `index + 4` of the sequence at `base`: four in the bytes of `four`, then the low byte of `fifth`. A
// group of trits holds five, of quints three, of plain bits four.
void store_group(uint base, uint index, uint four, uint fifth, bool trits, bool quints) {
#ifdef WEIGHT_BYTES
  index += base;
  s_values[index] = uint8_t(four);
  s_values[index + 1u] = uint8_t(four >> 8);
  s_values[index + 2u] = uint8_t(four >> 16);
  if (!quints) s_values[index + 3u] = uint8_t(four >> 24);
  if (trits) s_values[index + 4u] = uint8_t(fifth);
#else
  if (quints) four &= 0xFFFFFFu;
  if (!trits) fifth = 0u;
  uint odd = (index & 1u) << 3, at = base + (index >> 1);
  uint high = (fifth << odd) | (odd != 0u ? four >> 24 : 0u);
  four <<= odd;
  STORE_OR(s_values[at], four << 16);
  STORE_OR(s_values[at + 1u], four);
  STORE_OR(s_values[at + 2u], four >> 16 | high << 16);
  STORE_OR(s_values[at + 3u], high);
#endif
}

// Index of a slot's first weight, in values, for the loads below.
uint first_weight(uint slot) {
#ifdef WEIGHT_BYTES
  return slot * WEIGHT_STRIDE;
#else
  return 2u * (slot * WEIGHT_STRIDE + 1u);
#endif
}

#ifndef WEIGHT_BYTES
uint four_values(uint index) { return s_values[index >> 1] >> ((index & 1u) << 3); }
#endif

uint weight_at(uint index) {
#ifdef WEIGHT_BYTES
  return uint(s_values[index]);
#else
  return four_values(index) & 0xFFu;
#endif
}

// Weights `index` and `index + step` in the halves of a word.
uint weight_pair(uint index, uint step) {
#ifdef WEIGHT_BYTES
  return uint(s_values[index]) | uint(s_values[index + step]) << 16;
#else
  uint four = four_values(index);
  return (four & 0xFFu) | ((four << (16u - 8u * step)) & 0xFF0000u);
#endif
}

// The second plane's weights beside `index` and `index + 2`.
uint second_weight_pair(uint index) {
#ifdef WEIGHT_BYTES
  return uint(s_values[index + 1u]) | uint(s_values[index + 3u]) << 16;
#else
  return (four_values(index) >> 8) & 0xFF00FFu;
#endif
}

// Eight colour values from pair `pair` on, a byte each.
uvec2 eight_colours(uint slot, uint pair) {
#ifdef WEIGHT_BYTES
  uint at = COLOURS_AT + slot * COLOUR_STRIDE + 2u * pair;
  return uvec2(uint(s_values[at]) | uint(s_values[at + 1u]) << 8 | uint(s_values[at + 2u]) << 16 | uint(s_values[at + 3u]) << 24,
               uint(s_values[at + 4u]) | uint(s_values[at + 5u]) << 8 | uint(s_values[at + 6u]) << 16 | uint(s_values[at + 7u]) << 24);
#else
  uint at = COLOURS_AT + slot * COLOUR_STRIDE + 1u + pair;
  return uvec2(s_values[at], s_values[at + 2u]);
#endif
}

void store_endpoints(uint slot, uint part, Endpoint e0, Endpoint e1) {
  uint at = part * ENDPOINT_PAIR * SLOTS + slot;
#ifdef DECODER_ASTC_HDR
  s_words[at] = e0.x;
  s_words[at + SLOTS] = e0.y;
  s_words[at + 2u * SLOTS] = e1.x;
  s_words[at + 3u * SLOTS] = e1.y;
#else
  s_words[at] = e0;
  s_words[at + SLOTS] = e1;
#endif
}

// The endpoint pair of a block of one colour.
void store_constant(uint slot, Texel constant) {
  store_endpoints(slot, 0u, constant, constant);
}

Ramp load_ramp(uint slot, uint grid, uint part) {
  uint at = part * ENDPOINT_PAIR * SLOTS + slot;
#ifdef DECODER_ASTC_HDR
  Endpoint e0 = uvec2(s_words[at], s_words[at + SLOTS]), e1 = uvec2(s_words[at + 2u * SLOTS], s_words[at + 3u * SLOTS]);
  return endpoint_ramp(e0, e1, grid, part);
#else
  return endpoint_ramp(s_words[at], s_words[at + SLOTS], grid, part);
#endif
}

// Empties the values, which are filled bit by bit, and the watches: from word `first` on, every `step`th; or the values of one slot.
void clear_shared(uint first, uint step) {
  [[dont_unroll]] for (uint i = first; i < SLOTS / SLOTS_A_WATCH + 1u; i += step) s_partial[i] = 0u;
#ifndef WEIGHT_BYTES
  [[dont_unroll]] for (uint i = first; i < SLOTS * (WEIGHT_STRIDE + COLOUR_STRIDE); i += step) s_values[i] = 0u;
#endif
}

void clear_slot(uint slot) {
#ifndef WEIGHT_BYTES
  [[dont_unroll]] for (uint i = 0u; i < WEIGHT_STRIDE; ++i) s_values[slot * WEIGHT_STRIDE + i] = 0u;
  [[dont_unroll]] for (uint i = 0u; i < COLOUR_STRIDE; ++i) s_values[COLOURS_AT + slot * COLOUR_STRIDE + i] = 0u;
#endif
}
