//! Copies between images and buffers. Blits from emulated images are the driver's own: it blits the decoded plane.

use super::slice;
use crate::device::{Device, Emulation};
use ash::vk;
use texemu_emulate::{ImagePair, Recording};

device_hook! {
    fn cmd_copy_buffer_to_image(
        commands: vk::CommandBuffer,
        buffer: vk::Buffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        count: u32,
        regions: *const vk::BufferImageCopy,
    ); |state| {
        let done = state.emulate("vkCmdCopyBufferToImage", commands, &[image], |emulation, recording| {
            let access = emulation.buffers.access(buffer);
            // SAFETY: valid by Vulkan's rules.
            let regions = unsafe { slice(regions, count) };
            let emulator = &emulation.emulator;
            // SAFETY: as above; the buffer has the usage that `access` says.
            unsafe { emulator.copy_buffer_to_image(commands, recording, buffer, access, image, layout, regions) }
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
        let done = state.emulate("vkCmdCopyBufferToImage2", commands, &[copy.dst_image], |emulation, recording| {
            let access = emulation.buffers.access(copy.src_buffer);
            // SAFETY: as above; the buffer has the usage that `access` says.
            unsafe { emulation.emulator.copy_buffer_to_image2(commands, recording, access, copy) }
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
        let done = state.emulate("vkCmdCopyImageToBuffer", commands, &[image], |emulation, recording| {
            // SAFETY: valid by Vulkan's rules.
            let regions = unsafe { slice(regions, count) };
            // SAFETY: as above.
            unsafe { emulation.emulator.copy_image_to_buffer(commands, recording, image, buffer, regions) }
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
        let done = state.emulate("vkCmdCopyImageToBuffer2", commands, &[copy.src_image], |emulation, recording| {
            // SAFETY: as above.
            unsafe { emulation.emulator.copy_image_to_buffer2(commands, recording, copy) }
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
        let done = state.emulate("vkCmdCopyImage", commands, &[src, dst], |emulation, recording| {
            let images = ImagePair { src, src_layout, dst, dst_layout };
            // SAFETY: valid by Vulkan's rules.
            let regions = unsafe { slice(regions, count) };
            // SAFETY: as above.
            unsafe { emulation.emulator.copy_image(commands, recording, images, regions) }
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
        let images = [copy.src_image, copy.dst_image];
        let done = state.emulate("vkCmdCopyImage2", commands, &images, |emulation, recording| {
            // SAFETY: as above.
            unsafe { emulation.emulator.copy_image2(commands, recording, copy) }
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
        if !state.refuses("vkCmdBlitImage", dst) {
            next!(state, cmd_blit_image(commands, src, src_layout, dst, dst_layout, count, regions, filter));
        }
    }
}

device_hook! {
    fn cmd_blit_image2(commands: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>); |state| {
        // SAFETY: valid by Vulkan's rules.
        let dst = unsafe { (*info).dst_image };
        if !state.refuses("vkCmdBlitImage2", dst) {
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
        if !state.refuses("vkCmdResolveImage", dst) {
            next!(state, cmd_resolve_image(commands, src, src_layout, dst, dst_layout, count, regions));
        }
    }
}

device_hook! {
    fn cmd_resolve_image2(commands: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>); |state| {
        // SAFETY: valid by Vulkan's rules.
        let dst = unsafe { (*info).dst_image };
        if !state.refuses("vkCmdResolveImage2", dst) {
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
        if !state.refuses("vkCmdClearColorImage", image) {
            next!(state, cmd_clear_color_image(commands, image, layout, colour, count, ranges));
        }
    }
}

impl Device {
    /// The emulation, if one of the images is its.
    fn meeting(&self, images: &[vk::Image]) -> Option<&Emulation> {
        let emulation = self.emulation.as_ref()?;
        images.iter().any(|&image| emulation.emulator.is_emulated(image)).then_some(emulation)
    }

    /// Records a copy that meets emulated images; `false` if it meets none, and the driver is to be called.
    fn emulate(
        &self,
        name: &str,
        commands: vk::CommandBuffer,
        images: &[vk::Image],
        record: impl FnOnce(&Emulation, &mut Recording) -> texemu_emulate::Result<bool>,
    ) -> bool {
        let Some(emulation) = self.meeting(images) else { return false };
        emulation.record(name, commands, |recording| record(emulation, recording))
    }

    /// Whether a command that no compressed image may be the target of is left out: the decoded plane would take it, and its
    /// blocks would not know.
    fn refuses(&self, name: &str, image: vk::Image) -> bool {
        let refused = self.meeting(&[image]).is_some();
        if refused {
            log::error!("{name}: left out, for it may not write to a compressed image");
        }
        refused
    }
}
