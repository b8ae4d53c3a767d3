//! What decodes read and wrote, copied back for whoever compares them with the CPU twin
//! ([`Settings::capture`](crate::Settings)).

use crate::emulator::Emulator;
use crate::error::Result;
use crate::image::EmulatedImage;
use crate::plane::{Pitched, add_copies, blocks_of};
use crate::recording::Recording;
use std::ops::Range;
use texemu_core::{Buffer, BufferDesc, Location, vk};
use texemu_format::Format;
use texemu_transcode::Region;

/// One decode, from [`Recording::take_captures`].
#[derive(Debug)]
pub struct Capture {
    /// What was decoded.
    pub format: &'static Format,
    /// What it was stored as.
    pub target: &'static Format,
    regions: Vec<Part>,
    buffer: Buffer,
}

/// A region of a [`Capture`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Captured<'a> {
    /// Where in the image it lies.
    pub region: Region,
    /// Its texels: width, height, and layers or slices.
    pub size: [u32; 3],
    /// The source's blocks, without gaps.
    pub blocks: &'a [u8],
    /// What the device holds afterwards: texels or blocks of the target, without gaps.
    pub stored: &'a [u8],
}

#[derive(Debug)]
struct Part {
    region: Region,
    size: [u32; 3],
    blocks: Range<u64>,
    stored: Range<u64>,
}

/// The buffer starts with a word that the device makes [`RAN`] when it gets there, in as many bytes as the strictest copy
/// wants offsets to be multiples of.
const HEAD: u64 = 16;
const RAN: u32 = 1;

impl Capture {
    /// Whether the commands have run: a command buffer may be thrown away. If they ran more than once, the last time is
    /// captured. The device must be done with them.
    pub fn has_run(&self) -> bool {
        self.buffer.mapped().is_some_and(|bytes| bytes.starts_with(&RAN.to_ne_bytes()))
    }

    /// What was decoded.
    pub fn regions(&self) -> impl Iterator<Item = Captured<'_>> {
        let bytes = self.buffer.mapped().unwrap_or_default();
        let part = |range: &Range<u64>| &bytes[range.start as usize..range.end as usize];
        self.regions.iter().map(move |one| Captured {
            region: one.region,
            size: one.size,
            blocks: part(&one.blocks),
            stored: part(&one.stored),
        })
    }
}

impl Recording {
    /// The decodes that were recorded since the last reset, if the settings capture them; before the recording is reset or
    /// recycled, when the device is done with them.
    pub fn take_captures(&mut self) -> Vec<Capture> {
        std::mem::take(&mut self.captures)
    }
}

impl Emulator {
    /// Copies back what a decode of `regions` of `buffer` read, and what it wrote.
    ///
    /// # Safety
    /// As `decode_from`, which has just been recorded with the same arguments. The buffer has `TRANSFER_SRC` usage.
    pub(crate) unsafe fn capture(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        image: &EmulatedImage,
        layout: vk::ImageLayout,
        buffer: vk::Buffer,
        regions: &[Region],
    ) -> Result<()> {
        let (format, target) = (image.format, image.target);
        let mut end = HEAD;
        let mut place = |bytes: u64| {
            let start = end;
            end = (start + bytes).next_multiple_of(HEAD);
            start..start + bytes
        };
        let mut parts = Vec::with_capacity(regions.len());
        for &region in regions {
            let [width, height, depth] = region.extent;
            let size = [width, height, depth * region.layer_count];
            let bytes = |format: &Format| format.level_bytes(size).unwrap_or_default();
            parts.push(Part { region, size, blocks: place(bytes(format)), stored: place(bytes(target)) });
        }
        let desc = BufferDesc {
            name: "capture of a decode",
            size: end,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: Location::Readback,
        };
        let mut into = Buffer::new(&self.gpu, &desc)?;
        if let Some(head) = into.mapped_mut().and_then(|bytes| bytes.get_mut(..HEAD as usize)) {
            head.fill(0);
        }
        let device = self.gpu.device();
        // The blocks may have just been copied to where they were decoded from.
        // SAFETY: recorded where the decode was.
        unsafe { self.transfer_barrier(commands) };
        for part in &parts {
            let from = Pitched::of_region(&part.region, format);
            let size = blocks_of(&part.region, format).size;
            let mut copies = Vec::new();
            add_copies(&mut copies, from, Pitched::tight(part.blocks.start, size), size, format.block_bytes);
            // SAFETY: the caller's promise; the new buffer holds what was counted.
            unsafe { self.copy_buffer(commands, buffer, into.handle(), &copies) };
            // SAFETY: the caller's promise; the image has TRANSFER_SRC usage where the settings capture.
            unsafe {
                self.read_stored(commands, image, layout, &part.region, into.handle(), part.stored.start)
            };
        }
        // SAFETY: the word lies before everything else.
        unsafe { device.cmd_fill_buffer(commands, into.handle(), 0, 4, RAN) };
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (from, to) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        let none = vk::DependencyFlags::empty();
        // SAFETY: recorded outside a render pass.
        unsafe { device.cmd_pipeline_barrier(commands, from, to, none, &barrier, &[], &[]) };
        recording.captures.push(Capture { format, target, regions: parts, buffer: into });
        Ok(())
    }

    /// Copies a region of the decoded plane, which stays in `layout`.
    ///
    /// # Safety
    /// As [`Emulator::capture`].
    unsafe fn read_stored(
        &self,
        commands: vk::CommandBuffer,
        image: &EmulatedImage,
        layout: vk::ImageLayout,
        region: &Region,
        into: vk::Buffer,
        offset: u64,
    ) {
        let readable = match layout {
            vk::ImageLayout::GENERAL => layout,
            _ => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        };
        let device = self.gpu.device();
        let barrier = vk::ImageMemoryBarrier::default()
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.handle)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                base_mip_level: region.level,
                level_count: 1,
                base_array_layer: region.base_layer,
                layer_count: region.layer_count,
            })
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE);
        let (stage, none) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
        let before =
            [barrier.dst_access_mask(vk::AccessFlags::TRANSFER_READ).old_layout(layout).new_layout(readable)];
        // SAFETY: the caller's promise.
        unsafe { device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &before) };
        let copy = [vk::BufferImageCopy {
            buffer_offset: offset,
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: region.level,
                base_array_layer: region.base_layer,
                layer_count: region.layer_count,
            },
            image_offset: vk::Offset3D {
                x: region.offset[0] as i32,
                y: region.offset[1] as i32,
                z: region.offset[2] as i32,
            },
            image_extent: vk::Extent3D {
                width: region.extent[0],
                height: region.extent[1],
                depth: region.extent[2],
            },
            ..Default::default()
        }];
        // SAFETY: as above.
        unsafe { device.cmd_copy_image_to_buffer(commands, image.handle, readable, into, &copy) };
        // What follows takes the image for written by the copy that was decoded.
        let after = [barrier
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE)
            .old_layout(readable)
            .new_layout(layout)];
        // SAFETY: as above.
        unsafe { device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &after) };
    }
}
