//! Every source format in every shape under every policy: whole levels and parts of them, from buffers of every pitch, by every
//! path. What is sampled through a draw, and what the device stores, is what the CPU twin makes; the blocks come back byte for
//! byte.
//!
//! Each format meets the exact policy in each shape, and the three others in turn, so that each of them meets every format;
//! `TEXEMU_FULL=1` takes all of them everywhere.

mod common;

use common::TestGpu;
use common::draw::View;
use common::model::Model;
use common::texture::{Host, Texture, TextureDesc, draw_native, expected, stored};
use common::upload;
use std::collections::BTreeSet;
use texemu_emulate::{Policy, Pressure, Settings, SourceAccess};
use texemu_format::{Codec, Format, sources};
use texemu_reference::blocks::{Class, Rng};

/// The shapes: how many levels and layers, and sizes that are no multiple of any footprint.
const SHAPES: [(View, [u32; 3], u32, u32); 4] = [
    (View::Array, [61, 47, 1], 6, 1),
    (View::Array, [38, 23, 1], 2, 3),
    (View::Cube, [31, 31, 1], 5, 6),
    (View::Volume, [27, 22, 5], 3, 1),
];

/// Copies of random parts after the first of whole levels.
const ROUNDS: u64 = 2;

const POLICIES: [Policy; 4] = [Policy::Exact, Policy::Quality, Policy::Size, Policy::Auto];

fn full() -> bool {
    std::env::var_os("TEXEMU_FULL").is_some()
}

/// A device for each policy, made when first needed.
#[derive(Default)]
struct Hosts([Option<Host>; POLICIES.len()]);

impl Hosts {
    fn get(&mut self, policy: usize) -> &Host {
        self.0[policy].get_or_insert_with(|| {
            // Where Auto ends up is another test's matter; here it has left the exact target.
            let pressure = Pressure { exact: 0.0, quality: 1.0 };
            Host::on(TestGpu::new(), &Settings { policy: POLICIES[policy], pressure, ..Settings::default() })
        })
    }
}

/// Which policies a format meets in a shape, by their number.
fn policies(format: u64, shape: usize, slow: bool) -> Vec<usize> {
    let others = 1..POLICIES.len();
    if full() {
        return (0..POLICIES.len()).collect();
    }
    let turn = others.start + (format as usize + shape) % others.len();
    // SwiftShader takes seconds to compile an encoder.
    let skip = slow && !(format as usize * SHAPES.len() + shape).is_multiple_of(7);
    if skip { vec![0] } else { vec![0, turn] }
}

fn run(shape: usize, family: impl Fn(&Format) -> bool) {
    let mut hosts = Hosts::default();
    let slow = hosts.get(0).gpu.capabilities().info.name.contains("SwiftShader");
    let mut tested = [0; POLICIES.len()];
    let mut targets = BTreeSet::new();
    for (index, format) in (0..).zip(sources().filter(|format| family(format))) {
        for policy in policies(index, shape, slow) {
            let host = hosts.get(policy);
            if !host.emulator.offer().emulates(texemu_core::vk_format(format.vk)) {
                println!("skipped: {} is not emulated on this device", format.name);
                continue;
            }
            targets.insert(one(host, format, shape, index).name);
            tested[policy] += 1;
        }
    }
    println!("{:?}: formats under {POLICIES:?}: {tested:?}, as {targets:?}", SHAPES[shape]);
}

/// Returns the target.
fn one(host: &Host, format: &'static Format, shape: usize, index: u64) -> &'static Format {
    let (kind, extent, levels, layers) = SHAPES[shape];
    let seed = index * 1000 + shape as u64;
    let mut rng = Rng::new(seed);
    let mut desc = TextureDesc::new(format, kind, extent, levels, layers);
    // Every other one without its blocks kept, if nothing else keeps them: two ways through the emulation.
    let readable = index.is_multiple_of(2);
    if !readable {
        desc = desc.sampled_only();
    }
    let texture = Texture::new(host, desc);
    let kept = host.emulator.describe(texture.image).expect("emulated").compressed_bytes > 0;
    let encodes = texture.target.is_compressed();
    if !encodes {
        assert_eq!(kept, readable, "{}: blocks are kept where they can be read", format.name);
    }
    // Blocks that mean an error make floats that no BC6H block is near.
    let class = if encodes && format.codec == Codec::AstcHdr { Class::Legal } else { Class::Mixed };
    let mut model = Model::new(desc, class, seed);
    texture.fill(&model.levels);
    for round in 0..ROUNDS {
        let copies = model.random_regions(&mut rng);
        let bytes = model.buffer(&copies, class, seed + 100 * (round + 1));
        let buffer = upload(&host.gpu, &bytes);
        let access = rng.pick(&[SourceAccess::TexelBuffer, SourceAccess::TransferOnly]);
        host.run(|commands, recording| {
            texture.copy_in(commands, recording, buffer.handle(), access, &copies)
        });
        model.apply(&copies, &bytes);
    }
    if encodes {
        check_encoded(&texture, &model.levels);
    } else {
        texture.check(&model.levels);
    }
    if readable {
        assert!(texture.blocks() == model.levels, "{}: the bytes come back", format.name);
    }
    texture.target
}

/// The device stores the twin's blocks, and draws as it draws an image of its own with them.
fn check_encoded(texture: &Texture<'_>, levels: &[Vec<u8>]) {
    let encoded: Vec<Vec<u8>> =
        (0..).zip(levels).map(|(level, blocks)| expected(texture, blocks, level)).collect();
    let native = TextureDesc { format: texture.target, ..texture.desc };
    for (level, blocks) in (0..).zip(&encoded) {
        let (name, target) = (texture.desc.format.name, texture.target.name);
        if texture.desc.usage.contains(texemu_core::vk::ImageUsageFlags::TRANSFER_SRC) {
            assert!(stored(texture, level) == *blocks, "{name} as {target}: level {level} has other blocks");
        }
        let drawn = draw_native(texture.host, &native, &encoded, level);
        assert!(texture.sample(level) == drawn, "{name} as {target}: level {level} draws otherwise");
    }
}

fn ldr(format: &Format) -> bool {
    format.codec == Codec::AstcLdr
}

fn hdr(format: &Format) -> bool {
    format.codec == Codec::AstcHdr
}

fn etc(format: &Format) -> bool {
    !ldr(format) && !hdr(format)
}

#[test]
fn astc_ldr_images() {
    run(0, ldr);
}

#[test]
fn astc_ldr_arrays() {
    run(1, ldr);
}

#[test]
fn astc_ldr_cubes() {
    run(2, ldr);
}

#[test]
fn astc_ldr_volumes() {
    run(3, ldr);
}

#[test]
fn astc_hdr_images() {
    run(0, hdr);
}

#[test]
fn astc_hdr_arrays_cubes_and_volumes() {
    for shape in 1..SHAPES.len() {
        run(shape, hdr);
    }
}

#[test]
fn etc2_and_eac_in_every_shape() {
    for shape in 0..SHAPES.len() {
        run(shape, etc);
    }
}

#[test]
fn each_policy_meets_each_format() {
    for format in 0..100 {
        let met: Vec<usize> = (0..SHAPES.len()).flat_map(|shape| policies(format, shape, false)).collect();
        for (number, policy) in POLICIES.iter().enumerate() {
            assert!(met.contains(&number), "format {format} never meets {policy:?}");
        }
    }
}
