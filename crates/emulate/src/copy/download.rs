//! From emulated images into buffers: the original blocks.

use super::regions_of;
use crate::emulator::Emulator;
use crate::error::{Error, Result};
use crate::image::{EmulatedImage, Plane};
use crate::plane::{Pitched, add_copies};
use crate::recording::Recording;
use texemu_core::vk;
use texemu_transcode::Region;

impl Emulator {
    /// `vkCmdCopyImageToBuffer`: the blocks as they were copied in. `false` if the image is not emulated, and nothing was
    /// recorded. Disturbs nothing.
    ///
    /// # Safety
    /// As `vkCmdCopyImageToBuffer`; `recording` belongs to `commands`.
    #[doc(alias = "vkCmdCopyImageToBuffer")]
    pub unsafe fn copy_image_to_buffer(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        image: vk::Image,
        buffer: vk::Buffer,
        regions: &[vk::BufferImageCopy],
    ) -> Result<bool> {
        let Some(image) = self.images.get(image) else { return Ok(false) };
        let regions: Vec<Region> = regions.iter().map(|copy| image.region(copy)).collect();
        // SAFETY: the caller's promise.
        unsafe { self.download(commands, recording, &image, buffer, &regions) }?;
        Ok(true)
    }

    /// `vkCmdCopyImageToBuffer2`; otherwise as [`Emulator::copy_image_to_buffer`].
    ///
    /// # Safety
    /// As [`Emulator::copy_image_to_buffer`], for the `2` form.
    #[doc(alias = "vkCmdCopyImageToBuffer2")]
    pub unsafe fn copy_image_to_buffer2(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        info: &vk::CopyImageToBufferInfo2<'_>,
    ) -> Result<bool> {
        let Some(image) = self.images.get(info.src_image) else { return Ok(false) };
        // SAFETY: the caller's promise.
        let regions = image.regions2(unsafe { regions_of(info.p_regions, info.region_count) });
        // SAFETY: the caller's promise.
        unsafe { self.download(commands, recording, &image, info.dst_buffer, &regions) }?;
        Ok(true)
    }

    /// # Safety
    /// As [`Emulator::copy_image_to_buffer`].
    unsafe fn download(
        &self,
        commands: vk::CommandBuffer,
        _recording: &mut Recording,
        image: &EmulatedImage,
        buffer: vk::Buffer,
        regions: &[Region],
    ) -> Result<()> {
        let plane = image.readable_plane()?;
        let mut copies = Vec::with_capacity(regions.len());
        for region in regions {
            let blocks = image.blocks(region)?;
            let from = image.layout.levels[blocks.level as usize].place(image.format, blocks.first);
            let to = Pitched::of_region(region, image.format);
            add_copies(&mut copies, from, to, blocks.size, image.format.block_bytes);
        }
        // SAFETY: the caller's promise; what wrote the plane was made visible to transfers when it was recorded.
        unsafe { self.copy_buffer(commands, plane.buffer, buffer, &copies) };
        self.stats.downloaded(image.format);
        Ok(())
    }
}

impl EmulatedImage {
    /// The blocks, for a copy that reads them.
    pub(crate) fn readable_plane(&self) -> Result<Plane> {
        let what = || "a copy from an image without TRANSFER_SRC usage".to_owned();
        let plane = self.plane.filter(|_| self.usage.contains(vk::ImageUsageFlags::TRANSFER_SRC));
        let plane = plane.ok_or_else(|| Error::Unsupported { format: self.format, what: what() })?;
        if self.is_bound() { Ok(plane) } else { Err(Error::Unbound(self.handle)) }
    }
}
