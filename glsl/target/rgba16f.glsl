// RGBA16F texels, two half floats a word, through an R16G16B16A16_UINT storage view.
#include "target/image.glsl"

layout(set = 0, binding = BINDING_TARGET, rgba16ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uvec2 texel) {
  uvec4 channels = uvec4(texel.x & 0xFFFFu, texel.x >> 16, texel.y & 0xFFFFu, texel.y >> 16);
  imageStore(target_texels, ivec3(at), channels);
}
