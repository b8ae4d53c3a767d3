// Picks where texels or encoded blocks go.
#if defined(TARGET_RGBA8)
#include "target/rgba8.glsl"
#elif defined(TARGET_RGBA16F)
#include "target/rgba16f.glsl"
#elif defined(TARGET_R16)
#include "target/r16.glsl"
#elif defined(TARGET_RG16)
#include "target/rg16.glsl"
#elif defined(STORE_BUFFER)
#include "target/block_buffer.glsl"
#else
#include "target/block_image.glsl"
#endif
