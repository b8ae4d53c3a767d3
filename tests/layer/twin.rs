//! A compressed image beside one that holds its texels: whatever the device does to both comes out the same, bit by bit.

use crate::common::draw::{Shot, View};
use crate::common::texture::{COPY_DST, COPY_SRC, SAMPLE, TextureDesc, decode};
use crate::guest::{Form, Guest, Picture};
use crate::launch::under_layer;
use crate::{format, offered};
use texemu_core::vk;
use texemu_format::{Codec, Format};
use texemu_reference::blocks::Class;
use vk::ComponentSwizzle as S;

const FORMATS: [&str; 7] = [
    "ASTC_6x6_UNORM_BLOCK",
    "ASTC_5x4_SRGB_BLOCK",
    "ASTC_10x5_SFLOAT_BLOCK",
    "ETC2_R8G8B8_UNORM_BLOCK",
    "ETC2_R8G8B8A1_SRGB_BLOCK",
    "EAC_R11_UNORM_BLOCK",
    "EAC_R11G11_SNORM_BLOCK",
];

struct Pair<'a> {
    guest: &'a Guest,
    format: &'static Format,
    compressed: Picture<'a>,
    plain: Picture<'a>,
}

impl<'a> Pair<'a> {
    fn new(guest: &'a Guest, name: &str, kind: View, extent: [u32; 3], levels: u32, layers: u32) -> Self {
        let format = format(name);
        let desc = TextureDesc::new(format, kind, extent, levels, layers);
        let target = format.targets.exact().expect("a source format");
        let blocks = desc.blocks(Class::Legal, 11);
        let texels: Vec<Vec<u8>> =
            (0..).zip(&blocks).map(|(level, blocks)| decode(format, blocks, desc.size(level))).collect();
        let compressed = Picture::new(guest, desc);
        let plain = Picture::new(guest, TextureDesc::new(target, kind, extent, levels, layers));
        compressed.fill(&blocks, Form::First);
        plain.fill(&texels, Form::Second);
        Self { guest, format, compressed, plain }
    }

    /// What a sampler makes of a range of both.
    fn sample(&self, look: &Look, sampler: vk::Sampler) -> [Vec<[u32; 4]>; 2] {
        let device = self.guest.gpu.device();
        let see = |picture: &Picture<'_>, components| {
            let info = vk::ImageViewCreateInfo::default()
                .image(picture.handle())
                .view_type(look.view_type)
                .format(texemu_core::vk_format(picture.desc.format.vk))
                .components(components)
                .subresource_range(look.range);
            // SAFETY: the image is alive and bound.
            let view = unsafe { device.create_image_view(&info, None) }.expect("a view");
            let kind = match look.view_type {
                vk::ImageViewType::TYPE_3D => View::Volume,
                vk::ImageViewType::CUBE => View::Cube,
                _ => View::Array,
            };
            let (layout, level, size, origin) = (SAMPLE.2, look.level, look.size, look.origin);
            let shot = Shot { view, kind, layout, level, size, origin };
            let texels = self.guest.draw.sample_with(&shot, sampler);
            // SAFETY: the draw was waited for.
            unsafe { device.destroy_image_view(view, None) };
            texels.into_iter().map(|texel| texel.map(f32::to_bits)).collect()
        };
        [see(&self.compressed, look.components), see(&self.plain, self.spelt_out(look.components))]
    }

    /// A mapping with the zeros and ones of what the format does not have.
    fn spelt_out(&self, mapping: vk::ComponentMapping) -> vk::ComponentMapping {
        let stored = self.format.stored_components();
        let one = |asked: S, own: usize| {
            let order = [S::R, S::G, S::B, S::A];
            let index = order.iter().position(|&other| other == asked);
            let index = if asked == S::IDENTITY { Some(own) } else { index };
            match index {
                Some(index) if !stored[index] => {
                    if index == 3 {
                        S::ONE
                    } else {
                        S::ZERO
                    }
                }
                _ => asked,
            }
        };
        vk::ComponentMapping {
            r: one(mapping.r, 0),
            g: one(mapping.g, 1),
            b: one(mapping.b, 2),
            a: one(mapping.a, 3),
        }
    }
}

/// A view, and where one looks at it.
struct Look {
    view_type: vk::ImageViewType,
    range: vk::ImageSubresourceRange,
    components: vk::ComponentMapping,
    level: u32,
    size: [u32; 3],
    origin: [f32; 2],
}

fn range(levels: [u32; 2], layers: [u32; 2]) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: levels[0],
        level_count: levels[1],
        base_array_layer: layers[0],
        layer_count: layers[1],
    }
}

fn check(pair: &Pair<'_>, look: &Look, info: &vk::SamplerCreateInfo<'_>, what: &str) {
    let device = pair.guest.gpu.device();
    // SAFETY: valid.
    let sampler = unsafe { device.create_sampler(info, None) }.expect("a sampler");
    let [compressed, plain] = pair.sample(look, sampler);
    // SAFETY: the draws were waited for.
    unsafe { device.destroy_sampler(sampler, None) };
    let wrong = compressed.iter().zip(&plain).filter(|(one, other)| one != other).count();
    assert!(wrong == 0 && !plain.is_empty(), "{}, {what}: {wrong} of {}", pair.format.name, plain.len());
    let first = plain[0];
    assert!(
        plain.iter().any(|texel| *texel != first),
        "{}, {what}: there is something to see",
        pair.format.name
    );
}

#[test]
fn samplers_see_what_they_would_see_in_the_texels() {
    under_layer("twin::samplers_see_what_they_would_see_in_the_texels", &[], || {
        let guest = Guest::new();
        use vk::SamplerAddressMode as Mode;
        let modes = [
            (Mode::REPEAT, vk::BorderColor::FLOAT_TRANSPARENT_BLACK),
            (Mode::MIRRORED_REPEAT, vk::BorderColor::FLOAT_TRANSPARENT_BLACK),
            (Mode::CLAMP_TO_EDGE, vk::BorderColor::FLOAT_TRANSPARENT_BLACK),
            (Mode::CLAMP_TO_BORDER, vk::BorderColor::FLOAT_TRANSPARENT_BLACK),
            (Mode::CLAMP_TO_BORDER, vk::BorderColor::FLOAT_OPAQUE_BLACK),
            (Mode::CLAMP_TO_BORDER, vk::BorderColor::FLOAT_OPAQUE_WHITE),
        ];
        for name in FORMATS.into_iter().filter(|name| offered(&guest, format(name))) {
            let pair = Pair::new(&guest, name, View::Array, [29, 22, 1], 3, 2);
            for (index, (mode, border)) in modes.into_iter().enumerate() {
                let filter = if index % 2 == 0 { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
                let info = vk::SamplerCreateInfo::default()
                    .mag_filter(filter)
                    .min_filter(filter)
                    .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
                    .mip_lod_bias(0.4)
                    .address_mode_u(mode)
                    .address_mode_v(mode)
                    .border_color(border)
                    .max_lod(vk::LOD_CLAMP_NONE);
                let look = Look {
                    view_type: vk::ImageViewType::TYPE_2D_ARRAY,
                    range: range([0, 3], [0, 2]),
                    components: vk::ComponentMapping::default(),
                    level: index as u32 % 2,
                    size: [41, 17, 2],
                    origin: [0.37, -0.61],
                };
                check(&pair, &look, &info, &format!("{mode:?}, {filter:?}, {border:?}"));
            }
        }
    });
}

#[test]
fn views_show_their_part_in_their_order() {
    under_layer("twin::views_show_their_part_in_their_order", &[], || {
        let guest = Guest::new();
        let map = |r, g, b, a| vk::ComponentMapping { r, g, b, a };
        let mappings = [
            vk::ComponentMapping::default(),
            map(S::A, S::B, S::G, S::R),
            map(S::ONE, S::R, S::ZERO, S::G),
            map(S::G, S::IDENTITY, S::R, S::IDENTITY),
            map(S::B, S::B, S::R, S::A),
        ];
        let nearest = vk::SamplerCreateInfo::default().max_lod(vk::LOD_CLAMP_NONE);
        let shapes = [
            (View::Array, [26, 23, 1], 3, 4, vk::ImageViewType::TYPE_2D_ARRAY, [1, 2], [1, 3], [13, 11, 3]),
            (View::Cube, [20, 20, 1], 2, 6, vk::ImageViewType::CUBE, [0, 2], [0, 6], [20, 20, 6]),
            (View::Cube, [20, 20, 1], 2, 6, vk::ImageViewType::TYPE_2D_ARRAY, [1, 1], [2, 2], [10, 10, 2]),
            (View::Volume, [17, 14, 5], 2, 1, vk::ImageViewType::TYPE_3D, [0, 1], [0, 1], [17, 14, 5]),
            (View::Volume, [17, 14, 5], 2, 1, vk::ImageViewType::TYPE_3D, [1, 1], [0, 1], [8, 7, 2]),
        ];
        for name in FORMATS.into_iter().filter(|name| offered(&guest, format(name))) {
            for (index, shape) in shapes.into_iter().enumerate() {
                let (kind, extent, count, layers, view_type, levels, parts, size) = shape;
                let pair = Pair::new(&guest, name, kind, extent, count, layers);
                // All mappings of one shape, one of the others.
                let some = if index == 0 { &mappings[..] } else { &mappings[index..=index] };
                for &components in some {
                    let range = range(levels, parts);
                    let look = Look { view_type, range, components, level: 0, size, origin: [0.0; 2] };
                    check(&pair, &look, &nearest, &format!("{view_type:?}, {components:?}"));
                }
            }
        }
    });
}

/// A format that devices can blit to: not all can to 16 bits.
fn target(format: &'static Format) -> &'static Format {
    match format.codec {
        Codec::R16 => crate::format("R32_SFLOAT"),
        Codec::Rg16 => crate::format("R32G32_SFLOAT"),
        _ => format,
    }
}

#[test]
fn blits_scale_and_mirror_what_they_would_find_in_the_texels() {
    under_layer("twin::blits_scale_and_mirror_what_they_would_find_in_the_texels", &[], || {
        let guest = Guest::new();
        let device = guest.gpu.device();
        let corner = |x, y| vk::Offset3D { x, y, z: 0 };
        let far = |x, y| vk::Offset3D { x, y, z: 1 };
        // From corner to corner, in source and target.
        let boxes = [
            ([corner(0, 0), far(27, 25)], [corner(0, 0), far(27, 25)]),
            ([corner(3, 1), far(20, 25)], [corner(0, 0), far(40, 30)]),
            ([corner(0, 0), far(27, 25)], [corner(2, 3), far(11, 9)]),
            ([corner(27, 0), far(0, 25)], [corner(0, 30), far(40, 0)]),
        ];
        for name in FORMATS.into_iter().filter(|name| offered(&guest, format(name))) {
            let pair = Pair::new(&guest, name, View::Array, [27, 25, 1], 1, 2);
            for (index, (from, to)) in boxes.into_iter().enumerate() {
                let filter = if index % 2 == 0 { vk::Filter::NEAREST } else { vk::Filter::LINEAR };
                let blitted = [&pair.compressed, &pair.plain].map(|source| {
                    let desc =
                        TextureDesc::new(target(pair.plain.desc.format), View::Array, [40, 30, 1], 1, 1);
                    let target = Picture::new(&guest, desc);
                    let empty = vec![0; desc.level_bytes(0) as usize];
                    target.fill(&[empty], Form::First);
                    guest.run(|commands| {
                        source.enter(commands, COPY_SRC);
                        target.enter(commands, COPY_DST);
                        let regions = [vk::ImageBlit {
                            src_subresource: source.desc.subresource(0, 1, 1),
                            src_offsets: from,
                            dst_subresource: desc.subresource(0, 0, 1),
                            dst_offsets: to,
                        }];
                        let (src, dst) = (source.handle(), target.handle());
                        // SAFETY: the images are alive and in place.
                        unsafe {
                            device
                                .cmd_blit_image(commands, src, COPY_SRC.2, dst, COPY_DST.2, &regions, filter);
                        }
                        source.enter(commands, SAMPLE);
                    });
                    target.read(Form::Second).remove(0)
                });
                assert!(blitted[0] == blitted[1], "{name}, {from:?} to {to:?}, {filter:?}");
                assert!(
                    blitted[0].iter().any(|&byte| byte != blitted[0][0]),
                    "{name}: there is something to see"
                );
            }
        }
    });
}
