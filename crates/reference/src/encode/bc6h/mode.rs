//! How the modes of BC6H store endpoints (KDFS 1.4, "BC6H").

/// A mode's number as the block stores it, the precision of its first endpoint, and the bits of the differences of the
/// other endpoints from it in each channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mode {
    pub(super) code: u32,
    pub(super) precision: u32,
    pub(super) difference: [u32; 3],
    /// Whether the other endpoints are stored as differences.
    pub(super) relative: bool,
    /// Where [`SCATTERED`] bits go; 255 where the mode has no such bit.
    pub(super) scattered: [u8; 15],
}

/// Bits that lie apart from the rest of their value: endpoint, channel and bit.
#[rustfmt::skip]
pub(super) const SCATTERED: [(usize, usize, u32); 15] = [
    (0, 0, 10), (0, 1, 10), (0, 2, 10),
    (2, 1, 4), (2, 1, 5), (3, 1, 4), (3, 1, 5),
    (2, 2, 4), (2, 2, 5),
    (3, 2, 0), (3, 2, 1), (3, 2, 2), (3, 2, 3), (3, 2, 4), (3, 2, 5),
];

const fn mode(code: u32, precision: u32, difference: [u32; 3], scattered: [u8; 15]) -> Mode {
    Mode { code, precision, difference, relative: difference[0] < precision, scattered }
}

/// The modes of two subsets, the most precise first.
#[rustfmt::skip]
pub(super) const TWO: [Mode; 10] = [
    mode(0x02, 11, [5, 4, 4], [40, 49, 59, 255, 255, 255, 255, 255, 255, 50, 60, 70, 76, 255, 255]),
    mode(0x06, 11, [4, 5, 4], [39, 50, 59,  75, 255,  40, 255, 255, 255, 69, 60, 70, 76, 255, 255]),
    mode(0x0a, 11, [4, 4, 5], [39, 49, 60, 255, 255, 255, 255,  40, 255, 50, 69, 70, 76,  75, 255]),
    mode(0x00, 10, [5, 5, 5], [255, 255, 255,  2, 255, 40, 255,  3, 255, 50, 60, 70, 76,  4, 255]),
    mode(0x0e,  9, [5, 5, 5], [255, 255, 255, 24, 255, 40, 255, 14, 255, 50, 60, 70, 76, 34, 255]),
    mode(0x12,  8, [6, 5, 5], [255, 255, 255, 24, 255, 13, 255, 14, 255, 50, 60, 23, 33, 34, 255]),
    mode(0x16,  8, [5, 6, 5], [255, 255, 255, 24,  23, 40,  33, 14, 255, 13, 60, 70, 76, 34, 255]),
    mode(0x1a,  8, [5, 5, 6], [255, 255, 255, 24, 255, 40, 255, 14,  23, 50, 13, 70, 76, 34,  33]),
    mode(0x01,  7, [6, 6, 6], [255, 255, 255, 24,   2,  3,   4, 14,  22, 12, 13, 23, 32, 34,  33]),
    mode(0x1e,  6, [6, 6, 6], [255, 255, 255, 24,  21, 11,  31, 14,  22, 12, 13, 23, 32, 34,  33]),
];

/// The modes of one subset, the most precise first.
pub(super) const ONE: [Mode; 4] = [
    mode(0x0f, 16, [4, 4, 4], [255; 15]),
    mode(0x0b, 12, [8, 8, 8], [255; 15]),
    mode(0x07, 11, [9, 9, 9], [255; 15]),
    mode(0x03, 10, [10, 10, 10], [255; 15]),
];

impl Mode {
    /// The stored value whose interval holds `q`, a number of 16 bits.
    pub(super) fn quantize(&self, q: i32) -> i32 {
        q >> (16 - self.precision)
    }

    /// What the decoder makes of a stored value: 16 bits.
    pub(super) fn expand(&self, stored: i32) -> i32 {
        match stored {
            _ if self.precision == 16 => stored,
            0 => 0,
            _ if stored == (1 << self.precision) - 1 => 0xffff,
            _ => ((stored << 16) + 0x8000) >> self.precision,
        }
    }

    /// Whether all differences of stored endpoints from the first fit.
    pub(super) fn fits(&self, stored: &[[i32; 3]]) -> bool {
        !self.relative
            || stored
                .iter()
                .all(|end| (0..3).all(|c| (end[c] - stored[0][c]).abs() < 1 << (self.difference[c] - 1)))
    }
}
