// Edges: the difference of the right and the left neighbour, along rows and then along columns.
#version 460
#define BORDER 1
#include "scanline.glsl"

vec4 filtered(int at) {
    return line[at + 1] - line[at - 1];
}
