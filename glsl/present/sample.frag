// What a sampler makes of an image, one level and slice a draw: the texture coordinates run from corner to corner of the
// viewport, so a viewport of the level's size hits each texel's centre. VIEW is the view's type: 2 for 2D_ARRAY, 3 for 3D,
// 6 for CUBE.
#version 460

layout(push_constant) uniform Push {
    vec2 origin;  // added to the coordinates, to sample beyond the image
    float level;
    float slice;  // array layer; for 3D the coordinate itself; for cubes the face
} push;

#if VIEW == 2
layout(set = 0, binding = 0) uniform sampler2DArray source;
#elif VIEW == 3
layout(set = 0, binding = 0) uniform sampler3D source;
#else
layout(set = 0, binding = 0) uniform samplerCube source;

// The direction that hits (s, t) of a face (Vulkan specification, "Cube Map Face Selection").
vec3 direction(vec2 place, int face) {
    vec2 st = place * 2.0 - 1.0;
    switch (face) {
        case 0: return vec3(1.0, -st.y, -st.x);
        case 1: return vec3(-1.0, -st.y, st.x);
        case 2: return vec3(st.x, 1.0, st.y);
        case 3: return vec3(st.x, -1.0, -st.y);
        case 4: return vec3(st.x, -st.y, 1.0);
        default: return vec3(-st.x, -st.y, -1.0);
    }
}
#endif

layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;

void main() {
#if VIEW == 6
    colour = textureLod(source, direction(place + push.origin, int(push.slice)), push.level);
#else
    colour = textureLod(source, vec3(place + push.origin, push.slice), push.level);
#endif
}
