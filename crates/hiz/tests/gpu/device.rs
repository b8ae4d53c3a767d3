//! A device under validation, depth images filled with chosen values, and pyramids read back.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use texemu_core::{
    Arena, Buffer, BufferDesc, Commands, Gpu, GpuDesc, Image, ImageDesc, Location, Validation, vk,
};
use texemu_hiz::{DepthValues, Hiz, HizCaps, HizDepth, HizImage, HizPlan, HizTarget, Level};

/// Bytes of one texel of a one-component depth format as a buffer holds it, and its aspect.
pub(crate) fn depth_texel(format: vk::Format) -> (usize, vk::ImageAspectFlags) {
    match format {
        vk::Format::R16_UNORM => (2, vk::ImageAspectFlags::COLOR),
        vk::Format::R32_SFLOAT => (4, vk::ImageAspectFlags::COLOR),
        vk::Format::D16_UNORM => (2, vk::ImageAspectFlags::DEPTH),
        _ => (4, vk::ImageAspectFlags::DEPTH),
    }
}

pub(crate) struct Device {
    pub(crate) gpu: Gpu,
    pub(crate) hiz: Hiz,
    pub(crate) caps: HizCaps,
    pub(crate) commands: Commands,
    pub(crate) arena: Arena,
}

/// An image of the depth buffer's kind with one view of all its layers, left in `SHADER_READ_ONLY_OPTIMAL`.
pub(crate) struct DepthImage {
    pub(crate) view: View,
    _image: Image,
}

impl DepthImage {
    pub(crate) fn new(image: Image, view: View) -> Self {
        Self { view, _image: image }
    }
}

/// A view that goes with its owner.
pub(crate) struct View {
    gpu: Gpu,
    pub(crate) handle: vk::ImageView,
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: made on this device; tests wait for all they submit.
        unsafe { self.gpu.device().destroy_image_view(self.handle, None) };
    }
}

/// The images of a plan's levels, and the target made of them.
pub(crate) struct Pyramid {
    pub(crate) target: HizTarget,
    images: Vec<Image>,
    /// Image and mip level of each level.
    places: Vec<(usize, u32)>,
}

impl Device {
    /// The device that all tests share, so that each pipeline is compiled once. Without the validation layer only if
    /// `TEXEMU_HIZ_VALIDATION=off`.
    pub(crate) fn shared() -> MutexGuard<'static, Self> {
        static DEVICE: LazyLock<Mutex<Device>> = LazyLock::new(|| Mutex::new(Device::open(false)));
        DEVICE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(baseline: bool) -> Self {
        let off = std::env::var("TEXEMU_HIZ_VALIDATION").is_ok_and(|value| value == "off");
        let validation = if off { Validation::Off } else { Validation::Synchronization };
        let desc = GpuDesc { validation, baseline, ..GpuDesc::default() };
        let gpu = Gpu::open(&desc).expect("the tests need a Vulkan device and the validation layer");
        let hiz = Hiz::new(&gpu).expect("a sampler");
        let commands = Commands::new(&gpu).expect("a command buffer");
        Self { caps: HizCaps::of(&gpu), arena: Arena::new(&gpu), gpu, hiz, commands }
    }

    /// Fails if the validation layers said anything since the device was opened.
    pub(crate) fn expect_silence(&self) {
        assert_eq!(self.gpu.validation_log().messages(), Vec::<String>::new());
    }

    /// Whether the device samples depth images of this format with so many samples, and can fill them.
    pub(crate) fn takes(&self, format: vk::Format, samples: u32) -> bool {
        let (usage, fills) = if samples > 1 {
            (vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT)
        } else {
            (vk::ImageUsageFlags::TRANSFER_DST, vk::FormatFeatureFlags::TRANSFER_DST)
        };
        let (instance, physical) = (self.gpu.instance(), self.gpu.physical_device());
        // SAFETY: the physical device belongs to the instance.
        let properties = unsafe {
            instance.get_physical_device_image_format_properties(
                physical,
                format,
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                vk::ImageUsageFlags::SAMPLED | usage,
                vk::ImageCreateFlags::empty(),
            )
        };
        // SAFETY: as above.
        let features = unsafe { instance.get_physical_device_format_properties(physical, format) }
            .optimal_tiling_features;
        features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE | fills)
            && properties.is_ok_and(|found| found.sample_counts.as_raw() & samples != 0)
    }

    pub(crate) fn view(
        &self,
        image: &Image,
        format: vk::Format,
        aspect: vk::ImageAspectFlags,
        mip: u32,
        layers: u32,
    ) -> View {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspect)
            .base_mip_level(mip)
            .level_count(1)
            .layer_count(layers);
        let info = vk::ImageViewCreateInfo::default()
            .image(image.handle())
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(format)
            .subresource_range(range);
        // SAFETY: the image was made on this device with this format.
        let handle = unsafe { self.gpu.device().create_image_view(&info, None) }.expect("a view");
        View { gpu: self.gpu.clone(), handle }
    }

    pub(crate) fn upload(&self, bytes: &[u8]) -> Buffer {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::STORAGE_BUFFER;
        let size = bytes.len() as u64;
        let desc = BufferDesc { name: "upload", size, usage, location: Location::Upload };
        let mut buffer = Buffer::new(&self.gpu, &desc).expect("a buffer");
        buffer.mapped_mut().expect("mapped")[..bytes.len()].copy_from_slice(bytes);
        buffer
    }

    pub(crate) fn readback(&self, size: u64) -> Buffer {
        let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::STORAGE_BUFFER;
        let desc = BufferDesc { name: "readback", size, usage, location: Location::Readback };
        Buffer::new(&self.gpu, &desc).expect("a buffer")
    }

    /// A single-sampled depth image of these raw texels, layer by layer.
    pub(crate) fn depth_image(
        &mut self,
        format: vk::Format,
        extent: [u32; 2],
        layers: u32,
        texels: &[u8],
    ) -> DepthImage {
        let aspect = depth_texel(format).1;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        let image = Image::new(&self.gpu, &ImageDesc { name: "depth", info }).expect("an image");
        let buffer = self.upload(texels);
        let gpu = self.gpu.clone();
        self.commands
            .run(|commands| {
                use vk::{AccessFlags as A, ImageLayout as L, PipelineStageFlags as S};
                let all = whole(format, layers);
                transition(
                    &gpu,
                    commands,
                    image.handle(),
                    all,
                    (S::TOP_OF_PIPE, A::empty(), L::UNDEFINED),
                    (S::TRANSFER, A::TRANSFER_WRITE, L::TRANSFER_DST_OPTIMAL),
                );
                let region = vk::BufferImageCopy::default()
                    .image_subresource(
                        vk::ImageSubresourceLayers::default().aspect_mask(aspect).layer_count(layers),
                    )
                    .image_extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 });
                // SAFETY: the buffer holds all texels; the image is in this layout.
                unsafe {
                    gpu.device().cmd_copy_buffer_to_image(
                        commands,
                        buffer.handle(),
                        image.handle(),
                        L::TRANSFER_DST_OPTIMAL,
                        &[region],
                    );
                }
                transition(
                    &gpu,
                    commands,
                    image.handle(),
                    all,
                    (S::TRANSFER, A::TRANSFER_WRITE, L::TRANSFER_DST_OPTIMAL),
                    (S::COMPUTE_SHADER | S::FRAGMENT_SHADER, A::SHADER_READ, L::SHADER_READ_ONLY_OPTIMAL),
                );
                Ok::<(), texemu_core::Error>(())
            })
            .expect("an upload");
        let view = self.view(&image, format, aspect, 0, layers);
        DepthImage { view, _image: image }
    }

    /// Images for all levels of the plan, poisoned, and the target that writes to them.
    pub(crate) fn pyramid(&mut self, plan: &HizPlan) -> Pyramid {
        let layers = plan.desc().layers;
        let image = |extent: [u32; 2], mips: u32| {
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(plan.format())
                .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
                .mip_levels(mips)
                .array_layers(layers)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(
                    plan.level_usage()
                        | vk::ImageUsageFlags::TRANSFER_SRC
                        | vk::ImageUsageFlags::TRANSFER_DST
                        | vk::ImageUsageFlags::SAMPLED,
                );
            Image::new(&self.gpu, &ImageDesc { name: "hiz", info }).expect("an image")
        };
        let levels = plan.levels();
        let (images, places): (Vec<Image>, Vec<(usize, u32)>) = if plan.is_mip_chain() {
            let count = levels.len() as u32;
            (vec![image(levels[0].extent, count)], (0..count).map(|mip| (0, mip)).collect())
        } else {
            (
                levels.iter().map(|level| image(level.extent, 1)).collect(),
                (0..levels.len()).map(|index| (index, 0)).collect(),
            )
        };
        let bound: Vec<_> = places
            .iter()
            .map(|&(index, mip_level)| HizImage { image: images[index].handle(), mip_level, array_layer: 0 })
            .collect();
        // SAFETY: the images are the plan's levels, and live beside the target.
        let target = unsafe { HizTarget::new(&self.hiz, plan, &bound) }.expect("a target");
        let pyramid = Pyramid { target, images, places };
        self.poison(&pyramid);
        pyramid
    }

    /// Fills all levels with a value that no depth has, and leaves them in `GENERAL`.
    pub(crate) fn poison(&mut self, pyramid: &Pyramid) {
        let gpu = self.gpu.clone();
        let plan = pyramid.target.plan();
        self.commands
            .run(|commands| {
                use vk::{AccessFlags as A, ImageLayout as L, PipelineStageFlags as S};
                let all = whole(plan.format(), plan.desc().layers);
                for image in &pyramid.images {
                    transition(
                        &gpu,
                        commands,
                        image.handle(),
                        all,
                        (S::TOP_OF_PIPE, A::empty(), L::UNDEFINED),
                        (S::TRANSFER, A::TRANSFER_WRITE, L::GENERAL),
                    );
                    let color = vk::ClearColorValue { float32: [7.0; 4] };
                    // SAFETY: the image is in this layout and has the usage.
                    unsafe {
                        gpu.device().cmd_clear_color_image(
                            commands,
                            image.handle(),
                            L::GENERAL,
                            &color,
                            &[all],
                        )
                    };
                }
                Ok::<(), texemu_core::Error>(())
            })
            .expect("a clear");
    }

    /// Records the target's plan `times` times and waits.
    pub(crate) fn reduce(&mut self, depth: &DepthImage, offset: [u32; 2], pyramid: &Pyramid, times: u32) {
        let (gpu, hiz, arena) = (self.gpu.clone(), &self.hiz, &mut self.arena);
        let access = pyramid.target.plan().access();
        // A target is in use by one recording at a time, so a draw's descriptor sets are not rewritten within a command buffer.
        for _ in 0..times {
            self.commands
                .run(|commands| {
                    use vk::{AccessFlags as A, PipelineStageFlags as S};
                    global(
                        &gpu,
                        commands,
                        (S::ALL_COMMANDS, A::MEMORY_WRITE),
                        (access.levels.stages, access.levels.access),
                    );
                    let depth = HizDepth {
                        view: depth.view.handle,
                        layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
                        offset,
                    };
                    // SAFETY: recording on this device; everything lives until `run` has waited.
                    unsafe { hiz.record(commands, arena, &pyramid.target, &depth) }?;
                    Ok::<(), texemu_hiz::Error>(())
                })
                .expect("a pyramid");
            // SAFETY: `run` has waited.
            unsafe { arena.reset() }.expect("a reset");
        }
    }

    /// What the levels hold.
    pub(crate) fn read(&mut self, pyramid: &Pyramid) -> Vec<Level> {
        let gpu = self.gpu.clone();
        let plan = pyramid.target.plan();
        let half = matches!(plan.format(), vk::Format::R16_SFLOAT | vk::Format::R16G16_SFLOAT);
        let total: u64 = plan.levels().iter().map(|level| level.bytes.next_multiple_of(16)).sum();
        let buffer = self.readback(total);
        self.commands
            .run(|commands| {
                use vk::{AccessFlags as A, ImageLayout as L, PipelineStageFlags as S};
                let access = plan.access().levels;
                global(&gpu, commands, (access.stages, access.access), (S::TRANSFER, A::TRANSFER_READ));
                let mut offset = 0;
                for (level, &(index, mip)) in plan.levels().iter().zip(&pyramid.places) {
                    let region = vk::BufferImageCopy::default()
                        .buffer_offset(offset)
                        .image_subresource(
                            vk::ImageSubresourceLayers::default()
                                .aspect_mask(vk::ImageAspectFlags::COLOR)
                                .mip_level(mip)
                                .layer_count(plan.desc().layers),
                        )
                        .image_extent(vk::Extent3D {
                            width: level.extent[0],
                            height: level.extent[1],
                            depth: 1,
                        });
                    // SAFETY: the buffer has room; the image is in this layout.
                    unsafe {
                        gpu.device().cmd_copy_image_to_buffer(
                            commands,
                            pyramid.images[index].handle(),
                            L::GENERAL,
                            buffer.handle(),
                            &[region],
                        );
                    }
                    offset += level.bytes.next_multiple_of(16);
                }
                global(&gpu, commands, (S::TRANSFER, A::TRANSFER_WRITE), (S::HOST, A::HOST_READ));
                Ok::<(), texemu_core::Error>(())
            })
            .expect("a readback");
        let bytes = buffer.mapped().expect("mapped");
        let mut offset = 0;
        let values = |bytes: &[u8]| -> Vec<f32> {
            if half {
                let (texels, _) = bytes.as_chunks::<2>();
                texels.iter().map(|&texel| half::f16::from_le_bytes(texel).to_f32()).collect()
            } else {
                let (texels, _) = bytes.as_chunks::<4>();
                texels.iter().map(|&texel| f32::from_le_bytes(texel)).collect()
            }
        };
        plan.levels()
            .iter()
            .map(|level| {
                let start = offset as usize;
                offset += level.bytes.next_multiple_of(16);
                let values = values(&bytes[start..start + level.bytes as usize]);
                Level { level: level.level, extent: level.extent, values }
            })
            .collect()
    }
}

fn whole(format: vk::Format, layers: u32) -> vk::ImageSubresourceRange {
    let mut aspect = depth_texel(format).1;
    if matches!(format, vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT) {
        aspect |= vk::ImageAspectFlags::STENCIL;
    }
    let color = [vk::Format::R32G32_SFLOAT, vk::Format::R16_SFLOAT, vk::Format::R16G16_SFLOAT];
    if color.contains(&format) {
        aspect = vk::ImageAspectFlags::COLOR;
    }
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(layers)
}

type State = (vk::PipelineStageFlags, vk::AccessFlags, vk::ImageLayout);

pub(crate) fn transition(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    image: vk::Image,
    range: vk::ImageSubresourceRange,
    from: State,
    to: State,
) {
    let barriers = [vk::ImageMemoryBarrier::default()
        .src_access_mask(from.1)
        .dst_access_mask(to.1)
        .old_layout(from.2)
        .new_layout(to.2)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(range)];
    // SAFETY: recording on this device.
    unsafe {
        gpu.device().cmd_pipeline_barrier(
            commands,
            from.0,
            to.0,
            vk::DependencyFlags::empty(),
            &[],
            &[],
            &barriers,
        )
    };
}

pub(crate) fn global(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    from: (vk::PipelineStageFlags, vk::AccessFlags),
    to: (vk::PipelineStageFlags, vk::AccessFlags),
) {
    let barriers = [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
    // SAFETY: recording on this device.
    unsafe {
        gpu.device().cmd_pipeline_barrier(
            commands,
            from.0,
            to.0,
            vk::DependencyFlags::empty(),
            &barriers,
            &[],
            &[],
        )
    };
}

/// Values in no order, a few of them awkward.
pub(crate) fn noise(count: usize, seed: u32, awkward: bool) -> Vec<f32> {
    const AWKWARD: [f32; 10] =
        [-0.0, 0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0e-40, -1.0e-40, -0.5, 70000.0, 1.0e-7];
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..count)
        .map(|_| {
            let word = next();
            if awkward && word % 97 == 0 {
                AWKWARD[(word / 97) as usize % AWKWARD.len()]
            } else {
                (word >> 8) as f32 / (1 << 24) as f32
            }
        })
        .collect()
}

/// The first texel that differs, in words.
pub(crate) fn difference(found: &[Level], expected: &[Level], components: usize) -> Option<String> {
    assert_eq!(found.len(), expected.len(), "as many levels");
    let mut wrong = 0;
    let mut first = None;
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.level, found.extent), (expected.level, expected.extent));
        assert_eq!(found.values.len(), expected.values.len());
        for (index, (a, b)) in found.values.iter().zip(&expected.values).enumerate() {
            if a.to_bits() != b.to_bits() {
                wrong += 1;
                let texel = index / components;
                let [width, height] = found.extent.map(|size| size as usize);
                let (x, y, layer) = (texel % width, texel / width % height, texel / width / height);
                first.get_or_insert_with(|| {
                    format!(
                        "level {} ({x}, {y}) layer {layer} component {}: {a:e} for {b:e}",
                        found.level,
                        index % components
                    )
                });
            }
        }
    }
    first.map(|first| format!("{wrong} wrong, first {first}"))
}

pub(crate) fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(crate) fn depth_values(extent: [u32; 2], layers: u32, values: &[f32]) -> DepthValues<'_> {
    DepthValues { extent, samples: 1, layers, values }
}
