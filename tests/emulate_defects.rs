//! What earlier emulations of these formats got wrong, one test each, as far as no other file has it. The table in
//! docs/emulated-image.md says which test holds which.

mod common;

use common::draw::{Shot, View};
use common::model::{Model, Part};
use common::plain::Plain;
use common::texture::{
    ALL, COPY_DST, COPY_SRC, Host, SAMPLE, Scope, Texture, TextureDesc, allocate, barrier, decode,
};
use common::{TestGpu, upload};
use texemu_core::vk;
use texemu_emulate::{Error, KeepBlocks, Queue, Settings, SourceAccess};
use texemu_format::{Format, by_name, sources};
use texemu_reference::blocks::Class;

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

/// Dispatches and blocks so far.
fn decoded(host: &Host) -> (u64, u64) {
    let statistics = host.emulator.statistics();
    let sum = |of: fn(&texemu_emulate::FormatStatistics) -> u64| statistics.formats.iter().map(of).sum();
    (sum(|one| one.dispatches), sum(|one| one.blocks))
}

#[test]
fn a_copy_for_a_queue_that_cannot_compute_is_decoded_on_one_that_can() {
    let settings = Settings { keep_blocks: KeepBlocks::Always, ..Settings::default() };
    let host = Host::new(&settings);
    let desc = TextureDesc::new(format("ASTC_6x5_SRGB_BLOCK"), View::Array, [44, 31, 1], 3, 2).sampled_only();
    let texture = Texture::new(&host, desc);
    let mut model = Model::new(desc, Class::Mixed, 1);
    texture.fill(&model.levels);
    let before = decoded(&host);
    let copies = [
        model.region(0, Part::Interior, (1, 1), Some([3, 5]), 16),
        model.region(2, Part::Whole, (0, 2), None, 4096),
    ];
    let bytes = model.buffer(&copies, Class::Mixed, 2);
    let buffer = upload(&host.gpu, &bytes);
    // Two command buffers, as for two queues.
    let mut recording = host.emulator.recording(Queue::TransferOnly);
    host.run(|commands, _| {
        texture.copy_in(commands, &mut recording, buffer.handle(), SourceAccess::TexelBuffer, &copies);
    });
    assert_eq!(decoded(&host), before, "a queue that cannot compute is given no dispatch");
    host.run(|commands, recording| {
        texture.enter(commands, COPY_DST);
        let range = vk::ImageSubresourceRange { base_mip_level: 0, level_count: 1, ..ALL };
        let last = vk::ImageSubresourceRange { base_mip_level: 2, ..ALL };
        for range in [range, last] {
            // SAFETY: the image is alive and in place.
            let emulated =
                unsafe { host.emulator.decode(commands, recording, texture.image, COPY_DST.2, &range) };
            assert!(emulated.expect("recorded"));
        }
        texture.enter(commands, SAMPLE);
    });
    model.apply(&copies, &bytes);
    texture.check(&model.levels);
    assert_eq!(host.emulator.statistics().formats[0].deferred, 1, "and the statistics tell");
    // SAFETY: every run was waited for.
    unsafe { host.emulator.recycle(recording) }.expect("recycled");
}

#[test]
fn a_copy_for_such_a_queue_is_refused_where_blocks_are_not_kept() {
    let host = Host::new(&Settings::default());
    let desc =
        TextureDesc::new(format("ASTC_4x4_UNORM_BLOCK"), View::Array, [16, 16, 1], 1, 1).sampled_only();
    let texture = Texture::new(&host, desc);
    let buffer = upload(&host.gpu, &desc.blocks(Class::Legal, 1)[0]);
    let mut recording = host.emulator.recording(Queue::TransferOnly);
    host.run(|commands, _| {
        let (emulator, access) = (&host.emulator, SourceAccess::TexelBuffer);
        let (buffer, region) = (buffer.handle(), [desc.whole(0, 0)]);
        let image = texture.image;
        // SAFETY: refused before anything is recorded.
        let error = unsafe {
            emulator.copy_buffer_to_image(
                commands,
                &mut recording,
                buffer,
                access,
                image,
                COPY_DST.2,
                &region,
            )
        };
        let error = error.expect_err("there is nowhere to put the blocks");
        assert!(error.to_string().contains("keep_blocks"), "{error}");
    });
    // SAFETY: nothing was recorded.
    unsafe { host.emulator.recycle(recording) }.expect("recycled");
}

#[test]
fn barriers_and_reads_decode_nothing() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ETC2_R8G8B8A1_SRGB_BLOCK"), View::Array, [32, 32, 1], 4, 2);
    let texture = Texture::new(&host, desc);
    let model = Model::new(desc, Class::Mixed, 3);
    texture.fill(&model.levels);
    let before = decoded(&host);
    let general: Scope = (SAMPLE.0, SAMPLE.1, vk::ImageLayout::GENERAL);
    host.run(|commands, _| {
        for scope in [COPY_SRC, SAMPLE, general, SAMPLE, COPY_SRC, general, COPY_DST, SAMPLE] {
            texture.enter(commands, scope);
        }
        // An ownership transfer, as far as one family can show it: release and acquire name families.
        let transfer = |from: Scope, to: Scope| {
            let family = host.gpu.queue_family();
            let barriers = [vk::ImageMemoryBarrier::default()
                .src_queue_family_index(family)
                .dst_queue_family_index(family)
                .image(texture.image)
                .subresource_range(ALL)
                .src_access_mask(from.1)
                .dst_access_mask(to.1)
                .old_layout(from.2)
                .new_layout(to.2)];
            let none = vk::DependencyFlags::empty();
            // SAFETY: the image is alive; recorded outside a render pass.
            unsafe {
                host.gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, none, &[], &[], &barriers);
            }
        };
        transfer(SAMPLE, COPY_SRC);
        transfer(COPY_SRC, SAMPLE);
    });
    assert!(texture.blocks() == model.levels);
    texture.check(&model.levels);
    assert_eq!(decoded(&host), before, "decoding follows copies and nothing else");
}

#[test]
fn a_small_update_decodes_its_own_blocks_alone() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_8x8_SRGB_BLOCK"), View::Array, [256, 256, 1], 1, 4);
    let texture = Texture::new(&host, desc);
    let mut model = Model::new(desc, Class::Legal, 4);
    texture.fill(&model.levels);
    let (dispatches, blocks) = decoded(&host);
    let copy = model.blocks_region(0, [7, 9, 2], [1, 1, 1], None, 0);
    let bytes = model.buffer(&[copy], Class::Legal, 5);
    let buffer = upload(&host.gpu, &bytes);
    host.run(|commands, recording| {
        texture.copy_in(commands, recording, buffer.handle(), SourceAccess::TexelBuffer, &[copy]);
    });
    assert_eq!(decoded(&host), (dispatches + 1, blocks + 1), "one block of 4096");
    model.apply(&[copy], &bytes);
    texture.check(&model.levels);
}

#[test]
fn other_layers_keep_their_layout_and_content_during_a_copy() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_5x5_UNORM_BLOCK"), View::Array, [20, 20, 1], 1, 6);
    let texture = Texture::new(&host, desc);
    let mut model = Model::new(desc, Class::Legal, 6);
    texture.fill(&model.levels);
    // Layers 0 and 5 are copied to; those between stay readable, in their own layout.
    let copies =
        [model.region(0, Part::Whole, (0, 1), None, 0), model.region(0, Part::Whole, (5, 1), None, 1024)];
    let bytes = model.buffer(&copies, Class::Legal, 7);
    let buffer = upload(&host.gpu, &bytes);
    host.run(|commands, recording| {
        let layer = |layer: u32, from: Scope, to: Scope| {
            let range = vk::ImageSubresourceRange { base_array_layer: layer, layer_count: 1, ..ALL };
            let barriers = [vk::ImageMemoryBarrier::default()
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(texture.image)
                .subresource_range(range)
                .src_access_mask(from.1)
                .dst_access_mask(to.1)
                .old_layout(from.2)
                .new_layout(to.2)];
            let none = vk::DependencyFlags::empty();
            // SAFETY: the image is alive; recorded outside a render pass.
            unsafe {
                host.gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, none, &[], &[], &barriers);
            }
        };
        layer(0, SAMPLE, COPY_DST);
        layer(5, SAMPLE, COPY_DST);
        let (emulator, access, image) = (&host.emulator, SourceAccess::TexelBuffer, texture.image);
        let (buffer, layout) = (buffer.handle(), COPY_DST.2);
        // SAFETY: image and buffer are alive and in place.
        unsafe { emulator.copy_buffer_to_image(commands, recording, buffer, access, image, layout, &copies) }
            .expect("recorded");
        layer(0, COPY_DST, SAMPLE);
        layer(5, COPY_DST, SAMPLE);
    });
    model.apply(&copies, &bytes);
    texture.check(&model.levels);
}

#[test]
fn requirements_beyond_4_gib_do_not_wrap() {
    let host = Host::new(&Settings::default());
    let astc = format("ASTC_4x4_UNORM_BLOCK");
    let (ty, tiling) = (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL);
    let usage = TextureDesc::new(astc, View::Array, [1; 3], 1, 1).usage;
    let limits = host.emulator.offer().image_format_properties(
        texemu_core::vk_format(astc.vk),
        ty,
        tiling,
        usage,
        vk::ImageCreateFlags::empty(),
    );
    let limits = limits.expect("answered").expect("offered");
    // As many texels as one image may have; the blocks behind them lead beyond 32 bits.
    let side = 8192;
    let texels = u64::from(side) * u64::from(side);
    let layers = (limits.max_resource_size / (texels * 4)).min(20) as u32;
    if layers > limits.max_array_layers || texels * u64::from(layers) * 5 <= 4 << 30 {
        println!("skipped: this device has no such images");
        return;
    }
    let desc = TextureDesc::new(astc, View::Array, [side, side, 1], 1, layers);
    let info = desc.info();
    let before = vk::DeviceImageMemoryRequirements::default().create_info(&info);
    let mut requirements = vk::MemoryRequirements2::default();
    // SAFETY: one structure each.
    match unsafe { host.emulator.device_image_memory_requirements(&before, &mut requirements) } {
        Ok(emulated) => {
            assert!(emulated);
            let bytes = texels * u64::from(layers);
            assert!(
                requirements.memory_requirements.size >= bytes * 4 + bytes,
                "{} bytes for texels of {} and blocks of {}",
                requirements.memory_requirements.size,
                bytes * 4,
                bytes
            );
        }
        // A device may refuse; what it may not is promise too little.
        Err(error) => {
            assert_eq!(error.vk_result(), vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, "{error}");
            println!("skipped: this device refuses an image of {side} x {side} x {layers}");
        }
    }
}

#[test]
fn nothing_is_left_behind_on_the_device() {
    // The device is destroyed at the end, and the validation layer names what was not.
    let host = Host::new(&Settings { timing: true, ..Settings::default() });
    for round in 0..20 {
        for name in ["ASTC_10x5_UNORM_BLOCK", "EAC_R11_UNORM_BLOCK"] {
            let desc = TextureDesc::new(format(name), View::Array, [30, 30, 1], 2, 1);
            let texture = Texture::new(&host, desc);
            let levels = desc.blocks(Class::Legal, round);
            texture.fill(&levels);
            texture.check(&levels);
        }
    }
    assert_eq!(host.emulator.statistics().bytes, 0);
}

#[test]
fn cubes_of_footprints_that_are_not_square() {
    let host = Host::new(&Settings::default());
    for format in sources().filter(|format| format.footprint[0] != format.footprint[1]).step_by(4) {
        if !host.emulator.offer().emulates(texemu_core::vk_format(format.vk)) {
            continue;
        }
        let desc = TextureDesc::new(format, View::Cube, [40, 40, 1], 6, 6);
        let texture = Texture::new(&host, desc);
        let levels = desc.blocks(Class::Legal, 8);
        texture.fill(&levels);
        texture.check(&levels);
        assert!(texture.blocks() == levels, "{}", format.name);
    }
}

#[test]
fn volumes_decode_every_slice_of_every_level() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_6x6_SRGB_BLOCK"), View::Volume, [19, 14, 16], 5, 1);
    let texture = Texture::new(&host, desc);
    let mut model = Model::new(desc, Class::Legal, 9);
    texture.fill(&model.levels);
    texture.check(&model.levels);
    // Slices in the middle of a level, several at once.
    let copy = model.region(0, Part::Interior, (5, 7), Some([6, 6]), 32);
    let bytes = model.buffer(&[copy], Class::Legal, 10);
    let buffer = upload(&host.gpu, &bytes);
    host.run(|commands, recording| {
        texture.copy_in(commands, recording, buffer.handle(), SourceAccess::TexelBuffer, &[copy]);
    });
    model.apply(&[copy], &bytes);
    texture.check(&model.levels);
    assert!(texture.blocks() == model.levels);
}

#[test]
fn format_lists_and_view_usages_are_rewritten_and_the_callers_stay() {
    let host = Host::new(&Settings::default());
    let (unorm, srgb) = (format("ASTC_8x5_UNORM_BLOCK"), format("ASTC_8x5_SRGB_BLOCK"));
    let desc = TextureDesc {
        flags: vk::ImageCreateFlags::MUTABLE_FORMAT,
        ..TextureDesc::new(srgb, View::Array, [24, 20, 1], 1, 1)
    };
    let formats = [vk::Format::ASTC_8X5_SRGB_BLOCK, vk::Format::ASTC_8X5_UNORM_BLOCK];
    let mut stencil = vk::ImageStencilUsageCreateInfo::default().stencil_usage(vk::ImageUsageFlags::SAMPLED);
    let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
    let info = desc.info().push_next(&mut list).push_next(&mut stencil);
    let texture = Texture::with_info(&host, desc, &info);
    let levels = desc.blocks(Class::Legal, 11);
    texture.fill(&levels);
    texture.check(&levels);
    let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::SAMPLED);
    let info = vk::ImageViewCreateInfo::default()
        .image(texture.image)
        .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
        .format(texemu_core::vk_format(unorm.vk))
        .subresource_range(ALL)
        .push_next(&mut usage);
    // SAFETY: the image is alive and bound.
    let view = unsafe { host.emulator.create_image_view(&info, None) }.expect("a view").expect("emulated");
    let shot =
        Shot { view, kind: View::Array, layout: SAMPLE.2, level: 0, size: desc.size(0), origin: [0.0; 2] };
    let expected = decode(srgb, &levels[0], desc.size(0));
    for (texel, codes) in host.draw.sample(&shot).iter().zip(expected.chunks_exact(4)) {
        assert_eq!(texel.map(|value| (value * 255.0).round() as u8), codes, "the codes as they are");
    }
    // SAFETY: the draw was waited for.
    unsafe { host.gpu.device().destroy_image_view(view, None) };
    assert_eq!((list.view_format_count, list.p_view_formats), (2, formats.as_ptr()), "the list is as it was");
    assert_eq!(usage.usage, vk::ImageUsageFlags::SAMPLED);
}

#[test]
fn views_that_cannot_be_right_are_refused() {
    let host = Host::new(&Settings::default());
    let flags = vk::ImageCreateFlags::MUTABLE_FORMAT;
    for (name, view) in [
        ("ASTC_4x4_UNORM_BLOCK", vk::Format::R32G32B32A32_UINT),
        ("ASTC_4x4_UNORM_BLOCK", vk::Format::ASTC_5X4_UNORM_BLOCK),
        ("ASTC_4x4_UNORM_BLOCK", vk::Format::ASTC_4X4_SFLOAT_BLOCK),
        ("EAC_R11_UNORM_BLOCK", vk::Format::EAC_R11_SNORM_BLOCK),
        ("ETC2_R8G8B8_UNORM_BLOCK", vk::Format::ETC2_R8G8B8A1_UNORM_BLOCK),
    ] {
        let desc = TextureDesc { flags, ..TextureDesc::new(format(name), View::Array, [16, 16, 1], 1, 1) };
        let texture = Texture::new(&host, desc);
        let info = vk::ImageViewCreateInfo::default()
            .image(texture.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(view)
            .subresource_range(vk::ImageSubresourceRange { layer_count: 1, level_count: 1, ..ALL });
        // SAFETY: refused before a driver sees it.
        let error = unsafe { host.emulator.create_image_view(&info, None) }.expect_err("refused");
        assert!(matches!(error, Error::Unsupported { .. }), "{name} as {view:?}: {error}");
    }
}

#[test]
fn an_application_may_ask_for_a_dedicated_allocation() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_10x10_SRGB_BLOCK"), View::Array, [60, 40, 1], 2, 1);
    // SAFETY: the structure is valid.
    let image =
        unsafe { host.emulator.create_image(&desc.info(), None) }.expect("created").expect("emulated");
    let mut dedicated = vk::MemoryDedicatedRequirements::default();
    let mut requirements = vk::MemoryRequirements2::default().push_next(&mut dedicated);
    let info = vk::ImageMemoryRequirementsInfo2::default().image(image);
    // SAFETY: both chains were just built.
    assert!(unsafe { host.emulator.image_memory_requirements2(&info, &mut requirements) });
    let requirements = requirements.memory_requirements;
    assert_eq!(
        (dedicated.prefers_dedicated_allocation, dedicated.requires_dedicated_allocation),
        (vk::FALSE, vk::FALSE),
        "two resources share the memory"
    );
    let plain = host.emulator.image_memory_requirements(image).expect("emulated");
    assert_eq!((plain.size, plain.alignment), (requirements.size, requirements.alignment));
    // The application asks for one all the same.
    let mut flags = vk::MemoryAllocateFlagsInfo::default();
    let mut wish = vk::MemoryDedicatedAllocateInfo::default().image(image);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(requirements.size)
        .memory_type_index(requirements.memory_type_bits.trailing_zeros())
        .push_next(&mut wish)
        .push_next(&mut flags);
    // SAFETY: the structure lives on.
    let mut changed = unsafe { host.emulator.memory_allocate_info(&info) }.expect("it has to change");
    // SAFETY: the type is among those that fit.
    let memory = unsafe { host.gpu.device().allocate_memory(&changed.get(), None) }.expect("memory");
    let infos = [vk::BindImageMemoryInfo::default().image(image).memory(memory)];
    // SAFETY: the memory meets the requirements.
    unsafe { host.emulator.bind_image_memory2(&infos) }.expect("bound");
    assert_eq!(wish.image, image, "the application's structure is as it was");
    // SAFETY: never used.
    unsafe { host.emulator.destroy_image(image, None) };
    // SAFETY: nothing is bound to it any more.
    unsafe { host.gpu.device().free_memory(memory, None) };
}

#[test]
fn requirements_are_known_before_creation() {
    let host = Host::new(&Settings::default());
    for (name, sampled_only) in [("ASTC_6x6_UNORM_BLOCK", false), ("EAC_R11G11_UNORM_BLOCK", true)] {
        let mut desc = TextureDesc::new(format(name), View::Array, [133, 77, 1], 8, 3);
        if sampled_only {
            desc = desc.sampled_only();
        }
        let info = desc.info();
        let before = vk::DeviceImageMemoryRequirements::default().create_info(&info);
        let mut promised = vk::MemoryRequirements2::default();
        // SAFETY: one structure each.
        let emulated = unsafe { host.emulator.device_image_memory_requirements(&before, &mut promised) };
        assert!(emulated.expect("answered"));
        let texture = Texture::new(&host, desc);
        let needed = host.emulator.image_memory_requirements(texture.image).expect("emulated");
        let promised = promised.memory_requirements;
        assert_eq!(
            (promised.size, promised.alignment, promised.memory_type_bits),
            (needed.size, needed.alignment, needed.memory_type_bits),
            "{name}"
        );
        let report = host.emulator.describe(texture.image).expect("emulated");
        assert_eq!(
            report.compressed_bytes == 0,
            sampled_only,
            "{name}: blocks are kept where they can be read"
        );
    }
    let info = vk::ImageCreateInfo::default().format(vk::Format::R8G8B8A8_UNORM);
    let before = vk::DeviceImageMemoryRequirements::default().create_info(&info);
    let mut untouched = vk::MemoryRequirements2::default();
    // SAFETY: nothing is done for formats that are not emulated.
    let emulated = unsafe { host.emulator.device_image_memory_requirements(&before, &mut untouched) };
    assert!(!emulated.expect("no error"), "the driver's to answer");
}

#[test]
fn images_are_bound_together_with_others() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ETC2_R8G8B8A8_SRGB_BLOCK"), View::Array, [40, 40, 1], 1, 1);
    // SAFETY: the structure is valid.
    let image =
        unsafe { host.emulator.create_image(&desc.info(), None) }.expect("created").expect("emulated");
    let info = vk::ImageCreateInfo { format: vk::Format::R8G8B8A8_UNORM, ..desc.info() };
    // SAFETY: the structure is valid.
    let other = unsafe { host.gpu.device().create_image(&info, None) }.expect("created");
    let needed = host.emulator.image_memory_requirements(image).expect("emulated");
    // SAFETY: just created.
    let others = unsafe { host.gpu.device().get_image_memory_requirements(other) };
    // One allocation for both, the emulated one in the middle of it.
    let offset = others.size.next_multiple_of(needed.alignment);
    let joined = vk::MemoryRequirements {
        size: offset + needed.size,
        alignment: needed.alignment.max(others.alignment),
        memory_type_bits: needed.memory_type_bits & others.memory_type_bits,
    };
    let memory = allocate(&host.gpu, joined, 0);
    let infos = [
        vk::BindImageMemoryInfo::default().image(other).memory(memory),
        vk::BindImageMemoryInfo::default().image(image).memory(memory).memory_offset(offset),
    ];
    // SAFETY: the memory holds both.
    unsafe { host.emulator.bind_image_memory2(&infos) }.expect("bound");
    let levels = desc.blocks(Class::Legal, 12);
    let buffer = upload(&host.gpu, &levels[0]);
    host.run(|commands, recording| {
        barrier(&host.gpu, commands, image, common::texture::UNDEFINED, COPY_DST);
        let (emulator, access) = (&host.emulator, SourceAccess::TexelBuffer);
        let (buffer, region) = (buffer.handle(), [desc.whole(0, 0)]);
        // SAFETY: image and buffer are alive and in place.
        unsafe {
            emulator.copy_buffer_to_image(commands, recording, buffer, access, image, COPY_DST.2, &region)
        }
        .expect("recorded");
    });
    // SAFETY: every run was waited for; the image was never bound elsewhere.
    unsafe { host.emulator.retire_image(image, 5) };
    assert!(!host.emulator.is_emulated(image), "retired images are unknown");
    // SAFETY: the device has done all of it.
    assert_eq!(unsafe { host.emulator.collect(4) }, 1, "not yet");
    // SAFETY: as above.
    assert_eq!(unsafe { host.emulator.collect(5) }, 0, "now it is gone");
    // SAFETY: never used.
    unsafe { host.gpu.device().destroy_image(other, None) };
    // SAFETY: nothing is bound to it any more.
    unsafe { host.gpu.device().free_memory(memory, None) };
}

#[test]
fn an_unbound_or_unknown_image_is_an_error_and_no_crash() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_4x4_UNORM_BLOCK"), View::Array, [16, 16, 1], 1, 1);
    // SAFETY: the structure is valid.
    let image =
        unsafe { host.emulator.create_image(&desc.info(), None) }.expect("created").expect("emulated");
    let buffer = upload(&host.gpu, &desc.blocks(Class::Legal, 1)[0]);
    let plain = Plain::new(&host, vk::Format::R32G32B32A32_UINT, [1, 1], 16, [4, 4, 1], false);
    host.emulator.forget_image(plain.image.handle());
    let texture = Texture::new(&host, desc);
    host.run(|commands, recording| {
        let (emulator, access, region) = (&host.emulator, SourceAccess::TexelBuffer, [desc.whole(0, 0)]);
        let (source, layout) = (buffer.handle(), COPY_DST.2);
        // SAFETY: refused before anything is recorded.
        let unbound = unsafe {
            emulator.copy_buffer_to_image(commands, recording, source, access, image, layout, &region)
        };
        assert!(matches!(unbound, Err(Error::Unbound(_))), "{unbound:?}");
        let mut outside = region;
        outside[0].image_offset.x = 4;
        // SAFETY: refused before anything is recorded.
        let outside = unsafe {
            let image = texture.image;
            emulator.copy_buffer_to_image(commands, recording, source, access, image, layout, &outside)
        };
        assert!(matches!(outside, Err(Error::Unsupported { .. })), "{outside:?}");
        let pair = texemu_emulate::ImagePair {
            src: plain.image.handle(),
            src_layout: COPY_SRC.2,
            dst: texture.image,
            dst_layout: layout,
        };
        let copy = vk::ImageCopy {
            src_subresource: desc.subresource(0, 0, 1),
            dst_subresource: desc.subresource(0, 0, 1),
            extent: vk::Extent3D { width: 4, height: 4, depth: 1 },
            ..Default::default()
        };
        // SAFETY: refused before anything is recorded.
        let unknown = unsafe { emulator.copy_image(commands, recording, pair, &[copy]) };
        assert!(matches!(unknown, Err(Error::UnknownImage(_))), "{unknown:?}");
    });
    // SAFETY: never used.
    unsafe { host.emulator.destroy_image(image, None) };
}

#[test]
fn the_weakest_device_decodes_as_well() {
    // No optional feature, no push descriptors.
    let host = Host::on(TestGpu::baseline(), &Settings::default());
    for name in ["ASTC_8x6_SRGB_BLOCK", "ETC2_R8G8B8A8_UNORM_BLOCK"] {
        let desc = TextureDesc::new(format(name), View::Array, [50, 41, 1], 3, 2);
        let texture = Texture::new(&host, desc);
        let levels = desc.blocks(Class::Mixed, 13);
        texture.fill(&levels);
        texture.check(&levels);
        assert!(texture.blocks() == levels, "{name}");
    }
}
