//! ETC1 and ETC2 colour blocks (KDFS 1.4, "ETC1" and "ETC2 Compressed Texture Image Formats"). An ETC1 block
//! is an ETC2 block whose colours do not overflow.

use crate::eac;
use crate::image::BlockDecoder;

/// How a block stores its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Two half blocks with a colour of 4 bits a channel each.
    Individual,
    /// Two half blocks, one's colour of 5 bits a channel and the other's difference from it.
    Differential,
    /// Three of the four paint colours around the second base colour.
    T,
    /// Two paint colours around each of the two base colours.
    H,
    /// A plane through three colours.
    Planar,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 5] = [Self::Individual, Self::Differential, Self::T, Self::H, Self::Planar];
}

/// The mode of a colour block. Where bit 33 is the opaque bit (`punchthrough`) no block is individual.
pub fn mode(block: [u8; 8], punchthrough: bool) -> Mode {
    Block(u64::from_be_bytes(block)).mode(punchthrough)
}

/// Intensity modifiers of the half blocks, by table: small, large.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];
/// Distances of the T and H modes.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

type Rgb = [i32; 3];

/// The 64 bits of a block, numbered as in the specification: byte 0 holds bits 63 to 56.
#[derive(Clone, Copy)]
struct Block(u64);

impl Block {
    /// Bits `high` down to `low`.
    fn field(self, high: u32, low: u32) -> i32 {
        (self.0 >> low) as i32 & ((1 << (high - low + 1)) - 1)
    }

    fn bit(self, at: u32) -> bool {
        self.field(at, at) == 1
    }

    /// The base of 5 bits whose lowest is bit `low`, and it plus the signed difference of 3 bits below it.
    fn base_and_sum(self, low: u32) -> (i32, i32) {
        let (base, difference) = (self.field(low + 4, low), self.field(low - 1, low - 3));
        (base, base + (difference ^ 4) - 4)
    }

    fn mode(self, punchthrough: bool) -> Mode {
        let overflows = |low: u32| !(0..32).contains(&self.base_and_sum(low).1);
        if !punchthrough && !self.bit(33) {
            Mode::Individual
        } else if overflows(59) {
            Mode::T
        } else if overflows(51) {
            Mode::H
        } else if overflows(43) {
            Mode::Planar
        } else {
            Mode::Differential
        }
    }

    /// Which of four values texel `x`, `y` takes. Texels are numbered down the columns.
    fn index(self, x: usize, y: usize) -> usize {
        let texel = (x * 4 + y) as u32;
        (self.bit(16 + texel) as usize) << 1 | self.bit(texel) as usize
    }

    /// Decodes to RGBA. `punchthrough`: bit 33 clear means that value 2 of every mode but the planar one is
    /// transparent black.
    fn decode(self, punchthrough: bool, texels: &mut [[u8; 4]]) {
        let mode = self.mode(punchthrough);
        let transparent = punchthrough && mode != Mode::Planar && !self.bit(33);
        // The four colours of the left or upper half and of the other one.
        let halves = match mode {
            Mode::Individual | Mode::Differential => self.halves(mode, transparent),
            Mode::T => [self.t_colors(); 2],
            Mode::H => [self.h_colors(); 2],
            Mode::Planar => return self.planar(texels),
        };
        let flipped = matches!(mode, Mode::Individual | Mode::Differential) && self.bit(32);
        for (at, texel) in texels.iter_mut().enumerate() {
            let (x, y) = (at % 4, at / 4);
            let index = self.index(x, y);
            let half = if flipped { y / 2 } else { x / 2 };
            *texel = if transparent && index == 2 { [0; 4] } else { opaque(halves[half][index]) };
        }
    }

    fn halves(self, mode: Mode, transparent: bool) -> [[Rgb; 4]; 2] {
        let mut bases = [[0; 3]; 2];
        for (channel, low) in [56, 48, 40].into_iter().enumerate() {
            if mode == Mode::Individual {
                bases[0][channel] = extend(self.field(low + 7, low + 4), 4);
                bases[1][channel] = extend(self.field(low + 3, low), 4);
            } else {
                let (base, sum) = self.base_and_sum(low + 3);
                bases[0][channel] = extend(base, 5);
                bases[1][channel] = extend(sum, 5);
            }
        }
        let tables = [self.field(39, 37), self.field(36, 34)];
        std::array::from_fn(|half| {
            let [small, large] = MODIFIERS[tables[half] as usize];
            let small = if transparent { 0 } else { small };
            [small, large, -small, -large].map(|modifier| bases[half].map(|channel| channel + modifier))
        })
    }

    fn t_colors(self) -> [Rgb; 4] {
        let first = [self.field(60, 59) << 2 | self.field(57, 56), self.field(55, 52), self.field(51, 48)];
        let second = [self.field(47, 44), self.field(43, 40), self.field(39, 36)];
        let [first, second] = [first, second].map(|color| color.map(|channel| extend(channel, 4)));
        let distance = DISTANCES[(self.field(35, 34) << 1 | self.field(32, 32)) as usize];
        [first, second.map(|channel| channel + distance), second, second.map(|channel| channel - distance)]
    }

    fn h_colors(self) -> [Rgb; 4] {
        let first = [
            self.field(62, 59),
            self.field(58, 56) << 1 | self.field(52, 52),
            self.field(51, 51) << 3 | self.field(49, 47),
        ];
        let second = [self.field(46, 43), self.field(42, 39), self.field(38, 35)];
        // The order of the two colours is the lowest bit of the distance.
        let index = self.field(34, 34) << 2 | self.field(32, 32) << 1 | i32::from(first >= second);
        let [first, second] = [first, second].map(|color| color.map(|channel| extend(channel, 4)));
        let distance = DISTANCES[index as usize];
        [
            first.map(|channel| channel + distance),
            first.map(|channel| channel - distance),
            second.map(|channel| channel + distance),
            second.map(|channel| channel - distance),
        ]
    }

    fn planar(self, texels: &mut [[u8; 4]]) {
        let origin = [
            self.field(62, 57),
            self.field(56, 56) << 6 | self.field(54, 49),
            self.field(48, 48) << 5 | self.field(44, 43) << 3 | self.field(41, 39),
        ];
        let horizontal =
            [self.field(38, 34) << 1 | self.field(32, 32), self.field(31, 25), self.field(24, 19)];
        let vertical = [self.field(18, 13), self.field(12, 6), self.field(5, 0)];
        let [o, h, v] =
            [origin, horizontal, vertical].map(|[r, g, b]| [extend(r, 6), extend(g, 7), extend(b, 6)]);
        for (at, texel) in texels.iter_mut().enumerate() {
            let (x, y) = (at as i32 % 4, at as i32 / 4);
            let channel = |c: usize| (x * (h[c] - o[c]) + y * (v[c] - o[c]) + 4 * o[c] + 2) >> 2;
            *texel = opaque([channel(0), channel(1), channel(2)]);
        }
    }
}

/// Extends a value of `bits` bits, 4 to 7, to 8 bits by repeating its top bits.
fn extend(value: i32, bits: u32) -> i32 {
    value << (8 - bits) | value >> (2 * bits - 8)
}

fn opaque(color: Rgb) -> [u8; 4] {
    let [r, g, b] = color.map(|channel| channel.clamp(0, 255) as u8);
    [r, g, b, 255]
}

fn color_block(bytes: &[u8]) -> Block {
    Block(u64::from_be_bytes(bytes.try_into().expect("a colour block has 8 bytes")))
}

/// `ETC2_R8G8B8`, and ETC1.
pub(crate) struct Rgb8;

impl BlockDecoder<4> for Rgb8 {
    fn decode(&self, block: &[u8], texels: &mut [[u8; 4]]) {
        color_block(block).decode(false, texels);
    }
}

/// `ETC2_R8G8B8A1`.
pub(crate) struct Rgb8A1;

impl BlockDecoder<4> for Rgb8A1 {
    fn decode(&self, block: &[u8], texels: &mut [[u8; 4]]) {
        color_block(block).decode(true, texels);
    }
}

/// `ETC2_R8G8B8A8`: an EAC block of alpha, then a colour block.
pub(crate) struct Rgba8;

impl BlockDecoder<4> for Rgba8 {
    fn decode(&self, block: &[u8], texels: &mut [[u8; 4]]) {
        let (alpha, color) = block.split_at(8);
        color_block(color).decode(false, texels);
        for (texel, alpha) in texels.iter_mut().zip(eac::alpha(alpha)) {
            texel[3] = alpha;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bits: u64, punchthrough: bool) -> [[u8; 4]; 16] {
        let mut texels = [[0; 4]; 16];
        Block(bits).decode(punchthrough, &mut texels);
        texels
    }

    #[test]
    fn values_are_extended_by_repetition() {
        assert_eq!(
            [extend(0xA, 4), extend(0x15, 5), extend(0x2A, 6), extend(0x55, 7)],
            [0xAA, 0xAD, 0xAA, 0xAB]
        );
    }

    #[test]
    fn texels_run_down_the_columns() {
        // Individual, black on the left and white on the right, the largest table; value 1 (+183) at texels 1
        // and 12 alone.
        let texels = decode(0x0F_0F0F << 40 | 7 << 37 | 7 << 34 | 1 << 1 | 1 << 12, false);
        assert_eq!(texels[4], [183, 183, 183, 255], "texel 1 is at x 0, y 1");
        assert_eq!(texels[0], [47, 47, 47, 255], "value 0 adds the small modifier");
        assert_eq!(texels[3], [255; 4], "and clamps");
    }

    #[test]
    fn flipped_halves_lie_above_each_other() {
        let bits = 0x0F_0F0F << 40;
        assert_eq!(decode(bits, false)[2], [255; 4], "right half");
        assert_eq!(decode(bits | 1 << 32, false)[2], [2, 2, 2, 255], "upper half");
        assert_eq!(decode(bits | 1 << 32, false)[8], [255; 4], "lower half");
    }

    #[test]
    fn differences_are_signed() {
        // Base 16 a channel, difference -4, bit 33.
        let bits = 0x84_8484 << 40 | 1 << 33;
        let texels = decode(bits, false);
        assert_eq!((texels[0][0], texels[3][0]), (extend(16, 5) as u8 + 2, extend(12, 5) as u8 + 2));
    }

    #[test]
    fn punchthrough_makes_value_two_transparent() {
        let values_two = 0xFFFF_0000;
        let differential = 0x84_8484 << 40 | values_two;
        assert_eq!(decode(differential, true), [[0; 4]; 16], "differential");
        assert_eq!(
            decode(differential | 1 << 33, true)[0],
            [130, 130, 130, 255],
            "opaque: minus the small modifier"
        );
        // Value 0 has no modifier in a block with transparency.
        assert_eq!(decode(0x84_8484 << 40, true)[0], [132, 132, 132, 255], "value 0");
        // Red 0 - 4 overflows: T.
        let t = 0x0400_0000_0000_0000 | values_two;
        assert_eq!(mode(t.to_be_bytes(), true), Mode::T, "red overflows");
        assert_eq!(decode(t, true), [[0; 4]; 16], "T");
        // Green 0 - 4 overflows: H.
        let h = 0x0004_0000_0000_0000 | values_two;
        assert_eq!(mode(h.to_be_bytes(), true), Mode::H, "green overflows");
        assert_eq!(decode(h, true), [[0; 4]; 16], "H");
    }

    #[test]
    fn planar_blocks_are_opaque_whatever_bit_33_says() {
        let planar = 0x0000_0400_FFFF_0000u64;
        assert_eq!(mode(planar.to_be_bytes(), true), Mode::Planar, "blue overflows");
        for bits in [planar, planar | 1 << 33] {
            assert!(decode(bits, true).iter().all(|texel| texel[3] == 255), "{bits:016x}");
        }
        assert_eq!(decode(planar, true), decode(planar | 1 << 33, true), "bit 33 changes nothing");
    }
}
