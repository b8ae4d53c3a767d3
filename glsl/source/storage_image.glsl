// Blocks in a storage image, a texel a block. The image has the dimensionality of the target.
#include "source/block.glsl"

#if STORE_3D
layout(set = 0, binding = BINDING_SOURCE, SOURCE_FORMAT) uniform readonly uimage3D source_blocks;
#else
layout(set = 0, binding = BINDING_SOURCE, SOURCE_FORMAT) uniform readonly uimage2DArray source_blocks;
#endif

SourceBlock source_block(uvec3 block) {
  return imageLoad(source_blocks, ivec3(push.source + block)).SOURCE_COMPONENTS;
}
