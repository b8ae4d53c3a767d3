//! Empty: the package is its test, which draws through the layer with wgpu.
