// The steps where the entry point shares blocks, one texel at a time where it does not.
#ifdef STORE_OR
#include "decode/astc/shared.glsl"
#include "decode/astc/stages.glsl"
#else
#include "decode/astc/texel.glsl"
#endif
