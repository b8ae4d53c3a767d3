// Encoding one channel from the eight values that an EAC block gives its texels, without spreading them over the texels first.
#ifndef ENCODE_PALETTE_GLSL
#define ENCODE_PALETTE_GLSL

ivec4 palette_low, palette_high; // the values
uvec3 palette_planes;            // the low, middle and high bit of the texels' indices, texels down the columns
uvec2 palette_indices;           // 24 bits for every two columns, three a texel, the first texel highest

// Given by the entry point: hands the values and indices of channel 0, 1, or 3 for alpha, to palette_set().
void encode_palette(uint channel);

int scalar_value(uint k) { return k < 4u ? palette_low[k & 3u] : palette_high[k & 3u]; }
uint palette_texels(uint k) {
  return ((k & 1u) != 0u ? palette_planes.x : ~palette_planes.x) & ((k & 2u) != 0u ? palette_planes.y : ~palette_planes.y)
       & ((k & 4u) != 0u ? palette_planes.z : 0xFFFFu & ~palette_planes.z);
}
bool scalar_present(uint k) { return palette_texels(k) != 0u; }
int scalar_count(uint k) { return bitCount(palette_texels(k)); }

// Every third bit of 24, side by side.
uint palette_plane(uint bits) {
  bits &= 0x249249u;
  bits = (bits | bits >> 2) & 0x0C30C3u;
  bits = (bits | bits >> 4) & 0x00F00Fu;
  return (bits | bits >> 8) & 0xFFu;
}

uint palette_at(uint x, uint y) {
  return ((x < 2u ? palette_indices.x : palette_indices.y) >> (21u - 12u * (x & 1u) - 3u * y)) & 7u;
}

// `last`: the last column and row inside the image; beyond them they repeat.
void palette_set(ivec4 low, ivec4 high, uvec2 indices, uvec2 last) {
  palette_indices = indices;
  if (min(last.x, last.y) < 3u) {
    uvec2 replaced = uvec2(0u);
    [[dont_unroll]] for (uint k = 0u; k < 16u; ++k) {
      replaced.x = replaced.x << 3 | replaced.y >> 21;
      replaced.y = (replaced.y << 3 | palette_at(min(k >> 2, last.x), min(k & 3u, last.y))) & 0xFFFFFFu;
    }
    palette_indices = uvec2(replaced.x & 0xFFFFFFu, replaced.y);
  }
  uvec2 bits = palette_indices;
  palette_planes = uvec3(palette_plane(bits.x) | palette_plane(bits.y) << 8,
                         palette_plane(bits.x >> 1) | palette_plane(bits.y >> 1) << 8,
                         palette_plane(bits.x >> 2) | palette_plane(bits.y >> 2) << 8);
  palette_low = low;
  palette_high = high;
}

// The texels' codes from those of the values, four bits each: three bits a texel, texels 0 to 7 and 8 to 15.
uvec2 palette_codes(uint codes) {
  uvec2 found = uvec2(0u);
  [[unroll]] for (uint k = 0u; k < 16u; k++) {
    uint code = (codes >> (palette_at(k & 3u, k >> 2) << 2)) & 7u;
    if (k < 8u) found.x |= code << (3u * k);
    else found.y |= code << (3u * k - 24u);
  }
  return found;
}

#endif
