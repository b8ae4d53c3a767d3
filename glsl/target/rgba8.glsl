// RGBA8 texels, R in the low byte, through an R8G8B8A8_UINT storage view. With PACKED_STORE, through an R32_UINT one.
#if STORE_3D
#define TARGET_IMAGE uimage3D
#else
#define TARGET_IMAGE uimage2DArray
#endif

#ifdef PACKED_STORE
layout(set = 0, binding = BINDING_TARGET, r32ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uint texel) { imageStore(target_texels, ivec3(at), uvec4(texel)); }
#else
layout(set = 0, binding = BINDING_TARGET, rgba8ui) uniform writeonly TARGET_IMAGE target_texels;

void store_texel(uvec3 at, uint texel) {
  uvec4 channels = uvec4(texel, texel >> 8, texel >> 16, texel >> 24);
  imageStore(target_texels, ivec3(at), channels & 255u);
}
#endif
