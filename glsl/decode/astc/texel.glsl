// One texel of an ASTC block without shared memory: only the weights and colour values that it needs are unpacked.

// 32 bits of a stream from bit `offset` on; zero past its end.
uint stream_bits(uvec3 stream, uint offset) {
  uint word = offset >> 5;
  uint low = word == 0u ? stream.x : word == 1u ? stream.y : word == 2u ? stream.z : 0u;
  uint high = word == 0u ? stream.y : word == 1u ? stream.z : 0u;
  return funnel(low, high, offset & 31u);
}

// The digit (x) and the plain bits (y) of value `index` of a sequence.
uvec2 sequence_value(uvec3 stream, uvec4 range, uint index) {
  uint bits = RANGE_BITS(range);
  bool trits = RANGE_TRITS(range), quints = RANGE_QUINTS(range);
  uint group = trits ? index * 52u >> 8 : quints ? index * 86u >> 8 : index >> 2;
  uint member = index - group * RANGE_GROUP_VALUES(range), offset = group * RANGE_GROUP_BITS(range);
  // How many of the digits' bits precede each member's plain bits.
  uint before = ((trits ? 0x75420u : quints ? 0x530u : 0u) >> (4u * member)) & 15u;
  uint plain = stream_bits(stream, offset + member * bits + before) & ((1u << bits) - 1u);
  uint y0 = stream_bits(stream, offset), y4 = stream_bits(stream, offset + 4u * bits);
  uint y1 = y0 >> bits, y2 = y1 >> bits, y3 = y2 >> bits, y5 = y4 >> bits;
  uint packed_trits = (y1 & 3u) | (y2 & 12u) | (y3 & 16u) | (y4 & 96u) | (y5 & 128u);
  uint packed_quints = 256u | (y1 & 7u) | (y2 & 24u) | (y3 & 96u);
  uint packed_digits = digits[trits ? packed_trits : quints ? packed_quints : NO_DIGITS];
  return uvec2((packed_digits >> (member == 4u ? 4u : 8u * member)) & 7u, plain);
}

uint weight_value(uvec3 stream, uvec4 range, uint index) {
  uvec2 value = sequence_value(stream, range, index);
  uint mirrors = RANGE_MIRRORS(range);
  uint f = (value.x * RANGE_DIGIT_SCALE(range) + (value.y >> mirrors) * RANGE_BITS_SCALE(range)) >> RANGE_SHIFT(range);
  if (RANGE_PLAIN(range) != 0u && f + 31u >= 63u) f += RANGE_BITS(range) == 5u ? 2u : f > 32u ? 1u : 0u;
  return (value.y & mirrors) != 0u ? 64u - f : f;
}

uint colour_value(uvec3 stream, uvec4 range, uint index) {
  uvec2 value = sequence_value(stream, range, index);
  uint mirrors = RANGE_MIRRORS(range);
  uint f = (value.x * RANGE_DIGIT_SCALE(range) + (value.y >> mirrors) * RANGE_BITS_SCALE(range)) >> RANGE_SHIFT(range);
  return (f ^ (value.y & mirrors) * 255u) & 255u;
}

Texel decode_texel(uvec4 words, uint x, uint y) {
  const uint scale_s = (1024u + FOOTPRINT_WIDTH / 2u) / (FOOTPRINT_WIDTH - 1u);
  const uint scale_t = (1024u + FOOTPRINT_HEIGHT / 2u) / (FOOTPRINT_HEIGHT - 1u);
  AstcBlock block = parse_block(words);
  uint grid = block.grid;
  if ((grid & GRID_CONSTANT) != 0u) return block.constant;

  uvec3 function = block.partitions;
  // Masked between, so that no byte's sum reaches the next.
  uint values = ((function.x + function.y * x) & 0x3F3F3F3Fu) + function.z * y;
  uint p0 = values & 63u, p1 = (values >> 8) & 63u, p2 = (values >> 16) & 63u, p3 = (values >> 24) & 63u;
  uint p01 = p1 > p0 ? 1u : 0u, p23 = p3 > p2 ? 3u : 2u;
  uint part = max(p2, p3) > max(p0, p1) ? p23 : p01;

  uint mode = GRID_ENDPOINT_MODE(grid, part), first = 2u * colour_pairs_before(grid, part);
  uvec4 range = colour_ranges[(block.sequences >> 12) & 31u];
  uvec2 colours = uvec2(0u);
  [[dont_unroll]] for (uint i = 0u; i < 2u * ((mode >> 2) + 1u); ++i) {
    uint value = colour_value(block.colours, range, first + i) << (8u * (i & 3u));
    if (i < 4u) colours.x |= value; else colours.y |= value;
  }
  Endpoint e0, e1;
  decode_endpoints(mode, colours, e0, e1);

  uint gs = (scale_s * x * (GRID_WIDTH(grid) - 1u) + 32u) >> 6, gt = (scale_t * y * (GRID_HEIGHT(grid) - 1u) + 32u) >> 6;
  uint fs = gs & 15u, ft = gt & 15u, w11 = (fs * ft + 8u) >> 4, step = GRID_PLANES_STEP(grid);
  uint factors = (16u - fs - ft + w11) | (fs - w11) << 8 | (ft - w11) << 16 | w11 << 24;
  uint corner = (gs >> 4) + (gt >> 4) * GRID_WIDTH(grid);
  range = weight_ranges[(block.sequences >> 8) & 15u];
  uint sum = 8u, sum2 = 8u;
  [[dont_unroll]] for (uint i = 0u; i < 4u; ++i) {
    uint index = (corner + (i & 1u) + (i >> 1) * GRID_WIDTH(grid)) * step, factor = (factors >> (8u * i)) & 255u;
    sum += weight_value(block.weights, range, index) * factor;
    if (step == 2u) sum2 += weight_value(block.weights, range, index + 1u) * factor;
  }
  Ramp ramp = endpoint_ramp(e0, e1, grid, part);
  Texel texel = ramp_texel(ramp, sum >> 4);
  return step == 2u ? with_second_plane(texel, ramp, sum2 >> 4, GRID_DUAL_CHANNEL(grid)) : texel;
}
