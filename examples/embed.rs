//! A host with its own Vulkan device shows an ASTC texture on it, whether the device knows ASTC or not.
//!
//! `docs/embedding.md` walks through this file. What every Vulkan program does (device, memory, render pass, pipeline) is in
//! `embed/host.rs`; here is what a host does to adopt texemu:
//!
//! 1. It asks an [`Offer`] what the device has once emulation is counted, and creates its device as that says.
//! 2. It lends the device to texemu and makes an [`Emulator`].
//! 3. Images, views, memory and copies of formats that are emulated go through it; everything else stays as it was.
//!
//! Run it: `cargo run --example embed`.

#[path = "embed/host.rs"]
mod host;

use ash::vk;
use host::{Host, Instance};
use std::error::Error;
use std::path::Path;
use texemu_core::{CacheLocation, Features, Gpu, HostDevice};
use texemu_emulate::{Emulator, EmulatorDesc, Offer, Queue, Settings, SourceAccess};

/// The texture: 250 x 187 texels of ASTC 8x8, 6 KiB.
const TEXTURE: &str = "tests/data/swatch_8x8.astc";

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run()?);
    Ok(())
}

/// Shows the texture and compares every pixel with the decoder on the CPU. Returns what there is to tell.
pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(TEXTURE);
    let texture = texemu_container::read(std::fs::read(file)?)?;
    let (format, [width, height, _]) = (texture.format(), texture.shape().extent());
    let vk_format = texemu_core::vk_format(format.vk);

    // 1. What the device has. `force` only so that the example also shows something where ASTC is native.
    let settings = Settings { force: true, ..Settings::default() };
    let instance = Instance::new()?;
    // SAFETY: the physical device belongs to the instance, which outlives the offer.
    let offer = unsafe { Offer::new(&instance.functions, instance.physical_device, &settings) };
    let mut features = vk::PhysicalDeviceFeatures::default();
    offer.add_features(&mut features);
    if features.texture_compression_astc_ldr == vk::FALSE {
        return Err("this device can neither sample ASTC nor hold what it decodes to".into());
    }
    // The host creates its device as it would for a GPU with ASTC; texemu takes out what this one does not know.
    let wishes = vk::PhysicalDeviceFeatures::default().texture_compression_astc_ldr(true);
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(instance.queue_family)
        .queue_priorities(&priorities)];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&wishes);
    // SAFETY: `info` is valid and outlives `changed`.
    let mut changed = unsafe { offer.device_create_info(&info) };
    let info = changed.get();
    let host = Host::new(instance, &info)?;

    // 2. texemu borrows the device. It submits nothing and waits for nothing.
    let lent = HostDevice {
        get_instance_proc_addr: host.get_instance_proc_addr(),
        instance: host.instance.functions.handle(),
        physical_device: host.instance.physical_device,
        device: host.device.handle(),
        queue_family_index: host.instance.queue_family,
        // SAFETY: the structure that the device was created from.
        features: unsafe { Features::from_create_info(&info, vk::API_VERSION_1_1) },
        extensions: &[],
        cache: CacheLocation::User,
    };
    // SAFETY: the handles belong together and outlive the emulator.
    let gpu = unsafe { Gpu::borrow_host(&lent) }?;
    let families = [host.instance.queue_family];
    let emulator =
        Emulator::new(&EmulatorDesc { gpu: &gpu, settings: &settings, queue_families: &families })?;

    // 3. An image of the format itself, as on any device.
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk_format)
        .extent(vk::Extent3D { width, height, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
    // SAFETY: `info` is valid.
    let image = unsafe { emulator.create_image(&info, None) }?.ok_or("the format is emulated")?;
    let needed = emulator.image_memory_requirements(image).ok_or("the image is emulated")?;
    let memory = host.allocate(needed, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
    // SAFETY: the memory meets the requirements.
    unsafe { emulator.bind_image_memory(image, memory, 0) }?;
    let info = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
        .format(vk_format)
        .subresource_range(host::COLOUR);
    // SAFETY: the image is bound.
    let view = unsafe { emulator.create_image_view(&info, None) }?.ok_or("the image is emulated")?;

    // The upload is a copy like any other; what a decoder may read directly has texel-buffer usage.
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
    let staging = host.buffer_with(usage, texture.level(0))?;
    let region = [vk::BufferImageCopy::default()
        .image_subresource(host::LAYERS)
        .image_extent(vk::Extent3D { width, height, depth: 1 })];
    let mut recording = emulator.recording(Queue::Compute);
    let pixels = host.frame([width, height], view, |commands| {
        host.barrier(commands, image, host::UNDEFINED, host::COPIED);
        let (source, access, layout) = (staging.buffer, SourceAccess::TexelBuffer, host::COPIED.2);
        // SAFETY: image and buffer are alive and in place.
        unsafe {
            emulator.copy_buffer_to_image(commands, &mut recording, source, access, image, layout, &region)
        }?;
        host.barrier(commands, image, host::COPIED, host::SAMPLED);
        Ok(())
    })?;
    // SAFETY: `frame` waits for its fence.
    unsafe { emulator.recycle(recording) }?;

    let expected =
        texemu_reference::decode_image(format, texture.level(0), [width, height, 1], &Default::default())?;
    let wrong = pixels.chunks(4).zip(expected.chunks(4)).filter(|(drawn, twin)| drawn != twin).count();
    if wrong > 0 {
        return Err(format!("{wrong} pixels differ from the CPU's").into());
    }
    let report = emulator.describe(image).ok_or("the image is emulated")?;
    let told = format!(
        "{TEXTURE}: {} pixels as on the CPU, stored as {} in {} bytes on {}",
        width * height,
        report.target.name,
        report.decoded_bytes,
        gpu.capabilities().info.name,
    );

    // SAFETY: the frame was waited for.
    unsafe { host.device.destroy_image_view(view, None) };
    // SAFETY: as above.
    unsafe { emulator.destroy_image(image, None) };
    // SAFETY: nothing is bound to it any more.
    unsafe { host.device.free_memory(memory, None) };
    drop(staging);
    // Before the device that they were lent.
    drop((emulator, gpu));
    host.close()?;
    Ok(told)
}
