//! ETC2 and EAC blocks of a chosen kind.

use super::Rng;
use crate::etc2::Mode;

/// Replaces bits `high` down to `low`.
fn put(block: &mut u64, high: u32, low: u32, value: u64) {
    let mask = (1 << (high - low + 1)) - 1;
    *block = *block & !(mask << low) | (value & mask) << low;
}

fn field(block: u64, high: u32, low: u32) -> u64 {
    block >> low & ((1 << (high - low + 1)) - 1)
}

/// Makes the sum of a base of 5 bits and a difference of 3 bits overflow by means of the top three bits of
/// the base, at `high`, and the difference's sign; the other bits are payload of the T, H and planar modes
/// and stay.
fn overflow(block: &mut u64, high: u32) {
    let (base, difference) = (field(*block, high - 3, high - 4), field(*block, high - 6, high - 7));
    let upwards = base + difference >= 4;
    put(block, high, high - 2, if upwards { 7 } else { 0 });
    put(block, high - 5, high - 5, u64::from(!upwards));
}

/// Keeps the sum of a base of 5 bits and a difference of 3 bits in range by means of the base's top bit, at
/// `high`.
fn keep_in_range(block: &mut u64, high: u32) {
    put(block, high, high, field(*block, high - 5, high - 5));
}

/// A random colour block of a mode. With `punchthrough` bit 33 is random, as the opaque bit, and there is no
/// individual mode: a differential block stands in.
pub fn color(rng: &mut Rng, mode: Mode, punchthrough: bool) -> [u8; 8] {
    let mut block = rng.u64();
    if rng.one_in(8) {
        // Extreme colours, for the sake of clamps.
        for byte in [63, 55, 47] {
            let value = rng.pick(&[0x00, 0xFF, 0x0F, 0xF0, 0xF8]);
            put(&mut block, byte, byte - 7, value);
        }
    }
    if !punchthrough {
        put(&mut block, 33, 33, u64::from(mode != Mode::Individual));
    }
    match mode {
        Mode::Individual if !punchthrough => {}
        Mode::Individual | Mode::Differential => {
            for high in [63, 55, 47] {
                let base = rng.below(32);
                let lowest = base.saturating_sub(4);
                let sum = lowest + rng.below((base + 3).min(31) - lowest + 1);
                put(&mut block, high, high - 4, base.into());
                put(&mut block, high - 5, high - 7, u64::from(sum.wrapping_sub(base)));
            }
        }
        Mode::T => overflow(&mut block, 63),
        Mode::H => {
            keep_in_range(&mut block, 63);
            overflow(&mut block, 55);
        }
        Mode::Planar => {
            keep_in_range(&mut block, 63);
            keep_in_range(&mut block, 55);
            overflow(&mut block, 47);
        }
    }
    block.to_be_bytes()
}

/// A random EAC block: any base, multiplier, table and values.
pub fn eac(rng: &mut Rng) -> [u8; 8] {
    rng.u64().to_be_bytes()
}

/// A random EAC block at the edge of the rules: a multiplier of 0, a base of -128 (128 if unsigned) or a base
/// near an end of the range.
pub fn eac_corner(rng: &mut Rng) -> [u8; 8] {
    let mut block = rng.u64();
    match rng.below(4) {
        0 => put(&mut block, 55, 52, 0),
        1 => put(&mut block, 63, 56, 0x80),
        2 => {
            put(&mut block, 63, 56, 0x80);
            put(&mut block, 55, 52, 0);
        }
        _ => put(&mut block, 63, 56, rng.pick(&[0, 1, 0x7E, 0x7F, 0x81, 0xFE, 0xFF])),
    }
    block.to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::etc2::mode;
    use std::collections::HashSet;

    #[test]
    fn blocks_have_the_mode_they_claim() {
        let mut rng = Rng::new(8);
        for wanted in Mode::ALL {
            for _ in 0..5000 {
                let block = color(&mut rng, wanted, false);
                assert_eq!(mode(block, false), wanted, "{block:02x?}");
                let block = color(&mut rng, wanted, true);
                let expected = if wanted == Mode::Individual { Mode::Differential } else { wanted };
                assert_eq!(mode(block, true), expected, "{block:02x?}");
            }
        }
    }

    #[test]
    fn differential_blocks_reach_every_base_and_difference() {
        let mut rng = Rng::new(9);
        let mut reds = HashSet::new();
        let mut opaque = HashSet::new();
        for _ in 0..20_000 {
            let block = color(&mut rng, Mode::Differential, true);
            reds.insert(block[0]);
            opaque.insert(block[3] & 2);
        }
        // 32 * 8, less the sums that overflow: 4 + 3 + 2 + 1 below, 1 + 2 + 3 above.
        assert_eq!(reds.len(), 256 - 10 - 6, "all pairs without overflow");
        assert_eq!(opaque.len(), 2, "opaque and not");
    }

    #[test]
    fn every_payload_of_the_overflowing_modes_is_reached() {
        let mut rng = Rng::new(10);
        let mut reds = HashSet::new();
        for _ in 0..20_000 {
            let block = u64::from_be_bytes(color(&mut rng, Mode::T, false));
            reds.insert(field(block, 60, 59) << 2 | field(block, 57, 56));
        }
        assert_eq!(reds.len(), 16, "T's first red");
    }
}
