//! An application that knows nothing of the layer: it opens a device, and uses images as if the device had their formats.

use crate::common::draw::{Draw, Shot, View};
use crate::common::texture::{
    ALL, COPY_DST, COPY_SRC, SAMPLE, Scope, TextureDesc, UNDEFINED, barrier, compare, decode, host_barrier,
};
use crate::common::{TestGpu, upload};
use std::cell::Cell;
use texemu_core::vk;
use texemu_core::{Buffer, BufferDesc, Commands, Image, ImageDesc, Location};
use texemu_format::Format;

/// A device, and something to draw with.
pub(crate) struct Guest {
    pub(crate) draw: Draw,
    pub(crate) gpu: TestGpu,
}

impl Guest {
    pub(crate) fn new() -> Self {
        let gpu = TestGpu::new();
        Self { draw: Draw::new(&gpu), gpu }
    }

    /// Records, submits, waits.
    pub(crate) fn run(&self, record: impl FnOnce(vk::CommandBuffer)) {
        let mut commands = Commands::new(&self.gpu).expect("commands");
        commands
            .run(|commands| {
                record(commands);
                Ok::<_, texemu_core::Error>(())
            })
            .expect("the commands run");
    }

    pub(crate) fn readback(&self, bytes: u64) -> Buffer {
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let desc = BufferDesc { name: "read back", size: bytes, usage, location: Location::Readback };
        let mut buffer = Buffer::new(&self.gpu, &desc).expect("the buffer fits");
        buffer.mapped_mut().expect("mapped").fill(0xCD);
        buffer
    }

    /// A buffer to copy from, created as applications do.
    pub(crate) fn staging(&self, bytes: &[u8]) -> Buffer {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC;
        let desc =
            BufferDesc { name: "staging", size: bytes.len() as u64, usage, location: Location::Upload };
        let mut buffer = Buffer::new(&self.gpu, &desc).expect("the buffer fits");
        buffer.mapped_mut().expect("mapped").copy_from_slice(bytes);
        buffer
    }
}

/// An image of any format.
pub(crate) struct Picture<'a> {
    guest: &'a Guest,
    pub(crate) desc: TextureDesc,
    pub(crate) image: Image,
    scope: Cell<Scope>,
}

/// Which version of a command an application calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    First,
    Second,
}

impl<'a> Picture<'a> {
    pub(crate) fn new(guest: &'a Guest, desc: TextureDesc) -> Self {
        let image = Image::new(&guest.gpu, &ImageDesc { name: "picture", info: desc.info() });
        let image = image.unwrap_or_else(|error| panic!("{}: {error}", desc.format.name));
        Self { guest, desc, image, scope: Cell::new(UNDEFINED) }
    }

    pub(crate) fn handle(&self) -> vk::Image {
        self.image.handle()
    }

    pub(crate) fn enter(&self, commands: vk::CommandBuffer, to: Scope) {
        barrier(&self.guest.gpu, commands, self.handle(), self.scope.replace(to), to);
    }

    /// Copies of whole levels, one behind the other in a buffer.
    pub(crate) fn whole(&self) -> Vec<vk::BufferImageCopy> {
        let mut offset = 0;
        let level = |level| {
            let copy = self.desc.whole(level, offset);
            offset += self.desc.level_bytes(level);
            copy
        };
        (0..self.desc.levels).map(level).collect()
    }

    pub(crate) fn fill(&self, levels: &[Vec<u8>], form: Form) {
        let buffer = match form {
            Form::First => self.guest.staging(&levels.concat()),
            Form::Second => upload(&self.guest.gpu, &levels.concat()),
        };
        let device = self.guest.gpu.device();
        self.guest.run(|commands| {
            self.enter(commands, COPY_DST);
            let (source, regions) = (buffer.handle(), self.whole());
            match form {
                // SAFETY: image and buffer are alive and in place.
                Form::First => unsafe {
                    device.cmd_copy_buffer_to_image(commands, source, self.handle(), COPY_DST.2, &regions);
                },
                Form::Second => {
                    let regions: Vec<_> = regions.iter().map(second).collect();
                    let info = vk::CopyBufferToImageInfo2::default()
                        .src_buffer(source)
                        .dst_image(self.handle())
                        .dst_image_layout(COPY_DST.2)
                        .regions(&regions);
                    // SAFETY: as above.
                    unsafe { device.cmd_copy_buffer_to_image2(commands, &info) };
                }
            }
            self.enter(commands, SAMPLE);
        });
    }

    /// The bytes of every level.
    pub(crate) fn read(&self, form: Form) -> Vec<Vec<u8>> {
        let sizes: Vec<u64> = (0..self.desc.levels).map(|level| self.desc.level_bytes(level)).collect();
        let buffer = self.guest.readback(sizes.iter().sum());
        let device = self.guest.gpu.device();
        self.guest.run(|commands| {
            self.enter(commands, COPY_SRC);
            let (target, regions) = (buffer.handle(), self.whole());
            match form {
                // SAFETY: image and buffer are alive and in place.
                Form::First => unsafe {
                    device.cmd_copy_image_to_buffer(commands, self.handle(), COPY_SRC.2, target, &regions);
                },
                Form::Second => {
                    let regions: Vec<_> = regions.iter().map(second).collect();
                    let info = vk::CopyImageToBufferInfo2::default()
                        .src_image(self.handle())
                        .src_image_layout(COPY_SRC.2)
                        .dst_buffer(target)
                        .regions(&regions);
                    // SAFETY: as above.
                    unsafe { device.cmd_copy_image_to_buffer2(commands, &info) };
                }
            }
            self.enter(commands, SAMPLE);
            host_barrier(&self.guest.gpu, commands);
        });
        let mut rest = buffer.mapped().expect("mapped");
        let mut levels = Vec::new();
        for size in sizes {
            let (level, tail) = rest.split_at(size as usize);
            levels.push(level.to_vec());
            rest = tail;
        }
        levels
    }

    /// Copies every level of another image of the same shape.
    pub(crate) fn copy_from(&self, other: &Picture<'_>, form: Form) {
        let device = self.guest.gpu.device();
        self.guest.run(|commands| {
            other.enter(commands, COPY_SRC);
            self.enter(commands, COPY_DST);
            let regions: Vec<vk::ImageCopy> = (0..self.desc.levels)
                .map(|level| {
                    let to = self.desc.whole(level, 0);
                    let from = other.desc.whole(level, 0);
                    vk::ImageCopy::default()
                        .src_subresource(from.image_subresource)
                        .dst_subresource(to.image_subresource)
                        .extent(from.image_extent)
                })
                .collect();
            let (src, dst) = (other.handle(), self.handle());
            match form {
                // SAFETY: both images are alive and in place.
                Form::First => unsafe {
                    device.cmd_copy_image(commands, src, COPY_SRC.2, dst, COPY_DST.2, &regions);
                },
                Form::Second => {
                    let regions: Vec<vk::ImageCopy2<'_>> = regions
                        .iter()
                        .map(|copy| {
                            vk::ImageCopy2::default()
                                .src_subresource(copy.src_subresource)
                                .dst_subresource(copy.dst_subresource)
                                .extent(copy.extent)
                        })
                        .collect();
                    let info = vk::CopyImageInfo2::default()
                        .src_image(src)
                        .src_image_layout(COPY_SRC.2)
                        .dst_image(dst)
                        .dst_image_layout(COPY_DST.2)
                        .regions(&regions);
                    // SAFETY: as above.
                    unsafe { device.cmd_copy_image2(commands, &info) };
                }
            }
            self.enter(commands, SAMPLE);
            other.enter(commands, SAMPLE);
        });
    }

    /// The texels of a level as a sampler sees them.
    pub(crate) fn sample(&self, level: u32) -> Vec<[f32; 4]> {
        let view_type = match self.desc.kind {
            View::Array => vk::ImageViewType::TYPE_2D_ARRAY,
            View::Volume => vk::ImageViewType::TYPE_3D,
            View::Cube => vk::ImageViewType::CUBE,
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(self.handle())
            .view_type(view_type)
            .format(texemu_core::vk_format(self.desc.format.vk))
            .subresource_range(ALL);
        let device = self.guest.gpu.device();
        // SAFETY: the image is alive and bound.
        let view = unsafe { device.create_image_view(&info, None) }.expect("a view");
        let (kind, layout, size) = (self.desc.kind, SAMPLE.2, self.desc.size(level));
        let shot = Shot { view, kind, layout, level, size, origin: [0.0; 2] };
        let texels = self.guest.draw.sample(&shot);
        // SAFETY: the draw was waited for.
        unsafe { device.destroy_image_view(view, None) };
        texels
    }

    /// Samples every level and compares with the CPU twin's decode.
    pub(crate) fn check(&self, levels: &[Vec<u8>]) {
        for (level, blocks) in (0..).zip(levels) {
            let size = self.desc.size(level);
            compare(
                self.desc.format,
                &self.sample(level),
                &decode(self.desc.format, blocks, size),
                size,
                level,
            );
        }
    }
}

fn second(copy: &vk::BufferImageCopy) -> vk::BufferImageCopy2<'static> {
    vk::BufferImageCopy2::default()
        .buffer_offset(copy.buffer_offset)
        .buffer_row_length(copy.buffer_row_length)
        .buffer_image_height(copy.buffer_image_height)
        .image_subresource(copy.image_subresource)
        .image_offset(copy.image_offset)
        .image_extent(copy.image_extent)
}

/// A two-dimensional image with levels and layers.
pub(crate) fn flat(format: &'static Format) -> TextureDesc {
    TextureDesc::new(format, View::Array, [37, 29, 1], 3, 2)
}
