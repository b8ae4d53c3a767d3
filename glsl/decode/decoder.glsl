// Picks the decoder. Each gives Texel and decode_texel(block, x, y), or, where the entry point defines emit_texel(), steps
// that decode whole columns: those of decode/astc/stages.glsl, which share what a workgroup parses (DECODER_STAGED), or
// decode/columns.glsl.
#if defined(DECODER_ASTC_LDR) || defined(DECODER_ASTC_HDR)
#define DECODER_STAGED
#include "decode/astc/astc.glsl"
#elif defined(DECODER_EAC_R) || defined(DECODER_EAC_RG)
#include "decode/eac.glsl"
#include "decode/columns.glsl"
#else
#include "decode/etc2.glsl"
#include "decode/columns.glsl"
#endif
