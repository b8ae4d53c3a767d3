//! Decoding and re-encoding blocks on the GPU.
//!
//! A [`Transcoder`] holds the pipelines. [`Transcoder::record`] writes the work of some [`Job`]s into the caller's command
//! buffer: a barrier, the dispatches, a barrier. It submits nothing, waits for nothing, and takes what it needs from the
//! caller's [`Arena`](texemu_core::Arena).
//!
//! The modules follow the way of a job: [`Job`] says what is wanted, `choose` picks the kernel, `plan` cuts the regions
//! into dispatches, `record` writes them down.

mod barrier;
mod block_buffer;
mod choose;
mod error;
mod job;
mod kernels;
mod plan;
mod record;
mod tables;
mod views;

pub use choose::{Choice, Configuration};
pub use error::{Error, Result};
pub use job::{ErrorColor, Job, Options, Region, Source, Target};
pub use kernels::has_kernel;
pub use plan::DispatchLimits;
pub use record::{Recorded, Transcoder};
pub use tables::TABLES;
pub use texemu_shaders::{Effort, Granularity, SourceKind, Staging, Store};
