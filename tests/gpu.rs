//! The device layer: opened and borrowed devices, arenas, the pipeline cache.

mod common;

use common::TestGpu;
use std::path::PathBuf;
use texemu_core::vk;
use texemu_core::{
    Arena, Buffer, BufferDesc, CacheLocation, Commands, Gpu, GpuDesc, HostDevice, Location, Pipeline,
    PipelineDesc, PipelineMap, Resource, Select, list_devices,
};

const BYTES: u64 = 4096;

fn buffer(gpu: &Gpu, name: &str, location: Location) -> Buffer {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
    Buffer::new(gpu, &BufferDesc { name, size: BYTES, usage, location }).expect("4 KiB fit")
}

/// Binds the copy kernel between two buffers and dispatches it.
fn record_copy(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    arena: &mut Arena,
    pipeline: &Pipeline,
    buffers: [&Buffer; 2],
) {
    let resources = buffers.map(|buffer| Resource::Buffer(buffer.handle(), 0, BYTES));
    // SAFETY: both buffers are storage buffers and outlive the commands.
    unsafe { texemu_core::bind(gpu, commands, arena, pipeline, &resources) }.expect("the set fits");
    let count = (BYTES as u32 / 16).to_ne_bytes();
    let stage = vk::ShaderStageFlags::COMPUTE;
    // SAFETY: the kernel has one push constant of 4 bytes.
    unsafe { gpu.device().cmd_push_constants(commands, pipeline.layout(), stage, 0, &count) };
    // SAFETY: pipeline and set are bound.
    unsafe { gpu.device().cmd_dispatch(commands, 1, 1, 1) };
}

/// Copies 4 KiB through the copy kernel and compares. `recorder` may be another `Gpu` on the same device as `gpu`.
fn copies(recorder: &Gpu, gpu: &Gpu) {
    let desc = PipelineDesc { kernel: &texemu_shaders::COPY_BYTES, constants: &[], full_subgroups: false };
    let pipeline = Pipeline::new(recorder, &desc).expect("the copy kernel compiles");
    let mut source = buffer(recorder, "source", Location::Upload);
    let expected: Vec<u8> = (0..BYTES).map(|index| (index * 7 + index / 256) as u8).collect();
    source.mapped_mut().expect("mapped").copy_from_slice(&expected);
    let destination = buffer(recorder, "destination", Location::Readback);
    let mut arena = Arena::new(recorder);
    Commands::new(gpu)
        .expect("commands")
        .run(|commands| {
            record_copy(recorder, commands, &mut arena, &pipeline, [&source, &destination]);
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
            let none = vk::DependencyFlags::empty();
            // SAFETY: recorded outside a render pass.
            unsafe { recorder.device().cmd_pipeline_barrier(commands, from, to, none, &barrier, &[], &[]) };
            Ok::<_, texemu_core::Error>(())
        })
        .expect("the copy runs");
    assert_eq!(destination.mapped().expect("mapped"), expected, "the copy kernel copies");
}

#[test]
fn an_owned_device_runs_a_kernel_with_and_without_its_optional_features() {
    let full = TestGpu::new();
    let baseline = TestGpu::baseline();
    assert!(!baseline.features().push_descriptor, "the baseline takes its sets from pools");
    copies(&full, &full);
    copies(&baseline, &baseline);
}

#[test]
fn a_borrowed_device_works_like_an_owned_one() {
    let owned = TestGpu::new();
    let entry = owned.entry().expect("an owned device has its loader");
    for extensions in [&[][..], &[ash::khr::push_descriptor::NAME][..]] {
        if !extensions.is_empty() && !owned.features().push_descriptor {
            println!("skipped: this device has no push descriptors");
            continue;
        }
        let host = HostDevice {
            get_instance_proc_addr: entry.static_fn().get_instance_proc_addr,
            instance: owned.instance().handle(),
            physical_device: owned.physical_device(),
            device: owned.device().handle(),
            queue_family_index: owned.queue_family(),
            features: Default::default(),
            extensions,
            cache: CacheLocation::Off,
        };
        // SAFETY: the handles are the owned device's, which outlives this loop.
        let borrowed = unsafe { Gpu::borrow_host(&host) }.expect("a host's device is taken as it is");
        assert_eq!(
            borrowed.features().push_descriptor,
            !extensions.is_empty(),
            "extensions count as features"
        );
        let refused = Commands::new(&borrowed)
            .expect("a pool is not the queue")
            .run(|_| Ok::<_, texemu_core::Error>(()));
        let error = refused.expect_err("nothing is submitted to a host's queue").to_string();
        assert!(error.contains("belongs to a host"), "{error}");
        copies(&borrowed, &owned);
    }
}

#[test]
fn devices_are_found_by_index_name_and_uuid() {
    let devices = list_devices().expect("the loader answers");
    for info in &devices {
        for text in [info.index.to_string(), info.uuid_text(), info.name.to_lowercase()] {
            let desc =
                GpuDesc { select: Select::parse(&text), cache: CacheLocation::Off, ..GpuDesc::default() };
            let gpu = Gpu::open(&desc).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(gpu.capabilities().info.uuid, info.uuid, "{text} names {}", info.name);
        }
    }
    let desc = GpuDesc { select: Select::parse("no such device"), ..GpuDesc::default() };
    let error = Gpu::open(&desc).expect_err("there is no such device").to_string();
    assert!(error.contains(&devices[0].name), "the message lists what there is: {error}");
}

#[test]
fn an_arena_does_not_grow_over_100_000_recordings() {
    // Validation keeps a history of its own; the count is what is tested here.
    let select = std::env::var("TEXEMU_TEST_DEVICE").map_or(Select::Best, |text| Select::parse(&text));
    let desc = GpuDesc { select, cache: CacheLocation::Off, baseline: true, ..GpuDesc::default() };
    let gpu = Gpu::open(&desc).expect("a device");
    let map = PipelineMap::new(&gpu);
    let desc = PipelineDesc { kernel: &texemu_shaders::COPY_BYTES, constants: &[], full_subgroups: false };
    let pipeline = map.get(&desc).expect("the copy kernel compiles");
    let (source, destination) =
        (buffer(&gpu, "source", Location::Device), buffer(&gpu, "destination", Location::Device));
    let view = vk::BufferViewCreateInfo::default();
    let texels = buffer_with_texels(&gpu);
    let mut arena = Arena::new(&gpu);
    let mut commands = Commands::new(&gpu).expect("commands");
    let mut after_first = None;
    for round in 0..100 {
        commands
            .run(|commands| {
                for _ in 0..1000 {
                    let pipeline = map.get(&desc)?;
                    record_copy(&gpu, commands, &mut arena, &pipeline, [&source, &destination]);
                    let info =
                        view.buffer(texels.handle()).format(vk::Format::R32G32B32A32_UINT).range(BYTES);
                    // SAFETY: the buffer has texel usage and outlives the arena.
                    unsafe { arena.buffer_view(&info) }?;
                    arena.scratch(4096, 256)?;
                }
                Ok::<_, texemu_core::Error>(())
            })
            .expect("a thousand copies run");
        let stats = arena.stats();
        assert_eq!(*after_first.get_or_insert(stats), stats, "round {round} needs no more than the first");
        // SAFETY: `run` waited for the commands.
        unsafe { arena.reset() }.expect("the pools reset");
        assert_eq!(arena.stats().buffer_views, 0, "views go at the reset");
    }
    assert_eq!(arena.bytes(), after_first.expect("a hundred rounds ran").scratch_bytes, "the memory is kept");
    drop(pipeline);
}

fn buffer_with_texels(gpu: &Gpu) -> Buffer {
    let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
    let desc = BufferDesc { name: "texels", size: BYTES, usage, location: Location::Device };
    Buffer::new(gpu, &desc).expect("4 KiB fit")
}

#[test]
fn the_pipeline_cache_is_kept_and_a_damaged_one_is_ignored() {
    let directory = std::env::temp_dir().join(format!("texemu-gpu-test-{}", std::process::id()));
    let open = || {
        let select = std::env::var("TEXEMU_TEST_DEVICE").map_or(Select::Best, |text| Select::parse(&text));
        let desc =
            GpuDesc { select, cache: CacheLocation::Directory(directory.clone()), ..GpuDesc::default() };
        Gpu::open(&desc).expect("a device")
    };
    let build = |gpu: &Gpu| {
        let desc =
            PipelineDesc { kernel: &texemu_shaders::COPY_BYTES, constants: &[], full_subgroups: false };
        Pipeline::new(gpu, &desc).expect("the copy kernel compiles");
    };
    build(&open());
    let file = only_file(&directory);
    let whole = std::fs::read(&file).expect("written when the device closed");
    build(&open());
    assert!(!std::fs::read(&file).expect("still there").is_empty(), "the second run keeps it");

    let mut damaged = whole.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    std::fs::write(&file, &damaged).expect("the temporary folder is writable");
    build(&open());
    assert_ne!(std::fs::read(&file).expect("still there"), damaged, "a damaged cache is replaced");
    std::fs::remove_dir_all(&directory).expect("made by this test");
}

fn only_file(directory: &PathBuf) -> PathBuf {
    let entries: Vec<_> = std::fs::read_dir(directory).expect("made when the device closed").collect();
    assert_eq!(entries.len(), 1, "one file a device, and no temporary ones");
    entries[0].as_ref().expect("readable").path()
}
