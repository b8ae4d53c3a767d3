// A compressed block as its source holds it. BLOCK_BYTES is 8 or 16.
#if BLOCK_BYTES == 8
#define SourceBlock uvec2
#define SOURCE_COMPONENTS xy
#define SOURCE_FORMAT rg32ui
#else
#define SourceBlock uvec4
#define SOURCE_COMPONENTS xyzw
#define SOURCE_FORMAT rgba32ui
#endif
