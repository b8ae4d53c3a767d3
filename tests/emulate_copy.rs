//! Copies between buffers, emulated images and others, as applications record them: both forms of every command, all four
//! pairs of images, blits.

mod common;

use common::draw::{Shot, View};
use common::model::{Model, Part};
use common::plain::Plain;
use common::texture::{COPY_DST, COPY_SRC, Host, SAMPLE, Texture, TextureDesc, decode, host_barrier};
use common::{TestGpu, upload};
use texemu_core::vk;
use texemu_emulate::{ImagePair, Settings, SourceAccess};
use texemu_format::{Format, by_name};
use texemu_reference::blocks::{Class, Rng, generate};

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

#[test]
fn an_atlas_takes_many_regions_of_one_level_in_one_copy() {
    let host = Host::on(TestGpu::new(), &Settings::default());
    for (name, layers) in [("ASTC_6x5_UNORM_BLOCK", 1), ("ETC2_R8G8B8A8_SRGB_BLOCK", 4)] {
        let desc = TextureDesc::new(format(name), View::Array, [100, 90, 1], 2, layers);
        let texture = Texture::new(&host, desc);
        let mut model = Model::new(desc, Class::Legal, 1);
        texture.fill(&model.levels);
        // Every other tile of 2 x 3 blocks, each in one layer, packed one behind the other.
        let [columns, rows, _] = model.grid(0);
        let mut rng = Rng::new(5);
        let (mut copies, mut offset) = (Vec::new(), 0);
        for y in (0..rows - 3).step_by(3) {
            for x in (0..columns - 2).step_by(4) {
                let layer = rng.below(layers);
                let copy = model.blocks_region(0, [x, y, layer], [2, 3, 1], None, offset);
                offset = model.reach(&[copy]) as u64;
                copies.push(copy);
            }
        }
        assert!(copies.len() >= 20, "many regions: {}", copies.len());
        let bytes = model.buffer(&copies, Class::Mixed, 2);
        let buffer = upload(&host.gpu, &bytes);
        host.run(|commands, recording| {
            texture.copy_in(commands, recording, buffer.handle(), SourceAccess::TexelBuffer, &copies);
        });
        model.apply(&copies, &bytes);
        texture.check(&model.levels);
        assert!(texture.blocks() == model.levels, "the bytes come back");
    }
}

#[test]
fn the_second_forms_do_the_same() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("ASTC_5x4_SRGB_BLOCK"), View::Array, [33, 21, 1], 3, 2);
    let (texture, other) = (Texture::new(&host, desc), Texture::new(&host, desc));
    let mut model = Model::new(desc, Class::Legal, 3);
    texture.fill(&model.levels);
    other.fill(&desc.blocks(Class::Legal, 9));
    let copy = model.region(0, Part::Interior, (1, 1), Some([3, 5]), 32);
    let bytes = model.buffer(&[copy], Class::Mixed, 4);
    let buffer = upload(&host.gpu, &bytes);
    let region = [vk::BufferImageCopy2::default()
        .buffer_offset(copy.buffer_offset)
        .buffer_row_length(copy.buffer_row_length)
        .buffer_image_height(copy.buffer_image_height)
        .image_subresource(copy.image_subresource)
        .image_offset(copy.image_offset)
        .image_extent(copy.image_extent)];
    host.run(|commands, recording| {
        texture.enter(commands, COPY_DST);
        let info = vk::CopyBufferToImageInfo2::default()
            .src_buffer(buffer.handle())
            .dst_image(texture.image)
            .dst_image_layout(COPY_DST.2)
            .regions(&region);
        let access = SourceAccess::TexelBuffer;
        // SAFETY: image and buffer are alive and in place.
        let emulated = unsafe { host.emulator.copy_buffer_to_image2(commands, recording, access, &info) };
        assert!(emulated.expect("recorded"));
        texture.enter(commands, SAMPLE);
    });
    model.apply(&[copy], &bytes);
    texture.check(&model.levels);

    let whole = vk::Extent3D { width: 33, height: 21, depth: 1 };
    let regions = [vk::ImageCopy2::default()
        .src_subresource(desc.subresource(0, 0, 2))
        .dst_subresource(desc.subresource(0, 0, 2))
        .extent(whole)];
    let readback = host.readback(desc.level_bytes(0));
    host.run(|commands, recording| {
        texture.enter(commands, COPY_SRC);
        other.enter(commands, COPY_DST);
        let info = vk::CopyImageInfo2::default()
            .src_image(texture.image)
            .src_image_layout(COPY_SRC.2)
            .dst_image(other.image)
            .dst_image_layout(COPY_DST.2)
            .regions(&regions);
        // SAFETY: both images are alive and in place.
        assert!(unsafe { host.emulator.copy_image2(commands, recording, &info) }.expect("recorded"));
        other.enter(commands, COPY_SRC);
        let regions = [vk::BufferImageCopy2::default()
            .image_subresource(desc.subresource(0, 0, vk::REMAINING_ARRAY_LAYERS))
            .image_extent(whole)];
        let info = vk::CopyImageToBufferInfo2::default()
            .src_image(other.image)
            .src_image_layout(COPY_SRC.2)
            .dst_buffer(readback.handle())
            .regions(&regions);
        // SAFETY: image and buffer are alive and in place.
        let done = unsafe { host.emulator.copy_image_to_buffer2(commands, recording, &info) };
        assert!(done.expect("recorded"));
        host_barrier(&host.gpu, commands);
        other.enter(commands, SAMPLE);
    });
    assert!(readback.mapped().expect("mapped") == model.levels[0], "through two images and back");
    other.check(&model.levels[..1]);
}

#[test]
fn downloads_write_what_the_region_addresses_and_nothing_else() {
    let host = Host::new(&Settings::default());
    let desc = TextureDesc::new(format("EAC_R11_SNORM_BLOCK"), View::Volume, [30, 18, 6], 2, 1);
    let texture = Texture::new(&host, desc);
    let model = Model::new(desc, Class::Random, 8);
    texture.fill(&model.levels);
    for (part, pitch) in
        [(Part::Interior, Some([3, 5])), (Part::RightEdge, None), (Part::LastBlock, Some([0, 0]))]
    {
        let copy = model.region(1, part, (1, 2), pitch, 24);
        let buffer = host.readback(model.reach(&[copy]) as u64 + 64);
        host.run(|commands, recording| {
            texture.enter(commands, COPY_SRC);
            let (image, buffer) = (texture.image, buffer.handle());
            // SAFETY: image and buffer are alive and in place.
            unsafe { host.emulator.copy_image_to_buffer(commands, recording, image, buffer, &[copy]) }
                .expect("recorded");
            host_barrier(&host.gpu, commands);
        });
        let mut expected = vec![0xCD; buffer.size() as usize];
        for (buffer, level) in model.places(&copy) {
            expected[buffer..buffer + 8].copy_from_slice(&model.levels[1][level..level + 8]);
        }
        assert!(buffer.mapped().expect("mapped") == expected, "{part:?}, {pitch:?}");
    }
}

/// A box of blocks in one level of an image.
#[derive(Clone, Copy, Debug)]
struct Corner {
    level: u32,
    first: [u32; 3],
}

/// One side of a copy: footprint, whether its slices are array layers, and texels of the level.
struct Side {
    footprint: [u32; 2],
    layered: bool,
    size: [u32; 3],
}

impl Side {
    fn of(desc: &TextureDesc, level: u32) -> Self {
        Self { footprint: desc.format.footprint, layered: desc.kind != View::Volume, size: desc.size(level) }
    }

    fn plain(plain: &Plain<'_>) -> Self {
        Self { footprint: plain.footprint, layered: !plain.volume, size: plain.extent }
    }

    fn place(&self, corner: Corner, slices: u32) -> (vk::ImageSubresourceLayers, vk::Offset3D) {
        let [x, y, z] = corner.first;
        let (layer, z, count) = if self.layered { (z, 0, slices) } else { (0, z, 1) };
        let subresource = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: corner.level,
            base_array_layer: layer,
            layer_count: count,
        };
        let [width, height] = self.footprint;
        (subresource, vk::Offset3D { x: (x * width) as i32, y: (y * height) as i32, z: z as i32 })
    }

    fn extent(&self, corner: Corner, size: [u32; 3]) -> vk::Extent3D {
        let axis = |axis: usize| {
            let texels = size[axis] * self.footprint[axis];
            texels.min(self.size[axis] - corner.first[axis] * self.footprint[axis])
        };
        vk::Extent3D { width: axis(0), height: axis(1), depth: 1 }
    }
}

/// A copy of `size` blocks.
fn image_copy(src: &Side, from: Corner, dst: &Side, to: Corner, size: [u32; 3]) -> vk::ImageCopy {
    let ((src_subresource, src_offset), (dst_subresource, dst_offset)) =
        (src.place(from, size[2]), dst.place(to, size[2]));
    let mut extent = src.extent(from, size);
    if !(src.layered && dst.layered) {
        extent.depth = size[2];
    }
    vk::ImageCopy { src_subresource, src_offset, dst_subresource, dst_offset, extent }
}

/// Does what a copy of `size` blocks does to bytes.
fn move_blocks(
    from: (&[u8], [u32; 3], Corner),
    to: (&mut [u8], [u32; 3], Corner),
    size: [u32; 3],
    block_bytes: u32,
) {
    let at = |grid: [u32; 3], corner: Corner, [x, y, z]: [u32; 3]| {
        let [fx, fy, fz] = corner.first;
        ((((fz + z) * grid[1] + fy + y) * grid[0] + fx + x) * block_bytes) as usize
    };
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let (source, target) = (at(from.1, from.2, [x, y, z]), at(to.1, to.2, [x, y, z]));
                let bytes = block_bytes as usize;
                to.0[target..target + bytes].copy_from_slice(&from.0[source..source + bytes]);
            }
        }
    }
}

#[test]
fn emulated_images_are_copied_to_one_another_across_block_sizes() {
    let host = Host::new(&Settings::default());
    let kinds = [View::Array, View::Volume];
    // Source, its size, target, its size, blocks copied: to the edges of both, where extents round up.
    let pairs = [
        ("ASTC_4x4_UNORM_BLOCK", [37, 30], "ASTC_8x8_UNORM_BLOCK", [61, 47], [7, 5]),
        ("ASTC_12x10_SRGB_BLOCK", [100, 70], "ASTC_5x4_SRGB_BLOCK", [43, 26], [8, 6]),
        ("ETC2_R8G8B8A8_UNORM_BLOCK", [26, 33], "ASTC_6x6_UNORM_BLOCK", [40, 40], [6, 6]),
        ("ETC2_R8G8B8_SRGB_BLOCK", [23, 21], "EAC_R11_UNORM_BLOCK", [22, 24], [5, 5]),
        ("ASTC_10x8_UNORM_BLOCK", [55, 45], "EAC_R11G11_SNORM_BLOCK", [24, 24], [5, 5]),
    ];
    for (index, (source, [sw, sh], target, [tw, th], [width, height])) in pairs.into_iter().enumerate() {
        // Layers to layers, layers to slices, slices to layers, slices to slices.
        let (source_kind, target_kind) = (kinds[index % 2], kinds[index / 2 % 2]);
        let desc = |name, kind, width, height| match kind {
            View::Volume => TextureDesc::new(format(name), kind, [width, height, 4], 1, 1),
            _ => TextureDesc::new(format(name), kind, [width, height, 1], 1, 4),
        };
        let from = desc(source, source_kind, sw, sh);
        // Where the blocks of the target are not kept, it is decoded from the source's.
        let mut to = desc(target, target_kind, tw, th);
        if index % 2 == 1 {
            to = to.sampled_only();
        }
        let (a, b) = (Texture::new(&host, from), Texture::new(&host, to));
        let (first, mut second) = (Model::new(from, Class::Mixed, 11), Model::new(to, Class::Mixed, 12));
        a.fill(&first.levels);
        b.fill(&second.levels);
        let size = [width, height, 2];
        let grid = |model: &Model| model.grid(0);
        let end =
            |model: &Model| Corner { level: 0, first: [grid(model)[0] - width, grid(model)[1] - height, 1] };
        let (at_source, at_target) = (end(&first), end(&second));
        let copy = image_copy(&Side::of(&from, 0), at_source, &Side::of(&to, 0), at_target, size);
        host.run(|commands, recording| {
            a.enter(commands, COPY_SRC);
            b.enter(commands, COPY_DST);
            let pair =
                ImagePair { src: a.image, src_layout: COPY_SRC.2, dst: b.image, dst_layout: COPY_DST.2 };
            // SAFETY: both images are alive and in place.
            let done = unsafe { host.emulator.copy_image(commands, recording, pair, &[copy]) };
            assert!(done.expect("recorded"));
            a.enter(commands, SAMPLE);
            b.enter(commands, SAMPLE);
        });
        let (source_grid, target_grid) = (grid(&first), grid(&second));
        move_blocks(
            (&first.levels[0], source_grid, at_source),
            (&mut second.levels[0], target_grid, at_target),
            size,
            from.format.block_bytes,
        );
        b.check(&second.levels);
        a.check(&first.levels);
        if index % 2 == 0 {
            assert!(b.blocks() == second.levels, "{source} to {target}: the bytes arrive");
        }
    }
}

#[test]
fn emulated_images_are_copied_from_and_to_others() {
    let host = Host::new(&Settings::default());
    let plains = [
        (vk::Format::R32G32B32A32_UINT, [1, 1], 16),
        (vk::Format::R32G32_UINT, [1, 1], 8),
        (vk::Format::R16G16B16A16_UNORM, [1, 1], 8),
        (vk::Format::BC3_UNORM_BLOCK, [4, 4], 16),
        (vk::Format::BC1_RGB_UNORM_BLOCK, [4, 4], 8),
    ];
    let formats = ["ASTC_6x5_SRGB_BLOCK", "ETC2_R8G8B8A1_UNORM_BLOCK", "EAC_R11_UNORM_BLOCK"];
    for (index, (plain_format, footprint, block_bytes)) in plains.into_iter().enumerate() {
        for name in formats.into_iter().filter(|name| format(name).block_bytes == block_bytes) {
            let volume = index % 2 == 0;
            let desc = TextureDesc::new(format(name), View::Array, [50, 39, 1], 2, 3);
            let texture = Texture::new(&host, desc);
            let mut model = Model::new(desc, Class::Mixed, 21);
            texture.fill(&model.levels);
            let [columns, rows, layers] = model.grid(0);
            // As many blocks as the level has, and for a compressed format an edge that cuts the last ones.
            let cut = u32::from(footprint != [1, 1]);
            let extent = [columns * footprint[0] - cut, rows * footprint[1] - 2 * cut, layers];
            let plain = Plain::new(&host, plain_format, footprint, block_bytes, extent, volume);
            let mut bytes = generate(format(name), Class::Mixed, plain.bytes() / block_bytes as usize, 22);
            plain.fill(&bytes);
            let grid = plain.grid();
            let size = [columns - 2, rows - 1, 2];
            let (low, high) = (Corner { level: 0, first: [0, 1, 0] }, Corner { level: 0, first: [2, 1, 1] });
            let (emulated, other) = (Side::of(&desc, 0), Side::plain(&plain));
            // Out, to the edge; and back in, to another edge.
            let out = image_copy(&emulated, low, &other, high, size);
            let back = image_copy(&other, high, &emulated, high, size);
            host.run(|commands, recording| {
                texture.enter(commands, COPY_SRC);
                plain.enter(commands, COPY_DST);
                let (image, handle) = (texture.image, plain.image.handle());
                let (src_layout, dst_layout) = (COPY_SRC.2, COPY_DST.2);
                let pair = ImagePair { src: image, src_layout, dst: handle, dst_layout };
                // SAFETY: both images are alive and in place.
                assert!(unsafe { host.emulator.copy_image(commands, recording, pair, &[out]) }.expect("out"));
                texture.enter(commands, COPY_DST);
                plain.enter(commands, COPY_SRC);
                let pair = ImagePair { src: handle, src_layout, dst: image, dst_layout };
                // SAFETY: both images are alive and in place.
                let done = unsafe { host.emulator.copy_image(commands, recording, pair, &[back]) };
                assert!(done.expect("back"));
                texture.enter(commands, SAMPLE);
            });
            let level = &mut model.levels[0];
            let own = [columns, rows, layers];
            move_blocks((level, own, low), (&mut bytes, grid, high), size, block_bytes);
            move_blocks((&bytes, grid, high), (level, own, high), size, block_bytes);
            assert!(plain.read() == bytes, "{name} to {plain_format:?}: the bytes arrive");
            texture.check(&model.levels);
            assert!(texture.blocks() == model.levels, "{plain_format:?} to {name}: the bytes arrive");
        }
    }
}

#[test]
fn images_without_their_blocks_take_copies_from_others() {
    let host = Host::new(&Settings::default());
    let desc =
        TextureDesc::new(format("ASTC_8x5_UNORM_BLOCK"), View::Array, [60, 29, 1], 1, 2).sampled_only();
    let texture = Texture::new(&host, desc);
    let mut model = Model::new(desc, Class::Mixed, 31);
    texture.fill(&model.levels);
    let grid = model.grid(0);
    let plain = Plain::new(&host, vk::Format::R32G32B32A32_UINT, [1, 1], 16, grid, false);
    let bytes = generate(desc.format, Class::Mixed, plain.bytes() / 16, 32);
    plain.fill(&bytes);
    let (from, to) = (Corner { level: 0, first: [0, 0, 0] }, Corner { level: 0, first: [3, 2, 1] });
    let size = [grid[0] - 3, grid[1] - 2, 1];
    let copy = image_copy(&Side::plain(&plain), from, &Side::of(&desc, 0), to, size);
    host.run(|commands, recording| {
        texture.enter(commands, COPY_DST);
        plain.enter(commands, COPY_SRC);
        let (src, dst) = (plain.image.handle(), texture.image);
        let pair = ImagePair { src, src_layout: COPY_SRC.2, dst, dst_layout: COPY_DST.2 };
        // SAFETY: both images are alive and in place.
        assert!(unsafe { host.emulator.copy_image(commands, recording, pair, &[copy]) }.expect("recorded"));
        texture.enter(commands, SAMPLE);
    });
    move_blocks((&bytes, grid, from), (&mut model.levels[0], grid, to), size, 16);
    texture.check(&model.levels);
}

#[test]
fn what_is_not_emulated_is_left_to_the_driver() {
    let host = Host::new(&Settings::default());
    let extent = [8, 8, 1];
    let a = Plain::new(&host, vk::Format::R8G8B8A8_UNORM, [1, 1], 4, extent, false);
    let b = Plain::new(&host, vk::Format::R8G8B8A8_UNORM, [1, 1], 4, extent, false);
    let emulator = &host.emulator;
    let (image, other) = (a.image.handle(), b.image.handle());
    let layout = vk::ImageLayout::GENERAL;
    host.run(|commands, recording| {
        let (buffer, access) = (vk::Buffer::null(), SourceAccess::TexelBuffer);
        let pair = ImagePair { src: image, src_layout: layout, dst: other, dst_layout: layout };
        // SAFETY: nothing is recorded for images that are not emulated.
        let upload =
            unsafe { emulator.copy_buffer_to_image(commands, recording, buffer, access, image, layout, &[]) };
        // SAFETY: as above.
        let download = unsafe { emulator.copy_image_to_buffer(commands, recording, image, buffer, &[]) };
        // SAFETY: as above.
        let between = unsafe { emulator.copy_image(commands, recording, pair, &[]) };
        for answer in [upload, download, between] {
            assert!(!answer.expect("no error"), "the driver is to be called");
        }
    });
    assert!(emulator.image_memory_requirements(image).is_none());
    // SAFETY: nothing is done with an image that is not emulated.
    assert!(!unsafe { emulator.destroy_image(image, None) });
}

/// Blits from a level of an emulated image into an `R8G8B8A8_UNORM` image of `size`, and returns that.
fn blit(host: &Host, texture: &Texture<'_>, level: u32, size: [u32; 2], filter: vk::Filter) -> Vec<u8> {
    let plain = Plain::new(host, vk::Format::R8G8B8A8_UNORM, [1, 1], 4, [size[0], size[1], 1], false);
    let [width, height, _] = texture.desc.size(level);
    let corner = |width: u32, height: u32| vk::Offset3D { x: width as i32, y: height as i32, z: 1 };
    let region = vk::ImageBlit {
        src_subresource: texture.desc.subresource(level, 0, 1),
        src_offsets: [vk::Offset3D::default(), corner(width, height)],
        dst_subresource: texture.desc.subresource(0, 0, 1),
        dst_offsets: [vk::Offset3D::default(), corner(size[0], size[1])],
    };
    host.run(|commands, _| {
        texture.enter(commands, COPY_SRC);
        plain.enter(commands, COPY_DST);
        // SAFETY: both images are alive and in place.
        unsafe {
            host.gpu.device().cmd_blit_image(
                commands,
                texture.image,
                COPY_SRC.2,
                plain.image.handle(),
                COPY_DST.2,
                &[region],
                filter,
            );
        }
        texture.enter(commands, SAMPLE);
    });
    plain.read()
}

#[test]
fn blits_read_the_decoded_texels() {
    let host = Host::new(&Settings::default());
    for name in ["ASTC_10x6_UNORM_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK"] {
        let desc = TextureDesc::new(format(name), View::Array, [54, 36, 1], 3, 1);
        let texture = Texture::new(&host, desc);
        let levels = desc.blocks(Class::Legal, 41);
        texture.fill(&levels);
        let [width, height, _] = desc.size(1);
        let expected = decode(desc.format, &levels[1], desc.size(1));
        let same = blit(&host, &texture, 1, [width, height], vk::Filter::NEAREST);
        assert!(same == expected, "{name}: one to one");
        // Twice the size: every texel four times.
        let double = blit(&host, &texture, 1, [2 * width, 2 * height], vk::Filter::NEAREST);
        for (index, texel) in double.chunks_exact(4).enumerate() {
            let (x, y) = (index as u32 % (2 * width) / 2, index as u32 / (2 * width) / 2);
            let at = ((y * width + x) * 4) as usize;
            assert_eq!(texel, &expected[at..at + 4], "{name}: texel {index}");
        }
        // Linear filtering is the device's; a blit to one texel stays between the extremes.
        let one = blit(&host, &texture, 1, [1, 1], vk::Filter::LINEAR);
        for (c, value) in one.iter().enumerate().take(4) {
            let column: Vec<u8> = expected.iter().skip(c).step_by(4).copied().collect();
            let (low, high) = (column.iter().min().expect("texels"), column.iter().max().expect("texels"));
            assert!((low..=high).contains(&value), "{name}: component {c}");
        }
    }
}

#[test]
fn views_read_as_unorm_and_srgb_with_missing_components_fixed() {
    let host = Host::new(&Settings::default());
    let (unorm, srgb) = (format("ETC2_R8G8B8_UNORM_BLOCK"), format("ETC2_R8G8B8_SRGB_BLOCK"));
    let desc = TextureDesc {
        flags: vk::ImageCreateFlags::MUTABLE_FORMAT,
        ..TextureDesc::new(srgb, View::Array, [16, 16, 1], 1, 1)
    };
    let texture = Texture::new(&host, desc);
    let levels = desc.blocks(Class::Legal, 51);
    texture.fill(&levels);
    let expected = decode(srgb, &levels[0], desc.size(0));
    use vk::ComponentSwizzle as S;
    let swizzle = vk::ComponentMapping { r: S::B, g: S::IDENTITY, b: S::A, a: S::R };
    let view = texture.view(unorm, swizzle);
    let shot =
        Shot { view, kind: View::Array, layout: SAMPLE.2, level: 0, size: desc.size(0), origin: [0.0; 2] };
    for (index, (texel, code)) in host.draw.sample(&shot).iter().zip(expected.chunks_exact(4)).enumerate() {
        let codes = texel.map(|value| (value * 255.0).round() as u8);
        assert_eq!(
            codes,
            [code[2], code[1], 255, code[0]],
            "texel {index}: linear codes, swizzled, alpha one"
        );
    }
    // Far outside, the sampler's transparent border: an RGB format has no alpha to be transparent with.
    let info = vk::SamplerCreateInfo::default()
        .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
        .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_BORDER)
        .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK);
    // SAFETY: the device is alive.
    let sampler = unsafe { host.gpu.device().create_sampler(&info, None) }.expect("a sampler");
    let plain_view = texture.view(unorm, vk::ComponentMapping::default());
    let outside = Shot { view: plain_view, origin: [2.0, 0.0], ..shot };
    let border = host.draw.sample_with(&outside, sampler);
    assert!(border.iter().all(|&texel| texel == [0.0, 0.0, 0.0, 1.0]), "opaque: {:?}", border[0]);
    for view in [view, plain_view] {
        // SAFETY: every draw was waited for.
        unsafe { host.gpu.device().destroy_image_view(view, None) };
    }
    // SAFETY: as above.
    unsafe { host.gpu.device().destroy_sampler(sampler, None) };
}
