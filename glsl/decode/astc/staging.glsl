#ifndef DECODE_ASTC_STAGING
#define DECODE_ASTC_STAGING
// What an ASTC workgroup keeps in shared memory, for SLOTS blocks. Slots, then values: words of different slots lie side
// by side, so that lanes on neighbouring blocks meet no bank conflicts.
//
// With WEIGHT_BYTES, unpacked values are bytes (VK_KHR_workgroup_memory_explicit_layout with 8-bit access, shaderInt8);
// BLOCKS_A_GROUP and WEIGHT_BYTES fix the arrays, WEIGHT_BYTES being the footprint's most weights, at most 64, and 4.
// All shared memory lies in one block then, to which an entry point adds STAGING_MEMBERS of its own.
// Otherwise they are words that overlap: word k + 1 of a block holds values 2k to 2k + 3, so that one load gives a pair.

// Weights a block of this footprint may have: two planes, 64 at most.
const uint MOST_WEIGHTS = 2u * FOOTPRINT_WIDTH * FOOTPRINT_HEIGHT < 64u ? 2u * FOOTPRINT_WIDTH * FOOTPRINT_HEIGHT : 64u;
#ifdef DECODER_ASTC_HDR
const uint ENDPOINT_WORDS = 2u;
#else
const uint ENDPOINT_WORDS = 1u;
#endif
const uint ENDPOINT_PAIR = 2u * ENDPOINT_WORDS;
const uint STREAM_WORDS = 4u * ENDPOINT_PAIR; // two streams of four words need eight

// Slots that one s_partial word watches: about as many as a subgroup's columns come from.
#define SLOTS_A_WATCH 8u

#ifdef WEIGHT_BYTES
const uint WEIGHT_STRIDE = WEIGHT_BYTES, COLOUR_STRIDE = 24u;
shared Staging {
  uvec4 s_info[SLOTS];
  uvec2 s_sequence[SLOTS];
  uint s_words[SLOTS * STREAM_WORDS];
  uint s_partial[SLOTS / SLOTS_A_WATCH + 1u];
#ifdef STAGING_MEMBERS
  STAGING_MEMBERS
#endif
  uint8_t s_values[SLOTS * (WEIGHT_STRIDE + COLOUR_STRIDE) + 80u];
};
#else
const uint WEIGHT_STRIDE = (MOST_WEIGHTS / 2u + 3u) | 1u, COLOUR_STRIDE = 13u;
shared uvec4 s_info[SLOTS];
shared uvec2 s_sequence[SLOTS];
shared uint s_words[SLOTS * STREAM_WORDS];
shared uint s_partial[SLOTS / SLOTS_A_WATCH + 1u];
shared uint s_values[SLOTS * (WEIGHT_STRIDE + COLOUR_STRIDE) + 40u];
#endif
#endif
