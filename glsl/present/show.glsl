// What a draw of the viewer is told; shared by its vertex and its fragment shader.

layout(push_constant) uniform Push {
    vec4 place;        // clip space: left, top, right, bottom of the quad
    vec4 coordinates;  // texture coordinates at the same corners
    vec2 origin;       // the pixel where the checkerboard starts
    float level;
    float slice;       // array layer; for 3D the coordinate itself
    float gain;        // what colours are multiplied by
    float amplification;  // what differences are multiplied by
    uint channel;      // CHANNEL_*
    uint flags;        // FLAG_*
} push;

const uint CHANNEL_COLOUR = 0u;  // over a checkerboard where alpha is below 1
const uint CHANNEL_RGB = 1u;     // alpha left aside
const uint CHANNEL_RED = 2u;     // these four alone, as grey
const uint CHANNEL_ALPHA = 5u;

const uint FLAG_LINEAR = 1u;         // sampled colours are linear light: sRGB and floating-point formats
const uint FLAG_SIGNED = 2u;         // -1 to 1: shown from black to white, 0 as middle grey
const uint FLAG_MAGNITUDE = 4u;      // signed values of which the size counts
const uint FLAG_DIFFERENCE = 8u;     // how far the second image is from the first
const uint FLAG_PREMULTIPLIED = 16u;
const uint FLAG_ENCODES = 32u;       // the attachment turns linear light into sRGB itself
