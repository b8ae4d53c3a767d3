#version 460
// An invocation decodes the texels of one BC block, from one source block or from the few that hold them, and encodes it.
//
// Dispatch: ceil((end_block - first_block) / workgroup size) workgroups in x, the region being numbered in BC blocks.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "transcode/interface.glsl"
#include "transcode/region.glsl"

layout(local_size_x_id = 4) in;

// Each invocation reads back only what it wrote, so there is no barrier.
const uint TEXEL_STRIDE = gl_WorkGroupSize.x;

#include "source/source.glsl"
#include "transcode/recode.glsl"
#include "decode/decoder.glsl"

void main() {
  uint lane = gl_LocalInvocationIndex, number = push.first_block + gl_GlobalInvocationID.x;
  if (number >= push.end_block) return;
  uvec3 block = region_block(number);
#ifdef DECODER_STAGED
  [[dont_unroll]] for (uint k = 0u; k < 16u; ++k) {
    uvec2 at = min(block.xy * 4u + uvec2(k & 3u, k >> 2), push.target_extent - 1u);
    uvec2 source = at / uvec2(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT), inner = at % uvec2(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT);
    s_texels[k * TEXEL_STRIDE + lane] = waiting(decode_texel(source_block(uvec3(source, block.z)), inner.x, inner.y));
  }
#else
  SourceBlock source = source_block(block);
  [[dont_unroll]] for (uint x = 0u; x < 4u; ++x) {
    Column column = block_column(source, x);
    [[unroll]] for (uint y = 0u; y < 4u; ++y) {
      s_texels[(y << 2 | x) * TEXEL_STRIDE + lane] = waiting(column_texel(column, y));
    }
  }
#endif
  encode_waiting(lane, block);
}
