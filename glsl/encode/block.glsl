// Writing the bits of a block of 16 bytes.
#ifndef ENCODE_BLOCK_GLSL
#define ENCODE_BLOCK_GLSL

// Bits `at` and up of the block, which must have been 0. From 128 on there is none.
void bc_put(inout uvec4 block, uint at, uint value) {
  uint word = at >> 5, shift = at & 31u;
  uint low = value << shift, high = shift == 0u ? 0u : value >> (32u - shift);
  block |= uvec4(word == 0u ? low : 0u, word == 1u ? low : word == 0u ? high : 0u,
                 word == 2u ? low : word == 1u ? high : 0u, word == 3u ? low : word == 2u ? high : 0u);
}

#endif
