// The header of an ASTC block (Khronos Data Format Specification 1.4, "Block Layout" to "Void-Extent Blocks").
// A profile file, ldr.glsl or hdr.glsl, comes first: it gives Texel, error_texel() and void_extent().

const uint SMALL_FOOTPRINT = FOOTPRINT_WIDTH * FOOTPRINT_HEIGHT < 31u ? 1u : 0u;

struct AstcBlock {
  uint grid;        // see GRID_*
  uint sequences;   // weight groups | colour groups << 5 | weight range << 8 | colour range << 12
  uvec3 partitions; // start, step in x, step in y, a byte a partition: the largest value's partition owns the texel
  uvec3 weights;    // the two bit streams, low bit first, zero past their end
  uvec3 colours;
  Texel constant;   // if GRID_CONSTANT is set
};

// Width | height << 4 | (partitions - 1) << 8 | two planes << 10 | second plane's channel << 11 | endpoint modes << 13.
#define GRID_WIDTH(grid) ((grid) & 15u)
#define GRID_HEIGHT(grid) (((grid) >> 4) & 15u)
#define GRID_PARTITIONS_BITS 0x300u
#define GRID_LAST_PARTITION(grid) (((grid) >> 8) & 3u)
#define GRID_DUAL 0x400u
#define GRID_PLANES_STEP(grid) (1u + (((grid) >> 10) & 1u))
#define GRID_DUAL_CHANNEL(grid) (((grid) >> 11) & 3u)
#define GRID_ENDPOINT_MODE(grid, part) (((grid) >> (13u + 4u * (part))) & 15u)
#define GRID_CONSTANT 0x80000000u
// A block of one colour looks like a 2x2 grid with one partition, so that later steps need no special case.
#define GRID_OF_CONSTANT (GRID_CONSTANT | 0x22u)

// The pairs of colour values that partitions before `partition` use: their endpoint modes' size classes, plus one each.
uint colour_pairs_before(uint grid, uint part) {
  uint classes = (grid >> 15) & 0x3333u & ((1u << (4u * part)) - 1u);
  return ((classes * 0x1111u) >> 12 & 15u) + part;
}

uint funnel(uint low, uint high, uint shift) { return (low >> shift) | ((high << 1) << (31u - shift)); }

AstcBlock constant_block(Texel constant) {
  return AstcBlock(GRID_OF_CONSTANT, 0u, uvec3(0u), uvec3(0u), uvec3(0u), constant);
}

// Bits `offset` and up of a block read from its top bit down, as weights are.
uint bits_from_top(uvec4 reversed, uint offset) {
  uint word = offset >> 5;
  uint low = word == 0u ? reversed.x : word == 1u ? reversed.y : word == 2u ? reversed.z : reversed.w;
  uint high = word == 0u ? reversed.y : word == 1u ? reversed.z : word == 2u ? reversed.w : 0u;
  return funnel(low, high, offset & 31u);
}

uvec3 keep_bits(uvec3 stream, int count) {
  return uvec3(bitfieldExtract(stream.x, 0, min(count, 32)), bitfieldExtract(stream.y, 0, clamp(count - 32, 0, 32)),
               bitfieldExtract(stream.z, 0, clamp(count - 64, 0, 32)));
}

AstcBlock parse_block(uvec4 w) {
  uint mode = block_modes[w.x & 2047u];
  uint width = mode & 15u, height = (mode >> 4) & 15u, dual = (mode >> 8) & 1u, weight_bits = (mode >> 13) & 127u;
  uint partitions = ((w.x >> 11) & 3u) + 1u;
  bool legal = int(mode) < 0 && width <= FOOTPRINT_WIDTH && height <= FOOTPRINT_HEIGHT && (dual & (partitions >> 2)) == 0u;

  uvec4 reversed = uvec4(bitfieldReverse(w.w), bitfieldReverse(w.z), bitfieldReverse(w.y), bitfieldReverse(w.x));
  uint below = bitfieldReverse(bits_from_top(reversed, weight_bits)); // the 32 bits that end just below the weights

  // Endpoint modes, four bits a partition; what of them does not fit the header lies below the weights.
  uint modes = (w.x >> 13) & 15u, values = ((modes >> 2) + 1u) * 2u, extra = 0u, header = 17u, colours_at = 17u;
  if (partitions > 1u) {
    uint selector = (w.x >> 23) & 3u, encoded = (w.x >> 25) & 15u;
    colours_at = 29u;
    if (selector == 0u) {
      header = 29u;
      modes = encoded * 0x1111u;
      values = ((encoded >> 2) + 1u) * 2u * partitions;
    } else {
      extra = 3u * partitions - 4u;
      header = 25u + 3u * partitions;
      encoded |= (below >> (32u - extra)) << 4;
      uint classes = encoded & ((1u << partitions) - 1u), low = encoded >> partitions;
      values = 2u * (partitions * selector + uint(bitCount(classes)));
      low = (low | low << 4) & 0x0F0Fu;
      low = (low | low << 2) & 0x3333u;
      modes = (selector - 1u) * 0x4444u + ((classes << 2 | classes << 5 | classes << 8 | classes << 11) & 0x4444u) + low;
    }
  }
  uint channel = ((below << extra) >> 30) & 3u;
  int left = 128 - int(header + weight_bits + 2u * dual);
  uint fit = colour_fits[min(values, 18u) * 64u + uint(max(left, 0))];
  legal = legal && values <= 18u && left >= 0 && int(fit) < 0;

  if (!legal) { // void-extent blocks have no legal block mode
    return constant_block((w.x & 0x1FFu) == 0x1FCu ? void_extent(w) : error_texel());
  }

  uvec3 function = uvec3(0u);
  if (partitions > 1u) {
    uvec2 entry = partition_functions[(partitions - 2u) * 1024u + ((w.x >> 13) & 1023u)];
    function = uvec3(entry.y, (entry.x & 0x0F0F0F0Fu) << SMALL_FOOTPRINT, ((entry.x >> 4) & 0x0F0F0F0Fu) << SMALL_FOOTPRINT);
  }
  uint grid = width | height << 4 | (partitions - 1u) << 8 | dual << 10 | channel << 11 | modes << 13;
  uint sequences = ((mode >> 20) & 31u) | ((fit >> 12) & 7u) << 5 | ((mode >> 9) & 15u) << 8 | (fit & 31u) << 12;
  uvec3 colours = uvec3(funnel(w.x, w.y, colours_at), funnel(w.y, w.z, colours_at), funnel(w.z, w.w, colours_at));
  // A sequence's last group may be cut short; what it lacks reads as zero.
  return AstcBlock(grid, sequences, function, keep_bits(reversed.xyz, int(weight_bits)),
                   keep_bits(colours, int((fit >> 5) & 127u)), error_texel());
}
