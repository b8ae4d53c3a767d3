//! A frame without a window.

use crate::error::{Error, Result};
use crate::pass::Attachment;
use crate::viewer::Viewer;
use texemu_core::{Buffer, BufferDesc, Commands, Location, vk};

/// What a frame is drawn into: what windows mostly have, so that both round alike. The shader makes the code values that a
/// screen takes, so no conversion stands behind it.
const FORMAT: vk::Format = vk::Format::B8G8R8A8_UNORM;

impl Viewer {
    /// Draws a frame of `size` pixels, as the window would show it. Returns its rows, four bytes a pixel: sRGB code values,
    /// opaque.
    pub fn frame(&mut self, [width, height]: [u32; 2]) -> Result<Vec<u8>> {
        let gpu = self.gpu().clone();
        let limits = &gpu.capabilities().limits;
        let most = limits
            .max_image_dimension2_d
            .min(limits.max_framebuffer_width)
            .min(limits.max_framebuffer_height);
        if width == 0 || height == 0 || width > most || height > most {
            return Err(Error::Unsupported(format!(
                "a frame of {width}x{height} pixels: each side must be from 1 to {most}"
            )));
        }
        self.prepare()?;
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let pass = Self::create_pass(&gpu, FORMAT, layout)?;
        let target =
            Attachment::new(&gpu, &pass, FORMAT, [width, height], vk::ImageUsageFlags::TRANSFER_SRC)?;
        let desc = BufferDesc {
            name: "frame",
            size: u64::from(width) * u64::from(height) * 4,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: Location::Readback,
        };
        let pixels = Buffer::new(&gpu, &desc)?;
        Commands::new(&gpu)?.run(|commands| {
            // SAFETY: everything lives until `run` has waited, here and below.
            unsafe { self.record(commands, &pass, target.framebuffer, [width, height], false) }?;
            let layers =
                vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
            let copy = [vk::BufferImageCopy::default()
                .image_subresource(layers)
                .image_extent(vk::Extent3D { width, height, depth: 1 })];
            let (device, image) = (gpu.device(), target.image.handle());
            // SAFETY: the pass left the image in that layout and visible to transfers; the buffer holds it.
            unsafe { device.cmd_copy_image_to_buffer(commands, image, layout, pixels.handle(), &copy) };
            let host = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            let (from, to) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
            let flags = vk::DependencyFlags::empty();
            // SAFETY: recorded outside a render pass.
            unsafe { device.cmd_pipeline_barrier(commands, from, to, flags, &host, &[], &[]) };
            Ok::<_, Error>(())
        })?;
        let mut pixels = pixels.mapped().unwrap_or_default().to_vec();
        for pixel in pixels.chunks_exact_mut(4) {
            pixel.swap(0, 2);
        }
        Ok(pixels)
    }
}
