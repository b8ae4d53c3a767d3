//! `libtexemu`: emulated images, the transcoder and depth pyramids for C, and for every language that speaks C.
//!
//! `include/texemu.h` is generated from these sources (`cargo xtask header`), so the comments here are what its readers see.
//! Nothing is decided in this crate: each function checks its pointers, turns C's structures into those of the crates below,
//! and turns what they answer back.
//!
//! Rules that every export keeps: it returns a `VkResult`, or a plain value where nothing can fail; it never unwinds into its
//! caller ([`status::guard`]); it reads a structure only as far as its `struct_size` goes ([`versioned`]).
#![allow(non_camel_case_types, reason = "the names are those of the C interface")]

mod arena;
mod choices;
mod compute_state;
mod copy;
mod emulator;
mod format;
mod gpu;
mod hiz;
mod hiz_choices;
mod hiz_plan;
mod image;
mod memory;
mod offer;
mod pointer;
mod recording;
mod settings;
mod statistics;
mod status;
mod transcoder;
mod transfer;
mod versioned;

pub use arena::*;
pub use choices::*;
pub use compute_state::*;
pub use copy::*;
pub use emulator::*;
pub use format::*;
pub use gpu::*;
pub use hiz::*;
pub use hiz_choices::*;
pub use hiz_plan::*;
pub use image::*;
pub use memory::*;
pub use offer::*;
pub use recording::*;
pub use settings::*;
pub use statistics::*;
pub use status::*;
pub use transcoder::*;
pub use transfer::*;
