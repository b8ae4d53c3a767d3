// number / d for numbers below 2^31, exactly: the multiplier is 2^(31 + shift) / d rounded up, where 2^shift is the least
// power of two not below d. A division by a value that is no constant takes five times as long.
uint quotient(uint number, uvec2 divisor) {
  uint high, low;
  umulExtended(number << 1, divisor.x, high, low);
  return high >> divisor.y;
}

// Column, row and slice of block `number` of the region.
uvec3 region_block(uint number) {
  uint slice = quotient(number, push.slice_divisor);
  uint inside = number - slice * push.blocks_per_slice;
  uint row = quotient(inside, push.column_divisor);
  return uvec3(inside - row * push.columns, row, slice);
}
