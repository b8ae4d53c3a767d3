//! From 128 bits to the fields of a block.

use super::integer_sequence::{RANGES, SMALLEST_COLOR_RANGE};
use super::{BlockMode, Fault, MAX_COLORS, MODES};

/// A legal block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// One colour for all texels.
    Void(VoidExtent),
    /// Colour endpoints and weights.
    Coded(Coded),
}

/// The fields of a void extent that decoding needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoidExtent {
    /// Whether `color` holds 16-bit floats, otherwise UNORM16.
    pub hdr: bool,
    /// Red, green, blue, alpha.
    pub color: [u16; 4],
}

/// The header of a block with endpoints and weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coded {
    /// The weight grid.
    pub mode: BlockMode,
    /// Partitions, 1 to 4.
    pub partitions: u8,
    /// Partition pattern, 0 to 1023; 0 for one partition.
    pub seed: u16,
    /// Colour endpoint mode of each partition, 0 to 15; 0 past the last partition.
    pub endpoint_modes: [u8; 4],
    /// The channel that takes the second plane's weights, 0 (red) to 3 (alpha); 0 without a second plane.
    pub second_plane_channel: u8,
    /// Colour values stored, 2 to 18.
    pub colors: u8,
    /// The colour values' range: 4 to 20 stand for 6, 8, 10 ... 192, 256 levels.
    pub color_range: u8,
    /// The bit at which the colour values start.
    pub color_start: u8,
}

impl Coded {
    /// The colour endpoint modes of the partitions there are.
    pub fn endpoint_modes(&self) -> &[u8] {
        &self.endpoint_modes[..usize::from(self.partitions)]
    }
}

/// Whether a colour endpoint mode is one of the HDR ones, which an LDR format answers with the error colour.
pub(crate) fn is_hdr(endpoint_mode: u8) -> bool {
    matches!(endpoint_mode, 2 | 3 | 7 | 11 | 14 | 15)
}

impl Block {
    /// Whether an LDR format answers with the error color, for some of its texels or all of them.
    pub fn is_hdr(&self) -> bool {
        match self {
            Self::Void(void) => void.hdr,
            Self::Coded(coded) => coded.endpoint_modes().iter().any(|&mode| is_hdr(mode)),
        }
    }
}

/// Reads the header of a block for a footprint of `footprint` texels.
pub fn inspect(block: &[u8; 16], footprint: [u32; 2]) -> Result<Block, Fault> {
    parse(u128::from_le_bytes(*block), footprint)
}

pub(crate) fn parse(block: u128, footprint: [u32; 2]) -> Result<Block, Fault> {
    let low = block as u64; // the whole header but for what lies just below the weights
    if low & 0x1FF == 0x1FC {
        return void_extent(block).map(Block::Void);
    }
    let mode = MODES[low as usize & 0x7FF]?;
    if u32::from(mode.width) > footprint[0] || u32::from(mode.height) > footprint[1] {
        return Err(Fault::GridExceedsFootprint);
    }
    let partitions = (low >> 11 & 3) as u8 + 1;
    if mode.dual_plane && partitions == 4 {
        return Err(Fault::DualPlaneFourPartitions);
    }

    let mut endpoint_modes = [0; 4];
    let mut seed = 0;
    let mut color_start = 17;
    let mut below_weights = 128 - u32::from(mode.weight_bits);
    if partitions == 1 {
        endpoint_modes[0] = (low >> 13 & 15) as u8;
    } else {
        seed = (low >> 13 & 0x3FF) as u16;
        color_start = 29;
        let count = usize::from(partitions);
        let selector = (low >> 23 & 3) as u8;
        if selector == 0 {
            endpoint_modes[..count].fill((low >> 25 & 15) as u8);
        } else {
            // A class bit a partition, then two mode bits a partition: four of them here, the others below
            // the weights.
            let upper_bits = 3 * u32::from(partitions) - 4;
            below_weights -= upper_bits;
            let upper = (block >> below_weights) as u32 & ((1 << upper_bits) - 1);
            let fields = (low >> 25 & 15) as u32 | upper << 4;
            for (index, mode) in endpoint_modes[..count].iter_mut().enumerate() {
                let class = selector - 1 + (fields >> index & 1) as u8;
                *mode = class << 2 | (fields >> (count + 2 * index) & 3) as u8;
            }
        }
    }
    let colors = endpoint_modes[..usize::from(partitions)].iter().map(|mode| (mode >> 2) * 2 + 2).sum::<u8>();
    if usize::from(colors) > MAX_COLORS {
        return Err(Fault::TooManyColors);
    }
    let mut second_plane_channel = 0;
    if mode.dual_plane {
        below_weights -= 2;
        second_plane_channel = (block >> below_weights & 3) as u8;
    }
    let color_range = COLOR_RANGES[usize::from(colors / 2)]
        [below_weights.saturating_sub(color_start) as usize]
        .ok_or(Fault::TooFewColorBits)?;
    Ok(Block::Coded(Coded {
        mode,
        partitions,
        seed,
        endpoint_modes,
        second_plane_channel,
        colors,
        color_range,
        color_start: color_start as u8,
    }))
}

fn void_extent(block: u128) -> Result<VoidExtent, Fault> {
    if block >> 10 & 3 != 3 {
        return Err(Fault::VoidReservedBits);
    }
    let [low_s, high_s, low_t, high_t] = [12, 25, 38, 51].map(|at| (block >> at) as u32 & 0x1FFF);
    let unbounded = [low_s, high_s, low_t, high_t] == [0x1FFF; 4];
    if !unbounded && (low_s >= high_s || low_t >= high_t) {
        return Err(Fault::VoidCoordinates);
    }
    Ok(VoidExtent { hdr: block >> 9 & 1 == 1, color: [64, 80, 96, 112].map(|at| (block >> at) as u16) })
}

/// The largest range in which `colors` values fit into `bits` bits, as an index into [`RANGES`].
pub(crate) const fn color_range(colors: u32, bits: u32) -> Option<u8> {
    let mut index = RANGES.len() - 1;
    while index >= SMALLEST_COLOR_RANGE {
        if RANGES[index].sequence_bits(colors) <= bits {
            return Some(index as u8);
        }
        index -= 1;
    }
    None
}

/// [`color_range`] by pairs of values and by bits.
static COLOR_RANGES: [[Option<u8>; 128]; MAX_COLORS / 2 + 1] = {
    let mut table = [[None; 128]; MAX_COLORS / 2 + 1];
    let mut pairs = 1;
    while pairs < table.len() {
        let mut bits = 0;
        while bits < 128 {
            table[pairs][bits] = color_range(2 * pairs as u32, bits as u32);
            bits += 1;
        }
        pairs += 1;
    }
    table
};
