//! Kernels on a device.

use super::{Engine, Task};
use crate::bands::common_footprint;
use crate::images::{BlockImage, ImageShape, TargetImage};
use anyhow::{Context, Result};
use clap::Args;
use std::time::Duration;
use texemu_core::vk;
use texemu_core::{
    Arena, Buffer, BufferDesc, CacheLocation, Commands, Gpu, GpuDesc, Location, Select, Timestamps,
    Validation,
};
use texemu_format::Format;
use texemu_transcode::{Job, Options, Region, Source, SourceKind, Target, Transcoder};

/// `--device` and what goes with it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where it runs")]
pub(crate) struct DeviceArguments {
    /// The device: its number in `texemu devices`, a part of its name, or its UUID; by default the best one
    #[arg(long, value_name = "N|NAME|UUID", env = "TEXEMU_DEVICE")]
    pub(crate) device: Option<String>,
    /// Load the Khronos validation layer; its messages go to standard error
    #[arg(long)]
    pub(crate) validation: bool,
    /// Ignore the device's optional features, to run what the weakest device would
    #[arg(long)]
    pub(crate) baseline: bool,
}

impl DeviceArguments {
    pub(crate) fn open(&self) -> Result<Gpu> {
        Gpu::open(&self.desc()).context("no usable device; `texemu devices` lists them")
    }

    /// Which device, and how it is opened.
    pub(crate) fn desc(&self) -> GpuDesc {
        GpuDesc {
            select: self.device.as_deref().map_or(Select::Best, Select::parse),
            validation: if self.validation { Validation::Synchronization } else { Validation::Off },
            cache: CacheLocation::User,
            baseline: self.baseline,
        }
    }
}

/// A buffer that grows when it must.
#[derive(Debug)]
struct Growing {
    buffer: Option<Buffer>,
    name: &'static str,
    usage: vk::BufferUsageFlags,
    location: Location,
}

impl Growing {
    fn new(name: &'static str, usage: vk::BufferUsageFlags, location: Location) -> Self {
        Self { buffer: None, name, usage, location }
    }

    /// The buffer, with room for `size` bytes. The device is done with the one before.
    fn with_room(&mut self, gpu: &Gpu, size: u64) -> texemu_core::Result<&mut Buffer> {
        if self.buffer.as_ref().is_some_and(|buffer| buffer.size() < size) {
            // Freed first: the two together could be one too many.
            self.buffer = None;
        }
        match &mut self.buffer {
            Some(buffer) => Ok(buffer),
            empty => {
                let desc = BufferDesc {
                    name: self.name,
                    size: size.max(1),
                    usage: self.usage,
                    location: self.location,
                };
                Ok(empty.insert(Buffer::new(gpu, &desc)?))
            }
        }
    }
}

/// Runs kernels. Nothing is in flight between calls.
#[derive(Debug)]
pub(crate) struct GpuEngine {
    transcoder: Transcoder,
    commands: Commands,
    arena: Arena,
    upload: Growing,
    readback: Growing,
    /// The image that is used for one tile after the other.
    tile: Option<TargetImage>,
    block_image: Option<BlockImage>,
    /// None where the device has none.
    clock: Option<Timestamps>,
    /// Nanoseconds that kernels and the copies that belong to them took.
    worked: f64,
}

impl GpuEngine {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self> {
        let upload_usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC;
        Ok(Self {
            transcoder: Transcoder::new(gpu)?,
            commands: Commands::new(gpu)?,
            arena: Arena::new(gpu),
            upload: Growing::new("blocks", upload_usage, Location::Upload),
            readback: Growing::new("texels", vk::BufferUsageFlags::TRANSFER_DST, Location::Readback),
            tile: None,
            block_image: None,
            clock: gpu.capabilities().timestamps.then(|| Timestamps::new(gpu, 2)).transpose()?,
            worked: 0.0,
        })
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        self.transcoder.gpu()
    }

    /// Makes the images of a tile, unless those of the last one serve.
    fn prepare_images(&mut self, task: &Task, region: &Region) -> texemu_core::Result<()> {
        let gpu = self.transcoder.gpu().clone();
        let shape = ImageShape::plain(region.extent[0], region.extent[1]);
        if !self.tile.as_ref().is_some_and(|tile| tile.format == task.target && tile.shape == shape) {
            self.tile = None;
            self.tile = Some(TargetImage::new(&gpu, task.target, shape)?);
        }
        if task.source_kind == SourceKind::StorageImage {
            let [columns, rows, _] = task.source.blocks(region.extent);
            let shape = ImageShape::plain(columns, rows);
            let format = texemu_core::vk_format(task.source.storage_view());
            let serves = |image: &BlockImage| image.format == format && image.shape == shape;
            if !self.block_image.as_ref().is_some_and(serves) {
                self.block_image = None;
                self.block_image = Some(BlockImage::new(&gpu, task.source, shape)?);
            }
        }
        Ok(())
    }

    /// Transcodes some columns of the upload, whose rows hold `width` texels, into the read-back buffer's.
    fn run_tile(&mut self, task: &Task, first: u32, columns: u32, width: u32, height: u32) -> Result<()> {
        let first_block = first / task.source.footprint[0];
        let region = Region {
            buffer_offset: u64::from(first_block) * u64::from(task.source.block_bytes),
            buffer_row_length: width,
            layer_count: 1,
            extent: [columns, height, 1],
            ..Region::default()
        };
        self.prepare_images(task, &region)?;
        let gpu = self.transcoder.gpu().clone();
        let (Some(tile), Some(upload), Some(readback)) =
            (&self.tile, &self.upload.buffer, &self.readback.buffer)
        else {
            unreachable!("made just now, and by the caller");
        };
        let block_image = self.block_image.as_ref().filter(|_| task.source_kind == SourceKind::StorageImage);
        let views = block_image.map(|image| [image.view]);
        let source = match (task.source_kind, &views) {
            (SourceKind::StorageImage, Some(views)) => Source::StorageImage(views),
            (SourceKind::StorageBuffer, _) => Source::StorageBuffer(upload.handle()),
            _ => Source::TexelBuffer(upload.handle()),
        };
        let regions = [region];
        let job = Job {
            format: task.source,
            source,
            target: tile.target(true),
            regions: &regions,
            options: task.options,
        };
        // SAFETY: `Commands::run` waited for everything recorded before.
        unsafe { self.arena.reset() }?;
        let (transcoder, arena, clock) = (&self.transcoder, &mut self.arena, self.clock.as_ref());
        let result = self.commands.run(|commands| {
            if let Some(image) = block_image {
                let row = width.div_ceil(task.source.footprint[0]);
                // SAFETY: both live until `run` has waited; the upload holds the blocks of all rows.
                unsafe { image.fill(commands, upload, region.buffer_offset, row) };
            }
            if let Some(clock) = clock {
                // SAFETY: the commands are being recorded, outside a render pass.
                unsafe { clock.reset(commands) };
                // SAFETY: as above; there are two queries.
                unsafe { clock.write(commands, 0) };
            }
            // SAFETY: upload and images live until `run` has waited, and hold what the job says.
            unsafe { transcoder.record(commands, arena, &[job]) }?;
            if let Some(clock) = clock {
                // SAFETY: as above.
                unsafe { clock.write(commands, 1) };
            }
            read_back(&gpu, commands, tile, first, width, readback);
            Ok::<_, texemu_transcode::Error>(())
        });
        result?;
        if let Some(clock) = &self.clock {
            self.worked += clock.nanoseconds()?.into_iter().sum::<f64>();
        }
        Ok(())
    }
}

impl Engine for GpuEngine {
    fn name(&self) -> String {
        self.gpu().capabilities().info.name.clone()
    }

    fn run(&mut self, task: &Task, blocks: &[u8], width: u32, height: u32) -> Result<&[u8]> {
        let gpu = self.transcoder.gpu().clone();
        let bytes = task.target.level_bytes([width, height, 1]).context("the band is too large")?;
        self.readback.with_room(&gpu, bytes)?;
        let upload = self.upload.with_room(&gpu, blocks.len() as u64)?;
        let mapped = upload.mapped_mut().context("upload memory is not mapped")?;
        mapped[..blocks.len()].copy_from_slice(blocks);

        // Images have a largest width; wider ones are done in columns.
        let step = common_footprint(task.source, task.target)[0];
        let widest = gpu.capabilities().limits.max_image_dimension2_d;
        let most = if width <= widest { width } else { widest / step * step };
        let mut first = 0;
        while first < width {
            let columns = most.min(width - first);
            self.run_tile(task, first, columns, width, height)?;
            first += columns;
        }
        let mapped = self.readback.buffer.as_ref().and_then(Buffer::mapped);
        let mapped = mapped.context("read-back memory is not mapped")?;
        Ok(&mapped[..usize::try_from(bytes)?])
    }

    fn take_device_time(&mut self) -> Option<Duration> {
        let worked = std::mem::take(&mut self.worked);
        self.clock.as_ref().map(|_| Duration::from_secs_f64(worked / 1e9))
    }
}

/// Records a copy of the tile into column `first` of `readback`, whose rows hold `width` texels.
fn read_back(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    tile: &TargetImage,
    first: u32,
    width: u32,
    readback: &Buffer,
) {
    let [block_width, block_height] = tile.format.footprint;
    let offset = u64::from(first / block_width) * u64::from(tile.format.block_bytes);
    let [columns, rows, _] = tile.shape.extent;
    // Vulkan counts texels here too, and wants whole blocks.
    let copy = vk::BufferImageCopy::default()
        .buffer_offset(offset)
        .buffer_row_length(width.next_multiple_of(block_width))
        .buffer_image_height(rows.next_multiple_of(block_height))
        .image_subresource(
            vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1),
        )
        .image_extent(vk::Extent3D { width: columns, height: rows, depth: 1 });
    let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    // SAFETY: the image is in that layout, as the job's target said, and visible to transfers; the buffer has the room.
    unsafe {
        gpu.device().cmd_copy_image_to_buffer(commands, tile.handle(), layout, readback.handle(), &[copy]);
    }
    let host = vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::HOST_READ);
    let (transfer, stage) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
    let flags = vk::DependencyFlags::empty();
    // SAFETY: recorded outside a render pass.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, transfer, stage, flags, &[host], &[], &[]) };
}

/// A job that is never recorded: for asking what it would run with.
pub(crate) fn dummy_job(
    source: &'static Format,
    target: &'static Format,
    source_kind: SourceKind,
    options: Options,
) -> Job<'static> {
    Job {
        format: source,
        source: match source_kind {
            SourceKind::TexelBuffer => Source::TexelBuffer(vk::Buffer::null()),
            SourceKind::StorageBuffer => Source::StorageBuffer(vk::Buffer::null()),
            SourceKind::StorageImage => Source::StorageImage(&[]),
        },
        target: Target {
            image: vk::Image::null(),
            format: target,
            image_type: vk::ImageType::TYPE_2D,
            extent: [1; 3],
            levels: 1,
            layers: 1,
            layout: vk::ImageLayout::GENERAL,
            discard: false,
            views: &[],
        },
        regions: &[],
        options,
    }
}
