#version 460
// An invocation decodes the texels of one BC block, from one source block or from the few that hold them, and encodes it.
//
// Dispatch: ceil((end_block - first_block) / workgroup size) workgroups in x, the region being numbered in BC blocks.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "transcode/interface.glsl"
#include "transcode/region.glsl"

layout(local_size_x_id = 4) in;

// Each invocation reads back only what it wrote, so there is no barrier.
const uint TEXEL_STRIDE = gl_WorkGroupSize.x;

// One channel of EAC goes from block to block by its palette.
#if defined(DECODER_EAC_R) || defined(DECODER_EAC_RG)
#define SCALAR_PALETTE
#define ONLY_PALETTES
#elif defined(DECODER_ETC2_RGBA) && defined(TARGET_BC3)
#define SCALAR_PALETTE
#endif

#include "source/source.glsl"
#include "transcode/recode.glsl"
#define PRIVATE_SLOTS
const uint SLOTS = gl_WorkGroupSize.x;
#include "decode/decoder.glsl"

#ifdef SCALAR_PALETTE
SourceBlock encoded_source;
uvec2 encoded_last; // the block's last column and row inside the image

void encode_palette(uint channel) {
#ifdef ONLY_PALETTES
#if BLOCK_BYTES == 8
  EacBlock eac = parse_eac(encoded_source);
#else
  EacBlock eac = parse_eac(channel == 0u ? encoded_source.xy : encoded_source.zw);
#endif
  ivec4 low, high;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    low[i] = channel_units(eac.low[i]);
    high[i] = channel_units(eac.high[i]);
  }
  palette_set(low, high, eac.indices, encoded_last);
#else
  Etc2Alpha alpha = parse_alpha(encoded_source.xy);
  palette_set(ivec4((uvec4(alpha.values.x) >> uvec4(0u, 8u, 16u, 24u)) & 255u),
              ivec4((uvec4(alpha.values.y) >> uvec4(0u, 8u, 16u, 24u)) & 255u), alpha.indices, encoded_last);
#endif
}
#endif

void main() {
  uint lane = gl_LocalInvocationIndex, number = push.first_block + gl_GlobalInvocationID.x;
  if (number >= push.end_block) return;
  uvec3 block = region_block(number);
#ifdef SCALAR_PALETTE
  encoded_source = source_block(block);
  encoded_last = push.target_extent - 1u - block.xy * 4u;
#endif
#ifdef ONLY_PALETTES
  store_encoded(block, encode_block());
#else
#ifdef DECODER_STAGED
  [[dont_unroll]] for (uint k = 0u; k < 16u; ++k) {
    uvec2 at = min(block.xy * 4u + uvec2(k & 3u, k >> 2), push.target_extent - 1u);
    uvec2 source = at / uvec2(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT), inner = at % uvec2(FOOTPRINT_WIDTH, FOOTPRINT_HEIGHT);
    s_texels[k * TEXEL_STRIDE + lane] = waiting(decode_texel(source_block(uvec3(source, block.z)), inner.x, inner.y));
  }
#elif defined(DECODER_PARSED)
  store_parsed(lane, source_block(block));
  [[dont_unroll]] for (uint x = 0u; x < 4u; ++x) {
    uvec4 texels = parsed_column(lane, x);
    [[unroll]] for (uint y = 0u; y < 4u; ++y) s_texels[(y << 2 | x) * TEXEL_STRIDE + lane] = texels[y];
  }
#endif
  encode_waiting(lane, block);
#endif
}
