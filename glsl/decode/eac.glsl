// EAC: 4x4 blocks of one channel (Khronos Data Format Specification 1.4, "ETC2 Compressed Texture Image Formats"), as the
// alpha of ETC2 RGBA8 and, with 11 bits, as the R11 and RG11 formats. A block's bytes are in big-endian order.

#ifndef DECODE_SWAP_BYTES
#define DECODE_SWAP_BYTES
uint swap_bytes(uint word) {
  return (word >> 24) | ((word >> 8) & 0xFF00u) | ((word << 8) & 0xFF0000u) | (word << 24);
}
#endif

// One column of a block.
struct EacColumn {
  uint base;       // as stored
  uint multiplier; // as stored
  uint modifiers;  // four magnitudes, four bits each: index i < 4 subtracts magnitude i, i + 4 adds magnitude i less 1
  uint indices;    // three bits a texel, the top one highest
};

// A block's indices: 24 bits for every two columns, the first texel highest.
uvec2 eac_indices(uint high, uint low) { return uvec2((high << 8 | low >> 24) & 0xFFFFFFu, low & 0xFFFFFFu); }

// Two of the sixteen rows of the modifier table a word.
uint eac_modifiers(uint row) {
  uint low = (row & 4u) == 0u ? ((row & 2u) == 0u ? 0xDA73F963u : 0xD642D852u) : ((row & 2u) == 0u ? 0xB973C863u : 0xB853B874u);
  uint high = (row & 4u) == 0u ? ((row & 2u) == 0u ? 0xA852A862u : 0xA752A842u) : ((row & 2u) == 0u ? 0xA321A743u : 0x97539864u);
  return ((row & 8u) == 0u ? low : high) >> (16u * (row & 1u)) & 0xFFFFu;
}

EacColumn eac_column(uvec2 block, uint x) {
  uint high = swap_bytes(block.x), low = swap_bytes(block.y);
  // 48 bits of indices, the first column on top.
  uint shift = 36u - 12u * x;
  uint indices = x == 0u ? high >> 4 : (low >> shift) | ((high << 1) << (31u - shift));
  return EacColumn(high >> 24, (high >> 20) & 15u, eac_modifiers((high >> 16) & 15u), indices);
}

int eac_modifier(EacColumn column, uint y) {
  uint index = column.indices >> (9u - 3u * y);
  int magnitude = int((column.modifiers >> ((index & 3u) << 2)) & 15u);
  return (index & 4u) != 0u ? magnitude - 1 : -magnitude;
}

// 11 bits in 16: UNORM or SNORM by NUMERIC. A multiplier of 0 stands for 1/8.
uint eac_value(EacColumn column, uint y) {
  int modifier = eac_modifier(column, y) * (column.multiplier == 0u ? 1 : int(column.multiplier) * 8);
  if (NUMERIC == 2u) {
    int base = max(bitfieldExtract(int(column.base), 0, 8), -127);
    int value = clamp(base * 8 + modifier, -1023, 1023), magnitude = abs(value);
    magnitude = magnitude << 5 | magnitude >> 5;
    return uint(value < 0 ? -magnitude : magnitude) & 0xFFFFu;
  }
  uint value = uint(clamp(int(column.base) * 8 + 4 + modifier, 0, 2047));
  return value << 5 | value >> 6;
}

// The eight values that a block's texels take, by index, and 24 bits of indices for every two columns, the first texel highest.
struct EacBlock {
  uvec4 low, high;
  uvec2 indices;
};
EacBlock parse_eac(uvec2 source) {
  EacColumn column = eac_column(source, 0u);
  uint high = swap_bytes(source.x), low = swap_bytes(source.y);
  EacBlock block;
  block.indices = eac_indices(high, low);
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    column.indices = i;
    block.low[i] = eac_value(column, 3u);
    column.indices = i + 4u;
    block.high[i] = eac_value(column, 3u);
  }
  return block;
}

#if defined(DECODER_EAC_R)
#define Texel uint // 16 bits
#define Column EacColumn

Column block_column(uvec2 block, uint x) { return eac_column(block, x); }
Texel column_texel(Column column, uint y) { return eac_value(column, y); }
#elif defined(DECODER_EAC_RG)
#define Texel uvec2 // 16 bits each

struct Column {
  EacColumn red, green;
};

Column block_column(uvec4 block, uint x) { return Column(eac_column(block.xy, x), eac_column(block.zw, x)); }
Texel column_texel(Column column, uint y) { return uvec2(eac_value(column.red, y), eac_value(column.green, y)); }
#endif
