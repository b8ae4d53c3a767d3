//! One channel of BC3's alpha, BC4 or BC5: two 8-bit endpoints and the 8-value or the 6-value palette between them.
//! Twin of `glsl/encode/scalar.glsl`.

use super::Effort;

/// How the values are given: `unit` steps an endpoint step, endpoints 0..=`top`.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) unit: i32,
    pub(super) top: i32,
}

impl Scale {
    /// BC3's alpha: 8-bit values.
    pub(super) const ALPHA: Self = Self { unit: 1, top: 255 };
    /// BC4 and BC5 UNORM: sixteenths of an 8-bit step.
    pub(super) const UNORM: Self = Self { unit: 16, top: 255 };
    /// BC4 and BC5 SNORM: sixteenths of a step above -1.
    pub(super) const SNORM: Self = Self { unit: 16, top: 254 };
}

/// A block still without its sign offset: endpoints 0..=`top` in stored order, 3-bit codes of texels 0..=7 and 8..=15.
#[derive(Clone, Copy)]
pub(super) struct ScalarBlock {
    pub(super) endpoints: [i32; 2],
    pub(super) codes: [u32; 2],
}

/// Least-squares rounds, then trials of the neighbours, at [`Effort::High`].
const REFINE: i32 = 2;
const NEIGHBOURS: i32 = 18;

struct Fit {
    error: u32,
    codes: [u32; 2],
    next: [i32; 2],
}

/// Codes for the palette from `low` to `high` (units), their error, and the least-squares endpoints for those codes.
fn fit(values: &[i32; 16], scale: Scale, six: bool, low: i32, high: i32) -> Fit {
    let levels = if six { 5 } else { 7 };
    let range = high - low;
    let reciprocal = ((levels as u32) << 27) / range.max(1) as u32;
    let inverse = if six { 209_716u32 } else { 149_797 };
    let top = scale.top * scale.unit;
    let mut error = 0u32;
    let mut codes = [0u32; 2];
    let (mut n, mut s1, mut s2, mut sum, mut weighted) = (0, 0, 0, 0, 0);
    for k in (0..16).rev() {
        let a = values[k];
        let j = (((a - low).clamp(0, range) as u32 * reciprocal + 0x400_0000) >> 27) as i32;
        let v = (((low * (levels - j) + high * j + levels / 2) as u32 * inverse) >> 20) as i32;
        let mut d = (a - v).abs();
        let mut inner = 1;
        // 8 values: high is code 0, low is code 1. 6 values: low is code 0, high is code 1.
        let w = if six { j } else { levels - j };
        let mut code = if w == 0 {
            0
        } else if w == levels {
            1
        } else {
            w as u32 + 1
        };
        if six && a < d {
            d = a;
            code = 6;
            inner = 0;
        }
        if six && top - a < d {
            d = top - a;
            code = 7;
            inner = 0;
        }
        n += inner;
        s1 += inner * j;
        s2 += inner * j * j;
        sum += inner * a;
        weighted += inner * a * j;
        error += (d * d) as u32;
        codes[k >> 3] = codes[k >> 3] << 3 | code;
    }
    let det = n * s2 - s1 * s1;
    let mut next = [low, high];
    if det > 0 {
        let a = sum * s2 - weighted * s1;
        let b = a + (weighted * n - sum * s1) * levels;
        next = [a, b].map(|v| ((v.clamp(0, top * det) + det / 2) / det).clamp(0, top));
    }
    Fit { error, codes, next }
}

/// Encodes 16 values of 0..=`scale.top * scale.unit`.
pub(super) fn scalar_block(values: &[i32; 16], scale: Scale, effort: Effort) -> ScalarBlock {
    let Scale { unit, top } = scale;
    let (mut low, mut high) = (top * unit, 0);
    let (mut low_inner, mut high_inner) = (top * unit, 0);
    for &a in values {
        low = low.min(a);
        high = high.max(a);
        if a >= (unit + 1) / 2 {
            low_inner = low_inner.min(a);
        }
        if a <= top * unit - (unit + 1) / 2 {
            high_inner = high_inner.max(a);
        }
    }
    let round = |v: i32| (v + unit / 2) / unit;
    let mut best = ScalarBlock { endpoints: [round(high), round(low)], codes: [0; 2] };
    if low == high && low % unit == 0 {
        return best;
    }
    let mut least = u32::MAX;
    let palettes = if low < low_inner || high > high_inner { 2 } else { 1 };
    for palette in 0..palettes {
        let six = palette == 1;
        let levels = if six { 5 } else { 7 };
        let (from, to) = if six { (low_inner, high_inner) } else { (low, high) };
        if from > to || least == 0 {
            break;
        }
        let (mut e0, mut e1) = (round(from), round(to));
        if to - from < 4 * unit {
            (e0, e1) = (from / unit, (to + unit - 1) / unit);
        }
        // A range narrower than the palette's steps is widened to them: every 8-bit value is then exact, whatever the
        // decoder's rounding.
        let narrowest = if unit == 1 { levels } else { 1 };
        if e1 - e0 < narrowest {
            e1 = (e0 + narrowest).min(top);
            e0 = e1 - narrowest;
        }
        let (mut own, mut centre) = (u32::MAX, [e0, e1]);
        let steps = if effort == Effort::High { 1 + REFINE + NEIGHBOURS } else { 1 };
        for step in 0..steps {
            if step > REFINE {
                let turn = (step - REFINE - 1) % 9;
                e0 = (centre[0] + turn / 3 - 1).clamp(0, top);
                e1 = (centre[1] + turn % 3 - 1).clamp(0, top);
            }
            if e0 > e1 || !six && e0 == e1 {
                continue;
            }
            let found = fit(values, scale, six, e0 * unit, e1 * unit);
            if found.error < own {
                own = found.error;
                centre = [e0, e1];
            }
            if found.error < least {
                least = found.error;
                best = ScalarBlock { endpoints: if six { [e0, e1] } else { [e1, e0] }, codes: found.codes };
            }
            e0 = round(found.next[0]);
            e1 = round(found.next[1]);
        }
    }
    best
}
