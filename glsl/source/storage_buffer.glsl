// Blocks in a storage buffer.
#include "source/block.glsl"

layout(set = 0, binding = BINDING_SOURCE, std430) readonly buffer Source {
  SourceBlock source_blocks[];
};

SourceBlock source_block(uvec3 block) {
  return source_blocks[push.source.x + block.x + block.y * push.source.y + block.z * push.source.z];
}
