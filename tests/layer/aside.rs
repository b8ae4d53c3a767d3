//! Where the layer steps aside, and what it answers for where no driver here has the function.

use crate::app::{App, Texture, Wish};
use crate::below::{CALLS, EXTERNAL_LAYERS, Layer};
use crate::common::draw::View;
use crate::common::texture::{COPY_DST, COPY_SRC, SAMPLE, TextureDesc, barrier, host_barrier};
use crate::format;
use crate::launch::{NAME, VALIDATION, own_file, told_under};
use crate::validate::numbers;
use std::ffi::CStr;
use std::sync::atomic::Ordering;
use texemu_core::ash::vk;
use texemu_core::{Buffer, BufferDesc, Location};
use texemu_format::{Codec, sources};

const PLAIN: Wish<'_> = Wish { extensions: &[], features: std::ptr::null() };

/// A driver that has the formats itself, if the environment names one.
fn native_driver() -> Option<String> {
    let driver = std::env::var("TEXEMU_SWIFTSHADER_ICD").ok();
    if driver.is_none() {
        println!("skipped: TEXEMU_SWIFTSHADER_ICD names no driver that has the formats itself");
    }
    driver
}

const FUNCTIONS: [&CStr; 12] = [
    c"vkCreateImage",
    c"vkCreateImageView",
    c"vkCreateBuffer",
    c"vkAllocateMemory",
    c"vkBindImageMemory",
    c"vkBeginCommandBuffer",
    c"vkCmdCopyImage",
    c"vkCmdCopyBufferToImage2",
    c"vkCmdBlitImage",
    c"vkCmdBindPipeline",
    c"vkCmdBindDescriptorSets",
    c"vkCmdPushConstants",
];

/// Which of the functions are the layer's.
fn intercepted(layer: &Layer, app: &App) -> Vec<bool> {
    let own = |name: &&CStr| {
        let [own, below] = layer.device_functions(&app.device, name).map(|function| function.expect("core"));
        !std::ptr::fn_addr_eq(own, below)
    };
    FUNCTIONS.iter().map(own).collect()
}

#[test]
fn devices_that_have_it_all_get_the_drivers_own_functions() {
    let Some(driver) = native_driver() else { return };
    let test = "aside::devices_that_have_it_all_get_the_drivers_own_functions";
    // It lacks HDR.
    let settings = [
        ("VK_ICD_FILENAMES", driver.as_str()),
        ("TEXEMU_FORCE", "0"),
        ("TEXEMU_FORMATS", "astc_ldr,etc2,eac"),
    ];
    told_under(test, "", &settings, || {
        let layer = Layer::new();
        let app = layer.app(&PLAIN);
        assert!(!intercepted(&layer, &app).contains(&true), "nothing is intercepted");
    });
}

#[test]
fn devices_that_lack_some_get_the_layers() {
    told_under("aside::devices_that_lack_some_get_the_layers", VALIDATION, &[], || {
        let layer = Layer::new();
        let app = layer.app(&PLAIN);
        assert!(!intercepted(&layer, &app).contains(&false), "all are intercepted");
    });
}

#[test]
fn a_device_is_left_alone_where_no_format_is_wanted() {
    let none = [("TEXEMU_FORMATS", ""), ("TEXEMU_FORCE", "0")];
    told_under("aside::a_device_is_left_alone_where_no_format_is_wanted", VALIDATION, &none, || {
        let layer = Layer::new();
        let app = layer.app(&PLAIN);
        assert!(!intercepted(&layer, &app).contains(&true), "nothing is intercepted");
    });
}

/// A copy of an image's blocks, which is left where it was copied from.
fn read(app: &App, texture: &Texture<'_>) -> Vec<u8> {
    let desc = BufferDesc {
        name: "read back",
        size: texture.levels[0].len() as u64,
        usage: vk::BufferUsageFlags::TRANSFER_DST,
        location: Location::Readback,
    };
    let buffer = Buffer::new(&app.gpu, &desc).expect("the buffer fits");
    app.run(|commands| {
        let (image, regions) = (texture.image.handle(), [texture.desc.whole(0, 0)]);
        barrier(&app.gpu, commands, image, SAMPLE, COPY_SRC);
        let (device, layout) = (&app.device, COPY_SRC.2);
        // SAFETY: the image is alive and in place.
        unsafe { device.cmd_copy_image_to_buffer(commands, image, layout, buffer.handle(), &regions) };
        barrier(&app.gpu, commands, image, COPY_SRC, SAMPLE);
        host_barrier(&app.gpu, commands);
    });
    buffer.mapped().expect("mapped").to_vec()
}

#[test]
fn formats_that_the_device_has_are_its_own_and_others_are_emulated() {
    let Some(driver) = native_driver() else { return };
    let test = "aside::formats_that_the_device_has_are_its_own_and_others_are_emulated";
    let file = own_file(test, "statistics.json");
    let settings = [
        ("VK_ICD_FILENAMES", driver.as_str()),
        ("TEXEMU_FORCE", "0"),
        ("TEXEMU_VALIDATE", "1"),
        ("TEXEMU_STATISTICS_FILE", file.as_str()),
    ];
    told_under(test, "", &settings, || {
        let layer = Layer::new();
        let below = crate::below::real_instance();
        for format in sources() {
            let raw = texemu_core::vk_format(format.vk);
            // SAFETY: the device belongs to both instances, which are one.
            let [own, native] = [&layer.instance, &below].map(|instance| unsafe {
                let properties = instance.get_physical_device_format_properties(layer.physical_device, raw);
                properties.optimal_tiling_features
            });
            let hdr = format.codec == Codec::AstcHdr;
            assert_eq!(own == native, !hdr, "{}: {own:?} over {native:?}", format.name);
            assert!(own.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE), "{}", format.name);
        }
        let app = layer.app(&PLAIN);
        let of = |name| Texture::new(&app, TextureDesc::new(format(name), View::Array, [21, 18, 1], 1, 1));
        let (native, emulated) = (of("ASTC_5x5_UNORM_BLOCK"), of("ASTC_5x5_SFLOAT_BLOCK"));
        app.run(|commands| {
            native.copy(commands);
            emulated.copy(commands);
        });
        assert!(read(&app, &native) == native.levels[0] && read(&app, &emulated) == emulated.levels[0]);
        // The two may be copied to one another.
        let other = of("ASTC_5x5_SFLOAT_BLOCK");
        app.run(|commands| {
            other.copy(commands);
            let (from, to) = (native.image.handle(), other.image.handle());
            barrier(&app.gpu, commands, from, SAMPLE, COPY_SRC);
            barrier(&app.gpu, commands, to, SAMPLE, COPY_DST);
            let layers = native.desc.subresource(0, 0, 1);
            let copy = [vk::ImageCopy::default()
                .src_subresource(layers)
                .dst_subresource(layers)
                .extent(vk::Extent3D { width: 21, height: 18, depth: 1 })];
            let (src, dst) = (COPY_SRC.2, COPY_DST.2);
            // SAFETY: the images are alive and in place.
            unsafe { app.device.cmd_copy_image(commands, from, src, to, dst, &copy) };
            barrier(&app.gpu, commands, to, COPY_DST, SAMPLE);
        });
        assert!(read(&app, &other) == native.levels[0], "the native image's blocks");
    });
    if std::env::var_os("TEXEMU_LAYER_TEST").is_none() {
        assert_eq!((numbers(&file, "compared"), numbers(&file, "different")), (vec![3], vec![0]));
        let text = std::fs::read_to_string(&file).expect("the statistics are there");
        assert!(!text.contains("\"format\":\"ASTC_5x5_UNORM_BLOCK\""), "not the layer's: {text}");
    }
}

#[test]
fn memory_from_elsewhere_is_refused_in_the_oldest_form_too() {
    told_under("aside::memory_from_elsewhere_is_refused_in_the_oldest_form_too", VALIDATION, &[], || {
        let layer = Layer::new();
        let name = c"vkGetPhysicalDeviceExternalImageFormatPropertiesNV";
        let query = layer.instance_function(name).expect("made up below");
        // SAFETY: the name's own type.
        let query = unsafe {
            std::mem::transmute::<
                unsafe extern "system" fn(),
                vk::PFN_vkGetPhysicalDeviceExternalImageFormatPropertiesNV,
            >(query)
        };
        let ask = |format, handles| {
            let mut properties = vk::ExternalImageFormatPropertiesNV::default();
            let (flat, optimal) = (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL);
            let (usage, flags) = (vk::ImageUsageFlags::SAMPLED, vk::ImageCreateFlags::empty());
            let device = layer.physical_device;
            // SAFETY: valid.
            let result =
                unsafe { query(device, format, flat, optimal, usage, flags, handles, &raw mut properties) };
            (result, properties.image_format_properties.max_array_layers)
        };
        let [none, some] =
            [vk::ExternalMemoryHandleTypeFlagsNV::empty(), vk::ExternalMemoryHandleTypeFlagsNV::OPAQUE_WIN32];
        let astc = vk::Format::ASTC_8X8_UNORM_BLOCK;
        assert_eq!(ask(astc, some), (vk::Result::ERROR_FORMAT_NOT_SUPPORTED, 0));
        let (result, layers) = ask(astc, none);
        assert!(result == vk::Result::SUCCESS && layers >= 256, "{result:?}, {layers}");
        assert_eq!(CALLS.load(Ordering::Relaxed), 0, "the layer answers for what it emulates");
        let plain = ask(vk::Format::R8G8B8A8_UNORM, some);
        assert_eq!(plain, (vk::Result::SUCCESS, EXTERNAL_LAYERS), "and the driver for the rest");
        // SAFETY: nothing was made of it.
        unsafe { layer.instance.destroy_instance(None) };
    });
}

#[test]
fn aliases_of_an_instance_lead_to_the_same_functions() {
    told_under("aside::aliases_of_an_instance_lead_to_the_same_functions", VALIDATION, &[], || {
        let layer = Layer::new();
        for (core, alias) in [
            (c"vkGetPhysicalDeviceFeatures2", c"vkGetPhysicalDeviceFeatures2KHR"),
            (c"vkGetPhysicalDeviceFormatProperties2", c"vkGetPhysicalDeviceFormatProperties2KHR"),
            (c"vkGetPhysicalDeviceImageFormatProperties2", c"vkGetPhysicalDeviceImageFormatProperties2KHR"),
            (c"vkGetPhysicalDeviceQueueFamilyProperties2", c"vkGetPhysicalDeviceQueueFamilyProperties2KHR"),
            (
                c"vkGetPhysicalDeviceSparseImageFormatProperties2",
                c"vkGetPhysicalDeviceSparseImageFormatProperties2KHR",
            ),
        ] {
            let [core, other] =
                [core, alias].map(|name| layer.instance_function(name).expect("both are there"));
            assert!(std::ptr::fn_addr_eq(core, other), "{alias:?}");
        }
        // SAFETY: nothing was made of it.
        unsafe { layer.instance.destroy_instance(None) };
    });
}

#[test]
fn queue_families_that_cannot_decode_are_not_offered_for_copies() {
    let test = "aside::queue_families_that_cannot_decode_are_not_offered_for_copies";
    let settings = [(crate::below::TRANSFER_FAMILY, "1")];
    told_under(test, VALIDATION, &settings, || {
        let layer = Layer::new();
        // SAFETY: the device belongs to the instance.
        let first =
            unsafe { layer.instance.get_physical_device_queue_family_properties(layer.physical_device) };
        let mut second = vec![vk::QueueFamilyProperties2::default(); first.len()];
        // SAFETY: as above.
        unsafe {
            let device = layer.physical_device;
            layer.instance.get_physical_device_queue_family_properties2(device, &mut second);
        }
        let flags: Vec<_> = first.iter().map(|family| family.queue_flags).collect();
        let again: Vec<_> = second.iter().map(|family| family.queue_family_properties.queue_flags).collect();
        assert_eq!(flags, again);
        assert!(flags[0].contains(vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER), "{flags:?}");
        assert_eq!(flags.last(), Some(&vk::QueueFlags::SPARSE_BINDING), "what can copy alone cannot");
        // SAFETY: nothing was made of it.
        unsafe { layer.instance.destroy_instance(None) };
    });
}

#[test]
fn the_name_is_the_one_that_applications_ask_for() {
    assert_eq!(VkLayer_texemu::NAME.to_str(), Ok(NAME));
}
