// Decoded texels wait in shared memory until one invocation encodes their 4x4 block. The entry point gives TEXEL_STRIDE, at
// least the BC blocks of a workgroup: texel k of block b waits at k * TEXEL_STRIDE + b of s_texels, which the entry point may have
// declared (TEXELS_DECLARED).
#include "target/target.glsl"

// A waiting texel: RGBA8; 16 bits for BC4, two times 16 for BC5; four half floats for BC6H.
#ifdef TARGET_BC6H
#define Waiting uvec2
#else
#define Waiting uint
#endif

#ifndef TEXELS_DECLARED
shared Waiting s_texels[16u * TEXEL_STRIDE];
#endif
uint encoded_block = 0u; // the one that this invocation encodes

#ifdef TARGET_BC6H
Waiting waiting(uvec2 halves) { return halves; }
#else
Waiting waiting(uint texel) { return texel; }
Waiting waiting(uvec2 channels) { return channels.x | channels.y << 16; }
#endif

Waiting waiting_texel(uint k) { return s_texels[k * TEXEL_STRIDE + encoded_block]; }

#define ENCODE_SNORM (NUMERIC == 2u ? 1 : 0)
#if defined(TARGET_BC6H)
uvec2 encode_half(uint k) { return waiting_texel(k); }
#include "encode/bc6h.glsl"
#elif defined(TARGET_BC4)
uint encode_value(uint k, uint channel) { return waiting_texel(k); }
#include "encode/bc4.glsl"
#elif defined(TARGET_BC5)
uint encode_value(uint k, uint channel) { return waiting_texel(k) >> (16u * channel); }
#include "encode/bc5.glsl"
#else
uint encode_texel(uint k) { return waiting_texel(k); }
#if defined(TARGET_BC7)
uint texel_count = 16u + (push.end_block >> 31);
#define TEXEL_COUNT texel_count
void encode_replace(uint k, uint texel) { s_texels[k * TEXEL_STRIDE + encoded_block] = texel; }
#endif
#if defined(TARGET_BC1)
#include "encode/bc1.glsl"
#elif defined(TARGET_BC3)
#include "encode/bc3.glsl"
#else
#include "encode/bc7.glsl"
#endif
#endif

// Encodes waiting block `waiting_at`, which is `block` of the region. Blocks that reach past the region's edge repeat its
// last column and row.
void encode_waiting(uint waiting_at, uvec3 block) {
  encoded_block = waiting_at;
  uvec2 last = push.target_extent - 1u - block.xy * 4u;
  if (min(last.x, last.y) < 3u) {
    // A texel's stand-in is itself or one before it, so none is read after it was replaced.
    [[dont_unroll]] for (uint k = 0u; k < 16u; ++k) {
      uint source = min(k & 3u, last.x) | min(k >> 2, last.y) << 2;
      s_texels[k * TEXEL_STRIDE + waiting_at] = waiting_texel(source);
    }
  }
  store_encoded(block, encode_block());
}
