// Picks the decoder. Each gives Texel and decode_texel(block, x, y); the staged ones (DECODER_STAGED) also the steps of
// decode/astc/stages.glsl where the entry point has shared memory for SLOTS blocks.
#if defined(DECODER_ASTC_LDR)
#define DECODER_STAGED
#include "decode/astc/tables.glsl"
#include "decode/astc/ldr.glsl"
#include "decode/astc/block.glsl"
#include "decode/astc/steps.glsl"
#endif
