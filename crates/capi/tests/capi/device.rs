//! The interface on a device: what a host hands in and gets back, under validation.

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use texemu::*;
use texemu_core::vk;
use texemu_core::{
    Buffer, BufferDesc, CacheLocation, Commands, Gpu, GpuDesc, Image, ImageDesc, Location, Select, Validation,
};
use texemu_format::{Format, by_name};
use texemu_reference::decode_image;

const EXTENT: [u32; 3] = [37, 22, 1];
const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// A host, and texemu on its device. Fails its test if validation is not silent.
struct Host {
    host: Gpu,
    gpu: *mut texemu_gpu,
}

fn message() -> String {
    // SAFETY: the text stays until this thread's next call.
    unsafe { CStr::from_ptr(texemu_last_error_message()) }.to_string_lossy().into_owned()
}

#[track_caller]
fn good(result: vk::Result) {
    assert_eq!(result, vk::Result::SUCCESS, "{}", message());
}

fn sized<T>() -> T {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: every structure of the interface starts with its size.
    unsafe { value.as_mut_ptr().cast::<u32>().write(size_of::<T>() as u32) };
    // SAFETY: zero is valid for all of them.
    unsafe { value.assume_init() }
}

impl Host {
    fn new() -> Self {
        let select = std::env::var("TEXEMU_TEST_DEVICE").map_or(Select::Best, |text| Select::parse(&text));
        // Without optional features, for none are told to texemu.
        let validation = Validation::Synchronization;
        let desc = GpuDesc { select, validation, cache: CacheLocation::Off, baseline: true };
        let host = Gpu::open(&desc).expect("the tests need a Vulkan device and the validation layer");
        let entry = host.entry().expect("an owned device has a loader");
        let device = texemu_host_device {
            queue_family_index: host.queue_family(),
            get_instance_proc_addr: Some(entry.static_fn().get_instance_proc_addr),
            instance: host.instance().handle(),
            physical_device: host.physical_device(),
            device: host.device().handle(),
            cache_directory: c"".as_ptr(),
            ..sized()
        };
        let mut gpu = null_mut();
        // SAFETY: the handles belong together; the host is dropped last.
        good(unsafe { texemu_gpu_borrow(&device, &mut gpu) });
        Self { host, gpu }
    }

    fn emulator(&self, settings: &texemu_settings) -> *mut texemu_emulator {
        let (mut emulator, families) = (null_mut(), [self.host.queue_family()]);
        // SAFETY: all pointers are valid.
        good(unsafe { texemu_emulator_create(self.gpu, settings, families.as_ptr(), 1, &mut emulator) });
        emulator
    }

    fn buffer(&self, size: usize, location: Location) -> Buffer {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        Buffer::new(&self.host, &BufferDesc { name: "test", size: size as u64, usage, location })
            .expect("it fits")
    }

    fn upload(&self, bytes: &[u8]) -> Buffer {
        let mut buffer = self.buffer(bytes.len(), Location::Upload);
        buffer.mapped_mut().expect("upload memory is mapped")[..bytes.len()].copy_from_slice(bytes);
        buffer
    }

    fn run(&self, record: impl FnOnce(vk::CommandBuffer)) {
        let mut commands = Commands::new(&self.host).expect("commands");
        let done = commands.run(|commands| {
            record(commands);
            Ok::<_, texemu_core::Error>(())
        });
        done.expect("the commands run");
    }

    /// From any layout into [`LAYOUT`], behind and before transfers.
    fn barrier(&self, commands: vk::CommandBuffer, image: vk::Image, from: vk::ImageLayout) {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let both = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
        let barriers = [vk::ImageMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(both)
            .old_layout(from)
            .new_layout(LAYOUT)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(range)];
        let (stage, none) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
        // SAFETY: the image is alive, and the command buffer is being recorded.
        unsafe { self.host.device().cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &barriers) };
    }

    /// What was written into a buffer of [`Location::Readback`] becomes visible to [`Buffer::mapped`].
    fn host_barrier(&self, commands: vk::CommandBuffer) {
        let barriers = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (from, to) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        let none = vk::DependencyFlags::empty();
        // SAFETY: the command buffer is being recorded.
        unsafe { self.host.device().cmd_pipeline_barrier(commands, from, to, none, &barriers, &[], &[]) };
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: every test destroys what it made.
        unsafe { texemu_gpu_destroy(self.gpu) };
        let messages = self.host.validation_log().messages();
        if !std::thread::panicking() {
            assert!(messages.is_empty(), "validation said:\n{}", messages.join("\n"));
        }
    }
}

fn layers() -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1)
}

fn extent() -> vk::Extent3D {
    vk::Extent3D { width: EXTENT[0], height: EXTENT[1], depth: EXTENT[2] }
}

fn whole() -> vk::BufferImageCopy {
    vk::BufferImageCopy::default().image_subresource(layers()).image_extent(extent())
}

fn info(format: vk::Format, usage: vk::ImageUsageFlags) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(extent())
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage)
}

/// Blocks that differ, and their texels.
fn texture(name: &str) -> (&'static Format, Vec<u8>, Vec<u8>) {
    let format = by_name(name).expect("in the table");
    let size = format.level_bytes(EXTENT).expect("small");
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let blocks: Vec<u8> = (0..size).map(|_| random()).collect();
    let texels =
        decode_image(format, &blocks, EXTENT, &Default::default()).expect("the twin decodes all blocks");
    (format, blocks, texels)
}

#[test]
fn the_transcoder_decodes_as_its_twin_does() {
    let host = Host::new();
    let (format, blocks, texels) = texture("ETC2_R8G8B8A8_UNORM_BLOCK");
    let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC;
    let flags = vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
    let desc = ImageDesc { name: "target", info: info(vk::Format::R8G8B8A8_UNORM, usage).flags(flags) };
    let target = Image::new(&host.host, &desc).expect("it fits");
    let (upload, read) = (host.upload(&blocks), host.buffer(texels.len(), Location::Readback));
    let (mut transcoder, mut arena) = (null_mut(), null_mut());
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_transcoder_create(host.gpu, &mut transcoder) });
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_arena_create(host.gpu, &mut arena) });
    let (region, mut recorded) = (whole(), sized::<texemu_recorded>());
    let job = texemu_job {
        source_format: texemu_core::vk_format(format.vk),
        source_buffer: upload.handle(),
        target_image: target.handle(),
        target_format: vk::Format::R8G8B8A8_UNORM,
        image_type: vk::ImageType::TYPE_2D,
        extent: extent(),
        levels: 1,
        layers: 1,
        layout: LAYOUT,
        discard: vk::TRUE,
        regions: &region,
        region_count: 1,
        ..sized()
    };
    host.run(|commands| {
        // SAFETY: everything named lives until the commands have run.
        good(unsafe { texemu_transcoder_record(transcoder, commands, arena, 1, &job, &mut recorded) });
        host.barrier(commands, target.handle(), LAYOUT);
        let device = host.host.device();
        // SAFETY: as above.
        unsafe {
            device.cmd_copy_image_to_buffer(commands, target.handle(), LAYOUT, read.handle(), &[region])
        };
        host.host_barrier(commands);
    });
    assert!(
        read.mapped().expect("read-back memory is mapped")[..texels.len()] == texels,
        "the twin's texels"
    );
    assert_eq!(recorded.blocks, 10 * 6, "37 x 22 texels in blocks of 4 x 4");
    assert_eq!(recorded.texels, 37 * 22, "texels written");

    let bad = vk::BufferImageCopy { buffer_offset: 3, ..region };
    let wrong = texemu_job { regions: &bad, ..job };
    host.run(|commands| {
        // SAFETY: as above.
        let result = unsafe { texemu_transcoder_record(transcoder, commands, arena, 1, &wrong, null_mut()) };
        assert_eq!(result.as_raw(), TEXEMU_ERROR_INVALID_ARGUMENT, "an offset inside a block");
        assert!(message().contains("buffer offset 3"), "{}", message());
    });
    // SAFETY: the device is done.
    good(unsafe { texemu_arena_reset(arena) });
    // SAFETY: the device is done, and neither is used again.
    unsafe { texemu_arena_destroy(arena) };
    // SAFETY: as above.
    unsafe { texemu_transcoder_destroy(transcoder) };
}

/// An emulated image with memory of its own.
struct Emulated<'a> {
    host: &'a Host,
    emulator: *mut texemu_emulator,
    image: vk::Image,
    memory: vk::DeviceMemory,
}

impl<'a> Emulated<'a> {
    fn new(host: &'a Host, emulator: *mut texemu_emulator, format: &Format) -> Self {
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let info = info(texemu_core::vk_format(format.vk), usage);
        let (mut image, mut needs) = (vk::Image::null(), vk::MemoryRequirements::default());
        // SAFETY: all pointers are valid.
        good(unsafe { texemu_create_image(emulator, &info, null(), &mut image) });
        // SAFETY: as above.
        good(unsafe { texemu_get_image_memory_requirements(emulator, image, &mut needs) });
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(needs.memory_type_bits.trailing_zeros());
        // SAFETY: the device is alive.
        let memory = unsafe { host.host.device().allocate_memory(&allocate, None) }.expect("it fits");
        // SAFETY: the memory is as large as needed.
        good(unsafe { texemu_bind_image_memory(emulator, image, memory, 0) });
        Self { host, emulator, image, memory }
    }
}

impl Drop for Emulated<'_> {
    fn drop(&mut self) {
        // SAFETY: every run was waited for.
        good(unsafe { texemu_destroy_image(self.emulator, self.image, null()) });
        // SAFETY: as above.
        unsafe { self.host.host.device().free_memory(self.memory, None) };
    }
}

/// `record` with a recording, and what a buffer holds afterwards.
fn read_back(
    host: &Host,
    emulator: *mut texemu_emulator,
    size: usize,
    record: impl FnOnce(vk::CommandBuffer, *mut texemu_recording, vk::Buffer),
) -> Vec<u8> {
    let (read, mut recording) = (host.buffer(size, Location::Readback), null_mut());
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_recording_create(emulator, texemu_queue::Compute as u32, &mut recording) });
    host.run(|commands| {
        record(commands, recording, read.handle());
        host.host_barrier(commands);
    });
    // SAFETY: the run was waited for.
    unsafe { texemu_recording_destroy(recording) };
    read.mapped().expect("read-back memory is mapped")[..size].to_vec()
}

#[test]
fn blocks_come_back_by_way_of_two_images() {
    let host = Host::new();
    let (format, blocks, _) = texture("ETC2_R8G8B8_UNORM_BLOCK");
    let emulator = host.emulator(&texemu_settings { force: vk::TRUE, ..sized() });
    let (first, second) = (Emulated::new(&host, emulator, format), Emulated::new(&host, emulator, format));
    let upload = host.upload(&blocks);
    let came = read_back(&host, emulator, blocks.len(), |commands, recording, buffer| {
        for image in [first.image, second.image] {
            host.barrier(commands, image, vk::ImageLayout::UNDEFINED);
        }
        let (region, access) = (whole(), texemu_source_access::TransferOnly as u32);
        // SAFETY: everything named lives until the commands have run.
        good(unsafe {
            texemu_cmd_copy_buffer_to_image(
                emulator,
                commands,
                recording,
                access,
                upload.handle(),
                first.image,
                LAYOUT,
                1,
                &region,
            )
        });
        host.barrier(commands, first.image, LAYOUT);
        let copy =
            vk::ImageCopy::default().src_subresource(layers()).dst_subresource(layers()).extent(extent());
        // SAFETY: as above.
        good(unsafe {
            texemu_cmd_copy_image(
                emulator,
                commands,
                recording,
                first.image,
                LAYOUT,
                second.image,
                LAYOUT,
                1,
                &copy,
            )
        });
        host.barrier(commands, second.image, LAYOUT);
        let regions = [vk::BufferImageCopy2::default().image_subresource(layers()).image_extent(extent())];
        let info = vk::CopyImageToBufferInfo2::default()
            .src_image(second.image)
            .src_image_layout(LAYOUT)
            .dst_buffer(buffer)
            .regions(&regions);
        // SAFETY: as above.
        good(unsafe { texemu_cmd_copy_image_to_buffer2(emulator, commands, recording, &info) });
    });
    assert!(came == blocks, "the bytes that were uploaded");
    let mut statistics = sized::<texemu_format_statistics>();
    let format = texemu_core::vk_format(format.vk);
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_get_format_statistics(emulator, format, &mut statistics) });
    assert_eq!((statistics.images, statistics.by_plane, statistics.direct), (2, 1, 0), "as access said");
    // Of both images.
    assert_eq!((statistics.image_copies, statistics.downloads), (2, 1), "{statistics:?}");
    drop((first, second));
    // SAFETY: all images are destroyed.
    unsafe { texemu_emulator_destroy(emulator) };
}

#[test]
fn what_is_refused_says_why_and_what_is_not_ours_is_left_alone() {
    let host = Host::new();
    let format = vk::Format::ETC2_R8G8B8_UNORM_BLOCK;
    let emulator = host.emulator(&texemu_settings { force: vk::TRUE, ceiling: 1, ..sized() });
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    let mut image = vk::Image::null();
    // SAFETY: all pointers are valid.
    let result = unsafe { texemu_create_image(emulator, &info(format, usage), null(), &mut image) };
    assert_eq!(result, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, "no target needs one byte");
    assert!(message().contains("ceiling"), "{}", message());
    let attachment = info(format, vk::ImageUsageFlags::COLOR_ATTACHMENT);
    // SAFETY: as above.
    let result = unsafe { texemu_create_image(emulator, &attachment, null(), &mut image) };
    assert_eq!(result, vk::Result::ERROR_FORMAT_NOT_SUPPORTED, "{}", message());
    let own = info(vk::Format::R8G8B8A8_UNORM, usage);
    // SAFETY: as above.
    let result = unsafe { texemu_create_image(emulator, &own, null(), &mut image) };
    assert_eq!(result.as_raw(), TEXEMU_NOT_EMULATED, "the driver's");
    assert_eq!((image, message().as_str()), (vk::Image::null(), ""), "and nothing was made or said");
    let mut properties = vk::FormatProperties::default();
    let mut offer = null_mut();
    // SAFETY: as above.
    good(unsafe { texemu_emulator_get_offer(emulator, &mut offer) });
    // SAFETY: the offer keeps the emulator alive.
    unsafe { texemu_emulator_destroy(emulator) };
    // SAFETY: as above.
    good(unsafe { texemu_offer_get_format_properties(offer, format, &mut properties) });
    let sampled = vk::FormatFeatureFlags::SAMPLED_IMAGE;
    assert!(properties.optimal_tiling_features.contains(sampled), "the format is offered: {properties:?}");
    // SAFETY: not used again.
    unsafe { texemu_offer_destroy(offer) };
}

#[test]
fn blocks_copied_where_nothing_computes_are_decoded_elsewhere() {
    let host = Host::new();
    let (format, blocks, texels) = texture("ETC2_R8G8B8A8_UNORM_BLOCK");
    let upload = host.upload(&blocks);
    let external = [vk::QUEUE_FAMILY_EXTERNAL];
    let acquired = texemu_settings {
        force: vk::TRUE,
        transfer_families: external.as_ptr(),
        transfer_family_count: 1,
        ..sized()
    };
    let submitted =
        texemu_settings { force: vk::TRUE, keep_blocks: texemu_keep_blocks::Always as u32, ..sized() };
    for acquires in [true, false] {
        let emulator = host.emulator(if acquires { &acquired } else { &submitted });
        let image = Emulated::new(&host, emulator, format);
        let family = host.host.queue_family();
        let barrier = |[src, dst]: [u32; 2]| {
            vk::ImageMemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::TRANSFER_READ)
                .old_layout(LAYOUT)
                .new_layout(LAYOUT)
                .src_queue_family_index(src)
                .dst_queue_family_index(dst)
                .image(image.image)
                .subresource_range(
                    vk::ImageSubresourceRange::default()
                        .aspect_mask(vk::ImageAspectFlags::COLOR)
                        .level_count(1)
                        .layer_count(1),
                )
        };
        let pass = |commands, recording, barrier: vk::ImageMemoryBarrier<'_>| {
            let (stage, none) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
            // SAFETY: everything named is alive.
            let result = unsafe {
                texemu_cmd_pipeline_barrier(
                    emulator,
                    commands,
                    recording,
                    stage,
                    stage,
                    none,
                    0,
                    null(),
                    0,
                    null(),
                    1,
                    &barrier,
                )
            };
            if result.as_raw() == TEXEMU_NOT_EMULATED {
                let (device, images) = (host.host.device(), [barrier]);
                // SAFETY: as above.
                unsafe { device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &images) };
                return false;
            }
            good(result);
            true
        };
        let mut copies = null_mut();
        // SAFETY: both pointers are valid.
        good(unsafe { texemu_recording_create(emulator, texemu_queue::TransferOnly as u32, &mut copies) });
        host.run(|commands| {
            host.barrier(commands, image.image, vk::ImageLayout::UNDEFINED);
            let (region, access) = (whole(), texemu_source_access::TexelBuffer as u32);
            // SAFETY: everything named lives until the commands have run.
            good(unsafe {
                texemu_cmd_copy_buffer_to_image(
                    emulator,
                    commands,
                    copies,
                    access,
                    upload.handle(),
                    image.image,
                    LAYOUT,
                    1,
                    &region,
                )
            });
            if acquires {
                assert!(!pass(commands, copies, barrier([family, external[0]])), "a release is the driver's");
            }
        });
        // SAFETY: both are valid.
        good(unsafe { texemu_submit_copies(emulator, copies, 1) });
        // SAFETY: as above.
        assert_eq!(unsafe { texemu_pending_copies(emulator) }, u64::from(!acquires));
        let came = read_back(&host, emulator, texels.len(), |commands, recording, buffer| {
            if acquires {
                assert!(pass(commands, recording, barrier([external[0], family])), "decoded at the acquire");
            } else {
                // SAFETY: the copies were waited for.
                good(unsafe { texemu_cmd_decode_copies(emulator, commands, recording, 1) });
            }
            // The texels, past the emulation.
            let (device, region) = (host.host.device(), [whole()]);
            // SAFETY: the image is in place; the buffer holds the texels.
            unsafe { device.cmd_copy_image_to_buffer(commands, image.image, LAYOUT, buffer, &region) };
        });
        assert!(came == texels, "the twin's texels; acquired: {acquires}");
        // SAFETY: the run was waited for.
        unsafe { texemu_recording_destroy(copies) };
        drop(image);
        // SAFETY: all images are destroyed.
        unsafe { texemu_emulator_destroy(emulator) };
    }
}

#[test]
fn what_the_host_knows_is_encoded_once() {
    let host = Host::new();
    let (format, blocks, _) = texture("ETC2_R8G8B8_UNORM_BLOCK");
    let policy = texemu_policy::Size as u32;
    let settings = texemu_settings { force: vk::TRUE, policy, cache_memory_bytes: 1 << 20, ..sized() };
    let emulator = host.emulator(&settings);
    let image = Emulated::new(&host, emulator, format);
    let upload = host.upload(&blocks);
    let size = blocks.len();
    let mut stored = Vec::new();
    for _ in 0..2 {
        stored.push(read_back(&host, emulator, size, |commands, recording, buffer| {
            host.barrier(commands, image.image, vk::ImageLayout::UNDEFINED);
            let (region, access) = (whole(), texemu_source_access::TexelBuffer as u32);
            // SAFETY: everything named lives until the commands have run; the buffer holds the blocks.
            good(unsafe {
                texemu_cmd_copy_known_buffer_to_image(
                    emulator,
                    commands,
                    recording,
                    access,
                    upload.handle(),
                    blocks.as_ptr(),
                    blocks.len(),
                    image.image,
                    LAYOUT,
                    1,
                    &region,
                )
            });
            host.barrier(commands, image.image, LAYOUT);
            let device = host.host.device();
            // SAFETY: the image is in place; blocks of BC1 are as many and as large.
            unsafe { device.cmd_copy_image_to_buffer(commands, image.image, LAYOUT, buffer, &[region]) };
        }));
    }
    assert!(stored[0] == stored[1], "the same blocks");
    let mut cache = sized::<texemu_cache_statistics>();
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_get_cache_statistics(emulator, &mut cache) });
    assert_eq!((cache.misses, cache.stored, cache.memory_hits), (1, 1, 1), "{cache:?}");
    let mut statistics = sized::<texemu_format_statistics>();
    let format = texemu_core::vk_format(format.vk);
    // SAFETY: as above.
    good(unsafe { texemu_get_format_statistics(emulator, format, &mut statistics) });
    assert_eq!((statistics.dispatches, statistics.cached), (1, 1), "{statistics:?}");
    drop(image);
    // SAFETY: all images are destroyed.
    unsafe { texemu_emulator_destroy(emulator) };
}
