//! Copies on queues that cannot compute: their blocks wait in the compressed plane until a queue that can takes over, where
//! images are shared between families and nobody acquires them.

use crate::emulator::Emulator;
use crate::error::Result;
use crate::plane::{Blocks, widen};
use crate::recording::{Queue, Recording};
use std::sync::PoisonError;
use texemu_core::vk;

/// What commands for a queue that cannot compute do to emulated images.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deferred {
    /// Blocks were written while the image was in a layout.
    Copied { image: vk::Image, layout: vk::ImageLayout, blocks: Blocks },
    /// A barrier moved a range into a layout.
    Moved { image: vk::Image, layout: vk::ImageLayout, range: Range },
}

/// Levels, and layers of an image that has them: the first, and the one past the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) levels: [u32; 2],
    pub(crate) layers: Option<[u32; 2]>,
}

/// Blocks that were copied by a submission and are to be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pending {
    image: vk::Image,
    layout: vk::ImageLayout,
    blocks: Blocks,
    value: u64,
}

impl Emulator {
    /// Says that what `recording` holds was submitted to a queue that cannot compute, and is done when a timeline of the
    /// caller's choosing reaches `value`. From then on [`Emulator::decode_copies`] decodes it. Only for images that nobody
    /// acquires: images that are shared by all families, or all images if the device has no family that cannot compute.
    ///
    /// A command buffer that is submitted again is named again; secondary ones in the order in which they are executed.
    pub fn submit_copies(&self, recording: &Recording, value: u64) {
        if recording.deferred.is_empty() {
            return;
        }
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        for &one in &recording.deferred {
            match one {
                Deferred::Copied { image, layout, blocks } => {
                    pending.push(Pending { image, layout, blocks, value });
                }
                Deferred::Moved { image, layout, range } => move_layout(&mut pending, image, layout, range),
            }
        }
    }

    /// How many copies wait for [`Emulator::decode_copies`].
    pub fn pending_copies(&self) -> usize {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Decodes what was submitted with values up to `reached` ([`Emulator::submit_copies`]): the blocks that were copied, and
    /// no others. Returns how many copies are left.
    ///
    /// `commands` goes to a queue that can compute, behind a wait for `reached` at `VK_PIPELINE_STAGE_ALL_COMMANDS_BIT`, and
    /// before all commands that use the images. Those need no barrier. The images stay in the layout that they were left in.
    ///
    /// # Safety
    /// As `vkCmdCopyBufferToImage` into what was copied, outside a render pass; `recording` belongs to `commands`, which are
    /// submitted once.
    pub unsafe fn decode_copies(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        reached: u64,
    ) -> Result<usize> {
        let (mut due, left) = {
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            let (due, left): (Vec<_>, Vec<_>) = pending.drain(..).partition(|one| one.value <= reached);
            pending.clone_from(&left);
            (due, left.len())
        };
        if due.is_empty() {
            return Ok(left);
        }
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let memory = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let copy = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
        let before = (all, vk::AccessFlags::MEMORY_WRITE);
        let transfer = vk::PipelineStageFlags::TRANSFER;
        // SAFETY: the caller records outside a render pass.
        unsafe { self.memory_barrier(commands, before, (transfer, copy)) };
        while let Some(&Pending { image, layout, .. }) = due.first() {
            let (same, others): (Vec<Pending>, Vec<Pending>) =
                due.iter().partition(|one| one.image == image && one.layout == layout);
            if let Some(image) = self.images.get(image) {
                let levels = &image.layout.levels;
                let blocks: Vec<Blocks> = same.iter().map(|one| one.blocks).collect();
                // Copies one after the other may overlap; the regions of a decode may not.
                let blocks = widen(image.format, image.format, levels, &blocks);
                // SAFETY: the caller's promise.
                let decoded = unsafe { self.decode_plane(commands, recording, &image, layout, &blocks) };
                if let Err(error) = decoded {
                    self.pending.lock().unwrap_or_else(PoisonError::into_inner).append(&mut due);
                    return Err(error);
                }
            }
            due = others;
        }
        // SAFETY: as above.
        unsafe { self.memory_barrier(commands, (transfer, vk::AccessFlags::TRANSFER_WRITE), (all, memory)) };
        Ok(left)
    }

    /// Remembers blocks that a queue which cannot compute has written, unless the image's next owner decodes them.
    pub(crate) fn defer(
        &self,
        recording: &mut Recording,
        image: &crate::image::EmulatedImage,
        layout: vk::ImageLayout,
        blocks: &[Blocks],
    ) {
        if recording.queue == Queue::TransferOnly && self.decodes_at_submission(image) {
            let copied = |&blocks| Deferred::Copied { image: image.handle, layout, blocks };
            recording.deferred.extend(blocks.iter().map(copied));
        }
    }

    /// Whether nobody acquires the image from the queue family that copies to it.
    pub(crate) fn decodes_at_submission(&self, image: &crate::image::EmulatedImage) -> bool {
        image.concurrent || self.copy_families.is_empty()
    }

    /// Forgets copies to an image that is destroyed.
    pub(crate) fn forget_copies(&self, image: vk::Image) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).retain(|one| one.image != image);
    }

    /// # Safety
    /// `commands` is being recorded on the device, outside a render pass.
    pub(crate) unsafe fn memory_barrier(
        &self,
        commands: vk::CommandBuffer,
        from: (vk::PipelineStageFlags, vk::AccessFlags),
        to: (vk::PipelineStageFlags, vk::AccessFlags),
    ) {
        let barrier = [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
        let none = vk::DependencyFlags::empty();
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, none, &barrier, &[], &[]) };
    }
}

/// Notes the layout of what lies in a range, in parts where only some layers do.
fn move_layout(pending: &mut Vec<Pending>, image: vk::Image, layout: vk::ImageLayout, range: Range) {
    for one in std::mem::take(pending) {
        let level = one.blocks.level;
        if one.image != image || level < range.levels[0] || level >= range.levels[1] {
            pending.push(one);
            continue;
        }
        let (start, end) = (one.blocks.first[2], one.blocks.first[2] + one.blocks.size[2]);
        let [from, to] = range.layers.unwrap_or([start, end]);
        let (from, to) = (from.clamp(start, end), to.clamp(start, end));
        for (first, last, layout) in [(start, from, one.layout), (from, to, layout), (to, end, one.layout)] {
            if first < last {
                let mut part = Pending { layout, ..one };
                part.blocks.first[2] = first;
                part.blocks.size[2] = last - first;
                pending.push(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::Handle;

    #[test]
    fn barriers_move_what_they_name() {
        let image = vk::Image::from_raw(7);
        let (old, new) = (vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        let blocks = |level, first, size| Blocks { level, first: [1, 2, first], size: [3, 4, size] };
        let one = |layout, blocks| Pending { image, layout, blocks, value: 5 };
        let other = Pending { image: vk::Image::from_raw(8), ..one(old, blocks(1, 0, 9)) };
        let mut pending = vec![one(old, blocks(0, 2, 5)), other, one(old, blocks(1, 0, 2))];
        move_layout(&mut pending, image, new, Range { levels: [0, 1], layers: Some([3, 5]) });
        let expected = [
            one(old, blocks(0, 2, 1)),
            one(new, blocks(0, 3, 2)),
            one(old, blocks(0, 5, 2)),
            other,
            one(old, blocks(1, 0, 2)),
        ];
        assert_eq!(pending, expected, "two of five layers, of one level, of one image");
        move_layout(&mut pending, image, new, Range { levels: [1, 2], layers: None });
        assert_eq!(pending[4], one(new, blocks(1, 0, 2)), "a volume's slices move together");
        move_layout(&mut pending, image, old, Range { levels: [0, 1], layers: Some([8, 9]) });
        assert_eq!(pending[..4], expected[..4], "layers that were not copied to");
    }
}
