//! Timing pyramids on the device's own clock.

use crate::{Hiz, HizDepth, HizImage, HizPlan, HizTarget, Result, hiz::vulkan};
use std::sync::Arc;
use std::time::{Duration, Instant};
use texemu_core::{
    Arena, Buffer, BufferDesc, Commands, Gpu, Image, ImageDesc, Location, Pipeline, PipelineDesc, Resource,
    Timestamps, bind, vk,
};

/// What the device's caches hold when a run starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caches {
    /// Other memory, read and clean: what a frame finds after work of another kind.
    Cold,
    /// What the run before left.
    Warm,
}

/// Bytes read between runs, several times the largest second-level cache.
const FLUSH_BYTES: u64 = 256 << 20;
/// The same on a CPU, where reading takes long.
const FLUSH_BYTES_CPU: u64 = 16 << 20;

/// How long a device is kept busy before anything is timed: its clocks rise with load.
const SPIN: Duration = Duration::from_millis(100);
/// Invocations a workgroup of the copy and read kernels.
const GROUP: u64 = 256;

/// Times plans.
#[derive(Debug)]
pub struct Bench {
    gpu: Gpu,
    hiz: Arc<Hiz>,
    commands: Commands,
    timestamps: Timestamps,
    arena: Arena,
    flushed: Buffer,
    read: Pipeline,
    copy: Arc<Pipeline>,
}

/// A depth image of noise between 0 and 1, in `SHADER_READ_ONLY_OPTIMAL`.
#[derive(Debug)]
pub struct BenchDepth {
    view: View,
    _image: Image,
}

impl BenchDepth {
    /// How to reduce it.
    pub fn depth(&self) -> HizDepth {
        HizDepth { view: self.view.handle, layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL, offset: [0, 0] }
    }
}

/// The levels of a plan, and the target that writes them.
#[derive(Debug)]
pub struct BenchLevels {
    target: HizTarget,
    _images: Vec<Image>,
}

impl BenchLevels {
    /// The target.
    pub fn target(&self) -> &HizTarget {
        &self.target
    }
}

#[derive(Debug)]
struct View {
    gpu: Gpu,
    handle: vk::ImageView,
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: made on this device; `Commands::run` waits, so nothing is in flight.
        unsafe { self.gpu.device().destroy_image_view(self.handle, None) };
    }
}

impl Bench {
    /// On an owned device whose queue has timestamps.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let bytes = if gpu.capabilities().is_cpu() { FLUSH_BYTES_CPU } else { FLUSH_BYTES };
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        let desc = BufferDesc { name: "flush", size: bytes, usage, location: Location::Device };
        let pipeline =
            |kernel| Pipeline::new(gpu, &PipelineDesc { kernel, constants: &[], full_subgroups: false });
        let mut bench = Self {
            gpu: gpu.clone(),
            hiz: Arc::new(Hiz::new(gpu)?),
            commands: Commands::new(gpu)?,
            timestamps: Timestamps::new(gpu, 2)?,
            arena: Arena::new(gpu),
            flushed: Buffer::new(gpu, &desc)?,
            read: pipeline(&texemu_shaders::READ_BYTES)?,
            copy: Arc::new(pipeline(&texemu_shaders::COPY_BYTES)?),
        };
        let (gpu, buffer) = (bench.gpu.clone(), bench.flushed.handle());
        bench.commands.run(|commands| {
            // SAFETY: `commands` is being recorded; the buffer has the usage.
            unsafe { gpu.device().cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, 0) };
            Ok::<(), crate::Error>(())
        })?;
        Ok(bench)
    }

    /// The pipelines it times with.
    pub fn hiz(&self) -> &Hiz {
        &self.hiz
    }

    /// A `D32_SFLOAT` image of noise.
    pub fn depth(&mut self, extent: [u32; 2], layers: u32) -> Result<BenchDepth> {
        let format = vk::Format::D32_SFLOAT;
        let texels = u64::from(extent[0]) * u64::from(extent[1]) * u64::from(layers);
        let mut buffer = Buffer::new(
            &self.gpu,
            &BufferDesc {
                name: "noise",
                size: texels * 4,
                usage: vk::BufferUsageFlags::TRANSFER_SRC,
                location: Location::Upload,
            },
        )?;
        let mut state = 0x9e37_79b9u32;
        for texel in buffer.mapped_mut().unwrap_or_default().chunks_exact_mut(4) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            texel.copy_from_slice(&((state >> 8) as f32 / (1 << 24) as f32).to_le_bytes());
        }
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let image = self.image(format, extent, layers, usage)?;
        let aspect = vk::ImageAspectFlags::DEPTH;
        let gpu = self.gpu.clone();
        self.commands.run(|commands| {
            let (written, readable) =
                (vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
            transition(&gpu, commands, image.handle(), aspect, vk::ImageLayout::UNDEFINED, written);
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
                    written,
                    &[region],
                )
            };
            transition(&gpu, commands, image.handle(), aspect, written, readable);
            Ok::<(), crate::Error>(())
        })?;
        Ok(BenchDepth { view: self.view(&image, format, aspect, layers)?, _image: image })
    }

    /// Images for a plan's levels, and its target.
    pub fn levels(&mut self, plan: &HizPlan) -> Result<BenchLevels> {
        let layers = plan.desc().layers;
        let color = vk::ImageAspectFlags::COLOR;
        let mut images = Vec::new();
        for level in plan.levels() {
            images.push(self.image(plan.format(), level.extent, layers, plan.level_usage())?);
        }
        let gpu = self.gpu.clone();
        self.commands.run(|commands| {
            for image in &images {
                transition(
                    &gpu,
                    commands,
                    image.handle(),
                    color,
                    vk::ImageLayout::UNDEFINED,
                    vk::ImageLayout::GENERAL,
                );
            }
            Ok::<(), crate::Error>(())
        })?;
        let bound: Vec<_> = images
            .iter()
            .map(|image| HizImage { image: image.handle(), mip_level: 0, array_layer: 0 })
            .collect();
        // SAFETY: the images are the plan's levels, and live beside the target.
        let target = unsafe { HizTarget::new(&self.hiz, plan, &bound) }?;
        Ok(BenchLevels { target, _images: images })
    }

    /// The median of `runs` times of `plan` on `depth`, in microseconds.
    pub fn time(&mut self, plan: &HizPlan, depth: &BenchDepth, runs: u32, caches: Caches) -> Result<f64> {
        let levels = self.levels(plan)?;
        let (hiz, depth) = (self.hiz.clone(), depth.depth());
        hiz.prepare(plan)?;
        self.measure(runs, caches, |commands, arena| {
            // SAFETY: recording on this device; everything lives until `measure` has waited.
            unsafe { hiz.record(commands, arena, levels.target(), &depth) }
        })
    }

    /// The median of `runs` times of a copy that reads and writes `bytes` together, in microseconds: the yardstick.
    pub fn copy(&mut self, bytes: u64, runs: u32, caches: Caches) -> Result<f64> {
        let elements = bytes.div_ceil(2 * 16);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let buffer = |name| {
            Buffer::new(
                &self.gpu,
                &BufferDesc { name, size: elements * 16, usage, location: Location::Device },
            )
        };
        let (from, to) = (buffer("copied from")?, buffer("copied to")?);
        let (gpu, copy) = (self.gpu.clone(), self.copy.clone());
        self.measure(runs, caches, |commands, arena| {
            each_element(&gpu, commands, arena, &copy, &[&from, &to], elements)
        })
    }

    /// The median of `runs` times of what `record` records, in microseconds. Runs untimed before.
    pub fn measure(
        &mut self,
        runs: u32,
        caches: Caches,
        mut record: impl FnMut(vk::CommandBuffer, &mut Arena) -> Result<()>,
    ) -> Result<f64> {
        let mut times = Vec::new();
        let spin = if self.gpu.capabilities().is_cpu() { Duration::ZERO } else { SPIN };
        let start = Instant::now();
        let mut timed = false;
        while times.len() < runs as usize {
            let Self { gpu, commands, timestamps, arena, flushed, read, .. } = self;
            commands.run(|commands| {
                // SAFETY: `commands` is being recorded, outside a render pass.
                unsafe { timestamps.reset(commands) };
                if caches == Caches::Cold {
                    each_element(gpu, commands, arena, read, &[flushed], flushed.size() / 16)?;
                }
                settle(gpu, commands);
                // SAFETY: as above.
                unsafe { timestamps.write(commands, 0) };
                record(commands, arena)?;
                // SAFETY: as above.
                unsafe { timestamps.write(commands, 1) };
                settle(gpu, commands);
                Ok::<(), crate::Error>(())
            })?;
            // SAFETY: `run` has waited.
            unsafe { self.arena.reset() }?;
            if timed {
                times.extend(self.timestamps.nanoseconds()?);
            }
            timed = start.elapsed() >= spin;
        }
        times.sort_by(f64::total_cmp);
        Ok(times.get(times.len() / 2).map_or(f64::NAN, |nanoseconds| nanoseconds / 1000.0))
    }

    fn image(
        &self,
        format: vk::Format,
        extent: [u32; 2],
        layers: u32,
        usage: vk::ImageUsageFlags,
    ) -> Result<Image> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        Ok(Image::new(&self.gpu, &ImageDesc { name: "hiz bench", info })?)
    }

    fn view(
        &self,
        image: &Image,
        format: vk::Format,
        aspect: vk::ImageAspectFlags,
        layers: u32,
    ) -> Result<View> {
        let info = vk::ImageViewCreateInfo::default()
            .image(image.handle())
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(format)
            .subresource_range(range(aspect, layers));
        // SAFETY: the image was made on this device with this format.
        let handle = unsafe { self.gpu.device().create_image_view(&info, None) };
        Ok(View {
            gpu: self.gpu.clone(),
            handle: handle.map_err(|result| vulkan("vkCreateImageView", result))?,
        })
    }
}

fn range(aspect: vk::ImageAspectFlags, layers: u32) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(layers)
}

/// Runs a kernel of the yardsticks on `elements` of 16 bytes of each buffer.
fn each_element(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    arena: &mut Arena,
    pipeline: &Pipeline,
    buffers: &[&Buffer],
    elements: u64,
) -> Result<()> {
    let limits = &gpu.capabilities().limits;
    // A device with small limits takes several dispatches.
    let most = (u64::from(limits.max_compute_work_group_count[0]) * GROUP)
        .min(u64::from(limits.max_storage_buffer_range / 16) / GROUP * GROUP);
    let mut first = 0;
    while first < elements {
        let count = most.min(elements - first);
        let resources: Vec<_> =
            buffers.iter().map(|buffer| Resource::Buffer(buffer.handle(), first * 16, count * 16)).collect();
        // SAFETY: the buffers live as long as the bench waits, and hold the range.
        unsafe { bind(gpu, commands, arena, pipeline, &resources) }?;
        let push = (count as u32).to_ne_bytes();
        let stage = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: the layout has a range of four bytes for compute.
        unsafe { gpu.device().cmd_push_constants(commands, pipeline.layout(), stage, 0, &push) };
        // SAFETY: everything the pipeline needs is bound.
        unsafe { gpu.device().cmd_dispatch(commands, count.div_ceil(GROUP) as u32, 1, 1) };
        first += count;
    }
    Ok(())
}

/// Everything before is done and visible before anything after begins.
fn settle(gpu: &Gpu, commands: vk::CommandBuffer) {
    let memory = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)];
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    // SAFETY: recorded outside a render pass.
    unsafe {
        gpu.device().cmd_pipeline_barrier(commands, all, all, vk::DependencyFlags::empty(), &memory, &[], &[])
    };
}

fn transition(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    image: vk::Image,
    aspect: vk::ImageAspectFlags,
    from: vk::ImageLayout,
    to: vk::ImageLayout,
) {
    let everything = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let barriers = [vk::ImageMemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(everything)
        .old_layout(from)
        .new_layout(to)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(range(aspect, vk::REMAINING_ARRAY_LAYERS))];
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    // SAFETY: recorded outside a render pass.
    unsafe {
        gpu.device().cmd_pipeline_barrier(
            commands,
            all,
            all,
            vk::DependencyFlags::empty(),
            &[],
            &[],
            &barriers,
        )
    };
}
