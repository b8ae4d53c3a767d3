//! Recording as applications do it: any layout, both barrier versions, events, secondary command buffers, many submissions,
//! many threads, and their own compute state around copies.

mod common;

use common::compute::{BYTES, Compute};
use common::draw::View;
use common::model::{Model, Part};
use common::texture::{
    ALL, COPY_DST, Host, SAMPLE, Scope, Texture, TextureDesc, UNDEFINED, barrier, host_barrier,
};
use common::{TestGpu, upload};
use texemu_core::{Buffer, Gpu, vk};
use texemu_emulate::{Queue, Recording, Settings, SourceAccess};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::Class;

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

/// Records a copy of every level out of `buffer`, and no barrier.
fn copy_levels(
    texture: &Texture<'_>,
    commands: vk::CommandBuffer,
    recording: &mut Recording,
    buffer: &Buffer,
    layout: vk::ImageLayout,
) {
    let mut offset = 0;
    let mut regions = Vec::new();
    for level in 0..texture.desc.levels {
        regions.push(texture.desc.whole(level, offset));
        offset += texture.desc.level_bytes(level);
    }
    let (image, access) = (texture.image, SourceAccess::TexelBuffer);
    let emulator = &texture.host.emulator;
    // SAFETY: image and buffer are alive and in place.
    let emulated = unsafe {
        emulator.copy_buffer_to_image(commands, recording, buffer.handle(), access, image, layout, &regions)
    };
    assert!(emulated.expect("recorded"), "the image is emulated");
}

const GENERAL_COPY: Scope = (COPY_DST.0, COPY_DST.1, vk::ImageLayout::GENERAL);
const GENERAL_SAMPLE: Scope = (SAMPLE.0, SAMPLE.1, vk::ImageLayout::GENERAL);

/// A memory barrier that names no image.
fn memory_barrier(gpu: &Gpu, commands: vk::CommandBuffer, from: Scope, to: Scope) {
    let barriers = [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
    let none = vk::DependencyFlags::empty();
    // SAFETY: recorded outside a render pass.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, none, &barriers, &[], &[]) };
}

#[test]
fn an_image_may_stay_in_general_and_see_memory_barriers_alone() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_8x6_UNORM_BLOCK"), View::Array, [40, 28, 1], 2, 2);
    let texture = Texture::new(&host, desc);
    let model = Model::new(desc, Class::Mixed, 1);
    let buffer = upload(&host.gpu, &model.levels.concat());
    host.run(|commands, recording| {
        barrier(&host.gpu, commands, texture.image, UNDEFINED, GENERAL_COPY);
        copy_levels(&texture, commands, recording, &buffer, vk::ImageLayout::GENERAL);
        memory_barrier(&host.gpu, commands, GENERAL_COPY, GENERAL_SAMPLE);
        // Only for what the other helpers expect.
        barrier(&host.gpu, commands, texture.image, GENERAL_SAMPLE, SAMPLE);
    });
    texture.check(&model.levels);
}

#[test]
fn the_second_version_of_barriers_works() {
    let host = Host::new(&Settings::default());
    if host.gpu.capabilities().info.api_version < vk::API_VERSION_1_3 {
        println!("skipped: the device has no second version");
        return;
    }
    let desc = TextureDesc::new(format("ETC2_R8G8B8A8_UNORM_BLOCK"), View::Array, [33, 33, 1], 3, 1);
    let texture = Texture::new(&host, desc);
    let model = Model::new(desc, Class::Mixed, 2);
    let buffer = upload(&host.gpu, &model.levels.concat());
    let image_barrier = |from: (vk::PipelineStageFlags2, vk::AccessFlags2, vk::ImageLayout),
                         to: (_, _, _)| {
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(from.0)
            .src_access_mask(from.1)
            .old_layout(from.2)
            .dst_stage_mask(to.0)
            .dst_access_mask(to.1)
            .new_layout(to.2)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(texture.image)
            .subresource_range(ALL)
    };
    // The copy stage alone, which the first version cannot name.
    let none = (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE, vk::ImageLayout::UNDEFINED);
    let copy = (
        vk::PipelineStageFlags2::COPY,
        vk::AccessFlags2::TRANSFER_WRITE,
        vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    );
    let sample = (
        vk::PipelineStageFlags2::FRAGMENT_SHADER,
        vk::AccessFlags2::SHADER_SAMPLED_READ,
        vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    );
    host.run(|commands, recording| {
        let pass = |barriers: &[vk::ImageMemoryBarrier2<'_>]| {
            let info = vk::DependencyInfo::default().image_memory_barriers(barriers);
            // SAFETY: the image is alive; recorded outside a render pass.
            unsafe { host.gpu.device().cmd_pipeline_barrier2(commands, &info) };
        };
        pass(&[image_barrier(none, copy)]);
        copy_levels(&texture, commands, recording, &buffer, copy.2);
        pass(&[image_barrier(copy, sample)]);
    });
    texture.check(&model.levels);
}

#[test]
fn events_work_instead_of_barriers() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_5x5_SRGB_BLOCK"), View::Array, [41, 23, 1], 2, 1);
    let texture = Texture::new(&host, desc);
    let model = Model::new(desc, Class::Mixed, 3);
    let buffer = upload(&host.gpu, &model.levels.concat());
    let device = host.gpu.device();
    // SAFETY: the device is alive.
    let event = unsafe { device.create_event(&vk::EventCreateInfo::default(), None) }.expect("an event");
    host.run(|commands, recording| {
        barrier(&host.gpu, commands, texture.image, UNDEFINED, COPY_DST);
        copy_levels(&texture, commands, recording, &buffer, COPY_DST.2);
        // SAFETY: the event is alive.
        unsafe { device.cmd_set_event(commands, event, vk::PipelineStageFlags::TRANSFER) };
        let barriers = [vk::ImageMemoryBarrier::default()
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(texture.image)
            .subresource_range(ALL)
            .src_access_mask(COPY_DST.1)
            .dst_access_mask(SAMPLE.1)
            .old_layout(COPY_DST.2)
            .new_layout(SAMPLE.2)];
        // SAFETY: the event was set above.
        unsafe { device.cmd_wait_events(commands, &[event], COPY_DST.0, SAMPLE.0, &[], &[], &barriers) };
    });
    texture.check(&model.levels);
    // SAFETY: the run was waited for.
    unsafe { device.destroy_event(event, None) };
}

/// A command pool with one buffer of its own.
struct OwnCommands<'a> {
    gpu: &'a Gpu,
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
}

impl<'a> OwnCommands<'a> {
    fn new(gpu: &'a Gpu, level: vk::CommandBufferLevel) -> Self {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.queue_family());
        // SAFETY: the family is the device's.
        let pool = unsafe { gpu.device().create_command_pool(&info, None) }.expect("a pool");
        let info =
            vk::CommandBufferAllocateInfo::default().command_pool(pool).level(level).command_buffer_count(1);
        // SAFETY: the pool was just made.
        let buffer = unsafe { gpu.device().allocate_command_buffers(&info) }.expect("a buffer")[0];
        Self { gpu, pool, buffer }
    }

    fn record(&self, record: impl FnOnce(vk::CommandBuffer)) {
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
        // SAFETY: not in use.
        unsafe { self.gpu.device().begin_command_buffer(self.buffer, &info) }.expect("begun");
        record(self.buffer);
        // SAFETY: begun above.
        unsafe { self.gpu.device().end_command_buffer(self.buffer) }.expect("ended");
    }
}

impl Drop for OwnCommands<'_> {
    fn drop(&mut self) {
        // SAFETY: every submission was waited for.
        unsafe { self.gpu.device().destroy_command_pool(self.pool, None) };
    }
}

#[test]
fn secondary_command_buffers_may_hold_copies() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_6x6_UNORM_BLOCK"), View::Array, [50, 20, 1], 3, 1);
    let texture = Texture::new(&host, desc);
    let model = Model::new(desc, Class::Mixed, 4);
    let buffer = upload(&host.gpu, &model.levels.concat());
    let secondary = OwnCommands::new(&host.gpu, vk::CommandBufferLevel::SECONDARY);
    let mut recording = host.emulator.recording(Queue::Compute);
    secondary.record(|commands| {
        barrier(&host.gpu, commands, texture.image, UNDEFINED, COPY_DST);
        copy_levels(&texture, commands, &mut recording, &buffer, COPY_DST.2);
        barrier(&host.gpu, commands, texture.image, COPY_DST, SAMPLE);
    });
    host.run(|commands, _| {
        // SAFETY: recorded above.
        unsafe { host.gpu.device().cmd_execute_commands(commands, &[secondary.buffer]) };
    });
    texture.check(&model.levels);
    // SAFETY: the run was waited for.
    unsafe { host.emulator.recycle(recording) }.expect("recycled");
}

#[test]
fn a_command_buffer_may_be_submitted_many_times() {
    let host = Host::new(&Settings::default());
    // By way of scratch, and directly.
    for access in [SourceAccess::TransferOnly, SourceAccess::TexelBuffer] {
        let desc = TextureDesc::new(format("ASTC_4x4_UNORM_BLOCK"), View::Array, [30, 30, 1], 1, 2);
        let texture = Texture::new(&host, desc.sampled_only());
        let mut buffer = upload(&host.gpu, &vec![0; desc.level_bytes(0) as usize]);
        let own = OwnCommands::new(&host.gpu, vk::CommandBufferLevel::PRIMARY);
        let mut recording = host.emulator.recording(Queue::Compute);
        own.record(|commands| {
            texture.copy_in(commands, &mut recording, buffer.handle(), access, &[desc.whole(0, 0)]);
        });
        // SAFETY: the family has one queue, which no other thread uses.
        let queue = unsafe { host.gpu.device().get_device_queue(host.gpu.queue_family(), 0) };
        for seed in 5..9 {
            let blocks = desc.blocks(Class::Mixed, seed);
            buffer.mapped_mut().expect("mapped").copy_from_slice(&blocks[0]);
            let buffers = [own.buffer];
            let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
            // SAFETY: recorded above and not pending.
            unsafe { host.gpu.device().queue_submit(queue, &submit, vk::Fence::null()) }.expect("submitted");
            // SAFETY: as above.
            unsafe { host.gpu.device().queue_wait_idle(queue) }.expect("waited");
            texture.check(&blocks);
        }
        // SAFETY: waited for.
        unsafe { host.emulator.recycle(recording) }.expect("recycled");
    }
}

#[test]
fn many_threads_record_at_once() {
    let host = Host::new(&Settings::default());
    let names =
        ["ASTC_4x4_SRGB_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK", "ASTC_10x10_UNORM_BLOCK", "EAC_R11_UNORM_BLOCK"];
    const THREADS: usize = 8;
    // All threads upload into layers of one image too, each its own.
    let shared_desc =
        TextureDesc::new(format("ASTC_8x8_UNORM_BLOCK"), View::Array, [24, 24, 1], 1, THREADS as u32);
    let shared = Texture::new(&host, shared_desc);
    let general = (SAMPLE.0, SAMPLE.1, vk::ImageLayout::GENERAL);
    host.run(|commands, _| shared.enter(commands, general));
    let shared_blocks = shared_desc.blocks(Class::Legal, 77);
    let layer_bytes = shared_blocks[0].len() / THREADS;
    let (host_ref, image, blocks) = (&host, shared.image, &shared_blocks[0]);
    let textures: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    let host = host_ref;
                    let desc = TextureDesc::new(
                        format(names[thread % names.len()]),
                        View::Array,
                        [20 + thread as u32, 17, 1],
                        2,
                        1,
                    );
                    let texture = Texture::new(host, desc);
                    let mut levels = Vec::new();
                    for round in 0..4 {
                        levels = desc.blocks(Class::Mixed, (thread * 10 + round) as u64);
                        texture.fill(&levels);
                        assert!(texture.blocks() == levels, "thread {thread}: its own bytes");
                    }
                    let layer = thread as u32;
                    let buffer = upload(&host.gpu, &blocks[thread * layer_bytes..][..layer_bytes]);
                    let region = [vk::BufferImageCopy {
                        image_subresource: shared_desc.subresource(0, layer, 1),
                        ..shared_desc.whole(0, 0)
                    }];
                    host.run(|commands, recording| {
                        memory_barrier(&host.gpu, commands, GENERAL_COPY, GENERAL_COPY);
                        let (emulator, layout) = (&host.emulator, vk::ImageLayout::GENERAL);
                        let (buffer, access) = (buffer.handle(), SourceAccess::TexelBuffer);
                        // SAFETY: image and buffer are alive and in place; no other thread writes this layer.
                        unsafe {
                            emulator.copy_buffer_to_image(
                                commands, recording, buffer, access, image, layout, &region,
                            )
                        }
                        .expect("recorded");
                    });
                    (texture, levels)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    for (texture, levels) in &textures {
        texture.check(levels);
    }
    host.run(|commands, _| shared.enter(commands, SAMPLE));
    shared.check(&shared_blocks);
}

#[test]
fn the_callers_compute_state_survives() {
    let gpu = TestGpu::new();
    let host = Host::on(gpu, &Settings::default());
    let desc = TextureDesc::new(format("ASTC_5x4_UNORM_BLOCK"), View::Array, [25, 25, 1], 2, 1);
    let texture = Texture::new(&host, desc);
    let mut model = Model::new(desc, Class::Mixed, 6);
    texture.fill(&model.levels);
    let copy = model.region(0, Part::Interior, (0, 1), None, 0);
    let bytes = model.buffer(&[copy], Class::Mixed, 7);
    let buffer = upload(&host.gpu, &bytes);
    let compute = Compute::new(&host.gpu, 4);
    let device = host.gpu.device();
    let point = vk::PipelineBindPoint::COMPUTE;
    // Part 2 of the source into part 1 of the target.
    let offsets = [2 * BYTES as u32, BYTES as u32];
    let count = (BYTES as u32 / 16).to_ne_bytes();
    host.run(|commands, recording| {
        // SAFETY: everything is alive and of one layout.
        unsafe { device.cmd_bind_pipeline(commands, point, compute.pipeline) };
        recording.state.bind_pipeline(point, compute.pipeline);
        // SAFETY: as above.
        unsafe {
            device.cmd_bind_descriptor_sets(commands, point, compute.layout, 0, &[compute.set], &offsets);
        }
        recording.state.bind_descriptor_sets(point, compute.layout, 0, &[compute.set], &offsets);
        let stage = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: as above.
        unsafe { device.cmd_push_constants(commands, compute.layout, stage, 0, &count) };
        recording.state.push_constants(compute.layout, stage, 0, &count);
        texture.copy_in(commands, recording, buffer.handle(), SourceAccess::TexelBuffer, &[copy]);
        // Nothing is bound again by the application.
        // SAFETY: the copy restored what was bound.
        unsafe { compute.dispatch(commands) };
        let barriers = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
        // SAFETY: recorded outside a render pass.
        unsafe {
            device.cmd_pipeline_barrier(
                commands,
                from,
                to,
                vk::DependencyFlags::empty(),
                &barriers,
                &[],
                &[],
            );
        }
        host_barrier(&host.gpu, commands);
    });
    let target = compute.target.mapped().expect("mapped");
    let part = BYTES as usize;
    assert!(target[..part].iter().all(|&byte| byte == 0), "part 0 was not written");
    assert!(target[part..2 * part].iter().all(|&byte| byte == 3), "part 1 holds part 2 of the source");
    assert!(target[2 * part..].iter().all(|&byte| byte == 0), "nothing else was written");
    model.apply(&[copy], &bytes);
    texture.check(&model.levels);
}

#[test]
fn recordings_are_found_by_their_command_buffer() {
    let host = Host::new(&Settings::default());
    let desc =
        TextureDesc::new(format("ASTC_4x4_UNORM_BLOCK"), View::Array, [30, 30, 1], 1, 1).sampled_only();
    let texture = Texture::new(&host, desc);
    let own = OwnCommands::new(&host.gpu, vk::CommandBufferLevel::PRIMARY);
    // SAFETY: the family has one queue, which no other thread uses.
    let queue = unsafe { host.gpu.device().get_device_queue(host.gpu.queue_family(), 0) };
    let mut scratch = Vec::new();
    for seed in 0..5 {
        let blocks = desc.blocks(Class::Mixed, seed);
        let buffer = upload(&host.gpu, &blocks[0]);
        // SAFETY: the last submission was waited for.
        unsafe { host.emulator.begin_commands(own.buffer) }.expect("reset");
        // SAFETY: as above.
        unsafe { host.gpu.device().reset_command_pool(own.pool, vk::CommandPoolResetFlags::empty()) }
            .expect("reset");
        own.record(|commands| {
            host.emulator.with_recording(commands, Queue::Compute, |recording| {
                let region = [desc.whole(0, 0)];
                texture.copy_in(commands, recording, buffer.handle(), SourceAccess::TransferOnly, &region);
                scratch.push(recording.scratch_bytes());
            });
        });
        let buffers = [own.buffer];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: recorded above and not pending.
        unsafe { host.gpu.device().queue_submit(queue, &submit, vk::Fence::null()) }.expect("submitted");
        // SAFETY: as above.
        unsafe { host.gpu.device().queue_wait_idle(queue) }.expect("waited");
        texture.check(&blocks);
    }
    assert!(
        scratch.iter().all(|&bytes| bytes == scratch[0] && bytes > 0),
        "scratch is used again: {scratch:?}"
    );
    // SAFETY: waited for.
    unsafe { host.emulator.forget_commands(own.buffer) }.expect("forgotten");
    assert!(host.emulator.with_existing_recording(own.buffer, |_| ()).is_none());
}
