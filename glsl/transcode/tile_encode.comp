#version 460
// A workgroup decodes UNITS consecutive units of the region and encodes them as BC. A unit is as many texels as footprint
// and BC block have in common, so no source block is parsed twice: 20x20 for 5x5, 12x12 for 6x6 and 12x12. It decodes
// ROUND_UNITS at a time, which takes less shared memory, and then has a BC block for each invocation.
//
// Dispatch: ceil((end_block - first_block) / UNITS) workgroups in x, the region being numbered in units.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef WEIGHT_BYTES
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#endif
#include "transcode/interface.glsl"
#include "transcode/region.glsl"

layout(constant_id = 3) const uint UNITS = 32;
layout(local_size_x_id = 4) in;
layout(constant_id = 5) const uint WEIGHT_LANES = 2; // invocations that share a block's weights
layout(constant_id = 6) const uint COLOUR_LANES = 1; // and its colours
layout(constant_id = 8) const uint ROUND_UNITS = 32;

// A unit in texels, in source blocks and in BC blocks.
const uint UNIT_WIDTH = FOOTPRINT_WIDTH % 4u == 0u ? FOOTPRINT_WIDTH : (FOOTPRINT_WIDTH % 2u == 0u ? 2u : 4u) * FOOTPRINT_WIDTH;
const uint UNIT_HEIGHT = FOOTPRINT_HEIGHT % 4u == 0u ? FOOTPRINT_HEIGHT : (FOOTPRINT_HEIGHT % 2u == 0u ? 2u : 4u) * FOOTPRINT_HEIGHT;
const uvec2 SOURCE_BLOCKS = uvec2(UNIT_WIDTH / FOOTPRINT_WIDTH, UNIT_HEIGHT / FOOTPRINT_HEIGHT);
const uvec2 TARGET_BLOCKS = uvec2(UNIT_WIDTH / 4u, UNIT_HEIGHT / 4u);
const uint UNIT_SLOTS = SOURCE_BLOCKS.x * SOURCE_BLOCKS.y, UNIT_TARGETS = TARGET_BLOCKS.x * TARGET_BLOCKS.y;
const uint USED_SLOTS = ROUND_UNITS * UNIT_SLOTS, TARGETS = UNITS * UNIT_TARGETS;
// TEXEL_STRIDE is 8 more than a multiple of 32: a row of texels from eight blocks falls into 32 different banks.
#ifdef WEIGHT_BYTES
// At most so many of either.
const uint SLOTS = BLOCKS_A_GROUP, TEXEL_STRIDE = TEXELS_A_ROW;
#define STAGING_MEMBERS uint s_texels[16u * TEXEL_STRIDE];
#define TEXELS_DECLARED
#include "decode/astc/staging.glsl"
#else
const uint SLOTS = USED_SLOTS, TEXEL_STRIDE = (TARGETS + 23u) / 32u * 32u + 8u;
#endif

#include "source/source.glsl"
#include "transcode/recode.glsl"

uint round_first = 0u; // the first unit that is being decoded, of the workgroup's

void keep_texel(uint slot, uint x, uint y, Waiting texel) {
  uint unit = round_first + slot / UNIT_SLOTS, inner = slot % UNIT_SLOTS;
  x += inner % SOURCE_BLOCKS.x * FOOTPRINT_WIDTH;
  y += inner / SOURCE_BLOCKS.x * FOOTPRINT_HEIGHT;
  uint target = unit * UNIT_TARGETS + (y >> 2) * TARGET_BLOCKS.x + (x >> 2);
  s_texels[((y & 3u) << 2 | (x & 3u)) * TEXEL_STRIDE + target] = texel;
}
#define emit_texel(slot, x, y, at, texel) keep_texel(slot, x, y, texel)
#define STORE_OR(word, bits) atomicOr(word, bits)
#include "decode/decoder.glsl"

// Decodes ROUND_UNITS units from `first` on, as far as they come before `end`.
void decode_round(uint lane, uint first, uint end) {
  const uint invocations = gl_WorkGroupSize.x;
  clear_shared(lane, invocations);
  if (WATCH_PARTIAL) barrier();
  [[dont_unroll]] for (uint slot = lane; slot < USED_SLOTS; slot += invocations) {
    uint unit = first + slot / UNIT_SLOTS, inner = slot % UNIT_SLOTS;
    uvec3 block = region_block(unit) * uvec3(SOURCE_BLOCKS, 1u) + uvec3(inner % SOURCE_BLOCKS.x, inner / SOURCE_BLOCKS.x, 0u);
    uvec3 texel = block * uvec3(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT, 1u);
    if (unit < end && all(lessThan(texel.xy, push.target_extent))) {
      store_block(slot, parse_block(source_block(block)), texel);
    } else {
      store_nothing(slot);
    }
  }
  barrier();
  [[dont_unroll]] for (uint i = lane; i < USED_SLOTS * (WEIGHT_LANES + COLOUR_LANES); i += invocations) {
    uint colour = i - USED_SLOTS * WEIGHT_LANES;
    if (i < USED_SLOTS * WEIGHT_LANES) {
      unpack_weights(i / WEIGHT_LANES, i % WEIGHT_LANES, WEIGHT_LANES);
    } else {
      unpack_colours(colour / COLOUR_LANES, colour % COLOUR_LANES, COLOUR_LANES);
    }
  }
  barrier();
  [[dont_unroll]] for (uint i = lane; i < USED_SLOTS * 4u; i += invocations) store_partition(i % USED_SLOTS, i / USED_SLOTS);
  barrier();
  [[dont_unroll]] for (uint i = lane; i < USED_SLOTS * FOOTPRINT_WIDTH; i += invocations) {
    decode_column(i / FOOTPRINT_WIDTH, i % FOOTPRINT_WIDTH);
  }
  barrier();
}

void main() {
  uint lane = gl_LocalInvocationIndex, first = push.first_block + gl_WorkGroupID.x * UNITS;
  uint end = min(push.end_block, first + UNITS);
  [[dont_unroll]] for (round_first = 0u; round_first < UNITS; round_first += ROUND_UNITS) {
    decode_round(lane, first + round_first, end);
  }
  [[dont_unroll]] for (uint i = lane; i < TARGETS; i += gl_WorkGroupSize.x) {
    uint unit = first + i / UNIT_TARGETS, inner = i % UNIT_TARGETS;
    uvec3 block = region_block(unit) * uvec3(TARGET_BLOCKS, 1u) + uvec3(inner % TARGET_BLOCKS.x, inner / TARGET_BLOCKS.x, 0u);
    if (unit < end && all(lessThan(block.xy * 4u, push.target_extent))) encode_waiting(i, block);
  }
}
