//! Emulated images for tests: created, bound, filled, sampled and read back as a host would.

use crate::common::draw::{Draw, Shot, View};
use crate::common::{TestGpu, upload};
use std::cell::Cell;
use texemu_core::vk;
use texemu_core::{Buffer, BufferDesc, Commands, Gpu, Image, ImageDesc, Location};
use texemu_emulate::{Emulator, EmulatorDesc, Queue, Recording, Settings, SourceAccess};
use texemu_format::{Codec, Format, Numeric, level_extent};
use texemu_reference::Options;
use texemu_reference::blocks::{Class, generate};
use texemu_reference::encode::{Effort, encode_image};

/// A device with an emulator and something to draw with.
pub(crate) struct Host {
    pub(crate) emulator: Emulator,
    pub(crate) draw: Draw,
    pub(crate) gpu: TestGpu,
}

impl Host {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self::on(TestGpu::new(), settings)
    }

    pub(crate) fn on(gpu: TestGpu, settings: &Settings) -> Self {
        // A device that has a format itself is made to emulate it, or there would be nothing to test.
        let settings = Settings { force: true, ..settings.clone() };
        let desc = EmulatorDesc { gpu: &gpu, settings: &settings, queue_families: &[] };
        let emulator = Emulator::new(&desc).expect("an emulator");
        let draw = Draw::new(&gpu);
        Self { emulator, draw, gpu }
    }

    /// Records, submits, waits.
    pub(crate) fn run(&self, record: impl FnOnce(vk::CommandBuffer, &mut Recording)) {
        let mut commands = Commands::new(&self.gpu).expect("commands");
        let mut recording = self.emulator.recording(Queue::Compute);
        commands
            .run(|commands| {
                record(commands, &mut recording);
                Ok::<_, texemu_core::Error>(())
            })
            .expect("the commands run");
        // SAFETY: `run` waits.
        unsafe { self.emulator.recycle(recording) }.expect("recycled");
    }

    pub(crate) fn readback(&self, bytes: u64) -> Buffer {
        let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
        let desc = BufferDesc { name: "read back", size: bytes, usage, location: Location::Readback };
        let mut buffer = Buffer::new(&self.gpu, &desc).expect("the buffer fits");
        buffer.mapped_mut().expect("mapped").fill(0xCD);
        buffer
    }
}

/// What a texture is created with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureDesc {
    pub(crate) format: &'static Format,
    pub(crate) kind: View,
    pub(crate) extent: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) layers: u32,
    pub(crate) usage: vk::ImageUsageFlags,
    pub(crate) flags: vk::ImageCreateFlags,
}

impl TextureDesc {
    /// Sampled, copied to and from.
    pub(crate) fn new(
        format: &'static Format,
        kind: View,
        extent: [u32; 3],
        levels: u32,
        layers: u32,
    ) -> Self {
        let usage = vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST;
        let flags = match kind {
            View::Cube => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            View::Array | View::Volume => vk::ImageCreateFlags::empty(),
        };
        Self { format, kind, extent, levels, layers, usage, flags }
    }

    /// Without the blocks kept, if nothing else keeps them.
    pub(crate) fn sampled_only(self) -> Self {
        Self { usage: vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST, ..self }
    }

    pub(crate) fn info(&self) -> vk::ImageCreateInfo<'static> {
        let image_type =
            if self.kind == View::Volume { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D };
        let [width, height, depth] = self.extent;
        vk::ImageCreateInfo::default()
            .flags(self.flags)
            .image_type(image_type)
            .format(texemu_core::vk_format(self.format.vk))
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(self.levels)
            .array_layers(self.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(self.usage)
    }

    /// Texels of a level: width, height, and layers or slices.
    pub(crate) fn size(&self, level: u32) -> [u32; 3] {
        let [width, height, depth] = level_extent(self.extent, level);
        [width, height, depth * self.layers]
    }

    /// Bytes of a level's blocks, all layers.
    pub(crate) fn level_bytes(&self, level: u32) -> u64 {
        self.format.level_bytes(self.size(level)).expect("small")
    }

    /// Blocks for every level.
    pub(crate) fn blocks(&self, class: Class, seed: u64) -> Vec<Vec<u8>> {
        let bytes = u64::from(self.format.block_bytes);
        let level = |level| {
            let count = self.level_bytes(level) / bytes;
            generate(self.format, class, count as usize, seed + u64::from(level))
        };
        (0..self.levels).map(level).collect()
    }

    /// A copy of a whole level.
    pub(crate) fn whole(&self, level: u32, buffer_offset: u64) -> vk::BufferImageCopy {
        let [width, height, depth] = level_extent(self.extent, level);
        vk::BufferImageCopy::default()
            .buffer_offset(buffer_offset)
            .image_subresource(self.subresource(level, 0, self.layers))
            .image_extent(vk::Extent3D { width, height, depth })
    }

    pub(crate) fn subresource(&self, level: u32, layer: u32, layers: u32) -> vk::ImageSubresourceLayers {
        vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .mip_level(level)
            .base_array_layer(layer)
            .layer_count(layers)
    }
}

/// The whole of an image.
pub(crate) const ALL: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: vk::REMAINING_MIP_LEVELS,
    base_array_layer: 0,
    layer_count: vk::REMAINING_ARRAY_LAYERS,
};

/// One side of a barrier.
pub(crate) type Scope = (vk::PipelineStageFlags, vk::AccessFlags, vk::ImageLayout);

pub(crate) const UNDEFINED: Scope =
    (vk::PipelineStageFlags::TOP_OF_PIPE, vk::AccessFlags::NONE, vk::ImageLayout::UNDEFINED);
pub(crate) const COPY_DST: Scope = (
    vk::PipelineStageFlags::TRANSFER,
    vk::AccessFlags::TRANSFER_WRITE,
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
);
pub(crate) const COPY_SRC: Scope =
    (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_READ, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
pub(crate) const SAMPLE: Scope = (
    vk::PipelineStageFlags::FRAGMENT_SHADER,
    vk::AccessFlags::SHADER_READ,
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
);

/// A plain image barrier, as any application writes it.
pub(crate) fn barrier(gpu: &Gpu, commands: vk::CommandBuffer, image: vk::Image, from: Scope, to: Scope) {
    let barrier = vk::ImageMemoryBarrier::default()
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(ALL)
        .src_access_mask(from.1)
        .dst_access_mask(to.1)
        .old_layout(from.2)
        .new_layout(to.2);
    let none = vk::DependencyFlags::empty();
    // SAFETY: the image is alive; recorded outside a render pass.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, from.0, to.0, none, &[], &[], &[barrier]) };
}

/// An emulated image in memory of its own. Leaves `SHADER_READ_ONLY_OPTIMAL` between uses.
pub(crate) struct Texture<'a> {
    pub(crate) host: &'a Host,
    pub(crate) desc: TextureDesc,
    pub(crate) image: vk::Image,
    pub(crate) target: &'static Format,
    memory: vk::DeviceMemory,
    scope: Cell<Scope>,
}

impl<'a> Texture<'a> {
    pub(crate) fn new(host: &'a Host, desc: TextureDesc) -> Self {
        Self::with_info(host, desc, &desc.info())
    }

    pub(crate) fn with_info(host: &'a Host, desc: TextureDesc, info: &vk::ImageCreateInfo<'_>) -> Self {
        // SAFETY: the structure is valid for the format as it is offered.
        let image = unsafe { host.emulator.create_image(info, None) }
            .unwrap_or_else(|error| panic!("{}: {error}", desc.format.name))
            .unwrap_or_else(|| panic!("{} is emulated", desc.format.name));
        let requirements = host.emulator.image_memory_requirements(image).expect("emulated");
        // Somewhere inside an allocation, not at its start.
        let offset = requirements.alignment;
        let memory = allocate(&host.gpu, requirements, offset);
        // SAFETY: the memory meets the requirements.
        unsafe { host.emulator.bind_image_memory(image, memory, offset) }.expect("bound");
        let target = host.emulator.describe(image).expect("emulated").target;
        Self { host, desc, image, target, memory, scope: Cell::new(UNDEFINED) }
    }

    /// The next use's barrier.
    pub(crate) fn enter(&self, commands: vk::CommandBuffer, to: Scope) {
        barrier(&self.host.gpu, commands, self.image, self.scope.replace(to), to);
    }

    /// Says where a barrier of the test's own has left it.
    pub(crate) fn left_in(&self, scope: Scope) {
        self.scope.set(scope);
    }

    /// Copies regions of a buffer.
    pub(crate) fn copy_in(
        &self,
        commands: vk::CommandBuffer,
        recording: &mut Recording,
        buffer: vk::Buffer,
        access: SourceAccess,
        regions: &[vk::BufferImageCopy],
    ) {
        self.enter(commands, COPY_DST);
        let (emulator, layout) = (&self.host.emulator, COPY_DST.2);
        // SAFETY: image and buffer are alive and in place.
        let emulated = unsafe {
            emulator.copy_buffer_to_image(commands, recording, buffer, access, self.image, layout, regions)
        };
        assert!(emulated.expect("the copy is recorded"), "the image is emulated");
        self.enter(commands, SAMPLE);
    }

    /// Fills every level.
    pub(crate) fn fill(&self, levels: &[Vec<u8>]) {
        let buffer = upload(&self.host.gpu, &levels.concat());
        let mut offset = 0;
        let mut regions = Vec::new();
        for (level, blocks) in (0..).zip(levels) {
            regions.push(self.desc.whole(level, offset));
            offset += blocks.len() as u64;
        }
        self.host.run(|commands, recording| {
            self.copy_in(commands, recording, buffer.handle(), SourceAccess::TexelBuffer, &regions);
        });
    }

    /// The blocks of every level, read back.
    pub(crate) fn blocks(&self) -> Vec<Vec<u8>> {
        let sizes: Vec<u64> = (0..self.desc.levels).map(|level| self.desc.level_bytes(level)).collect();
        let buffer = self.host.readback(sizes.iter().sum());
        let mut offset = 0;
        let mut regions = Vec::new();
        for (level, size) in (0..).zip(&sizes) {
            regions.push(self.desc.whole(level, offset));
            offset += size;
        }
        self.host.run(|commands, recording| {
            self.enter(commands, COPY_SRC);
            // SAFETY: image and buffer are alive and in place.
            unsafe {
                self.host.emulator.copy_image_to_buffer(
                    commands,
                    recording,
                    self.image,
                    buffer.handle(),
                    &regions,
                )
            }
            .expect("the copy is recorded");
            self.enter(commands, SAMPLE);
            host_barrier(&self.host.gpu, commands);
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

    pub(crate) fn view(&self, format: &Format, components: vk::ComponentMapping) -> vk::ImageView {
        let view_type = match self.desc.kind {
            View::Array => vk::ImageViewType::TYPE_2D_ARRAY,
            View::Volume => vk::ImageViewType::TYPE_3D,
            View::Cube => vk::ImageViewType::CUBE,
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image)
            .view_type(view_type)
            .format(texemu_core::vk_format(format.vk))
            .components(components)
            .subresource_range(ALL);
        // SAFETY: the image is alive and bound.
        unsafe { self.host.emulator.create_image_view(&info, None) }
            .unwrap_or_else(|error| panic!("{}: {error}", self.desc.format.name))
            .expect("the image is emulated")
    }

    /// The texels of a level as a sampler sees them.
    pub(crate) fn sample(&self, level: u32) -> Vec<[f32; 4]> {
        let view = self.view(self.desc.format, vk::ComponentMapping::default());
        let shot = Shot {
            view,
            kind: self.desc.kind,
            layout: SAMPLE.2,
            level,
            size: self.desc.size(level),
            origin: [0.0; 2],
        };
        let texels = self.host.draw.sample(&shot);
        // SAFETY: the draw was waited for.
        unsafe { self.host.gpu.device().destroy_image_view(view, None) };
        texels
    }

    /// Samples every level and compares with the CPU twin's decode of `levels`.
    pub(crate) fn check(&self, levels: &[Vec<u8>]) {
        for (level, blocks) in (0..).zip(levels) {
            let expected = decode(self.desc.format, blocks, self.desc.size(level));
            compare(self.desc.format, &self.sample(level), &expected, self.desc.size(level), level);
        }
    }
}

impl Drop for Texture<'_> {
    fn drop(&mut self) {
        // SAFETY: every run was waited for.
        unsafe { self.host.emulator.destroy_image(self.image, None) };
        // SAFETY: nothing is bound to it any more.
        unsafe { self.host.gpu.device().free_memory(self.memory, None) };
    }
}

/// Memory that holds `requirements` from `offset` on.
pub(crate) fn allocate(gpu: &Gpu, requirements: vk::MemoryRequirements, offset: u64) -> vk::DeviceMemory {
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(offset + requirements.size)
        .memory_type_index(requirements.memory_type_bits.trailing_zeros());
    // SAFETY: the type is among those that fit.
    unsafe { gpu.device().allocate_memory(&info, None) }.expect("memory")
}

pub(crate) fn host_barrier(gpu: &Gpu, commands: vk::CommandBuffer) {
    let host = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::HOST_READ)];
    let (transfer, reader) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
    let none = vk::DependencyFlags::empty();
    // SAFETY: recorded outside a render pass.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, transfer, reader, none, &host, &[], &[]) };
}

/// The CPU twin's texels.
pub(crate) fn decode(format: &Format, blocks: &[u8], size: [u32; 3]) -> Vec<u8> {
    texemu_reference::decode_image(format, blocks, size, &Options::default()).expect("the twin decodes")
}

/// What the device stores of a level: the bytes of the decoded plane, past the emulation.
pub(crate) fn stored(texture: &Texture<'_>, level: u32) -> Vec<u8> {
    let host = texture.host;
    let bytes = texture.target.level_bytes(texture.desc.size(level)).expect("small");
    let buffer = host.readback(bytes);
    host.run(|commands, _| {
        texture.enter(commands, COPY_SRC);
        let region = [texture.desc.whole(level, 0)];
        // SAFETY: the image is alive and in place; the buffer holds the level.
        unsafe {
            host.gpu.device().cmd_copy_image_to_buffer(
                commands,
                texture.image,
                COPY_SRC.2,
                buffer.handle(),
                &region,
            );
        }
        host_barrier(&host.gpu, commands);
        texture.enter(commands, SAMPLE);
    });
    buffer.mapped().expect("mapped").to_vec()
}

/// What it should store.
pub(crate) fn expected(texture: &Texture<'_>, blocks: &[u8], level: u32) -> Vec<u8> {
    let size = texture.desc.size(level);
    let texels = decode(texture.desc.format, blocks, size);
    if texture.target.is_compressed() {
        encode_image(texture.target, &texels, size, Effort::Fast).expect("the twin encodes")
    } else {
        texels
    }
}

/// Compares the decoded plane's bytes with what the CPU twins make of `levels`.
pub(crate) fn check_stored(texture: &Texture<'_>, levels: &[Vec<u8>]) {
    for (level, blocks) in (0..).zip(levels) {
        let (got, want) = (stored(texture, level), expected(texture, blocks, level));
        let bytes = texture.target.block_bytes as usize;
        let wrong = got.chunks(bytes).zip(want.chunks(bytes)).filter(|(got, want)| got != want).count();
        let (source, target) = (texture.desc.format.name, texture.target.name);
        assert_eq!(
            wrong,
            0,
            "{source} as {target}, level {level} of {:?}: blocks differ",
            texture.desc.size(level)
        );
    }
}

/// Blocks in an image of the format itself, drawn, past the emulation.
pub(crate) fn draw_native(host: &Host, desc: &TextureDesc, levels: &[Vec<u8>], level: u32) -> Vec<[f32; 4]> {
    let info = desc.info();
    let image = Image::new(&host.gpu, &ImageDesc { name: "native", info }).expect("the image fits");
    let buffer = upload(&host.gpu, &levels.concat());
    let mut offset = 0;
    let mut regions = Vec::new();
    for (level, blocks) in (0..).zip(levels) {
        regions.push(desc.whole(level, offset));
        offset += blocks.len() as u64;
    }
    host.run(|commands, _| {
        barrier(&host.gpu, commands, image.handle(), UNDEFINED, COPY_DST);
        // SAFETY: the buffer holds the levels.
        unsafe {
            host.gpu.device().cmd_copy_buffer_to_image(
                commands,
                buffer.handle(),
                image.handle(),
                COPY_DST.2,
                &regions,
            );
        }
        barrier(&host.gpu, commands, image.handle(), COPY_DST, SAMPLE);
    });
    let view_type = match desc.kind {
        View::Array => vk::ImageViewType::TYPE_2D_ARRAY,
        View::Volume => vk::ImageViewType::TYPE_3D,
        View::Cube => vk::ImageViewType::CUBE,
    };
    let info = vk::ImageViewCreateInfo::default()
        .image(image.handle())
        .view_type(view_type)
        .format(info.format)
        .subresource_range(ALL);
    // SAFETY: the image is alive.
    let view = unsafe { host.gpu.device().create_image_view(&info, None) }.expect("a view");
    let size = desc.size(level);
    let shot = Shot { view, kind: desc.kind, layout: SAMPLE.2, level, size, origin: [0.0; 2] };
    let texels = host.draw.sample(&shot);
    // SAFETY: the draw was waited for.
    unsafe { host.gpu.device().destroy_image_view(view, None) };
    texels
}

/// Compares what was sampled with the exact target's bytes: every code must come back, and what is not stored must read
/// 0, 0, 1.
pub(crate) fn compare(format: &Format, sampled: &[[f32; 4]], expected: &[u8], size: [u32; 3], level: u32) {
    let target = format.targets.exact().expect("a source format");
    let bytes = target.block_bytes as usize;
    assert_eq!(sampled.len() * bytes, expected.len(), "{}: as many texels", format.name);
    for (index, (got, want)) in sampled.iter().zip(expected.chunks_exact(bytes)).enumerate() {
        let wanted = codes(target, want);
        let got_codes = quantise(target, *got);
        if got_codes != wanted {
            let (x, y) = (index as u32 % size[0], index as u32 / size[0] % size[1]);
            let z = index as u32 / size[0] / size[1];
            panic!(
                "{} level {level} of {size:?}: texel {x}, {y}, {z} is {got:?}, codes {got_codes:?}, wanted {wanted:?}",
                format.name
            );
        }
    }
}

/// The stored numbers of a texel; 0, 0, 1 where nothing is stored (as the largest code for the last).
fn codes(target: &Format, bytes: &[u8]) -> [i64; 4] {
    let word = |index: usize| u16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
    match (target.codec, target.numeric) {
        (Codec::Rgba8, _) => std::array::from_fn(|c| i64::from(bytes[c])),
        (Codec::Rgba16f, _) => std::array::from_fn(|c| half_code(half::f16::from_bits(word(c)).to_f32())),
        (Codec::R16, Numeric::Snorm) => [i64::from(word(0) as i16), 0, 0, 32767],
        (Codec::R16, _) => [word(0).into(), 0, 0, 65535],
        (Codec::Rg16, Numeric::Snorm) => [i64::from(word(0) as i16), i64::from(word(1) as i16), 0, 32767],
        (Codec::Rg16, _) => [word(0).into(), word(1).into(), 0, 65535],
        _ => panic!("{} is no exact target", target.name),
    }
}

fn quantise(target: &Format, texel: [f32; 4]) -> [i64; 4] {
    let scale = |value: f32, most: f32| (value * most).round() as i64;
    match (target.codec, target.numeric) {
        (Codec::Rgba8, Numeric::Srgb) => {
            std::array::from_fn(|c| scale(if c < 3 { srgb(texel[c]) } else { texel[c] }, 255.0))
        }
        (Codec::Rgba8, _) => texel.map(|value| scale(value, 255.0)),
        (Codec::Rgba16f, _) => texel.map(half_code),
        (_, Numeric::Snorm) => texel.map(|value| scale(value, 32767.0)),
        _ => texel.map(|value| scale(value, 65535.0)),
    }
}

/// Bits of a float that came from 16 bits; all NaN are one.
fn half_code(value: f32) -> i64 {
    if value.is_nan() { -1 } else { value.to_bits().into() }
}

/// The sRGB code of a linear value, between 0 and 1.
pub(crate) fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}
