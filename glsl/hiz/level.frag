// One level of a depth pyramid as a draw: a fragment is a texel. The layer comes with the push constants, and the view index where one
// draw fills several layers (MULTIVIEW).
#version 460
#extension GL_GOOGLE_include_directive : require
#ifdef MULTIVIEW
#extension GL_EXT_multiview : require
#endif

#include "level_taps.glsl"

layout(location = 0) out vec4 texel;

void main() {
    int layer = push.layer;
#ifdef MULTIVIEW
    layer += gl_ViewIndex;
#endif
    texel = texelOf(reduceTexel(ivec2(gl_FragCoord.xy), layer));
}
