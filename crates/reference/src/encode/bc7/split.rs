//! Which partitions suit a block, by two splits of its texels.

use crate::encode::partition::MASKS;
use crate::encode::vector::Rgba;

/// Texels on the far side of the mean along `direction`.
pub(super) fn split(texels: &[Rgba; 16], sum: Rgba, direction: Rgba) -> u32 {
    let mean = sum.dot(direction);
    (0..16).fold(0, |split, k| split | u32::from(texels[k].dot(direction) * 16 > mean) << k)
}

/// The two partitions nearest to a split, whichever side is subset 1.
pub(super) fn nearest(split: u32) -> [usize; 2] {
    let distance = |partition: usize| {
        let different = (MASKS[partition] ^ split).count_ones();
        (different.min(16 - different), partition)
    };
    let mut order: Vec<usize> = (0..64).collect();
    order.sort_by_key(|&partition| distance(partition));
    [order[0], order[1]]
}
