//! The colour half of BC1 and BC3: two 5:6:5 endpoints and a palette between them.
//! Twin of `glsl/encode/color.glsl`.

use super::Effort;
use super::vector::{Moments, Rgb, Vector, principal_axis, sixteenths};

/// Two 5:6:5 endpoints in the order found, and 2-bit codes, texel 0 in the low bits.
#[derive(Clone, Copy)]
pub(super) struct ColorBlock {
    pub(super) endpoints: [u32; 2],
    pub(super) codes: u32,
}

/// Palette positions past 0: thirds between the endpoints, or halves beside a code for holes.
pub(super) const THIRDS: i32 = 3;
pub(super) const HALVES: i32 = 2;

const POWER_ROUNDS: u32 = 3;
/// Rounds of least squares from each first guess at [`Effort::High`].
const REFINE: u32 = 2;

/// The 5:6:5 number nearest to a colour in sixteenths.
fn to_565(e: Rgb) -> u32 {
    let [r, g, b] = e.0;
    let five = |v: i32| (((v * 31 + 2040) * 257) >> 20) as u32;
    five(r) << 11 | ((((g * 63 + 2040) * 257) >> 20) as u32) << 5 | five(b)
}

fn expand5(q: i32) -> i32 {
    q << 3 | q >> 2
}

fn expand6(q: i32) -> i32 {
    q << 2 | q >> 4
}

fn from_565(c: u32) -> Rgb {
    let c = c as i32;
    Vector([expand5(c >> 11), expand6(c >> 5 & 63), expand5(c & 31)])
}

/// `x` over the number of levels, rounded; `x` at most 765.
fn over_levels(x: i32, levels: i32) -> i32 {
    if levels == THIRDS { ((x + 1) * 43691) >> 17 } else { (x + 1) >> 1 }
}

/// 2-bit code of palette position `j`.
fn code_of(j: i32, levels: i32) -> u32 {
    (if levels == THIRDS { 0x78 } else { 0x18 }) >> (2 * j) & 3
}

/// Places colours on the line between two 8-bit colours.
#[derive(Clone, Copy)]
struct Line {
    from: Rgb,
    along: Rgb,
    base: i32,
    length: i32,
    reciprocal: u32,
    levels: i32,
}

impl Line {
    fn new(e: [Rgb; 2], levels: i32) -> Self {
        let along = e[1] - e[0];
        let length = along.dot(along);
        let reciprocal = ((levels as u32) << 27) / length.max(1) as u32;
        Self { from: e[0], along, base: e[0].dot(along), length, reciprocal, levels }
    }

    /// The palette position nearest to `p`, 0..=`levels`.
    fn position(&self, p: Rgb) -> i32 {
        let t = (p.dot(self.along) - self.base).clamp(0, self.length) as u32;
        ((t * self.reciprocal + 0x400_0000) >> 27) as i32
    }
}

/// Endpoints, in sixteenths, that fit the counted texels best at the positions they have on `line`.
fn least_squares(texels: &[u32; 16], mask: u32, sum: Rgb, line: &Line) -> [Rgb; 2] {
    let n = mask.count_ones() as i32;
    let (mut s1, mut s2, mut weighted) = (0, 0, Rgb::ZERO);
    for (k, &texel) in texels.iter().enumerate() {
        let p = Rgb::unpack(texel);
        let j = if mask >> k & 1 != 0 { line.position(p) } else { 0 };
        s1 += j;
        s2 += j * j;
        weighted = weighted + p * j;
    }
    solve(n, s1, s2, sum, weighted, line.levels).unwrap_or([line.from << 4, (line.from + line.along) << 4])
}

/// The line through `n` texels of which the positions sum to `s1`, their squares to `s2`, the texels to `sum` and texels
/// times positions to `weighted`. Nothing where all stand at one position.
fn solve(n: i32, s1: i32, s2: i32, sum: Rgb, weighted: Rgb, levels: i32) -> Option<[Rgb; 2]> {
    let det = n * s2 - s1 * s1;
    if det <= 0 {
        return None;
    }
    let reciprocal = (0x100_0000 + (det as u32 >> 1)) / det as u32;
    let a = sum * s2 - weighted * s1;
    let b = a + (weighted * n - sum * s1) * levels;
    Some([a, b].map(|e| e.map(|v| sixteenths(v, det, reciprocal))))
}

/// Codes of all texels on `line`, 3 where the mask leaves one out, and their squared error.
fn codes_on(texels: &[u32; 16], mask: u32, line: &Line) -> (u32, u32) {
    let (mut codes, mut error) = (0, 0);
    for k in (0..16).rev() {
        let counted = mask >> k & 1 != 0;
        let p = Rgb::unpack(texels[k]);
        let j = line.position(p);
        codes = codes << 2 | if counted { code_of(j, line.levels) } else { 3 };
        let off = (line.from * line.levels + line.along * j).map(|x| over_levels(x, line.levels)) - p;
        error += if counted { off.dot(off) as u32 } else { 0 };
    }
    (codes, error)
}

/// The endpoints whose palette comes nearest to a colour at position 1, among equals the nearer pair, and the squared
/// error.
pub(super) fn solid_pair(color: Rgb, levels: i32) -> ([u32; 2], u32) {
    let top: Rgb = Vector([31, 63, 31]);
    let expand = |q: Rgb| Vector([expand5(q.0[0]), expand6(q.0[1]), expand5(q.0[2])]);
    let nearest = |v: Rgb| (v.clamp(0, 255) * top * 257 + Rgb::splat(32896)) >> 16;
    let middle = nearest(color);
    let mut least = Rgb::splat(i32::MAX);
    let mut pair = [Rgb::ZERO; 2];
    for trial in -8..=8 {
        let a = (middle + Rgb::splat(trial)).zip(top, |q, top| q.clamp(0, top));
        let va = expand(a);
        let b = nearest(color * levels - va * (levels - 1));
        let vb = expand(b);
        let got = (va * (levels - 1) + vb).map(|x| over_levels(x, levels));
        let cost = (got - color).zip(va - vb, |off, apart| off.abs() << 8 | apart.abs());
        for channel in 0..3 {
            if cost.0[channel] < least.0[channel] {
                least.0[channel] = cost.0[channel];
                pair[0].0[channel] = a.0[channel];
                pair[1].0[channel] = b.0[channel];
            }
        }
    }
    let off = least >> 8;
    (pair.map(|q| (q.0[0] << 11 | q.0[1] << 5 | q.0[2]) as u32), off.dot(off) as u32)
}

/// Whether a texel stands before another in their order along the axis.
fn precedes(t: i32, k: usize, other: i32, m: usize) -> bool {
    t < other || t == other && k < m
}

/// The counted texels' numbers in their order along an axis, four bits each; the rest follow.
fn order_along(texels: &[u32; 16], mask: u32, axis: Rgb) -> [u32; 2] {
    let along = |k: usize| if mask >> k & 1 != 0 { Rgb::unpack(texels[k]).dot(axis) } else { i32::MAX };
    let mut order = [0; 2];
    for k in 0..16 {
        let t = along(k);
        let rank = (0..16).filter(|&m| precedes(along(m), m, t, k)).count();
        order[rank >> 3] |= (k as u32) << (4 * (rank & 7));
    }
    order
}

/// The endpoints of the best split of the counted texels, in their order along the axis, into runs of one palette
/// position each. Every split is tried, with the endpoints as stored and the palette unrounded.
fn cluster_fit(texels: &[u32; 16], mask: u32, sum: Rgb, axis: Rgb, levels: i32) -> [u32; 2] {
    let order = order_along(texels, mask, axis);
    let texel = |position: i32| {
        let k = order[position as usize >> 3] >> (4 * (position & 7)) & 15;
        Rgb::unpack(texels[k as usize])
    };
    let n = mask.count_ones() as i32;
    let mut least = i32::MAX;
    let mut best = [0; 2];
    // In order, texels before i stand at position 0, before j at 1, before k at 2, the rest at 3.
    let mut before_i = Rgb::ZERO;
    for i in 0..=n {
        let mut before_j = before_i;
        for j in i..=n {
            let (first_k, mut before_k) = if levels == THIRDS { (j, before_j) } else { (n, sum) };
            for k in first_k..=n {
                let s1 = 3 * n - i - j - k;
                let s2 = 9 * n - i - 3 * j - 5 * k;
                let weighted = sum * 3 - before_i - before_j - before_k;
                if let Some(e) = solve(n, s1, s2, sum, weighted, levels) {
                    let stored = e.map(to_565);
                    let [a, b] = stored.map(from_565);
                    // The squared error, times levels squared, less what no endpoint changes.
                    let rest = sum * levels - weighted;
                    let own = a * (levels * (levels * n - 2 * s1) + s2) + b * (2 * (levels * s1 - s2));
                    let error = a.dot(own - rest * (2 * levels)) + b.dot(b * s2 - weighted * (2 * levels));
                    if error < least {
                        least = error;
                        best = stored;
                    }
                }
                if k < n {
                    before_k = before_k + texel(k);
                }
            }
            if j < n {
                before_j = before_j + texel(j);
            }
        }
        if i < n {
            before_i = before_i + texel(i);
        }
    }
    best
}

/// Encodes the texels that `mask` counts, at least one; the others get code 3.
pub(super) fn color_block(texels: &[u32; 16], mask: u32, levels: i32, effort: Effort) -> ColorBlock {
    let mut moments = Moments::<3>::ZERO;
    for (k, &texel) in texels.iter().enumerate() {
        if mask >> k & 1 != 0 {
            moments = moments.with(Rgb::unpack(texel));
        }
    }
    let axis = principal_axis(moments.covariance(), POWER_ROUNDS);
    let (mut low, mut high) = (i32::MAX, -i32::MAX);
    let mut ends = [Rgb::ZERO; 2];
    for (k, &texel) in texels.iter().enumerate() {
        let p = Rgb::unpack(texel);
        let t = p.dot(axis);
        let counted = mask >> k & 1 != 0;
        if counted && t < low {
            low = t;
            ends[0] = p;
        }
        if counted && t > high {
            high = t;
            ends[1] = p;
        }
    }
    let n = moments.count;
    let line = Line::new(ends, levels);
    let mut endpoints = least_squares(texels, mask, moments.sum, &line).map(to_565);
    let flat = endpoints[0] == endpoints[1];
    let mut pair = [0; 2];
    if flat || effort == Effort::High {
        pair = solid_pair(moments.sum.map(|v| (2 * v + n) / (2 * n)), levels).0;
    }
    if flat && (effort == Effort::Fast || ends[0] == ends[1]) {
        let codes = (code_of(1, levels) * 0x5555_5555) | (spread(!mask & 0xffff) * 3);
        return ColorBlock { endpoints: pair, codes };
    }
    if effort == Effort::Fast {
        let line = Line::new(endpoints.map(from_565), levels);
        return ColorBlock { endpoints, codes: codes_on(texels, mask, &line).0 };
    }
    let mut least = u32::MAX;
    let mut best = ColorBlock { endpoints, codes: 0 };
    for start in 0..3 {
        match start {
            1 => endpoints = pair,
            2 => endpoints = cluster_fit(texels, mask, moments.sum, axis, levels),
            _ => {}
        }
        for _ in 0..=REFINE {
            let line = Line::new(endpoints.map(from_565), levels);
            let (codes, error) = codes_on(texels, mask, &line);
            if error < least {
                least = error;
                best = ColorBlock { endpoints, codes };
            }
            endpoints = least_squares(texels, mask, moments.sum, &line).map(to_565);
        }
    }
    best
}

/// Bit k of the low 16 moved to bit 2 k.
fn spread(bits: u32) -> u32 {
    let bits = (bits | bits << 8) & 0x00ff_00ff;
    let bits = (bits | bits << 4) & 0x0f0f_0f0f;
    let bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & 0x5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least error of any pair of endpoints at position 1, a channel of `top` + 1 endpoints.
    fn best_error(v: i32, top: i32, expand: fn(i32) -> i32, levels: i32) -> i32 {
        let error = |a, b| (over_levels(expand(a) * (levels - 1) + expand(b), levels) - v).abs();
        (0..=top).flat_map(|a| (0..=top).map(move |b| error(a, b))).min().expect("there are pairs")
    }

    #[test]
    fn one_color_is_as_near_as_the_format_allows() {
        for levels in [THIRDS, HALVES] {
            for v in 0..256 {
                let (pair, error) = solid_pair(Rgb::splat(v), levels);
                let [a, b] = pair.map(from_565);
                let got = (a * (levels - 1) + b).map(|x| over_levels(x, levels));
                let (five, six) = (best_error(v, 31, expand5, levels), best_error(v, 63, expand6, levels));
                let off = (got - Rgb::splat(v)).map(i32::abs);
                assert_eq!(off, Vector([five, six, five]), "{v}, {levels} levels: {pair:04x?}");
                assert_eq!(error, (2 * five * five + six * six) as u32, "{v}, {levels} levels");
            }
        }
    }
}
