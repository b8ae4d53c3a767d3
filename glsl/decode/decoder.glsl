// Picks the decoder. Each gives Texel and decode_texel(block, x, y), or, where the entry point defines emit_texel(), steps
// that decode whole columns: those of decode/astc/stages.glsl, which share what a workgroup parses (DECODER_STAGED), of
// decode/etc2.glsl, likewise (DECODER_PARSED), or of decode/columns.glsl.
#if defined(DECODER_ASTC_LDR) || defined(DECODER_ASTC_HDR)
#define DECODER_STAGED
#include "decode/astc/astc.glsl"
#elif defined(DECODER_EAC_R) || defined(DECODER_EAC_RG)
#include "decode/eac.glsl"
#include "decode/columns.glsl"
#else
// Where a workgroup decodes blocks together, or texels wait anyway, parsed blocks lie in shared memory: store_parsed(slot, block), then
// parsed_column(slot, x).
#if defined(emit_texel) != defined(PRIVATE_SLOTS)
#define DECODER_PARSED
#endif
#include "decode/etc2.glsl"
#endif
