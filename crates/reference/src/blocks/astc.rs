//! ASTC blocks from chosen fields.

use super::Rng;
use crate::astc::integer_sequence::{self, RANGES};
use crate::astc::{BlockMode, Fault, MAX_COLORS, MAX_WEIGHTS, MODES, color_range};

const LDR_ENDPOINT_MODES: [u8; 10] = [0, 1, 4, 5, 6, 8, 9, 10, 12, 13];
const HDR_ENDPOINT_MODES: [u8; 6] = [2, 3, 7, 11, 14, 15];

/// The fields of a legal block with endpoints and weights, as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// The 11 bits of the block mode.
    pub mode_bits: u16,
    /// Partitions, 1 to 4.
    pub partitions: u8,
    /// Partition pattern, 0 to 1023.
    pub seed: u16,
    /// Colour endpoint mode of each partition.
    pub endpoint_modes: [u8; 4],
    /// How several partitions' endpoint modes are stored: 0 as one for all, 1 to 3 each its own, of classes
    /// `selector - 1` and `selector`.
    pub selector: u8,
    /// The channel of the second plane, 0 to 3.
    pub second_plane_channel: u8,
    /// Colour values in their range, as many as the endpoint modes take.
    pub colors: [u8; MAX_COLORS],
    /// Weights in their range, as many as the block mode takes.
    pub weights: [u8; MAX_WEIGHTS],
}

fn mode(bits: u16) -> BlockMode {
    MODES[usize::from(bits) & 0x7FF].expect("the symbols hold a legal mode")
}

/// Replaces `width` bits at `at` by those of `value`.
fn put(block: &mut u128, at: u32, width: u32, value: u128) {
    let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    *block = *block & !(mask << at) | (value & mask) << at;
}

impl Symbols {
    fn color_count(&self) -> u32 {
        self.endpoint_modes[..usize::from(self.partitions)]
            .iter()
            .map(|mode| u32::from(mode >> 2) * 2 + 2)
            .sum()
    }

    /// Bits between the colours' start and the lowest field below the weights.
    fn color_bits(&self) -> u32 {
        let mode = mode(self.mode_bits);
        color_bits(&mode, self.partitions, self.selector)
    }

    /// The largest range in which the colours fit, as an index into the ranges; `None` if there is none.
    fn color_range(&self) -> Option<usize> {
        color_range(self.color_count(), self.color_bits()).map(usize::from)
    }

    /// Packs the block. Bits that no field takes come from `filler`.
    ///
    /// # Panics
    /// If the block mode is not a legal one or the colours do not fit.
    pub fn pack(&self, filler: u128) -> [u8; 16] {
        let mut block = filler;
        let mode = mode(self.mode_bits);
        put(&mut block, 0, 11, self.mode_bits.into());
        put(&mut block, 11, 2, u128::from(self.partitions) - 1);
        let weight_bits = u32::from(mode.weight_bits);
        let mut below_weights = 128 - weight_bits;
        let mut color_start = 17;
        if self.partitions == 1 {
            put(&mut block, 13, 4, self.endpoint_modes[0].into());
        } else {
            color_start = 29;
            put(&mut block, 13, 10, self.seed.into());
            put(&mut block, 23, 2, self.selector.into());
            if self.selector == 0 {
                put(&mut block, 25, 4, self.endpoint_modes[0].into());
            } else {
                let count = u32::from(self.partitions);
                let mut fields = 0;
                for (index, &mode) in (0..count).zip(&self.endpoint_modes) {
                    put(&mut fields, index, 1, u128::from(mode >> 2) - u128::from(self.selector - 1));
                    put(&mut fields, count + 2 * index, 2, u128::from(mode & 3));
                }
                put(&mut block, 25, 4, fields);
                below_weights -= 3 * count - 4;
                put(&mut block, below_weights, 3 * count - 4, fields >> 4);
            }
        }
        if mode.dual_plane {
            put(&mut block, below_weights - 2, 2, self.second_plane_channel.into());
        }
        let range = RANGES[self.color_range().expect("the colours fit")];
        let count = self.color_count();
        let colors = integer_sequence::encode(&self.colors[..count as usize], range);
        put(&mut block, color_start, range.sequence_bits(count), colors);
        let range = RANGES[usize::from(mode.weight_range)];
        let weights = integer_sequence::encode(&self.weights[..mode.weights()], range);
        put(&mut block, 128 - weight_bits, weight_bits, weights.reverse_bits() >> (128 - weight_bits));
        block.to_le_bytes()
    }

    /// Random fields of a legal block for a footprint. Every block mode, number of partitions, endpoint mode,
    /// channel and range has its chance: half of the blocks choose the weight grid first and the endpoints to
    /// fit, half the other way round.
    pub fn random(rng: &mut Rng, footprint: [u32; 2], dynamic_range: DynamicRange) -> Self {
        let all = modes_where(|mode| fits_footprint(mode, footprint));
        let mut symbols = Self::endpoints(rng, dynamic_range);
        if rng.one_in(2) {
            symbols.mode_bits = rng.pick(&all);
            // One partition with two values fits any grid, so this ends.
            while !symbols.fits(symbols.mode_bits) {
                symbols = Self { mode_bits: symbols.mode_bits, ..Self::endpoints(rng, dynamic_range) };
            }
        } else {
            let fitting: Vec<u16> = all.into_iter().filter(|&mode_bits| symbols.fits(mode_bits)).collect();
            symbols.mode_bits = rng.pick(&fitting);
        }
        let mode = mode(symbols.mode_bits);
        if mode.dual_plane {
            symbols.second_plane_channel = rng.below(4) as u8;
        }
        let count = symbols.color_count() as usize;
        let range = RANGES[symbols.color_range().expect("the colours fit")];
        fill(rng, &mut symbols.colors[..count], range.levels());
        let range = RANGES[usize::from(mode.weight_range)];
        fill(rng, &mut symbols.weights[..mode.weights()], range.levels());
        symbols
    }

    /// Random partitions and endpoint modes with at most 18 values; the rest is left at 0.
    fn endpoints(rng: &mut Rng, dynamic_range: DynamicRange) -> Self {
        let partitions = 1 + rng.below(4) as u8;
        let count = usize::from(partitions);
        let hdr_partition = (dynamic_range == DynamicRange::Hdr).then(|| rng.below(count as u32) as usize);
        let choices = |index: usize| -> &'static [&'static [u8]] {
            match dynamic_range {
                DynamicRange::Hdr if hdr_partition == Some(index) => &[&HDR_ENDPOINT_MODES],
                DynamicRange::Ldr => &[&LDR_ENDPOINT_MODES],
                _ => &[&LDR_ENDPOINT_MODES, &HDR_ENDPOINT_MODES],
            }
        };
        let mut endpoint_modes = [0; 4];
        let mut selector = 0;
        let most_pairs = 9 / partitions;
        if count == 1 || rng.one_in(3) {
            let chosen = endpoint_mode(rng, choices(hdr_partition.unwrap_or(0)), 0, most_pairs.min(4) - 1);
            endpoint_modes[..count].fill(chosen);
        } else {
            selector = 1 + rng.below(u32::from(most_pairs.min(3))) as u8;
            let mut spare_pairs = 9 - selector * partitions;
            for (index, mode) in endpoint_modes[..count].iter_mut().enumerate() {
                *mode = endpoint_mode(rng, choices(index), selector - 1, selector - 1 + spare_pairs.min(1));
                spare_pairs -= (*mode >> 2) + 1 - selector;
            }
        }
        Self {
            mode_bits: 0,
            partitions,
            seed: if count > 1 { rng.below(1024) as u16 } else { 0 },
            endpoint_modes,
            selector,
            second_plane_channel: 0,
            colors: [0; MAX_COLORS],
            weights: [0; MAX_WEIGHTS],
        }
    }

    /// Whether partitions and colours go with this legal block mode.
    fn fits(&self, mode_bits: u16) -> bool {
        let mode = mode(mode_bits);
        let bits = color_bits(&mode, self.partitions, self.selector);
        !(mode.dual_plane && self.partitions == 4) && color_range(self.color_count(), bits).is_some()
    }
}

/// Which colour endpoint modes a random block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DynamicRange {
    /// LDR ones only.
    Ldr,
    /// At least one partition's is HDR.
    Hdr,
    /// Any.
    Any,
}

fn fits_footprint(mode: &BlockMode, footprint: [u32; 2]) -> bool {
    u32::from(mode.width) <= footprint[0] && u32::from(mode.height) <= footprint[1]
}

/// Bits that are left for colours; 0 if the other fields take more than there are.
fn color_bits(mode: &BlockMode, partitions: u8, selector: u8) -> u32 {
    let config = match (partitions, selector) {
        (1, _) => 17,
        (_, 0) => 29,
        _ => 25 + 3 * u32::from(partitions),
    };
    128u32.saturating_sub(config + 2 * u32::from(mode.dual_plane) + u32::from(mode.weight_bits))
}

/// One of the endpoint modes of classes `from` to `to` in one of the given lists.
fn endpoint_mode(rng: &mut Rng, lists: &[&[u8]], from: u8, to: u8) -> u8 {
    let list = rng.pick(lists);
    let modes: Vec<u8> = list.iter().copied().filter(|mode| (from..=to).contains(&(mode >> 2))).collect();
    rng.pick(&modes)
}

/// Random values; one time in eight only the smallest and the largest, for the sake of clamps.
fn fill(rng: &mut Rng, values: &mut [u8], levels: u32) {
    let extremes = rng.one_in(8);
    for value in values {
        *value = if extremes { rng.below(2) * (levels - 1) } else { rng.below(levels) } as u8;
    }
}

/// A random legal block.
pub fn legal(rng: &mut Rng, footprint: [u32; 2], dynamic_range: DynamicRange) -> [u8; 16] {
    let symbols = Symbols::random(rng, footprint, dynamic_range);
    let filler = rng.u128();
    symbols.pack(filler)
}

/// A legal void extent: half of them without coordinates. An HDR one holds finite floats, of either sign.
pub fn void_extent(rng: &mut Rng, hdr: bool) -> [u8; 16] {
    let mut block = rng.u128();
    put(&mut block, 0, 12, 0xDFC | u128::from(hdr) << 9);
    if rng.one_in(2) {
        put(&mut block, 12, 52, u128::MAX);
    } else {
        for at in [12, 38] {
            let low = rng.below(0x1FFF);
            let high = low + 1 + rng.below(0x1FFF - low);
            put(&mut block, at, 13, low.into());
            put(&mut block, at + 13, 13, high.into());
        }
    }
    if hdr {
        for at in [64, 80, 96, 112] {
            let exponent = rng.below(31);
            put(&mut block, at + 10, 5, exponent.into());
        }
    }
    block.to_le_bytes()
}

/// A block with exactly the fault `fault` for that footprint; `None` where there is none, for no grid exceeds
/// 12x12.
pub fn illegal(rng: &mut Rng, footprint: [u32; 2], fault: Fault) -> Option<[u8; 16]> {
    let mut block = rng.u128();
    match fault {
        Fault::VoidReservedBits => {
            let hdr = rng.one_in(2);
            block = u128::from_le_bytes(void_extent(rng, hdr));
            put(&mut block, 10, 2, rng.below(3).into());
        }
        Fault::VoidCoordinates => {
            let hdr = rng.one_in(2);
            block = u128::from_le_bytes(void_extent(rng, hdr));
            let at = rng.pick(&[12, 38]);
            // Low at or above high, and not all ones.
            let low = rng.below(0x1FFF);
            put(&mut block, at, 13, low.into());
            put(&mut block, at + 13, 13, rng.below(low + 1).into());
        }
        Fault::ReservedMode | Fault::TooManyWeights | Fault::TooManyWeightBits | Fault::TooFewWeightBits => {
            let modes: Vec<u16> = (0..2048)
                .filter(|&bits| MODES[usize::from(bits)] == Err(fault) && bits & 0x1FF != 0x1FC)
                .collect();
            put(&mut block, 0, 11, rng.pick(&modes).into());
        }
        Fault::GridExceedsFootprint => {
            let modes = modes_where(|mode| !fits_footprint(mode, footprint));
            if modes.is_empty() {
                return None;
            }
            put(&mut block, 0, 11, rng.pick(&modes).into());
        }
        Fault::DualPlaneFourPartitions => {
            let modes = modes_where(|mode| fits_footprint(mode, footprint) && mode.dual_plane);
            put(&mut block, 0, 11, rng.pick(&modes).into());
            put(&mut block, 11, 2, 3);
        }
        Fault::TooManyColors => {
            let four_allowed = |mode: &BlockMode| !mode.dual_plane;
            let partitions = 3 + rng.below(2) as u8;
            let modes = modes_where(|mode| {
                fits_footprint(mode, footprint) && (partitions == 3 || four_allowed(mode))
            });
            put(&mut block, 0, 11, rng.pick(&modes).into());
            put(&mut block, 11, 2, u128::from(partitions) - 1);
            if rng.one_in(2) {
                // One mode for all: 8 values each of three partitions, or at least 6 each of four.
                let endpoint_mode = if partitions == 3 { 12 + rng.below(4) } else { 8 + rng.below(8) };
                put(&mut block, 23, 2, 0);
                put(&mut block, 25, 4, endpoint_mode.into());
            } else {
                // Classes 2 and 3, the first of three partitions in the larger: at least 20 values.
                put(&mut block, 23, 2, 3);
                put(&mut block, 25, 1, 1);
            }
        }
        Fault::TooFewColorBits => {
            let shared = rng.one_in(2);
            let partitions = if shared { 1 + rng.below(4) as u8 } else { 2 + rng.below(3) as u8 };
            let mut cases = Vec::new();
            let selectors = if shared || partitions == 1 { 0..=0 } else { 1..=3 };
            for selector in selectors {
                for class in 0..4 {
                    // Each its own mode: all of them of the smaller class.
                    let class = if selector == 0 { class } else { selector - 1 };
                    let colors = (u32::from(class) * 2 + 2) * u32::from(partitions);
                    let modes = modes_where(|mode| {
                        colors as usize <= MAX_COLORS
                            && fits_footprint(mode, footprint)
                            && !(mode.dual_plane && partitions == 4)
                            && color_range(colors, color_bits(mode, partitions, selector)).is_none()
                    });
                    cases.extend(modes.into_iter().map(|mode| (mode, selector, class)));
                }
            }
            if cases.is_empty() {
                return illegal(rng, footprint, fault);
            }
            let (mode_bits, selector, class) = rng.pick(&cases);
            put(&mut block, 0, 11, mode_bits.into());
            put(&mut block, 11, 2, u128::from(partitions) - 1);
            let endpoint_mode = u128::from(class << 2) + u128::from(rng.below(4));
            if partitions == 1 {
                put(&mut block, 13, 4, endpoint_mode);
            } else {
                put(&mut block, 23, 2, selector.into());
                if selector == 0 {
                    put(&mut block, 25, 4, endpoint_mode);
                } else {
                    put(&mut block, 25, partitions.into(), 0);
                }
            }
        }
    }
    Some(block.to_le_bytes())
}

fn modes_where(wanted: impl Fn(&BlockMode) -> bool) -> Vec<u16> {
    (0..2048).filter(|&bits| MODES[usize::from(bits)].is_ok_and(|mode| wanted(&mode))).collect()
}

/// A legal block of any kind: one in sixteen a void extent. LDR content only unless `hdr`.
pub(super) fn any_legal(rng: &mut Rng, footprint: [u32; 2], hdr: bool) -> [u8; 16] {
    if rng.one_in(16) {
        let hdr_colors = hdr && rng.one_in(2);
        void_extent(rng, hdr_colors)
    } else {
        legal(rng, footprint, if hdr { DynamicRange::Any } else { DynamicRange::Ldr })
    }
}

/// A void extent, a block with HDR endpoints or an illegal block, each fault alike.
pub(super) fn any_corner(rng: &mut Rng, footprint: [u32; 2]) -> [u8; 16] {
    match rng.below(4) {
        0 => {
            let hdr = rng.one_in(2);
            void_extent(rng, hdr)
        }
        1 => legal(rng, footprint, DynamicRange::Hdr),
        _ => {
            let fault = rng.pick(&Fault::ALL);
            illegal(rng, footprint, fault).unwrap_or_else(|| rng.u128().to_le_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astc::{Block, inspect};
    use std::collections::HashSet;

    fn footprints() -> impl Iterator<Item = [u32; 2]> {
        texemu_format::FORMATS
            .iter()
            .filter(|format| format.name.starts_with("ASTC_") && format.name.ends_with("UNORM_BLOCK"))
            .map(|format| format.footprint)
    }

    #[test]
    fn packed_fields_are_read_back() {
        let mut rng = Rng::new(3);
        for footprint in footprints() {
            for dynamic_range in [DynamicRange::Ldr, DynamicRange::Hdr, DynamicRange::Any] {
                for _ in 0..500 {
                    let symbols = Symbols::random(&mut rng, footprint, dynamic_range);
                    let block = symbols.pack(rng.u128());
                    let Ok(Block::Coded(coded)) = inspect(&block, footprint) else {
                        panic!("{footprint:?}: {symbols:?} is {:?}", inspect(&block, footprint));
                    };
                    assert_eq!(coded.mode, mode(symbols.mode_bits), "{symbols:?}");
                    assert_eq!(coded.partitions, symbols.partitions, "{symbols:?}");
                    assert_eq!(coded.seed, symbols.seed, "{symbols:?}");
                    assert_eq!(coded.endpoint_modes, symbols.endpoint_modes, "{symbols:?}");
                    assert_eq!(coded.second_plane_channel, symbols.second_plane_channel, "{symbols:?}");
                    let bits = u128::from_le_bytes(block);
                    let mut colors = [0; MAX_COLORS];
                    let count = usize::from(coded.colors);
                    let range = RANGES[usize::from(coded.color_range)];
                    integer_sequence::decode(bits >> coded.color_start, range, &mut colors[..count]);
                    assert_eq!(colors, symbols.colors, "{symbols:?}");
                    let mut weights = [0; MAX_WEIGHTS];
                    let range = RANGES[usize::from(coded.mode.weight_range)];
                    integer_sequence::decode(
                        bits.reverse_bits(),
                        range,
                        &mut weights[..coded.mode.weights()],
                    );
                    assert_eq!(weights, symbols.weights, "{symbols:?}");
                    let hdr = coded.endpoint_modes().iter().any(|mode| HDR_ENDPOINT_MODES.contains(mode));
                    match dynamic_range {
                        DynamicRange::Ldr => assert!(!hdr, "{symbols:?}"),
                        DynamicRange::Hdr => assert!(hdr, "{symbols:?}"),
                        DynamicRange::Any => {}
                    }
                }
            }
        }
    }

    #[test]
    fn legal_blocks_reach_every_mode() {
        let mut rng = Rng::new(4);
        for footprint in [[4, 4], [6, 6], [12, 12]] {
            let mut modes = HashSet::new();
            let mut combinations = HashSet::new();
            let mut channels = HashSet::new();
            let mut color_ranges = HashSet::new();
            for _ in 0..30_000 {
                let symbols = Symbols::random(&mut rng, footprint, DynamicRange::Any);
                modes.insert(symbols.mode_bits);
                for &mode in &symbols.endpoint_modes[..usize::from(symbols.partitions)] {
                    combinations.insert((symbols.partitions, symbols.selector, mode));
                }
                if mode(symbols.mode_bits).dual_plane {
                    channels.insert((symbols.partitions, symbols.second_plane_channel));
                }
                color_ranges.insert(symbols.color_range());
            }
            let all = modes_where(|mode| fits_footprint(mode, footprint));
            assert_eq!(modes.len(), all.len(), "{footprint:?}: block modes");
            assert_eq!(channels.len(), 3 * 4, "{footprint:?}: channels of one to three partitions");
            assert_eq!(color_ranges.len(), 17, "{footprint:?}: colour ranges");
            // One partition: 16 modes. Shared by two, three, four: 16, 12, 8. Own ones: 8 modes for each of
            // selectors 1 to 3, but three partitions leave no room for class 3, and four none for selector 3.
            assert_eq!(
                combinations.len(),
                16 + 16 + 12 + 8 + 24 + 20 + 16,
                "{footprint:?}: {combinations:?}"
            );
        }
    }

    #[test]
    fn illegal_blocks_have_the_fault_they_claim() {
        let mut rng = Rng::new(5);
        for footprint in footprints() {
            for fault in Fault::ALL {
                for _ in 0..300 {
                    match illegal(&mut rng, footprint, fault) {
                        Some(block) => {
                            assert_eq!(inspect(&block, footprint), Err(fault), "{footprint:?} {block:02x?}")
                        }
                        None => assert_eq!(
                            (fault, footprint),
                            (Fault::GridExceedsFootprint, [12, 12]),
                            "only there"
                        ),
                    }
                }
            }
        }
    }

    #[test]
    fn void_extents_are_legal() {
        let mut rng = Rng::new(6);
        let mut bounded = 0;
        for index in 0..2000 {
            let hdr = index % 2 == 0;
            let block = void_extent(&mut rng, hdr);
            let Ok(Block::Void(extent)) = inspect(&block, [4, 4]) else { panic!("{block:02x?}") };
            assert_eq!(extent.hdr, hdr, "{block:02x?}");
            assert!(!hdr || extent.color.iter().all(|color| color & 0x7C00 != 0x7C00), "finite: {extent:x?}");
            bounded += u32::from(block[2..8] != [0xFF; 6]);
        }
        assert!((900..1100).contains(&bounded), "about half have coordinates: {bounded}");
    }

    #[test]
    fn random_blocks_are_mostly_illegal() {
        let mut rng = Rng::new(7);
        let legal = |rng: &mut Rng, footprint| {
            (0..20_000).filter(|_| inspect(&rng.u128().to_le_bytes(), footprint).is_ok()).count()
        };
        let (small, large) = (legal(&mut rng, [4, 4]), legal(&mut rng, [12, 12]));
        assert!(small < large && large < 20_000 / 2, "{small} of 20000 at 4x4, {large} at 12x12");
    }
}
