// BC4, UNORM or SNORM. One invocation encodes one block of 16 values.
// See channel.glsl for what the includer defines.
#include "channel.glsl"

uvec2 encode_block() { return channel_block(); }
