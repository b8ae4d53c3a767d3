#version 460
// An invocation decodes one texel of the region and parses its block for itself, as gfxstream's kernels do.
//
// Dispatch: ceil((end_block - first_block) * texels a block / workgroup size) workgroups in x.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "transcode/interface.glsl"
#include "transcode/region.glsl"

layout(local_size_x_id = 4) in;

#include "source/source.glsl"
#include "target/target.glsl"
#include "decode/decoder.glsl"

void main() {
  const uint texels = FOOTPRINT_WIDTH * FOOTPRINT_HEIGHT;
  uint number = push.first_block + gl_GlobalInvocationID.x / texels, texel = gl_GlobalInvocationID.x % texels;
  if (number >= push.end_block) return;
  uvec3 position = region_block(number);
  uint x = texel % FOOTPRINT_WIDTH, y = texel / FOOTPRINT_WIDTH;
  uvec3 at = position * uvec3(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT, 1u) + uvec3(x, y, 0u);
  if (any(greaterThanEqual(at.xy, push.target_extent))) return;
  store_texel(push.target_offset + at, decode_texel(source_block(position), x, y));
}
