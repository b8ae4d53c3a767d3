//! Targets other than the exact one: which is chosen, that the device holds exactly the blocks that the CPU twin encodes,
//! also where copies cut them, and what ceilings and budgets come to.

mod common;

use common::draw::{Shot, View};
use common::plain::Plain;
use common::texture::{ALL, Host, SAMPLE, Texture, TextureDesc, check_stored, expected};
use common::upload;
use texemu_core::vk;
use texemu_emulate::{Error, KeepBlocks, Policy, Pressure, Rule, Settings, SourceAccess};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::Class;

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

fn with_policy(policy: Policy) -> Settings {
    Settings { policy, ..Settings::default() }
}

#[test]
fn a_re_encoded_image_draws_as_a_native_one_with_the_twins_blocks() {
    let host = Host::new(&with_policy(Policy::Size));
    for name in ["ASTC_6x6_SRGB_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK", "EAC_R11G11_UNORM_BLOCK"] {
        let desc = TextureDesc::new(format(name), View::Array, [52, 36, 1], 1, 1);
        let texture = Texture::new(&host, desc);
        assert!(texture.target.is_compressed(), "{name}: {}", texture.target.name);
        let levels = desc.blocks(Class::Legal, 9);
        texture.fill(&levels);
        let emulated = texture.sample(0);
        let target = texture.target;
        let vk_format = texemu_core::vk_format(target.vk);
        let native = Plain::new(&host, vk_format, [4, 4], target.block_bytes, [52, 36, 1], false);
        native.fill(&expected(&texture, &levels[0], 0));
        host.run(|commands, _| native.enter(commands, SAMPLE));
        let info = vk::ImageViewCreateInfo::default()
            .image(native.image.handle())
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(vk_format)
            .subresource_range(ALL);
        // SAFETY: the image is alive.
        let view = unsafe { host.gpu.device().create_image_view(&info, None) }.expect("a view");
        let size = desc.size(0);
        let shot = Shot { view, kind: View::Array, layout: SAMPLE.2, level: 0, size, origin: [0.0; 2] };
        assert!(host.draw.sample(&shot) == emulated, "{name} as {}", target.name);
        // SAFETY: the draw was waited for.
        unsafe { host.gpu.device().destroy_image_view(view, None) };
    }
}

#[test]
fn rules_choose_for_one_format() {
    let astc = format("ASTC_8x8_UNORM_BLOCK");
    let mut settings = with_policy(Policy::Size);
    settings.rules.insert(astc.vk, Rule::Policy(Policy::Exact));
    let etc2 = format("ETC2_R8G8B8A8_UNORM_BLOCK");
    settings.rules.insert(etc2.vk, Rule::Target(format("BC1_RGBA_UNORM_BLOCK").vk));
    let hidden = format("EAC_R11_UNORM_BLOCK");
    settings.rules.insert(hidden.vk, Rule::Hidden);
    let native = format("EAC_R11_SNORM_BLOCK");
    settings.rules.insert(native.vk, Rule::Native);
    let host = Host::new(&settings);
    let texture = |format| Texture::new(&host, TextureDesc::new(format, View::Array, [16, 16, 1], 1, 1));
    assert_eq!(texture(astc).target.name, "R8G8B8A8_UNORM");
    assert_eq!(texture(etc2).target.name, "BC1_RGBA_UNORM_BLOCK");
    assert_eq!(texture(format("ASTC_8x8_SRGB_BLOCK")).target.name, "BC3_SRGB_BLOCK", "the policy's");
    let offer = host.emulator.offer();
    let properties = offer.format_properties(texemu_core::vk_format(hidden.vk)).expect("answered here");
    assert!(properties.optimal_tiling_features.is_empty(), "as if the device did not have it");
    let answer = offer.format_properties(texemu_core::vk_format(native.vk));
    let has_it = texemu_core::support(host.gpu.capabilities(), native) == texemu_core::Support::Native;
    match answer {
        None => assert!(has_it, "the driver answers only for what it has"),
        Some(properties) => {
            assert!(!has_it, "what the driver has is the driver's to answer");
            assert!(properties.optimal_tiling_features.is_empty(), "not emulated, so not there");
        }
    }
    assert!(!offer.families().etc2, "a family that lacks a format is not offered");
}

/// Bytes that an image needs under a policy.
fn needed(desc: &TextureDesc, policy: Policy) -> u64 {
    let host = Host::new(&with_policy(policy));
    let texture = Texture::new(&host, *desc);
    host.emulator.image_memory_requirements(texture.image).expect("emulated").size
}

#[test]
fn the_ceiling_brings_smaller_targets_and_then_an_error() {
    let desc = TextureDesc::new(format("ASTC_8x8_UNORM_BLOCK"), View::Array, [256, 256, 1], 1, 1);
    let (exact, smaller) = (needed(&desc, Policy::Exact), needed(&desc, Policy::Quality));
    if smaller >= exact {
        println!("skipped: this device stores BC7 in {smaller} bytes and RGBA8 in {exact}");
        return;
    }
    let ceiling = exact + smaller;
    let host = Host::new(&Settings { ceiling: Some(ceiling), ..Settings::default() });
    let first = Texture::new(&host, desc);
    assert_eq!(first.target.name, "R8G8B8A8_UNORM", "below the ceiling");
    let second = Texture::new(&host, desc);
    assert_eq!(second.target.name, "BC7_UNORM_BLOCK", "the next smaller one");
    // SAFETY: the structure is valid.
    let third = unsafe { host.emulator.create_image(&desc.info(), None) };
    let error = third.expect_err("the ceiling holds");
    assert!(matches!(error, Error::Ceiling { used, .. } if used == ceiling), "{error}");
    assert_eq!(error.vk_result(), vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    assert_eq!(host.emulator.statistics().bytes, ceiling, "what failed takes nothing");
    drop(first);
    let again = Texture::new(&host, desc);
    assert_eq!(again.target.name, "R8G8B8A8_UNORM", "what was given back can be had again");
    let levels = desc.blocks(Class::Legal, 3);
    second.fill(&levels);
    check_stored(&second, &levels);
}

#[test]
fn auto_follows_the_heap() {
    let auto = |exact, quality| Settings {
        policy: Policy::Auto,
        pressure: Pressure { exact, quality },
        ..Settings::default()
    };
    let desc = TextureDesc::new(format("ETC2_R8G8B8_SRGB_BLOCK"), View::Array, [64, 64, 1], 1, 1);
    for (pressure, expected) in
        [((1.0, 1.0), "R8G8B8A8_SRGB"), ((0.0, 1.0), "BC7_SRGB_BLOCK"), ((0.0, 0.0), "BC1_RGB_SRGB_BLOCK")]
    {
        let host = Host::new(&auto(pressure.0, pressure.1));
        let texture = Texture::new(&host, desc);
        assert_eq!(texture.target.name, expected, "with {pressure:?} of the budget");
        // What was promised before the choice suffices for it.
        let info = desc.info();
        let before = vk::DeviceImageMemoryRequirements::default().create_info(&info);
        let mut promised = vk::MemoryRequirements2::default();
        // SAFETY: one structure each.
        let answered = unsafe { host.emulator.device_image_memory_requirements(&before, &mut promised) };
        assert!(answered.expect("answered"));
        let needed = host.emulator.image_memory_requirements(texture.image).expect("emulated");
        let promised = promised.memory_requirements;
        assert!(promised.size >= needed.size, "{} bytes hold {}", promised.size, needed.size);
        assert_eq!(promised.memory_type_bits & needed.memory_type_bits, promised.memory_type_bits);
        assert_eq!(promised.alignment % needed.alignment, 0);
    }
}

#[test]
fn statistics_tell_bytes_paths_and_formats() {
    let settings = Settings { timing: true, keep_blocks: KeepBlocks::WhereReadable, ..Settings::default() };
    let host = Host::new(&settings);
    let astc = format("ASTC_8x8_UNORM_BLOCK");
    let kept = TextureDesc::new(astc, View::Array, [64, 64, 1], 1, 1);
    let (texture, lean) = (Texture::new(&host, kept), Texture::new(&host, kept.sampled_only()));
    let blocks = kept.blocks(Class::Legal, 1);
    let buffer = upload(&host.gpu, &blocks[0]);
    for (texture, access) in [
        (&texture, SourceAccess::TexelBuffer),
        (&texture, SourceAccess::TransferOnly),
        (&lean, SourceAccess::TexelBuffer),
        (&lean, SourceAccess::TransferOnly),
        (&lean, SourceAccess::TransferOnly),
    ] {
        host.run(|commands, recording| {
            texture.copy_in(commands, recording, buffer.handle(), access, &[kept.whole(0, 0)]);
        });
    }
    assert!(texture.blocks() == blocks);
    host.emulator.offer().format_properties(vk::Format::EAC_R11_UNORM_BLOCK);
    let statistics = host.emulator.statistics();
    assert_eq!(statistics.formats.len(), 1, "one format was created");
    let one = statistics.formats[0];
    assert_eq!((one.format, one.images, one.created), (astc, 2, 2));
    assert_eq!((one.direct, one.by_plane, one.by_scratch), (2, 1, 2), "the path of each upload");
    assert_eq!((one.downloads, one.image_copies, one.deferred), (1, 0, 0));
    assert_eq!((one.blocks, one.texels), (5 * 64, 5 * 64 * 64), "five uploads of 8 x 8 blocks");
    assert_eq!(one.compressed_bytes, 64 * 16, "kept for one of the two");
    assert_eq!(one.rgba8_bytes, 2 * 64 * 64 * 4);
    assert!(one.decoded_bytes >= one.rgba8_bytes, "{} bytes in memory", one.decoded_bytes);
    assert!(statistics.bytes_saved() < 0, "an exact image with its blocks is larger than RGBA8");
    if host.gpu.capabilities().timestamps {
        assert_eq!(one.timed, 5, "every decode was timed");
        assert!(one.gpu_nanoseconds > 0);
    }
    let asked: Vec<_> = statistics.asked.iter().map(|format| format.0).collect();
    assert!(asked.contains(&vk::Format::EAC_R11_UNORM_BLOCK.as_raw()), "{asked:?}");
    drop((texture, lean));
    let after = host.emulator.statistics();
    assert_eq!((after.bytes, after.formats[0].images, after.formats[0].decoded_bytes), (0, 0, 0));
    assert!(after.peak_bytes >= statistics.bytes && statistics.bytes > 0);
}
