// For tests: writes one sample of a multisampled depth image, chosen by the pipeline's sample mask.
#version 460

layout(set = 0, binding = 0) uniform sampler2DArray values; // a layer a sample

layout(push_constant) uniform Push { int layer; } push;

void main() { gl_FragDepth = texelFetch(values, ivec3(gl_FragCoord.xy, push.layer), 0).x; }
