//! Recordings found by their command buffer, for embedders that see commands one by one: layers and C hosts.

use crate::emulator::Emulator;
use crate::error::Result;
use crate::recording::{Queue, Recording};
use std::sync::{Arc, Mutex, PoisonError};
use texemu_core::vk;

impl Emulator {
    /// Calls `record` with the recording of `commands`, made now if there is none yet, for the kind of queue given.
    ///
    /// The command buffer's own synchronization covers the recording too. Recordings stay until
    /// [`Emulator::forget_commands`].
    pub fn with_recording<T>(
        &self,
        commands: vk::CommandBuffer,
        queue: Queue,
        record: impl FnOnce(&mut Recording) -> T,
    ) -> T {
        let recording = self.recordings.get(commands).unwrap_or_else(|| {
            let recording = Arc::new(Mutex::new(self.recording(queue)));
            self.recordings.insert(commands, recording.clone());
            recording
        });
        let mut recording = recording.lock().unwrap_or_else(PoisonError::into_inner);
        record(&mut recording)
    }

    /// As [`Emulator::with_recording`], for a recording that is there; costs one load if no command buffer has one.
    pub fn with_existing_recording<T>(
        &self,
        commands: vk::CommandBuffer,
        record: impl FnOnce(&mut Recording) -> T,
    ) -> Option<T> {
        let recording = self.recordings.get(commands)?;
        let mut recording = recording.lock().unwrap_or_else(PoisonError::into_inner);
        Some(record(&mut recording))
    }

    /// `vkBeginCommandBuffer` or `vkResetCommandBuffer`: takes back what was recorded before. Costs one load if no command
    /// buffer has a recording.
    ///
    /// # Safety
    /// The command buffer is not pending, as both commands demand.
    #[doc(alias = "vkBeginCommandBuffer")]
    pub unsafe fn begin_commands(&self, commands: vk::CommandBuffer) -> Result<()> {
        // SAFETY: what was recorded has run, or never will.
        self.with_existing_recording(commands, |recording| unsafe { self.reset(recording) }).unwrap_or(Ok(()))
    }

    /// `vkFreeCommandBuffers`, or its pool is destroyed: gives the recording back to the pool.
    ///
    /// # Safety
    /// The command buffer is not pending and is not recorded any more.
    #[doc(alias = "vkFreeCommandBuffers")]
    pub unsafe fn forget_commands(&self, commands: vk::CommandBuffer) -> Result<()> {
        let Some(recording) = self.recordings.remove(commands) else { return Ok(()) };
        // Nobody else records into a command buffer that is being freed.
        let Ok(recording) = Arc::try_unwrap(recording) else { return Ok(()) };
        let recording = recording.into_inner().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the caller's promise.
        unsafe { self.recycle(recording) }
    }
}
