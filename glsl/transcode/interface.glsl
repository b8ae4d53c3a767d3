// What every transcoding kernel shares with texemu-transcode: push constants, specialization constants, binding numbers.
//
// A region of blocks is numbered over all its slices: block `n` lies in slice n / blocks_per_slice, row
// (n % blocks_per_slice) / columns, column n % columns. Kernels with a re-blocking encoder number target tiles instead.

layout(constant_id = 0) const uint FOOTPRINT_WIDTH = 4;
layout(constant_id = 1) const uint FOOTPRINT_HEIGHT = 4;
// The numeric type: 0 UNORM, 1 SRGB, 2 SNORM, 3 SFLOAT.
layout(constant_id = 2) const uint NUMERIC = 0;
// 3: blocks a workgroup (Tile), 4: invocations a workgroup, 5 and 6: lanes a block that unpack weights and colours, 8: units that
// are decoded at a time.
// What an illegal block decodes to, RGBA8 with R in the low byte.
layout(constant_id = 7) const uint ERROR_COLOUR = 0xFFFF00FFu;

layout(push_constant) uniform Push {
  // Texel buffer, storage buffer: the first block, blocks a row, blocks a slice. Storage image: column, row, slice.
  uvec3 source;
  uint columns;           // blocks a row of the region
  uvec3 target_offset;    // the region's first texel, and its first layer or depth slice
  uint blocks_per_slice;
  uvec2 target_extent;    // texels to write; what edge blocks hold beyond is dropped
  uint first_block;       // where this dispatch starts in the region's numbering
  uint end_block;         // and where it ends
  // By which to divide by columns and by blocks_per_slice: multiplier and shift, see quotient().
  uvec2 column_divisor;
  uvec2 slice_divisor;
} push;

#define BINDING_SOURCE 0
#define BINDING_TARGET 1
