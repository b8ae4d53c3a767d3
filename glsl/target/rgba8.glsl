// RGBA8 texels through an R32_UINT storage view: a word a texel, R in the low byte, as the decoders keep it. Storing four
// channels through R8G8B8A8_UINT takes the word apart and puts it together again.
#include "target/image.glsl"

layout(set = 0, binding = BINDING_TARGET, r32ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uint texel) { imageStore(target_texels, ivec3(at), uvec4(texel)); }
