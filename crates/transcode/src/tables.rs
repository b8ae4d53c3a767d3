//! The look-up tables that kernels read (`glsl/transcode/tables.glsl` names the same fields): those of ASTC, derived from the Khronos
//! Data Format Specification 1.4, chapter "ASTC Compressed Texture Image Formats", and those that
//! the BC1, BC3, BC6H and BC7 encoders look up.
//!
//! One buffer serves every kernel.

/// Words of [`TABLES`]; 42 KiB.
const WORDS: usize = TWO_SUBSETS + 64;

/// What binding 2 of the kernels that have one must hold: a storage buffer, ready to be uploaded.
pub static TABLES: [u32; WORDS] = tables();

// Where each field starts, in words.
const WEIGHT_RANGES: usize = 0;
const COLOUR_RANGES: usize = 128;
const DIGITS: usize = 256;
const MODES: usize = 768;
const COLOUR_FITS: usize = 2816;
const PARTITIONS: usize = 4096;
const SOLID_PAIRS: usize = PARTITIONS + 3 * 1024 * 2;
const TWO_SUBSETS: usize = SOLID_PAIRS + 2 * 256;

/// A range of the integer sequence encoding: a trit, a quint or nothing above some plain bits.
#[derive(Clone, Copy)]
struct Range {
    kind: Kind,
    bits: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bits,
    Trit,
    Quint,
}

/// The ranges from 2 to 256 values, in order. Weights use the first 12, colours those from 6 values up.
const RANGES: [Range; 21] = {
    use Kind::{Bits, Quint, Trit};
    const fn range(kind: Kind, bits: u32) -> Range {
        Range { kind, bits }
    }
    [
        range(Bits, 1),
        range(Trit, 0),
        range(Bits, 2),
        range(Quint, 0),
        range(Trit, 1),
        range(Bits, 3),
        range(Quint, 1),
        range(Trit, 2),
        range(Bits, 4),
        range(Quint, 2),
        range(Trit, 3),
        range(Bits, 5),
        range(Quint, 3),
        range(Trit, 4),
        range(Bits, 6),
        range(Quint, 4),
        range(Trit, 5),
        range(Bits, 7),
        range(Quint, 5),
        range(Trit, 6),
        range(Bits, 8),
    ]
};

const WEIGHT_RANGE_COUNT: usize = 12;
const FIRST_COLOUR_RANGE: usize = 4;

impl Range {
    /// Values that share one group of bits.
    const fn group(self) -> u32 {
        match self.kind {
            Kind::Bits => 4,
            Kind::Trit => 5,
            Kind::Quint => 3,
        }
    }

    const fn group_bits(self) -> u32 {
        self.bits * self.group()
            + match self.kind {
                Kind::Bits => 0,
                Kind::Trit => 8,
                Kind::Quint => 7,
            }
    }

    /// Bits of a sequence of `count` values.
    const fn sequence_bits(self, count: u32) -> u32 {
        count * self.bits
            + match self.kind {
                Kind::Bits => 0,
                Kind::Trit => (8 * count).div_ceil(5),
                Kind::Quint => (7 * count).div_ceil(3),
            }
    }

    /// The mask of the plain bits.
    const fn mask(self) -> u32 {
        (1 << self.bits) - 1
    }

    /// Whether the lowest plain bit mirrors the value instead of counting.
    const fn mirrors(self) -> bool {
        !matches!(self.kind, Kind::Bits) && self.bits > 0
    }

    /// `C, M, shift` of the unquantisation `(digit * C + m * M) >> shift`, where `m` are the plain bits, without the
    /// lowest one if it mirrors. For weights every sum stays below 256; the bits-only weights still lack the step of
    /// `weight_round`.
    const fn weight_scale(self) -> [u32; 3] {
        match (self.kind, self.bits) {
            (Kind::Trit, 0) => [32, 0, 0],
            (Kind::Quint, 0) => [16, 0, 0],
            (Kind::Trit, 1) => [50, 0, 2],
            (Kind::Quint, 1) => [28, 0, 2],
            (Kind::Trit, 2) => [23, 69, 2],
            (Kind::Quint, 2) => [13, 66, 2],
            (Kind::Trit, 3) => [11, 33, 2],
            (Kind::Bits, 1) => [0, 63, 0],
            (Kind::Bits, 2) => [0, 21, 0],
            (Kind::Bits, 3) => [0, 9, 0],
            (Kind::Bits, 4) => [0, 17, 2],
            (Kind::Bits, 5) => [0, 2, 0],
            _ => [0, 0, 0],
        }
    }

    /// As [`Self::weight_scale`]; sums stay below 65,536.
    const fn colour_scale(self) -> [u32; 3] {
        match (self.kind, self.bits) {
            (Kind::Trit, 1) => [204, 0, 2],
            (Kind::Quint, 1) => [113, 0, 2],
            (Kind::Trit, 2) => [93, 278, 2],
            (Kind::Quint, 2) => [54, 268, 2],
            (Kind::Trit, 3) => [44, 133, 2],
            (Kind::Quint, 3) => [52, 261, 3],
            (Kind::Trit, 4) => [22, 65, 2],
            (Kind::Quint, 4) => [26, 129, 3],
            (Kind::Trit, 5) => [44, 129, 4],
            (Kind::Quint, 5) => [48, 257, 5],
            (Kind::Trit, 6) => [80, 257, 6],
            (Kind::Bits, 3) => [0, 73, 1],
            (Kind::Bits, 4) => [0, 17, 0],
            (Kind::Bits, 5) => [0, 33, 2],
            (Kind::Bits, 6) => [0, 65, 4],
            (Kind::Bits, 7) => [0, 129, 6],
            (Kind::Bits, 8) => [0, 1, 0],
            _ => [0, 0, 0],
        }
    }

    const fn kind_bits(self) -> u32 {
        match self.kind {
            Kind::Bits => 0,
            Kind::Trit => 1,
            Kind::Quint => 2,
        }
    }

    /// `z`: C, M << 8, shift << 20, values a group << 24, trit << 28, quint << 29.
    /// `w`: plain bits, bits a group << 4, whether the lowest bit mirrors << 12, whether there is no digit << 13.
    const fn packed(self, scale: [u32; 3]) -> [u32; 2] {
        [
            scale[0] | scale[1] << 8 | scale[2] << 20 | self.group() << 24 | self.kind_bits() << 28,
            self.bits
                | self.group_bits() << 4
                | (self.mirrors() as u32) << 12
                | (matches!(self.kind, Kind::Bits) as u32) << 13,
        ]
    }

    /// `x`: the mask of the plain bits, in both halves. `y`: the mask of the bits that count, in every byte.
    const fn weight_entry(self) -> [u32; 4] {
        let [z, w] = self.packed(self.weight_scale());
        [self.mask() * 0x1_0001, (self.mask() >> self.mirrors() as u32) * 0x0101_0101, z, w]
    }

    /// `x`: the mask of the bits that count, in both halves. `y`: 1 in both halves if the lowest bit mirrors.
    const fn colour_entry(self) -> [u32; 4] {
        let [z, w] = self.packed(self.colour_scale());
        [(self.mask() >> self.mirrors() as u32) * 0x1_0001, self.mirrors() as u32 * 0x1_0001, z, w]
    }
}

const fn bit(value: u32, index: u32) -> u32 {
    value >> index & 1
}

const fn not_bit(value: u32, index: u32) -> u32 {
    1 - bit(value, index)
}

/// The five trits of eight packed bits.
const fn trits(packed: u32) -> [u32; 5] {
    let (low, t3, t4) = if packed >> 2 & 7 == 7 {
        ((packed >> 5 & 7) << 2 | packed & 3, 2, 2)
    } else if packed >> 5 & 3 == 3 {
        (packed & 31, bit(packed, 7), 2)
    } else {
        (packed & 31, packed >> 5 & 3, bit(packed, 7))
    };
    if low & 3 == 3 {
        [bit(low, 3) << 1 | bit(low, 2) & not_bit(low, 3), bit(low, 4), 2, t3, t4]
    } else if low >> 2 & 3 == 3 {
        [low & 3, 2, 2, t3, t4]
    } else {
        [bit(low, 1) << 1 | bit(low, 0) & not_bit(low, 1), low >> 2 & 3, bit(low, 4), t3, t4]
    }
}

/// The three quints of seven packed bits.
const fn quints(packed: u32) -> [u32; 5] {
    if packed >> 1 & 3 == 3 && packed >> 5 & 3 == 0 {
        let first = bit(packed, 0);
        let q2 = first << 2 | (bit(packed, 4) & (1 - first)) << 1 | bit(packed, 3) & (1 - first);
        return [4, 4, q2, 0, 0];
    }
    let (low, q2) = if packed >> 1 & 3 == 3 {
        ((packed >> 3 & 3) << 3 | (packed >> 5 & 3 ^ 3) << 1 | bit(packed, 0), 4)
    } else {
        (packed & 31, packed >> 5 & 3)
    };
    if low & 7 == 5 { [low >> 3 & 3, 4, q2, 0, 0] } else { [low & 7, low >> 3 & 3, q2, 0, 0] }
}

/// Digits 0 to 3 in the low bits of the four bytes, digit 4 in bits 4 to 6.
const fn pack_digits(digits: [u32; 5]) -> u32 {
    digits[0] | digits[1] << 8 | digits[2] << 16 | digits[3] << 24 | digits[4] << 4
}

/// Width, height << 4, two planes << 8, weight range << 9, weight bits << 13, weight groups << 20, 1 << 31; 0 for the
/// block modes that no block may have.
const fn block_mode(mode: u32) -> u32 {
    let (a, b) = (mode >> 5 & 3, mode >> 7 & 3);
    let (mut dual, mut high) = (bit(mode, 10), bit(mode, 9));
    let (width, height, low_range);
    if mode & 3 != 0 {
        low_range = bit(mode, 4) | (mode & 3) << 1;
        (width, height) = match mode >> 2 & 3 {
            0 => (b + 4, a + 2),
            1 => (b + 8, a + 2),
            2 => (a + 2, b + 8),
            _ if b < 2 => (a + 2, (b & 1) + 6),
            _ => ((b & 1) + 2, a + 2),
        };
    } else {
        low_range = bit(mode, 4) | (mode >> 2 & 3) << 1;
        if low_range < 2 || b == 3 && a > 1 {
            return 0;
        }
        (width, height) = match b {
            0 => (12, a + 2),
            1 => (a + 2, 12),
            2 => (a + 6, (mode >> 9 & 3) + 6),
            _ => (6 + 4 * a, 10 - 4 * a),
        };
        if b == 2 {
            dual = 0;
            high = 0;
        }
    }
    let index = low_range - 2 + 6 * high;
    let range = RANGES[index as usize];
    let count = (width * height) << dual;
    let bits = range.sequence_bits(count);
    if count > 64 || bits < 24 || bits > 96 {
        return 0;
    }
    width | height << 4 | dual << 8 | index << 9 | bits << 13 | count.div_ceil(range.group()) << 20 | 1 << 31
}

/// The largest range in which `count` colour values fit `left` bits: range, sequence bits << 5, groups << 12, 1 << 31;
/// 0 if not even the smallest fits.
const fn colour_fit(count: u32, left: u32) -> u32 {
    let mut index = RANGES.len() - 1;
    while count > 0 && index >= FIRST_COLOUR_RANGE {
        let range = RANGES[index];
        let bits = range.sequence_bits(count);
        if bits <= left {
            return index as u32 | bits << 5 | count.div_ceil(range.group()) << 12 | 1 << 31;
        }
        index -= 1;
    }
    0
}

/// The partition function of a seed, which is linear in the texel's position, a byte a partition: first word, the
/// steps a texel in x (low half of each byte) and in y (high half); second word, where it starts. Partitions that the
/// block does not have are 0, so that they never win.
const fn partition_function(partitions: u32, seed: u32) -> [u32; 2] {
    let mut hash = seed + (partitions - 1) * 1024;
    hash ^= hash >> 15;
    hash = hash.wrapping_sub(hash << 17);
    hash = hash.wrapping_add(hash << 7);
    hash = hash.wrapping_add(hash << 4);
    hash ^= hash >> 5;
    hash = hash.wrapping_add(hash << 16);
    hash ^= hash >> 7;
    hash ^= hash >> 3;
    hash ^= hash << 6;
    hash ^= hash >> 17;
    let first = if seed & 2 != 0 { 4 } else { 5 };
    let second = if partitions == 3 { 6 } else { 5 };
    let [shift_x, shift_y] = if seed & 1 != 0 { [first, second] } else { [second, first] };
    let starts = [14, 10, 6, 2];
    let mut words = [0; 2];
    let mut partition = 0;
    while partition < partitions {
        let byte = 8 * partition;
        let (x, y) = (hash >> byte & 15, hash >> (byte + 4) & 15);
        words[0] |= ((x * x) >> shift_x | ((y * y) >> shift_y) << 4) << byte;
        words[1] |= (hash >> starts[partition as usize] & 63) << byte;
        partition += 1;
    }
    words
}

/// `value` of 0 to 255 as a channel of `top + 1` levels, and such a level as 8 bits.
const fn to_level(value: i32, top: i32) -> i32 {
    let value = if value < 0 {
        0
    } else if value > 255 {
        255
    } else {
        value
    };
    (value * top * 257 + 32_896) >> 16
}

const fn from_level(level: i32, top: i32) -> i32 {
    if top == 31 { level << 3 | level >> 2 } else { level << 2 | level >> 4 }
}

/// The endpoints, levels of `top`, whose palette of `thirds` or halves comes nearest to `value` at position 1, among equals the nearer
/// pair, then the lower first endpoint; and the error.
const fn solid_pair(value: i32, top: i32, levels: i32) -> [u32; 3] {
    let (mut least, mut found) = (i32::MAX, [0, 0, 0]);
    let mut trial = -8;
    while trial <= 8 {
        let from = to_level(value, top) + trial;
        let from = if from < 0 {
            0
        } else if from > top {
            top
        } else {
            from
        };
        let near = from_level(from, top);
        let to = to_level(value * levels - near * (levels - 1), top);
        let far = from_level(to, top);
        let sum = near * (levels - 1) + far;
        let got = if levels == 3 { ((sum + 1) * 43_691) >> 17 } else { (sum + 1) >> 1 };
        let cost = (got - value).abs() << 8 | (near - far).abs();
        if cost < least {
            least = cost;
            found = [from as u32, to as u32, (got - value).unsigned_abs()];
        }
        trial += 1;
    }
    found
}

/// What 5-bit and 6-bit channels take for a value: endpoints 5, 5, 6, 6 bits, then both errors, 5 bits each.
const fn solid_pairs(value: i32, levels: i32) -> u32 {
    let (five, six) = (solid_pair(value, 31, levels), solid_pair(value, 63, levels));
    five[0] | five[1] << 5 | six[0] << 10 | six[1] << 16 | five[2] << 22 | six[2] << 27
}

/// The partitions of BC7 into two subsets, the first 32 also of BC6H (Khronos Data Format Specification 1.4, "BPTC Compressed Texture
/// Image Formats"): bit k says that texel k is in subset 1.
const SUBSET_MASKS: [u16; 64] = [
    0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8,
    0xFF00, 0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110,
    0x6666, 0x366C, 0x17E8, 0x0FF0, 0x718E, 0x399C, 0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696,
    0xA55A, 0x73CE, 0x13C8, 0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660, 0x0272, 0x04E4, 0x4E40, 0x2720,
    0xC936, 0x936C, 0x39C6, 0x639C, 0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
];

const fn tables() -> [u32; WORDS] {
    let mut words = [0; WORDS];
    let mut index = 0;
    while index < RANGES.len() {
        let colour = RANGES[index].colour_entry();
        let weight = RANGES[index].weight_entry();
        let mut word = 0;
        while word < 4 {
            if index < WEIGHT_RANGE_COUNT {
                words[WEIGHT_RANGES + 4 * index + word] = weight[word];
            }
            if index >= FIRST_COLOUR_RANGE {
                words[COLOUR_RANGES + 4 * index + word] = colour[word];
            }
            word += 1;
        }
        index += 1;
    }
    let mut packed = 0;
    while packed < 256 {
        words[DIGITS + packed as usize] = pack_digits(trits(packed));
        if packed < 128 {
            words[DIGITS + 256 + packed as usize] = pack_digits(quints(packed));
        }
        packed += 1;
    }
    let mut mode = 0;
    while mode < 2048 {
        words[MODES + mode as usize] = block_mode(mode);
        mode += 1;
    }
    let mut pairs = 0;
    while pairs < 10 {
        let mut left = 0;
        while left < 128 {
            words[COLOUR_FITS + (pairs * 128 + left) as usize] = colour_fit(2 * pairs, left);
            left += 1;
        }
        pairs += 1;
    }
    let mut partitions = 2;
    while partitions <= 4 {
        let mut seed = 0;
        while seed < 1024 {
            let at = PARTITIONS + 2 * ((partitions - 2) * 1024 + seed) as usize;
            let function = partition_function(partitions, seed);
            words[at] = function[0];
            words[at + 1] = function[1];
            seed += 1;
        }
        partitions += 1;
    }
    let mut value = 0;
    while value < 256 {
        words[SOLID_PAIRS + value] = solid_pairs(value as i32, 3);
        words[SOLID_PAIRS + 256 + value] = solid_pairs(value as i32, 2);
        value += 1;
    }
    let mut partition = 0;
    while partition < 64 {
        words[TWO_SUBSETS + partition] = SUBSET_MASKS[partition] as u32;
        partition += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the specification's tables "Unquantization parameters" call B, as bit positions from high to low, and C.
    fn specified(kind: Kind, bits: u32, weight: bool) -> Option<(&'static str, u32)> {
        Some(match (weight, kind, bits) {
            (true, Kind::Trit, 1) => ("0000000", 50),
            (true, Kind::Quint, 1) => ("0000000", 28),
            (true, Kind::Trit, 2) => ("b000b0b", 23),
            (true, Kind::Quint, 2) => ("b0000b0", 13),
            (true, Kind::Trit, 3) => ("cb000cb", 11),
            (false, Kind::Trit, 1) => ("000000000", 204),
            (false, Kind::Quint, 1) => ("000000000", 113),
            (false, Kind::Trit, 2) => ("b000b0bb0", 93),
            (false, Kind::Quint, 2) => ("b0000bb00", 54),
            (false, Kind::Trit, 3) => ("cb000cbcb", 44),
            (false, Kind::Quint, 3) => ("cb0000cbc", 26),
            (false, Kind::Trit, 4) => ("dcb000dcb", 22),
            (false, Kind::Quint, 4) => ("dcb0000dc", 13),
            (false, Kind::Trit, 5) => ("edcb000ed", 11),
            (false, Kind::Quint, 5) => ("edcb0000e", 6),
            (false, Kind::Trit, 6) => ("fedcb000f", 5),
            _ => return None,
        })
    }

    fn spread(pattern: &str, m: u32) -> u32 {
        pattern.bytes().fold(0, |value, letter| {
            let bit = if letter == b'0' { 0 } else { m >> (letter - b'a') & 1 };
            value << 1 | bit
        })
    }

    /// The kernels' arithmetic on one value.
    fn kernel_weight(range: Range, digit: u32, m: u32) -> u32 {
        let [c, scale, shift] = range.weight_scale();
        let mirrors = u32::from(range.mirrors());
        let sum = digit * c + (m >> mirrors) * scale;
        assert!(sum < 256, "a weight's sum leaves its byte");
        let f = sum >> shift;
        if range.kind == Kind::Bits {
            return if range.bits == 5 { f + ((f + 32) >> 5 & 2) } else { f + ((f + 31) >> 6 & 1) };
        }
        if m & mirrors != 0 { 64 - f } else { f }
    }

    fn replicate(m: u32, bits: u32, to: u32) -> u32 {
        let (mut value, mut have) = (m, bits);
        while have < to {
            value = value << bits | m;
            have += bits;
        }
        value >> (have - to)
    }

    #[test]
    fn weights_unquantise_as_specified() {
        for range in &RANGES[..WEIGHT_RANGE_COUNT] {
            for digit in 0..[1, 3, 5][range.kind_bits() as usize] {
                for m in 0..=range.mask() {
                    let wanted = match (range.kind, range.bits) {
                        (Kind::Bits, bits) => replicate(m, bits, 6),
                        (Kind::Trit, 0) => [0, 32, 63][digit as usize],
                        (Kind::Quint, 0) => [0, 16, 32, 47, 63][digit as usize],
                        (kind, bits) => {
                            let (pattern, c) = specified(kind, bits, true).unwrap();
                            let a = if m & 1 != 0 { 0x7F } else { 0 };
                            let t = (digit * c + spread(pattern, m)) ^ a;
                            a & 0x20 | t >> 2
                        }
                    };
                    let wanted = wanted + u32::from(wanted > 32);
                    assert_eq!(kernel_weight(*range, digit, m), wanted, "digit {digit}, bits {m}");
                }
            }
        }
    }

    #[test]
    fn colours_unquantise_as_specified() {
        for range in &RANGES[FIRST_COLOUR_RANGE..] {
            for digit in 0..[1, 3, 5][range.kind_bits() as usize] {
                for m in 0..=range.mask() {
                    let wanted = match (range.kind, range.bits) {
                        (Kind::Bits, bits) => replicate(m, bits, 8),
                        (kind, bits) => {
                            let (pattern, c) = specified(kind, bits, false).unwrap();
                            let a = if m & 1 != 0 { 0x1FF } else { 0 };
                            let t = (digit * c + spread(pattern, m)) ^ a;
                            a & 0x80 | t >> 2
                        }
                    };
                    let [c, scale, shift] = range.colour_scale();
                    let mirrors = u32::from(range.mirrors());
                    let sum = digit * c + (m >> mirrors) * scale;
                    assert!(sum < 65536, "a colour's sum leaves its half");
                    let f = sum >> shift;
                    let got = if m & mirrors != 0 { f ^ 255 } else { f };
                    assert_eq!(got, wanted, "digit {digit}, bits {m}");
                }
            }
        }
    }

    #[test]
    fn every_combination_of_digits_is_coded() {
        let mut seen: Vec<_> = (0..256).map(trits).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 243);
        let mut seen: Vec<_> = (0..128).map(quints).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 125);
    }

    #[test]
    fn sequences_stay_inside_the_kernels_arrays() {
        for mode in TABLES[MODES..MODES + 2048].iter().filter(|mode| **mode != 0) {
            assert!(mode >> 20 & 31 <= 22 && mode >> 9 & 15 < 12 && mode >> 13 & 127 <= 96);
        }
        for fit in TABLES[COLOUR_FITS..PARTITIONS].iter().filter(|fit| **fit != 0) {
            assert!(fit >> 12 & 15 <= 6 && (fit & 31) < 21);
        }
    }
}
