//! Nothing to call: depending on this crate adds to the link what Debian's `libshaderc_combined.a` lacks.
//!
//! Debian packages shaderc without glslang and SPIRV-Tools inside; the archives of those come with `glslang-dev` and
//! `spirv-tools`. Where the combined archive is complete (the Vulkan SDK, Fedora), the build script stays silent.
