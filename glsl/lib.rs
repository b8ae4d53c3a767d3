//! The shaders.
