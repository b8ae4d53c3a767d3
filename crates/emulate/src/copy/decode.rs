//! Decoding what a copy wrote.

use crate::emulator::Emulator;
use crate::error::{Error, Result};
use crate::image::EmulatedImage;
use crate::offer::cuts_blocks;
use crate::plane::{Blocks, widen};
use crate::recording::{Queue, Recording};
use crate::timing::Timing;
use texemu_core::vk;
use texemu_transcode::{Job, Region, Source};

impl Emulator {
    /// Decodes blocks that a queue which cannot compute has copied: every block of `range`, out of the compressed plane.
    /// `false` if the image is not emulated.
    ///
    /// Call it on a queue that can compute, behind the barrier that acquires the image, or behind the semaphore if its
    /// families share it. [`Emulator::pipeline_barrier`] and [`Emulator::decode_copies`] do that by themselves. The image is in `layout`, and what wrote its blocks is visible to
    /// `VK_PIPELINE_STAGE_TRANSFER_BIT`; afterwards the texels are as written by a copy, and still need the
    /// application's barrier to whatever reads them.
    ///
    /// # Safety
    /// As `vkCmdCopyBufferToImage` into that range, outside a render pass; `recording` belongs to `commands`.
    pub unsafe fn decode(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        image: vk::Image,
        layout: vk::ImageLayout,
        range: &vk::ImageSubresourceRange,
    ) -> Result<bool> {
        let Some(image) = self.images.get(image) else { return Ok(false) };
        // SAFETY: the caller's promise.
        unsafe { self.decode_range(commands, recording, &image, layout, range) }?;
        Ok(true)
    }

    /// # Safety
    /// As [`Emulator::decode`].
    pub(crate) unsafe fn decode_range(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        image: &EmulatedImage,
        layout: vk::ImageLayout,
        range: &vk::ImageSubresourceRange,
    ) -> Result<()> {
        let ([first_level, end_level], [first_layer, end_layer]) = image.range(range);
        let mut blocks = Vec::with_capacity((end_level - first_level) as usize);
        for level in first_level..end_level {
            let grid = &image.layout.levels[level as usize];
            let (first, count) =
                if image.layered() { (first_layer, end_layer - first_layer) } else { (0, grid.slices) };
            if count > 0 {
                blocks.push(Blocks { level, first: [0, 0, first], size: [grid.columns, grid.rows, count] });
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.decode_plane(commands, recording, image, layout, &blocks) }
    }

    /// Decodes blocks out of the compressed plane; whole blocks of the target, if the given ones cut some.
    ///
    /// # Safety
    /// As [`Emulator::decode_from`].
    pub(crate) unsafe fn decode_plane(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        image: &EmulatedImage,
        layout: vk::ImageLayout,
        blocks: &[Blocks],
    ) -> Result<()> {
        let plane = image.plane.ok_or_else(|| Error::Unsupported {
            format: image.format,
            what: "a copy that needs the blocks of an image that does not keep them".into(),
        })?;
        let levels = &image.layout.levels;
        let wide = if cuts_blocks(image.format, image.target) {
            widen(image.format, image.target, levels, blocks)
        } else {
            blocks.to_vec()
        };
        let regions: Vec<Region> = wide
            .iter()
            .map(|blocks| {
                let level = &levels[blocks.level as usize];
                let place = level.place(image.format, blocks.first);
                place.region(image.format, blocks, level.extent, image.layered())
            })
            .collect();
        // SAFETY: the caller's promise; the plane was created with texel-buffer usage.
        unsafe { self.decode_from(commands, recording, image, layout, plane.buffer, &regions) }
    }

    /// Decodes regions of `buffer` into the image.
    ///
    /// # Safety
    /// - `commands` is being recorded on the device for a queue with compute, outside a render pass, and `recording` is its.
    /// - The image is bound, in `layout`, and like the buffer visible to the transfer stage.
    /// - The buffer has texel-buffer usage, holds what the regions address, and lives until the commands have run.
    pub(crate) unsafe fn decode_from(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        image: &EmulatedImage,
        layout: vk::ImageLayout,
        buffer: vk::Buffer,
        regions: &[Region],
    ) -> Result<()> {
        if recording.queue == Queue::TransferOnly {
            let what = "decoding on a queue that cannot compute".into();
            return Err(Error::Unsupported { format: image.format, what });
        }
        if regions.is_empty() {
            return Ok(());
        }
        let mut views = Vec::new();
        if !image.target.is_compressed() {
            for region in regions {
                views.push(image.storage_view(&self.gpu, region)?.unwrap_or_default());
            }
        }
        let job = Job {
            format: image.format,
            source: Source::TexelBuffer(buffer),
            target: image.target(layout, &views),
            regions,
            options: self.options(),
        };
        // SAFETY: the state is the command buffer's own.
        unsafe { recording.state.suspend(commands) };
        let timed = self.offer.settings.timing && self.gpu.capabilities().timestamps;
        let span = if timed {
            // SAFETY: the caller's promise; the queue has timestamps.
            Some(unsafe { recording.timing.begin(&self.gpu, commands, image.format) }?)
        } else {
            None
        };
        // SAFETY: the caller's promise.
        let recorded = unsafe { self.transcoder.record(commands, &mut recording.arena, &[job]) };
        if let Some(span) = span {
            // SAFETY: begun above, in the same command buffer.
            unsafe { Timing::end(&self.gpu, commands, span) };
        }
        // SAFETY: the state is the command buffer's own.
        unsafe { recording.state.restore(&self.gpu, commands) };
        self.stats.recorded(image.format, &recorded?);
        if self.offer.settings.capture {
            // SAFETY: the caller's promise; planes, scratch and what applications copy from have TRANSFER_SRC usage.
            unsafe { self.capture(commands, recording, image, layout, buffer, regions) }?;
        }
        Ok(())
    }

    /// Makes writes of the transfer stage visible to it: copies of blocks follow one another in memory that an
    /// application's image barriers do not cover.
    ///
    /// # Safety
    /// `commands` is being recorded on the device, outside a render pass.
    pub(crate) unsafe fn transfer_barrier(&self, commands: vk::CommandBuffer) {
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE)];
        let stage = vk::PipelineStageFlags::TRANSFER;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().cmd_pipeline_barrier(commands, stage, stage, none, &barrier, &[], &[]) };
    }
}
