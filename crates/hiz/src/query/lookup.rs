//! How a pixel finds its texel.

use crate::{Answer, Answers};

/// A plan of which it is not said which queries it answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnyQuery;

/// Pixel `x` of `w` is looked up in texel `x * size(n) / w`: what sampling with normalized coordinates does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uv;

/// Pixel `x` is looked up in texel `min(x >> n, size(n) - 1)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Uv {}
    impl Sealed for super::Integer {}
}

/// [`Uv`] or [`Integer`]: a kind of queries that a plan can be known to answer.
pub trait Lookup: sealed::Sealed + Copy + std::fmt::Debug {
    /// What is wrong with a scheme that does not answer them.
    #[doc(hidden)]
    const UNSAFE: &'static str;

    /// How well a scheme answers them.
    fn answer(answers: Answers) -> Answer;

    /// The texel of a level of `size` texels in which pixel `pixel` of `extent` is looked up.
    fn texel(extent: i32, size: i32, level: i32, pixel: i32) -> i32;

    /// The pixels that are looked up in a texel: from the first, up to and without the second.
    fn cell(extent: i32, size: i32, level: i32, texel: i32) -> [i32; 2];
}

impl Lookup for Uv {
    const UNSAFE: &'static str = "the scheme does not answer UV queries: take Chained or Pow2Exact";

    fn answer(answers: Answers) -> Answer {
        answers.uv
    }

    fn texel(extent: i32, size: i32, _: i32, pixel: i32) -> i32 {
        // 16384 * 16384 has 29 bits.
        pixel * size / extent
    }

    fn cell(extent: i32, size: i32, _: i32, texel: i32) -> [i32; 2] {
        [texel, texel + 1].map(|texel| (texel * extent + size - 1) / size)
    }
}

impl Lookup for Integer {
    const UNSAFE: &'static str =
        "the scheme does not answer integer queries: take Chained, EdgeTexel or RoundedUp";

    fn answer(answers: Answers) -> Answer {
        answers.integer
    }

    fn texel(_: i32, size: i32, level: i32, pixel: i32) -> i32 {
        (pixel >> level).min(size - 1)
    }

    fn cell(extent: i32, size: i32, level: i32, texel: i32) -> [i32; 2] {
        let end = if texel == size - 1 { extent } else { (texel + 1) << level };
        [texel << level, end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scheme;

    /// Every pixel has one texel, whose cell it lies in and whose footprint it belongs to.
    fn check<L: Lookup>(scheme: Scheme, extent: u32) {
        for level in 0..=scheme.last_level([extent, 1]) {
            let size = scheme.level_size(extent, level) as i32;
            let mut next = 0;
            for texel in 0..size {
                let [low, end] = L::cell(extent as i32, size, level as i32, texel);
                assert_eq!(low, next, "{scheme:?} {extent} level {level} texel {texel}");
                for pixel in low..end {
                    assert_eq!(L::texel(extent as i32, size, level as i32, pixel), texel);
                    assert!(scheme.footprint(extent, level, texel as u32).contains(&(pixel as u32)));
                }
                next = end;
            }
            assert_eq!(next, extent as i32, "{scheme:?} {extent} level {level}");
        }
    }

    #[test]
    fn every_pixel_is_looked_up_in_a_texel_that_covers_it() {
        for extent in (1..200).chain([255, 256, 257, 1080, 1776, 1920, 4095, 16_383, 16_384]) {
            for scheme in Scheme::ALL {
                if scheme.answers().uv != Answer::Unsafe {
                    check::<Uv>(scheme, extent);
                }
                if scheme.answers().integer != Answer::Unsafe {
                    check::<Integer>(scheme, extent);
                }
            }
        }
    }
}
