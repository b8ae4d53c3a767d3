// Column, row and slice of block `number` of the region.
uvec3 region_block(uint number) {
  uint slice = number / push.blocks_per_slice;
  uint inside = number - slice * push.blocks_per_slice;
  uint row = inside / push.columns;
  return uvec3(inside - row * push.columns, row, slice);
}

// The same for block `first + ahead`, where `position` is that of `first`: no division where the region is at least
// `most_ahead` blocks wide, which is the same for a whole workgroup.
uvec3 region_block_ahead(uint first, uvec3 position, uint ahead, uint most_ahead) {
  if (push.columns < most_ahead) return region_block(first + ahead);
  uint inside = position.y * push.columns + position.x + ahead;
  position.x += ahead;
  if (position.x >= push.columns) {
    position.x -= push.columns;
    position.y += 1u;
  }
  if (inside >= push.blocks_per_slice) {
    position.y = 0u;
    position.z += 1u;
  }
  return position;
}
