//! Endpoints to the 128 bits of a block.

use super::fit::{Fit, index};
use super::mode::{Mode, PBit, SplitMode};
use crate::encode::partition::{ANCHORS, MASKS};
use crate::encode::vector::Rgba;

struct Writer {
    bits: u128,
    at: u32,
}

impl Writer {
    fn new(mode: &Mode) -> Self {
        Self { bits: 1 << mode.number, at: mode.number + 1 }
    }

    fn put(&mut self, value: i32, bits: u32) {
        self.bits |= (value as u128) << self.at;
        self.at += bits;
    }

    /// A channel of some endpoints, without p bits.
    fn put_channel(&mut self, mode: &Mode, ends: &[Rgba], channel: usize) {
        let bits = mode.bits[usize::from(channel == 3)];
        for e in ends {
            self.put(e.0[channel] >> (8 - bits), bits);
        }
    }

    /// Indices, without the top bit of the anchors'.
    fn put_indices(&mut self, indices: [i32; 16], bits: u32, anchors: &[usize]) {
        for (k, i) in indices.into_iter().enumerate() {
            self.put(i, bits - u32::from(anchors.contains(&k)));
        }
    }

    fn finish(self) -> [u8; 16] {
        debug_assert_eq!(self.at, 128);
        self.bits.to_le_bytes()
    }
}

/// Exchanges the endpoints of a subset if its anchor's index has the top bit set; `indices` are those of its texels.
fn order(ends: &mut [Rgba; 2], indices: &mut [i32; 16], mask: u32, anchor: usize, mode: &Mode) {
    if indices[anchor] > mode.levels() / 2 {
        ends.swap(0, 1);
        for k in (0..16).filter(|k| mask >> k & 1 != 0) {
            indices[k] = mode.levels() - indices[k];
        }
    }
}

/// One subset of all texels (no partition), or two.
pub(super) fn subsets(texels: &[Rgba; 16], mode: &Mode, partition: Option<usize>, fits: &[Fit]) -> [u8; 16] {
    let mask = partition.map_or(0, |partition| MASKS[partition]);
    let mut ends: Vec<[Rgba; 2]> = fits.iter().map(|fit| fit.ends).collect();
    let mut indices =
        std::array::from_fn(|k| index(texels[k], ends[(mask >> k & 1) as usize], mode.levels()));
    let mut anchors = vec![0];
    order(&mut ends[0], &mut indices, !mask, 0, mode);
    if let Some(partition) = partition {
        anchors.push(ANCHORS[partition] as usize);
        order(&mut ends[1], &mut indices, mask, anchors[1], mode);
    }
    let ends = ends.as_flattened();
    let mut writer = Writer::new(mode);
    if let Some(partition) = partition {
        writer.put(partition as i32, 6);
    }
    for channel in 0..if mode.bits[1] == 0 { 3 } else { 4 } {
        writer.put_channel(mode, ends, channel);
    }
    let p_bits = match mode.p_bit {
        PBit::Endpoint => 1,
        _ => 2,
    };
    for e in ends.iter().step_by(p_bits) {
        writer.put(e.0[0] >> (8 - mode.precision(0)) & 1, 1);
    }
    writer.put_indices(indices, mode.index_bits, &anchors);
    writer.finish()
}

/// Three channels and one apart. `texels` are rotated: the channel apart is in alpha's place.
pub(super) fn split(
    texels: &[Rgba; 16],
    mode: &SplitMode,
    rotation: u32,
    color: &Fit,
    scalar: &Fit,
) -> [u8; 16] {
    let mut writer = Writer::new(&mode.color);
    writer.put(rotation as i32, 2);
    if mode.color.number == 4 {
        writer.put(mode.swapped as i32, 1);
    }
    let mut parts =
        [(color, mode.color, Rgba::of([1, 1, 1, 0])), (scalar, mode.scalar, Rgba::of([0, 0, 0, 1]))].map(
            |(fit, mode, keep)| {
                let mut ends = fit.ends;
                let mut indices = texels.map(|p| index(p * keep, ends, mode.levels()));
                order(&mut ends, &mut indices, 0xffff, 0, &mode);
                (mode, ends, indices)
            },
        );
    for channel in 0..4 {
        let (mode, ends, _) = &parts[usize::from(channel == 3)];
        writer.put_channel(mode, ends, channel);
    }
    if mode.swapped != 0 {
        parts.swap(0, 1);
    }
    for (mode, _, indices) in parts {
        writer.put_indices(indices, mode.index_bits, &[0]);
    }
    writer.finish()
}
