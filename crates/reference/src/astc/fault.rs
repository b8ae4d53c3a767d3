/// Why a block is illegal whatever the profile (KDFS 1.4, "Illegal Encodings"): all of its texels are the
/// error colour.
///
/// HDR endpoint modes and HDR void extents are legal encodings, which an LDR format answers with the error
/// colour too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A block mode of the reserved rows of the table.
    ReservedMode,
    /// More than 64 weights.
    TooManyWeights,
    /// More than 96 bits of weights.
    TooManyWeightBits,
    /// Fewer than 24 bits of weights.
    TooFewWeightBits,
    /// A weight grid that exceeds the footprint.
    GridExceedsFootprint,
    /// Two weight planes together with four partitions.
    DualPlaneFourPartitions,
    /// More than 18 colour values.
    TooManyColors,
    /// Too few bits left for colour values of the smallest range, 0..5.
    TooFewColorBits,
    /// Bits 10 and 11 of a void extent are not both set.
    VoidReservedBits,
    /// A void extent whose low coordinate is not below its high one, on some axis.
    VoidCoordinates,
}

impl Fault {
    /// Every fault, in the order in which a block is checked.
    pub const ALL: [Self; 10] = [
        Self::VoidReservedBits,
        Self::VoidCoordinates,
        Self::ReservedMode,
        Self::TooManyWeights,
        Self::TooManyWeightBits,
        Self::TooFewWeightBits,
        Self::GridExceedsFootprint,
        Self::DualPlaneFourPartitions,
        Self::TooManyColors,
        Self::TooFewColorBits,
    ];
}
