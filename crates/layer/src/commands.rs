//! What belongs to each command buffer.
//!
//! A command buffer is used by one thread at a time, and so is what belongs to it: no lock guards it. A thread that keeps
//! recording into one command buffer finds it without a look into the maps.

use crate::device::Emulation;
use ash::vk;
use std::cell::{Cell, UnsafeCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use texemu_emulate::{ComputeState, Emulator, Queue, Recording};
use vk::Handle;

const SHARDS: usize = 16;

/// The command buffers of a device, and the pools they come from.
#[derive(Debug)]
pub(crate) struct CommandBuffers {
    shards: [RwLock<HashMap<u64, Arc<Slot>>>; SHARDS],
    pools: Mutex<HashMap<u64, Pool>>,
}

/// Counts command buffers that are gone: what threads remember from before is not trusted.
static EPOCH: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The command buffer that this thread used last: its handle, the epoch, where its state is.
    static LAST: Cell<(u64, u64, *const Slot)> = const { Cell::new((0, 0, std::ptr::null())) };
}

/// The state of one command buffer.
#[derive(Debug)]
struct Slot(UnsafeCell<CommandState>);

// SAFETY: a slot is reached by its command buffer or that one's pool, which Vulkan has applications synchronize.
unsafe impl Sync for Slot {}

impl Slot {
    /// # Safety
    /// The call comes from a command that command buffer or pool are externally synchronized for, and does not reach the
    /// same command buffer again while the reference lives.
    #[expect(clippy::mut_from_ref, reason = "the application's own synchronization stands for a lock")]
    unsafe fn state(&self) -> &mut CommandState {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.0.get() }
    }
}

#[derive(Debug)]
struct Pool {
    queue: Queue,
    buffers: Vec<u64>,
}

/// One command buffer, between its begin and the end of its work.
#[derive(Debug)]
pub(crate) struct CommandState {
    queue: Queue,
    /// Made for the first command that needs one.
    recording: Option<Recording>,
    /// The compute state until there is a recording, which has its own.
    state: ComputeState,
    /// What a command ran into; `vkEndCommandBuffer` returns it.
    pub(crate) failure: Option<vk::Result>,
}

impl CommandState {
    pub(crate) fn compute(&mut self) -> &mut ComputeState {
        match &mut self.recording {
            Some(recording) => &mut recording.state,
            None => &mut self.state,
        }
    }

    pub(crate) fn recording(&mut self, emulator: &Emulator) -> &mut Recording {
        let (queue, state) = (self.queue, &mut self.state);
        self.recording.get_or_insert_with(|| {
            let mut recording = emulator.recording(queue);
            recording.state = std::mem::take(state);
            recording
        })
    }

    /// Begins anew.
    ///
    /// # Safety
    /// The device is done with what was recorded before.
    pub(crate) unsafe fn reset(&mut self, emulation: &Emulation) {
        self.failure = None;
        self.state.clear();
        if let Some(recording) = &mut self.recording {
            emulation.validate(recording);
            // SAFETY: the caller's promise.
            log_failure(unsafe { emulation.emulator.reset(recording) });
        }
    }

    /// Gives everything back.
    ///
    /// # Safety
    /// As [`CommandState::reset`].
    unsafe fn release(&mut self, emulation: &Emulation) {
        self.failure = None;
        self.state.clear();
        if let Some(mut recording) = self.recording.take() {
            emulation.validate(&mut recording);
            // SAFETY: the caller's promise.
            log_failure(unsafe { emulation.emulator.recycle(recording) });
        }
    }
}

fn log_failure(result: texemu_emulate::Result<()>) {
    if let Err(error) = result {
        log::warn!("taking back a recording: {error}");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for CommandBuffers {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()), pools: Mutex::default() }
    }
}

impl Drop for CommandBuffers {
    fn drop(&mut self) {
        EPOCH.fetch_add(1, Ordering::AcqRel);
    }
}

impl CommandBuffers {
    fn shard(&self, key: u64) -> &RwLock<HashMap<u64, Arc<Slot>>> {
        // Handles are addresses: multiply so that they spread.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
        &self.shards[hash as usize % SHARDS]
    }

    fn slot(&self, key: u64) -> Option<Arc<Slot>> {
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    /// Runs `run` with the state of a command buffer; `None` if it is unknown. For commands that the command buffer is
    /// externally synchronized for; `run` does not come back here.
    pub(crate) fn with<T>(
        &self,
        commands: vk::CommandBuffer,
        run: impl FnOnce(&mut CommandState) -> T,
    ) -> Option<T> {
        let key = commands.as_raw();
        let epoch = EPOCH.load(Ordering::Acquire);
        let (last, at, mut slot) = LAST.get();
        if (last, at) != (key, epoch) {
            // The map keeps it, until the command buffer is gone and the epoch another.
            slot = Arc::as_ptr(&self.slot(key)?);
            LAST.set((key, epoch, slot));
        }
        // SAFETY: in the map, since the epoch has not changed, and not freed meanwhile: that would need synchronization too.
        let slot = unsafe { &*slot };
        // SAFETY: called for a command on the command buffer.
        Some(run(unsafe { slot.state() }))
    }

    pub(crate) fn add_pool(&self, pool: vk::CommandPool, queue: Queue) {
        lock(&self.pools).insert(pool.as_raw(), Pool { queue, buffers: Vec::new() });
    }

    pub(crate) fn add(&self, pool: vk::CommandPool, buffers: &[vk::CommandBuffer]) {
        let mut pools = lock(&self.pools);
        let Some(pool) = pools.get_mut(&pool.as_raw()) else { return };
        for buffer in buffers {
            let key = buffer.as_raw();
            let state = CommandState {
                queue: pool.queue,
                recording: None,
                state: ComputeState::default(),
                failure: None,
            };
            pool.buffers.push(key);
            let slot = Arc::new(Slot(UnsafeCell::new(state)));
            self.shard(key).write().unwrap_or_else(PoisonError::into_inner).insert(key, slot);
        }
    }

    /// # Safety
    /// The device is done with the command buffers.
    pub(crate) unsafe fn free(
        &self,
        emulation: &Emulation,
        pool: vk::CommandPool,
        buffers: &[vk::CommandBuffer],
    ) {
        let keys: Vec<u64> = buffers.iter().map(|buffer| buffer.as_raw()).collect();
        if let Some(pool) = lock(&self.pools).get_mut(&pool.as_raw()) {
            pool.buffers.retain(|key| !keys.contains(key));
        }
        for key in keys {
            // SAFETY: the caller's promise.
            unsafe { self.remove(emulation, key) };
        }
    }

    /// # Safety
    /// As [`CommandBuffers::free`], for all of the pool's.
    pub(crate) unsafe fn reset_pool(&self, emulation: &Emulation, pool: vk::CommandPool) {
        let keys = lock(&self.pools).get(&pool.as_raw()).map(|pool| pool.buffers.clone());
        for key in keys.unwrap_or_default() {
            if let Some(slot) = self.slot(key) {
                // SAFETY: a pool is synchronized together with its command buffers.
                let state = unsafe { slot.state() };
                // SAFETY: the caller's promise.
                unsafe { state.release(emulation) };
            }
        }
    }

    /// # Safety
    /// As [`CommandBuffers::reset_pool`].
    pub(crate) unsafe fn destroy_pool(&self, emulation: &Emulation, pool: vk::CommandPool) {
        let pool = lock(&self.pools).remove(&pool.as_raw());
        for key in pool.map(|pool| pool.buffers).unwrap_or_default() {
            // SAFETY: the caller's promise.
            unsafe { self.remove(emulation, key) };
        }
    }

    /// # Safety
    /// The device is done with the command buffer.
    unsafe fn remove(&self, emulation: &Emulation, key: u64) {
        EPOCH.fetch_add(1, Ordering::AcqRel);
        let slot = self.shard(key).write().unwrap_or_else(PoisonError::into_inner).remove(&key);
        if let Some(slot) = slot {
            // SAFETY: the command buffer is gone: nothing else reaches it.
            let state = unsafe { slot.state() };
            // SAFETY: the caller's promise.
            unsafe { state.release(emulation) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffers(keys: &[u64]) -> Vec<vk::CommandBuffer> {
        keys.iter().map(|&key| vk::CommandBuffer::from_raw(key)).collect()
    }

    #[test]
    fn threads_find_their_command_buffers_and_no_others() {
        let commands = CommandBuffers::default();
        let pool = vk::CommandPool::from_raw(1);
        commands.add_pool(pool, Queue::Compute);
        let keys: Vec<u64> = (1..200).map(|key| key * 64).collect();
        commands.add(pool, &buffers(&keys));
        std::thread::scope(|scope| {
            for part in keys.chunks(50) {
                scope.spawn(|| {
                    for round in 0..100 {
                        for (key, buffer) in part.iter().zip(buffers(part)) {
                            let failure = vk::Result::from_raw((key + round) as i32);
                            let before = commands.with(buffer, |state| state.failure.replace(failure));
                            let expected =
                                (round > 0).then(|| vk::Result::from_raw((key + round - 1) as i32));
                            assert_eq!(before, Some(expected), "what this thread left there");
                        }
                    }
                });
            }
        });
        assert!(commands.with(vk::CommandBuffer::from_raw(7), |_| ()).is_none(), "unknown");
    }

    #[test]
    fn what_a_thread_remembers_goes_with_the_device() {
        let pool = vk::CommandPool::from_raw(1);
        let own = buffers(&[64]);
        for round in 0..3 {
            let commands = CommandBuffers::default();
            commands.add_pool(pool, Queue::Compute);
            commands.add(pool, &own);
            let failure = commands.with(own[0], |state| state.failure.replace(vk::Result::NOT_READY));
            assert_eq!(failure, Some(None), "round {round}: the same handle, another command buffer");
        }
    }
}
