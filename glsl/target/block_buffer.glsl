// BC blocks in a storage buffer, to be copied into the image. Here push.target_offset counts blocks: where the region
// starts, a row, a slice.
#include "target/block.glsl"

layout(set = 0, binding = BINDING_TARGET, std430) writeonly buffer Target {
  TargetBlock target_blocks[];
};

void store_encoded(uvec3 block, TargetBlock value) {
  target_blocks[push.target_offset.x + block.x + block.y * push.target_offset.y + block.z * push.target_offset.z] = value;
}
