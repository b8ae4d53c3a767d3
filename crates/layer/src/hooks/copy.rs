//! Copies between images and buffers. Blits from emulated images are the driver's own: it blits the decoded plane.

use super::slice;
use crate::device::Emulation;
use ash::vk;
use texemu_emulate::ImagePair;

device_hook! {
    fn cmd_copy_buffer_to_image(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::BufferImageCopy,
    ); |state| {
        let done = meeting(&state.emulation, &[image]).is_some_and(|emulation| {
            // SAFETY: valid by Vulkan's rules.
            let regions = unsafe { slice(regions, count) };
            let (emulator, access) = (&emulation.emulator, emulation.buffers.access(buffer));
            // SAFETY: as above; the buffer has the usage that `access` says.
            emulation.record("vkCmdCopyBufferToImage", commands, |recording| unsafe {
                emulator.copy_buffer_to_image(commands, recording, buffer, access, image, layout, regions)
            })
        });
        if !done {
            next!(state, cmd_copy_buffer_to_image(commands, buffer, image, layout, count, regions));
        }
    }
}

device_hook! {
    fn cmd_copy_buffer_to_image2(
        commands: vk::CommandBuffer,
        info: *const vk::CopyBufferToImageInfo2<'_>,
    ); |state| {
        // SAFETY: valid by Vulkan's rules.
        let copy = unsafe { &*info };
        let done = meeting(&state.emulation, &[copy.dst_image]).is_some_and(|emulation| {
            let (emulator, access) = (&emulation.emulator, emulation.buffers.access(copy.src_buffer));
            // SAFETY: as above; the buffer has the usage that `access` says.
            emulation.record("vkCmdCopyBufferToImage2", commands, |recording| unsafe {
                emulator.copy_buffer_to_image2(commands, recording, access, copy)
            })
        });
        if !done {
            next!(state, cmd_copy_buffer_to_image2(commands, info));
        }
    }
}

device_hook! {
    fn cmd_copy_image_to_buffer(
        commands: vk::CommandBuffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        buffer: vk::Buffer,
        count: u32,
        regions: *const vk::BufferImageCopy,
    ); |state| {
        let done = meeting(&state.emulation, &[image]).is_some_and(|emulation| {
            // SAFETY: valid by Vulkan's rules.
            let regions = unsafe { slice(regions, count) };
            let emulator = &emulation.emulator;
            // SAFETY: as above.
            emulation.record("vkCmdCopyImageToBuffer", commands, |recording| unsafe {
                emulator.copy_image_to_buffer(commands, recording, image, buffer, regions)
            })
        });
        if !done {
            next!(state, cmd_copy_image_to_buffer(commands, image, layout, buffer, count, regions));
        }
    }
}

device_hook! {
    fn cmd_copy_image_to_buffer2(
        commands: vk::CommandBuffer,
        info: *const vk::CopyImageToBufferInfo2<'_>,
    ); |state| {
        // SAFETY: valid by Vulkan's rules.
        let copy = unsafe { &*info };
        let done = meeting(&state.emulation, &[copy.src_image]).is_some_and(|emulation| {
            let emulator = &emulation.emulator;
            // SAFETY: as above.
            emulation.record("vkCmdCopyImageToBuffer2", commands, |recording| unsafe {
                emulator.copy_image_to_buffer2(commands, recording, copy)
            })
        });
        if !done {
            next!(state, cmd_copy_image_to_buffer2(commands, info));
        }
    }
}

device_hook! {
    fn cmd_copy_image(
        commands: vk::CommandBuffer,
        src: vk::Image,
        src_layout: vk::ImageLayout,
        dst: vk::Image,
        dst_layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::ImageCopy,
    ); |state| {
        let done = meeting(&state.emulation, &[src, dst]).is_some_and(|emulation| {
            // SAFETY: valid by Vulkan's rules.
            let regions = unsafe { slice(regions, count) };
            let emulator = &emulation.emulator;
            let images = ImagePair { src, src_layout, dst, dst_layout };
            // SAFETY: as above.
            emulation.record("vkCmdCopyImage", commands, |recording| unsafe {
                emulator.copy_image(commands, recording, images, regions)
            })
        });
        if !done {
            next!(state, cmd_copy_image(commands, src, src_layout, dst, dst_layout, count, regions));
        }
    }
}

device_hook! {
    fn cmd_copy_image2(commands: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>); |state| {
        // SAFETY: valid by Vulkan's rules.
        let copy = unsafe { &*info };
        let done = meeting(&state.emulation, &[copy.src_image, copy.dst_image]).is_some_and(|emulation| {
            let emulator = &emulation.emulator;
            // SAFETY: as above.
            emulation.record("vkCmdCopyImage2", commands, |recording| unsafe {
                emulator.copy_image2(commands, recording, copy)
            })
        });
        if !done {
            next!(state, cmd_copy_image2(commands, info));
        }
    }
}

device_hook! {
    fn cmd_blit_image(
        commands: vk::CommandBuffer,
        src: vk::Image,
        src_layout: vk::ImageLayout,
        dst: vk::Image,
        dst_layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::ImageBlit,
        filter: vk::Filter,
    ); |state| {
        if !refused("vkCmdBlitImage", &state.emulation, dst) {
            next!(state, cmd_blit_image(commands, src, src_layout, dst, dst_layout, count, regions, filter));
        }
    }
}

device_hook! {
    fn cmd_blit_image2(commands: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>); |state| {
        // SAFETY: valid by Vulkan's rules.
        let dst = unsafe { (*info).dst_image };
        if !refused("vkCmdBlitImage2", &state.emulation, dst) {
            next!(state, cmd_blit_image2(commands, info));
        }
    }
}

device_hook! {
    fn cmd_resolve_image(
        commands: vk::CommandBuffer,
        src: vk::Image,
        src_layout: vk::ImageLayout,
        dst: vk::Image,
        dst_layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::ImageResolve,
    ); |state| {
        if !refused("vkCmdResolveImage", &state.emulation, dst) {
            next!(state, cmd_resolve_image(commands, src, src_layout, dst, dst_layout, count, regions));
        }
    }
}

device_hook! {
    fn cmd_resolve_image2(commands: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>); |state| {
        // SAFETY: valid by Vulkan's rules.
        let dst = unsafe { (*info).dst_image };
        if !refused("vkCmdResolveImage2", &state.emulation, dst) {
            next!(state, cmd_resolve_image2(commands, info));
        }
    }
}

device_hook! {
    fn cmd_clear_color_image(
        commands: vk::CommandBuffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        colour: *const vk::ClearColorValue,
        count: u32,
        ranges: *const vk::ImageSubresourceRange,
    ); |state| {
        if !refused("vkCmdClearColorImage", &state.emulation, image) {
            next!(state, cmd_clear_color_image(commands, image, layout, colour, count, ranges));
        }
    }
}

/// The emulation, if one of the images is its.
fn meeting<'a>(emulation: &'a Option<Emulation>, images: &[vk::Image]) -> Option<&'a Emulation> {
    emulation.as_ref().filter(|one| images.iter().any(|&image| one.emulator.is_emulated(image)))
}

/// Whether a command that no compressed image may be the target of is left out: the decoded plane would take it, and its
/// blocks would not know.
fn refused(name: &str, emulation: &Option<Emulation>, image: vk::Image) -> bool {
    let refused = meeting(emulation, &[image]).is_some();
    if refused {
        log::error!("{name}: left out, for it may not write to a compressed image");
    }
    refused
}
