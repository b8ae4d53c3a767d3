//! BC7. Twin of `glsl/encode/bc7.glsl`.
//!
//! The encoder tries one subset (mode 6), two (modes 1, 3, 7), and one channel apart from the others (modes 4, 5), and
//! keeps what decodes with the least squared error. An opaque block decodes with alpha 255 everywhere.

mod fit;
mod mode;
mod pack;
mod split;

use super::Effort;
use super::partition::{MASKS, promising};
use super::vector::{Moments, Rgba, principal_axis};
use fit::Selection;
use mode::{PAIR_ALPHA, PAIR_EXACT, PAIR_INDEXED, SINGLE, SPLITS};

const ALL: Rgba = Rgba::of([1, 1, 1, 1]);
const COLOR: Rgba = Rgba::of([1, 1, 1, 0]);
const SCALAR: Rgba = Rgba::of([0, 0, 0, 1]);

/// At [`Effort::Fast`], opaque blocks with at most this squared error are not tried in other modes.
const GOOD_ENOUGH: u32 = 40;

/// Encodes 16 RGBA8 texels, red in the low byte.
pub(super) fn encode(texels: &[u32; 16], effort: Effort) -> [u8; 16] {
    search(texels, effort).0
}

/// The block, and the squared error with which it decodes.
fn search(packed: &[u32; 16], effort: Effort) -> ([u8; 16], u32) {
    if packed.iter().all(|texel| *texel == packed[0]) {
        return (solid(packed[0]), 0);
    }
    let texels = packed.map(Rgba::unpack);
    let opaque = texels.iter().all(|texel| texel.0[3] == 255);
    let high = effort == Effort::High;
    let rounds = if high { 2 } else { 1 };
    let select = |mask, keep| Selection { texels: &texels, mask, keep };

    let single = select(0xffff, ALL).fit(&SINGLE, opaque, rounds);
    let worst = single.worst * COLOR;
    let mut least = single.error;
    let mut block = pack::subsets(&texels, &SINGLE, None, &[single]);
    if least <= if opaque && !high { GOOD_ENOUGH } else { 0 } {
        return (block, least);
    }

    let mut pairs = Vec::new();
    if high {
        let best = promising(&texels, 64);
        if opaque {
            pairs.extend(best.map(|partition| (PAIR_INDEXED, partition)));
            pairs.extend([(PAIR_EXACT, best[0]), (PAIR_EXACT, best[1])]);
        } else {
            pairs.extend([(PAIR_ALPHA, best[0]), (PAIR_ALPHA, best[1])]);
        }
    } else if opaque {
        let moments = texels.into_iter().fold(Moments::ZERO, Moments::with);
        let axis = principal_axis(moments.covariance(), 2);
        let by_axis = split::nearest(split::split(&texels, moments.sum, axis));
        let by_worst = split::nearest(split::split(&texels, moments.sum, worst))[0];
        let other = if by_axis[0] == by_worst { by_axis[1] } else { by_axis[0] };
        pairs.extend([(PAIR_INDEXED, by_worst), (PAIR_INDEXED, other)]);
    }
    for (mode, partition) in pairs {
        let mask = MASKS[partition];
        let fits = [!mask, mask].map(|mask| select(mask, ALL).fit(&mode, opaque, rounds));
        let error = fits[0].error + fits[1].error;
        if error < least {
            least = error;
            block = pack::subsets(&texels, &mode, Some(partition), &fits);
        }
    }

    // At Fast: alpha apart, or in an opaque block, and in mode 5 alone, the channel in which the worst texel is furthest
    // off.
    let rotations = match (high, opaque) {
        (true, _) => 0..4,
        (false, false) => 0..1,
        (false, true) => {
            let [r, g, b, _] = worst.map(i32::abs).0;
            let rotation = if r >= g.max(b) {
                1
            } else if g >= b {
                2
            } else {
                3
            };
            rotation..rotation + 1
        }
    };
    for rotation in rotations {
        let rotated = texels.map(|texel| texel.rotated(rotation));
        for mode in &SPLITS[..if high || !opaque { 3 } else { 1 }] {
            let select = |keep| Selection { texels: &rotated, mask: 0xffff, keep };
            let color = select(COLOR).fit(&mode.color, false, rounds);
            let scalar = select(SCALAR).fit(&mode.scalar, false, rounds);
            let error = color.error + scalar.error;
            if error < least {
                least = error;
                block = pack::split(&rotated, mode, rotation, &color, &scalar);
            }
        }
    }
    (block, least)
}

/// One colour, exactly, in mode 5: every 8-bit value is 43 / 64 of one 7-bit value and 21 / 64 of another.
fn solid(texel: u32) -> [u8; 16] {
    let [r, g, b, a] = Rgba::unpack(texel).0;
    let mut bits = 0x20u128;
    let mut at = 8;
    for v in [r, g, b] {
        let (q0, q1) = solid_pair(v);
        bits |= ((q0 | q1 << 7) as u128) << at;
        at += 14;
    }
    bits |= ((a | a << 8) as u128) << at;
    // Colour index 1 in every texel, index 0's top bit left out; alpha index 0.
    bits |= 0x2AAA_AAABu128 << (at + 16);
    bits.to_le_bytes()
}

/// The 7-bit values that decode to `v` with the 2-bit index 1.
fn solid_pair(v: i32) -> (i32, i32) {
    // Below 128 the even values are exact as they are, above it the odd ones; the others lie between neighbours.
    let q0 = (v >> 1) - i32::from(v >= 130 && v & 1 == 0);
    let q1 = (v >> 1) + if v < 128 { v & 1 } else { -i32::from(v == 128) };
    (q0, q1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_color_is_exact() {
        for v in 0..=255 {
            let (q0, q1) = solid_pair(v);
            let [a, b] = [q0, q1].map(|q| q << 1 | q >> 6);
            assert_eq!((43 * a + 21 * b + 32) >> 6, v, "{q0}, {q1}");
        }
    }

    /// Blocks that suit each of the modes.
    fn blocks() -> Vec<[u32; 16]> {
        let mut state = 1u32;
        let mut random = move |end: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % end
        };
        let mut blocks = Vec::new();
        for kind in (0..6).cycle().take(3000) {
            let [a, b, c] = [0; 3].map(|_| random(1 << 24) | random(256) << 24);
            let (mask, noise) = (MASKS[random(64) as usize], 1 + random(30));
            blocks.push(std::array::from_fn(|k| {
                let texel = if mask >> k & 1 != 0 { a } else { b };
                let near = (0..4).fold(0, |near, channel| {
                    let v = (texel >> (8 * channel) & 255) + random(noise);
                    near | v.min(255) << (8 * channel)
                });
                match kind {
                    0 => near | 0xff00_0000,
                    1 => near,
                    2 => (a & 0xffff_ff00) | random(256),
                    3 => (near & 0xff_ffff) | random(256) << 24,
                    4 => [a, b, c][random(3) as usize] | 0xff00_0000,
                    _ => random(1 << 24) | (random(2) * 0xff00_0000),
                }
            }));
        }
        blocks
    }

    #[test]
    fn blocks_decode_with_the_error_that_chose_them() {
        let mut modes = [0; 8];
        for texels in blocks() {
            let opaque = texels.iter().all(|texel| texel >> 24 == 255);
            for effort in [Effort::Fast, Effort::High] {
                let (block, counted) = search(&texels, effort);
                modes[block[0].trailing_zeros() as usize] += 1;
                let mut decoded = [0; 64];
                bcdec_rs::bc7(&block, &mut decoded, 16);
                let (pixels, _) = decoded.as_chunks::<4>();
                let error: i32 = pixels
                    .iter()
                    .zip(texels)
                    .map(|(pixel, texel)| Rgba::of(pixel.map(i32::from)) - Rgba::unpack(texel))
                    .map(|off| off.dot(off))
                    .sum();
                assert_eq!(error as u32, counted, "{effort:?}: {texels:08x?}");
                assert!(!opaque || pixels.iter().all(|pixel| pixel[3] == 255), "{effort:?}: {texels:08x?}");
            }
        }
        for mode in [1, 3, 4, 5, 6, 7] {
            assert!(modes[mode] > 0, "no block came out in mode {mode}: {modes:?}");
        }
    }
}
