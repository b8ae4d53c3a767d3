#version 460
// A workgroup decodes BLOCKS consecutive blocks of the region: each block is parsed once, by one invocation, its weights
// and colours are unpacked by a few, and each invocation then writes whole columns of texels, so that neighbouring
// invocations write neighbouring texels.
//
// Dispatch: ceil((end_block - first_block) / BLOCKS) workgroups in x.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef WEIGHT_BYTES
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#endif
#include "transcode/interface.glsl"
#include "transcode/region.glsl"

#ifdef WEIGHT_BYTES
const uint BLOCKS = BLOCKS_A_GROUP;
#else
layout(constant_id = 3) const uint BLOCKS = 32;
#endif
layout(local_size_x_id = 4) in;
layout(constant_id = 5) const uint WEIGHT_LANES = 2; // invocations that share a block's weights
layout(constant_id = 6) const uint COLOUR_LANES = 1; // and its colours

const uint SLOTS = BLOCKS;
#define STORE_OR(word, bits) atomicOr(word, bits)

#define emit_texel(slot, x, y, at, texel) store_texel(at, texel)

#include "source/source.glsl"
#include "target/target.glsl"
#include "decode/decoder.glsl"

#ifdef DECODER_STAGED
void main() {
  const uint invocations = gl_WorkGroupSize.x;
  uint lane = gl_LocalInvocationIndex, first = push.first_block + gl_WorkGroupID.x * BLOCKS;
  clear_shared(lane, invocations);
  if (WATCH_PARTIAL) barrier();
  [[dont_unroll]] for (uint slot = lane; slot < BLOCKS; slot += invocations) {
    if (first + slot < push.end_block) {
      uvec3 position = region_block(first + slot);
      store_block(slot, parse_block(source_block(position)), position * uvec3(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT, 1u));
    } else {
      store_nothing(slot);
    }
  }
  barrier();
  [[dont_unroll]] for (uint i = lane; i < BLOCKS * (WEIGHT_LANES + COLOUR_LANES); i += invocations) {
    uint colour = i - BLOCKS * WEIGHT_LANES;
    if (i < BLOCKS * WEIGHT_LANES) {
      unpack_weights(i / WEIGHT_LANES, i % WEIGHT_LANES, WEIGHT_LANES);
    } else {
      unpack_colours(colour / COLOUR_LANES, colour % COLOUR_LANES, COLOUR_LANES);
    }
  }
  barrier();
  [[dont_unroll]] for (uint i = lane; i < BLOCKS * 4u; i += invocations) store_partition(i % BLOCKS, i / BLOCKS);
  barrier();
  [[dont_unroll]] for (uint i = lane; i < BLOCKS * FOOTPRINT_WIDTH; i += invocations) {
    decode_column(i / FOOTPRINT_WIDTH, i % FOOTPRINT_WIDTH);
  }
}
#elif defined(DECODER_PARSED)
shared uvec2 s_first_texel[SLOTS]; // x | y << 16, slice

void main() {
  uint lane = gl_LocalInvocationIndex, first = push.first_block + gl_WorkGroupID.x * BLOCKS;
  [[dont_unroll]] for (uint slot = lane; slot < BLOCKS && first + slot < push.end_block; slot += gl_WorkGroupSize.x) {
    uvec3 position = region_block(first + slot);
    store_parsed(slot, source_block(position));
    s_first_texel[slot] = uvec2(position.x << 2 | position.y << 18, position.z);
  }
  barrier();
  [[dont_unroll]] for (uint i = lane; i < BLOCKS * 4u && first + i / 4u < push.end_block; i += gl_WorkGroupSize.x) {
    uint slot = i / 4u;
    uvec2 corner = s_first_texel[slot];
    uvec3 at = uvec3((corner.x & 0xFFFFu) + i % 4u, corner.x >> 16, corner.y);
    uint rows = at.x < push.target_extent.x ? push.target_extent.y - at.y : 0u;
    at += push.target_offset;
    uvec4 texels = parsed_column(slot, i % 4u);
    [[unroll]] for (uint y = 0u; y < 4u; ++y) {
      if (y < rows) store_texel(at + uvec3(0u, y, 0u), texels[y]);
    }
  }
}
#else
// These decoders are cheap enough that each invocation reads its block itself.
void main() {
  uint first = push.first_block + gl_WorkGroupID.x * BLOCKS;
  [[dont_unroll]] for (uint i = gl_LocalInvocationIndex; i < BLOCKS * 4u; i += gl_WorkGroupSize.x) {
    uint slot = i / 4u, number = first + slot;
    if (number < push.end_block) decode_column(slot, region_block(number), i % 4u);
  }
}
#endif
