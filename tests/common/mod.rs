//! What every GPU test shares: a device under validation, textures on it, and their texels back.
//!
//! The device is what `VK_ICD_FILENAMES` leaves; `TEXEMU_TEST_DEVICE` picks one by index or part of its name. A test that holds a
//! [`TestGpu`] fails if a validation layer said anything by the time it is dropped. `TEXEMU_TEST_VALIDATION=off` does without one.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod compute;
pub(crate) mod count;
pub(crate) mod draw;
pub(crate) mod model;
pub(crate) mod plain;
pub(crate) mod texture;

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use texemu_core::vk;
use texemu_core::{
    Arena, Buffer, BufferDesc, CacheLocation, Commands, Gpu, GpuDesc, Image, ImageDesc, Location, Select,
    Validation, ValidationLog,
};
use texemu_format::{Format, level_extent};
use texemu_transcode::{Job, Options, Recorded, Region, Source, Target, Transcoder};

/// A device that fails its test if validation is not silent until it is destroyed.
pub(crate) struct TestGpu {
    gpu: ManuallyDrop<Gpu>,
    log: ValidationLog,
}

impl TestGpu {
    /// Everything the device has.
    pub(crate) fn new() -> Self {
        Self::open(false)
    }

    /// As the weakest device would be: no optional features, descriptor sets from pools.
    pub(crate) fn baseline() -> Self {
        Self::open(true)
    }

    fn open(baseline: bool) -> Self {
        let select = std::env::var("TEXEMU_TEST_DEVICE").map_or(Select::Best, |text| Select::parse(&text));
        // For a machine with a device worth testing on and no layer; what is run there was run under validation before.
        let off = std::env::var("TEXEMU_TEST_VALIDATION").is_ok_and(|value| value == "off");
        let validation = if off { Validation::Off } else { Validation::Synchronization };
        let desc = GpuDesc { select, validation, cache: CacheLocation::Off, baseline };
        let gpu =
            Gpu::open(&desc).expect("the tests need a Vulkan device and the validation layer; see README.md");
        let log = gpu.validation_log();
        Self { gpu: ManuallyDrop::new(gpu), log }
    }
}

impl std::ops::Deref for TestGpu {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        &self.gpu
    }
}

impl Drop for TestGpu {
    fn drop(&mut self) {
        // The test's own objects are gone by now, so this destroys the device: what was leaked on it is reported too.
        // SAFETY: not used again.
        unsafe { ManuallyDrop::drop(&mut self.gpu) };
        let messages = self.log.messages();
        if !std::thread::panicking() {
            assert!(messages.is_empty(), "validation said:\n{}", messages.join("\n"));
        }
    }
}

/// Where the shared data lies, or `None` with a printed reason: the test is skipped then.
pub(crate) fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("TEXEMU_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    if path.join("data/INDEX.tsv").exists() {
        return Some(path);
    }
    println!("skipped: {} holds no data/INDEX.tsv", path.display());
    None
}

/// An image to transcode into, 2D (arrays, cubes) or 3D, of an uncompressed target format.
pub(crate) struct TestImage {
    pub(crate) image: Image,
    pub(crate) format: &'static Format,
    pub(crate) image_type: vk::ImageType,
    pub(crate) extent: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) layers: u32,
}

impl TestImage {
    pub(crate) fn new(
        gpu: &Gpu,
        format: &'static Format,
        extent: [u32; 3],
        levels: u32,
        layers: u32,
    ) -> Self {
        let image_type = if extent[2] > 1 { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D };
        Self::with_type(gpu, format, image_type, extent, levels, layers)
    }

    pub(crate) fn with_type(
        gpu: &Gpu,
        format: &'static Format,
        image_type: vk::ImageType,
        extent: [u32; 3],
        levels: u32,
        layers: u32,
    ) -> Self {
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED;
        let mut flags = vk::ImageCreateFlags::empty();
        if !format.is_compressed() {
            usage |= vk::ImageUsageFlags::STORAGE;
            flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
        }
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(image_type)
            .format(texemu_core::vk_format(format.vk))
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: extent[2] })
            .mip_levels(levels)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        let image = Image::new(gpu, &ImageDesc { name: "test image", info }).expect("the image fits");
        Self { image, format, image_type, extent, levels, layers }
    }

    /// A BC image whose blocks may be stored through views with a texel a block, if the device takes such.
    pub(crate) fn with_block_texel_views(
        gpu: &Gpu,
        format: &'static Format,
        extent: [u32; 3],
        levels: u32,
    ) -> Option<Self> {
        let image_type = vk::ImageType::TYPE_2D;
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::STORAGE;
        let flags = vk::ImageCreateFlags::MUTABLE_FORMAT
            | vk::ImageCreateFlags::EXTENDED_USAGE
            | vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE;
        let vk_format = texemu_core::vk_format(format.vk);
        // R32G32_UINT is one of the extended formats.
        if format.block_bytes == 8 && !gpu.features().storage_image_extended_formats {
            return None;
        }
        // SAFETY: the physical device is the device's own.
        let properties = unsafe {
            gpu.instance().get_physical_device_image_format_properties(
                gpu.physical_device(),
                vk_format,
                image_type,
                vk::ImageTiling::OPTIMAL,
                usage,
                flags,
            )
        };
        if properties.is_err() {
            return None;
        }
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(image_type)
            .format(vk_format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: extent[2] })
            .mip_levels(levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        let image = Image::new(gpu, &ImageDesc { name: "block-texel image", info }).ok()?;
        Some(Self { image, format, image_type, extent, levels, layers: 1 })
    }

    pub(crate) fn target(&self, layout: vk::ImageLayout, discard: bool) -> Target<'static> {
        Target {
            image: self.image.handle(),
            format: self.format,
            image_type: self.image_type,
            extent: self.extent,
            levels: self.levels,
            layers: self.layers,
            layout,
            discard,
            views: &[],
        }
    }

    /// Bytes of a level, all its layers.
    pub(crate) fn level_bytes(&self, level: u32) -> u64 {
        let layer = self.format.level_bytes(level_extent(self.extent, level)).expect("small");
        layer * u64::from(self.layers)
    }

    /// Records copies of all levels, tight, into a buffer. The image is in `layout`.
    pub(crate) fn read_back(
        &self,
        gpu: &Gpu,
        commands: vk::CommandBuffer,
        layout: vk::ImageLayout,
    ) -> Buffer {
        let bytes = (0..self.levels).map(|level| self.level_bytes(level).next_multiple_of(16)).sum();
        let buffer = Buffer::new(
            gpu,
            &BufferDesc {
                name: "read back",
                size: bytes,
                usage: vk::BufferUsageFlags::TRANSFER_DST,
                location: Location::Readback,
            },
        )
        .expect("the buffer fits");
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(vk::REMAINING_MIP_LEVELS)
            .layer_count(vk::REMAINING_ARRAY_LAYERS);
        let barrier = vk::ImageMemoryBarrier::default()
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image.handle())
            .subresource_range(range)
            .old_layout(layout)
            .new_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ);
        let stage = vk::PipelineStageFlags::TRANSFER;
        let none = vk::DependencyFlags::empty();
        // SAFETY: the image is alive and in `layout`.
        unsafe { gpu.device().cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &[barrier]) };
        let mut offset = 0;
        let mut copies = Vec::new();
        for level in 0..self.levels {
            let [width, height, depth] = level_extent(self.extent, level);
            copies.push(
                vk::BufferImageCopy::default()
                    .buffer_offset(offset)
                    .image_subresource(
                        vk::ImageSubresourceLayers::default()
                            .aspect_mask(vk::ImageAspectFlags::COLOR)
                            .mip_level(level)
                            .layer_count(self.layers),
                    )
                    .image_extent(vk::Extent3D { width, height, depth }),
            );
            offset += self.level_bytes(level).next_multiple_of(16);
        }
        // SAFETY: the buffer holds all levels; the image is in TRANSFER_SRC_OPTIMAL.
        unsafe {
            gpu.device().cmd_copy_image_to_buffer(
                commands,
                self.image.handle(),
                vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                buffer.handle(),
                &copies,
            );
        }
        let host = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        // SAFETY: recorded outside a render pass.
        unsafe {
            gpu.device().cmd_pipeline_barrier(
                commands,
                stage,
                vk::PipelineStageFlags::HOST,
                none,
                &host,
                &[],
                &[],
            );
        }
        buffer
    }

    /// One level out of what [`TestImage::read_back`] filled.
    pub(crate) fn level<'a>(&self, buffer: &'a Buffer, level: u32) -> &'a [u8] {
        let start: u64 = (0..level).map(|level| self.level_bytes(level).next_multiple_of(16)).sum();
        let end = start + self.level_bytes(level);
        &buffer.mapped().expect("read-back memory is mapped")[start as usize..end as usize]
    }
}

/// A buffer that holds `bytes`, to be read as blocks or copied.
pub(crate) fn upload(gpu: &Gpu, bytes: &[u8]) -> Buffer {
    let desc = BufferDesc {
        name: "blocks",
        size: bytes.len() as u64,
        usage: vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC,
        location: Location::Upload,
    };
    let mut buffer = Buffer::new(gpu, &desc).expect("the buffer fits");
    buffer.mapped_mut().expect("upload memory is mapped").copy_from_slice(bytes);
    buffer
}

/// A storage image a level that holds `blocks` as texels, in `GENERAL`, with its storage view.
pub(crate) struct BlockImage {
    pub(crate) image: Image,
    pub(crate) view: vk::ImageView,
    gpu: Gpu,
}

impl BlockImage {
    /// `extent` in blocks. The upload runs at once.
    pub(crate) fn new(
        gpu: &Gpu,
        format: &Format,
        blocks: &[u8],
        extent: [u32; 3],
        layers: u32,
        image_type: vk::ImageType,
    ) -> Self {
        let view_format = texemu_core::vk_format(format.storage_view());
        let info = vk::ImageCreateInfo::default()
            .image_type(image_type)
            .format(view_format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: extent[2] })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::STORAGE);
        let image = Image::new(gpu, &ImageDesc { name: "block image", info }).expect("the image fits");
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(layers);
        let view_type = if image_type == vk::ImageType::TYPE_3D {
            vk::ImageViewType::TYPE_3D
        } else {
            vk::ImageViewType::TYPE_2D_ARRAY
        };
        let view_info = vk::ImageViewCreateInfo::default()
            .image(image.handle())
            .view_type(view_type)
            .format(view_format)
            .subresource_range(range);
        // SAFETY: the image was just made.
        let view = unsafe { gpu.device().create_image_view(&view_info, None) }.expect("a legal view");
        let staging = upload(gpu, blocks);
        let mut commands = Commands::new(gpu).expect("commands");
        commands
            .run(|commands| {
                let barrier = |old, new, source, target| {
                    vk::ImageMemoryBarrier::default()
                        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                        .image(image.handle())
                        .subresource_range(range)
                        .old_layout(old)
                        .new_layout(new)
                        .src_access_mask(source)
                        .dst_access_mask(target)
                };
                let transfer = vk::PipelineStageFlags::TRANSFER;
                let none = vk::DependencyFlags::empty();
                let write = vk::AccessFlags::TRANSFER_WRITE;
                let to_transfer = barrier(
                    vk::ImageLayout::UNDEFINED,
                    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                    vk::AccessFlags::empty(),
                    write,
                );
                let start = vk::PipelineStageFlags::TOP_OF_PIPE;
                // SAFETY: the image is alive; recorded outside a render pass.
                unsafe {
                    gpu.device().cmd_pipeline_barrier(
                        commands,
                        start,
                        transfer,
                        none,
                        &[],
                        &[],
                        &[to_transfer],
                    )
                };
                let copy = vk::BufferImageCopy::default()
                    .image_subresource(
                        vk::ImageSubresourceLayers::default()
                            .aspect_mask(vk::ImageAspectFlags::COLOR)
                            .layer_count(layers),
                    )
                    .image_extent(vk::Extent3D { width: extent[0], height: extent[1], depth: extent[2] });
                let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
                // SAFETY: the staging buffer holds all blocks.
                unsafe {
                    gpu.device().cmd_copy_buffer_to_image(
                        commands,
                        staging.handle(),
                        image.handle(),
                        layout,
                        &[copy],
                    );
                }
                let to_general = barrier(layout, vk::ImageLayout::GENERAL, write, vk::AccessFlags::empty());
                // SAFETY: as above.
                unsafe {
                    gpu.device().cmd_pipeline_barrier(
                        commands,
                        transfer,
                        transfer,
                        none,
                        &[],
                        &[],
                        &[to_general],
                    )
                };
                Ok::<_, texemu_core::Error>(())
            })
            .expect("the upload runs");
        Self { image, view, gpu: gpu.clone() }
    }
}

impl Drop for BlockImage {
    fn drop(&mut self) {
        // SAFETY: the test waited for its commands.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
    }
}

/// Runs one job that fills whole levels, from UNDEFINED, and returns the levels' texels.
pub(crate) fn run_whole(
    transcoder: &Transcoder,
    format: &'static Format,
    source: Source<'_>,
    image: &TestImage,
    regions: &[Region],
    options: Options,
) -> (Recorded, Vec<Vec<u8>>) {
    let gpu = transcoder.gpu();
    let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
    let job = Job { format, source, target: image.target(layout, true), regions, options };
    let mut arena = Arena::new(gpu);
    let mut commands = Commands::new(gpu).expect("commands");
    let (recorded, buffer) = commands
        .run(|commands| {
            // SAFETY: the handles are alive until `run` has waited.
            let recorded = unsafe { transcoder.record(commands, &mut arena, &[job]) }?;
            Ok::<_, texemu_transcode::Error>((recorded, image.read_back(gpu, commands, layout)))
        })
        .expect("the job runs");
    let levels = (0..image.levels).map(|level| image.level(&buffer, level).to_vec()).collect();
    (recorded, levels)
}
