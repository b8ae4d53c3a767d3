// One layer of one level of a depth pyramid as a draw: a fragment is a texel.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "level_taps.glsl"

layout(location = 0) out vec4 texel;

void main() {
    texel = texelOf(reduceTexel(ivec2(gl_FragCoord.xy), push.layer));
}
