//! Images come and go and are copied to, by many threads for a long time, and nothing is left behind: no Vulkan object, no
//! byte of the heap, nothing in a pool.
//!
//! `TEXEMU_FULL=1` runs the whole count, 10,000 images and 100,000 uploads.

mod common;

use common::count::{CountingAllocator, counting, heap, objects, resident};
use common::draw::View;
use common::model::{Model, PARTS, PITCHES};
use common::texture::{ALL, TextureDesc, allocate, host_barrier};
use common::{TestGpu, upload};
use std::sync::Barrier;
use texemu_core::{Buffer, BufferDesc, Commands, Gpu, Location, vk};
use texemu_emulate::{
    CacheSettings, Emulator, EmulatorDesc, KnownBuffer, Queue, Rule, Settings, SourceAccess,
};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::{Class, Rng};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const THREADS: usize = 8;
/// Copies into each image.
const UPLOADS: usize = 10;
/// Rounds after the first, which fills pools and caches. Each begins and ends with nothing but those.
const ROUNDS: usize = 5;
/// What the heap may hold more at the end than after the first round: maps that grew once. One byte an upload would be
/// more, in the whole count.
const HEAP_SLACK: i64 = 64 << 10;
/// What the process may grow by in the whole count: the allocators of driver and validation layer spread with the threads.
/// A leak of 4 KiB an image would be more.
const RESIDENT_SLACK: u64 = 40 << 20;

/// A format, whether its images keep their blocks, and how their copies are read: every path there is.
const KINDS: [(&str, bool, SourceAccess); 6] = [
    ("ASTC_4x4_UNORM_BLOCK", false, SourceAccess::TexelBuffer),
    ("ASTC_6x6_SRGB_BLOCK", false, SourceAccess::TransferOnly),
    ("ASTC_6x6_SRGB_BLOCK", true, SourceAccess::TexelBuffer),
    ("ETC2_R8G8B8A8_UNORM_BLOCK", true, SourceAccess::TransferOnly),
    ("EAC_R11_UNORM_BLOCK", false, SourceAccess::TexelBuffer),
    // Into BC1, by way of the arena's scratch memory and of the transcode cache.
    ("ETC2_R8G8B8_UNORM_BLOCK", false, SourceAccess::TexelBuffer),
];

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

fn full() -> bool {
    std::env::var_os("TEXEMU_FULL").is_some()
}

/// What one thread has of its own.
struct Worker<'a> {
    gpu: &'a Gpu,
    emulator: &'a Emulator,
    commands: Commands,
    blocks: Buffer,
    read: Buffer,
    rng: Rng,
}

/// Bytes of blocks that each thread copies from.
const SOURCE_BYTES: u64 = 64 << 10;

impl<'a> Worker<'a> {
    fn new(gpu: &'a Gpu, emulator: &'a Emulator, thread: usize) -> Self {
        let mut rng = Rng::new(thread as u64);
        let bytes: Vec<u8> = (0..SOURCE_BYTES).map(|_| rng.below(256) as u8).collect();
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let desc = BufferDesc { name: "read back", size: SOURCE_BYTES, usage, location: Location::Readback };
        Self {
            gpu,
            emulator,
            commands: Commands::new(gpu).expect("commands"),
            blocks: upload(gpu, &bytes),
            read: Buffer::new(gpu, &desc).expect("the buffer fits"),
            rng,
        }
    }

    /// One image: created, filled in parts, read back, destroyed.
    fn image(&mut self, recording: &mut texemu_emulate::Recording, index: usize) {
        let emulates = |name| self.emulator.offer().emulates(texemu_core::vk_format(format(name).vk));
        let (name, kept, access) = KINDS[index % KINDS.len()];
        // The weakest device has no storage images of 16 bits.
        let name = if emulates(name) { name } else { KINDS[0].0 };
        let size = [17 + 4 * self.rng.below(8), 9 + 4 * self.rng.below(8), 1];
        let mut desc = TextureDesc::new(format(name), View::Array, size, 2, 1 + self.rng.below(2));
        if !kept {
            desc = desc.sampled_only();
        }
        // SAFETY: the structure is valid for what is offered.
        let image =
            unsafe { self.emulator.create_image(&desc.info(), None) }.expect("created").expect("emulated");
        let needs = self.emulator.image_memory_requirements(image).expect("emulated");
        let memory = allocate(self.gpu, needs, 0);
        // SAFETY: the memory meets the requirements.
        unsafe { self.emulator.bind_image_memory(image, memory, 0) }.expect("bound");
        let mut model = Model::new(desc, Class::Legal, 0);
        let source = self.blocks.mapped().expect("mapped").to_vec();
        let mut copies = Vec::new();
        for upload in 0..UPLOADS {
            // Whole levels first, so that what is read back was all written.
            let level = (upload as u32) % 2;
            let part = if upload < 2 { PARTS[0] } else { self.rng.pick(&PARTS) };
            let pitch = if upload < 2 { None } else { self.rng.pick(&PITCHES) };
            let offset = 16 * u64::from(self.rng.below(16));
            let copy = model.region(level, part, (0, desc.layers), pitch, offset);
            model.apply(&[copy], &source);
            copies.push(copy);
        }
        let (emulator, gpu) = (self.emulator, self.gpu);
        let (blocks, read) = (self.blocks.handle(), self.read.handle());
        let layout = vk::ImageLayout::GENERAL;
        let run = self.commands.run(|commands| {
            transfer_barrier(gpu, commands, image, vk::ImageLayout::UNDEFINED);
            for copy in &copies {
                // For images without a BC target the same as without the content.
                let known = KnownBuffer { buffer: blocks, access, content: &source };
                // SAFETY: everything is alive and in place, and the buffer holds what is said.
                unsafe {
                    emulator.copy_known_buffer_to_image(commands, recording, &known, image, layout, &[*copy])
                }
                .expect("recorded");
                transfer_barrier(gpu, commands, image, layout);
            }
            if kept {
                let regions = [desc.whole(0, 0)];
                // SAFETY: as above; the buffer holds the level.
                unsafe { emulator.copy_image_to_buffer(commands, recording, image, read, &regions) }
                    .expect("recorded");
                host_barrier(gpu, commands);
            }
            Ok::<_, texemu_core::Error>(())
        });
        run.expect("the commands run");
        if kept {
            let bytes = &self.read.mapped().expect("mapped")[..model.levels[0].len()];
            assert!(bytes == model.levels[0], "{name}: the bytes come back");
        }
        // SAFETY: `run` waits.
        unsafe { emulator.reset(recording) }.expect("reset");
        // SAFETY: as above.
        assert!(unsafe { emulator.destroy_image(image, None) });
        // SAFETY: nothing is bound to it any more.
        unsafe { gpu.device().free_memory(memory, None) };
    }
}

fn transfer_barrier(gpu: &Gpu, commands: vk::CommandBuffer, image: vk::Image, from: vk::ImageLayout) {
    let both = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
    let barriers = [vk::ImageMemoryBarrier::default()
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(ALL)
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(both)
        .old_layout(from)
        .new_layout(vk::ImageLayout::GENERAL)];
    let (stage, none) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
    // SAFETY: the image is alive; recorded outside a render pass.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &barriers) };
}

#[test]
fn nothing_grows() {
    soak(TestGpu::new());
    // Without push descriptors, so that there are descriptor pools.
    soak(TestGpu::baseline());
}

fn soak(gpu: TestGpu) {
    let counted = counting(&gpu);
    let mut settings = Settings { force: true, timing: true, ..Settings::default() };
    settings.rules.insert(format(KINDS[5].0).vk, Rule::Target(format("BC1_RGB_UNORM_BLOCK").vk));
    // So small that the first round fills it.
    settings.cache = CacheSettings { memory_bytes: 8 << 10, ..CacheSettings::default() };
    let desc = EmulatorDesc { gpu: &counted, settings: &settings, queue_families: &[] };
    let emulator = Emulator::new(&desc).expect("an emulator");
    let images = if full() { 10_000 } else { 480 };
    let a_round = images / ROUNDS / THREADS;
    let mut workers: Vec<_> = (0..THREADS).map(|thread| Worker::new(&gpu, &emulator, thread)).collect();
    let mut round = |images: usize| {
        let together = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for worker in &mut workers {
                let together = &together;
                scope.spawn(move || {
                    let mut recording = worker.emulator.recording(Queue::Compute);
                    // All recordings that there will ever be are out at once.
                    together.wait();
                    for index in 0..images {
                        worker.image(&mut recording, index);
                    }
                    // SAFETY: every run was waited for.
                    unsafe { worker.emulator.recycle(recording) }.expect("recycled");
                });
            }
        });
        (objects(), heap(), resident())
    };
    // Every kind once a thread.
    let first = round(KINDS.len());
    let mut last = first.clone();
    for _ in 0..ROUNDS {
        last = round(a_round);
        assert_eq!(last.0, first.0, "Vulkan objects after a round, and after the first");
        assert!(last.1 - first.1 < HEAP_SLACK, "the heap grew from {} to {} bytes", first.1, last.1);
    }
    let statistics = emulator.statistics();
    let created: u64 = statistics.formats.iter().map(|one| one.created).sum();
    let uploads: u64 =
        statistics.formats.iter().map(|one| one.direct + one.by_plane + one.by_scratch + one.cached).sum();
    println!("{created} images, {uploads} uploads by {THREADS} threads");
    let cache = statistics.cache.expect("the cache is on");
    assert!(cache.stored > 0 && cache.evicted > 0 && cache.memory_bytes <= 8 << 10, "{cache:?}");
    println!("objects {:?}", last.0);
    println!("heap {} to {} bytes, process {:?} to {:?} bytes", first.1, last.1, first.2, last.2);
    assert_eq!(uploads, created * UPLOADS as u64);
    assert_eq!(statistics.bytes, 0, "no image is left");
    assert!(statistics.formats.iter().all(|one| one.images == 0 && one.decoded_bytes == 0));
    if let (true, Some(before), Some(after)) = (full(), first.2, last.2) {
        assert!(after.saturating_sub(before) < RESIDENT_SLACK, "the process grew from {before} to {after}");
    }
    drop(workers);
    drop(emulator);
    drop(counted);
    assert!(objects().iter().all(|&(_, alive)| alive == 0), "left behind: {:?}", objects());
}
