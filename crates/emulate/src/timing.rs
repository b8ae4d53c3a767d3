//! How long decoding takes on the device: a pair of timestamps around each copy's.

use crate::error::{Context, Result};
use crate::stats::Stats;
use texemu_core::{Gpu, vk};
use texemu_format::Format;

/// Copies that one query pool times.
const COPIES: u32 = 64;

/// The timestamps of one recording.
#[derive(Debug, Default)]
pub(crate) struct Timing {
    pools: Vec<Pool>,
    used: usize,
}

#[derive(Debug)]
struct Pool {
    gpu: Gpu,
    handle: vk::QueryPool,
    formats: Vec<&'static Format>,
}

/// A pair of timestamps, half written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pool: vk::QueryPool,
    first: u32,
}

impl Timing {
    /// Writes the first timestamp.
    ///
    /// # Safety
    /// `commands` is being recorded on this device, outside a render pass, for a queue with valid timestamps.
    pub(crate) unsafe fn begin(
        &mut self,
        gpu: &Gpu,
        commands: vk::CommandBuffer,
        format: &'static Format,
    ) -> Result<Span> {
        if self.pools.get(self.used).is_some_and(|pool| pool.formats.len() == COPIES as usize) {
            self.used += 1;
        }
        if self.used == self.pools.len() {
            self.pools.push(Pool::new(gpu)?);
        }
        let pool = &mut self.pools[self.used];
        let first = 2 * pool.formats.len() as u32;
        pool.formats.push(format);
        let device = gpu.device();
        // SAFETY: the caller's promise; the pool holds these two queries, and no other command of this buffer uses them.
        unsafe { device.cmd_reset_query_pool(commands, pool.handle, first, 2) };
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: as above.
        unsafe { device.cmd_write_timestamp(commands, stage, pool.handle, first) };
        Ok(Span { pool: pool.handle, first })
    }

    /// Writes the second.
    ///
    /// # Safety
    /// As [`Timing::begin`], in the same command buffer.
    pub(crate) unsafe fn end(gpu: &Gpu, commands: vk::CommandBuffer, span: Span) {
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the caller's promise.
        unsafe { gpu.device().cmd_write_timestamp(commands, stage, span.pool, span.first + 1) };
    }

    /// Adds up what the device has written; a command buffer that never ran has written nothing.
    pub(crate) fn collect(&mut self, stats: &Stats) {
        for pool in &mut self.pools {
            pool.collect(stats);
        }
        self.used = 0;
    }
}

impl Pool {
    fn new(gpu: &Gpu) -> Result<Self> {
        let info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2 * COPIES);
        // SAFETY: the device is alive.
        let handle = unsafe { gpu.device().create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        Ok(Self { gpu: gpu.clone(), handle, formats: Vec::with_capacity(COPIES as usize) })
    }

    fn collect(&mut self, stats: &Stats) {
        let period = f64::from(self.gpu.capabilities().limits.timestamp_period);
        for (index, format) in (0u32..).zip(self.formats.drain(..)) {
            // Value and availability of both queries.
            let mut values = [[0u64; 2]; 2];
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
            // SAFETY: the pool has these queries; the device is done with them.
            let result = unsafe {
                self.gpu.device().get_query_pool_results(self.handle, 2 * index, &mut values, flags)
            };
            if result.is_ok() && values.iter().all(|&[_, available]| available != 0) {
                let ticks = values[1][0].wrapping_sub(values[0][0]);
                stats.timed(format, (ticks as f64 * period) as u64);
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: made by this recording, whose owner promises that the device is done with it.
        unsafe { self.gpu.device().destroy_query_pool(self.handle, None) };
    }
}
