#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Encodes an uncompressed image in a buffer to a buffer of BC blocks, both tightly packed, rows from the top.
// One invocation encodes one block; blocks that reach past the image repeat its last column and row.
// Dispatch: columns of blocks / 16, rows of blocks / WORKGROUP_HEIGHT, rounded up; slices.
// ENCODE_BC: 1, 3, 4, 5, 6 (BC6H) or 7. Texels are RGBA8, R16 for BC4, R16G16 for BC5, RGBA16F for BC6H.
#if ENCODE_BC == 6
#define WORKGROUP_HEIGHT 8
#else
#define WORKGROUP_HEIGHT 16
#endif
layout(local_size_x = 16, local_size_y = WORKGROUP_HEIGHT) in;
layout(push_constant) uniform Push {
  uvec2 extent;       // texels a slice
  uint first_texel;   // where slice 0 starts in `texels`
  uint first_block;   // and in `blocks`
} push;
layout(set = 0, binding = 0, std430) readonly buffer Texels { uint texels[]; };
#if ENCODE_BC == 1 || ENCODE_BC == 4
layout(set = 0, binding = 1, std430) writeonly buffer Blocks { uvec2 blocks[]; };
#else
layout(set = 0, binding = 1, std430) writeonly buffer Blocks { uvec4 blocks[]; };
#endif

// Each invocation reads back only what it wrote, so there is no barrier.
#if ENCODE_BC == 6
shared uvec2 tile[16 * 16 * WORKGROUP_HEIGHT];
#else
shared uint tile[16 * 16 * WORKGROUP_HEIGHT];
#endif
#define TILE(k) tile[(k) * (16u * WORKGROUP_HEIGHT) + gl_LocalInvocationIndex]

#if ENCODE_BC == 6
uvec2 load(uint texel) { return uvec2(texels[2u * texel], texels[2u * texel + 1u]); }
uvec2 encode_half(uint k) { return TILE(k); }
#include "../encode/bc6h.glsl"
#elif ENCODE_BC == 4
uint load(uint texel) { return texels[texel >> 1] >> (16u * (texel & 1u)); }
uint encode_value(uint k, uint channel) { return TILE(k); }
#include "../encode/bc4.glsl"
#elif ENCODE_BC == 5
uint load(uint texel) { return texels[texel]; }
uint encode_value(uint k, uint channel) { return TILE(k) >> (16u * channel); }
#include "../encode/bc5.glsl"
#else
uint load(uint texel) { return texels[texel]; }
uint encode_texel(uint k) { return TILE(k); }
#if ENCODE_BC == 7
uint texel_count = 16u + (push.extent.x >> 31);
#define TEXEL_COUNT texel_count
void encode_replace(uint k, uint texel) { TILE(k) = texel; }
#endif
#if ENCODE_BC == 1
#include "../encode/bc1.glsl"
#elif ENCODE_BC == 3
#include "../encode/bc3.glsl"
#else
#include "../encode/bc7.glsl"
#endif
#endif

void main() {
  uvec2 extent_blocks = (push.extent + 3u) / 4u;
  uvec3 block = gl_GlobalInvocationID;
  if (block.x >= extent_blocks.x || block.y >= extent_blocks.y) return;
  uint slice = push.first_texel + block.z * push.extent.x * push.extent.y;
  EACH_TEXEL(k) {
    uvec2 at = min(block.xy * 4u + uvec2(k & 3u, k >> 2), push.extent - 1u);
    TILE(k) = load(slice + at.y * push.extent.x + at.x);
  }
  uint index = (block.z * extent_blocks.y + block.y) * extent_blocks.x + block.x;
  blocks[push.first_block + index] = encode_block();
}
