//! Instances and devices under the layer: what they say, and how they are made.

use crate::launch::{NAME, under_layer, under_validation};
use std::ffi::CStr;
use texemu_core::ash::{self, vk};

const ASTC: vk::Format = vk::Format::ASTC_6X6_UNORM_BLOCK;
const HDR: vk::Format = vk::Format::ASTC_5X5_SFLOAT_BLOCK;
const ETC2: vk::Format = vk::Format::ETC2_R8G8B8_SRGB_BLOCK;
const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::SAMPLED.as_raw()
        | vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw(),
);

/// An instance as an application makes it, and its first device.
struct Bare {
    instance: ash::Instance,
    physical_device: vk::PhysicalDevice,
    _entry: ash::Entry,
}

impl Bare {
    /// `None`: without application info, which is Vulkan 1.0.
    fn new(api_version: Option<u32>) -> Self {
        // SAFETY: the library is a Vulkan loader.
        let entry = unsafe { ash::Entry::load() }.expect("a loader");
        let application = vk::ApplicationInfo::default().api_version(api_version.unwrap_or_default());
        let mut info = vk::InstanceCreateInfo::default();
        if api_version.is_some() {
            info = info.application_info(&application);
        }
        // SAFETY: valid.
        let instance = unsafe { entry.create_instance(&info, None) }.expect("an instance");
        assert_eq!(application.api_version, api_version.unwrap_or_default(), "it is as it was");
        // SAFETY: the instance is alive.
        let physical_device = unsafe { instance.enumerate_physical_devices() }.expect("devices")[0];
        Self { instance, physical_device, _entry: entry }
    }

    fn features(&self) -> vk::PhysicalDeviceFeatures {
        // SAFETY: the device belongs to the instance.
        unsafe { self.instance.get_physical_device_features(self.physical_device) }
    }

    fn families(&self) -> [bool; 2] {
        let features = self.features();
        [features.texture_compression_astc_ldr == vk::TRUE, features.texture_compression_etc2 == vk::TRUE]
    }

    fn extensions(&self) -> Vec<String> {
        // SAFETY: the device belongs to the instance.
        let list = unsafe { self.instance.enumerate_device_extension_properties(self.physical_device) };
        let name = |extension: &vk::ExtensionProperties| {
            extension.extension_name_as_c_str().expect("a string").to_string_lossy().into_owned()
        };
        list.expect("extensions").iter().map(name).collect()
    }

    /// The layers of the tools that say that they are there.
    fn tools(&self) -> Vec<String> {
        let (instance, device) = (&self.instance, self.physical_device);
        // SAFETY: the device belongs to the instance.
        let count = unsafe { instance.get_physical_device_tool_properties_len(device) }.expect("a number");
        let mut tools = vec![vk::PhysicalDeviceToolProperties::default(); count];
        // SAFETY: as above.
        unsafe { instance.get_physical_device_tool_properties(device, &mut tools) }.expect("tools");
        let layer = |tool: &vk::PhysicalDeviceToolProperties<'_>| {
            tool.layer_as_c_str().expect("a string").to_string_lossy().into_owned()
        };
        tools.iter().map(layer).collect()
    }

    /// A device with one queue.
    fn device(
        &self,
        extensions: &[&CStr],
        change: impl FnOnce(&mut vk::DeviceCreateInfo<'_>),
    ) -> ash::Device {
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let mut info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
        change(&mut info);
        // SAFETY: valid.
        unsafe { self.instance.create_device(self.physical_device, &info, None) }.expect("a device")
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // SAFETY: the tests destroy their devices.
        unsafe { self.instance.destroy_instance(None) };
    }
}

fn info(format: vk::Format) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width: 50, height: 30, depth: 1 })
        .mip_levels(2)
        .array_layers(3)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(USAGE)
}

/// Creates an image of each family, asks what it needs, binds it and makes a view.
fn use_device(bare: &Bare, device: &ash::Device) {
    for format in [ASTC, HDR, ETC2] {
        // SAFETY: valid for the format as it is reported.
        let image = unsafe { device.create_image(&info(format), None) }.expect("an image");
        // SAFETY: the image is alive.
        let needed = unsafe { device.get_image_memory_requirements(image) };
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(needed.size)
            .memory_type_index(needed.memory_type_bits.trailing_zeros());
        // SAFETY: valid.
        let memory = unsafe { device.allocate_memory(&allocate, None) }.expect("memory");
        // SAFETY: it is what the image needs.
        unsafe { device.bind_image_memory(image, memory, 0) }.expect("bound");
        let view = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(format)
            .subresource_range(crate::common::texture::ALL);
        // SAFETY: the image is bound.
        let view = unsafe { device.create_image_view(&view, None) }.expect("a view");
        // SAFETY: nothing uses it.
        unsafe { device.destroy_image_view(view, None) };
        // SAFETY: as above.
        unsafe { device.destroy_image(image, None) };
        // SAFETY: as above.
        unsafe { device.free_memory(memory, None) };
    }
    assert_eq!(bare.families(), [true, true]);
}

fn destroy(device: &ash::Device) {
    // SAFETY: everything made from it is destroyed.
    unsafe { device.destroy_device(None) };
}

#[test]
fn every_query_tells_the_same() {
    under_validation("device::every_query_tells_the_same", &[], || {
        let bare = Bare::new(Some(vk::API_VERSION_1_3));
        let (instance, device) = (&bare.instance, bare.physical_device);
        assert_eq!(bare.families(), [true, true]);
        let mut hdr = vk::PhysicalDeviceTextureCompressionASTCHDRFeatures::default();
        let mut core = vk::PhysicalDeviceVulkan13Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut hdr).push_next(&mut core);
        // SAFETY: valid.
        unsafe { instance.get_physical_device_features2(device, &mut features) };
        assert_eq!(features.features.texture_compression_etc2, vk::TRUE);
        assert_eq!(features.features.texture_compression_astc_ldr, vk::TRUE);
        assert_eq!(
            (hdr.texture_compression_astc_hdr, core.texture_compression_astc_hdr),
            (vk::TRUE, vk::TRUE)
        );

        let extensions = bare.extensions();
        for name in [ash::ext::texture_compression_astc_hdr::NAME, ash::ext::astc_decode_mode::NAME] {
            let count =
                extensions.iter().filter(|other| other.as_str() == name.to_str().expect("ASCII")).count();
            assert_eq!(count, 1, "{name:?} stands there once");
        }
        let optimal = vk::ImageTiling::OPTIMAL;
        for format in texemu_format::sources().map(|format| texemu_core::vk_format(format.vk)) {
            // SAFETY: valid.
            let first = unsafe { instance.get_physical_device_format_properties(device, format) };
            let wanted = vk::FormatFeatureFlags::SAMPLED_IMAGE
                | vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR
                | vk::FormatFeatureFlags::BLIT_SRC
                | vk::FormatFeatureFlags::TRANSFER_SRC
                | vk::FormatFeatureFlags::TRANSFER_DST;
            assert_eq!(first.optimal_tiling_features, wanted, "{format:?}");
            assert!(first.linear_tiling_features.is_empty() && first.buffer_features.is_empty());
            let mut three = vk::FormatProperties3::default();
            let mut second = vk::FormatProperties2::default().push_next(&mut three);
            // SAFETY: valid.
            unsafe { instance.get_physical_device_format_properties2(device, format, &mut second) };
            assert_eq!(second.format_properties.optimal_tiling_features, wanted);
            assert_eq!(three.optimal_tiling_features.as_raw(), u64::from(wanted.as_raw()));

            let (flat, none) = (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::empty());
            let ask = |tiling, usage, flags| {
                // SAFETY: valid.
                let first = unsafe {
                    instance.get_physical_device_image_format_properties(
                        device, format, flat, tiling, usage, flags,
                    )
                };
                let asked = vk::PhysicalDeviceImageFormatInfo2::default()
                    .format(format)
                    .ty(flat)
                    .tiling(tiling)
                    .usage(usage)
                    .flags(flags);
                let mut properties = vk::ImageFormatProperties2::default();
                // SAFETY: valid.
                let second = unsafe {
                    instance.get_physical_device_image_format_properties2(device, &asked, &mut properties)
                };
                let second = second.map(|()| properties.image_format_properties.max_extent);
                assert_eq!(first.map(|limits| limits.max_extent), second, "both versions agree");
                first
            };
            let limits = ask(optimal, USAGE, none).expect("offered");
            assert_eq!(limits.sample_counts, vk::SampleCountFlags::TYPE_1);
            assert!(limits.max_extent.width >= 4096 && limits.max_array_layers >= 256);
            let unsupported = Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
            let refused = |tiling, usage, flags| ask(tiling, usage, flags).map(|_| ());
            assert_eq!(refused(vk::ImageTiling::LINEAR, USAGE, none), unsupported);
            assert_eq!(refused(optimal, vk::ImageUsageFlags::STORAGE, none), unsupported);
            assert_eq!(refused(optimal, vk::ImageUsageFlags::COLOR_ATTACHMENT, none), unsupported);
            assert_eq!(refused(optimal, USAGE, vk::ImageCreateFlags::SPARSE_BINDING), unsupported);
            // The host copies nothing to and from images of two planes: neither usage nor feature is there.
            assert_eq!(refused(optimal, USAGE | vk::ImageUsageFlags::HOST_TRANSFER_EXT, none), unsupported);
            let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default()
                .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
            let asked = vk::PhysicalDeviceImageFormatInfo2::default()
                .format(format)
                .ty(flat)
                .tiling(optimal)
                .usage(USAGE)
                .push_next(&mut external);
            let mut properties = vk::ImageFormatProperties2::default();
            // SAFETY: valid.
            let shared = unsafe {
                instance.get_physical_device_image_format_properties2(device, &asked, &mut properties)
            };
            assert_eq!(shared, unsupported, "memory from elsewhere is refused");

            // SAFETY: valid.
            let sparse = unsafe {
                instance.get_physical_device_sparse_image_format_properties(
                    device,
                    format,
                    flat,
                    vk::SampleCountFlags::TYPE_1,
                    USAGE,
                    optimal,
                )
            };
            assert_eq!(sparse.len(), 0);
            let asked = vk::PhysicalDeviceSparseImageFormatInfo2::default()
                .format(format)
                .ty(flat)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(USAGE)
                .tiling(optimal);
            let mut count = 7;
            let query = instance.fp_v1_1().get_physical_device_sparse_image_format_properties2;
            // SAFETY: valid.
            unsafe { query(device, &asked, &mut count, std::ptr::null_mut()) };
            assert_eq!(count, 0);
        }
        // SAFETY: valid.
        let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
        let mut again = vec![vk::QueueFamilyProperties2::default(); families.len()];
        // SAFETY: valid.
        unsafe { instance.get_physical_device_queue_family_properties2(device, &mut again) };
        for (one, other) in families.iter().zip(&again) {
            assert_eq!(one.queue_flags, other.queue_family_properties.queue_flags);
        }
        assert!(
            bare.tools().iter().any(|tool| tool == NAME),
            "an application can tell that there is emulation"
        );
    });
}

#[test]
fn devices_are_made_whatever_the_application_enables() {
    under_validation("device::devices_are_made_whatever_the_application_enables", &[], || {
        let bare = Bare::new(Some(vk::API_VERSION_1_3));
        let wanted = vk::PhysicalDeviceFeatures {
            texture_compression_astc_ldr: vk::TRUE,
            texture_compression_etc2: vk::TRUE,
            ..Default::default()
        };
        let device = bare.device(&[], |_| {});
        use_device(&bare, &device);
        destroy(&device);

        let device = bare.device(&[], |info| info.p_enabled_features = &raw const wanted);
        assert_eq!(wanted.texture_compression_etc2, vk::TRUE, "the application's structure is as it was");
        use_device(&bare, &device);
        destroy(&device);

        let mut hdr =
            vk::PhysicalDeviceTextureCompressionASTCHDRFeatures::default().texture_compression_astc_hdr(true);
        let mut decode = vk::PhysicalDeviceASTCDecodeFeaturesEXT::default();
        let features = vk::PhysicalDeviceFeatures2::default()
            .features(wanted)
            .push_next(&mut hdr)
            .push_next(&mut decode);
        let names = [ash::ext::texture_compression_astc_hdr::NAME, ash::ext::astc_decode_mode::NAME];
        let device = bare.device(&names, |info| info.p_next = (&raw const features).cast());
        assert_eq!(features.features.texture_compression_astc_ldr, vk::TRUE, "as it was");
        use_device(&bare, &device);
        destroy(&device);
        assert_eq!(hdr.texture_compression_astc_hdr, vk::TRUE, "as it was");
    });
}

#[test]
fn applications_of_vulkan_1_0_have_it_too() {
    under_validation("device::applications_of_vulkan_1_0_have_it_too", &[], || {
        for version in [None, Some(vk::API_VERSION_1_0)] {
            let bare = Bare::new(version);
            let device = bare.device(&[], |_| {});
            use_device(&bare, &device);
            destroy(&device);
        }
    });
}

#[test]
fn instances_and_devices_do_not_know_of_each_other() {
    under_validation("device::instances_and_devices_do_not_know_of_each_other", &[], || {
        let one = Bare::new(Some(vk::API_VERSION_1_2));
        let two = Bare::new(Some(vk::API_VERSION_1_1));
        let devices = [one.device(&[], |_| {}), two.device(&[], |_| {}), one.device(&[], |_| {})];
        std::thread::scope(|scope| {
            for (bare, device) in [&one, &two, &one].into_iter().zip(&devices) {
                for _ in 0..2 {
                    scope.spawn(move || use_device(bare, device));
                }
            }
        });
        destroy(&devices[0]);
        use_device(&two, &devices[1]);
        use_device(&one, &devices[2]);
        destroy(&devices[1]);
        destroy(&devices[2]);
    });
}

#[test]
fn memory_is_asked_for_and_bound_in_every_version() {
    under_validation("device::memory_is_asked_for_and_bound_in_every_version", &[], || {
        let bare = Bare::new(Some(vk::API_VERSION_1_3));
        let mut four = vk::PhysicalDeviceMaintenance4Features::default().maintenance4(true);
        let features = vk::PhysicalDeviceFeatures2::default().push_next(&mut four);
        let device = bare.device(&[], |info| info.p_next = (&raw const features).cast());
        let info = info(ETC2);
        // SAFETY: valid.
        let image = unsafe { device.create_image(&info, None) }.expect("an image");
        // SAFETY: the image is alive.
        let first = unsafe { device.get_image_memory_requirements(image) };
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut second = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        let asked = vk::ImageMemoryRequirementsInfo2::default().image(image);
        // SAFETY: as above.
        unsafe { device.get_image_memory_requirements2(&asked, &mut second) };
        let mut before = vk::MemoryRequirements2::default();
        let create = vk::DeviceImageMemoryRequirements::default().create_info(&info);
        // SAFETY: valid.
        unsafe { device.get_device_image_memory_requirements(&create, &mut before) };
        let facts = |needed: vk::MemoryRequirements| (needed.size, needed.alignment, needed.memory_type_bits);
        assert_eq!(facts(second.memory_requirements), facts(first));
        assert_eq!(facts(before.memory_requirements), facts(first), "known before there is an image");
        assert_eq!(dedicated.requires_dedicated_allocation, vk::FALSE);

        // SAFETY: as above.
        assert_eq!(unsafe { device.get_image_sparse_memory_requirements(image) }.len(), 0);
        let asked = vk::ImageSparseMemoryRequirementsInfo2::default().image(image);
        // SAFETY: as above.
        assert_eq!(unsafe { device.get_image_sparse_memory_requirements2_len(&asked) }, 0);
        // SAFETY: as above.
        assert_eq!(unsafe { device.get_device_image_sparse_memory_requirements_len(&create) }, 0);

        // An application may dedicate the memory all the same.
        let mut dedicate = vk::MemoryDedicatedAllocateInfo::default().image(image);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(first.size)
            .memory_type_index(first.memory_type_bits.trailing_zeros())
            .push_next(&mut dedicate);
        // SAFETY: valid.
        let memory = unsafe { device.allocate_memory(&allocate, None) }.expect("memory");
        let bind = [vk::BindImageMemoryInfo::default().image(image).memory(memory)];
        // SAFETY: it is what the image needs.
        unsafe { device.bind_image_memory2(&bind) }.expect("bound");
        // SAFETY: nothing uses it.
        unsafe { device.destroy_image(image, None) };
        // SAFETY: as above.
        unsafe { device.free_memory(memory, None) };

        let create = vk::BufferCreateInfo::default().size(1000).usage(vk::BufferUsageFlags::TRANSFER_SRC);
        // SAFETY: valid.
        let buffer = unsafe { device.create_buffer(&create, None) }.expect("a buffer");
        // SAFETY: the buffer is alive.
        let made = unsafe { device.get_buffer_memory_requirements(buffer) };
        let asked = vk::DeviceBufferMemoryRequirements::default().create_info(&create);
        let mut before = vk::MemoryRequirements2::default();
        // SAFETY: valid.
        unsafe { device.get_device_buffer_memory_requirements(&asked, &mut before) };
        assert_eq!(facts(before.memory_requirements), facts(made), "buffers are asked for as they are made");
        // SAFETY: nothing uses it.
        unsafe { device.destroy_buffer(buffer, None) };
        destroy(&device);
    });
}

#[test]
fn what_is_not_offered_is_refused_when_images_are_created() {
    // It is told as errors, which this test provokes.
    let quiet = [("TEXEMU_LOG_LEVEL", "off")];
    under_validation("device::what_is_not_offered_is_refused_when_images_are_created", &quiet, || {
        let bare = Bare::new(Some(vk::API_VERSION_1_3));
        let device = bare.device(&[], |_| {});
        let refused = |info: &vk::ImageCreateInfo<'_>| {
            // SAFETY: the layer refuses what it does not offer.
            let result = unsafe { device.create_image(info, None) };
            assert_eq!(result, Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED));
        };
        for format in [ASTC, HDR, ETC2] {
            let info = info(format);
            for usage in [
                vk::ImageUsageFlags::STORAGE,
                vk::ImageUsageFlags::COLOR_ATTACHMENT,
                vk::ImageUsageFlags::HOST_TRANSFER_EXT,
            ] {
                refused(&info.usage(USAGE | usage));
            }
            refused(&info.tiling(vk::ImageTiling::LINEAR));
            refused(&info.samples(vk::SampleCountFlags::TYPE_4));
            for flags in [
                vk::ImageCreateFlags::SPARSE_BINDING,
                vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE | vk::ImageCreateFlags::MUTABLE_FORMAT,
                vk::ImageCreateFlags::PROTECTED,
            ] {
                refused(&info.flags(flags));
            }
            for handles in [
                vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD,
                vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT,
                vk::ExternalMemoryHandleTypeFlags::ANDROID_HARDWARE_BUFFER_ANDROID,
            ] {
                let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(handles);
                refused(&self::info(format).push_next(&mut external));
            }
        }
        destroy(&device);
    });
}

#[test]
fn applications_hand_over_settings_themselves() {
    let test = "device::applications_hand_over_settings_themselves";
    // The environment outweighs what applications want, and gives `force` here.
    // Validation layers of the loader's age do not know the structure.
    under_layer(test, &[("TEXEMU_HIDE", "eac_r11_*")], || {
        let layer = std::ffi::CString::new(NAME).expect("no zero in it");
        let (off, families) = (vk::FALSE.to_ne_bytes(), c"astc_ldr");
        let list = families.as_ptr().expose_provenance().to_ne_bytes();
        let mut formats = vk::LayerSettingEXT::default().ty(vk::LayerSettingTypeEXT::STRING).values(&list);
        (formats.p_layer_name, formats.p_setting_name) = (layer.as_ptr(), c"formats".as_ptr());
        formats.value_count = 1;
        let mut enable = vk::LayerSettingEXT::default().ty(vk::LayerSettingTypeEXT::BOOL32).values(&off);
        (enable.p_layer_name, enable.p_setting_name) = (layer.as_ptr(), c"enable".as_ptr());
        enable.value_count = 1;
        let other = std::ffi::CString::new("VK_LAYER_OTHER").expect("no zero in it");
        let mut strange = enable;
        strange.p_layer_name = other.as_ptr();
        for (settings, astc) in [([formats, strange], vk::TRUE), ([formats, enable], vk::FALSE)] {
            let mut given = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let names = [ash::ext::layer_settings::NAME.as_ptr()];
            // Loaders look for the extension in the layers that the application asks for.
            let layers = [layer.as_ptr()];
            let info = vk::InstanceCreateInfo::default()
                .application_info(&application)
                .enabled_extension_names(&names)
                .enabled_layer_names(&layers)
                .push_next(&mut given);
            // SAFETY: the library is a Vulkan loader.
            let entry = unsafe { ash::Entry::load() }.expect("a loader");
            // SAFETY: the layer's name is one.
            let known = unsafe { entry.enumerate_instance_extension_properties(Some(&layer)) };
            let known = known.expect("extensions");
            let name = Ok(ash::ext::layer_settings::NAME);
            assert!(known.iter().any(|one| one.extension_name_as_c_str() == name), "the layer has it");
            // SAFETY: valid.
            let instance = match unsafe { entry.create_instance(&info, None) } {
                // Loaders up to 1.3.239 do not know the extension, but hand the structure on.
                // SAFETY: as above.
                Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT) => unsafe {
                    entry.create_instance(&info.enabled_extension_names(&[]), None)
                },
                result => result,
            };
            let instance = instance.expect("an instance");
            // SAFETY: the instance is alive.
            let device = unsafe { instance.enumerate_physical_devices() }.expect("devices")[0];
            // SAFETY: the device belongs to it.
            let features = unsafe { instance.get_physical_device_features(device) };
            let got = (features.texture_compression_astc_ldr, features.texture_compression_etc2);
            assert_eq!(got, (astc, vk::FALSE));
            // SAFETY: nothing was made of it.
            unsafe { instance.destroy_instance(None) };
        }
    });
}

#[test]
fn what_is_turned_off_is_as_if_the_layer_were_not_there() {
    let off = [("TEXEMU_ENABLE", "false")];
    under_validation("device::what_is_turned_off_is_as_if_the_layer_were_not_there", &off, || {
        let bare = Bare::new(Some(vk::API_VERSION_1_3));
        assert!(!bare.tools().iter().any(|tool| tool == NAME));
        let device = bare.device(&[], |_| {});
        destroy(&device);
    });
}

#[test]
fn single_families_can_be_emulated_and_hidden() {
    let astc = [("TEXEMU_FORMATS", "astc"), ("TEXEMU_HIDE", "eac")];
    under_validation("device::single_families_can_be_emulated_and_hidden", &astc, || {
        let bare = Bare::new(Some(vk::API_VERSION_1_1));
        assert_eq!(bare.families(), [true, false], "EAC belongs to the ETC2 feature");
        let hidden = vk::Format::EAC_R11_UNORM_BLOCK;
        // SAFETY: valid.
        let features =
            unsafe { bare.instance.get_physical_device_format_properties(bare.physical_device, hidden) };
        assert!(features.optimal_tiling_features.is_empty());
    });
}

#[test]
fn settings_are_read_from_the_file_and_statistics_written_to_theirs() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("layer");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (settings, statistics) = (folder.join("vk_layer_settings.txt"), folder.join("statistics.json"));
    let _ = std::fs::remove_file(&statistics);
    let text = format!(
        "texemu_texture_emulation.statistics_file = {}\ntexemu_texture_emulation.keep_blocks = always\n",
        statistics.display()
    );
    std::fs::write(&settings, text).expect("written");
    let path = [("VK_LAYER_SETTINGS_PATH", settings.to_str().expect("UTF-8"))];
    let name = "device::settings_are_read_from_the_file_and_statistics_written_to_theirs";
    let expected = statistics.clone();
    under_validation(name, &path, move || {
        let bare = Bare::new(Some(vk::API_VERSION_1_1));
        let device = bare.device(&[], |_| {});
        use_device(&bare, &device);
        destroy(&device);
        let text = std::fs::read_to_string(&expected).expect("the statistics are there");
        assert!(text.contains("\"format\":\"ETC2_R8G8B8_SRGB_BLOCK\",\"images\":0,\"created\":1"), "{text}");
        assert!(text.contains("\"asked\":["), "{text}");
    });
}

#[test]
fn every_alias_leads_to_the_same_function() {
    under_validation("device::every_alias_leads_to_the_same_function", &[], || {
        let bare = Bare::new(Some(vk::API_VERSION_1_3));
        let known = bare.extensions();
        let wanted = [
            ash::khr::copy_commands2::NAME,
            ash::khr::get_memory_requirements2::NAME,
            ash::khr::bind_memory2::NAME,
            ash::khr::maintenance4::NAME,
            ash::khr::descriptor_update_template::NAME,
        ];
        let has = |name: &&CStr| known.iter().any(|other| Ok(other.as_str()) == name.to_str());
        let wanted: Vec<&CStr> = wanted.into_iter().filter(has).collect();
        let device = bare.device(&wanted, |_| {});
        let get = |name: &CStr| {
            // SAFETY: the device is alive.
            unsafe { bare.instance.get_device_proc_addr(device.handle(), name.as_ptr()) }
        };
        let mut compared = 0;
        for (core, alias) in [
            (c"vkCmdCopyBufferToImage2", c"vkCmdCopyBufferToImage2KHR"),
            (c"vkCmdCopyImageToBuffer2", c"vkCmdCopyImageToBuffer2KHR"),
            (c"vkCmdCopyImage2", c"vkCmdCopyImage2KHR"),
            (c"vkCmdBlitImage2", c"vkCmdBlitImage2KHR"),
            (c"vkCmdResolveImage2", c"vkCmdResolveImage2KHR"),
            (c"vkGetImageMemoryRequirements2", c"vkGetImageMemoryRequirements2KHR"),
            (c"vkGetImageSparseMemoryRequirements2", c"vkGetImageSparseMemoryRequirements2KHR"),
            (c"vkGetDeviceImageMemoryRequirements", c"vkGetDeviceImageMemoryRequirementsKHR"),
            (c"vkGetDeviceBufferMemoryRequirements", c"vkGetDeviceBufferMemoryRequirementsKHR"),
            (c"vkBindImageMemory2", c"vkBindImageMemory2KHR"),
            (c"vkCreateDescriptorUpdateTemplate", c"vkCreateDescriptorUpdateTemplateKHR"),
        ] {
            let (core, other) = (get(core).expect("Vulkan 1.3"), get(alias));
            if let Some(other) = other {
                assert!(std::ptr::fn_addr_eq(core, other), "{alias:?}");
                compared += 1;
            }
        }
        assert!(compared > 0 || wanted.is_empty(), "the extensions' functions are there");
        assert!(get(c"vkCmdPushDescriptorSetKHR").is_none(), "an extension that was not enabled stays away");
        destroy(&device);
    });
}
