//! Endpoints and indices for the texels of one subset.

use super::mode::Mode;
use crate::encode::vector::{Moments, Rgb, principal_axis};

const POWER_ROUNDS: u32 = 2;

/// A block's values, the bits of nonnegative half floats, with their smallest taken off and scaled to eleven bits, so
/// that sums of squares fit in 32 bits.
#[derive(Debug)]
pub(super) struct Scaled {
    pub(super) exact: [Rgb; 16],
    pub(super) texels: [Rgb; 16],
    base: Rgb,
    pub(super) shift: i32,
}

/// `v` / 2^`shift`, rounded.
pub(super) fn scale(v: Rgb, shift: i32) -> Rgb {
    (v + Rgb::splat((1 << shift) >> 1)) >> shift
}

impl Scaled {
    pub(super) fn new(exact: [Rgb; 16]) -> Self {
        let base = exact.into_iter().reduce(|a, b| a.zip(b, i32::min)).expect("there are texels");
        let top = exact.into_iter().reduce(|a, b| a.zip(b, i32::max)).expect("there are texels");
        let range = (top - base).max_abs();
        let shift = (21 - (range | 1).leading_zeros() as i32).max(0);
        Self { exact, texels: exact.map(|v| scale(v - base, shift)), base, shift }
    }

    /// A scaled colour, in sixteenths, as the 16-bit number that decodes nearest to it.
    fn sixteen_bits(&self, e: Rgb) -> Rgb {
        let v = (self.base << 4) + (e << self.shift);
        // The decoder takes 31 / 64 and rounds down.
        v.map(|v| (((v.clamp(0, 0x7bff * 16) * 4 + 32) as u32) / 31) as i32)
    }

    /// A decoder's 16-bit number, scaled.
    fn scaled(&self, q: Rgb) -> Rgb {
        scale(finished(q) - self.base, self.shift)
    }
}

/// The half float that a decoder makes of its interpolated 16-bit number.
fn finished(q: Rgb) -> Rgb {
    (q * 31) >> 6
}

/// The decoder's weight of endpoint 1, of 64.
fn weight(index: i32, levels: i32) -> i32 {
    if levels == 7 { (index * 585 + 32) >> 6 } else { (index * 273 + 32) >> 6 }
}

/// Where on the line between two endpoints `p` lies: the index of the nearest of `levels` + 1 equal steps.
fn index(p: Rgb, ends: [Rgb; 2], levels: i32) -> i32 {
    let along = ends[1] - ends[0];
    let span = along.dot(along);
    let reciprocal = ((levels as u32) << 27) / span.max(1) as u32;
    let t = (p - ends[0]).dot(along).clamp(0, span) as u32;
    ((t * reciprocal + 0x400_0000) >> 27) as i32
}

/// One subset: the texels in `mask`, of which `anchor` must have an index in the lower half.
pub(super) struct Subset<'a> {
    pub(super) block: &'a Scaled,
    pub(super) mask: u32,
    pub(super) anchor: usize,
    pub(super) levels: i32,
}

impl Subset<'_> {
    fn iter(&self) -> impl Iterator<Item = usize> {
        (0..16).filter(|k| self.mask >> k & 1 != 0)
    }

    pub(super) fn moments(&self) -> Moments<3> {
        self.iter().fold(Moments::ZERO, |moments, k| moments.with(self.block.texels[k]))
    }

    /// The texels furthest apart along the principal axis, the one nearer to the anchor first.
    pub(super) fn extremes(&self, moments: &Moments<3>) -> [Rgb; 2] {
        let axis = principal_axis(moments.covariance(), POWER_ROUNDS);
        let (mut low, mut high) = (i32::MAX, -i32::MAX);
        let mut ends = [Rgb::ZERO; 2];
        for k in self.iter() {
            let p = self.block.texels[k];
            let t = p.dot(axis);
            if t < low {
                low = t;
                ends[0] = p;
            }
            if t > high {
                high = t;
                ends[1] = p;
            }
        }
        if index(self.block.texels[self.anchor], ends, 1) == 1 {
            ends.swap(0, 1);
        }
        ends
    }

    /// Endpoints, as 16-bit numbers, that fit best with the indices that `ends` (scaled) give.
    pub(super) fn least_squares(&self, moments: &Moments<3>, ends: [Rgb; 2]) -> [Rgb; 2] {
        let (mut s1, mut s2, mut weighted) = (0, 0, Rgb::ZERO);
        for k in self.iter() {
            let p = self.block.texels[k];
            let i = index(p, ends, self.levels);
            s1 += i;
            s2 += i * i;
            weighted = weighted + p * i;
        }
        let (n, sum) = (moments.count, moments.sum);
        let det = n * s2 - s1 * s1;
        let mut solved = ends.map(|e| e << 4);
        if det > 0 {
            let a = sum * s2 - weighted * s1;
            let b = a + (weighted * n - sum * s1) * self.levels;
            // A quarter of the range beyond it is allowed; 512 makes what is divided positive.
            let sixteenths =
                |v: i32| ((v.clamp(-512 * det, 2560 * det) + 512 * det) * 16 + det / 2) as u32 / det as u32;
            solved = [a, b].map(|e| e.map(|v| sixteenths(v) as i32 - 512 * 16));
        }
        solved.map(|e| self.block.sixteen_bits(e))
    }

    /// The index of texel `k` between two scaled endpoints.
    pub(super) fn index(&self, k: usize, ends: [Rgb; 2]) -> i32 {
        let i = index(self.block.texels[k], ends, self.levels);
        if k == self.anchor { i.min(self.levels / 2) } else { i }
    }

    /// Squared error, in scaled units, of stored endpoints; and the endpoints, scaled.
    pub(super) fn score(&self, mode: &Mode, stored: [[i32; 3]; 2]) -> (u32, [Rgb; 2]) {
        let [a, b] = stored.map(|end| Rgb::of(end.map(|v| mode.expand(v))));
        let ends = [a, b].map(|q| self.block.scaled(q));
        let mut error = 0;
        for k in self.iter() {
            let w = weight(self.index(k, ends), self.levels);
            let got = finished((a * (64 - w) + b * w + Rgb::splat(32)) >> 6);
            let off = scale(got - self.block.exact[k], self.block.shift);
            error += off.dot(off) as u32;
        }
        (error, ends)
    }
}
