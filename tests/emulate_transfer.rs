//! Copies on queues that cannot compute: their blocks are decoded where the image is acquired, or before what is submitted next.

mod common;

use common::draw::View;
use common::model::Model;
use common::texture::{
    ALL, COPY_DST, COPY_SRC, Host, SAMPLE, Scope, Texture, TextureDesc, UNDEFINED, allocate, check_stored,
};
use common::{TestGpu, upload};
use texemu_core::{Buffer, BufferDesc, CacheLocation, Features, Gpu, HostDevice, Location, vk};
use texemu_emulate::{
    Emulator, EmulatorDesc, ImagePair, KeepBlocks, PipelineBarrier, Policy, Queue, Recording, Settings,
    SourceAccess,
};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::Class;

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

/// Blocks decoded so far.
fn decoded(emulator: &Emulator) -> u64 {
    emulator.statistics().formats.iter().map(|one| one.blocks).sum()
}

/// Records into `recording` and runs it.
fn run(host: &Host, recording: &mut Recording, record: impl FnOnce(vk::CommandBuffer, &mut Recording)) {
    host.run(|commands, _| record(commands, recording));
}

/// A barrier that hands an image over: what its two halves have in common.
#[derive(Clone, Copy)]
struct HandOver {
    image: vk::Image,
    range: vk::ImageSubresourceRange,
    layouts: [vk::ImageLayout; 2],
    families: [u32; 2],
}

impl HandOver {
    fn release(&self) -> vk::ImageMemoryBarrier<'static> {
        vk::ImageMemoryBarrier::default()
            .image(self.image)
            .subresource_range(self.range)
            .old_layout(self.layouts[0])
            .new_layout(self.layouts[1])
            .src_queue_family_index(self.families[0])
            .dst_queue_family_index(self.families[1])
            .src_access_mask(COPY_DST.1)
    }

    fn acquire(&self) -> vk::ImageMemoryBarrier<'static> {
        self.release().src_access_mask(vk::AccessFlags::empty()).dst_access_mask(SAMPLE.1)
    }

    fn acquire2(&self) -> vk::ImageMemoryBarrier2<'static> {
        vk::ImageMemoryBarrier2::default()
            .image(self.image)
            .subresource_range(self.range)
            .old_layout(self.layouts[0])
            .new_layout(self.layouts[1])
            .src_queue_family_index(self.families[0])
            .dst_queue_family_index(self.families[1])
            .dst_stage_mask(vk::PipelineStageFlags2::FRAGMENT_SHADER)
            .dst_access_mask(vk::AccessFlags2::SHADER_SAMPLED_READ)
    }
}

/// `vkCmdPipelineBarrier`, as a host calls it: through the emulator, and on if that says so.
fn pipeline_barrier(
    emulator: &Emulator,
    commands: vk::CommandBuffer,
    recording: &mut Recording,
    stages: [vk::PipelineStageFlags; 2],
    images: &[vk::ImageMemoryBarrier<'_>],
) -> bool {
    let barrier = PipelineBarrier {
        src_stage_mask: stages[0],
        dst_stage_mask: stages[1],
        image_barriers: images,
        ..Default::default()
    };
    // SAFETY: the images are alive; recorded outside a render pass.
    let done = unsafe { emulator.pipeline_barrier(commands, recording, &barrier) }.expect("recorded");
    if !done {
        let none = vk::DependencyFlags::empty();
        let device = emulator.gpu().device();
        // SAFETY: as above.
        unsafe { device.cmd_pipeline_barrier(commands, stages[0], stages[1], none, &[], &[], images) };
    }
    done
}

/// Uploads on a queue that cannot compute and hands the image to whoever acquires it from `VK_QUEUE_FAMILY_EXTERNAL`.
fn upload_and_release(texture: &Texture<'_>, recording: &mut Recording, buffer: &Buffer, over: &HandOver) {
    let host = texture.host;
    let mut offset = 0;
    let mut regions = Vec::new();
    for level in 0..texture.desc.levels {
        regions.push(texture.desc.whole(level, offset));
        offset += texture.desc.level_bytes(level);
    }
    run(host, recording, |commands, recording| {
        common::texture::barrier(&host.gpu, commands, texture.image, UNDEFINED, COPY_DST);
        let (access, layout) = (SourceAccess::TexelBuffer, COPY_DST.2);
        // SAFETY: image and buffer are alive and in place.
        unsafe {
            host.emulator.copy_buffer_to_image(
                commands,
                recording,
                buffer.handle(),
                access,
                texture.image,
                layout,
                &regions,
            )
        }
        .expect("recorded");
        let stages = [COPY_DST.0, vk::PipelineStageFlags::BOTTOM_OF_PIPE];
        let done = pipeline_barrier(&host.emulator, commands, recording, stages, &[over.release()]);
        assert!(!done, "a release is the driver's");
    });
}

#[test]
fn the_barrier_that_acquires_decodes() {
    // One family is all that a software device has: the uploads come from elsewhere, as far as barriers can tell.
    for (policy, second) in [(Policy::Exact, false), (Policy::Exact, true), (Policy::Quality, false)] {
        let settings =
            Settings { policy, transfer_families: vec![vk::QUEUE_FAMILY_EXTERNAL], ..Settings::default() };
        let host = Host::new(&settings);
        if second && host.gpu.capabilities().info.api_version < vk::API_VERSION_1_3 {
            println!("skipped: the device has no second version of barriers");
            continue;
        }
        let desc =
            TextureDesc::new(format("ASTC_6x5_UNORM_BLOCK"), View::Array, [44, 31, 1], 3, 2).sampled_only();
        let texture = Texture::new(&host, desc);
        let report = host.emulator.describe(texture.image).expect("emulated");
        assert!(report.compressed_bytes > 0, "blocks are kept for queues that cannot compute");
        let model = Model::new(desc, Class::Legal, 1);
        let buffer = upload(&host.gpu, &model.levels.concat());
        let family = host.gpu.queue_family();
        let over = HandOver {
            image: texture.image,
            range: ALL,
            layouts: [COPY_DST.2, SAMPLE.2],
            families: [family, vk::QUEUE_FAMILY_EXTERNAL],
        };
        let mut copies = host.emulator.recording(Queue::TransferOnly);
        upload_and_release(&texture, &mut copies, &buffer, &over);
        assert_eq!(decoded(&host.emulator), 0, "nothing is decoded where nothing can compute");
        let back = HandOver { families: [vk::QUEUE_FAMILY_EXTERNAL, family], ..over };
        host.run(|commands, recording| {
            if second {
                let barriers = [back.acquire2()];
                let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
                // SAFETY: the image is alive; recorded outside a render pass.
                let done = unsafe { host.emulator.pipeline_barrier2(commands, recording, &info) };
                assert!(done.expect("recorded"), "the emulation's");
            } else {
                let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, SAMPLE.0];
                let done = pipeline_barrier(&host.emulator, commands, recording, stages, &[back.acquire()]);
                assert!(done, "the emulation's");
            }
        });
        // Sampled with no barrier in between.
        if policy == Policy::Exact {
            texture.check(&model.levels);
        } else {
            let lone = Texture::new(&host, desc);
            lone.fill(&model.levels);
            for level in 0..desc.levels {
                assert!(texture.sample(level) == lone.sample(level), "as if copied on this queue");
            }
        }
        // SAFETY: every run was waited for.
        unsafe { host.emulator.recycle(copies) }.expect("recycled");
    }
}

#[test]
fn acquiring_a_part_decodes_that_part() {
    let settings = Settings { transfer_families: vec![vk::QUEUE_FAMILY_EXTERNAL], ..Settings::default() };
    let host = Host::new(&settings);
    let desc = TextureDesc::new(format("ASTC_8x8_SRGB_BLOCK"), View::Array, [64, 64, 1], 2, 4);
    let texture = Texture::new(&host, desc);
    let model = Model::new(desc, Class::Legal, 2);
    let buffer = upload(&host.gpu, &model.levels.concat());
    let family = host.gpu.queue_family();
    let over = HandOver {
        image: texture.image,
        range: ALL,
        layouts: [COPY_DST.2, SAMPLE.2],
        families: [family, vk::QUEUE_FAMILY_EXTERNAL],
    };
    let mut copies = host.emulator.recording(Queue::TransferOnly);
    upload_and_release(&texture, &mut copies, &buffer, &over);
    let back = HandOver { families: [vk::QUEUE_FAMILY_EXTERNAL, family], ..over };
    let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, SAMPLE.0];
    let part = |level: u32, layer: u32, layers: u32| vk::ImageSubresourceRange {
        base_mip_level: level,
        level_count: 1,
        base_array_layer: layer,
        layer_count: layers,
        ..ALL
    };
    // Levels and layers one by one, and the rest.
    for (range, blocks) in
        [(part(0, 1, 2), 2 * 64), (part(0, 0, 1), 64), (part(0, 3, 1), 64), (part(1, 0, 4), 64)]
    {
        let before = decoded(&host.emulator);
        host.run(|commands, recording| {
            let one = HandOver { range, ..back }.acquire();
            pipeline_barrier(&host.emulator, commands, recording, stages, &[one]);
        });
        assert_eq!(decoded(&host.emulator) - before, blocks, "the blocks of {range:?}");
    }
    texture.check(&model.levels);
    let before = decoded(&host.emulator);
    host.run(|commands, recording| {
        // Barriers that acquire nothing from such a family are the driver's.
        let own = vk::ImageMemoryBarrier {
            src_queue_family_index: vk::QUEUE_FAMILY_IGNORED,
            dst_queue_family_index: vk::QUEUE_FAMILY_IGNORED,
            old_layout: SAMPLE.2,
            ..back.acquire()
        };
        assert!(!pipeline_barrier(&host.emulator, commands, recording, stages, &[own]));
    });
    assert_eq!(decoded(&host.emulator), before, "and decode nothing");
    // SAFETY: every run was waited for.
    unsafe { host.emulator.recycle(copies) }.expect("recycled");
}

#[test]
fn what_was_submitted_is_decoded_before_what_follows() {
    let settings = Settings { keep_blocks: KeepBlocks::Always, ..Settings::default() };
    let host = Host::new(&settings);
    let desc =
        TextureDesc::new(format("ASTC_6x6_UNORM_BLOCK"), View::Array, [60, 48, 1], 2, 3).sampled_only();
    let (texture, other) = (Texture::new(&host, desc), Texture::new(&host, desc));
    let mut model = Model::new(desc, Class::Legal, 3);
    for texture in [&texture, &other] {
        texture.fill(&model.levels);
    }
    let before = decoded(&host.emulator);
    // Two copies that overlap, into two images; one of them is left in another layout by a barrier behind.
    let copies = [
        model.blocks_region(0, [1, 1, 0], [4, 3, 2], None, 0),
        model.blocks_region(0, [3, 2, 1], [4, 4, 2], None, 4096),
    ];
    let bytes = model.buffer(&copies, Class::Legal, 4);
    let buffer = upload(&host.gpu, &bytes);
    let transfer = (COPY_DST.0, COPY_DST.0);
    let write = |texture: &Texture<'_>, recording: &mut Recording, value: u64, to: Scope| {
        run(&host, recording, |commands, recording| {
            texture.enter(commands, COPY_DST);
            for copy in &copies {
                let (access, layout) = (SourceAccess::TexelBuffer, COPY_DST.2);
                // SAFETY: image and buffer are alive and in place.
                unsafe {
                    host.emulator.copy_buffer_to_image(
                        commands,
                        recording,
                        buffer.handle(),
                        access,
                        texture.image,
                        layout,
                        &[*copy],
                    )
                }
                .expect("recorded");
                // As an application must between copies that overlap.
                let again = HandOver {
                    image: texture.image,
                    range: ALL,
                    layouts: [COPY_DST.2; 2],
                    families: [vk::QUEUE_FAMILY_IGNORED; 2],
                };
                let barrier = again.release().dst_access_mask(COPY_DST.1);
                pipeline_barrier(&host.emulator, commands, recording, [transfer.0, transfer.1], &[barrier]);
            }
            let over = HandOver {
                image: texture.image,
                range: ALL,
                layouts: [COPY_DST.2, to.2],
                families: [vk::QUEUE_FAMILY_IGNORED; 2],
            };
            let barrier = over.release().dst_access_mask(to.1);
            pipeline_barrier(&host.emulator, commands, recording, [transfer.0, to.0], &[barrier]);
        });
        texture.left_in(to);
        host.emulator.submit_copies(recording, value);
    };
    let mut recordings =
        [host.emulator.recording(Queue::TransferOnly), host.emulator.recording(Queue::TransferOnly)];
    write(&texture, &mut recordings[0], 7, SAMPLE);
    write(&other, &mut recordings[1], 9, (SAMPLE.0, SAMPLE.1, vk::ImageLayout::GENERAL));
    assert_eq!((decoded(&host.emulator), host.emulator.pending_copies()), (before, 4));
    host.run(|commands, recording| {
        // SAFETY: every submission was waited for; the images are in the layouts that the barriers left them in.
        let left = unsafe { host.emulator.decode_copies(commands, recording, 8) }.expect("recorded");
        assert_eq!(left, 2, "the other was submitted with 9");
    });
    let box_of_both = 6 * 5 * 3;
    assert_eq!(decoded(&host.emulator) - before, box_of_both, "what was copied, once");
    model.apply(&copies, &bytes);
    texture.check(&model.levels);
    host.run(|commands, recording| {
        // SAFETY: as above.
        let left = unsafe { host.emulator.decode_copies(commands, recording, 9) }.expect("recorded");
        assert_eq!(left, 0);
        other.enter(commands, SAMPLE);
    });
    other.check(&model.levels);
    // A destroyed image waits for nothing.
    write(&other, &mut recordings[1], 10, SAMPLE);
    drop(other);
    assert_eq!(host.emulator.pending_copies(), 0);
    for recording in recordings {
        // SAFETY: every run was waited for.
        unsafe { host.emulator.recycle(recording) }.expect("recycled");
    }
}

#[test]
fn copies_between_images_wait_too() {
    // An exact target, and one whose blocks the copies cut.
    for policy in [Policy::Exact, Policy::Quality] {
        let settings = Settings { policy, keep_blocks: KeepBlocks::Always, ..Settings::default() };
        let host = Host::new(&settings);
        for (kind, extent, layers) in [(View::Array, [45, 35, 1], 3), (View::Volume, [45, 35, 3], 1)] {
            let desc = TextureDesc::new(format("ASTC_5x5_UNORM_BLOCK"), kind, extent, 1, layers);
            let (from, to) = (Texture::new(&host, desc), Texture::new(&host, desc));
            let mut model = Model::new(desc, Class::Legal, 6);
            to.fill(&model.levels);
            let blocks = desc.blocks(Class::Legal, 7);
            from.fill(&blocks);
            let before = decoded(&host.emulator);
            // A box inside the image, of two of its slices.
            let part = model.blocks_region(0, [1, 2, 1], [3, 2, 2], None, 0);
            let copy = vk::ImageCopy {
                src_subresource: part.image_subresource,
                src_offset: part.image_offset,
                dst_subresource: part.image_subresource,
                dst_offset: part.image_offset,
                extent: part.image_extent,
            };
            let mut recording = host.emulator.recording(Queue::TransferOnly);
            run(&host, &mut recording, |commands, recording| {
                from.enter(commands, COPY_SRC);
                to.enter(commands, COPY_DST);
                let images = ImagePair {
                    src: from.image,
                    src_layout: COPY_SRC.2,
                    dst: to.image,
                    dst_layout: COPY_DST.2,
                };
                // SAFETY: both images are alive and in place.
                let copied = unsafe { host.emulator.copy_image(commands, recording, images, &[copy]) };
                assert!(copied.expect("recorded"), "both are emulated");
            });
            host.emulator.submit_copies(&recording, 1);
            assert_eq!((decoded(&host.emulator), host.emulator.pending_copies()), (before, 1));
            host.run(|commands, recording| {
                // SAFETY: the copies were waited for; the image is where they left it.
                unsafe { host.emulator.decode_copies(commands, recording, 1) }.expect("recorded");
                to.enter(commands, SAMPLE);
            });
            // What the copy's own buffer would be.
            let [columns, rows, _] = model.grid(0);
            for block in 0..12u32 {
                let (x, y, z) = (1 + block % 3, 2 + block / 3 % 2, 1 + block / 6);
                let at = (((z * rows + y) * columns + x) * 16) as usize;
                model.levels[0][at..at + 16].copy_from_slice(&blocks[0][at..at + 16]);
            }
            check_stored(&to, &model.levels);
            assert!(to.blocks() == model.levels, "and the blocks are those of the other image");
            // SAFETY: every run was waited for.
            unsafe { host.emulator.recycle(recording) }.expect("recycled");
        }
    }
}

/// A device with a queue of a family that can compute and one of a family that can only copy.
struct Pair {
    owner: TestGpu,
    device: texemu_core::ash::Device,
    families: [u32; 2],
}

impl Pair {
    /// `None`, with a printed reason, where there is no such family.
    fn new() -> Option<Self> {
        let owner = TestGpu::new();
        let (instance, physical) = (owner.instance(), owner.physical_device());
        // SAFETY: the device belongs to the instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let only = |flags: vk::QueueFlags| {
            let computes = vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS;
            flags.contains(vk::QueueFlags::TRANSFER) && !flags.intersects(computes)
        };
        let Some(copies) = families.iter().position(|one| only(one.queue_flags)) else {
            println!("skipped: {} has no queue that only copies", owner.capabilities().info.name);
            return None;
        };
        let families = [owner.queue_family(), copies as u32];
        let queues = families.map(|family| {
            vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])
        });
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        // SAFETY: the structure is valid.
        let device = unsafe { instance.create_device(physical, &info, None) }.expect("a device");
        Some(Self { owner, device, families })
    }

    fn borrow(&self) -> Gpu {
        let entry = self.owner.entry().expect("an owned device has a loader");
        let host = HostDevice {
            get_instance_proc_addr: entry.static_fn().get_instance_proc_addr,
            instance: self.owner.instance().handle(),
            physical_device: self.owner.physical_device(),
            device: self.device.handle(),
            queue_family_index: self.families[0],
            features: Features::default(),
            extensions: &[],
            cache: CacheLocation::Off,
        };
        // SAFETY: the handles belong together; the result is dropped before the device.
        unsafe { Gpu::borrow_host(&host) }.expect("borrowed")
    }

    /// Records for one of the families, submits, waits.
    fn run(&self, which: usize, record: impl FnOnce(vk::CommandBuffer)) {
        let device = &self.device;
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.families[which]);
        // SAFETY: the family is the device's.
        let pool = unsafe { device.create_command_pool(&info, None) }.expect("a pool");
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: the pool was just made.
        let buffers = unsafe { device.allocate_command_buffers(&info) }.expect("a buffer");
        // SAFETY: as above.
        unsafe { device.begin_command_buffer(buffers[0], &Default::default()) }.expect("begun");
        record(buffers[0]);
        // SAFETY: begun above.
        unsafe { device.end_command_buffer(buffers[0]) }.expect("ended");
        // SAFETY: the family has one queue.
        let queue = unsafe { device.get_device_queue(self.families[which], 0) };
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: recorded above.
        unsafe { device.queue_submit(queue, &submit, vk::Fence::null()) }.expect("submitted");
        // SAFETY: as above.
        unsafe { device.queue_wait_idle(queue) }.expect("waited");
        // SAFETY: waited for.
        unsafe { device.destroy_command_pool(pool, None) };
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        // SAFETY: everything made from it is gone.
        unsafe { self.device.destroy_device(None) };
    }
}

/// On two queues of two families: exclusive images are acquired, shared ones are not. What arrives are the texels that a
/// copy on the computing queue makes.
#[test]
fn two_queue_families_work_together() {
    let Some(pair) = Pair::new() else { return };
    let gpu = pair.borrow();
    let settings = Settings { force: true, ..Settings::default() };
    let desc = EmulatorDesc { gpu: &gpu, settings: &settings, queue_families: &pair.families };
    let emulator = Emulator::new(&desc).expect("an emulator");
    let texture = TextureDesc::new(format("ASTC_5x5_UNORM_BLOCK"), View::Array, [63, 41, 1], 1, 2);
    let blocks = texture.blocks(Class::Mixed, 5).remove(0);
    let expected = common::texture::decode(texture.format, &blocks, texture.size(0));
    let source = upload(&gpu, &blocks);
    let usage = vk::BufferUsageFlags::TRANSFER_DST;
    let bytes = expected.len() as u64;
    let read = Buffer::new(
        &gpu,
        &BufferDesc { name: "read back", size: bytes, usage, location: Location::Readback },
    )
    .expect("the buffer fits");
    for shared in [false, true] {
        let mut info = texture.info();
        if shared {
            info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&pair.families);
        }
        // SAFETY: the structure is valid.
        let image = unsafe { emulator.create_image(&info, None) }.expect("created").expect("emulated");
        let needs = emulator.image_memory_requirements(image).expect("emulated");
        let memory = allocate(&gpu, needs, 0);
        // SAFETY: the memory meets the requirements.
        unsafe { emulator.bind_image_memory(image, memory, 0) }.expect("bound");
        let families =
            if shared { [vk::QUEUE_FAMILY_IGNORED; 2] } else { [pair.families[1], pair.families[0]] };
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let over = HandOver { image, range: ALL, layouts: [COPY_DST.2, layout], families };
        let mut copies = emulator.recording(Queue::TransferOnly);
        pair.run(1, |commands| {
            let recording = &mut copies;
            common::texture::barrier(&gpu, commands, image, UNDEFINED, COPY_DST);
            let (access, region) = (SourceAccess::TexelBuffer, [texture.whole(0, 0)]);
            // SAFETY: image and buffer are alive and in place.
            unsafe {
                emulator.copy_buffer_to_image(
                    commands,
                    recording,
                    source.handle(),
                    access,
                    image,
                    COPY_DST.2,
                    &region,
                )
            }
            .expect("recorded");
            let stages = [COPY_DST.0, vk::PipelineStageFlags::BOTTOM_OF_PIPE];
            pipeline_barrier(&emulator, commands, recording, stages, &[over.release()]);
        });
        emulator.submit_copies(&copies, 1);
        assert_eq!(emulator.pending_copies(), usize::from(shared), "only what nobody acquires");
        let mut recording = emulator.recording(Queue::Compute);
        pair.run(0, |commands| {
            if shared {
                // SAFETY: the copies were waited for.
                unsafe { emulator.decode_copies(commands, &mut recording, 1) }.expect("recorded");
            } else {
                let acquire = over.acquire().dst_access_mask(vk::AccessFlags::TRANSFER_READ);
                let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, COPY_DST.0];
                assert!(pipeline_barrier(&emulator, commands, &mut recording, stages, &[acquire]));
            }
            // The texels themselves, past the emulation.
            let region = [texture.whole(0, 0)];
            // SAFETY: the image is in place, and the buffer holds the level.
            unsafe { gpu.device().cmd_copy_image_to_buffer(commands, image, layout, read.handle(), &region) };
            common::texture::host_barrier(&gpu, commands);
        });
        assert!(read.mapped().expect("mapped") == expected, "shared: {shared}");
        for recording in [copies, recording] {
            // SAFETY: every run was waited for.
            unsafe { emulator.recycle(recording) }.expect("recycled");
        }
        // SAFETY: as above.
        unsafe { emulator.destroy_image(image, None) };
        // SAFETY: nothing is bound to it any more.
        unsafe { gpu.device().free_memory(memory, None) };
    }
}
