//! From buffers into emulated images.

use super::cached::KnownBuffer;
use super::{SourceAccess, regions_of};
use crate::emulator::Emulator;
use crate::error::{Error, Result};
use crate::image::EmulatedImage;
use crate::offer::cuts_blocks;
use crate::plane::{Blocks, Pitched, add_copies};
use crate::recording::{Queue, Recording};
use crate::stats::Path;
use texemu_core::vk;
use texemu_transcode::Region;

impl Emulator {
    /// `vkCmdCopyBufferToImage`; `false` if the image is not emulated, and nothing was recorded.
    ///
    /// Disturbs the compute state of `commands` unless `recording` was told it: see [`ComputeState`](crate::ComputeState).
    ///
    /// # Safety
    /// - As `vkCmdCopyBufferToImage`.
    /// - `recording` belongs to `commands` and knows the kind of its queue.
    /// - If `access` says that it may be read as a texel buffer, the buffer was created with that usage.
    #[doc(alias = "vkCmdCopyBufferToImage")]
    #[expect(clippy::too_many_arguments, reason = "the command's own, and whose they are")]
    pub unsafe fn copy_buffer_to_image(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        buffer: vk::Buffer,
        access: SourceAccess,
        image: vk::Image,
        layout: vk::ImageLayout,
        regions: &[vk::BufferImageCopy],
    ) -> Result<bool> {
        let Some(image) = self.images.get(image) else { return Ok(false) };
        let regions: Vec<Region> = regions.iter().map(|copy| image.region(copy)).collect();
        let upload = Upload { image: &image, buffer, access, content: None, layout, regions: &regions };
        // SAFETY: the caller's promise.
        unsafe { self.upload(commands, recording, &upload) }?;
        Ok(true)
    }

    /// `vkCmdCopyBufferToImage2`; otherwise as [`Emulator::copy_buffer_to_image`].
    ///
    /// # Safety
    /// As [`Emulator::copy_buffer_to_image`], for the `2` form.
    #[doc(alias = "vkCmdCopyBufferToImage2")]
    pub unsafe fn copy_buffer_to_image2(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        access: SourceAccess,
        info: &vk::CopyBufferToImageInfo2<'_>,
    ) -> Result<bool> {
        let Some(image) = self.images.get(info.dst_image) else { return Ok(false) };
        // SAFETY: the caller's promise.
        let regions = image.regions2(unsafe { regions_of(info.p_regions, info.region_count) });
        let layout = info.dst_image_layout;
        let buffer = info.src_buffer;
        let upload = Upload { image: &image, buffer, access, content: None, layout, regions: &regions };
        // SAFETY: the caller's promise.
        unsafe { self.upload(commands, recording, &upload) }?;
        Ok(true)
    }

    /// [`Emulator::copy_buffer_to_image`] of a buffer whose bytes the caller knows, by way of the transcode cache
    /// ([`Settings::cache`](crate::Settings)): what was copied before is not decoded again. For images with a BC target; for
    /// others, and where the cache is off, it is the same as without.
    ///
    /// # Safety
    /// - As [`Emulator::copy_buffer_to_image`].
    /// - The buffer holds what `source` says whenever the commands run.
    pub unsafe fn copy_known_buffer_to_image(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        source: &KnownBuffer<'_>,
        image: vk::Image,
        layout: vk::ImageLayout,
        regions: &[vk::BufferImageCopy],
    ) -> Result<bool> {
        let Some(image) = self.images.get(image) else { return Ok(false) };
        let regions: Vec<Region> = regions.iter().map(|copy| image.region(copy)).collect();
        let KnownBuffer { buffer, access, content } = *source;
        let content = Some(content);
        let upload = Upload { image: &image, buffer, access, content, layout, regions: &regions };
        // SAFETY: the caller's promise.
        unsafe { self.upload(commands, recording, &upload) }?;
        Ok(true)
    }

    /// # Safety
    /// As [`Emulator::copy_buffer_to_image`].
    unsafe fn upload(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        upload: &Upload<'_>,
    ) -> Result<()> {
        let image = upload.image;
        if !image.is_bound() {
            return Err(Error::Unbound(image.handle));
        }
        let blocks = upload.regions.iter().map(|region| image.blocks(region)).collect::<Result<Vec<_>>>()?;
        let path = self.path(recording, upload)?;
        let found = if path == Path::Deferred { None } else { self.look_up(upload, &blocks)? };
        if let Some(plane) = image.plane {
            let copies = upload.copies(&blocks, |blocks| {
                image.layout.levels[blocks.level as usize].place(image.format, blocks.first)
            });
            // SAFETY: the caller's promise; the plane holds every block of the image.
            unsafe { self.copy_buffer(commands, upload.buffer, plane.buffer, &copies) };
        }
        let Some(found) = found else {
            // SAFETY: the caller's promise.
            unsafe { self.decode_upload(commands, recording, upload, &blocks, path) }?;
            self.stats.uploaded(image.format, path);
            return Ok(());
        };
        if !found.hits.is_empty() {
            // SAFETY: the caller's promise.
            unsafe { self.copy_hits(commands, recording, upload, &found.hits) }?;
        }
        if found.misses.is_empty() {
            // SAFETY: the caller records outside a render pass.
            unsafe { self.transfer_barrier(commands) };
            self.stats.uploaded(image.format, Path::Cached);
            return Ok(());
        }
        let (regions, missing): (Vec<Region>, Vec<Blocks>) =
            found.misses.iter().map(|&(index, _)| (upload.regions[index], blocks[index])).unzip();
        let rest = Upload { regions: &regions, ..*upload };
        // SAFETY: the caller's promise.
        unsafe { self.decode_upload(commands, recording, &rest, &missing, path) }?;
        // SAFETY: the caller's promise; these regions were just decoded.
        unsafe { self.hand_back(commands, recording, upload, &found.misses) }?;
        self.stats.uploaded(image.format, path);
        Ok(())
    }

    /// Decodes what is not deferred.
    ///
    /// # Safety
    /// As [`Emulator::copy_buffer_to_image`]; the blocks are in the plane already.
    unsafe fn decode_upload(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        upload: &Upload<'_>,
        blocks: &[Blocks],
        path: Path,
    ) -> Result<()> {
        let image = upload.image;
        match path {
            // SAFETY: the caller's promise, also for the buffer's usage.
            Path::Direct => unsafe {
                let Upload { layout, buffer, regions, .. } = *upload;
                self.decode_from(commands, recording, image, layout, buffer, regions)
            },
            // SAFETY: the caller's promise; the copy above is made visible by the decoder's own barrier.
            Path::Plane => unsafe { self.decode_plane(commands, recording, image, upload.layout, blocks) },
            // SAFETY: the caller's promise.
            Path::Scratch => unsafe { self.upload_by_scratch(commands, recording, upload, blocks) },
            Path::Deferred => {
                // SAFETY: the caller records outside a render pass.
                unsafe { self.transfer_barrier(commands) };
                self.defer(recording, image, upload.layout, blocks);
                Ok(())
            }
            Path::Cached => Ok(()),
        }
    }

    /// The way that the blocks take.
    fn path(&self, recording: &Recording, upload: &Upload<'_>) -> Result<Path> {
        let image = upload.image;
        let cuts = cuts_blocks(image.format, image.target)
            && !upload.regions.iter().all(|region| image.covers_target_blocks(region));
        match (recording.queue, image.plane.is_some()) {
            (Queue::TransferOnly, true) => Ok(Path::Deferred),
            (Queue::TransferOnly, false) => Err(Error::Unsupported {
                format: image.format,
                what: "a copy on a queue that cannot compute, of whose family the emulator was not told; or keep_blocks has to be Always".into(),
            }),
            (Queue::Compute, true) if cuts || upload.access == SourceAccess::TransferOnly => Ok(Path::Plane),
            (Queue::Compute, false) if upload.access == SourceAccess::TransferOnly => Ok(Path::Scratch),
            (Queue::Compute, _) => Ok(Path::Direct),
        }
    }

    /// # Safety
    /// As [`Emulator::copy_buffer_to_image`].
    unsafe fn upload_by_scratch(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        upload: &Upload<'_>,
        blocks: &[Blocks],
    ) -> Result<()> {
        let image = upload.image;
        let staged = self.scratch_for(recording, image, blocks)?;
        let mut places = staged.places.iter();
        let copies = upload.copies(blocks, |_| *places.next().expect("one place a region"));
        // SAFETY: the caller's promise; the scratch holds all the blocks.
        unsafe { self.copy_buffer(commands, upload.buffer, staged.buffer, &copies) };
        // SAFETY: the caller's promise; scratch has texel-buffer usage.
        unsafe { self.decode_from(commands, recording, image, upload.layout, staged.buffer, &staged.regions) }
    }

    /// Scratch for `blocks` without gaps, and the regions that decode them from there.
    pub(crate) fn scratch_for(
        &self,
        recording: &mut Recording,
        image: &EmulatedImage,
        blocks: &[Blocks],
    ) -> Result<Staged> {
        let bytes_of = |blocks: &Blocks| {
            blocks.size.iter().map(|&size| u64::from(size)).product::<u64>()
                * u64::from(image.format.block_bytes)
        };
        let alignment = self.gpu.capabilities().limits.min_texel_buffer_offset_alignment.max(16);
        let total = blocks.iter().map(bytes_of).sum::<u64>();
        let (buffer, mut offset) = recording.arena.scratch(total.max(1), alignment.next_power_of_two())?;
        let (mut places, mut regions) = (Vec::with_capacity(blocks.len()), Vec::with_capacity(blocks.len()));
        for blocks in blocks {
            let place = Pitched::tight(offset, blocks.size);
            let level = &image.layout.levels[blocks.level as usize];
            regions.push(place.region(image.format, blocks, level.extent, image.layered()));
            places.push(place);
            offset += bytes_of(blocks);
        }
        Ok(Staged { buffer, places, regions })
    }
}

impl EmulatedImage {
    /// Whether a region covers each block of the target that it touches.
    pub(crate) fn covers_target_blocks(&self, region: &Region) -> bool {
        let level = &self.layout.levels[region.level as usize];
        (0..2).all(|axis| {
            let step = self.target.footprint[axis];
            let end = region.offset[axis] + region.extent[axis];
            region.offset[axis].is_multiple_of(step)
                && (end.is_multiple_of(step) || end == level.extent[axis])
        })
    }
}

/// Blocks in scratch memory.
pub(crate) struct Staged {
    pub(crate) buffer: vk::Buffer,
    pub(crate) places: Vec<Pitched>,
    pub(crate) regions: Vec<Region>,
}

/// One `vkCmdCopyBufferToImage`.
#[derive(Clone, Copy)]
pub(crate) struct Upload<'a> {
    pub(crate) image: &'a EmulatedImage,
    pub(crate) buffer: vk::Buffer,
    pub(crate) access: SourceAccess,
    /// What the buffer holds, if that is known.
    pub(crate) content: Option<&'a [u8]>,
    pub(crate) layout: vk::ImageLayout,
    pub(crate) regions: &'a [Region],
}

impl Upload<'_> {
    /// The buffer copies that bring each region's blocks to their place.
    fn copies(&self, blocks: &[Blocks], mut place: impl FnMut(&Blocks) -> Pitched) -> Vec<vk::BufferCopy> {
        let format = self.image.format;
        let mut copies = Vec::with_capacity(blocks.len());
        for (region, blocks) in self.regions.iter().zip(blocks) {
            let from = Pitched::of_region(region, format);
            add_copies(&mut copies, from, place(blocks), blocks.size, format.block_bytes);
        }
        copies
    }
}
