// The steps of decoding ASTC blocks that wait in shared memory, each to be done for every block before the next begins:
//   store_block      header and bit streams
//   unpack_weights,  integer sequences to bytes; any number of lanes may share a block's groups
//   unpack_colours
//   store_partition  a partition's endpoint pair
//   decode_column    a column of texels, handed to emit_texel(slot, x, y, at, texel), `at` in the target image

// Small footprints mostly have a weight a texel, so that weights need no infill. A subgroup saves that work only if all its
// columns do, hence a word that watches some slots. It must be cleared before the first step.
#ifdef PRIVATE_SLOTS
const bool WATCH_PARTIAL = false;
#else
const bool WATCH_PARTIAL = FOOTPRINT_WIDTH * FOOTPRINT_HEIGHT <= 25u;
#endif

void store_block(uint slot, AstcBlock block, uvec3 first_texel) {
  s_info[slot] = uvec4(first_texel.x | first_texel.y << 16, block.grid, block.partitions.yz);
  s_sequence[slot] = uvec2(block.partitions.x, block.sequences | first_texel.z << 17);
  if ((block.grid & GRID_CONSTANT) != 0u) {
    store_constant(slot, block.constant);
    return;
  }
  if (WATCH_PARTIAL && (block.grid & 0xFFu) != (FOOTPRINT_WIDTH | FOOTPRINT_HEIGHT << 4)) {
    atomicOr(s_partial[slot / SLOTS_A_WATCH], 1u);
  }
  s_words[slot] = block.weights.x;
  s_words[SLOTS + slot] = block.weights.y;
  s_words[2u * SLOTS + slot] = block.weights.z;
  s_words[3u * SLOTS + slot] = 0u;
  s_words[4u * SLOTS + slot] = block.colours.x;
  s_words[5u * SLOTS + slot] = block.colours.y;
  s_words[6u * SLOTS + slot] = block.colours.z;
  s_words[7u * SLOTS + slot] = 0u;
}

// A slot that no block fills: every texel lies outside.
void store_nothing(uint slot) {
  s_info[slot] = uvec4(0xFFFFu, GRID_OF_CONSTANT, 0u, 0u);
  s_sequence[slot] = uvec2(0u);
}

// Groups `group`, `group + lanes`, ... of a slot's weights, to 0..64. A value is a digit and plain bits; all four (of a
// group of trits, the first four of five) are computed in the bytes of a word, see `weight_scale` in tables.rs.
void unpack_weights(uint slot, uint group, uint lanes) {
  uint sequences = s_sequence[slot].y, count = sequences & 31u;
  if (group >= count) return;
  uvec4 range = weight_ranges[(sequences >> 8) & 15u];
  uint bits = RANGE_BITS(range), group_bits = RANGE_GROUP_BITS(range), mirrors = RANGE_MIRRORS(range);
  uint C = RANGE_DIGIT_SCALE(range), M = RANGE_BITS_SCALE(range), shift = RANGE_SHIFT(range);
  bool trits = RANGE_TRITS(range), quints = RANGE_QUINTS(range);
  // The digits' bits that precede each value's plain bits in the group.
  uint before1 = trits ? 2u : quints ? 3u : 0u, before2 = trits ? 4u : quints ? 5u : 0u, before3 = trits ? 5u : 0u;
  uint inside = (0xFFu >> shift) * 0x01010101u, mirror_mask = mirrors * 0x01010101u;
  // Plain bits lack what mirroring does for the others: above 32 a weight gains 1, and 5-bit ones gain 2.
  uint five = bits == 5u ? 1u : 0u;
  uint bias = 0x1F1F1F1Fu + five * 0x01010101u, gain_shift = 6u - five, gain = (RANGE_PLAIN(range) << five) * 0x01010101u;
  uint offset = group * group_bits, index = group * RANGE_GROUP_VALUES(range), base = slot * WEIGHT_STRIDE;
  [[dont_unroll]] do {
    uint row = (offset >> 5) * SLOTS + slot;
    uint y0 = funnel(s_words[row], s_words[row + SLOTS], offset & 31u);
    uint y1 = y0 >> bits, y2 = y1 >> bits, y3 = y2 >> bits, y4 = y3 >> bits, y5 = y4 >> bits;
    uint packed_trits = (y1 & 3u) | (y2 & 12u) | (y3 & 16u) | (y4 & 96u) | (y5 & 128u);
    uint packed_quints = 256u | (y1 & 7u) | (y2 & 24u) | (y3 & 96u);
    uint digit = digits[trits ? packed_trits : quints ? packed_quints : NO_DIGITS];
    uint m02 = (y0 & 0xFFFFu) | (y2 >> before2) << 16, m13 = ((y1 >> before1) & 0xFFFFu) | (y3 >> before3) << 16;
    uint m = (m02 & range.x) | (m13 & range.x) << 8, mirror = m & mirror_mask;
    uint f = (((digit & 0x07070707u) * C + ((m >> mirrors) & range.y) * M) >> shift) & inside;
    f += ((f + bias) >> gain_shift) & gain;
    f = (f ^ mirror * 63u) + mirror; // 64 - f where mirrored
    uint m4 = (y4 >> 7) & range.x & 0xFFFFu, mirror4 = m4 & mirrors;
    uint f4 = (((digit >> 4) & 7u) * C + (m4 >> mirrors) * M) >> shift;
    f4 = (f4 ^ mirror4 * 63u) + mirror4;
    store_group(base, index, f, f4, trits, quints);
    offset += group_bits * lanes;
    index += RANGE_GROUP_VALUES(range) * lanes;
    group += lanes;
  } while (group < count);
}

// Likewise for a slot's colour values, to 0..255, whose sums need 16 bits.
void unpack_colours(uint slot, uint group, uint lanes) {
  uint sequences = s_sequence[slot].y, count = (sequences >> 5) & 7u;
  if (group >= count) return;
  uvec4 range = colour_ranges[(sequences >> 12) & 31u];
  uint bits = RANGE_BITS(range), group_bits = RANGE_GROUP_BITS(range), mirrors = RANGE_MIRRORS(range);
  uint C = RANGE_DIGIT_SCALE(range), M = RANGE_BITS_SCALE(range), shift = RANGE_SHIFT(range);
  bool trits = RANGE_TRITS(range), quints = RANGE_QUINTS(range);
  uint before1 = trits ? 2u : quints ? 3u : 0u, before2 = trits ? 4u : quints ? 5u : 0u, before3 = trits ? 5u : 0u;
  uint offset = group * group_bits, index = group * RANGE_GROUP_VALUES(range), base = COLOURS_AT + slot * COLOUR_STRIDE;
  [[dont_unroll]] do {
    uint row = ((offset >> 5) + COLOUR_WORD) * SLOTS + slot;
    uint high = s_words[row + SLOTS], y0 = funnel(s_words[row], high, offset & 31u);
    uint y1 = y0 >> bits, y2 = y1 >> bits, y3 = y2 >> bits, y4 = y3 >> bits;
    y4 |= ((high >> (offset & 31u)) << 1) << (31u - 4u * min(bits, 7u)); // a group of trits may have 38 bits
    uint y5 = y4 >> bits;
    uint packed_trits = (y1 & 3u) | (y2 & 12u) | (y3 & 16u) | (y4 & 96u) | (y5 & 128u);
    uint packed_quints = 256u | (y1 & 7u) | (y2 & 24u) | (y3 & 96u);
    uint digit = digits[trits ? packed_trits : quints ? packed_quints : NO_DIGITS];
    uint m02 = (y0 & 0xFFFFu) | (y2 >> before2) << 16, m13 = ((y1 >> before1) & 0xFFFFu) | (y3 >> before3) << 16;
    uint f02 = ((digit & 0x70007u) * C + ((m02 >> mirrors) & range.x) * M) >> shift;
    uint f13 = (((digit >> 8) & 0x70007u) * C + ((m13 >> mirrors) & range.x) * M) >> shift;
    uint f = (f02 & 0xFF00FFu) | (f13 & 0xFF00FFu) << 8;
    f ^= ((m02 & range.y) | (m13 & range.y) << 8) * 255u;
    y4 >>= 7;
    uint f4 = (((digit >> 4) & 7u) * C + ((y4 >> mirrors) & range.x & 0xFFFFu) * M) >> shift;
    f4 ^= (y4 & mirrors) * 255u;
    store_group(base, index, f, f4, trits, quints);
    offset += group_bits * lanes;
    index += RANGE_GROUP_VALUES(range) * lanes;
    group += lanes;
  } while (group < count);
}

void store_partition(uint slot, uint part) {
  uint grid = s_info[slot].y;
  if ((grid & GRID_CONSTANT) != 0u || part > GRID_LAST_PARTITION(grid)) return;
  Endpoint e0, e1;
  decode_endpoints(GRID_ENDPOINT_MODE(grid, part), eight_colours(slot, colour_pairs_before(grid, part)), e0, e1);
  store_endpoints(slot, part, e0, e1);
}

// The partition of a texel from its four values, a byte each: the first of the largest.
uint largest_partition(uint values) {
  uint p0 = values & 63u, p1 = (values >> 8) & 63u, p2 = (values >> 16) & 63u, p3 = values >> 24;
  uint p01 = p1 > p0 ? 1u : 0u, p23 = p3 > p2 ? 3u : 2u;
  return max(p2, p3) > max(p0, p1) ? p23 : p01;
}

// A column of a block whose weight grid has a weight a texel, from its first weight on.
void decode_full_column(uint slot, uint x, uvec4 info, uint part, uvec3 at, uint rows) {
  uint grid = info.y, step = GRID_PLANES_STEP(grid), row_step = step * GRID_WIDTH(grid);
  bool many = (grid & GRID_PARTITIONS_BITS) != 0u, dual = (grid & GRID_DUAL) != 0u;
  uint index = first_weight(slot) + x * step;
  Ramp ramp = load_ramp(slot, grid, 0u);
  [[unroll]] for (uint y = 0u; y < FOOTPRINT_HEIGHT; ++y) {
    if (many) {
      ramp = load_ramp(slot, grid, largest_partition(part));
      part = (part + info.w) & 0x3F3F3F3Fu;
    }
    Texel texel = ramp_texel(ramp, weight_at(index));
    if (dual) texel = with_second_plane(texel, ramp, weight_at(index + 1u), GRID_DUAL_CHANNEL(grid));
    index += row_step;
    if (y < rows) emit_texel(slot, x, y, at, texel);
    at.y += 1u;
  }
}

// Column `x` of a slot's texels, from the top. The weight grid's row changes by at most one from texel to texel, so a
// row of texels costs one new pair of weights at most ("Weight Infill").
void decode_column(uint slot, uint x) {
  const uint scale_s = (1024u + FOOTPRINT_WIDTH / 2u) / (FOOTPRINT_WIDTH - 1u);
  const uint scale_t = (1024u + FOOTPRINT_HEIGHT / 2u) / (FOOTPRINT_HEIGHT - 1u);
  uvec4 info = s_info[slot];
  uvec2 sequence = s_sequence[slot];
  uint grid = info.y, step = GRID_PLANES_STEP(grid), row_step = step * GRID_WIDTH(grid);
  bool many = (grid & GRID_PARTITIONS_BITS) != 0u, dual = (grid & GRID_DUAL) != 0u;
  uint part = 0u;
  if (many) part = (sequence.x + info.z * x) & 0x3F3F3F3Fu;
  uvec3 at = uvec3((info.x & 0xFFFFu) + x, info.x >> 16, sequence.y >> 17);
  uint rows = at.x < push.target_extent.x ? push.target_extent.y - at.y : 0u;
  at += push.target_offset;
  if (WATCH_PARTIAL && s_partial[slot / SLOTS_A_WATCH] == 0u) {
    decode_full_column(slot, x, info, part, at, rows);
    return;
  }
  uint gs = (scale_s * x * (GRID_WIDTH(grid) - 1u) + 32u) >> 6, fs = gs & 15u;
  uint index = first_weight(slot) + (gs >> 4) * step;
  // With pairs A (upper grid row) and B (lower), the high half of A * [w01, w00] + B * [w11, w10] is 16 times the
  // infilled weight; the two bracketed words always add up to `both`.
  uint both = fs * 0xFFFF0001u + 0x100000u;
  uint upper = weight_pair(index, step);
  index += row_step;
  uint lower = weight_pair(index, step);
  uint sum = upper * both + 0x80000u, difference = lower - upper;
  Ramp ramp = load_ramp(slot, grid, 0u);
  uint position = 32u, next_row = 1024u; // in the weight grid, 1024 a row
  [[dont_unroll]] for (uint y = 0u; y < FOOTPRINT_HEIGHT; ++y) {
    if (position >= next_row) {
      next_row += 1024u;
      index += row_step;
      sum = lower * both + 0x80000u;
      upper = lower;
      lower = weight_pair(index, step);
      difference = lower - upper;
    }
    uint ft = (position >> 6) & 15u;
    position += scale_t * (GRID_HEIGHT(grid) - 1u);
    uint w11 = (fs * ft + 8u) >> 4, w1 = (ft - w11) * 65536u + w11;
    if (many) {
      ramp = load_ramp(slot, grid, largest_partition(part));
      part = (part + info.w) & 0x3F3F3F3Fu;
    }
    Texel texel = ramp_texel(ramp, (difference * w1 + sum) >> 20);
    if (dual) {
      uint upper2 = second_weight_pair(index - row_step), lower2 = second_weight_pair(index);
      uint weight2 = (upper2 * both + 0x80000u + (lower2 - upper2) * w1) >> 20;
      texel = with_second_plane(texel, ramp, weight2, GRID_DUAL_CHANNEL(grid));
    }
    if (y < rows) emit_texel(slot, x, y, at, texel);
    at.y += 1u;
  }
}
