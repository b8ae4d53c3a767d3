// Picks where blocks come from: SOURCE_TEXEL_BUFFER, SOURCE_STORAGE_IMAGE or SOURCE_STORAGE_BUFFER.
#if defined(SOURCE_TEXEL_BUFFER)
#include "source/texel_buffer.glsl"
#elif defined(SOURCE_STORAGE_IMAGE)
#include "source/storage_image.glsl"
#else
#include "source/storage_buffer.glsl"
#endif
