//! What an upload through the emulated image costs: processor time to record it, and device time against the kernel alone:
//! with barriers around it, as whoever decodes into an image needs them, and bare, dispatch behind dispatch with none between.
//!
//! `cargo run --release --example upload_cost [-- FORMAT...]`, on the device that `TEXEMU_TEST_DEVICE` names.

use std::error::Error;
use std::time::Instant;
use texemu_core::vk;
use texemu_core::{
    Arena, Buffer, BufferDesc, CacheLocation, Commands, Gpu, GpuDesc, Location, Select, Timestamps,
    Validation,
};
use texemu_emulate::{Emulator, EmulatorDesc, Queue, Settings, SourceAccess};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::{Class, generate};
use texemu_transcode::{Job, Options, Region, Source, Target, Transcoder};

/// Copies recorded one behind the other, to measure one.
const COPIES: u32 = 64;
const ROUNDS: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names.push("ASTC_6x6_UNORM_BLOCK".into());
    }
    let select = std::env::var("TEXEMU_TEST_DEVICE").map_or(Select::Best, |text| Select::parse(&text));
    let desc = GpuDesc { select, validation: Validation::Off, cache: CacheLocation::Off, baseline: false };
    let gpu = Gpu::open(&desc)?;
    let settings = Settings { force: true, ..Settings::default() };
    let emulator = Emulator::new(&EmulatorDesc { gpu: &gpu, settings: &settings, queue_families: &[] })?;
    let transcoder = Transcoder::new(&gpu)?;
    println!("{}; microseconds, the least of {ROUNDS} runs of {COPIES} copies", gpu.capabilities().info.name);
    for name in names {
        let format = by_name(&name).filter(|format| format.is_source()).ok_or("no such source format")?;
        table(&gpu, &emulator, &transcoder, format)?;
    }
    Ok(())
}

/// One format at every size.
fn table(
    gpu: &Gpu,
    emulator: &Emulator,
    transcoder: &Transcoder,
    format: &'static Format,
) -> Result<(), Box<dyn Error>> {
    println!(
        "\n| {}, texels | record | device | kernel with barriers | bare | to kernel | to bare |",
        format.name
    );
    println!("|---|---|---|---|---|---|---|");
    let largest = if gpu.capabilities().is_cpu() { 1024 } else { 8192 };
    let mut size = 64;
    while size <= largest {
        let image = Image::new(gpu, emulator, format, size)?;
        let Cost { record, device, kernel, bare } = image.measure(transcoder)?;
        let (to_kernel, to_bare) = (device / kernel, device / bare);
        println!(
            "| {size}x{size} | {record:.2} | {device:.1} | {kernel:.1} | {bare:.1} | {to_kernel:.3} | {to_bare:.3} |"
        );
        size *= 2;
    }
    Ok(())
}

/// Microseconds an upload.
struct Cost {
    record: f64,
    device: f64,
    kernel: f64,
    bare: f64,
}

/// An emulated image and blocks for it, in the device's memory.
struct Image<'a> {
    gpu: &'a Gpu,
    emulator: &'a Emulator,
    format: &'static Format,
    size: u32,
    image: vk::Image,
    memory: vk::DeviceMemory,
    blocks: Buffer,
}

impl<'a> Image<'a> {
    fn new(
        gpu: &'a Gpu,
        emulator: &'a Emulator,
        format: &'static Format,
        size: u32,
    ) -> Result<Self, Box<dyn Error>> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(texemu_core::vk_format(format.vk))
            .extent(vk::Extent3D { width: size, height: size, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        // SAFETY: the structure is valid.
        let image = unsafe { emulator.create_image(&info, None) }?.ok_or("emulated")?;
        let needed = emulator.image_memory_requirements(image).ok_or("emulated")?;
        // SAFETY: the device belongs to the instance.
        let memory = unsafe { gpu.instance().get_physical_device_memory_properties(gpu.physical_device()) };
        let local = |&index: &u32| {
            let flags = memory.memory_types[index as usize].property_flags;
            needed.memory_type_bits & (1 << index) != 0
                && flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
        };
        let index = (0..memory.memory_type_count).find(local).ok_or("the device's own memory")?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needed.size).memory_type_index(index);
        // SAFETY: the type is among those that fit.
        let memory = unsafe { gpu.device().allocate_memory(&info, None) }?;
        // SAFETY: the memory meets the requirements.
        unsafe { emulator.bind_image_memory(image, memory, 0) }?;
        let bytes = format.level_bytes([size, size, 1]).ok_or("small")?;
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        let desc = |location| BufferDesc { name: "blocks", size: bytes, usage, location };
        let blocks = Buffer::new(gpu, &desc(Location::Device))?;
        let mut staging = Buffer::new(gpu, &desc(Location::Upload))?;
        let mapped = staging.mapped_mut().ok_or("mapped")?;
        let some = generate(format, Class::Legal, 4096, 1);
        for chunk in mapped.chunks_mut(some.len()) {
            chunk.copy_from_slice(&some[..chunk.len()]);
        }
        Commands::new(gpu)?.run(|commands| {
            let copy = [vk::BufferCopy { src_offset: 0, dst_offset: 0, size: bytes }];
            // SAFETY: both buffers hold the bytes.
            unsafe { gpu.device().cmd_copy_buffer(commands, staging.handle(), blocks.handle(), &copy) };
            let barrier = vk::ImageMemoryBarrier::default()
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image)
                .subresource_range(vk::ImageSubresourceRange {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    level_count: 1,
                    layer_count: 1,
                    ..Default::default()
                })
                .new_layout(vk::ImageLayout::GENERAL);
            let (from, to) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
            let none = vk::DependencyFlags::empty();
            // SAFETY: the image is alive.
            unsafe { gpu.device().cmd_pipeline_barrier(commands, from, to, none, &[], &[], &[barrier]) };
            Ok::<_, texemu_core::Error>(())
        })?;
        Ok(Self { gpu, emulator, format, size, image, memory, blocks })
    }

    fn measure(&self, transcoder: &Transcoder) -> Result<Cost, Box<dyn Error>> {
        let regions = [vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1),
            )
            .image_extent(vk::Extent3D { width: self.size, height: self.size, depth: 1 })];
        let whole = [Region::whole_level([self.size, self.size, 1], 1, 0, 0)];
        let job = Job {
            format: self.format,
            source: Source::TexelBuffer(self.blocks.handle()),
            target: self.target(),
            regions: &whole,
            options: Options::default(),
        };
        let mut commands = Commands::new(self.gpu)?;
        let timestamps = Timestamps::new(self.gpu, 2)?;
        let mut recording = self.emulator.recording(Queue::Compute);
        let mut arena = Arena::new(self.gpu);
        let (mut record, mut device, mut kernel, mut bare) = (f64::MAX, f64::MAX, f64::MAX, f64::MAX);
        for _ in 0..ROUNDS {
            let mut spent = 0.0;
            commands.run(|commands| {
                // SAFETY: being recorded.
                unsafe { timestamps.reset(commands) };
                // SAFETY: as above; there are two.
                unsafe { timestamps.write(commands, 0) };
                let start = Instant::now();
                for _ in 0..COPIES {
                    let (buffer, access) = (self.blocks.handle(), SourceAccess::TexelBuffer);
                    let layout = vk::ImageLayout::GENERAL;
                    // SAFETY: image and buffer are alive and in place.
                    unsafe {
                        self.emulator.copy_buffer_to_image(
                            commands,
                            &mut recording,
                            buffer,
                            access,
                            self.image,
                            layout,
                            &regions,
                        )
                    }
                    .expect("recorded");
                }
                spent = start.elapsed().as_secs_f64() * 1e6;
                // SAFETY: as above.
                unsafe { timestamps.write(commands, 1) };
                Ok::<_, texemu_core::Error>(())
            })?;
            record = record.min(spent / f64::from(COPIES));
            device = device.min(timestamps.nanoseconds()?[0] / 1e3 / f64::from(COPIES));
            // SAFETY: `run` waits.
            unsafe { self.emulator.reset(&mut recording) }?;
            commands.run(|commands| {
                // SAFETY: being recorded.
                unsafe { timestamps.reset(commands) };
                // SAFETY: as above; there are two.
                unsafe { timestamps.write(commands, 0) };
                for _ in 0..COPIES {
                    // SAFETY: image and buffer are alive and in place.
                    unsafe { transcoder.record(commands, &mut arena, &[job]) }.expect("recorded");
                }
                // SAFETY: as above.
                unsafe { timestamps.write(commands, 1) };
                Ok::<_, texemu_core::Error>(())
            })?;
            kernel = kernel.min(timestamps.nanoseconds()?[0] / 1e3 / f64::from(COPIES));
            // SAFETY: `run` waits.
            unsafe { arena.reset() }?;
            commands.run(|commands| {
                // SAFETY: being recorded.
                unsafe { timestamps.reset(commands) };
                // SAFETY: as above; there are two.
                unsafe { timestamps.write(commands, 0) };
                // SAFETY: as above; all write the same texels, but the same into each.
                unsafe { transcoder.record(commands, &mut arena, &[job; COPIES as usize]) }
                    .expect("recorded");
                // SAFETY: as above.
                unsafe { timestamps.write(commands, 1) };
                Ok::<_, texemu_core::Error>(())
            })?;
            bare = bare.min(timestamps.nanoseconds()?[0] / 1e3 / f64::from(COPIES));
            // SAFETY: `run` waits.
            unsafe { arena.reset() }?;
        }
        // SAFETY: every run was waited for.
        unsafe { self.emulator.recycle(recording) }?;
        Ok(Cost { record, device, kernel, bare })
    }

    fn target(&self) -> Target<'static> {
        Target {
            image: self.image,
            format: self.format.targets.exact().expect("a source format"),
            image_type: vk::ImageType::TYPE_2D,
            extent: [self.size, self.size, 1],
            levels: 1,
            layers: 1,
            layout: vk::ImageLayout::GENERAL,
            discard: false,
            views: &[],
        }
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        // SAFETY: every run was waited for.
        unsafe { self.emulator.destroy_image(self.image, None) };
        // SAFETY: nothing is bound to it any more.
        unsafe { self.gpu.device().free_memory(self.memory, None) };
    }
}
