//! Depth pyramids through the C interface, on a device under validation, against the CPU twin.

use ::texemu_hiz::{DepthValues, Oracle, Reduction, Scheme, TexelFormat};
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use texemu::*;
use texemu_core::ash::Entry;
use texemu_core::{Buffer, BufferDesc, Commands, Gpu, GpuDesc, Image, ImageDesc, Location, Validation, vk};
use vk::{AccessFlags as A, ImageLayout as L, PipelineStageFlags as S};

const EXTENT: [u32; 2] = [45, 22];

fn message() -> String {
    // SAFETY: the text stays until this thread's next call.
    unsafe { CStr::from_ptr(texemu_last_error_message()) }.to_string_lossy().into_owned()
}

#[track_caller]
fn good(result: vk::Result) {
    assert_eq!(result, vk::Result::SUCCESS, "{}", message());
}

/// The device of `gpu`, lent as a host lends its own.
fn lend(gpu: &Gpu, entry: &Entry) -> *mut texemu_gpu {
    let features = vk::PhysicalDeviceFeatures::default()
        .shader_storage_image_write_without_format(gpu.features().storage_image_write_without_format)
        .shader_storage_image_extended_formats(gpu.features().storage_image_extended_formats);
    let created = vk::DeviceCreateInfo::default().enabled_features(&features);
    let host = texemu_host_device {
        struct_size: size_of::<texemu_host_device>() as u32,
        queue_family_index: gpu.queue_family(),
        get_instance_proc_addr: Some(entry.static_fn().get_instance_proc_addr),
        instance: gpu.instance().handle(),
        physical_device: gpu.physical_device(),
        device: gpu.device().handle(),
        device_create_info: (&raw const created).cast(),
        api_version: vk::API_VERSION_1_1,
        reserved: 0,
        cache_directory: c"".as_ptr(),
    };
    let mut lent = null_mut();
    // SAFETY: the handles belong together, and outlive the test.
    good(unsafe { texemu_gpu_borrow(&host, &mut lent) });
    lent
}

fn desc(scheme: texemu_hiz_scheme, reduction: u32) -> texemu_hiz_desc {
    // SAFETY: all zero is valid.
    let mut desc: texemu_hiz_desc = unsafe { std::mem::zeroed() };
    desc.struct_size = size_of_val(&desc) as u32;
    [desc.source_width, desc.source_height] = EXTENT;
    desc.scheme = scheme as u32;
    desc.reduction = reduction;
    desc
}

fn plan(gpu: *const texemu_gpu, desc: &texemu_hiz_desc) -> Result<*mut texemu_hiz_plan, (i32, String)> {
    let mut plan = null_mut();
    // SAFETY: all pointers are valid.
    let result = unsafe { texemu_hiz_plan_create(gpu, desc, &mut plan) };
    if result == vk::Result::SUCCESS { Ok(plan) } else { Err((result.as_raw(), message())) }
}

fn info(plan: *const texemu_hiz_plan) -> texemu_hiz_plan_info {
    // SAFETY: all zero is valid.
    let mut info: texemu_hiz_plan_info = unsafe { std::mem::zeroed() };
    info.struct_size = size_of_val(&info) as u32;
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_hiz_plan_get_info(plan, &mut info) });
    info
}

fn image(
    gpu: &Gpu,
    format: vk::Format,
    levels: u32,
    [width, height]: [u32; 2],
    usage: vk::ImageUsageFlags,
) -> Image {
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width, height, depth: 1 })
        .mip_levels(levels)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage);
    Image::new(gpu, &ImageDesc { name: "test", info }).expect("an image")
}

fn transition(gpu: &Gpu, commands: vk::CommandBuffer, image: &Image, from: (S, A, L), to: (S, A, L)) {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(1);
    let barriers = [vk::ImageMemoryBarrier::default()
        .src_access_mask(from.1)
        .dst_access_mask(to.1)
        .old_layout(from.2)
        .new_layout(to.2)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image.handle())
        .subresource_range(range)];
    let flags = vk::DependencyFlags::empty();
    // SAFETY: recording on this device.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, flags, &[], &[], &barriers) };
}

fn region(mip_level: u32, [width, height]: [u32; 2], offset: u64) -> vk::BufferImageCopy {
    let layers = vk::ImageSubresourceLayers::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .mip_level(mip_level)
        .layer_count(1);
    vk::BufferImageCopy::default()
        .buffer_offset(offset)
        .image_subresource(layers)
        .image_extent(vk::Extent3D { width, height, depth: 1 })
}

#[test]
fn a_pyramid_through_c_has_the_twins_bits() {
    // SAFETY: the loader library is trusted to be a Vulkan loader.
    let entry = unsafe { Entry::load() }.expect("a Vulkan loader");
    let watched = GpuDesc { validation: Validation::Synchronization, ..GpuDesc::default() };
    let gpu = Gpu::open(&watched).expect("the tests need a Vulkan device and the validation layer");
    let lent = lend(&gpu, &entry);

    // The farthest depth with reversed depth is the least.
    let reduction = texemu_hiz_reduction_of(texemu_hiz_keep::Farthest as u32, vk::TRUE);
    assert_eq!(reduction, texemu_hiz_reduction::Min as u32);
    let plan = plan(lent, &desc(texemu_hiz_scheme::Chained, reduction)).expect("every device makes this");
    let told = info(plan);
    assert_eq!((told.format, told.level_count, told.is_mip_chain), (vk::Format::R32_SFLOAT, 5, vk::TRUE));
    let query = told.query;
    let words = [query.width, query.height, query.first_level, query.last_level, query.layer];
    assert_eq!(words, [45, 22, 1, 5, 0], "as hiz_query.glsl has them");
    assert_eq!(
        [told.uv_queries, told.integer_queries],
        [texemu_hiz_answer::Conservative as u32; 2],
        "a chained pyramid answers both"
    );
    let mut levels = Vec::new();
    for index in 0..told.level_count {
        // SAFETY: all zero is valid.
        let mut level: texemu_hiz_level = unsafe { std::mem::zeroed() };
        level.struct_size = size_of_val(&level) as u32;
        // SAFETY: both pointers are valid.
        good(unsafe { texemu_hiz_plan_get_level(plan, index, &mut level) });
        assert_eq!(level.level, index + 1);
        levels.push(level);
    }
    assert_eq!(levels.iter().map(|level| level.bytes).sum::<u64>(), told.bytes);

    let mut hiz = null_mut();
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_hiz_create(lent, &mut hiz) });
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_hiz_prepare(hiz, plan) });
    let usage = told.level_usage | vk::ImageUsageFlags::TRANSFER_SRC;
    let pyramid = image(&gpu, told.format, told.level_count, [levels[0].width, levels[0].height], usage);
    let images: Vec<texemu_hiz_image> = (0..told.level_count)
        .map(|mip_level| texemu_hiz_image {
            struct_size: size_of::<texemu_hiz_image>() as u32,
            mip_level,
            image: pyramid.handle(),
            array_layer: 0,
            reserved: 0,
        })
        .collect();
    let mut target = null_mut();
    // SAFETY: the images are the plan's.
    let few = unsafe { texemu_hiz_target_create(hiz, plan, 2, images.as_ptr(), &mut target) };
    assert_eq!(few.as_raw(), TEXEMU_ERROR_INVALID_ARGUMENT, "two images for five levels");
    let count = images.len() as u32;
    // SAFETY: the images are the plan's.
    good(unsafe { texemu_hiz_target_create(hiz, plan, count, images.as_ptr(), &mut target) });
    // SAFETY: the plan is not used afterwards.
    unsafe { texemu_hiz_plan_destroy(plan) };
    let mut view = vk::ImageView::null();
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_hiz_target_get_view(target, 4, &mut view) });
    assert_ne!(view, vk::ImageView::null());
    // SAFETY: both pointers are valid.
    let beyond = unsafe { texemu_hiz_target_get_view(target, 5, &mut view) };
    assert_eq!(beyond.as_raw(), TEXEMU_ERROR_INVALID_ARGUMENT, "there are five");

    let values: Vec<f32> =
        (0..EXTENT[0] * EXTENT[1]).map(|index| (index * 7919 % 1009) as f32 / 1009.0).collect();
    let found = reduce(&gpu, hiz, lent, target, &told, &levels, &pyramid, &values);
    let oracle = Oracle { scheme: Scheme::Chained, reduction: Reduction::Min, texel: TexelFormat::Float32 };
    let depth = DepthValues { extent: EXTENT, samples: 1, layers: 1, values: &values };
    let expected: Vec<f32> =
        oracle.levels(&depth, [0, 0], EXTENT, 1, 5).into_iter().flat_map(|level| level.values).collect();
    assert_eq!(found, expected);

    // SAFETY: the device is done, and nothing is used afterwards.
    unsafe { texemu_hiz_target_destroy(target) };
    // SAFETY: as above.
    unsafe { texemu_hiz_destroy(hiz) };
    // SAFETY: as above.
    unsafe { texemu_gpu_destroy(lent) };
    drop(pyramid);
    assert_eq!(gpu.validation_log().messages(), Vec::<String>::new());
}

/// Uploads the depths, records the pyramid twice, the second time as after a submission that never came, and reads it back.
#[expect(clippy::too_many_arguments, reason = "all that a host has at hand")]
fn reduce(
    gpu: &Gpu,
    hiz: *const texemu_hiz,
    lent: *const texemu_gpu,
    target: *const texemu_hiz_target,
    told: &texemu_hiz_plan_info,
    levels: &[texemu_hiz_level],
    pyramid: &Image,
    values: &[f32],
) -> Vec<f32> {
    let source = image(
        gpu,
        vk::Format::R32_SFLOAT,
        1,
        EXTENT,
        vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST,
    );
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(1)
        .layer_count(1);
    let create = vk::ImageViewCreateInfo::default()
        .image(source.handle())
        .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
        .format(vk::Format::R32_SFLOAT)
        .subresource_range(range);
    // SAFETY: the image is of this device.
    let view = unsafe { gpu.device().create_image_view(&create, None) }.expect("a view");
    let buffer = |size, usage, location| {
        Buffer::new(gpu, &BufferDesc { name: "test", size, usage, location }).expect("a buffer")
    };
    let mut upload = buffer(values.len() as u64 * 4, vk::BufferUsageFlags::TRANSFER_SRC, Location::Upload);
    for (bytes, value) in upload.mapped_mut().expect("mapped").chunks_exact_mut(4).zip(values) {
        bytes.copy_from_slice(&value.to_ne_bytes());
    }
    let readback = buffer(told.bytes, vk::BufferUsageFlags::TRANSFER_DST, Location::Readback);
    let mut arena = null_mut();
    // SAFETY: both pointers are valid.
    good(unsafe { texemu_arena_create(lent, &mut arena) });
    let none = (S::TOP_OF_PIPE, A::empty(), L::UNDEFINED);
    let copied = (S::TRANSFER, A::TRANSFER_WRITE, L::TRANSFER_DST_OPTIMAL);
    let sampled = (told.depth_stages, told.depth_access, L::SHADER_READ_ONLY_OPTIMAL);
    let written = (told.level_stages, told.level_access, L::GENERAL);
    let read = (S::TRANSFER, A::TRANSFER_READ, L::TRANSFER_SRC_OPTIMAL);
    let depth = texemu_hiz_depth {
        struct_size: size_of::<texemu_hiz_depth>() as u32,
        layout: sampled.2,
        view,
        offset_x: 0,
        offset_y: 0,
    };
    let mut commands = Commands::new(gpu).expect("commands");
    for frame in 0..2 {
        commands
            .run(|commands| {
                transition(gpu, commands, &source, none, copied);
                let regions = [region(0, EXTENT, 0)];
                // SAFETY: the buffer holds every texel.
                unsafe {
                    gpu.device().cmd_copy_buffer_to_image(
                        commands,
                        upload.handle(),
                        source.handle(),
                        copied.2,
                        &regions,
                    )
                };
                transition(gpu, commands, &source, copied, sampled);
                transition(gpu, commands, pyramid, none, written);
                let outside = texemu_hiz_depth { offset_x: 1, ..depth };
                // SAFETY: recording; refused before anything is recorded.
                let refused = unsafe { texemu_hiz_record(hiz, commands, arena, target, &outside) };
                assert_eq!(refused.as_raw(), TEXEMU_ERROR_INVALID_ARGUMENT, "it leaves the image");
                // SAFETY: recording; everything outlives the commands, which are waited for.
                good(unsafe { texemu_hiz_record(hiz, commands, arena, target, &depth) });
                transition(gpu, commands, pyramid, written, read);
                let mut offset = 0;
                for (mip, level) in (0..).zip(levels) {
                    let regions = [region(mip, [level.width, level.height], offset)];
                    // SAFETY: the buffer has room for all levels.
                    unsafe {
                        gpu.device().cmd_copy_image_to_buffer(
                            commands,
                            pyramid.handle(),
                            read.2,
                            readback.handle(),
                            &regions,
                        )
                    };
                    offset += level.bytes;
                }
                let barriers = [vk::MemoryBarrier::default()
                    .src_access_mask(A::TRANSFER_WRITE)
                    .dst_access_mask(A::HOST_READ)];
                let flags = vk::DependencyFlags::empty();
                // SAFETY: recording.
                unsafe {
                    gpu.device().cmd_pipeline_barrier(
                        commands,
                        S::TRANSFER,
                        S::HOST,
                        flags,
                        &barriers,
                        &[],
                        &[],
                    )
                };
                Ok::<(), texemu_core::Error>(())
            })
            .expect("a submission");
        // SAFETY: `run` has waited.
        good(unsafe { texemu_arena_reset(arena) });
        if frame == 0 {
            // SAFETY: the target is valid.
            good(unsafe { texemu_hiz_target_invalidate(target) });
        }
    }
    // SAFETY: the device is done.
    unsafe { texemu_arena_destroy(arena) };
    // SAFETY: as above.
    unsafe { gpu.device().destroy_image_view(view, None) };
    let bytes = readback.mapped().expect("mapped").chunks_exact(4);
    bytes.map(|bytes| f32::from_ne_bytes(bytes.try_into().expect("four"))).collect()
}

#[test]
fn plans_refuse_what_contradicts_itself() {
    // SAFETY: the loader library is trusted to be a Vulkan loader.
    let entry = unsafe { Entry::load() }.expect("a Vulkan loader");
    let gpu = Gpu::open(&GpuDesc::default()).expect("the tests need a Vulkan device");
    let lent = lend(&gpu, &entry);
    let base = desc(texemu_hiz_scheme::EdgeTexel, 0);
    let invalid = TEXEMU_ERROR_INVALID_ARGUMENT;
    let cases = [
        (texemu_hiz_desc { scheme: 9, ..base }, invalid, "scheme is 9"),
        (texemu_hiz_desc { reduction: 3, ..base }, invalid, "reduction is 3"),
        (texemu_hiz_desc { texel: 2, ..base }, invalid, "texel is 2"),
        (texemu_hiz_desc { path: 7, ..base }, invalid, "path is 7"),
        (texemu_hiz_desc { width: 46, ..base }, invalid, "within the depth image"),
        (texemu_hiz_desc { source_width: 16_385, ..base }, invalid, "16384"),
        (texemu_hiz_desc { samples: 3, ..base }, invalid, "samples"),
        (texemu_hiz_desc { first_level: 7, ..base }, invalid, "first_level"),
        (texemu_hiz_desc { first_level: 2, copy_level_0: vk::TRUE, ..base }, invalid, "copy_level_0"),
        (texemu_hiz_desc { struct_size: 8, ..base }, invalid, "struct_size is 8"),
        (
            texemu_hiz_desc { path: texemu_hiz_path::SharedAtomic as u32, ..base },
            vk::Result::ERROR_FEATURE_NOT_PRESENT.as_raw(),
            "one level",
        ),
    ];
    for (desc, code, words) in cases {
        let (result, said) = plan(lent, &desc).expect_err(words);
        assert_eq!(result, code, "{words}: {said}");
        assert!(said.contains(words), "{words}: {said}");
    }
    // Level 0 and on, and one level alone.
    let copies = texemu_hiz_desc { copy_level_0: vk::TRUE, ..base };
    let one = texemu_hiz_desc { first_level: 3, last_level: 3, ..base };
    for (desc, levels) in [(copies, (0, 5)), (one, (3, 3))] {
        let plan = plan(lent, &desc).expect("a plan");
        let query = info(plan).query;
        assert_eq!((query.first_level, query.last_level), levels);
        // SAFETY: the plan is not used afterwards.
        unsafe { texemu_hiz_plan_destroy(plan) };
    }
    assert_eq!(texemu_hiz_reduction_of(9, 0), u32::MAX, "none of the values");
    // SAFETY: null is refused.
    assert_eq!(unsafe { texemu_hiz_plan_create(lent, null(), null_mut()) }.as_raw(), invalid);
    // SAFETY: nothing is used afterwards.
    unsafe { texemu_gpu_destroy(lent) };
}
