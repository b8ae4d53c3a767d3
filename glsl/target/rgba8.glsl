// RGBA8 texels through an R8G8B8A8_UINT storage view or, with PACKED_STORE, through an R32_UINT one. Either a word, R in
// the low byte, or four channels of 8 bits.
#include "target/image.glsl"

#ifdef PACKED_STORE
layout(set = 0, binding = BINDING_TARGET, r32ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uint texel) { imageStore(target_texels, ivec3(at), uvec4(texel)); }

void store_texel(uvec3 at, uvec4 texel) { store_texel(at, texel.x | texel.y << 8 | texel.z << 16 | texel.w << 24); }
#else
layout(set = 0, binding = BINDING_TARGET, rgba8ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uvec4 texel) { imageStore(target_texels, ivec3(at), texel); }

void store_texel(uvec3 at, uint texel) { store_texel(at, uvec4(texel, texel >> 8, texel >> 16, texel >> 24) & 255u); }
#endif
