//! Submitting work to an owned device and timing it.

use crate::error::{Context, Result};
use crate::gpu::Gpu;
use ash::vk;

/// A command buffer with its pool and fence, for programs and tests that own their device.
#[derive(Debug)]
pub struct Commands {
    gpu: Gpu,
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
}

impl Commands {
    /// Makes pool, buffer and fence.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let device = gpu.device();
        let mut commands = Self {
            gpu: gpu.clone(),
            pool: vk::CommandPool::null(),
            buffer: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
        };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.queue_family());
        // SAFETY: the queue family is the one the device was made with.
        commands.pool = unsafe { device.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(commands.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool was just made and is used here alone.
        let buffers = unsafe { device.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?;
        commands.buffer = buffers[0];
        // SAFETY: the device is alive.
        commands.fence =
            unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }.call("vkCreateFence")?;
        Ok(commands)
    }

    /// Records with `record`, submits, and waits until the device is done. Returns what `record` returned.
    pub fn run<T, E: From<crate::Error>>(
        &mut self,
        record: impl FnOnce(vk::CommandBuffer) -> Result<T, E>,
    ) -> Result<T, E> {
        self.begin()?;
        let value = record(self.buffer)?;
        self.submit()?;
        Ok(value)
    }

    fn begin(&mut self) -> Result<()> {
        let device = self.gpu.device();
        // SAFETY: `submit` waits, so the device is done with the pool's buffer.
        unsafe { device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty()) }
            .call("vkResetCommandPool")?;
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: just reset.
        unsafe { device.begin_command_buffer(self.buffer, &info) }.call("vkBeginCommandBuffer")
    }

    fn submit(&mut self) -> Result<()> {
        let device = self.gpu.device();
        // SAFETY: in the recording state since `begin`.
        unsafe { device.end_command_buffer(self.buffer) }.call("vkEndCommandBuffer")?;
        let buffers = [self.buffer];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        {
            let queue = self.gpu.queue()?;
            // SAFETY: the queue is locked; buffer and fence are this object's own.
            unsafe { device.queue_submit(*queue, &submits, self.fence) }.call("vkQueueSubmit")?;
        }
        let fences = [self.fence];
        // SAFETY: the fence was just submitted.
        unsafe { device.wait_for_fences(&fences, true, u64::MAX) }.call("vkWaitForFences")?;
        // SAFETY: it has passed.
        unsafe { device.reset_fences(&fences) }.call("vkResetFences")
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        let device = self.gpu.device();
        // SAFETY: `run` waits, so nothing is in flight; null handles are legal.
        unsafe { device.destroy_fence(self.fence, None) };
        // SAFETY: as above; the buffer goes with its pool.
        unsafe { device.destroy_command_pool(self.pool, None) };
    }
}

/// Timestamp queries.
#[derive(Debug)]
pub struct Timestamps {
    gpu: Gpu,
    pool: vk::QueryPool,
    count: u32,
}

impl Timestamps {
    /// `count` queries.
    pub fn new(gpu: &Gpu, count: u32) -> Result<Self> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the device is alive.
        let pool = unsafe { gpu.device().create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        Ok(Self { gpu: gpu.clone(), pool, count })
    }

    /// Makes all queries writable again; goes before the first [`Timestamps::write`] of a command buffer.
    ///
    /// # Safety
    /// `commands` is being recorded on this device, outside a render pass.
    pub unsafe fn reset(&self, commands: vk::CommandBuffer) {
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().cmd_reset_query_pool(commands, self.pool, 0, self.count) };
    }

    /// Writes the time at which everything recorded before has run.
    ///
    /// # Safety
    /// As [`Timestamps::reset`], and `index` is below the count.
    pub unsafe fn write(&self, commands: vk::CommandBuffer, index: u32) {
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().cmd_write_timestamp(commands, stage, self.pool, index) };
    }

    /// Nanoseconds between each query and the next, once the commands have run.
    pub fn nanoseconds(&self) -> Result<Vec<f64>> {
        let mut values = vec![0u64; self.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the pool has that many queries, all written.
        unsafe { self.gpu.device().get_query_pool_results(self.pool, 0, &mut values, flags) }
            .call("vkGetQueryPoolResults")?;
        let period = f64::from(self.gpu.capabilities().limits.timestamp_period);
        Ok(values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as f64 * period).collect())
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        // SAFETY: the owner promises that the device is done with the pool.
        unsafe { self.gpu.device().destroy_query_pool(self.pool, None) };
    }
}
