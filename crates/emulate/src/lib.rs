//! ASTC, ETC2 and EAC images on devices that lack them.
//!
//! An [`Offer`] answers format and feature queries for a physical device. An [`Emulator`] holds the images of a device: it
//! creates them, says what memory they need, binds it, makes their views, and records the copies that meet them. What it
//! does not emulate it says so about, and the driver is called as if it were not there. A [`Recording`] belongs to a command
//! buffer and holds what its commands refer to.
//!
//! An emulated image is the *decoded plane*, a `VkImage` of the target format with the application's own handle, and,
//! where something may read the blocks again, the *compressed plane*, a buffer in the same memory. `docs/embedding.md`
//! walks through a host that adopts this crate; `docs/emulated-image.md` says what holds and why.

mod budget;
mod cache;
mod capture;
mod chain;
mod compute_state;
mod copy;
mod create;
mod emulator;
mod error;
mod features;
mod image;
mod map;
mod memory;
mod offer;
mod plane;
mod query;
mod recording;
mod recordings;
mod settings;
mod stats;
mod structures;
mod timing;
mod view;

pub use cache::{CacheSettings, CacheStatistics};
pub use capture::{Capture, Captured};
pub use compute_state::ComputeState;
pub use copy::{ImagePair, KnownBuffer, PipelineBarrier, SourceAccess};
pub use emulator::{Emulator, EmulatorDesc, ImageReport};
pub use error::{Error, Result};
pub use features::DeviceCreateInfo;
pub use memory::MemoryAllocateInfo;
pub use offer::{Families, Offer};
pub use recording::{Queue, Recording};
pub use settings::{KeepBlocks, Policy, Pressure, Rule, Settings};
pub use stats::{FormatStatistics, Path, Statistics};
pub use texemu_transcode::{Effort, ErrorColor};
