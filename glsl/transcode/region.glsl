// Column, row and slice of block `number` of the region.
uvec3 region_block(uint number) {
  uint slice = number / push.blocks_per_slice;
  uint inside = number - slice * push.blocks_per_slice;
  uint row = inside / push.columns;
  return uvec3(inside - row * push.columns, row, slice);
}
