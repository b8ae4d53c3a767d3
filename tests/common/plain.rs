//! Images that are not emulated: what emulated ones are copied from and to.

use crate::common::texture::{COPY_DST, COPY_SRC, Host, Scope, UNDEFINED, barrier, host_barrier};
use crate::common::upload;
use std::cell::Cell;
use texemu_core::vk;
use texemu_core::{Image, ImageDesc};

/// An image of any `VkFormat`, known to the host's emulator.
pub(crate) struct Plain<'a> {
    host: &'a Host,
    pub(crate) image: Image,
    pub(crate) footprint: [u32; 2],
    pub(crate) block_bytes: u32,
    /// Texels; depth or layers last.
    pub(crate) extent: [u32; 3],
    pub(crate) volume: bool,
    pub(crate) scope: Cell<Scope>,
}

impl<'a> Plain<'a> {
    /// One level. `extent[2]` counts slices of a volume, else layers.
    pub(crate) fn new(
        host: &'a Host,
        format: vk::Format,
        footprint: [u32; 2],
        block_bytes: u32,
        extent: [u32; 3],
        volume: bool,
    ) -> Self {
        let [width, height, slices] = extent;
        let (image_type, depth, layers) =
            if volume { (vk::ImageType::TYPE_3D, slices, 1) } else { (vk::ImageType::TYPE_2D, 1, slices) };
        let info = vk::ImageCreateInfo::default()
            .image_type(image_type)
            .format(format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(
                vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST
                    | vk::ImageUsageFlags::SAMPLED,
            );
        let image = Image::new(&host.gpu, &ImageDesc { name: "plain image", info }).expect("the image fits");
        host.emulator.note_image(image.handle(), &info);
        Self { host, image, footprint, block_bytes, extent, volume, scope: Cell::new(UNDEFINED) }
    }

    /// Columns, rows and slices of blocks.
    pub(crate) fn grid(&self) -> [u32; 3] {
        [
            self.extent[0].div_ceil(self.footprint[0]),
            self.extent[1].div_ceil(self.footprint[1]),
            self.extent[2],
        ]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.grid().iter().product::<u32>() as usize * self.block_bytes as usize
    }

    pub(crate) fn enter(&self, commands: vk::CommandBuffer, to: Scope) {
        barrier(&self.host.gpu, commands, self.image.handle(), self.scope.replace(to), to);
    }

    fn whole(&self) -> vk::BufferImageCopy {
        let [width, height, slices] = self.extent;
        let (depth, layers) = if self.volume { (slices, 1) } else { (1, slices) };
        vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .layer_count(layers),
            )
            .image_extent(vk::Extent3D { width, height, depth })
    }

    pub(crate) fn fill(&self, bytes: &[u8]) {
        let buffer = upload(&self.host.gpu, bytes);
        self.host.run(|commands, _| {
            self.enter(commands, COPY_DST);
            // SAFETY: the buffer holds the image.
            unsafe {
                self.host.gpu.device().cmd_copy_buffer_to_image(
                    commands,
                    buffer.handle(),
                    self.image.handle(),
                    COPY_DST.2,
                    &[self.whole()],
                );
            }
        });
    }

    pub(crate) fn read(&self) -> Vec<u8> {
        let buffer = self.host.readback(self.bytes() as u64);
        self.host.run(|commands, _| {
            self.enter(commands, COPY_SRC);
            // SAFETY: the buffer holds the image.
            unsafe {
                self.host.gpu.device().cmd_copy_image_to_buffer(
                    commands,
                    self.image.handle(),
                    COPY_SRC.2,
                    buffer.handle(),
                    &[self.whole()],
                );
            }
            host_barrier(&self.host.gpu, commands);
        });
        buffer.mapped().expect("mapped").to_vec()
    }
}

impl Drop for Plain<'_> {
    fn drop(&mut self) {
        self.host.emulator.forget_image(self.image.handle());
    }
}
