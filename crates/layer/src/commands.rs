//! What belongs to each command buffer.

use crate::device::Emulation;
use ash::vk;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use texemu_emulate::{ComputeState, Emulator, Queue, Recording};
use vk::Handle;

const SHARDS: usize = 16;

/// The command buffers of a device, and the pools they come from.
#[derive(Debug)]
pub(crate) struct CommandBuffers {
    shards: [RwLock<HashMap<u64, Arc<Mutex<CommandState>>>>; SHARDS],
    pools: Mutex<HashMap<u64, Pool>>,
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

impl CommandBuffers {
    fn shard(&self, key: u64) -> &RwLock<HashMap<u64, Arc<Mutex<CommandState>>>> {
        // Handles are addresses: multiply so that they spread.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
        &self.shards[hash as usize % SHARDS]
    }

    fn state(&self, key: u64) -> Option<Arc<Mutex<CommandState>>> {
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    /// Runs `run` with the state of a command buffer; `None` if it is unknown.
    pub(crate) fn with<T>(
        &self,
        commands: vk::CommandBuffer,
        run: impl FnOnce(&mut CommandState) -> T,
    ) -> Option<T> {
        let state = self.state(commands.as_raw())?;
        let mut state = lock(&state);
        Some(run(&mut state))
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
            let state = Arc::new(Mutex::new(state));
            self.shard(key).write().unwrap_or_else(PoisonError::into_inner).insert(key, state);
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
            if let Some(state) = self.state(key) {
                // SAFETY: the caller's promise.
                unsafe { lock(&state).release(emulation) };
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
        let state = self.shard(key).write().unwrap_or_else(PoisonError::into_inner).remove(&key);
        if let Some(state) = state {
            // SAFETY: the caller's promise.
            unsafe { lock(&state).release(emulation) };
        }
    }
}
