// RG16 texels through an R16G16_UINT storage view; the device needs shaderStorageImageExtendedFormats.
#include "target/image.glsl"

layout(set = 0, binding = BINDING_TARGET, rg16ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uvec2 texel) { imageStore(target_texels, ivec3(at), uvec4(texel, 0u, 0u)); }
