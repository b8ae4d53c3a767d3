//! What a guest is told, and that it is exactly what is done.

mod common;

use common::TestGpu;
use common::draw::View;
use common::texture::{Host, TextureDesc};
use texemu_core::vk;
use texemu_emulate::{Error, Families, Offer, Rule, Settings};
use texemu_format::{Codec, VkFormat, by_name, sources};

/// The features that every emulated format has, and no other.
fn features() -> vk::FormatFeatureFlags {
    vk::FormatFeatureFlags::SAMPLED_IMAGE
        | vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR
        | vk::FormatFeatureFlags::BLIT_SRC
        | vk::FormatFeatureFlags::TRANSFER_SRC
        | vk::FormatFeatureFlags::TRANSFER_DST
}

#[test]
fn format_properties_tell_what_every_path_takes() {
    let host = Host::new(&Settings::default());
    let offer = host.emulator.offer();
    for format in sources() {
        let vk_format = texemu_core::vk_format(format.vk);
        if !offer.emulates(vk_format) {
            println!("skipped: {} is not emulated on this device", format.name);
            continue;
        }
        let plain = offer.format_properties(vk_format).expect("answered here");
        assert_eq!(plain.optimal_tiling_features, features(), "{}", format.name);
        assert!(
            plain.linear_tiling_features.is_empty() && plain.buffer_features.is_empty(),
            "{}",
            format.name
        );
        let mut three = vk::FormatProperties3::default();
        let mut two = vk::FormatProperties2::default().push_next(&mut three);
        // SAFETY: the chain was just built.
        assert!(unsafe { offer.format_properties2(vk_format, &mut two) });
        assert_eq!(two.format_properties.optimal_tiling_features, features());
        let third = vk::FormatFeatureFlags2::SAMPLED_IMAGE
            | vk::FormatFeatureFlags2::SAMPLED_IMAGE_FILTER_LINEAR
            | vk::FormatFeatureFlags2::BLIT_SRC
            | vk::FormatFeatureFlags2::TRANSFER_SRC
            | vk::FormatFeatureFlags2::TRANSFER_DST;
        assert_eq!(three.optimal_tiling_features, third, "{}: the third form says the same", format.name);
        assert_eq!(
            offer.sparse_image_format_property_count(vk_format),
            Some(0),
            "{}: never sparse",
            format.name
        );
    }
    assert!(offer.format_properties(vk::Format::R8G8B8A8_UNORM).is_none(), "the driver's to answer");
    assert!(offer.format_properties(vk::Format::BC7_UNORM_BLOCK).is_none(), "the driver's to answer");
}

/// Type, tiling, usage, flags and samples of an image.
type Shape = (vk::ImageType, vk::ImageTiling, vk::ImageUsageFlags, vk::ImageCreateFlags);

fn shapes() -> Vec<(Shape, bool)> {
    use vk::{ImageCreateFlags as F, ImageTiling as Tiling, ImageType as T, ImageUsageFlags as U};
    let all = U::SAMPLED | U::TRANSFER_SRC | U::TRANSFER_DST;
    let two = T::TYPE_2D;
    let none = F::empty();
    vec![
        ((two, Tiling::OPTIMAL, all, none), true),
        ((two, Tiling::OPTIMAL, U::SAMPLED, none), true),
        ((two, Tiling::OPTIMAL, U::TRANSFER_SRC, F::MUTABLE_FORMAT), true),
        ((two, Tiling::OPTIMAL, all, F::CUBE_COMPATIBLE), true),
        ((two, Tiling::OPTIMAL, all, F::MUTABLE_FORMAT | F::EXTENDED_USAGE), true),
        ((T::TYPE_3D, Tiling::OPTIMAL, all, none), true),
        ((T::TYPE_1D, Tiling::OPTIMAL, all, none), false),
        ((two, Tiling::LINEAR, all, none), false),
        ((two, Tiling::OPTIMAL, all | U::STORAGE, none), false),
        ((two, Tiling::OPTIMAL, all | U::STORAGE, F::MUTABLE_FORMAT | F::EXTENDED_USAGE), false),
        ((two, Tiling::OPTIMAL, all | U::COLOR_ATTACHMENT, none), false),
        ((two, Tiling::OPTIMAL, all | U::INPUT_ATTACHMENT, none), false),
        ((two, Tiling::OPTIMAL, all, F::SPARSE_BINDING), false),
        ((two, Tiling::OPTIMAL, all, F::SPARSE_BINDING | F::SPARSE_RESIDENCY), false),
        ((two, Tiling::OPTIMAL, all, F::MUTABLE_FORMAT | F::BLOCK_TEXEL_VIEW_COMPATIBLE), false),
        ((two, Tiling::OPTIMAL, all, F::PROTECTED), false),
    ]
}

#[test]
fn image_format_properties_and_creation_agree() {
    let host = Host::new(&Settings::default());
    let (emulator, offer) = (&host.emulator, host.emulator.offer());
    for format in sources().filter(|format| offer.emulates(texemu_core::vk_format(format.vk))).step_by(3) {
        let vk_format = texemu_core::vk_format(format.vk);
        for ((image_type, tiling, usage, flags), offered) in shapes() {
            let what = format!("{} {image_type:?} {tiling:?} {usage:?} {flags:?}", format.name);
            let answer = offer.image_format_properties(vk_format, image_type, tiling, usage, flags);
            let answer = answer.expect("answered here");
            assert_eq!(answer.is_ok(), offered, "{what}");
            let depth = if image_type == vk::ImageType::TYPE_3D { 3 } else { 1 };
            let layers = if flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE) { 6 } else { 1 };
            let desc = TextureDesc {
                usage,
                flags,
                ..TextureDesc::new(format, View::Array, [16, 16, depth], 2, layers)
            };
            let info = vk::ImageCreateInfo { image_type, tiling, ..desc.info() };
            // SAFETY: refused shapes are refused before a driver sees them.
            match unsafe { emulator.create_image(&info, None) } {
                Ok(image) => {
                    assert!(offered, "{what}: not offered, so not created");
                    let image = image.expect("emulated");
                    // SAFETY: never used.
                    assert!(unsafe { emulator.destroy_image(image, None) });
                }
                Err(error) => {
                    assert!(!offered, "{what}: offered, so created: {error}");
                    assert!(matches!(error, Error::Unsupported { .. }), "{what}: {error}");
                    assert_eq!(error.vk_result(), vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
                }
            }
            let Ok(limits) = answer else { continue };
            assert_eq!(limits.sample_counts, vk::SampleCountFlags::TYPE_1, "{what}");
            assert!(limits.max_resource_size >= 1 << 31, "{what}: what Vulkan asks for");
            let side = limits.max_extent.width.max(limits.max_extent.height).max(limits.max_extent.depth);
            assert!(limits.max_mip_levels == 32 - side.leading_zeros(), "{what}: {limits:?}");
        }
    }
}

#[test]
fn what_is_too_large_is_refused_as_the_limits_say() {
    let host = Host::new(&Settings::default());
    let format = by_name("ASTC_12x12_UNORM_BLOCK").expect("in the table");
    let desc = TextureDesc::new(format, View::Array, [64, 64, 1], 1, 1);
    let vk_format = texemu_core::vk_format(format.vk);
    let (ty, tiling) = (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL);
    let limits = host.emulator.offer().image_format_properties(vk_format, ty, tiling, desc.usage, desc.flags);
    let limits = limits.expect("answered").expect("offered");
    let infos = [
        TextureDesc { extent: [limits.max_extent.width + 1, 16, 1], ..desc },
        TextureDesc { layers: limits.max_array_layers + 1, ..desc },
        TextureDesc { levels: limits.max_mip_levels + 1, ..desc },
    ];
    for desc in infos {
        // SAFETY: refused before a driver sees it.
        let error = unsafe { host.emulator.create_image(&desc.info(), None) }.expect_err("past the limits");
        assert!(matches!(error, Error::Unsupported { .. }), "{desc:?}: {error}");
    }
}

#[test]
fn external_memory_is_refused_in_queries_and_creation() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(
        by_name("ASTC_4x4_UNORM_BLOCK").expect("in the table"),
        View::Array,
        [16, 16, 1],
        1,
        1,
    );
    let handles = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(handles);
    let info = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(vk::Format::ASTC_4X4_UNORM_BLOCK)
        .ty(vk::ImageType::TYPE_2D)
        .usage(desc.usage)
        .push_next(&mut external);
    let mut properties = vk::ImageFormatProperties2::default();
    // SAFETY: both chains were just built.
    let answer = unsafe { host.emulator.offer().image_format_properties2(&info, &mut properties) };
    assert_eq!(answer, Some(Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED)));
    let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(handles);
    let info = desc.info().push_next(&mut external);
    // SAFETY: refused before a driver sees it.
    let error = unsafe { host.emulator.create_image(&info, None) }.expect_err("refused");
    assert!(error.to_string().contains("external memory"), "{error}");
}

#[test]
fn a_device_is_created_without_the_families_and_with_what_kernels_need() {
    let gpu = TestGpu::new();
    let (instance, physical_device) = (gpu.instance(), gpu.physical_device());
    let settings = Settings { force: true, ..Settings::default() };
    // SAFETY: both are alive.
    let offer = unsafe { Offer::new(instance, physical_device, &settings) };
    // SAFETY: as above.
    let native = unsafe { instance.get_physical_device_features(physical_device) };
    let mut told = native;
    offer.add_features(&mut told);
    let families = offer.families();
    assert_eq!(families, Families { etc2: true, astc_ldr: true, astc_hdr: families.astc_hdr });
    assert_eq!((told.texture_compression_etc2, told.texture_compression_astc_ldr), (vk::TRUE, vk::TRUE));

    let mut hdr = vk::PhysicalDeviceTextureCompressionASTCHDRFeatures::default();
    let mut two = vk::PhysicalDeviceFeatures2::default().push_next(&mut hdr);
    // SAFETY: the chain was just built.
    unsafe { offer.add_features2(&mut two) };
    assert_eq!(two.features.texture_compression_astc_ldr, vk::TRUE);
    assert_eq!(hdr.texture_compression_astc_hdr == vk::TRUE, families.astc_hdr, "in every structure");

    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(gpu.queue_family())
        .queue_priorities(&priorities)];
    let wishes = vk::PhysicalDeviceFeatures::default()
        .texture_compression_etc2(true)
        .texture_compression_astc_ldr(true)
        .sampler_anisotropy(native.sampler_anisotropy == vk::TRUE);
    let first = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&wishes);
    let mut hdr =
        vk::PhysicalDeviceTextureCompressionASTCHDRFeatures::default().texture_compression_astc_hdr(true);
    let mut chained = vk::PhysicalDeviceFeatures2::default().features(wishes);
    let mut multiview = vk::PhysicalDeviceMultiviewFeatures::default();
    let second = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .push_next(&mut multiview)
        .push_next(&mut chained)
        .push_next(&mut hdr);
    let nothing = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    for (name, info) in [("plain", &first), ("chained", &second), ("none", &nothing)] {
        // SAFETY: the structure lives on.
        let mut changed = unsafe { offer.device_create_info(info) };
        let changed = changed.get();
        // SAFETY: valid, and of this physical device.
        let device = unsafe { instance.create_device(physical_device, &changed, None) };
        let device = device.unwrap_or_else(|error| panic!("{name}: {error}"));
        // SAFETY: as above.
        let features = unsafe { texemu_core::Features::from_create_info(&changed, vk::API_VERSION_1_1) };
        let needed = offer.needed_features().shader_storage_image_extended_formats == vk::TRUE;
        assert!(features.storage_image_extended_formats || !needed, "{name}: what the kernels need is on");
        // SAFETY: nothing was made on it.
        unsafe { device.destroy_device(None) };
    }
    assert_eq!(wishes.texture_compression_etc2, vk::TRUE, "the application's structure is as it was");
    assert_eq!(chained.features.texture_compression_astc_ldr, vk::TRUE, "so is this one");
    assert_eq!(hdr.texture_compression_astc_hdr, vk::TRUE, "and this one");
}

#[test]
fn the_weakest_device_offers_what_it_can_store() {
    let host = Host::on(TestGpu::baseline(), &Settings::default());
    let offer = host.emulator.offer();
    for format in sources() {
        let small = matches!(format.codec, Codec::EacR | Codec::EacRg);
        if small {
            let emulated = offer.emulates(texemu_core::vk_format(format.vk));
            assert!(!emulated, "{}: 16-bit storage formats need a feature that is off", format.name);
        }
    }
    let native = |name: &str| {
        let format = by_name(name).expect("in the table");
        host.gpu.capabilities().format(format.vk).optimal.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE)
    };
    assert_eq!(
        offer.families().etc2,
        native("EAC_R11_UNORM_BLOCK"),
        "a family is offered whole or not at all"
    );
    assert!(offer.families().astc_ldr);
}

#[test]
fn native_formats_are_left_alone_unless_forced_or_hidden() {
    let gpu = TestGpu::new();
    // SAFETY: both are alive.
    let offer = |settings: &Settings| unsafe { Offer::new(gpu.instance(), gpu.physical_device(), settings) };
    let settings = Settings::default();
    for format in sources() {
        let needed = vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::TRANSFER_DST;
        let native = gpu.capabilities().format(format.vk).optimal.contains(needed);
        let emulated = offer(&settings).emulates(texemu_core::vk_format(format.vk));
        assert!(!(native && emulated), "{}: the device has it", format.name);
    }
    let mut hiding = Settings::default();
    let hidden: VkFormat = by_name("ASTC_4x4_SRGB_BLOCK").expect("in the table").vk;
    hiding.rules.insert(hidden, Rule::Hidden);
    let hiding = offer(&hiding);
    let answer = hiding.image_format_properties(
        vk::Format::ASTC_4X4_SRGB_BLOCK,
        vk::ImageType::TYPE_2D,
        vk::ImageTiling::OPTIMAL,
        vk::ImageUsageFlags::SAMPLED,
        vk::ImageCreateFlags::empty(),
    );
    assert!(matches!(answer, Some(Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED))));
    assert!(!hiding.families().astc_ldr);
    assert_eq!(hiding.formats_asked(), [hidden], "and what was asked for is remembered");
}
