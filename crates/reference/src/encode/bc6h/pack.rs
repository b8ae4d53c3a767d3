//! Endpoints and indices to the 128 bits of a block.

use super::mode::{Mode, SCATTERED};

/// Where the lower bits of each endpoint's channels begin.
const PLACES: [[u32; 3]; 4] = [[5, 15, 25], [35, 45, 55], [65, 41, 61], [71, 51, 0]];

/// `stored` has two endpoints a subset; `partition` is there with two subsets. Anchors' indices are in the lower half.
pub(super) fn pack(
    mode: &Mode,
    stored: &[[i32; 3]],
    partition: Option<usize>,
    indices: [i32; 16],
    anchors: &[usize],
) -> [u8; 16] {
    let values: Vec<[u32; 3]> = (0..stored.len())
        .map(|end| {
            std::array::from_fn(|c| {
                let first = if end > 0 && mode.relative { stored[0][c] } else { 0 };
                let bits = if end > 0 { mode.difference[c] } else { mode.precision };
                (stored[end][c] - first) as u32 & ((1 << bits) - 1)
            })
        })
        .collect();
    let mut bits = u128::from(mode.code);
    let mut put = |value: u32, at: u32| bits |= u128::from(value) << at;
    for (end, channels) in values.iter().enumerate() {
        for (c, &value) in channels.iter().enumerate() {
            let kept = match (end, c) {
                (0, _) => value & 0x3ff,
                (2, 1 | 2) | (3, 1) => value & 15,
                (3, 2) => 0,
                _ => value,
            };
            put(kept, PLACES[end][c]);
            if end == 0 && partition.is_none() {
                // The bits above the tenth go below the next channel, the highest first.
                for bit in 10..mode.precision {
                    put(value >> bit & 1, PLACES[1][c] + 19 - bit);
                }
            }
        }
    }
    if let Some(partition) = partition {
        put(partition as u32, 77);
        for ((end, c, bit), at) in SCATTERED.into_iter().zip(mode.scattered) {
            if at < 128 {
                put(values[end][c] >> bit & 1, at.into());
            }
        }
    }
    let (mut at, width) = if partition.is_some() { (82, 3) } else { (65, 4) };
    for (k, i) in indices.into_iter().enumerate() {
        put(i as u32, at);
        at += width - u32::from(anchors.contains(&k));
    }
    debug_assert_eq!(at, 128);
    bits.to_le_bytes()
}
