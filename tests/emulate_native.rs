//! Emulated beside native, on a device that samples the formats itself.

mod common;

use common::draw::{Shot, View};
use common::texture::{ALL, COPY_DST, Host, SAMPLE, Texture, TextureDesc, UNDEFINED, barrier, srgb};
use common::upload;
use texemu_core::vk;
use texemu_core::{Image, ImageDesc};
use texemu_emulate::Settings;
use texemu_format::{Codec, Format, sources};
use texemu_reference::blocks::Class;

/// The same blocks in an image of the format itself, drawn.
fn native(host: &Host, desc: &TextureDesc, levels: &[Vec<u8>], level: u32) -> Vec<[f32; 4]> {
    let info = desc.info();
    let image = Image::new(&host.gpu, &ImageDesc { name: "native", info }).expect("the image fits");
    let buffer = upload(&host.gpu, &levels.concat());
    let mut offset = 0;
    let mut regions = Vec::new();
    for (level, blocks) in (0..).zip(levels) {
        regions.push(desc.whole(level, offset));
        offset += blocks.len() as u64;
    }
    host.run(|commands, _| {
        barrier(&host.gpu, commands, image.handle(), UNDEFINED, COPY_DST);
        // SAFETY: the buffer holds the levels.
        unsafe {
            host.gpu.device().cmd_copy_buffer_to_image(
                commands,
                buffer.handle(),
                image.handle(),
                COPY_DST.2,
                &regions,
            );
        }
        barrier(&host.gpu, commands, image.handle(), COPY_DST, SAMPLE);
    });
    let view_type = match desc.kind {
        View::Array => vk::ImageViewType::TYPE_2D_ARRAY,
        View::Volume => vk::ImageViewType::TYPE_3D,
        View::Cube => vk::ImageViewType::CUBE,
    };
    let info = vk::ImageViewCreateInfo::default()
        .image(image.handle())
        .view_type(view_type)
        .format(info.format)
        .subresource_range(ALL);
    // SAFETY: the image is alive.
    let view = unsafe { host.gpu.device().create_image_view(&info, None) }.expect("a view");
    let size = desc.size(level);
    let shot = Shot { view, kind: desc.kind, layout: SAMPLE.2, level, size, origin: [0.0; 2] };
    let texels = host.draw.sample(&shot);
    // SAFETY: the draw was waited for.
    unsafe { host.gpu.device().destroy_image_view(view, None) };
    texels
}

/// The largest difference of a component, of sRGB formats between the codes that make the picture: SwiftShader's conversion to
/// linear values is an approximation.
fn difference(format: &Format, a: &[[f32; 4]], b: &[[f32; 4]]) -> f32 {
    assert_eq!(a.len(), b.len());
    let code = |c: usize, value: f32| {
        if format.is_srgb() && c < 3 { (srgb(value) * 255.0).round() / 255.0 } else { value }
    };
    let texel = |(a, b): (&[f32; 4], &[f32; 4])| {
        (0..4).map(|c| (code(c, a[c]) - code(c, b[c])).abs()).fold(0.0, f32::max)
    };
    a.iter().zip(b).map(texel).fold(0.0, f32::max)
}

/// How far the two may be apart: one code of 255. Signed EAC is another matter: SwiftShader adds the unsigned format's rounding
/// term to it, which is up to 4 of 1023, and 1 more where the base is -128. The emulation is compared with the specification
/// elsewhere.
fn bound(format: &Format) -> f32 {
    if format.is_snorm() { 5.0 / 1023.0 } else { 1.0 / 255.0 }
}

/// Draws every format the device samples itself both ways.
fn run(class: impl Fn(&Format) -> Option<Class>) {
    let host = Host::new(&Settings::default());
    let native_features = vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::TRANSFER_DST;
    let mut tested = 0;
    for (index, format) in (0..).zip(sources()) {
        let Some(class) = class(format) else { continue };
        let has = host.gpu.capabilities().format(format.vk).optimal.contains(native_features);
        if !has || !host.emulator.offer().emulates(texemu_core::vk_format(format.vk)) {
            continue;
        }
        let desc = TextureDesc::new(format, View::Array, [46, 35, 1], 3, 2);
        let levels = desc.blocks(class, index);
        let texture = Texture::new(&host, desc);
        texture.fill(&levels);
        for level in 0..desc.levels {
            let off = difference(format, &texture.sample(level), &native(&host, &desc, &levels, level));
            assert!(
                off <= bound(format) + 4.0 * f32::EPSILON,
                "{} level {level}: {} of 1/255 apart",
                format.name,
                off * 255.0
            );
        }
        tested += 1;
    }
    if tested == 0 {
        println!("skipped: {} samples none of these formats", host.gpu.capabilities().info.name);
    }
    println!("{tested} formats");
}

#[test]
fn astc_draws_the_same_picture() {
    run(|format| matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr).then_some(Class::Legal));
}

#[test]
fn etc2_and_eac_draw_the_same_picture() {
    run(|format| {
        let astc = matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr);
        (!astc).then_some(Class::Mixed)
    });
}
