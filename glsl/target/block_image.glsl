// BC blocks straight into the image, through an R32G32_UINT or R32G32B32A32_UINT view with a texel a block
// (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT). R32G32_UINT needs shaderStorageImageExtendedFormats.
#include "target/block.glsl"

#if TARGET_BLOCK_BYTES == 8
layout(set = 0, binding = BINDING_TARGET, rg32ui) uniform writeonly uimage2DArray target_blocks;
#else
layout(set = 0, binding = BINDING_TARGET, rgba32ui) uniform writeonly uimage2DArray target_blocks;
#endif

void store_encoded(uvec3 block, TargetBlock value) {
  uvec3 at = uvec3(push.target_offset.xy / 4u, push.target_offset.z) + block;
#if TARGET_BLOCK_BYTES == 8
  imageStore(target_blocks, ivec3(at), uvec4(value, 0u, 0u));
#else
  imageStore(target_blocks, ivec3(at), value);
#endif
}
