//! Uploads of blocks that the transcode cache knows: a copy of what they became, and no dispatch.

use super::SourceAccess;
use super::upload::Upload;
use crate::cache::{Cache, Key, KeyHash};
use crate::emulator::Emulator;
use crate::error::Result;
use crate::image::EmulatedImage;
use crate::plane::{Blocks, Pitched};
use crate::recording::Recording;
use std::sync::Arc;
use texemu_core::vk;
use texemu_core::{Buffer, BufferDesc, Location};
use texemu_transcode::{Job, Region, Source};

/// A buffer whose bytes are known when the copy is recorded.
#[derive(Clone, Copy, Debug)]
pub struct KnownBuffer<'a> {
    /// The buffer.
    pub buffer: vk::Buffer,
    /// How a decoder may read it.
    pub access: SourceAccess,
    /// What it holds from its first byte on, as far as the copy reads, each time that the copy runs.
    pub content: &'a [u8],
}

/// What is done with the regions of an upload.
#[derive(Default)]
pub(crate) struct LookedUp {
    /// By their number, what they become.
    pub(crate) hits: Vec<(usize, Arc<[u8]>)>,
    /// The others, and the key to keep each under.
    pub(crate) misses: Vec<(usize, Option<Key>)>,
}

/// Blocks that the device is to hand back for the cache.
#[derive(Debug)]
pub(crate) struct Encoded {
    key: Key,
    buffer: Buffer,
    bytes: usize,
}

/// Written behind the blocks once they are there: a command buffer that never ran has written nothing.
const DONE: u32 = 0xB10C_0DED;
/// Bytes that one recording hands back at most: more wait for another time.
const MOST_HANDED_BACK: usize = 64 << 20;

impl Emulator {
    /// Finds the regions of an upload in the cache; `None` if it has nothing to do with this one.
    pub(crate) fn look_up(&self, upload: &Upload<'_>, blocks: &[Blocks]) -> Result<Option<LookedUp>> {
        let image = upload.image;
        let (Some(cache), Some(content)) = (&self.cache, upload.content) else { return Ok(None) };
        if !image.target.is_compressed() {
            return Ok(None);
        }
        let version = self.kernel_version(image)?;
        let mut found = LookedUp::default();
        for (index, (region, blocks)) in upload.regions.iter().zip(blocks).enumerate() {
            let bytes = target_bytes(image, region);
            let key = bytes
                .filter(|&bytes| cache.takes(bytes) && image.covers_target_blocks(region))
                .and_then(|_| key(image, region, blocks, content, &version));
            match key.and_then(|key| cache.get(&key, bytes.unwrap_or(0))) {
                Some(value) => found.hits.push((index, value)),
                None => found.misses.push((index, key)),
            }
        }
        Ok(Some(found))
    }

    /// What else but blocks and shape decides what an image's blocks become.
    fn kernel_version(&self, image: &EmulatedImage) -> Result<Key> {
        let pair = (image.format.vk, image.target.vk);
        if let Some(version) = self.versions().get(&pair) {
            return Ok(*version);
        }
        let options = self.options();
        let source = Source::TexelBuffer(vk::Buffer::null());
        let target = image.target(vk::ImageLayout::GENERAL, &[]);
        let job = Job { format: image.format, source, target, regions: &[], options };
        let (pipeline, _) = self.transcoder.pipeline_for(&job)?;
        let mut hash = KeyHash::new();
        hash.add(&pair.0.0.to_le_bytes());
        hash.add(&pair.1.0.to_le_bytes());
        hash.add(format!("{:?} {:?}", options.error_color, options.effort).as_bytes());
        let words = pipeline.kernel().spirv;
        hash.start(words.len() as u64);
        words.iter().for_each(|word| hash.more(&word.to_le_bytes()));
        let version = hash.finish();
        self.versions().insert(pair, version);
        Ok(version)
    }

    /// Copies what was found into the image.
    ///
    /// # Safety
    /// As [`Emulator::copy_buffer_to_image`].
    pub(crate) unsafe fn copy_hits(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        upload: &Upload<'_>,
        hits: &[(usize, Arc<[u8]>)],
    ) -> Result<()> {
        let image = upload.image;
        let size = hits.iter().map(|(_, value)| value.len() as u64).sum();
        let usage = vk::BufferUsageFlags::TRANSFER_SRC;
        let desc = BufferDesc { name: "cached blocks", size, usage, location: Location::Upload };
        let mut buffer = Buffer::new(&self.gpu, &desc)?;
        let mut copies = Vec::with_capacity(hits.len());
        let mut offset = 0;
        if let Some(mapped) = buffer.mapped_mut() {
            for (index, value) in hits {
                mapped[offset..offset + value.len()].copy_from_slice(value);
                copies.push(plain_copy(&upload.regions[*index], offset as u64));
                offset += value.len();
            }
        }
        let (handle, layout) = (buffer.handle(), upload.layout);
        recording.staging.push(buffer);
        let device = self.gpu.device();
        // SAFETY: the caller's promise; each region covers whole blocks of the target, and the buffer holds them.
        unsafe { device.cmd_copy_buffer_to_image(commands, handle, image.handle, layout, &copies) };
        Ok(())
    }

    /// Hands back what the device made of regions that were not found.
    ///
    /// # Safety
    /// As [`Emulator::copy_buffer_to_image`]; the regions were just decoded.
    pub(crate) unsafe fn hand_back(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        upload: &Upload<'_>,
        misses: &[(usize, Option<Key>)],
    ) -> Result<()> {
        let (image, device) = (upload.image, self.gpu.device());
        let working = match upload.layout {
            vk::ImageLayout::GENERAL => vk::ImageLayout::GENERAL,
            _ => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        };
        let transfer = vk::PipelineStageFlags::TRANSFER;
        let (read, write) = (vk::AccessFlags::TRANSFER_READ, vk::AccessFlags::TRANSFER_WRITE);
        let mut total: usize = recording.encoded.iter().map(|one| one.bytes).sum();
        let before = recording.encoded.len();
        for &(index, key) in misses {
            let region = &upload.regions[index];
            let bytes = target_bytes(image, region).and_then(|bytes| usize::try_from(bytes).ok());
            let (Some(key), Some(bytes)) = (key, bytes) else { continue };
            if total.saturating_add(bytes) > MOST_HANDED_BACK {
                continue;
            }
            total += bytes;
            let size = (bytes.next_multiple_of(4) + 4) as u64;
            let usage = vk::BufferUsageFlags::TRANSFER_DST;
            let desc = BufferDesc { name: "blocks for the cache", size, usage, location: Location::Readback };
            let mut buffer = Buffer::new(&self.gpu, &desc)?;
            let Some(mapped) = buffer.mapped_mut() else { continue };
            mapped.fill(0);
            let barrier = |from: (vk::ImageLayout, _), to: (vk::ImageLayout, _)| {
                let range = vk::ImageSubresourceRange::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .base_mip_level(region.level)
                    .level_count(1)
                    .base_array_layer(region.base_layer)
                    .layer_count(region.layer_count);
                let barriers = [vk::ImageMemoryBarrier::default()
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(image.handle)
                    .subresource_range(range)
                    .old_layout(from.0)
                    .new_layout(to.0)
                    .src_access_mask(from.1)
                    .dst_access_mask(to.1)];
                let none = vk::DependencyFlags::empty();
                // SAFETY: the caller records outside a render pass, and the image is in that layout.
                unsafe {
                    device.cmd_pipeline_barrier(commands, transfer, transfer, none, &[], &[], &barriers)
                };
            };
            barrier((upload.layout, write), (working, read));
            let copy = [plain_copy(region, 0)];
            // SAFETY: the buffer holds the region's blocks.
            unsafe {
                device.cmd_copy_image_to_buffer(commands, image.handle, working, buffer.handle(), &copy)
            };
            barrier((working, vk::AccessFlags::empty()), (upload.layout, read | write));
            recording.encoded.push(Encoded { key, buffer, bytes });
        }
        let new = &recording.encoded[before..];
        if new.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller records outside a render pass.
        unsafe { self.memory_barrier(commands, (transfer, write), (transfer, write)) };
        for one in new {
            let place = one.bytes.next_multiple_of(4) as u64;
            // SAFETY: four bytes at the end of the buffer.
            unsafe { device.cmd_fill_buffer(commands, one.buffer.handle(), place, 4, DONE) };
        }
        let host = (vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ);
        // SAFETY: as above.
        unsafe { self.memory_barrier(commands, (transfer, write), host) };
        Ok(())
    }
}

impl Encoded {
    /// Keeps the blocks, if the device has written them.
    pub(crate) fn keep(&self, cache: &Cache) {
        let Some(mapped) = self.buffer.mapped() else { return };
        let place = self.bytes.next_multiple_of(4);
        if mapped.get(place..place + 4) == Some(&DONE.to_ne_bytes()) {
            cache.insert(self.key, &mapped[..self.bytes]);
        }
    }
}

/// Bytes of the target's blocks in a region.
fn target_bytes(image: &EmulatedImage, region: &Region) -> Option<u64> {
    let [width, height, depth] = region.extent;
    image.target.level_bytes([width, height, depth.checked_mul(region.layer_count)?])
}

/// The region with the target's blocks without gaps.
fn plain_copy(region: &Region, buffer_offset: u64) -> vk::BufferImageCopy {
    let [width, height, depth] = region.extent;
    let [x, y, z] = region.offset.map(|value| value as i32);
    vk::BufferImageCopy::default()
        .buffer_offset(buffer_offset)
        .image_subresource(
            vk::ImageSubresourceLayers::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .mip_level(region.level)
                .base_array_layer(region.base_layer)
                .layer_count(region.layer_count),
        )
        .image_offset(vk::Offset3D { x, y, z })
        .image_extent(vk::Extent3D { width, height, depth })
}

/// The hash of a region's blocks and shape; `None` if `content` ends before them.
fn key(
    image: &EmulatedImage,
    region: &Region,
    blocks: &Blocks,
    content: &[u8],
    version: &Key,
) -> Option<Key> {
    let from = Pitched::of_region(region, image.format);
    let block_bytes = u64::from(image.format.block_bytes);
    let [columns, rows, slices] = blocks.size.map(u64::from);
    let mut hash = KeyHash::new();
    hash.add(version);
    for size in region.extent.into_iter().chain([region.layer_count]) {
        hash.add(&size.to_le_bytes());
    }
    hash.start(columns * rows * slices * block_bytes);
    for slice in 0..slices {
        for row in 0..rows {
            let start = from.offset + (slice * from.slice + row * from.row) * block_bytes;
            let start = usize::try_from(start).ok()?;
            let end = start.checked_add(usize::try_from(columns * block_bytes).ok()?)?;
            hash.more(content.get(start..end)?);
        }
    }
    Some(hash.finish())
}
