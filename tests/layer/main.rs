//! The loadable layer, through the real loader: an application that knows nothing of it uses every source format.

mod app;
mod aside;
mod below;
#[path = "../common/mod.rs"]
mod common;
mod copies;
mod device;
mod guest;
mod launch;
mod recorded;
mod state;
mod twin;
mod validate;

use common::compute::{BYTES, Compute};
use common::draw::View;
use common::texture::{COPY_DST, COPY_SRC, SAMPLE, TextureDesc, decode, host_barrier};
use guest::{Form, Guest, Picture, flat};
use launch::{below_validation, under_layer};
use texemu_core::vk;
use texemu_core::{Image, ImageDesc};
use texemu_format::{Codec, Format, by_name, sources};
use texemu_reference::blocks::Class;

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

/// Whether the device shows the format; one that lacks even the emulation's targets does not.
fn offered(guest: &Guest, format: &Format) -> bool {
    let raw = texemu_core::vk_format(format.vk);
    let gpu = &guest.gpu;
    // SAFETY: the physical device belongs to the instance.
    let properties =
        unsafe { gpu.instance().get_physical_device_format_properties(gpu.physical_device(), raw) };
    let offered = properties.optimal_tiling_features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE);
    if !offered {
        println!("skipped: {} is not offered on this device", format.name);
    }
    offered
}

/// Uploads, samples, copies to an image of the same kind, reads both back.
fn use_all(family: impl Fn(&Format) -> bool) {
    let guest = Guest::new();
    let mut tested = 0;
    for (index, format) in (0..).zip(sources().filter(|format| family(format))) {
        if !offered(&guest, format) {
            continue;
        }
        let desc = match index % 4 {
            0 | 1 => flat(format),
            2 => TextureDesc::new(format, View::Volume, [26, 15, 5], 2, 1),
            _ => TextureDesc::new(format, View::Cube, [23, 23, 1], 2, 6),
        };
        let form = if index % 2 == 0 { Form::First } else { Form::Second };
        let levels = desc.blocks(Class::Mixed, index);
        let (first, second) = (Picture::new(&guest, desc), Picture::new(&guest, desc));
        first.fill(&levels, form);
        first.check(&levels);
        second.copy_from(&first, form);
        second.check(&levels);
        assert!(first.read(form) == levels, "{}: the bytes come back", format.name);
        assert!(second.read(form) == levels, "{}: and from the copy", format.name);
        tested += 1;
    }
    println!("{tested} formats");
    assert!(tested > 0, "the layer offers some of them on every device");
}

#[test]
fn every_ldr_format_works_for_an_application_that_knows_nothing() {
    under_layer("every_ldr_format_works_for_an_application_that_knows_nothing", &[], || {
        use_all(|format| format.codec == Codec::AstcLdr);
    });
}

#[test]
fn every_hdr_format_works_too() {
    under_layer("every_hdr_format_works_too", &[], || use_all(|format| format.codec == Codec::AstcHdr));
}

#[test]
fn every_etc2_and_eac_format_works_too() {
    under_layer("every_etc2_and_eac_format_works_too", &[], || {
        use_all(|format| !matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr));
    });
}

#[test]
fn validation_above_the_layer_has_nothing_to_say_either() {
    below_validation("validation_above_the_layer_has_nothing_to_say_either", &[], || {
        use_all(|format| {
            ["ASTC_5x4_SRGB_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK", "EAC_R11G11_SNORM_BLOCK"]
                .contains(&format.name)
        });
    });
}

#[test]
fn blocks_pass_through_images_of_the_same_texel_size() {
    under_layer("blocks_pass_through_images_of_the_same_texel_size", &[], || {
        let guest = Guest::new();
        let pairs = [
            ("ASTC_4x4_UNORM_BLOCK", vk::Format::R32G32B32A32_UINT),
            ("ASTC_8x5_SRGB_BLOCK", vk::Format::R32G32B32A32_SFLOAT),
            ("ETC2_R8G8B8_UNORM_BLOCK", vk::Format::R32G32_UINT),
            ("EAC_R11_SNORM_BLOCK", vk::Format::R16G16B16A16_UINT),
        ];
        for (name, plain) in pairs {
            let desc = TextureDesc::new(format(name), View::Array, [40, 20, 1], 1, 1);
            let levels = desc.blocks(Class::Mixed, 3);
            let (first, second) = (Picture::new(&guest, desc), Picture::new(&guest, desc));
            first.fill(&levels, Form::First);
            let [columns, rows, _] = desc.format.blocks(desc.extent);
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(plain)
                .extent(vk::Extent3D { width: columns, height: rows, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
            let plain = Image::new(&guest.gpu, &ImageDesc { name: "plain", info }).expect("the image fits");
            let device = guest.gpu.device();
            let layers = desc.subresource(0, 0, 1);
            let copy = |[width, height, depth]: [u32; 3]| {
                [vk::ImageCopy::default()
                    .src_subresource(layers)
                    .dst_subresource(layers)
                    .extent(vk::Extent3D { width, height, depth })]
            };
            guest.run(|commands| {
                use common::texture::{UNDEFINED, barrier};
                first.enter(commands, COPY_SRC);
                barrier(&guest.gpu, commands, plain.handle(), UNDEFINED, COPY_DST);
                // The extent counts the source's texels, and the other image has one a block.
                let (src, dst) = (COPY_SRC.2, COPY_DST.2);
                let out = copy(desc.extent);
                // SAFETY: the images are alive and in place.
                unsafe { device.cmd_copy_image(commands, first.handle(), src, plain.handle(), dst, &out) };
                barrier(&guest.gpu, commands, plain.handle(), COPY_DST, COPY_SRC);
                second.enter(commands, COPY_DST);
                let back = copy([columns, rows, 1]);
                // SAFETY: as above.
                unsafe { device.cmd_copy_image(commands, plain.handle(), src, second.handle(), dst, &back) };
                second.enter(commands, SAMPLE);
            });
            second.check(&levels);
            assert!(second.read(Form::Second) == levels, "{name}: the bytes come back");
        }
    });
}

#[test]
fn blits_read_the_decoded_texels() {
    under_layer("blits_read_the_decoded_texels", &[], || {
        let guest = Guest::new();
        for form in [Form::First, Form::Second] {
            let desc = TextureDesc::new(format("ASTC_6x6_UNORM_BLOCK"), View::Array, [31, 17, 1], 1, 1);
            let levels = desc.blocks(Class::Mixed, 9);
            let picture = Picture::new(&guest, desc);
            picture.fill(&levels, Form::First);
            let rgba8 = TextureDesc::new(format("R8G8B8A8_UNORM"), View::Array, desc.extent, 1, 1);
            let target = Picture::new(&guest, rgba8);
            let device = guest.gpu.device();
            let layers = desc.subresource(0, 0, 1);
            let corners = [vk::Offset3D::default(), vk::Offset3D { x: 31, y: 17, z: 1 }];
            guest.run(|commands| {
                picture.enter(commands, COPY_SRC);
                target.enter(commands, COPY_DST);
                let (src, dst) = (picture.handle(), target.handle());
                match form {
                    Form::First => {
                        let blit = vk::ImageBlit {
                            src_subresource: layers,
                            src_offsets: corners,
                            dst_subresource: layers,
                            dst_offsets: corners,
                        };
                        let (from, to, filter) = (COPY_SRC.2, COPY_DST.2, vk::Filter::NEAREST);
                        // SAFETY: the images are alive and in place.
                        unsafe { device.cmd_blit_image(commands, src, from, dst, to, &[blit], filter) };
                    }
                    Form::Second => {
                        let regions = [vk::ImageBlit2::default()
                            .src_subresource(layers)
                            .src_offsets(corners)
                            .dst_subresource(layers)
                            .dst_offsets(corners)];
                        let info = vk::BlitImageInfo2::default()
                            .src_image(src)
                            .src_image_layout(COPY_SRC.2)
                            .dst_image(dst)
                            .dst_image_layout(COPY_DST.2)
                            .regions(&regions)
                            .filter(vk::Filter::NEAREST);
                        // SAFETY: as above.
                        unsafe { device.cmd_blit_image2(commands, &info) };
                    }
                }
            });
            let texels = decode(desc.format, &levels[0], desc.size(0));
            assert!(target.read(Form::First)[0] == texels, "{form:?}: the twin's texels");
        }
    });
}

#[test]
fn what_is_bound_for_compute_survives_a_copy() {
    under_layer("what_is_bound_for_compute_survives_a_copy", &[], || {
        let guest = Guest::new();
        let desc = TextureDesc::new(format("ASTC_5x4_UNORM_BLOCK"), View::Array, [25, 25, 1], 2, 1);
        let levels = desc.blocks(Class::Mixed, 6);
        let picture = Picture::new(&guest, desc);
        let buffer = guest.staging(&levels.concat());
        let compute = Compute::new(&guest.gpu, 4);
        let device = guest.gpu.device();
        let point = vk::PipelineBindPoint::COMPUTE;
        // Part 2 of the source into part 1 of the target.
        let offsets = [2 * BYTES as u32, BYTES as u32];
        let count = (BYTES as u32 / 16).to_ne_bytes();
        guest.run(|commands| {
            let (layout, sets) = (compute.layout, [compute.set]);
            // SAFETY: everything is alive and of one layout.
            unsafe { device.cmd_bind_pipeline(commands, point, compute.pipeline) };
            // SAFETY: as above.
            unsafe { device.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets, &offsets) };
            // SAFETY: as above.
            unsafe { device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &count) };
            picture.enter(commands, COPY_DST);
            let (source, regions) = (buffer.handle(), picture.whole());
            // SAFETY: image and buffer are alive and in place.
            unsafe {
                device.cmd_copy_buffer_to_image(commands, source, picture.handle(), COPY_DST.2, &regions);
            }
            picture.enter(commands, SAMPLE);
            // SAFETY: bound above.
            unsafe { compute.dispatch(commands) };
            let barriers = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
            let none = vk::DependencyFlags::empty();
            // SAFETY: recorded outside a render pass.
            unsafe { device.cmd_pipeline_barrier(commands, from, to, none, &barriers, &[], &[]) };
            host_barrier(&guest.gpu, commands);
        });
        let target = compute.target.mapped().expect("mapped");
        let part = BYTES as usize;
        assert!(target[..part].iter().all(|&byte| byte == 0), "part 0 was not written");
        assert!(target[part..2 * part].iter().all(|&byte| byte == 3), "part 1 holds part 2 of the source");
        assert!(target[2 * part..].iter().all(|&byte| byte == 0), "nothing else was written");
        picture.check(&levels);
    });
}

#[test]
fn tinted_views_read_full_red_and_the_other_channels_as_they_are() {
    let tint = [("TEXEMU_TINT", "true")];
    under_layer("tinted_views_read_full_red_and_the_other_channels_as_they_are", &tint, || {
        let guest = Guest::new();
        let desc = TextureDesc::new(format("ASTC_4x4_UNORM_BLOCK"), View::Array, [8, 8, 1], 1, 1);
        let levels = desc.blocks(Class::Legal, 2);
        let picture = Picture::new(&guest, desc);
        picture.fill(&levels, Form::First);
        let texels = decode(desc.format, &levels[0], desc.size(0));
        for (got, want) in picture.sample(0).iter().zip(texels.chunks_exact(4)) {
            let codes = got.map(|value| (value * 255.0).round() as u8);
            assert_eq!(codes, [255, want[1], want[2], want[3]]);
        }
    });
}
