//! The two ways in which an ASTC decoder makes a 16-bit float (KDFS 1.4, "Weight Application").

/// 1.0.
pub(crate) const ONE: u16 = 0x3C00;

/// A UNORM16 interpolation result as `decode_float16` stores it: 65535 is 1.0, anything else is `c / 65536`
/// rounded toward zero.
pub(crate) fn from_unorm16(c: u16) -> u16 {
    if c == 0xFFFF {
        return ONE;
    }
    // Below 4 the result is subnormal, in units of 2^-24.
    if c < 4 {
        return c << 8;
    }
    // A 32-bit float holds c exactly; its exponent loses the division by 2^16 and the difference of the
    // biases, 127 - 15, and its mantissa all but 10 bits.
    ((f32::from(c).to_bits() >> 13) - ((16 + 127 - 15) << 10)) as u16
}

/// An interpolation result of an HDR endpoint, 5 bits of exponent over 11 bits of piecewise linear mantissa.
/// Infinity and NaN become the largest finite value.
pub(crate) fn from_lns16(c: u16) -> u16 {
    let (e, m) = (c >> 11, u32::from(c & 0x7FF));
    let mt = match m {
        0..512 => 3 * m,
        512..1536 => 4 * m - 512,
        _ => 5 * m - 2048,
    };
    ((e << 10) + (mt >> 3) as u16).min(0x7BFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of any 16-bit float.
    fn value(half: u16) -> f64 {
        let (exponent, mantissa) = (i32::from(half >> 10 & 31), f64::from(half & 0x3FF));
        let magnitude = match exponent {
            0 => mantissa * 2f64.powi(-24),
            31 if mantissa == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
        };
        if half >> 15 == 1 { -magnitude } else { magnitude }
    }

    #[test]
    fn values_are_those_of_ieee_754() {
        assert_eq!([0x3C00, 0xC000, 0x7BFF, 0x0001].map(value), [1.0, -2.0, 65504.0, 2f64.powi(-24)]);
        assert_eq!(value(0xFC00), f64::NEG_INFINITY, "infinity");
        assert!(value(0xFFFF).is_nan(), "not a number");
    }

    #[test]
    fn unorm16_rounds_toward_zero() {
        for c in 0..0xFFFFu16 {
            let exact = f64::from(c) / 65536.0;
            let half = from_unorm16(c);
            assert!(value(half) <= exact && exact < value(half + 1), "{c}: {half:04x}");
        }
        assert_eq!(from_unorm16(0xFFFF), ONE, "the largest value is 1.0");
    }

    #[test]
    fn lns16_is_monotonic_and_finite() {
        assert_eq!(from_lns16(0x7800), ONE, "0x780 is the 12-bit code of 1.0");
        for c in 1..=0xFFFFu16 {
            assert!(from_lns16(c - 1) <= from_lns16(c), "{c}");
        }
        assert_eq!(from_lns16(0xFFFF), 0x7BFF, "what would be NaN is the largest finite value");
    }
}
