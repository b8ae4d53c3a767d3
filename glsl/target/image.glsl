// The dimensionality of the target: a 3D image, or layers.
#if STORE_3D
#define TARGET_IMAGE uimage3D
#else
#define TARGET_IMAGE uimage2DArray
#endif
