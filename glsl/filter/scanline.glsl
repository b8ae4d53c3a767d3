// One pass of a separable filter: a workgroup reads a piece of a row into shared memory, with BORDER texels on both sides, and
// stores what filtered() makes of it at transposed coordinates, so that the same shader run twice works on rows and columns and
// leaves the image upright. Texels beyond the edge are those at the edge.
//
// Dispatch: one workgroup for TILE texels of a row in x, one for each row in y. The file that includes this defines BORDER, at
// most TILE / 2, and filtered(), which reads line[at - BORDER] to line[at + BORDER].

const int TILE = 256;

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, rgba32f) readonly uniform image2D source;
// As wide as the source is high, and as high as it is wide.
layout(set = 0, binding = 1, rgba32f) writeonly uniform image2D target;

shared vec4 line[TILE + 2 * BORDER];

vec4 filtered(int at);

void load(int at, int column, ivec2 size, int row) {
    line[at] = imageLoad(source, ivec2(clamp(column, 0, size.x - 1), row));
}

void main() {
    ivec2 size = imageSize(source);
    int row = int(gl_WorkGroupID.y);
    int first = int(gl_WorkGroupID.x) * TILE;
    int at = int(gl_LocalInvocationID.x);
    load(at, first + at - BORDER, size, row);
    if (at < 2 * BORDER) {
        load(at + TILE, first + at + TILE - BORDER, size, row);
    }
    barrier();
    if (first + at < size.x) {
        imageStore(target, ivec2(row, first + at), filtered(at + BORDER));
    }
}
