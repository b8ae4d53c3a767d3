//! What the modes of BC7 store, as far as the encoder uses them.

/// Bits below an endpoint's value that several channels share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PBit {
    None,
    /// One for both endpoints of a subset.
    Subset,
    /// One for each endpoint.
    Endpoint,
}

/// How a mode stores endpoints and indices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    pub(super) number: u32,
    /// Bits of red, green and blue, and of alpha (0: alpha is 255), without the p bit.
    pub(super) bits: [u32; 2],
    pub(super) p_bit: PBit,
    pub(super) index_bits: u32,
}

impl Mode {
    /// The largest index.
    pub(super) fn levels(&self) -> i32 {
        (1 << self.index_bits) - 1
    }

    /// Bits of a channel with the p bit, which is its lowest; 0 if the channel is not stored.
    pub(super) fn precision(&self, channel: usize) -> u32 {
        let bits = self.bits[usize::from(channel == 3)];
        if bits == 0 { 0 } else { bits + u32::from(self.p_bit != PBit::None) }
    }
}

/// One subset of four channels.
pub(super) const SINGLE: Mode = Mode { number: 6, bits: [7, 7], p_bit: PBit::Endpoint, index_bits: 4 };
/// Two subsets: three channels with finer indices, three with finer endpoints, four.
pub(super) const PAIR_INDEXED: Mode = Mode { number: 1, bits: [6, 0], p_bit: PBit::Subset, index_bits: 3 };
pub(super) const PAIR_EXACT: Mode = Mode { number: 3, bits: [7, 0], p_bit: PBit::Endpoint, index_bits: 2 };
pub(super) const PAIR_ALPHA: Mode = Mode { number: 7, bits: [5, 5], p_bit: PBit::Endpoint, index_bits: 2 };

/// Three channels, and one with indices of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitMode {
    pub(super) color: Mode,
    pub(super) scalar: Mode,
    /// Mode 4's index selection bit: 1 if the scalar channel has the 2-bit indices.
    pub(super) swapped: u32,
}

const fn split(number: u32, bits: [u32; 2], index_bits: [u32; 2], swapped: u32) -> SplitMode {
    SplitMode {
        color: Mode { number, bits, p_bit: PBit::None, index_bits: index_bits[0] },
        scalar: Mode { number, bits, p_bit: PBit::None, index_bits: index_bits[1] },
        swapped,
    }
}

pub(super) const SPLITS: [SplitMode; 3] =
    [split(5, [7, 8], [2, 2], 0), split(4, [5, 6], [2, 3], 0), split(4, [5, 6], [3, 2], 1)];
