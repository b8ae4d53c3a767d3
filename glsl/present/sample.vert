// One triangle that covers the viewport; hands on the place inside it, from 0 to 1.
#version 460

layout(location = 0) out vec2 place;

void main() {
    place = vec2(gl_VertexIndex << 1 & 2, gl_VertexIndex & 2);
    gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0);
}
