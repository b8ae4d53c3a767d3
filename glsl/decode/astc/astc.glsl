// ASTC, 2D footprints (Khronos Data Format Specification 1.4, "ASTC Compressed Texture Image Formats").
#include "decode/astc/tables.glsl"
#ifdef DECODER_ASTC_HDR
#include "decode/astc/hdr.glsl"
#else
#include "decode/astc/ldr.glsl"
#endif
#include "decode/astc/block.glsl"
#ifdef emit_texel
#include "decode/astc/shared.glsl"
#include "decode/astc/stages.glsl"
#else
#include "decode/astc/texel.glsl"
#endif
