//! What belongs to one command buffer while it is recorded and until it has run.

use crate::cache::Cache;
use crate::capture::Capture;
use crate::compute_state::ComputeState;
use crate::copy::{Deferred, Encoded};
use crate::error::Result;
use crate::stats::Stats;
use crate::timing::Timing;
use texemu_core::{Arena, Buffer, Gpu};

/// The kind of queue a command buffer is recorded for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Queue {
    /// It can compute: blocks are decoded right behind the copy.
    #[default]
    Compute,
    /// It can only transfer: blocks are kept, and decoded on another queue, by the barrier that acquires the image there
    /// ([`Emulator::pipeline_barrier`](crate::Emulator::pipeline_barrier)) or before what is submitted there
    /// ([`Emulator::decode_copies`](crate::Emulator::decode_copies)).
    TransferOnly,
}

/// What belongs to one command buffer: the arena that its commands refer to, the application's compute state, timestamps.
///
/// Primary or secondary, submitted once or many times: a recording is made ([`Emulator::recording`]) or reset
/// ([`Emulator::reset`]) when its command buffer begins, and given back ([`Emulator::recycle`]) once that will not run
/// again. One thread at a time records into a command buffer, and so it is with this.
///
/// [`Emulator::recording`]: crate::Emulator::recording
/// [`Emulator::reset`]: crate::Emulator::reset
/// [`Emulator::recycle`]: crate::Emulator::recycle
#[derive(Debug)]
pub struct Recording {
    pub(crate) arena: Arena,
    pub(crate) queue: Queue,
    pub(crate) timing: Timing,
    /// What is left for a queue that can compute.
    pub(crate) deferred: Vec<Deferred>,
    /// Blocks out of the cache, while commands copy from them.
    pub(crate) staging: Vec<Buffer>,
    /// Blocks for the cache.
    pub(crate) encoded: Vec<Encoded>,
    /// Decodes for whoever compares them.
    pub(crate) captures: Vec<Capture>,
    /// What the application has bound for compute. Empty, and nothing is restored, unless it is told; see
    /// [`ComputeState`].
    pub state: ComputeState,
}

impl Recording {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            arena: Arena::new(gpu),
            queue: Queue::default(),
            timing: Timing::default(),
            deferred: Vec::new(),
            staging: Vec::new(),
            encoded: Vec::new(),
            captures: Vec::new(),
            state: ComputeState::default(),
        }
    }

    /// The kind of queue.
    pub fn queue(&self) -> Queue {
        self.queue
    }

    /// Bytes of device memory it holds for scratch.
    pub fn scratch_bytes(&self) -> u64 {
        self.arena.bytes()
    }

    /// # Safety
    /// The device is done with every command recorded with it.
    pub(crate) unsafe fn reset(&mut self, stats: &Stats, cache: Option<&Cache>) -> Result<()> {
        self.state.clear();
        self.deferred.clear();
        self.staging.clear();
        for encoded in self.encoded.drain(..) {
            if let Some(cache) = cache {
                encoded.keep(cache);
            }
        }
        self.timing.collect(stats);
        self.captures.clear();
        // SAFETY: the caller's promise.
        Ok(unsafe { self.arena.reset() }?)
    }
}
