//! Emulated beside native, on a device that samples the formats itself.

mod common;

use common::draw::View;
use common::texture::{Host, Texture, TextureDesc, draw_native, srgb};
use texemu_core::vk;
use texemu_emulate::Settings;
use texemu_format::{Codec, Format, sources};
use texemu_reference::blocks::Class;

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
            let off = difference(format, &texture.sample(level), &draw_native(&host, &desc, &levels, level));
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
