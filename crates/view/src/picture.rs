//! A texture on the device, as one policy holds it.

use crate::error::{Context, Error, Result};
use crate::pass::{create_view, image_barrier};
use std::sync::Arc;
use texemu_container::{Shape, Texture};
use texemu_core::{Buffer, BufferDesc, Commands, Gpu, Image, ImageDesc, Location, Timestamps, vk};
use texemu_emulate::{Emulator, Queue, SourceAccess};
use texemu_format::Format;

/// All levels, layers, faces and slices of a texture, in `SHADER_READ_ONLY_OPTIMAL`.
pub(crate) struct Picture {
    gpu: Gpu,
    held: Held,
    /// Of type `2D_ARRAY` or `3D`.
    pub(crate) view: vk::ImageView,
    /// What the device stores.
    pub(crate) target: &'static Format,
    /// Bytes that it needs for that.
    pub(crate) bytes: u64,
    /// The device's time for the copy and what it entails, where it can tell.
    pub(crate) nanoseconds: Option<f64>,
    /// The target can be filtered linearly.
    pub(crate) linear: bool,
}

enum Held {
    /// By an emulator, in memory of ours.
    Emulated { emulator: Arc<Emulator>, image: vk::Image, memory: vk::DeviceMemory },
    /// By the device itself.
    Native(Image),
}

impl Held {
    fn image(&self) -> vk::Image {
        match self {
            Self::Emulated { image, .. } => *image,
            Self::Native(image) => image.handle(),
        }
    }
}

impl Picture {
    /// Creates the image through `emulator` and copies every level into it.
    pub(crate) fn upload(
        emulator: &Arc<Emulator>,
        commands: &mut Commands,
        texture: &Texture,
    ) -> Result<Self> {
        let gpu = emulator.gpu().clone();
        let (shape, format) = (texture.shape(), texture.format());
        let layers = check_limits(&gpu, shape)?;
        let [width, height, depth] = shape.extent();
        let info = vk::ImageCreateInfo::default()
            .image_type(if shape.is_3d() { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D })
            .format(texemu_core::vk_format(format.vk))
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(shape.levels())
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        let mut picture = Self::create(&gpu, emulator, format, &info)?;
        picture.view = picture.create_view(format, shape.is_3d(), layers)?;

        let (staging, copies) = stage(&gpu, texture, layers)?;
        let timestamps = if gpu.capabilities().timestamps { Some(Timestamps::new(&gpu, 2)?) } else { None };
        let mut recording = emulator.recording(Queue::Compute);
        let result = commands.run(|commands| {
            let device = gpu.device();
            let image = picture.held.image();
            if let Some(timestamps) = &timestamps {
                // SAFETY: recorded outside a render pass.
                unsafe { timestamps.reset(commands) };
                // SAFETY: there are two.
                unsafe { timestamps.write(commands, 0) };
            }
            let (fresh, copied, sampled) = (
                vk::ImageLayout::UNDEFINED,
                vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            );
            let (top, transfer) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
            let fragment = vk::PipelineStageFlags::FRAGMENT_SHADER;
            let (none, write) = (vk::AccessFlags::empty(), vk::AccessFlags::TRANSFER_WRITE);
            let flags = vk::DependencyFlags::empty();
            let before = [image_barrier(image, [fresh, copied], [none, write])];
            // SAFETY: recorded outside a render pass; everything lives until `run` has waited, here and below.
            unsafe { device.cmd_pipeline_barrier(commands, top, transfer, flags, &[], &[], &before) };
            let access = SourceAccess::TexelBuffer;
            let buffer = staging.handle();
            // SAFETY: as above; the buffer was created with texel-buffer usage and holds every level.
            let emulated = unsafe {
                emulator.copy_buffer_to_image(
                    commands,
                    &mut recording,
                    buffer,
                    access,
                    image,
                    copied,
                    &copies,
                )
            }?;
            if !emulated {
                // SAFETY: as above.
                unsafe { device.cmd_copy_buffer_to_image(commands, buffer, image, copied, &copies) };
            }
            let after = [image_barrier(image, [copied, sampled], [write, vk::AccessFlags::SHADER_READ])];
            // SAFETY: as above.
            unsafe { device.cmd_pipeline_barrier(commands, transfer, fragment, flags, &[], &[], &after) };
            if let Some(timestamps) = &timestamps {
                // SAFETY: as above.
                unsafe { timestamps.write(commands, 1) };
            }
            Ok::<_, Error>(())
        });
        // SAFETY: `run` waited, or nothing was submitted.
        unsafe { emulator.recycle(recording) }?;
        result?;
        picture.nanoseconds = match timestamps {
            Some(timestamps) => timestamps.nanoseconds()?.first().copied(),
            None => None,
        };
        Ok(picture)
    }

    fn create(
        gpu: &Gpu,
        emulator: &Arc<Emulator>,
        format: &'static Format,
        info: &vk::ImageCreateInfo<'_>,
    ) -> Result<Self> {
        // SAFETY: the limits were checked; the format is the emulator's or asked of the device below.
        let emulated = unsafe { emulator.create_image(info, None) }?;
        let Some(image) = emulated else {
            let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::TRANSFER_DST;
            let features = gpu.capabilities().format(format.vk).optimal;
            if !features.contains(needed) {
                let name = &gpu.capabilities().info.name;
                return Err(Error::Unsupported(format!("{name} cannot sample {}", format.name)));
            }
            let image = Image::new(gpu, &ImageDesc { name: "texture", info: *info })?;
            let bytes = image.bytes();
            return Ok(Self::new(gpu, Held::Native(image), format, bytes));
        };
        let held = Held::Emulated { emulator: emulator.clone(), image, memory: vk::DeviceMemory::null() };
        let mut picture = Self::new(gpu, held, format, 0);
        if let (Some(report), Some(needed)) =
            (emulator.describe(image), emulator.image_memory_requirements(image))
        {
            picture.target = report.target;
            picture.bytes = report.decoded_bytes + report.compressed_bytes;
            picture.linear = filters_linearly(gpu, report.target);
            let allocated = allocate(gpu, needed)?;
            if let Held::Emulated { memory, .. } = &mut picture.held {
                *memory = allocated;
            }
            // SAFETY: the memory meets the requirements.
            unsafe { emulator.bind_image_memory(image, allocated, 0) }?;
        }
        Ok(picture)
    }

    fn new(gpu: &Gpu, held: Held, target: &'static Format, bytes: u64) -> Self {
        let linear = filters_linearly(gpu, target);
        Self { gpu: gpu.clone(), held, view: vk::ImageView::null(), target, bytes, nanoseconds: None, linear }
    }

    fn create_view(&self, format: &Format, volume: bool, layers: u32) -> Result<vk::ImageView> {
        let view_type = if volume { vk::ImageViewType::TYPE_3D } else { vk::ImageViewType::TYPE_2D_ARRAY };
        let vk_format = texemu_core::vk_format(format.vk);
        let Held::Emulated { emulator, image, .. } = &self.held else {
            return create_view(&self.gpu, self.held.image(), view_type, vk_format, layers);
        };
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(vk::REMAINING_MIP_LEVELS)
            .layer_count(layers);
        let info = vk::ImageViewCreateInfo::default()
            .image(*image)
            .view_type(view_type)
            .format(vk_format)
            .subresource_range(range);
        // SAFETY: the image is bound.
        let view = unsafe { emulator.create_image_view(&info, None) }?;
        view.ok_or_else(|| Error::Unsupported(format!("{}: the image is not emulated", format.name)))
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        // SAFETY: every recording was waited for; null handles are legal.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
        if let Held::Emulated { emulator, image, memory } = &self.held {
            // SAFETY: as above.
            unsafe { emulator.destroy_image(*image, None) };
            // SAFETY: nothing is bound to it any more; null handles are legal.
            unsafe { self.gpu.device().free_memory(*memory, None) };
        }
    }
}

fn filters_linearly(gpu: &Gpu, format: &Format) -> bool {
    let features = gpu.capabilities().format(format.vk).optimal;
    features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR)
}

/// The image's array layers, if the device takes an image as large.
fn check_limits(gpu: &Gpu, shape: &Shape) -> Result<u32> {
    let limits = &gpu.capabilities().limits;
    let most = if shape.is_3d() { limits.max_image_dimension3_d } else { limits.max_image_dimension2_d };
    let layers = shape.layers().saturating_mul(shape.faces());
    let side = shape.extent().into_iter().max().unwrap_or(0);
    if side > most || layers > limits.max_image_array_layers {
        let name = &gpu.capabilities().info.name;
        let layers_at_most = limits.max_image_array_layers;
        return Err(Error::Unsupported(format!(
            "{shape} is too large for {name}: it takes {most} texels a side and {layers_at_most} layers"
        )));
    }
    Ok(layers)
}

/// All levels in one buffer, and the copies that bring them to their places.
fn stage(gpu: &Gpu, texture: &Texture, layers: u32) -> Result<(Buffer, Vec<vk::BufferImageCopy>)> {
    let shape = texture.shape();
    let (mut size, mut copies) = (0u64, Vec::new());
    for level in 0..shape.levels() {
        let [width, height, depth] = shape.level_extent(level);
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .mip_level(level)
            .layer_count(layers);
        copies.push(
            vk::BufferImageCopy::default()
                .buffer_offset(size)
                .image_subresource(layers)
                .image_extent(vk::Extent3D { width, height, depth }),
        );
        // Copies want offsets that are multiples of the block and of 4.
        size += shape.level_bytes(level).next_multiple_of(16);
    }
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
    let desc = BufferDesc { name: "blocks", size: size.max(1), usage, location: Location::Upload };
    let mut staging = Buffer::new(gpu, &desc)?;
    if let Some(mapped) = staging.mapped_mut() {
        for (level, copy) in (0..).zip(&copies) {
            let bytes = texture.level(level);
            mapped[copy.buffer_offset as usize..][..bytes.len()].copy_from_slice(bytes);
        }
    }
    Ok((staging, copies))
}

/// Memory that meets `needed`, the device's own where there is such.
fn allocate(gpu: &Gpu, needed: vk::MemoryRequirements) -> Result<vk::DeviceMemory> {
    // SAFETY: the physical device is the device's own.
    let properties = unsafe { gpu.instance().get_physical_device_memory_properties(gpu.physical_device()) };
    let fits = |wanted: vk::MemoryPropertyFlags| {
        (0..properties.memory_type_count).find(|&index| {
            let flags = properties.memory_types[index as usize].property_flags;
            needed.memory_type_bits >> index & 1 == 1 && flags.contains(wanted)
        })
    };
    let index = fits(vk::MemoryPropertyFlags::DEVICE_LOCAL).or(fits(vk::MemoryPropertyFlags::empty()));
    let index = index.ok_or_else(|| Error::Unsupported("no memory type fits the image".into()))?;
    let info = vk::MemoryAllocateInfo::default().allocation_size(needed.size).memory_type_index(index);
    // SAFETY: the type is one of the device's.
    unsafe { gpu.device().allocate_memory(&info, None) }.call("vkAllocateMemory")
}
