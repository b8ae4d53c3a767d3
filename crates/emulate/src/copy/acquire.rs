//! Barriers that take an image over from a queue family that cannot compute: decoding what was copied there follows them.

use super::deferred::{Deferred, Range};
use super::regions_of;
use crate::emulator::Emulator;
use crate::error::{Error, Result};
use crate::image::EmulatedImage;
use crate::recording::{Queue, Recording};
use std::sync::Arc;
use texemu_core::{Gpu, vk};

/// `vkCmdPipelineBarrier`'s arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct PipelineBarrier<'a> {
    /// `srcStageMask`.
    pub src_stage_mask: vk::PipelineStageFlags,
    /// `dstStageMask`.
    pub dst_stage_mask: vk::PipelineStageFlags,
    /// `dependencyFlags`.
    pub dependency_flags: vk::DependencyFlags,
    /// `pMemoryBarriers`.
    pub memory_barriers: &'a [vk::MemoryBarrier<'a>],
    /// `pBufferMemoryBarriers`.
    pub buffer_barriers: &'a [vk::BufferMemoryBarrier<'a>],
    /// `pImageMemoryBarriers`.
    pub image_barriers: &'a [vk::ImageMemoryBarrier<'a>],
}

/// What of an image barrier matters here, in both versions.
#[derive(Clone, Copy)]
struct Transfer {
    image: vk::Image,
    families: [u32; 2],
    layouts: [vk::ImageLayout; 2],
    range: vk::ImageSubresourceRange,
}

/// An image that a barrier takes over.
struct Acquired {
    /// Which of the image barriers.
    index: usize,
    image: Arc<EmulatedImage>,
    layout: vk::ImageLayout,
    range: vk::ImageSubresourceRange,
}

const COPY: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::TRANSFER_READ.as_raw() | vk::AccessFlags::TRANSFER_WRITE.as_raw(),
);

impl Emulator {
    /// `vkCmdPipelineBarrier`; `false` if nothing was recorded, and the driver is to be called. For hosts with queues that
    /// cannot compute; others need not ask.
    ///
    /// A barrier that acquires emulated images from a family that cannot compute is recorded here, and behind it the
    /// decoding of all blocks in the ranges that it acquires. Disturbs the compute state then, as a copy does.
    ///
    /// # Safety
    /// As `vkCmdPipelineBarrier`; `recording` belongs to `commands`.
    #[doc(alias = "vkCmdPipelineBarrier")]
    pub unsafe fn pipeline_barrier(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        barrier: &PipelineBarrier<'_>,
    ) -> Result<bool> {
        let acquired = self.acquired(recording, barrier.image_barriers.iter().map(first_version));
        if acquired.is_empty() {
            return Ok(false);
        }
        let mut images = barrier.image_barriers.to_vec();
        let mut reads = vk::AccessFlags::empty();
        for one in &acquired {
            reads |= images[one.index].dst_access_mask;
            images[one.index].dst_access_mask |= COPY;
        }
        let mut memory = barrier.memory_barriers.to_vec();
        // The blocks: the semaphore has made them available.
        memory.push(
            vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::MEMORY_WRITE).dst_access_mask(COPY),
        );
        let transfer = vk::PipelineStageFlags::TRANSFER;
        // SAFETY: the caller's promise; what was added is valid beside it.
        unsafe {
            self.gpu.device().cmd_pipeline_barrier(
                commands,
                barrier.src_stage_mask,
                barrier.dst_stage_mask | transfer,
                barrier.dependency_flags,
                &memory,
                barrier.buffer_barriers,
                &images,
            );
        }
        // SAFETY: the caller's promise.
        unsafe { self.decode_acquired(commands, recording, &acquired) }?;
        let written = (transfer, vk::AccessFlags::TRANSFER_WRITE);
        // SAFETY: as above.
        unsafe { self.memory_barrier(commands, written, (barrier.dst_stage_mask, reads)) };
        Ok(true)
    }

    /// `vkCmdPipelineBarrier2`; otherwise as [`Emulator::pipeline_barrier`].
    ///
    /// # Safety
    /// As [`Emulator::pipeline_barrier`], for the `2` form.
    #[doc(alias = "vkCmdPipelineBarrier2")]
    pub unsafe fn pipeline_barrier2(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        info: &vk::DependencyInfo<'_>,
    ) -> Result<bool> {
        // SAFETY: the caller's promise.
        let barriers = unsafe { regions_of(info.p_image_memory_barriers, info.image_memory_barrier_count) };
        let acquired = self.acquired(recording, barriers.iter().map(second_version));
        if acquired.is_empty() {
            return Ok(false);
        }
        let what = || "a barrier of the second version on a device that has none".to_owned();
        let unsupported = || Error::Unsupported { format: acquired[0].image.format, what: what() };
        let record = second_barrier(&self.gpu).ok_or_else(unsupported)?;
        let (transfer, copy) = (
            vk::PipelineStageFlags2::ALL_TRANSFER,
            vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE,
        );
        let mut images = barriers.to_vec();
        // SAFETY: the caller's promise.
        let mut memory = unsafe { regions_of(info.p_memory_barriers, info.memory_barrier_count) }.to_vec();
        let mut after = Vec::with_capacity(acquired.len());
        for one in &acquired {
            let image: &mut vk::ImageMemoryBarrier2<'_> = &mut images[one.index];
            let barrier = vk::MemoryBarrier2::default();
            memory.push(
                barrier
                    .src_stage_mask(image.src_stage_mask)
                    .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
                    .dst_stage_mask(transfer)
                    .dst_access_mask(copy),
            );
            after.push(
                barrier
                    .src_stage_mask(transfer)
                    .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                    .dst_stage_mask(image.dst_stage_mask)
                    .dst_access_mask(image.dst_access_mask),
            );
            image.dst_stage_mask |= transfer;
            image.dst_access_mask |= copy;
        }
        let whole = vk::DependencyInfo {
            memory_barrier_count: memory.len() as u32,
            p_memory_barriers: memory.as_ptr(),
            p_image_memory_barriers: images.as_ptr(),
            ..*info
        };
        // SAFETY: the caller's promise; what was added is valid beside it, and lives until the call returns.
        unsafe { record(commands, &whole) };
        // SAFETY: the caller's promise.
        unsafe { self.decode_acquired(commands, recording, &acquired) }?;
        let info = vk::DependencyInfo::default().memory_barriers(&after);
        // SAFETY: the caller records outside a render pass.
        unsafe { record(commands, &info) };
        Ok(true)
    }

    /// The emulated images that barriers acquire from a family that cannot compute. On such a family's own queues none, but
    /// the layouts that copied blocks are left in are noted.
    fn acquired(
        &self,
        recording: &mut Recording,
        transfers: impl Iterator<Item = Transfer>,
    ) -> Vec<Acquired> {
        let mut acquired = Vec::new();
        if self.images.len() == 0 || (recording.queue == Queue::Compute && self.copy_families.is_empty()) {
            return acquired;
        }
        for (index, Transfer { image, families, layouts, range }) in transfers.enumerate() {
            let [src, dst] = families;
            let moves = layouts[0] != layouts[1] && recording.queue == Queue::TransferOnly;
            let takes = src != dst && self.copy_families.contains(&src) && recording.queue == Queue::Compute;
            if !moves && !takes {
                continue;
            }
            let Some(image) = self.images.get(image) else { continue };
            let layout = layouts[1];
            if takes {
                acquired.push(Acquired { index, image, layout, range });
            } else if self.decodes_at_submission(&image) {
                let (levels, layers) = image.range(&range);
                let layers = image.layered().then_some(layers);
                let range = Range { levels, layers };
                recording.deferred.push(Deferred::Moved { image: image.handle, layout, range });
            }
        }
        acquired
    }

    /// # Safety
    /// As [`Emulator::decode`], for each of them.
    unsafe fn decode_acquired(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        acquired: &[Acquired],
    ) -> Result<()> {
        for one in acquired {
            // SAFETY: the caller's promise.
            unsafe { self.decode_range(commands, recording, &one.image, one.layout, &one.range) }?;
        }
        Ok(())
    }
}

fn first_version(barrier: &vk::ImageMemoryBarrier<'_>) -> Transfer {
    Transfer {
        image: barrier.image,
        families: [barrier.src_queue_family_index, barrier.dst_queue_family_index],
        layouts: [barrier.old_layout, barrier.new_layout],
        range: barrier.subresource_range,
    }
}

fn second_version(barrier: &vk::ImageMemoryBarrier2<'_>) -> Transfer {
    Transfer {
        image: barrier.image,
        families: [barrier.src_queue_family_index, barrier.dst_queue_family_index],
        layouts: [barrier.old_layout, barrier.new_layout],
        range: barrier.subresource_range,
    }
}

/// `vkCmdPipelineBarrier2`, of Vulkan 1.3 or of the extension, whichever the device has.
fn second_barrier(gpu: &Gpu) -> Option<vk::PFN_vkCmdPipelineBarrier2> {
    let device = gpu.device().handle();
    let find = |name: &std::ffi::CStr| {
        // SAFETY: the device belongs to the instance.
        unsafe { gpu.instance().get_device_proc_addr(device, name.as_ptr()) }
    };
    let found = find(c"vkCmdPipelineBarrier2").or_else(|| find(c"vkCmdPipelineBarrier2KHR"))?;
    // SAFETY: the names' own type.
    Some(unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCmdPipelineBarrier2>(found) })
}
