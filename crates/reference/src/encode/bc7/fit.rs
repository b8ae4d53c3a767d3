//! Endpoints and indices for some texels of a block in some of their channels.

use super::mode::{Mode, PBit};
use crate::encode::vector::{Moments, Rgba, Vector, principal_axis, sixteenths};

const POWER_ROUNDS: u32 = 2;

/// Endpoints as the decoder expands them, eight bits a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) ends: [Rgba; 2],
    /// Squared error of the decoded texels.
    pub(super) error: u32,
    /// How far the texel that fits worst is off.
    pub(super) worst: Rgba,
}

/// What the decoder makes of `bits` bits, in eight.
fn expand(v: i32, bits: u32) -> i32 {
    v << (8 - bits) | v >> (2 * bits - 8)
}

/// The stored value nearest to `e` (sixteenths), expanded; its lowest bit is `p` if that is given.
fn nearest(e: i32, bits: u32, p: Option<i32>) -> i32 {
    let top = (1 << bits) - 1;
    // Sixteenths of a stored step.
    let steps = (e * top * 257 + 32768) >> 16;
    let v = match p {
        None => ((steps + 8) >> 4).min(top),
        Some(p) => ((steps - 16 * p + 16) >> 5).clamp(0, top >> 1) * 2 + p,
    };
    expand(v, bits)
}

fn quantized(mode: &Mode, e: Rgba, p: Option<i32>) -> Rgba {
    Vector(std::array::from_fn(|channel| match mode.precision(channel) {
        0 => 255,
        bits => nearest(e.0[channel], bits, p),
    }))
}

fn distance(stored: Rgba, e: Rgba) -> i32 {
    let off = (stored << 4) - e;
    off.dot(off)
}

/// Stored endpoints near `ends` (sixteenths). `opaque` keeps alpha 255 where the p bit is part of it.
fn quantize(mode: &Mode, ends: [Rgba; 2], opaque: bool) -> [Rgba; 2] {
    let [zeros, ones] = [0, 1].map(|p| ends.map(|e| quantized(mode, e, Some(p))));
    let one_is_nearer = |end: usize| distance(ones[end], ends[end]) - distance(zeros[end], ends[end]);
    match mode.p_bit {
        PBit::None => ends.map(|e| quantized(mode, e, None)),
        PBit::Subset if one_is_nearer(0) + one_is_nearer(1) < 0 => ones,
        PBit::Subset => zeros,
        PBit::Endpoint if opaque && mode.bits[1] > 0 => ones,
        PBit::Endpoint => [0, 1].map(|end| if one_is_nearer(end) < 0 { ones[end] } else { zeros[end] }),
    }
}

/// Where on the line between two endpoints `p` lies: the index of the nearest of `levels` + 1 equal steps.
pub(super) fn index(p: Rgba, ends: [Rgba; 2], levels: i32) -> i32 {
    let along = ends[1] - ends[0];
    let span = along.dot(along);
    let reciprocal = ((levels as u32) << 27) / span.max(1) as u32;
    let t = (p - ends[0]).dot(along).clamp(0, span) as u32;
    ((t * reciprocal + 0x400_0000) >> 27) as i32
}

/// The decoder's weight of endpoint 1, of 64.
fn weight(index: i32, levels: i32) -> i32 {
    match levels {
        3 => (index * 341 + 8) >> 4,
        7 => (index * 585 + 32) >> 6,
        _ => (index * 273 + 32) >> 6,
    }
}

/// The texels that a fit is about: those in `mask`, in the channels where `keep` is 1.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    pub(super) texels: &'a [Rgba; 16],
    pub(super) mask: u32,
    pub(super) keep: Rgba,
}

impl Selection<'_> {
    fn iter(&self) -> impl DoubleEndedIterator<Item = Rgba> {
        (0..16).filter(|k| self.mask >> k & 1 != 0).map(|k| self.texels[k] * self.keep)
    }

    fn moments(&self) -> Moments<4> {
        self.iter().fold(Moments::ZERO, Moments::with)
    }

    /// The texels furthest apart along the principal axis.
    fn extremes(&self, moments: &Moments<4>) -> [Rgba; 2] {
        let axis = principal_axis(moments.covariance(), POWER_ROUNDS);
        let (mut low, mut high) = (i32::MAX, -i32::MAX);
        let mut ends = [Rgba::ZERO; 2];
        for p in self.iter() {
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
        ends
    }

    /// Endpoints, in sixteenths, that fit best with the indices that `ends` give.
    fn least_squares(&self, moments: &Moments<4>, ends: [Rgba; 2], levels: i32) -> [Rgba; 2] {
        let (mut s1, mut s2, mut weighted) = (0, 0, Rgba::ZERO);
        for p in self.iter() {
            let i = index(p, ends, levels);
            s1 += i;
            s2 += i * i;
            weighted = weighted + p * i;
        }
        let (n, sum) = (moments.count, moments.sum);
        let det = n * s2 - s1 * s1;
        if det <= 0 {
            return ends.map(|e| e << 4);
        }
        let reciprocal = (0x100_0000 + (det as u32 >> 1)) / det as u32;
        let a = sum * s2 - weighted * s1;
        let b = a + (weighted * n - sum * s1) * levels;
        [a, b].map(|e| e.map(|v| sixteenths(v, det, reciprocal)))
    }

    fn score(&self, ends: [Rgba; 2], levels: i32) -> Fit {
        let mut fit = Fit { ends, error: 0, worst: Rgba::ZERO };
        let mut furthest = -1;
        for p in self.iter() {
            let w = weight(index(p, ends, levels), levels);
            let off = p - ((ends[0] * (64 - w) + ends[1] * w + Rgba::splat(32)) >> 6);
            let error = off.dot(off);
            fit.error += error as u32;
            if error > furthest {
                furthest = error;
                fit.worst = off;
            }
        }
        fit
    }

    /// The best endpoints of `rounds` rounds of least squares. Channels outside `keep` are 0.
    pub(super) fn fit(&self, mode: &Mode, opaque: bool, rounds: u32) -> Fit {
        let levels = mode.levels();
        let moments = self.moments();
        let mut ends = self.extremes(&moments);
        let mut best: Option<Fit> = None;
        for _ in 0..rounds {
            let solved = self.least_squares(&moments, ends, levels);
            ends = quantize(mode, solved, opaque).map(|e| e * self.keep);
            let fit = self.score(ends, levels);
            if best.is_none_or(|best| fit.error < best.error) {
                best = Some(fit);
            }
        }
        best.unwrap_or(Fit { ends, error: u32::MAX, worst: Rgba::ZERO })
    }
}
