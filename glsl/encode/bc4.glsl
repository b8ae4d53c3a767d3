// BC4, UNORM or SNORM. One invocation encodes one block of 16 values.
// The includer defines `uint encode_value(uint, uint)`, EFFORT_HIGH and ENCODE_SNORM; see channel.glsl.
#include "channel.glsl"

uvec2 encode_block() { return scalar_block(CHANNEL_BIAS); }
