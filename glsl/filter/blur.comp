// Blur: five texels with the weights 1, 4, 6, 4, 1, along rows and then along columns.
#version 460
#define BORDER 2
#include "scanline.glsl"

vec4 filtered(int at) {
    return line[at] * 0.375 + (line[at - 1] + line[at + 1]) * 0.25 + (line[at - 2] + line[at + 2]) * 0.0625;
}
