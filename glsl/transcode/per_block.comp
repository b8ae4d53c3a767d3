#version 460
// An invocation decodes one block of the region, as the Android Emulator's kernels do.
//
// Dispatch: ceil((end_block - first_block) / workgroup size) workgroups in x.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "transcode/interface.glsl"
#include "transcode/region.glsl"

layout(local_size_x_id = 4) in;

#define emit_texel(slot, x, y, at, texel) store_texel(at, texel)
// Each invocation has a slot of shared memory of its own: it stands in for the local arrays that some compilers spill.
#define PRIVATE_SLOTS
const uint SLOTS = gl_WorkGroupSize.x;
#define STORE_OR(word, bits) word |= bits

#include "source/source.glsl"
#include "target/target.glsl"
#include "decode/decoder.glsl"

#ifdef DECODER_STAGED
void main() {
  uint slot = gl_LocalInvocationIndex, number = push.first_block + gl_GlobalInvocationID.x;
  if (number >= push.end_block) return;
  uvec3 position = region_block(number);
  clear_slot(slot);
  store_block(slot, parse_block(source_block(position)), position * uvec3(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT, 1u));
  unpack_weights(slot, 0u, 1u);
  unpack_colours(slot, 0u, 1u);
  [[dont_unroll]] for (uint part = 0u; part < 4u; ++part) store_partition(slot, part);
  [[dont_unroll]] for (uint x = 0u; x < FOOTPRINT_WIDTH; ++x) decode_column(slot, x);
}
#elif defined(DECODER_ETC2)
void main() {
  uint number = push.first_block + gl_GlobalInvocationID.x;
  if (number >= push.end_block) return;
  uvec3 position = region_block(number);
  SourceBlock source = source_block(position);
  Etc2Block block = parse_etc2(source);
  Etc2Alpha alpha = parse_alpha(source.xy);
  [[dont_unroll]] for (uint x = 0u; x < 4u; ++x) {
    uvec3 at = position * uvec3(4u, 4u, 1u) + uvec3(x, 0u, 0u);
    uint rows = at.x < push.target_extent.x ? push.target_extent.y - at.y : 0u;
    at += push.target_offset;
    [[unroll]] for (uint y = 0u; y < 4u; ++y) {
      if (y < rows) store_texel(at + uvec3(0u, y, 0u), parsed_texel(block, alpha, x, y));
    }
  }
}
#else
void main() {
  uint number = push.first_block + gl_GlobalInvocationID.x;
  if (number >= push.end_block) return;
  uvec3 position = region_block(number);
  [[dont_unroll]] for (uint x = 0u; x < 4u; ++x) decode_column(gl_LocalInvocationIndex, position, x);
}
#endif
