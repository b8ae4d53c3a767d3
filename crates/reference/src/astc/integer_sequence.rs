//! Integer sequence encoding (KDFS 1.4, "Integer Sequence Encoding").

/// What a value has above its plain bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digit {
    None,
    Trit,
    Quint,
}

/// A range of values, 0 to `levels - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) digit: Digit,
    pub(crate) bits: u32,
}

const fn range(digit: Digit, bits: u32) -> Range {
    Range { digit, bits }
}

/// All ranges by size: 2, 3, 4, 5, 6, 8, 10 ... 256 levels. Weights use the first 12, colours those from 6
/// levels up.
pub(crate) const RANGES: [Range; 21] = [
    range(Digit::None, 1),
    range(Digit::Trit, 0),
    range(Digit::None, 2),
    range(Digit::Quint, 0),
    range(Digit::Trit, 1),
    range(Digit::None, 3),
    range(Digit::Quint, 1),
    range(Digit::Trit, 2),
    range(Digit::None, 4),
    range(Digit::Quint, 2),
    range(Digit::Trit, 3),
    range(Digit::None, 5),
    range(Digit::Quint, 3),
    range(Digit::Trit, 4),
    range(Digit::None, 6),
    range(Digit::Quint, 4),
    range(Digit::Trit, 5),
    range(Digit::None, 7),
    range(Digit::Quint, 5),
    range(Digit::Trit, 6),
    range(Digit::None, 8),
];
/// The smallest range of colours, 0..5.
pub(crate) const SMALLEST_COLOR_RANGE: usize = 4;

impl Range {
    pub(crate) const fn levels(self) -> u32 {
        let digits = match self.digit {
            Digit::None => 1,
            Digit::Trit => 3,
            Digit::Quint => 5,
        };
        digits << self.bits
    }

    /// Bits that a sequence of `count` values takes.
    pub(crate) const fn sequence_bits(self, count: u32) -> u32 {
        let digits = match self.digit {
            Digit::None => 0,
            Digit::Trit => (8 * count).div_ceil(5),
            Digit::Quint => (7 * count).div_ceil(3),
        };
        digits + self.bits * count
    }
}

/// The five trits of an 8-bit group.
const fn trits(t: u8) -> [u8; 5] {
    let (c, t3, t4);
    if t >> 2 & 7 == 7 {
        c = t >> 5 << 2 | t & 3;
        t3 = 2;
        t4 = 2;
    } else {
        c = t & 31;
        if t >> 5 & 3 == 3 {
            t3 = t >> 7;
            t4 = 2;
        } else {
            t3 = t >> 5 & 3;
            t4 = t >> 7;
        }
    }
    if c & 3 == 3 {
        [c >> 2 & 2 | c >> 2 & !(c >> 3) & 1, c >> 4, 2, t3, t4]
    } else if c >> 2 & 3 == 3 {
        [c & 3, 2, 2, t3, t4]
    } else {
        [c & 2 | c & !(c >> 1) & 1, c >> 2 & 3, c >> 4, t3, t4]
    }
}

/// The three quints of a 7-bit group.
const fn quints(q: u8) -> [u8; 3] {
    if q >> 1 & 3 == 3 && q >> 5 == 0 {
        let q2 = if q & 1 == 1 { 4 } else { q >> 3 & 3 };
        return [4, 4, q2];
    }
    let (c, q2);
    if q >> 1 & 3 == 3 {
        c = (q >> 3 & 3) << 3 | (!(q >> 5) & 3) << 1 | q & 1;
        q2 = 4;
    } else {
        c = q & 31;
        q2 = q >> 5;
    }
    if c & 7 == 5 { [c >> 3, 4, q2] } else { [c & 7, c >> 3, q2] }
}

static TRITS: [[u8; 5]; 256] = {
    let mut table = [[0; 5]; 256];
    let mut t = 0;
    while t < 256 {
        table[t] = trits(t as u8);
        t += 1;
    }
    table
};

static QUINTS: [[u8; 3]; 128] = {
    let mut table = [[0; 3]; 128];
    let mut q = 0;
    while q < 128 {
        table[q] = quints(q as u8);
        q += 1;
    }
    table
};

/// Where the digits' bits lie between the values' own: `(low bit, count)` of each piece, after that many
/// values.
const TRIT_PIECES: [(u32, u32); 5] = [(0, 2), (2, 2), (4, 1), (5, 2), (7, 1)];
const QUINT_PIECES: [(u32, u32); 3] = [(0, 3), (3, 2), (5, 2)];

/// Reads `values.len()` values from the low end of `stream`. Bits past the end of the sequence count as 0.
pub(crate) fn decode(stream: u128, range: Range, values: &mut [u8]) {
    let used = range.sequence_bits(values.len() as u32);
    let stream = if used < 128 { stream & ((1 << used) - 1) } else { stream };
    match range.digit {
        Digit::None => {
            let mask = ((1u32 << range.bits) - 1) as u8;
            for (index, value) in values.iter_mut().enumerate() {
                *value = (stream >> (index as u32 * range.bits)) as u8 & mask;
            }
        }
        Digit::Trit => decode_groups(stream, range.bits, values, &TRIT_PIECES, &TRITS),
        Digit::Quint => decode_groups(stream, range.bits, values, &QUINT_PIECES, &QUINTS),
    }
}

/// Groups of `N` values whose digits share one code.
#[inline(always)]
fn decode_groups<const N: usize>(
    stream: u128,
    bits: u32,
    values: &mut [u8],
    pieces: &[(u32, u32); N],
    digits: &[[u8; N]],
) {
    let mask = (1u64 << bits) - 1;
    let (last, length) = pieces[N - 1];
    let group_bits = N as u32 * bits + last + length;
    for (index, values) in values.chunks_mut(N).enumerate() {
        let mut rest = (stream >> (index as u32 * group_bits)) as u64; // a group has at most 38 bits
        let mut plain = [0; N];
        let mut code = 0;
        for (plain, (low, count)) in plain.iter_mut().zip(pieces) {
            *plain = (rest & mask) as u8;
            rest >>= bits;
            code |= (rest & ((1 << count) - 1)) << low;
            rest >>= count;
        }
        let digits = &digits[code as usize];
        for ((value, digit), plain) in values.iter_mut().zip(digits).zip(plain) {
            *value = digit << bits | plain;
        }
    }
}

/// The inverse of [`decode`]. Of the codes that stand for the same digits it takes the smallest, so that a
/// sequence that ends inside a group has no bits past its end.
pub(crate) fn encode(values: &[u8], range: Range) -> u128 {
    match range.digit {
        Digit::None => values.iter().rev().fold(0, |stream, &value| stream << range.bits | u128::from(value)),
        Digit::Trit => encode_groups(values, range.bits, &TRIT_PIECES, &TRITS),
        Digit::Quint => encode_groups(values, range.bits, &QUINT_PIECES, &QUINTS),
    }
}

fn encode_groups<const N: usize>(
    values: &[u8],
    bits: u32,
    pieces: &[(u32, u32); N],
    digits: &[[u8; N]],
) -> u128 {
    let (mut stream, mut at) = (0, 0);
    for values in values.chunks(N) {
        let mut wanted = [0; N];
        for (wanted, value) in wanted.iter_mut().zip(values) {
            *wanted = value >> bits;
        }
        let code =
            digits.iter().position(|digits| *digits == wanted).expect("every combination has a code") as u128;
        let mask = (1u128 << bits) - 1;
        for (index, (low, count)) in pieces.iter().enumerate() {
            let plain = values.get(index).map_or(0, |&value| u128::from(value) & mask);
            if at < 128 {
                stream |= (plain | (code >> low & ((1 << count) - 1)) << bits) << at;
            }
            at += bits + count;
        }
    }
    stream
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Rng;

    #[test]
    fn every_digit_combination_has_a_code() {
        for digits in 0..243 {
            let wanted = [digits % 3, digits / 3 % 3, digits / 9 % 3, digits / 27 % 3, digits / 81];
            assert!(TRITS.iter().any(|trits| trits.map(u32::from) == wanted), "{wanted:?}");
        }
        for digits in 0..125 {
            let wanted = [digits % 5, digits / 5 % 5, digits / 25];
            assert!(QUINTS.iter().any(|quints| quints.map(u32::from) == wanted), "{wanted:?}");
        }
    }

    #[test]
    fn sequences_survive_the_round_trip() {
        let mut rng = Rng::new(1);
        for range in RANGES {
            for count in 1..=64 {
                if range.sequence_bits(count) > 128 {
                    continue;
                }
                let values: Vec<u8> = (0..count).map(|_| rng.below(range.levels()) as u8).collect();
                let stream = encode(&values, range);
                let used = range.sequence_bits(count);
                assert!(
                    used == 128 || stream >> used == 0,
                    "{range:?} x {count} needs more than {used} bits"
                );
                let mut decoded = vec![0; values.len()];
                decode(stream, range, &mut decoded);
                assert_eq!(decoded, values, "{range:?} x {count}");
                if used < 128 {
                    decode(stream | u128::MAX << used, range, &mut decoded);
                    assert_eq!(decoded, values, "{range:?} x {count}: bits past the end are not read");
                }
            }
        }
    }
}
