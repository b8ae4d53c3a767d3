//! The partitions into two subsets that BC7 and, its first 32, BC6H know (KDFS 1.4, "BC7", partition table), and how well
//! one suits a block.

use super::vector::{Moments, Vector, principal_axis, scale_shift};

/// Bit k: texel k is in subset 1.
#[rustfmt::skip]
pub(super) const MASKS: [u32; 64] = [
    0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80,
    0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00, 0xFFF0, 0xF000,
    0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE,
    0x088C, 0x3110, 0x6666, 0x366C, 0x17E8, 0x0FF0, 0x718E, 0x399C,
    0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696, 0xA55A,
    0x73CE, 0x13C8, 0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660,
    0x0272, 0x04E4, 0x4E40, 0x2720, 0xC936, 0x936C, 0x39C6, 0x639C,
    0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
];

/// Subset 1's anchor: the texel of which the index lacks its top bit.
#[rustfmt::skip]
pub(super) const ANCHORS: [u32; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15,  2,  8,  2,  2,  8,  8, 15,  2,  8,  2,  2,  8,  8,  2,  2,
    15, 15,  6,  8,  2,  8, 15, 15,  2,  8,  2,  2,  2, 15, 15,  6,
     6,  2,  6,  8, 15, 15,  2,  2, 15, 15, 15, 15, 15,  2,  2, 15,
];

/// About the squared error of a subset: all that lies off its principal axis, and a part of what lies along it, which
/// has few indices.
pub(super) fn expected_error<const N: usize>(moments: &Moments<N>) -> u32 {
    let rows = moments.covariance();
    let axis = principal_axis(rows, 2);
    let axis = axis >> (scale_shift(axis.max_abs() << 8)); // below 64
    let trace: i32 = (0..N).map(|c| rows[c].0[c]).sum();
    let shift = scale_shift((0..N).map(|c| rows[c].0[c]).max().unwrap_or(0));
    let rows = rows.map(|row| row >> shift);
    // A quotient of what is positive but for rounding.
    let image: i32 = rows.iter().zip(axis.0).map(|(row, a)| row.dot(axis) * a).sum();
    let along = (image.max(0) / axis.dot(axis).max(1)) << shift;
    ((trace - along).max(0) + (along >> 5)) as u32 / moments.count as u32
}

/// Of `count` partitions the four with the least error to expect, the best first.
pub(super) fn promising<const N: usize>(texels: &[Vector<N>; 16], count: usize) -> [usize; 4] {
    let each = texels.map(|texel| Moments::ZERO.with(texel));
    let all = each.iter().fold(Moments::ZERO, |sum, texel| sum.plus(texel, 1));
    let expected = |partition: usize| {
        let mask = MASKS[partition];
        let one = (0..16).fold(Moments::ZERO, |sum, k| sum.plus(&each[k], (mask >> k & 1) as i32));
        (expected_error(&one) + expected_error(&all.plus(&one, -1)), partition)
    };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&partition| expected(partition));
    [order[0], order[1], order[2], order[3]]
}
