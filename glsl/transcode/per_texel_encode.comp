#version 460
// An invocation decodes one texel; of each sixteen that share a BC block, one encodes it.
//
// Dispatch: ceil(16 * (end_block - first_block) / workgroup size) workgroups in x, the region being numbered in BC blocks. The
// workgroup's size is a multiple of 16.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "transcode/interface.glsl"
#include "transcode/region.glsl"

layout(local_size_x_id = 4) in;

const uint TARGETS = gl_WorkGroupSize.x / 16u;
const uint TEXEL_STRIDE = TARGETS + 1u;

#include "source/source.glsl"
#include "transcode/recode.glsl"
#include "decode/decoder.glsl"

void main() {
  uint lane = gl_LocalInvocationIndex, first = push.first_block + gl_WorkGroupID.x * TARGETS;
  uint number = first + lane / 16u, k = lane % 16u;
  if (number < push.end_block) {
    uvec3 block = region_block(number);
    uvec2 at = min(block.xy * 4u + uvec2(k & 3u, k >> 2), push.target_extent - 1u);
    uvec2 source = at / uvec2(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT), inner = at % uvec2(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT);
    s_texels[k * TEXEL_STRIDE + lane / 16u] = waiting(decode_texel(source_block(uvec3(source, block.z)), inner.x, inner.y));
  }
  barrier();
  if (lane < TARGETS && first + lane < push.end_block) encode_waiting(lane, region_block(first + lane));
}
