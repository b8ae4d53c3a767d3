use super::integer_sequence::RANGES;
use super::{Fault, MAX_WEIGHTS};

/// What the 11 bits of the block mode say: the weight grid (KDFS 1.4, "Block mode").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockMode {
    /// Columns of the weight grid, 2 to 12.
    pub width: u8,
    /// Rows of the weight grid, 2 to 12.
    pub height: u8,
    /// Whether each grid point stores two weights.
    pub dual_plane: bool,
    /// The weights' range: 0 to 11 stand for 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24 and 32 levels.
    pub weight_range: u8,
    /// Bits that all the weights take, 24 to 96.
    pub weight_bits: u8,
}

impl BlockMode {
    /// Weights that the block stores, those of both planes.
    pub fn weights(&self) -> usize {
        (usize::from(self.width) * usize::from(self.height)) << u32::from(self.dual_plane)
    }
}

/// All block modes by their bits. Void extents count as reserved here.
pub(crate) static MODES: [Result<BlockMode, Fault>; 2048] = {
    let mut modes = [Err(Fault::ReservedMode); 2048];
    let mut bits = 0;
    while bits < 2048 {
        modes[bits] = block_mode(bits as u32);
        bits += 1;
    }
    modes
};

const fn block_mode(bits: u32) -> Result<BlockMode, Fault> {
    let (a, b) = (bits >> 5 & 3, bits >> 7 & 3);
    let (mut dual_plane, mut high_precision) = (bits >> 10 & 1 == 1, bits >> 9 & 1 == 1);
    let (rho, width, height);
    if bits & 3 != 0 {
        rho = (bits & 3) << 1 | bits >> 4 & 1;
        (width, height) = match bits >> 2 & 3 {
            0 => (b + 4, a + 2),
            1 => (b + 8, a + 2),
            2 => (a + 2, b + 8),
            _ if b < 2 => (a + 2, b + 6),
            _ => (b, a + 2),
        };
    } else {
        rho = (bits >> 2 & 3) << 1 | bits >> 4 & 1;
        if rho < 2 {
            return Err(Fault::ReservedMode);
        }
        (width, height) = match (b, a) {
            (0, _) => (12, a + 2),
            (1, _) => (a + 2, 12),
            (2, _) => {
                let upper = bits >> 9 & 3;
                dual_plane = false;
                high_precision = false;
                (a + 6, upper + 6)
            }
            (_, 0) => (6, 10),
            (_, 1) => (10, 6),
            _ => return Err(Fault::ReservedMode),
        };
    }
    let weight_range = if high_precision { rho + 4 } else { rho - 2 };
    let weights = (width * height) << dual_plane as u32;
    if weights > MAX_WEIGHTS as u32 {
        return Err(Fault::TooManyWeights);
    }
    let weight_bits = RANGES[weight_range as usize].sequence_bits(weights);
    if weight_bits > 96 {
        return Err(Fault::TooManyWeightBits);
    }
    if weight_bits < 24 {
        return Err(Fault::TooFewWeightBits);
    }
    Ok(BlockMode {
        width: width as u8,
        height: height as u8,
        dual_plane,
        weight_range: weight_range as u8,
        weight_bits: weight_bits as u8,
    })
}
