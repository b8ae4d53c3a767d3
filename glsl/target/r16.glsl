// R16 texels through an R16_UINT storage view; the device needs shaderStorageImageExtendedFormats.
#include "target/image.glsl"

layout(set = 0, binding = BINDING_TARGET, r16ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uint texel) { imageStore(target_texels, ivec3(at), uvec4(texel, 0u, 0u, 0u)); }
