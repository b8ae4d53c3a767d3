// The look-up tables of crates/transcode/src/tables.rs.
#ifndef TRANSCODE_TABLES
#define TRANSCODE_TABLES

layout(set = 0, binding = 2, std430) readonly buffer Tables {
  uvec4 weight_ranges[32];
  uvec4 colour_ranges[32];
  uint digits[512];        // by eight packed bits of five trits; 256: seven of three quints; 384: none
  uint block_modes[2048];
  uint colour_fits[1280];  // by [values / 2][bits left]
  uvec2 partition_functions[3072]; // by [partitions - 2][seed]
  uint solid_pairs[512];   // by [thirds, halves][value]
  uint two_subsets[64];    // of BC7's partitions into two, the first 32 BC6H's: bit k says that texel k is in subset 1
};

#endif
