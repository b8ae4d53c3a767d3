//! Which texels a texel of a level covers: the schemes and their closed forms.
//!
//! All functions speak of one axis; the axes are independent. Level 0 is the depth buffer itself.

use std::ops::RangeInclusive;

/// Which texels of the depth buffer a texel of the pyramid covers.
///
/// With `w` texels on an axis, level `n` has `max(1, w >> n)` under `Chained` and `EdgeTexel`, and `max(1, p >> (n - 1))` under
/// `Pow2Exact`, where `p` is the largest power of two below `w` (1 if `w` is 1), and `ceil(w / 2^n)` under `RoundedUp`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[repr(u32)]
pub enum Scheme {
    /// A texel takes 2 texels of the level before, 3 where that level's size is odd. Answers UV queries and integer queries at
    /// any size. Footprint: `i * 2^n ..= (i + 1) * 2^n - 1 + w mod 2^n`, so up to twice as wide as necessary.
    #[default]
    Chained = 0,
    /// A texel takes its aligned block of `2^n` texels; the last one takes the rest as well. Answers integer queries, tightly.
    EdgeTexel = 1,
    /// The first level has a power of two of texels, which take the 2 or 3 they overlap in UV space; then 2:1. Answers UV
    /// queries, tightly: a footprint is exactly the texels that a texel's UV square overlaps.
    Pow2Exact = 2,
    /// As `EdgeTexel`, but sizes are rounded up, so that the rest has a texel of its own. Answers integer queries, tightly. Its levels
    /// are not a mip chain of Vulkan's, whose sizes round down: each needs an image of its own.
    RoundedUp = 3,
}

/// How well a pyramid answers a kind of query.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Answer {
    /// A texel can miss depth values that the query asks about: the query must not be made.
    Unsafe = 0,
    /// Never wrong on the unsafe side; a footprint can be wider than necessary, so some answers are more careful than they need be.
    Conservative = 1,
    /// Never wrong on the unsafe side, and no footprint has a texel more than necessary.
    Tight = 2,
}

/// Which queries a scheme answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Answers {
    /// Pixel `x` of `w` is looked up in texel `x * size(n) / w`: what sampling with normalized coordinates does.
    pub uv: Answer,
    /// Pixel `x` is looked up in texel `min(x >> n, size(n) - 1)`.
    pub integer: Answer,
}

impl Scheme {
    /// All schemes.
    pub const ALL: [Self; 4] = [Self::Chained, Self::EdgeTexel, Self::Pow2Exact, Self::RoundedUp];

    /// Which queries it answers.
    pub const fn answers(self) -> Answers {
        match self {
            Self::Chained => Answers { uv: Answer::Conservative, integer: Answer::Conservative },
            Self::EdgeTexel | Self::RoundedUp => Answers { uv: Answer::Unsafe, integer: Answer::Tight },
            Self::Pow2Exact => Answers { uv: Answer::Tight, integer: Answer::Unsafe },
        }
    }

    /// Texels of `level` on an axis where the depth buffer has `size`, at least 1.
    pub const fn level_size(self, size: u32, level: u32) -> u32 {
        let halved = match (self, level) {
            (_, 0) => return size,
            (Self::Chained | Self::EdgeTexel, _) => shift(size, level),
            (Self::Pow2Exact, _) => shift(power_below(size), level - 1),
            (Self::RoundedUp, _) => shift(size - 1, level) + 1,
        };
        if halved == 0 { 1 } else { halved }
    }

    /// The last level: the first of a single texel, and at least 1.
    pub const fn last_level(self, extent: [u32; 2]) -> u32 {
        let longest = if extent[0] > extent[1] { extent[0] } else { extent[1] };
        let last = match self {
            Self::Chained | Self::EdgeTexel => longest.ilog2(),
            Self::Pow2Exact => power_below(longest).ilog2() + 1,
            Self::RoundedUp if longest == 1 => 1,
            Self::RoundedUp => (longest - 1).ilog2() + 1,
        };
        if last == 0 { 1 } else { last }
    }

    /// The texels of level `from` that texel `texel` of level `to` is reduced from. `from < to`. Reducing through any levels
    /// in between gives the same.
    pub const fn taps(self, size: u32, from: u32, to: u32, texel: u32) -> RangeInclusive<u32> {
        let available = self.level_size(size, from);
        let count = self.level_size(size, to);
        let (first, last) = match self {
            Self::Pow2Exact if from == 0 => {
                (scale(texel, size, count), (scale_up(texel + 1, size, count)) - 1)
            }
            _ => {
                let step = to - from;
                let first = if step > 31 { 0 } else { texel << step };
                // Up to and without the next texel's aligned block.
                let end = if step > 31 { available } else { (texel + 1).saturating_mul(1 << step) };
                let reach = if step > 31 { 0 } else { available & ((1 << step) - 1) };
                let last = match self {
                    Self::Chained => end - 1 + reach,
                    _ if texel + 1 == count => available - 1,
                    _ => end - 1,
                };
                (first, last)
            }
        };
        first..=if last < available { last } else { available - 1 }
    }

    /// The texels of the depth buffer that a texel covers: [`Scheme::taps`] from level 0.
    pub const fn footprint(self, size: u32, level: u32, texel: u32) -> RangeInclusive<u32> {
        if level == 0 { texel..=texel } else { self.taps(size, 0, level, texel) }
    }
}

/// The largest power of two below `size`; 1 for 1.
pub(crate) const fn power_below(size: u32) -> u32 {
    if size <= 2 { 1 } else { 1 << (size - 1).ilog2() }
}

const fn shift(size: u32, by: u32) -> u32 {
    if by > 31 { 0 } else { size >> by }
}

/// `floor(texel * size / count)`.
const fn scale(texel: u32, size: u32, count: u32) -> u32 {
    (texel as u64 * size as u64 / count as u64) as u32
}

/// `ceil(texel * size / count)`.
const fn scale_up(texel: u32, size: u32, count: u32) -> u32 {
    (texel as u64 * size as u64).div_ceil(count as u64) as u32
}

/// What a texel keeps of the depths it covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[repr(u32)]
pub enum Reduction {
    /// The least value: the nearest with normal depth, the farthest with reversed depth.
    #[default]
    Min = 0,
    /// The greatest value.
    Max = 1,
    /// Both: the least in the first component, the greatest in the second.
    MinMax = 2,
}

/// Which depth a pyramid keeps, in words that do not depend on [`DepthOrder`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Keep {
    /// The nearest depth: for ray marching, contact shadows, "certainly in front".
    Nearest = 0,
    /// The farthest depth: for occlusion culling, "certainly hidden".
    Farthest = 1,
    /// Both.
    Both = 2,
}

/// Which end of the depth range is near the viewer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u32)]
pub enum DepthOrder {
    /// Near is 0, far is 1.
    #[default]
    Normal = 0,
    /// Near is 1, far is 0.
    Reversed = 1,
}

impl DepthOrder {
    /// The reduction that keeps `keep`.
    pub const fn reduction(self, keep: Keep) -> Reduction {
        match (keep, self) {
            (Keep::Both, _) => Reduction::MinMax,
            (Keep::Nearest, Self::Normal) | (Keep::Farthest, Self::Reversed) => Reduction::Min,
            (Keep::Farthest, Self::Normal) | (Keep::Nearest, Self::Reversed) => Reduction::Max,
        }
    }

    /// Whether `a` is strictly nearer than `b`; false if either is a NaN.
    pub fn nearer(self, a: f32, b: f32) -> bool {
        match self {
            Self::Normal => a < b,
            Self::Reversed => a > b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> impl Iterator<Item = u32> {
        (1..700)
            .chain((8..15).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]))
            .chain([1080, 1440, 1776, 1920, 2160, 4099, 7919])
    }

    /// The texels that the texel's square overlaps in UV space: what a UV query asks about.
    fn uv(size: u32, count: u32, texel: u32) -> RangeInclusive<u32> {
        scale(texel, size, count)..=scale_up(texel + 1, size, count) - 1
    }

    fn within(inner: &RangeInclusive<u32>, outer: &RangeInclusive<u32>) -> bool {
        outer.contains(inner.start()) && outer.contains(inner.end())
    }

    #[test]
    fn footprints_are_what_reducing_level_by_level_gives() {
        for size in sizes() {
            for scheme in Scheme::ALL {
                let last = scheme.last_level([size, 1]);
                assert_eq!(scheme.level_size(size, last), 1, "{scheme:?} {size}");
                let mut covered: Vec<RangeInclusive<u32>> = (0..size).map(|texel| texel..=texel).collect();
                for level in 1..=last + 2 {
                    covered = (0..scheme.level_size(size, level))
                        .map(|texel| {
                            let taps = scheme.taps(size, level - 1, level, texel);
                            *covered[*taps.start() as usize].start()..=*covered[*taps.end() as usize].end()
                        })
                        .collect();
                    for (texel, range) in covered.iter().enumerate() {
                        assert_eq!(
                            *range,
                            scheme.footprint(size, level, texel as u32),
                            "{scheme:?} {size} level {level} texel {texel}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn taps_are_as_many_as_documented() {
        for size in sizes() {
            for level in 0..Scheme::RoundedUp.last_level([size, 1]) {
                for scheme in [Scheme::Chained, Scheme::EdgeTexel, Scheme::RoundedUp] {
                    let from = scheme.level_size(size, level);
                    for texel in 0..scheme.level_size(size, level + 1) {
                        let taps = scheme.taps(size, level, level + 1, texel);
                        let most = if from == 1 { 1 } else { 2 + (from & 1) };
                        assert!(
                            taps.clone().count() as u32 <= most,
                            "{scheme:?} {size} {level} {texel}: {taps:?}"
                        );
                    }
                }
            }
            for texel in 0..power_below(size) {
                assert!(Scheme::Pow2Exact.taps(size, 0, 1, texel).count() <= 3);
            }
        }
    }

    #[test]
    fn schemes_cover_what_their_queries_ask_about() {
        for size in sizes() {
            for scheme in Scheme::ALL {
                for level in 1..=scheme.last_level([size, 1]) {
                    let count = scheme.level_size(size, level);
                    let mut total = [0u64; 2];
                    for texel in 0..count {
                        let footprint = scheme.footprint(size, level, texel);
                        let needed = uv(size, count, texel);
                        total[0] += footprint.clone().count() as u64;
                        total[1] += needed.clone().count() as u64;
                        match scheme.answers().uv {
                            Answer::Tight => {
                                assert_eq!(footprint, needed, "{scheme:?} {size} {level} {texel}")
                            }
                            Answer::Conservative => {
                                assert!(within(&needed, &footprint), "{scheme:?} {size} {level} {texel}")
                            }
                            Answer::Unsafe => {}
                        }
                        let end = if texel + 1 == count { size } else { (texel + 1) << level };
                        let needed = (texel << level)..=end - 1;
                        match scheme.answers().integer {
                            Answer::Tight => {
                                assert_eq!(footprint, needed, "{scheme:?} {size} {level} {texel}")
                            }
                            Answer::Conservative => {
                                assert!(within(&needed, &footprint), "{scheme:?} {size} {level} {texel}")
                            }
                            Answer::Unsafe => {}
                        }
                    }
                    assert!(
                        scheme != Scheme::Chained || total[0] <= 2 * total[1],
                        "{size} {level}: {total:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn unsafe_means_unsafe() {
        let misses = |scheme: Scheme, needed: fn(u32, u32, u32, u32) -> RangeInclusive<u32>| {
            (0..scheme.level_size(1000, 5)).any(|texel| {
                !within(
                    &needed(1000, 5, scheme.level_size(1000, 5), texel),
                    &scheme.footprint(1000, 5, texel),
                )
            })
        };
        assert!(misses(Scheme::EdgeTexel, |size, _, count, texel| uv(size, count, texel)));
        assert!(misses(Scheme::Pow2Exact, |_, level, _, texel| (texel << level)..=((texel + 1) << level) - 1));
    }

    #[test]
    fn words_for_depth_agree() {
        assert_eq!(DepthOrder::Reversed.reduction(Keep::Farthest), Reduction::Min);
        assert_eq!(DepthOrder::Normal.reduction(Keep::Farthest), Reduction::Max);
        assert_eq!(DepthOrder::Normal.reduction(Keep::Nearest), Reduction::Min);
        assert!(DepthOrder::Reversed.nearer(0.7, 0.2) && !DepthOrder::Normal.nearer(f32::NAN, 1.0));
    }
}
