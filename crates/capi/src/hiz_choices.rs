//! The enumerations of depth pyramids.

use crate::choices::unknown;
use crate::status::Outcome;
use ::texemu_hiz::{Answer, DepthOrder, Keep, Path, Reduction, Scheme, TexelFormat};
use texemu_core::vk;

/// Which depths a texel of a pyramid stands for, and so which queries it answers.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_hiz_scheme {
    /// 2 texels an axis of the level before, 3 where its size is odd: UV queries and integer queries, at any size.
    Chained = 0,
    /// Aligned blocks, the last one with the rest: integer queries, tightly.
    EdgeTexel = 1,
    /// A power of two of texels: UV queries, tightly.
    Pow2Exact = 2,
    /// Aligned blocks, sizes rounded up: integer queries, tightly. Its levels are no mip chain.
    RoundedUp = 3,
}

/// What a texel keeps of the depths it stands for.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_hiz_reduction {
    /// The least.
    Min = 0,
    /// The greatest.
    Max = 1,
    /// Both, in two components.
    MinMax = 2,
}

/// The same in words that do not depend on the depth's direction: see `texemu_hiz_reduction_of`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_hiz_keep {
    /// For rays and for what is certainly in front.
    Nearest = 0,
    /// For occlusion culling.
    Farthest = 1,
    /// For both, and for particles.
    Both = 2,
}

/// How a texel is stored.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_hiz_texel {
    /// In 32 bits a component.
    Float32 = 0,
    /// In 16: minima rounded down, maxima up.
    Float16 = 1,
}

/// How the device makes a pyramid. All ways give the same bits.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_hiz_path {
    /// The best of those below that the device can go.
    Auto = 0,
    /// All levels in one dispatch.
    OneDispatch = 1,
    /// In two dispatches, without atomics.
    TwoDispatches = 2,
    /// A dispatch a level.
    PerLevel = 3,
    /// A draw a level; needs a queue that draws.
    Raster = 4,
    /// One level, by atomics in shared memory.
    SharedAtomic = 5,
    /// One level, by subgroup minima.
    SubgroupFold = 6,
}

/// How well a pyramid answers a kind of query.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_hiz_answer {
    /// Not at all: it could be wrong on the unsafe side.
    Unsafe = 0,
    /// Never wrong on the unsafe side, at times more careful than needed.
    Conservative = 1,
    /// Never wrong on the unsafe side, and as close as the level's texels allow.
    Tight = 2,
}

pub(crate) fn scheme(value: u32) -> Outcome<Scheme> {
    let found = Scheme::ALL.into_iter().find(|&scheme| scheme as u32 == value);
    found.map_or_else(|| unknown("scheme", value), Ok)
}

pub(crate) fn reduction(value: u32) -> Outcome<Reduction> {
    let all = [Reduction::Min, Reduction::Max, Reduction::MinMax];
    let found = all.into_iter().find(|&reduction| reduction as u32 == value);
    found.map_or_else(|| unknown("reduction", value), Ok)
}

pub(crate) fn keep(value: u32) -> Outcome<Keep> {
    let found = [Keep::Nearest, Keep::Farthest, Keep::Both].into_iter().find(|&keep| keep as u32 == value);
    found.map_or_else(|| unknown("keep", value), Ok)
}

pub(crate) fn texel(value: u32) -> Outcome<TexelFormat> {
    let all = [TexelFormat::Float32, TexelFormat::Float16];
    let found = all.into_iter().find(|&texel| texel as u32 == value);
    found.map_or_else(|| unknown("texel", value), Ok)
}

/// Zero is the choice of the library.
pub(crate) fn path(value: u32) -> Outcome<Option<Path>> {
    let Some(index) = value.checked_sub(1) else { return Ok(None) };
    let found = Path::ALL.into_iter().find(|&path| path as u32 == index);
    found.map_or_else(|| unknown("path", value), |path| Ok(Some(path)))
}

pub(crate) fn path_number(path: Path) -> u32 {
    path as u32 + 1
}

pub(crate) fn answer(answer: Answer) -> u32 {
    answer as u32
}

pub(crate) fn order(reversed: vk::Bool32) -> DepthOrder {
    if reversed == vk::FALSE { DepthOrder::Normal } else { DepthOrder::Reversed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_mean_what_the_crate_means() {
        use texemu_hiz_path as P;
        let paths =
            [P::OneDispatch, P::TwoDispatches, P::PerLevel, P::Raster, P::SharedAtomic, P::SubgroupFold];
        for (number, expected) in paths.into_iter().zip(Path::ALL) {
            assert_eq!(path(number as u32).unwrap(), Some(expected));
            assert_eq!(path_number(expected), number as u32);
        }
        assert_eq!(path(P::Auto as u32).unwrap(), None);
        use texemu_hiz_scheme as S;
        for (number, expected) in
            [S::Chained, S::EdgeTexel, S::Pow2Exact, S::RoundedUp].into_iter().zip(Scheme::ALL)
        {
            assert_eq!(scheme(number as u32).unwrap(), expected);
        }
        assert_eq!(reduction(texemu_hiz_reduction::MinMax as u32).unwrap(), Reduction::MinMax);
        assert_eq!(keep(texemu_hiz_keep::Farthest as u32).unwrap(), Keep::Farthest);
        assert_eq!(texel(texemu_hiz_texel::Float16 as u32).unwrap(), TexelFormat::Float16);
        assert_eq!(answer(Answer::Tight), texemu_hiz_answer::Tight as u32);
        let refused = [
            scheme(4).is_err(),
            reduction(3).is_err(),
            keep(3).is_err(),
            texel(2).is_err(),
            path(7).is_err(),
            path(u32::MAX).is_err(),
        ];
        assert_eq!(refused, [true; 6], "numbers that are none of the values");
    }
}
