//! Command buffers that are executed, reset, thrown away, begun again; and commands that are left out.

use crate::app::{App, Texture, Wish};
use crate::common::draw::View;
use crate::common::texture::{
    COPY_DST, COPY_SRC, SAMPLE, TextureDesc, UNDEFINED, barrier, decode, host_barrier,
};
use crate::format;
use crate::launch::{own_file, under_validation};
use crate::validate::numbers;
use std::sync::Mutex;
use texemu_core::vk;
use texemu_core::{Buffer, BufferDesc, Image, ImageDesc, Location};

const PLAIN: Wish<'_> = Wish { extensions: &[], features: std::ptr::null() };

fn desc() -> TextureDesc {
    TextureDesc::new(format("ETC2_R8G8B8A1_UNORM_BLOCK"), View::Array, [25, 25, 1], 2, 1)
}

#[test]
fn secondary_command_buffers_hold_copies() {
    let test = "recorded::secondary_command_buffers_hold_copies";
    let file = own_file(test, "statistics.json");
    let settings = [("TEXEMU_VALIDATE", "1"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    under_validation(test, &settings, || {
        let app = App::new(&PLAIN).expect("no extension is asked for");
        let textures = [Texture::new(&app, desc()), Texture::new(&app, desc())];
        let secondary = textures.each_ref().map(|texture| {
            let commands = app.commands(vk::CommandBufferLevel::SECONDARY);
            app.record(commands, |commands| texture.copy(commands));
            commands
        });
        app.run(|commands| {
            // SAFETY: recorded above.
            unsafe { app.device.cmd_execute_commands(commands, &secondary) };
        });
        // SAFETY: they were waited for.
        unsafe { app.device.free_command_buffers(app.pool, &secondary) };
    });
    if std::env::var_os("TEXEMU_LAYER_TEST").is_none() {
        assert_eq!((numbers(&file, "compared"), numbers(&file, "different")), (vec![4], vec![0]));
    }
}

#[test]
fn what_never_runs_is_taken_back() {
    let test = "recorded::what_never_runs_is_taken_back";
    let file = own_file(test, "statistics.json");
    let settings = [("TEXEMU_VALIDATE", "1"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    under_validation(test, &settings, || {
        let app = App::new(&PLAIN).expect("no extension is asked for");
        let texture = Texture::new(&app, desc());
        let device = &app.device;
        let commands = app.commands(vk::CommandBufferLevel::PRIMARY);
        let copy = |commands| texture.copy(commands);
        // Begun again, reset, reset with its pool, freed; each time with a copy that does not run.
        app.record(commands, copy);
        app.record(commands, copy);
        let none = vk::CommandBufferResetFlags::empty();
        // SAFETY: not submitted.
        unsafe { device.reset_command_buffer(commands, none) }.expect("reset");
        app.record(commands, copy);
        // SAFETY: as above.
        unsafe { device.reset_command_pool(app.pool, vk::CommandPoolResetFlags::RELEASE_RESOURCES) }
            .expect("reset");
        app.record(commands, copy);
        // SAFETY: as above.
        unsafe { device.free_command_buffers(app.pool, &[commands]) };
        // Submitted often: what ran last is compared.
        let commands = app.commands(vk::CommandBufferLevel::PRIMARY);
        app.record(commands, copy);
        app.submit(commands);
        app.submit(commands);
        // Destroyed with its pool, in a pool of its own.
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_command_pool(&info, None) }.expect("a pool");
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: the pool is alive.
        let other = unsafe { device.allocate_command_buffers(&info) }.expect("a command buffer")[0];
        app.record(other, copy);
        app.submit(other);
        // SAFETY: it was waited for.
        unsafe { device.destroy_command_pool(pool, None) };
    });
    if std::env::var_os("TEXEMU_LAYER_TEST").is_none() {
        let counts = (numbers(&file, "compared"), numbers(&file, "different"));
        assert_eq!(counts, (vec![4], vec![0]), "two levels, of two command buffers that ran");
    }
}

/// An image that is not emulated.
fn plain(app: &App, extent: [u32; 3], samples: vk::SampleCountFlags) -> Image {
    let usage = vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width: extent[0], height: extent[1], depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(samples)
        .usage(usage);
    Image::new(&app.gpu, &ImageDesc { name: "plain", info }).expect("the image fits")
}

/// What a copy of an image's first level holds.
fn read(app: &App, image: vk::Image, desc: &TextureDesc, bytes: u64) -> Vec<u8> {
    let usage = vk::BufferUsageFlags::TRANSFER_DST;
    let info = BufferDesc { name: "read back", size: bytes, usage, location: Location::Readback };
    let buffer = Buffer::new(&app.gpu, &info).expect("the buffer fits");
    app.run(|commands| {
        let (device, layout) = (&app.device, COPY_SRC.2);
        // SAFETY: the image is alive and in place.
        unsafe {
            let regions = [desc.whole(0, 0)];
            device.cmd_copy_image_to_buffer(commands, image, layout, buffer.handle(), &regions);
        }
        host_barrier(&app.gpu, commands);
    });
    buffer.mapped().expect("mapped").to_vec()
}

#[test]
fn what_may_not_write_to_compressed_images_is_left_out() {
    // It is told as errors, which this test provokes.
    let quiet = [("TEXEMU_LOG_LEVEL", "off")];
    under_validation("recorded::what_may_not_write_to_compressed_images_is_left_out", &quiet, || {
        let app = App::new(&PLAIN).expect("no extension is asked for");
        let desc = TextureDesc::new(format("ASTC_4x4_UNORM_BLOCK"), View::Array, [24, 20, 1], 1, 1);
        let texture = Texture::new(&app, desc);
        let [one, many] = [vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_4];
        let (source, multisampled) = (plain(&app, desc.extent, one), plain(&app, desc.extent, many));
        let target = plain(&app, desc.extent, one);
        let (device, gpu, image) = (&app.device, &app.gpu, texture.image.handle());
        let layers = desc.subresource(0, 0, 1);
        let corners = [vk::Offset3D::default(), vk::Offset3D { x: 24, y: 20, z: 1 }];
        let extent = vk::Extent3D { width: 24, height: 20, depth: 1 };
        let color = |value| vk::ClearColorValue { float32: [value; 4] };
        let range = [vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1)];
        let (from, to) = (COPY_SRC.2, COPY_DST.2);
        app.run(|commands| {
            texture.copy(commands);
            barrier(gpu, commands, image, SAMPLE, COPY_DST);
            for plain in [&source, &multisampled, &target] {
                barrier(gpu, commands, plain.handle(), UNDEFINED, COPY_DST);
                // SAFETY: the image is alive and in place.
                unsafe {
                    device.cmd_clear_color_image(commands, plain.handle(), to, &color(0.2), &range);
                }
            }
            for plain in [&source, &multisampled] {
                barrier(gpu, commands, plain.handle(), COPY_DST, COPY_SRC);
            }
            // SAFETY: none of this may be done to a compressed image, and the layer leaves it out.
            unsafe { device.cmd_clear_color_image(commands, image, to, &color(1.0), &range) };
            let blit = [vk::ImageBlit {
                src_subresource: layers,
                src_offsets: corners,
                dst_subresource: layers,
                dst_offsets: corners,
            }];
            let nearest = vk::Filter::NEAREST;
            // SAFETY: as above.
            unsafe { device.cmd_blit_image(commands, source.handle(), from, image, to, &blit, nearest) };
            let regions = [vk::ImageBlit2::default()
                .src_subresource(layers)
                .src_offsets(corners)
                .dst_subresource(layers)
                .dst_offsets(corners)];
            let info = vk::BlitImageInfo2::default()
                .src_image(source.handle())
                .src_image_layout(from)
                .dst_image(image)
                .dst_image_layout(to)
                .regions(&regions)
                .filter(nearest);
            // SAFETY: as above.
            unsafe { device.cmd_blit_image2(commands, &info) };
            let resolve = [vk::ImageResolve {
                src_subresource: layers,
                dst_subresource: layers,
                extent,
                ..Default::default()
            }];
            // SAFETY: as above.
            unsafe {
                device.cmd_resolve_image(commands, multisampled.handle(), from, image, to, &resolve);
            }
            let regions =
                [vk::ImageResolve2::default().src_subresource(layers).dst_subresource(layers).extent(extent)];
            let info = vk::ResolveImageInfo2::default()
                .src_image(multisampled.handle())
                .src_image_layout(from)
                .dst_image(image)
                .dst_image_layout(to)
                .regions(&regions);
            // SAFETY: as above.
            unsafe { device.cmd_resolve_image2(commands, &info) };
            // What is not compressed is resolved.
            barrier(gpu, commands, target.handle(), COPY_DST, COPY_DST);
            // SAFETY: the images are alive and in place.
            unsafe { device.cmd_resolve_image2(commands, &info.dst_image(target.handle())) };
            barrier(gpu, commands, target.handle(), COPY_DST, COPY_SRC);
            barrier(gpu, commands, image, COPY_DST, COPY_SRC);
        });
        let bytes = texture.levels[0].len() as u64;
        assert!(read(&app, image, &desc, bytes) == texture.levels[0], "the blocks are what they were");
        let resolved = read(&app, target.handle(), &desc, 24 * 20 * 4);
        assert!(resolved.iter().all(|&byte| byte == 51), "0.2 everywhere");
        // The texels too.
        app.run(|commands| {
            barrier(gpu, commands, target.handle(), COPY_SRC, COPY_DST);
            let blit = [vk::ImageBlit {
                src_subresource: layers,
                src_offsets: corners,
                dst_subresource: layers,
                dst_offsets: corners,
            }];
            let nearest = vk::Filter::NEAREST;
            // SAFETY: the images are alive and in place.
            unsafe { device.cmd_blit_image(commands, image, from, target.handle(), to, &blit, nearest) };
            barrier(gpu, commands, target.handle(), COPY_DST, COPY_SRC);
        });
        let texels = decode(desc.format, &texture.levels[0], desc.size(0));
        assert!(read(&app, target.handle(), &desc, 24 * 20 * 4) == texels, "and so are the texels");
    });
}

#[test]
fn many_threads_record_at_once() {
    let test = "recorded::many_threads_record_at_once";
    let file = own_file(test, "statistics.json");
    let settings = [("TEXEMU_VALIDATE", "1"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    under_validation(test, &settings, || {
        let app = App::new(&PLAIN).expect("no extension is asked for");
        let device = &app.device;
        let queue = Mutex::new(());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let info = vk::CommandPoolCreateInfo::default();
                    // SAFETY: the device is alive.
                    let pool = unsafe { device.create_command_pool(&info, None) }.expect("a pool");
                    for _ in 0..5 {
                        // Images come and go while others are copied to.
                        let textures = [Texture::new(&app, desc()), Texture::new(&app, desc())];
                        let info = vk::CommandBufferAllocateInfo::default()
                            .command_pool(pool)
                            .command_buffer_count(2);
                        // SAFETY: the pool is this thread's.
                        let both =
                            unsafe { device.allocate_command_buffers(&info) }.expect("command buffers");
                        for (&commands, texture) in both.iter().zip(&textures) {
                            app.record(commands, |commands| texture.copy(commands));
                        }
                        for &commands in &both {
                            let _guard = queue.lock().expect("no thread panics");
                            app.submit(commands);
                        }
                        // SAFETY: they were waited for.
                        unsafe { device.free_command_buffers(pool, &both) };
                    }
                    // SAFETY: nothing of it is in use.
                    unsafe { device.destroy_command_pool(pool, None) };
                });
            }
        });
    });
    if std::env::var_os("TEXEMU_LAYER_TEST").is_none() {
        assert_eq!((numbers(&file, "compared"), numbers(&file, "different")), (vec![4 * 5 * 2 * 2], vec![0]));
    }
}
