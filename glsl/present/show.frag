// What the viewer shows of an image: its colours as a screen takes them, over a checkerboard where they are transparent; single
// channels as grey; or the difference of two images. VIEW is the views' type: 2 for 2D_ARRAY, 3 for 3D.
#version 460
#include "show.glsl"

#if VIEW == 2
layout(set = 0, binding = 0) uniform sampler2DArray image;
layout(set = 0, binding = 1) uniform sampler2DArray other;
#else
layout(set = 0, binding = 0) uniform sampler3D image;
layout(set = 0, binding = 1) uniform sampler3D other;
#endif

layout(location = 0) in vec2 coordinates;
layout(location = 0) out vec4 colour;

const float CHECKER = 8.0;  // pixels

bool has(uint flag) {
    return (push.flags & flag) != 0u;
}

// The sRGB transfer function (Khronos Data Format Specification, "sRGB transfer functions").
vec3 encoded(vec3 linear) {
    return mix(1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, linear * 12.92, lessThanEqual(linear, vec3(0.0031308)));
}

vec3 decoded(vec3 code) {
    return mix(pow((code + 0.055) / 1.055, vec3(2.4)), code / 12.92, lessThanEqual(code, vec3(0.04045)));
}

// A texel as code values from 0 to 1. Alpha knows neither exposure nor transfer function.
vec4 displayed(vec4 texel) {
    vec3 rgb = texel.rgb * push.gain;
    float alpha = texel.a;
    if (has(FLAG_MAGNITUDE)) {
        rgb = abs(rgb);
        alpha = abs(alpha);
    }
    if (has(FLAG_SIGNED)) {
        rgb = rgb * 0.5 + 0.5;
    }
    rgb = clamp(rgb, 0.0, 1.0);
    if (has(FLAG_LINEAR)) {
        rgb = encoded(rgb);
    }
    return vec4(rgb, clamp(alpha, 0.0, 1.0));
}

void main() {
    vec3 place = vec3(coordinates, push.slice);
    vec4 shown = displayed(textureLod(image, place, push.level));
    if (has(FLAG_DIFFERENCE)) {
        shown = abs(displayed(textureLod(other, place, push.level)) - shown) * push.amplification;
        shown = clamp(shown, 0.0, 1.0);
    }
    vec3 code = shown.rgb;
    if (push.channel >= CHANNEL_RED) {
        uint channel = push.channel - CHANNEL_RED;
        code = vec3(channel == 0u ? shown.r : channel == 1u ? shown.g : channel == 2u ? shown.b : shown.a);
    } else if (push.channel == CHANNEL_COLOUR && !has(FLAG_DIFFERENCE) && !has(FLAG_MAGNITUDE)) {
        ivec2 square = ivec2(floor((gl_FragCoord.xy - push.origin) / CHECKER));
        float checker = ((square.x + square.y) & 1) == 0 ? 0.6 : 0.4;
        vec3 above = has(FLAG_PREMULTIPLIED) ? code : code * shown.a;
        code = min(above + checker * (1.0 - shown.a), vec3(1.0));
    }
    colour = vec4(has(FLAG_ENCODES) ? decoded(code) : code, 1.0);
}
