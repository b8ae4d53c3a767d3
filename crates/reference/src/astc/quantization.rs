//! Unquantisation of colours to 0..255 and of weights to 0..64 (KDFS 1.4, "Endpoint Unquantization" and
//! "Weight Unquantization"), as tables that the compiler fills from the specification's own bit patterns.

use super::integer_sequence::{Digit, RANGES};

/// A row of the specification's parameter tables: B as its bit pattern, C as its factor.
struct Parameters {
    digit: Digit,
    bits: u32,
    b: &'static [u8],
    c: u32,
}

const fn row(digit: Digit, bits: u32, b: &'static [u8], c: u32) -> Parameters {
    Parameters { digit, bits, b, c }
}

const COLORS: [Parameters; 11] = [
    row(Digit::Trit, 1, b"000000000", 204),
    row(Digit::Quint, 1, b"000000000", 113),
    row(Digit::Trit, 2, b"b000b0bb0", 93),
    row(Digit::Quint, 2, b"b0000bb00", 54),
    row(Digit::Trit, 3, b"cb000cbcb", 44),
    row(Digit::Quint, 3, b"cb0000cbc", 26),
    row(Digit::Trit, 4, b"dcb000dcb", 22),
    row(Digit::Quint, 4, b"dcb0000dc", 13),
    row(Digit::Trit, 5, b"edcb000ed", 11),
    row(Digit::Quint, 5, b"edcb0000e", 6),
    row(Digit::Trit, 6, b"fedcb000f", 5),
];

const WEIGHTS: [Parameters; 5] = [
    row(Digit::Trit, 1, b"0000000", 50),
    row(Digit::Quint, 1, b"0000000", 28),
    row(Digit::Trit, 2, b"b000b0b", 23),
    row(Digit::Quint, 2, b"b0000b0", 13),
    row(Digit::Trit, 3, b"cb000cb", 11),
];

/// The value of pattern `b`, where letter `a` is bit 0 of `value`, `b` is bit 1 and so on.
const fn spread(pattern: &[u8], value: u32) -> u32 {
    let (mut result, mut index) = (0, 0);
    while index < pattern.len() {
        let bit = if pattern[index] == b'0' { 0 } else { value >> (pattern[index] - b'a') & 1 };
        result = result << 1 | bit;
        index += 1;
    }
    result
}

/// Repeats a value of `bits` bits from the top of `width` bits downwards.
const fn replicate(value: u32, bits: u32, width: u32) -> u32 {
    let (mut result, mut filled) = (0, 0);
    while filled < width {
        result = result << bits | value;
        filled += bits;
    }
    result >> (filled - width)
}

/// Unquantises `value` of range `digit`, `bits` to `width` bits: 8 for colours, 6 for weights.
const fn unquantize(digit: Digit, bits: u32, rows: &[Parameters], width: u32, value: u32) -> u32 {
    if matches!(digit, Digit::None) {
        return replicate(value, bits, width);
    }
    if bits == 0 {
        return match digit {
            Digit::Trit => [0, 32, 63][value as usize],
            _ => [0, 16, 32, 47, 63][value as usize],
        };
    }
    let mut index = 0;
    while rows[index].digit as u8 != digit as u8 || rows[index].bits != bits {
        index += 1;
    }
    let row = &rows[index];
    let a = if value & 1 == 1 { (1 << (width + 1)) - 1 } else { 0 };
    let t = ((value >> bits) * row.c + spread(row.b, value)) ^ a;
    a & 1 << (width - 1) | t >> 2
}

/// By index into [`RANGES`] (4 and up) and by value: 0..255.
pub(crate) static COLOR: [[u8; 256]; 21] = {
    let mut table = [[0; 256]; 21];
    let mut index = super::integer_sequence::SMALLEST_COLOR_RANGE;
    while index < 21 {
        let range = RANGES[index];
        let mut value = 0;
        while value < range.levels() {
            table[index][value as usize] = unquantize(range.digit, range.bits, &COLORS, 8, value) as u8;
            value += 1;
        }
        index += 1;
    }
    table
};

/// By index into [`RANGES`] (below 12) and by value: 0..64.
pub(crate) static WEIGHT: [[u8; 32]; 12] = {
    let mut table = [[0; 32]; 12];
    let mut index = 0;
    while index < 12 {
        let range = RANGES[index];
        let mut value = 0;
        while value < range.levels() {
            let weight = unquantize(range.digit, range.bits, &WEIGHTS, 6, value) as u8;
            // 64 as the divisor of an interpolation is cheaper than 63.
            table[index][value as usize] = if weight > 32 { weight + 1 } else { weight };
            value += 1;
        }
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorted, a range's values must be what rounding `top * i / (levels - 1)` gives, give or take 1.5: the
    /// hardware-friendly formulas scramble the order but scale correctly.
    fn check(table: &[u8], levels: u32, top: u32) {
        let mut values: Vec<u32> = table[..levels as usize].iter().map(|&value| value.into()).collect();
        values.sort_unstable();
        for (index, &value) in values.iter().enumerate() {
            let exact = f64::from(top) * index as f64 / f64::from(levels - 1);
            assert!(
                (f64::from(value) - exact).abs() <= 1.5,
                "{levels} levels: {index} is {value}, not {exact}"
            );
        }
        assert_eq!(
            (values[0], values[levels as usize - 1]),
            (0, top),
            "{levels} levels span the whole scale"
        );
    }

    #[test]
    fn levels_are_spread_evenly() {
        for (index, range) in RANGES.iter().enumerate() {
            if index < 12 {
                let before_expansion =
                    WEIGHT[index].map(|weight| if weight > 32 { weight - 1 } else { weight });
                check(&before_expansion, range.levels(), 63);
            }
            if index >= 4 {
                check(&COLOR[index], range.levels(), 255);
            }
        }
    }

    #[test]
    fn bits_alone_are_replicated() {
        assert_eq!(COLOR[5][5], 0b1011_0110, "three bits");
        assert_eq!(WEIGHT[2][1], 0b010101, "two bits");
        assert_eq!(WEIGHT[0][1], 64, "one bit");
    }
}
