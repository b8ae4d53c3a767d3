//! The order of depth values that every path keeps, and the rounding of 16-bit output.
//!
//! Values are compared as integers of the same order as the floats they stand for, so that no path depends on how a
//! device's `min` treats NaN, signed zero or denormals:
//!
//! * **infinities are ordinary extremes**;
//! * **a denormal and -0 count as +0**: Vulkan lets a device make that of them in a sampler, a shader or a store, before or
//!   after anyone sees them, so nothing better can be had everywhere. Whoever compares with a pyramid counts its own depth so
//!   too: what is above another number then is above it before;
//! * **a NaN is a texel about which nothing is known**: it counts as -infinity under [`Reduction::Min`] and as +infinity
//!   under [`Reduction::Max`], in both channels under [`Reduction::MinMax`]. So a NaN never hides anything from a
//!   farthest-depth query and never lets a nearest-depth query skip anything.

use crate::Reduction;

/// The identity of a minimum of keys. No key of a value equals it.
pub(crate) const EMPTY: i32 = i32::MAX;

/// The key of a NaN: that of -infinity, which is also the flipped key of +infinity.
const UNKNOWN: i32 = ordered(f32::NEG_INFINITY.to_bits() as i32);

/// Maps the bits of a float that is not a NaN to an integer of the same order, and back: it is its own inverse.
const fn ordered(bits: i32) -> i32 {
    bits ^ ((bits >> 31) & 0x7fff_ffff)
}

/// The key whose minimum is the reduction: ascending under `Min`, descending under `Max`.
pub(crate) fn key(value: f32, max: bool) -> i32 {
    if value.is_nan() {
        return UNKNOWN;
    }
    let key = ordered(value.to_bits() as i32);
    if max { !key } else { key }
}

/// The value of a key, as it is stored.
pub(crate) fn value(key: i32, max: bool) -> f32 {
    let value = f32::from_bits(ordered(if max { !key } else { key }) as u32);
    if value.is_normal() || value.is_infinite() { value } else { 0.0 }
}

/// Rounds to a value that a 16-bit float represents, toward -infinity, or toward +infinity if `up`. Beyond the largest
/// finite value that may be an infinity.
pub(crate) fn round_to_half(value: f32, up: bool) -> f32 {
    let bits = value.to_bits();
    let negative = bits >> 31 != 0;
    let away = negative != up; // from zero
    let magnitude = bits & 0x7fff_ffff;
    let rounded = if magnitude >= 0x7f80_0000 {
        magnitude
    } else if magnitude >= 0x3880_0000 {
        // At least 2^-14, a normal half: 13 bits of the mantissa go.
        let cut = if away { magnitude + 0x1fff } else { magnitude } & !0x1fff;
        match cut {
            ..0x4780_0000 => cut,
            _ if away => 0x7f80_0000,
            _ => 0x477f_e000,
        }
    } else {
        // A denormal half, a multiple of 2^-24. Powers of two scale exactly.
        let scaled = f32::from_bits(magnitude) * 16_777_216.0;
        let whole = if away { scaled.ceil() } else { scaled.floor() };
        (whole / 16_777_216.0).to_bits()
    };
    if rounded == 0 { 0.0 } else { f32::from_bits(rounded | (bits & 0x8000_0000)) }
}

impl Reduction {
    /// Components of a texel: 1, or 2 for `MinMax`.
    pub const fn components(self) -> u32 {
        match self {
            Self::Min | Self::Max => 1,
            Self::MinMax => 2,
        }
    }

    /// For each component, whether it keeps the maximum.
    pub(crate) const fn maxima(self) -> &'static [bool] {
        match self {
            Self::Min => &[false],
            Self::Max => &[true],
            Self::MinMax => &[false, true],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every interesting exponent with low, middle and high mantissas, both signs.
    fn values() -> impl Iterator<Item = f32> {
        let mantissas = [
            0, 1, 2, 0xfff, 0x1000, 0x1fff, 0x2000, 0x2001, 0x3f_ffff, 0x40_0000, 0x7f_e000, 0x7f_e001,
            0x7f_ffff,
        ];
        (0u32..=255).flat_map(move |exponent| {
            mantissas.into_iter().flat_map(move |mantissa| {
                [0u32, 1].map(|sign| f32::from_bits(sign << 31 | exponent << 23 | mantissa))
            })
        })
    }

    #[test]
    fn keys_order_as_floats_do_and_come_back() {
        let finite: Vec<f32> = values().filter(|value| !value.is_nan()).collect();
        for &a in &finite {
            for max in [false, true] {
                let back = if a.is_subnormal() || a == 0.0 { 0.0 } else { a };
                assert_eq!(value(key(a, max), max).to_bits(), back.to_bits());
                assert_ne!(key(a, max), EMPTY);
            }
            for &b in &finite {
                assert_eq!(key(a, false).cmp(&key(b, false)), a.total_cmp(&b), "{a:e} {b:e}");
                assert_eq!(key(a, true).cmp(&key(b, true)), b.total_cmp(&a), "{a:e} {b:e}");
            }
        }
    }

    #[test]
    fn a_nan_counts_as_the_safe_extreme() {
        for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)] {
            assert_eq!(value(key(nan, false), false), f32::NEG_INFINITY);
            assert_eq!(value(key(nan, true), true), f32::INFINITY);
        }
    }

    #[test]
    fn half_rounding_is_the_nearest_half_on_the_safe_side() {
        // All finite halves and the infinities, ascending.
        let mut halves: Vec<f32> = (0..=u16::MAX)
            .map(|bits| half::f16::from_bits(bits).to_f32())
            .filter(|value| !value.is_nan())
            .collect();
        halves.sort_by(f32::total_cmp);
        for value in values().filter(|value| !value.is_nan()) {
            let after = halves.partition_point(|half| half.total_cmp(&value).is_lt());
            let below = halves[..halves.len().min(after + 1)].iter().rfind(|&&half| half <= value).unwrap();
            let above = halves[after.saturating_sub(1)..].iter().find(|&&half| half >= value).unwrap();
            assert_eq!(round_to_half(value, false), *below, "{value:e} down");
            assert_eq!(round_to_half(value, true), *above, "{value:e} up");
            assert!([false, true].iter().all(|&up| round_to_half(value, up).to_bits() != 0x8000_0000));
        }
    }
}
