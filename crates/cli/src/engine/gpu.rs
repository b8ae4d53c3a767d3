//! Kernels on a device.

use super::{Engine, Task};
use crate::bands::common_footprint;
use anyhow::{Context, Result};
use clap::Args;
use texemu_core::vk;
use texemu_core::{
    Arena, Buffer, BufferDesc, CacheLocation, Commands, Gpu, GpuDesc, Image, ImageDesc, Location, Select,
    Validation,
};
use texemu_format::Format;
use texemu_transcode::{Job, Region, Source, SourceKind, Target, Transcoder};

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
        let desc = GpuDesc {
            select: self.device.as_deref().map_or(Select::Best, Select::parse),
            validation: if self.validation { Validation::Synchronization } else { Validation::Off },
            cache: CacheLocation::User,
            baseline: self.baseline,
        };
        Gpu::open(&desc).context("no usable device; `texemu devices` lists them, and --cpu needs none")
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

/// An image of one level and layer that is used for one tile after the other.
#[derive(Debug)]
struct Tile {
    image: Image,
    format: &'static Format,
    extent: [u32; 2],
}

/// Blocks as the texels of a storage image.
#[derive(Debug)]
struct BlockImage {
    image: Image,
    view: vk::ImageView,
    format: vk::Format,
    extent: [u32; 2],
    gpu: Gpu,
}

impl Drop for BlockImage {
    fn drop(&mut self) {
        // SAFETY: `Commands::run` waited for the last commands that used it.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
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
    tile: Option<Tile>,
    block_image: Option<BlockImage>,
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
        })
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        self.transcoder.gpu()
    }

    /// Transcodes columns `first..first + tile_width` into the read-back buffer, whose rows hold `width` texels.
    fn run_tile(&mut self, task: &Task, columns: [u32; 2], width: u32, height: u32) -> Result<()> {
        let gpu = self.transcoder.gpu().clone();
        let [first, tile_width] = columns;
        let extent = [tile_width, height];
        if !self.tile.as_ref().is_some_and(|tile| tile.format == task.target && tile.extent == extent) {
            self.tile = None;
            self.tile = Some(new_tile(&gpu, task.target, extent)?);
        }
        let (Some(tile), Some(upload), Some(readback)) =
            (&self.tile, &self.upload.buffer, &self.readback.buffer)
        else {
            unreachable!("made just now and by the caller");
        };
        let first_block = first / task.source.footprint[0];
        let region = Region {
            buffer_offset: u64::from(first_block) * u64::from(task.source.block_bytes),
            buffer_row_length: width,
            layer_count: 1,
            extent: [tile_width, height, 1],
            ..Region::default()
        };
        let block_extent = task.source.blocks(region.extent);
        if task.source_kind == SourceKind::StorageImage {
            let format = texemu_core::vk_format(task.source.storage_view());
            let extent = [block_extent[0], block_extent[1]];
            if !self
                .block_image
                .as_ref()
                .is_some_and(|image| image.format == format && image.extent == extent)
            {
                self.block_image = None;
                self.block_image = Some(new_block_image(&gpu, format, extent)?);
            }
        }
        let views = self.block_image.as_ref().map(|image| [image.view]);
        let source = match (task.source_kind, &views) {
            (SourceKind::StorageImage, Some(views)) => Source::StorageImage(views),
            (SourceKind::StorageBuffer, _) => Source::StorageBuffer(upload.handle()),
            _ => Source::TexelBuffer(upload.handle()),
        };
        let target = Target {
            image: tile.image.handle(),
            format: task.target,
            image_type: vk::ImageType::TYPE_2D,
            extent: [tile_width, height, 1],
            levels: 1,
            layers: 1,
            layout: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
            discard: true,
            views: &[],
        };
        let regions = [region];
        let job = Job { format: task.source, source, target, regions: &regions, options: task.options };
        // SAFETY: `Commands::run` waited for everything recorded before.
        unsafe { self.arena.reset() }?;
        let (transcoder, arena) = (&self.transcoder, &mut self.arena);
        let block_image = self.block_image.as_ref().filter(|_| task.source_kind == SourceKind::StorageImage);
        let result = self.commands.run(|commands| {
            if let Some(image) = block_image {
                let row = width.div_ceil(task.source.footprint[0]);
                fill_block_image(&gpu, commands, upload, region.buffer_offset, row, image);
            }
            // SAFETY: the handles are alive until `run` has waited; the upload holds the blocks of the rows.
            unsafe { transcoder.record(commands, arena, &[job]) }?;
            read_back(&gpu, commands, tile, first, width, readback);
            Ok::<_, texemu_transcode::Error>(())
        });
        Ok(result?)
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
        let tile_width = if width <= widest { width } else { widest / step * step };
        let mut first = 0;
        while first < width {
            self.run_tile(task, [first, tile_width.min(width - first)], width, height)?;
            first += tile_width;
        }
        let mapped = self.readback.buffer.as_ref().and_then(Buffer::mapped);
        let mapped = mapped.context("read-back memory is not mapped")?;
        Ok(&mapped[..usize::try_from(bytes)?])
    }
}

fn new_tile(gpu: &Gpu, format: &'static Format, extent: [u32; 2]) -> Result<Tile> {
    let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let mut flags = vk::ImageCreateFlags::empty();
    if !format.is_compressed() {
        usage |= vk::ImageUsageFlags::STORAGE;
        flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
    }
    let info = image_info(texemu_core::vk_format(format.vk), extent).flags(flags).usage(usage);
    Ok(Tile { image: Image::new(gpu, &ImageDesc { name: "tile", info })?, format, extent })
}

fn new_block_image(gpu: &Gpu, format: vk::Format, extent: [u32; 2]) -> Result<BlockImage> {
    let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::STORAGE;
    let info = image_info(format, extent).usage(usage);
    let image = Image::new(gpu, &ImageDesc { name: "blocks", info })?;
    let view_info = vk::ImageViewCreateInfo::default()
        .image(image.handle())
        .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
        .format(format)
        .subresource_range(whole());
    // SAFETY: the image was just made.
    let view = unsafe { gpu.device().create_image_view(&view_info, None) };
    let view = view.map_err(|result| texemu_core::Error::Vulkan { call: "vkCreateImageView", result })?;
    Ok(BlockImage { image, view, format, extent, gpu: gpu.clone() })
}

fn image_info(format: vk::Format, extent: [u32; 2]) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::OPTIMAL)
}

fn whole() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1)
}

fn colour_layer() -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1)
}

/// Records a copy of `image.extent` blocks from `upload`, whose rows hold `row` blocks, into the image, and its change to
/// the layout that a kernel reads it in.
fn fill_block_image(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    upload: &Buffer,
    offset: u64,
    row: u32,
    image: &BlockImage,
) {
    let barrier = |old, new, source, target| {
        vk::ImageMemoryBarrier::default()
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.image.handle())
            .subresource_range(whole())
            .old_layout(old)
            .new_layout(new)
            .src_access_mask(source)
            .dst_access_mask(target)
    };
    let (top, transfer) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
    let (none, write) = (vk::AccessFlags::empty(), vk::AccessFlags::TRANSFER_WRITE);
    let copied = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
    let before = [barrier(vk::ImageLayout::UNDEFINED, copied, none, write)];
    let flags = vk::DependencyFlags::empty();
    // SAFETY: the image is alive until the commands have run.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, top, transfer, flags, &[], &[], &before) };
    let copy = vk::BufferImageCopy::default()
        .buffer_offset(offset)
        .buffer_row_length(row)
        .image_subresource(colour_layer())
        .image_extent(vk::Extent3D { width: image.extent[0], height: image.extent[1], depth: 1 });
    // SAFETY: the buffer holds the rows and is alive, as above.
    unsafe {
        gpu.device().cmd_copy_buffer_to_image(
            commands,
            upload.handle(),
            image.image.handle(),
            copied,
            &[copy],
        );
    }
    let after = [barrier(copied, vk::ImageLayout::GENERAL, write, none)];
    // SAFETY: as above.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, transfer, transfer, flags, &[], &[], &after) };
}

/// Records a copy of the tile into column `first` of `readback`, whose rows hold `width` texels.
fn read_back(gpu: &Gpu, commands: vk::CommandBuffer, tile: &Tile, first: u32, width: u32, readback: &Buffer) {
    let [block_width, block_height] = tile.format.footprint;
    let offset = u64::from(first / block_width) * u64::from(tile.format.block_bytes);
    // Vulkan counts texels here too, and wants whole blocks.
    let copy = vk::BufferImageCopy::default()
        .buffer_offset(offset)
        .buffer_row_length(width.next_multiple_of(block_width))
        .buffer_image_height(tile.extent[1].next_multiple_of(block_height))
        .image_subresource(colour_layer())
        .image_extent(vk::Extent3D { width: tile.extent[0], height: tile.extent[1], depth: 1 });
    let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    // SAFETY: the image is in that layout, as the job's target said, and visible to transfers; the buffer has the room.
    unsafe {
        gpu.device().cmd_copy_image_to_buffer(
            commands,
            tile.image.handle(),
            layout,
            readback.handle(),
            &[copy],
        );
    }
    let host = vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::HOST_READ);
    let (transfer, stage) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
    let flags = vk::DependencyFlags::empty();
    // SAFETY: recorded outside a render pass.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, transfer, stage, flags, &[host], &[], &[]) };
}
