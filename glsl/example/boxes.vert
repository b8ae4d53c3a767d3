#version 460
// A box an instance, as a strip of 14 vertices. For examples/occlusion.rs.

layout(push_constant) uniform Push { mat4 clip_from_world; } push;
layout(location = 0) in vec4 low;
layout(location = 1) in vec4 high;

void main() {
    int corner = 1 << gl_VertexIndex;
    bvec3 upper = bvec3((0x287a & corner) != 0, (0x02af & corner) != 0, (0x31e3 & corner) != 0);
    gl_Position = push.clip_from_world * vec4(mix(low.xyz, high.xyz, upper), 1.0);
}
