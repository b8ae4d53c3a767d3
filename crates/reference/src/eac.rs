//! EAC blocks: ETC2's alpha and the one- and two-channel formats of 11 bits (KDFS 1.4, "ETC2 Compressed
//! Texture Image Formats").

use crate::image::BlockDecoder;

/// Modifiers by table and by value.
const MODIFIERS: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

/// A block's base and multiplier, and the modifier of each texel, row by row.
struct Block {
    base: u8,
    multiplier: i32,
    modifiers: [i32; 16],
}

impl Block {
    fn read(bytes: &[u8]) -> Self {
        let bits = u64::from_be_bytes(bytes.try_into().expect("an EAC block has 8 bytes"));
        let table = &MODIFIERS[(bits >> 48 & 15) as usize];
        Self {
            base: (bits >> 56) as u8,
            multiplier: (bits >> 52 & 15) as i32,
            // Values are stored down the columns, from bit 47.
            modifiers: std::array::from_fn(|texel| {
                let (x, y) = (texel % 4, texel / 4);
                table[(bits >> (45 - 3 * (x * 4 + y)) & 7) as usize]
            }),
        }
    }

    /// The texels on a scale eight times finer than base and multiplier, where a multiplier of 0 stands for
    /// an eighth.
    fn eleven_bits(&self, base: i32, lowest: i32, highest: i32) -> [i32; 16] {
        let factor = if self.multiplier == 0 { 1 } else { self.multiplier * 8 };
        self.modifiers.map(|modifier| (base + modifier * factor).clamp(lowest, highest))
    }

    fn unsigned(&self) -> [u16; 16] {
        self.eleven_bits(i32::from(self.base) * 8 + 4, 0, 2047).map(|value| (value << 5 | value >> 6) as u16)
    }

    fn signed(&self) -> [u16; 16] {
        // -128 stands for -127, so that the range is symmetric.
        let base = i32::from(self.base as i8).max(-127) * 8;
        self.eleven_bits(base, -1023, 1023).map(|value| {
            let magnitude = value.abs() << 5 | value.abs() >> 5;
            (magnitude * value.signum()) as i16 as u16
        })
    }
}

/// The alphas of an ETC2 RGBA block, 8 bits each.
pub(crate) fn alpha(bytes: &[u8]) -> [u8; 16] {
    let block = Block::read(bytes);
    let base = i32::from(block.base);
    block.modifiers.map(|modifier| (base + modifier * block.multiplier).clamp(0, 255) as u8)
}

/// `EAC_R11`.
pub(crate) struct R11 {
    pub(crate) signed: bool,
}

/// `EAC_R11G11`: a block of red, then one of green.
pub(crate) struct Rg11 {
    pub(crate) signed: bool,
}

fn channel(bytes: &[u8], signed: bool) -> [u16; 16] {
    let block = Block::read(bytes);
    if signed { block.signed() } else { block.unsigned() }
}

impl BlockDecoder<2> for R11 {
    fn decode(&self, block: &[u8], texels: &mut [[u8; 2]]) {
        for (texel, value) in texels.iter_mut().zip(channel(block, self.signed)) {
            *texel = value.to_le_bytes();
        }
    }
}

impl BlockDecoder<4> for Rg11 {
    fn decode(&self, block: &[u8], texels: &mut [[u8; 4]]) {
        let (red, green) = block.split_at(8);
        let values = channel(red, self.signed).into_iter().zip(channel(green, self.signed));
        for (texel, (red, green)) in texels.iter_mut().zip(values) {
            let ([r0, r1], [g0, g1]) = (red.to_le_bytes(), green.to_le_bytes());
            *texel = [r0, r1, g0, g1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block whose texels all take value `value`.
    fn flat(base: u8, multiplier: u64, table: u64, value: u64) -> Block {
        let values = (0..16).fold(0, |bits, _| bits << 3 | value);
        Block::read(&(u64::from(base) << 56 | multiplier << 52 | table << 48 | values).to_be_bytes())
    }

    #[test]
    fn unsigned_values_fill_16_bits() {
        assert_eq!(flat(255, 15, 0, 7).unsigned()[0], 0xFFFF, "the largest value is 1.0");
        assert_eq!(flat(0, 15, 0, 3).unsigned()[0], 0, "the smallest one is 0");
        let middle = 100 * 8 + 4 + 14 * 2 * 8;
        assert_eq!(flat(100, 2, 0, 7).unsigned()[0], middle << 5 | middle >> 6, "base, 4, modifier");
    }

    #[test]
    fn signed_values_are_symmetric() {
        let (low, high) = (flat(0x81, 15, 0, 3).signed()[0] as i16, flat(0x7F, 15, 0, 7).signed()[0] as i16);
        assert_eq!((low, high), (-32767, 32767), "1023 is 1.0, repeated from its top bits");
        assert_eq!(flat(10, 2, 0, 4).signed()[0] as i16, (80 + 32) << 5 | (80 + 32) >> 5, "no 4 is added");
        assert_eq!(
            flat(0xF6, 2, 0, 4).signed()[0] as i16,
            -((80 - 32) << 5 | (80 - 32) >> 5),
            "sign and magnitude"
        );
    }

    #[test]
    fn the_lowest_signed_base_acts_as_the_next() {
        for value in 0..8 {
            assert_eq!(flat(0x80, 3, 5, value).signed(), flat(0x81, 3, 5, value).signed(), "value {value}");
        }
        assert_eq!(flat(0x80, 0, 13, 4).signed()[0] as i16, -(1016 << 5 | 1016 >> 5), "-127 * 8");
    }

    #[test]
    fn a_multiplier_of_zero_is_an_eighth() {
        let value = 100 * 8 + 4 + 14;
        assert_eq!(flat(100, 0, 0, 7).unsigned()[0], value << 5 | value >> 6, "unsigned");
        assert_eq!(flat(100, 0, 0, 7).signed()[0], (800 + 14) << 5 | (800 + 14) >> 5, "signed");
        let block = 100u64 << 56 | 0o7777_7777_7777_7777;
        assert_eq!(alpha(&block.to_be_bytes()), [100; 16], "alpha of 8 bits has no eighths");
    }

    #[test]
    fn values_run_down_the_columns_from_the_top_bit() {
        // Table 13: value 4 is 0, value 7 is 9.
        let values = (0..16).fold(0, |bits, texel| bits << 3 | if texel == 1 { 7 } else { 4 });
        let texels = alpha(&(100u64 << 56 | 1 << 52 | 13 << 48 | values).to_be_bytes());
        assert_eq!((texels[4], texels[1]), (109, 100), "texel 1 is at x 0, y 1");
    }
}
