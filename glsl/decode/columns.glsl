// The texels of decoders that work a column of four at a time, from block_column() and column_texel().

Texel decode_texel(SourceBlock block, uint x, uint y) { return column_texel(block_column(block, x), y); }

// Column `x` of the block at `position` in the region, handed to emit_texel(slot, x, y, at, texel), `at` in the target.
#ifdef emit_texel
void decode_column(uint slot, uvec3 position, uint x) {
  uvec3 at = position * uvec3(4u, 4u, 1u) + uvec3(x, 0u, 0u);
  uint rows = at.x < push.target_extent.x ? push.target_extent.y - at.y : 0u;
  at += push.target_offset;
  Column column = block_column(source_block(position), x);
  [[unroll]] for (uint y = 0u; y < 4u; ++y) {
    if (y < rows) emit_texel(slot, x, y, at + uvec3(0u, y, 0u), column_texel(column, y));
  }
}
#endif
