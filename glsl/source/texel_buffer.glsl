// Blocks in a uniform texel buffer, an element a block.
#include "source/block.glsl"

layout(set = 0, binding = BINDING_SOURCE) uniform utextureBuffer source_blocks;

SourceBlock source_block(uvec3 block) {
  uint element = push.source.x + block.x + block.y * push.source.y + block.z * push.source.z;
  return texelFetch(source_blocks, int(element)).SOURCE_COMPONENTS;
}
