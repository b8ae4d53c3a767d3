#version 460
// The yardstick: each invocation reads 16 bytes and writes them.
// Dispatch: ceil(count / 256), 1, 1.
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { uint count; };  // elements of 16 bytes
layout(set = 0, binding = 0, std430) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Target { uvec4 destination[]; };

void main() {
  uint index = gl_GlobalInvocationID.x;
  if (index < count) destination[index] = source[index];
}
