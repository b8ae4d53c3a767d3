// What BC4 and BC5 share: 16-bit values in sixteenths of an endpoint step, and the channel being encoded.
// The includer defines `uint encode_value(uint, uint)`, or SCALAR_PALETTE (see palette.glsl), EFFORT_HIGH and ENCODE_SNORM (0: UNORM16, 1: SNORM16; a specialization constant will do).
#ifndef ENCODE_SNORM
#define ENCODE_SNORM 0
#endif
#define SCALAR_UNIT 16
#define SCALAR_TOP (ENCODE_SNORM != 0 ? 254 : 255)

// 16 bits in sixteenths.
int channel_units(uint value) {
  if (ENCODE_SNORM != 0) {
    // -32767 is 0 and 32767 is 254 * 16; -32768 is -1 as well.
    uint above = uint(max(bitfieldExtract(int(value), 0, 16), -32767) + 32767);
    return int((above * 4064u + 32767u) / 65534u);
  }
  // 65535 is 255 * 16.
  return int(((value & 0xFFFFu) * 4080u + 32767u) / 65535u);
}

uint channel_encoded = 0u;
#ifdef SCALAR_PALETTE
#include "palette.glsl"
#else
int scalar_value(uint k) { return channel_units(encode_value(k, channel_encoded)); }
#endif
#define CHANNEL_BIAS (ENCODE_SNORM != 0 ? 127 : 0)
#include "scalar.glsl"

uvec2 channel_block() {
#ifdef SCALAR_PALETTE
  encode_palette(channel_encoded);
#endif
  return scalar_block(CHANNEL_BIAS);
}
