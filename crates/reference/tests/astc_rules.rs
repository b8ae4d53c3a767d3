//! ASTC's rules one by one, each on a block made for it.

use texemu_format::{Codec, Format, Numeric};
use texemu_reference::blocks::Rng;
use texemu_reference::blocks::astc::{DynamicRange, Symbols, legal};
use texemu_reference::{ErrorColor, Options, decode_block, target};

const FLOAT16: Options = Options { float16: true, error_color: ErrorColor::Magenta, threads: 1 };
const MAGENTA: [u8; 4] = [255, 0, 255, 255];

fn format(footprint: [u32; 2], numeric: Numeric) -> &'static Format {
    let codec = if numeric == Numeric::Sfloat { Codec::AstcHdr } else { Codec::AstcLdr };
    texemu_format::find(codec, footprint, numeric).expect("the table has it")
}

/// The texels of a block, each as its bytes.
fn decode(format: &Format, block: [u8; 16], options: &Options) -> Vec<Vec<u8>> {
    let bytes = target(format, options).expect("a source format").block_bytes as usize;
    let mut texels = vec![0; (format.footprint[0] * format.footprint[1]) as usize * bytes];
    decode_block(format, &block, options, &mut texels).expect("sizes match");
    texels.chunks(bytes).map(<[u8]>::to_vec).collect()
}

fn halves(texel: &[u8]) -> Vec<u16> {
    texel.chunks(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect()
}

/// A void extent without coordinates.
fn void_extent(hdr: bool, color: [u16; 4]) -> [u8; 16] {
    let mut block = [0xFF; 16];
    block[0] = 0xFC;
    block[1] = if hdr { 0xFF } else { 0xFD };
    for (bytes, channel) in block[8..].chunks_mut(2).zip(color) {
        bytes.copy_from_slice(&channel.to_le_bytes());
    }
    block
}

/// One partition of luminance, from `low` to `high`, over a 4x4 grid of weights of 4 levels: 0, 21, 43, 64.
fn luminance(low: u8, high: u8, weights: [u8; 16]) -> [u8; 16] {
    let mut symbols = Symbols::random(&mut Rng::new(0), [4, 4], DynamicRange::Ldr);
    symbols.mode_bits = 0b000_0100_0010; // 4x4, range 0..3
    symbols.partitions = 1;
    symbols.endpoint_modes = [0; 4];
    symbols.selector = 0;
    symbols.colors[..2].copy_from_slice(&[low, high]);
    symbols.weights[..16].copy_from_slice(&weights);
    symbols.pack(0)
}

#[test]
fn unorm8_keeps_the_top_byte_of_replicated_endpoints() {
    let mut weights = [0; 16];
    weights[..4].copy_from_slice(&[0, 1, 2, 3]);
    let texels = decode(format([4, 4], Numeric::Unorm), luminance(10, 200, weights), &Options::default());
    for (texel, weight) in texels.iter().zip([0u32, 21, 43, 64]) {
        let c = (10 * 257 * (64 - weight) + 200 * 257 * weight + 32) / 64;
        let top = (c >> 8) as u8;
        assert_eq!(texel[..], [top, top, top, 255], "weight {weight}");
    }
}

#[test]
fn srgb_fills_the_low_byte_with_0x80_in_every_channel() {
    let mut rng = Rng::new(1);
    let (mut color_differs, mut alpha_differs) = (0, 0);
    for _ in 0..200 {
        // Luminance and alpha, direct: the same weights and endpoints in colour and alpha.
        let mut symbols = Symbols::random(&mut rng, [4, 4], DynamicRange::Ldr);
        symbols.mode_bits = 0b000_0100_0010;
        symbols.partitions = 1;
        symbols.endpoint_modes = [4, 0, 0, 0];
        symbols.selector = 0;
        let (low, high) = (rng.below(256) as u8, rng.below(256) as u8);
        symbols.colors[..4].copy_from_slice(&[low, high, low, high]);
        for weight in &mut symbols.weights[..16] {
            *weight = rng.below(4) as u8;
        }
        let block = symbols.pack(0);
        let srgb = decode(format([4, 4], Numeric::Srgb), block, &Options::default());
        let unorm = decode(format([4, 4], Numeric::Unorm), block, &Options::default());
        for ((srgb, unorm), weight) in srgb.iter().zip(&unorm).zip(symbols.weights) {
            let weight = [0, 21, 43, 64][usize::from(weight)];
            let [low, high] = [low, high].map(|end| u32::from(end) << 8 | 0x80);
            let top = (((low * (64 - weight) + high * weight + 32) / 64) >> 8) as u8;
            assert_eq!(srgb[..], [top; 4], "weight {weight}");
            color_differs += u32::from(srgb[0] != unorm[0]);
            alpha_differs += u32::from(srgb[3] != unorm[3]);
        }
    }
    assert!(color_differs > 0 && alpha_differs > 0, "the test tells the two rules apart");
}

#[test]
fn float16_is_exact_at_one_and_rounds_toward_zero() {
    let mut weights = [3; 16];
    weights[0] = 2;
    let texels = decode(format([4, 4], Numeric::Unorm), luminance(0, 255, weights), &FLOAT16);
    assert_eq!(halves(&texels[1]), [0x3C00; 4], "65535 is 1.0");
    // (65535 * 43 + 32) / 64 = 44031, whose 16 significant bits end in five ones: nearest would round up.
    assert_eq!(halves(&texels[0])[0], 14 << 10 | (44031 >> 5 & 0x3FF), "cut to 11 bits");
}

#[test]
fn void_extents_hold_16_bits_a_channel() {
    let block = void_extent(false, [0x12FF, 0x8000, 0xFFFF, 0x0003]);
    for numeric in [Numeric::Unorm, Numeric::Srgb] {
        for texel in decode(format([5, 4], numeric), block, &Options::default()) {
            assert_eq!(texel, [0x12, 0x80, 0xFF, 0x00], "{numeric:?}: the top bytes");
        }
    }
    let float = [0x2CBF, 0x3800, 0x3C00, 0x0300];
    for texel in decode(format([5, 4], Numeric::Unorm), block, &FLOAT16) {
        assert_eq!(halves(&texel), float, "0x12FF and 3 of 65536ths, 0.5, 1.0");
    }
    for texel in decode(format([5, 4], Numeric::Sfloat), block, &Options::default()) {
        assert_eq!(halves(&texel), float, "the HDR profile reads LDR void extents alike");
    }
}

#[test]
fn hdr_void_extents_are_floats_in_hdr_and_errors_in_ldr() {
    let block = void_extent(true, [0x3C00, 0xBC00, 0x7BFF, 0x0001]);
    for texel in decode(format([8, 8], Numeric::Sfloat), block, &Options::default()) {
        assert_eq!(halves(&texel), [0x3C00, 0xBC00, 0x7BFF, 0x0001], "as stored");
    }
    for numeric in [Numeric::Unorm, Numeric::Srgb] {
        for texel in decode(format([8, 8], numeric), block, &Options::default()) {
            assert_eq!(texel, MAGENTA, "{numeric:?}");
        }
    }
    for texel in decode(format([8, 8], Numeric::Unorm), block, &FLOAT16) {
        assert_eq!(halves(&texel), [0x3C00, 0, 0x3C00, 0x3C00], "magenta in floats");
    }
}

#[test]
fn void_extents_are_checked() {
    let good = void_extent(false, [0x8000; 4]);
    let unorm = format([4, 4], Numeric::Unorm);
    let texel = |block| decode(unorm, block, &Options::default())[0].clone();
    let with = |change: fn(&mut u128)| {
        let mut bits = u128::from_le_bytes(good);
        change(&mut bits);
        bits.to_le_bytes()
    };
    let coordinates = |low_s: u128, high_s: u128, low_t: u128, high_t: u128| {
        let bits = u128::from_le_bytes(good) & !(((1 << 52) - 1) << 12);
        (bits | low_s << 12 | high_s << 25 | low_t << 38 | high_t << 51).to_le_bytes()
    };
    assert_eq!(texel(good), [0x80; 4], "no coordinates");
    assert_eq!(texel(with(|bits| *bits &= !(1 << 10))), MAGENTA, "reserved bit 10");
    assert_eq!(texel(with(|bits| *bits &= !(1 << 11))), MAGENTA, "reserved bit 11");
    assert_eq!(texel(coordinates(0, 1, 8190, 8191)), [0x80; 4], "low below high");
    assert_eq!(texel(coordinates(5, 5, 0, 1)), MAGENTA, "an empty s axis");
    assert_eq!(texel(coordinates(0, 1, 6, 5)), MAGENTA, "a reversed t axis");
    assert_eq!(texel(coordinates(8191, 8191, 0, 1)), MAGENTA, "all ones on one axis alone");
}

#[test]
fn hdr_partitions_alone_are_errors_in_ldr() {
    let mut rng = Rng::new(2);
    let (mut errors, mut decoded) = (0, 0);
    for _ in 0..300 {
        let block = legal(&mut rng, [6, 6], DynamicRange::Hdr);
        let ldr = decode(format([6, 6], Numeric::Unorm), block, &FLOAT16);
        let hdr = decode(format([6, 6], Numeric::Sfloat), block, &Options::default());
        let transparent = Options { error_color: ErrorColor::TransparentBlack, ..FLOAT16 };
        let transparent = decode(format([6, 6], Numeric::Unorm), block, &transparent);
        for ((ldr, hdr), transparent) in ldr.iter().zip(&hdr).zip(&transparent) {
            if ldr == transparent {
                assert_eq!(ldr, hdr, "an LDR partition's texel is the same in both profiles");
                decoded += 1;
            } else {
                assert_eq!(halves(ldr), [0x3C00, 0, 0x3C00, 0x3C00], "magenta");
                assert_eq!(transparent[..], [0; 8], "transparent black");
                errors += 1;
            }
        }
    }
    assert!(errors > 1000 && decoded > 1000, "both kinds occur: {errors} errors, {decoded} others");
}

#[test]
fn the_second_plane_moves_one_channel() {
    let mut rng = Rng::new(3);
    let mut moved = [0; 4];
    for _ in 0..3000 {
        let mut symbols = Symbols::random(&mut rng, [8, 5], DynamicRange::Ldr);
        let before = symbols.pack(0);
        let Ok(texemu_reference::astc::Block::Coded(coded)) =
            texemu_reference::astc::inspect(&before, [8, 5])
        else {
            panic!("{symbols:?}");
        };
        if !coded.mode.dual_plane {
            continue;
        }
        // The planes' weights alternate.
        for weight in symbols.weights[..coded.mode.weights()].iter_mut().skip(1).step_by(2) {
            *weight = weight.checked_sub(1).unwrap_or(1);
        }
        let unorm = format([8, 5], Numeric::Unorm);
        let before = decode(unorm, before, &Options::default());
        let after = decode(unorm, symbols.pack(0), &Options::default());
        for (before, after) in before.iter().zip(after) {
            for channel in 0..4 {
                if before[channel] != after[channel] {
                    assert_eq!(channel, usize::from(symbols.second_plane_channel), "{symbols:?}");
                    moved[channel] += 1;
                }
            }
        }
    }
    assert!(moved.iter().all(|&texels| texels > 0), "every channel had its turn: {moved:?}");
}
