//! What a row needs on the device: several sources and images, so that one run does not find the last one's in cache.

use super::rows::Row;
use super::work::Work;
use crate::images::{BlockImage, ImageShape, TargetImage};
use anyhow::{Context, Result};
use texemu_core::vk;
use texemu_core::{Buffer, BufferDesc, Commands, Gpu, Location};
use texemu_format::Format;
use texemu_transcode::{Job, Region, Source, SourceKind};

/// Bytes that one round over all sets should touch: several times the largest cache.
const ROUND_BYTES: u64 = 256 << 20;
const MOST_SETS: u64 = 8;
/// Bytes of one upload.
const STAGING_BYTES: usize = 16 << 20;

/// The resources of one row.
pub(crate) struct Scene {
    row: Row,
    sets: Vec<Set>,
    /// Of each image: its levels.
    regions: Vec<Vec<Region>>,
}

struct Set {
    blocks: Buffer,
    targets: Vec<TargetImage>,
    /// Of each image: a view a level. Empty unless the source is a storage image.
    views: Vec<Vec<vk::ImageView>>,
    _block_images: Vec<BlockImage>,
}

impl Scene {
    pub(crate) fn new(gpu: &Gpu, commands: &mut Commands, row: &Row) -> Result<Self> {
        let Row { source, work, .. } = *row;
        let mut end = 0;
        let mut regions = Vec::new();
        for _ in 0..work.images {
            let mut levels = Vec::new();
            for level in 0..work.levels {
                let [width, height, _] = work.level(level);
                let whole = [work.extent[0], work.extent[1], 1];
                levels.push(Region::whole_level(whole, 1, level, end));
                end += source.level_bytes([width, height, 1]).context("the work is too large")?;
            }
            regions.push(levels);
        }
        let bytes = end + work.bytes(row.target);
        let sets = if gpu.capabilities().is_cpu() { 1 } else { (ROUND_BYTES / bytes).clamp(2, MOST_SETS) };
        let mut scene = Self { row: row.clone(), sets: Vec::new(), regions };
        for seed in 0..sets {
            let set = scene.new_set(gpu, commands, end, seed)?;
            scene.sets.push(set);
        }
        Ok(scene)
    }

    fn new_set(&self, gpu: &Gpu, commands: &mut Commands, bytes: u64, seed: u64) -> Result<Set> {
        let Row { source, target, work, source_kind, .. } = self.row;
        let mut contents = Vec::with_capacity(usize::try_from(bytes)?);
        for levels in &self.regions {
            for region in levels {
                let [columns, rows, _] = source.blocks(region.extent);
                contents.extend(self.row.blocks.fill(source, columns, rows, seed));
            }
        }
        let blocks = device_buffer(gpu, commands, "blocks", &contents)?;
        let shape = ImageShape { levels: work.levels, ..ImageShape::plain(work.extent[0], work.extent[1]) };
        let image = if self.row.straight { TargetImage::straight } else { TargetImage::new };
        let targets = (0..work.images).map(|_| image(gpu, target, shape)).collect::<Result<_, _>>()?;
        let mut block_images = Vec::new();
        let mut views = Vec::new();
        if source_kind == SourceKind::StorageImage {
            for levels in &self.regions {
                let mut of_image = Vec::new();
                for region in levels {
                    let [columns, rows, _] = source.blocks(region.extent);
                    let image = BlockImage::new(gpu, source, ImageShape::plain(columns, rows))?;
                    commands.run(|commands| {
                        // SAFETY: both live until `run` has waited; the buffer holds the level's blocks.
                        unsafe { image.fill(commands, &blocks, region.buffer_offset, columns) };
                        Ok::<_, texemu_core::Error>(())
                    })?;
                    of_image.push(image.view);
                    block_images.push(image);
                }
                views.push(of_image);
            }
        }
        Ok(Set { blocks, targets, views, _block_images: block_images })
    }

    /// The jobs of run `run`.
    pub(crate) fn jobs(&self, run: usize) -> Vec<Job<'_>> {
        let set = &self.sets[run % self.sets.len()];
        let mut jobs = Vec::with_capacity(set.targets.len());
        for (index, (target, regions)) in set.targets.iter().zip(&self.regions).enumerate() {
            let source = match self.row.source_kind {
                SourceKind::TexelBuffer => Source::TexelBuffer(set.blocks.handle()),
                SourceKind::StorageBuffer => Source::StorageBuffer(set.blocks.handle()),
                SourceKind::StorageImage => Source::StorageImage(&set.views[index]),
            };
            let (format, options) = (self.row.source, self.row.options);
            jobs.push(Job { format, source, target: target.target(true), regions, options });
        }
        jobs
    }
}

/// A buffer in the device's memory with these contents.
pub(crate) fn device_buffer(
    gpu: &Gpu,
    commands: &mut Commands,
    name: &str,
    contents: &[u8],
) -> Result<Buffer> {
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
        | vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    let size = contents.len() as u64;
    let buffer = Buffer::new(gpu, &BufferDesc { name, size, usage, location: Location::Device })?;
    let mut staging = Buffer::new(
        gpu,
        &BufferDesc {
            name: "staging",
            size: size.min(STAGING_BYTES as u64),
            usage: vk::BufferUsageFlags::TRANSFER_SRC,
            location: Location::Upload,
        },
    )?;
    let mut offset = 0;
    for piece in contents.chunks(STAGING_BYTES) {
        let mapped = staging.mapped_mut().context("upload memory is not mapped")?;
        mapped[..piece.len()].copy_from_slice(piece);
        commands.run(|commands| {
            let copy = vk::BufferCopy { src_offset: 0, dst_offset: offset, size: piece.len() as u64 };
            // SAFETY: both buffers live until `run` has waited, and hold the range.
            unsafe {
                gpu.device().cmd_copy_buffer(commands, staging.handle(), buffer.handle(), &[copy]);
            }
            Ok::<_, texemu_core::Error>(())
        })?;
        offset += piece.len() as u64;
    }
    Ok(buffer)
}

impl Work {
    /// Bytes that the kernel reads, and writes, in one run.
    pub(crate) fn traffic(&self, source: &Format, target: &Format) -> u64 {
        self.bytes(source) + self.bytes(target)
    }
}
