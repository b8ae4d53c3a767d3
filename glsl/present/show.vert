// A quad: two triangles in a strip of four vertices. Hands on the texture coordinates.
#version 460
#include "show.glsl"

layout(location = 0) out vec2 coordinates;

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    coordinates = mix(push.coordinates.xy, push.coordinates.zw, corner);
    gl_Position = vec4(mix(push.place.xy, push.place.zw, corner), 0.0, 1.0);
}
