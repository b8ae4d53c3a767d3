//! Every source format in every shape: whole levels and parts of them, from buffers of every pitch, by every path; sampled
//! through a draw and compared with the CPU twin, and read back byte for byte.

mod common;

use common::draw::View;
use common::model::Model;
use common::texture::{Host, Texture, TextureDesc};
use common::upload;
use texemu_emulate::{Settings, SourceAccess};
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

fn run(shape: usize, family: impl Fn(&Format) -> bool) {
    let host = Host::new(&Settings::default());
    let (kind, extent, levels, layers) = SHAPES[shape];
    let mut tested = 0;
    for (index, format) in (0..).zip(sources().filter(|format| family(format))) {
        if !host.emulator.offer().emulates(texemu_core::vk_format(format.vk)) {
            println!("skipped: {} is not emulated on this device", format.name);
            continue;
        }
        let seed = index * 1000 + shape as u64;
        let mut rng = Rng::new(seed);
        let mut desc = TextureDesc::new(format, kind, extent, levels, layers);
        // Every other one without its blocks kept: two ways through the emulation.
        let kept = index % 2 == 0;
        if !kept {
            desc = desc.sampled_only();
        }
        let texture = Texture::new(&host, desc);
        let report = host.emulator.describe(texture.image).expect("emulated");
        assert_eq!(
            report.compressed_bytes > 0,
            kept,
            "{}: blocks are kept where they can be read",
            format.name
        );
        let mut model = Model::new(desc, Class::Mixed, seed);
        texture.fill(&model.levels);
        for round in 0..ROUNDS {
            let copies = model.random_regions(&mut rng);
            let bytes = model.buffer(&copies, Class::Mixed, seed + 100 * (round + 1));
            let buffer = upload(&host.gpu, &bytes);
            let access = rng.pick(&[SourceAccess::TexelBuffer, SourceAccess::TransferOnly]);
            host.run(|commands, recording| {
                texture.copy_in(commands, recording, buffer.handle(), access, &copies)
            });
            model.apply(&copies, &bytes);
        }
        texture.check(&model.levels);
        if kept {
            assert!(texture.blocks() == model.levels, "{}: the bytes come back", format.name);
        }
        tested += 1;
    }
    println!("{tested} formats as {:?}", SHAPES[shape]);
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
