#version 460
// Reads a buffer and writes nothing of it: what it leaves in the caches is clean and not what comes next.
// Dispatch: ceil(count / 256), 1, 1.
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { uint count; };  // elements of 16 bytes
layout(set = 0, binding = 0, std430) buffer Source { uvec4 source[]; };

void main() {
  uint index = gl_GlobalInvocationID.x;
  // The buffer holds zeros alone, which the compiler cannot know.
  if (index < count && source[index] == uvec4(1, 2, 3, 4)) source[index] = uvec4(0);
}
