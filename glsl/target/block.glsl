// A BC block as the target keeps it. TARGET_BLOCK_BYTES is 8 or 16.
#if TARGET_BLOCK_BYTES == 8
#define TargetBlock uvec2
#else
#define TargetBlock uvec4
#endif
