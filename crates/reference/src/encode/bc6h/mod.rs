//! BC6H, unsigned. Twin of `glsl/encode/bc6h.glsl`.
//!
//! Errors are measured in the bits of half floats, about the logarithm of the value. One subset of texels is tried in
//! the most precise mode that can store its endpoints; at [`Effort::High`] so are two, for some partitions.

mod fit;
mod mode;
mod pack;

use super::Effort;
use super::partition::{ANCHORS, MASKS, promising};
use super::vector::{Moments, Rgb};
use fit::{Scaled, Subset};
use mode::{Mode, ONE, TWO};

/// Encodes 16 half floats of red, green and blue. Negative values become 0, infinity and NaN the largest finite value.
pub(super) fn encode(channels: [[u16; 16]; 3], effort: Effort) -> [u8; 16] {
    search(channels, effort).0
}

/// Rounds of least squares.
const ROUNDS: u32 = 2;

/// A half float's bits if they count up with its value.
fn ordered(half: u16) -> i32 {
    let magnitude = i32::from(half & 0x7fff);
    match half {
        _ if magnitude > 0x7c00 => 0x7bff,
        0x8000.. => 0,
        _ => magnitude.min(0x7bff),
    }
}

/// What a search has found.
struct Found {
    error: u32,
    mode: &'static Mode,
    stored: Vec<[i32; 3]>,
    partition: Option<usize>,
    indices: [i32; 16],
}

/// The best of some rounds of least squares with one subset, or the two of a partition.
fn fit(block: &Scaled, partition: Option<usize>) -> Found {
    let (modes, levels) = if partition.is_some() { (&TWO[..], 7) } else { (&ONE[..], 15) };
    let subset = |mask, anchor| Subset { block, mask, anchor, levels };
    let subsets = match partition {
        None => vec![subset(0xffff, 0)],
        Some(partition) => {
            let mask = MASKS[partition];
            vec![subset(!mask & 0xffff, 0), subset(mask, ANCHORS[partition] as usize)]
        }
    };
    let moments: Vec<Moments<3>> = subsets.iter().map(Subset::moments).collect();
    let mut ends: Vec<[Rgb; 2]> =
        subsets.iter().zip(&moments).map(|(subset, moments)| subset.extremes(moments)).collect();
    let mut best: Option<Found> = None;
    for _ in 0..ROUNDS {
        let solved: Vec<Rgb> =
            (0..subsets.len()).flat_map(|s| subsets[s].least_squares(&moments[s], ends[s])).collect();
        let stored_in =
            |mode: &Mode| -> Vec<[i32; 3]> { solved.iter().map(|q| q.map(|q| mode.quantize(q)).0).collect() };
        let mode = modes.iter().find(|mode| mode.fits(&stored_in(mode))).unwrap_or(&modes[modes.len() - 1]);
        let stored = stored_in(mode);
        let mut error = 0;
        let mut indices = [0; 16];
        for (s, subset) in subsets.iter().enumerate() {
            let of_subset;
            (of_subset, ends[s]) = subset.score(mode, [stored[2 * s], stored[2 * s + 1]]);
            error += of_subset;
            for k in (0..16).filter(|k| subset.mask >> k & 1 != 0) {
                indices[k] = subset.index(k, ends[s]);
            }
        }
        if best.as_ref().is_none_or(|best| error < best.error) {
            best = Some(Found { error, mode, stored, partition, indices });
        }
    }
    best.expect("there is at least one round")
}

/// The block, and its squared error in scaled units.
fn search(channels: [[u16; 16]; 3], effort: Effort) -> ([u8; 16], u32) {
    let block = Scaled::new(std::array::from_fn(|k| Rgb::of(channels.map(|values| ordered(values[k])))));
    let mut best = fit(&block, None);
    if effort == Effort::High && best.error > 0 {
        for partition in promising(&block.texels, 32) {
            let found = fit(&block, Some(partition));
            if found.error < best.error {
                best = found;
            }
        }
    }
    let anchors: &[usize] = &match best.partition {
        None => vec![0],
        Some(partition) => vec![0, ANCHORS[partition] as usize],
    };
    (pack::pack(best.mode, &best.stored, best.partition, best.indices, anchors), best.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that suit each of the modes.
    fn blocks() -> Vec<[[u16; 16]; 3]> {
        let mut state = 1u32;
        let mut random = move |end: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % end
        };
        let mut blocks = Vec::new();
        for n in 0..6000 {
            // Two colours, how far they are apart and what noise there is, all of any magnitude.
            let apart = 1 << random(15);
            let base = [0; 3].map(|_| random(0x7000) as i32);
            let other = base.map(|v| v + random(apart) as i32);
            let noise = 1 << random(if n & 1 == 0 { 4 } else { 12 });
            let mask = if n % 3 == 0 { random(0x10000) } else { MASKS[random(32) as usize] };
            let mut channels = [0, 1, 2].map(|c| {
                std::array::from_fn(|k| {
                    let near = if mask >> k & 1 != 0 { base[c] } else { other[c] };
                    (near + random(noise) as i32) as u16
                })
            });
            if n % 100 == 0 {
                channels = channels.map(|values| values.map(|_| random(0x10000) as u16));
            }
            blocks.push(channels);
        }
        blocks
    }

    #[test]
    fn blocks_decode_with_the_error_that_chose_them() {
        let mut modes = [0; 32];
        for channels in blocks() {
            let exact = std::array::from_fn(|k| Rgb::of(channels.map(|values| ordered(values[k]))));
            let shift = Scaled::new(exact).shift;
            for effort in [Effort::Fast, Effort::High] {
                let (block, counted) = search(channels, effort);
                let code = block[0] & if block[0] & 2 == 0 { 3 } else { 31 };
                modes[usize::from(code)] += 1;
                let mut decoded = [0; 48];
                bcdec_rs::bc6h_half(&block, &mut decoded, 12, false);
                let error: i32 = (0..16)
                    .map(|k| Rgb::of(std::array::from_fn(|c| decoded[3 * k + c].into())) - exact[k])
                    .map(|off| fit::scale(off, shift))
                    .map(|off| off.dot(off))
                    .sum();
                assert_eq!(error as u32, counted, "{effort:?}: {channels:x?}");
            }
        }
        for mode in TWO.iter().chain(&ONE) {
            assert!(modes[mode.code as usize] > 0, "no block came out in mode {:#04x}: {modes:?}", mode.code);
        }
    }

    #[test]
    fn one_color_is_exact() {
        for v in 0..0x7c00 {
            let (block, _) = search([[v; 16], [0x7bff - v; 16], [v / 3; 16]], Effort::Fast);
            let mut decoded = [0; 48];
            bcdec_rs::bc6h_half(&block, &mut decoded, 12, false);
            assert!(decoded.chunks(3).all(|pixel| pixel == [v, 0x7bff - v, v / 3]), "{v:04x}: {decoded:x?}");
        }
    }
}
