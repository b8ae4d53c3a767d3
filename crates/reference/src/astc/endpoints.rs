//! From colour values to endpoint pairs (KDFS 1.4, "LDR Endpoint Decoding" and "HDR Endpoint Decoding").

/// Two RGBA colours, of 8 bits for LDR channels and of 12 bits, logarithmic, for HDR channels.
pub(crate) type Pair = [[i32; 4]; 2];

/// 1.0 as a 12-bit HDR value.
const HDR_ONE: i32 = 0x780;

/// Decodes the unquantised values `v` of one partition. Which channels are HDR follows from `mode`: none, all
/// of modes 2, 3, 7, 11, 15, and all but alpha of mode 14.
pub(crate) fn decode(mode: u8, v: &[u8]) -> Pair {
    let v = |index: usize| i32::from(v[index]);
    match mode {
        0 => [gray(v(0), 255), gray(v(1), 255)],
        1 => {
            let l0 = v(0) >> 2 | v(1) & 0xC0;
            [gray(l0, 255), gray((l0 + (v(1) & 0x3F)).min(255), 255)]
        }
        2 => {
            let (y0, y1) =
                if v(1) >= v(0) { (v(0) << 4, v(1) << 4) } else { ((v(1) << 4) + 8, (v(0) << 4) - 8) };
            [gray(y0, HDR_ONE), gray(y1, HDR_ONE)]
        }
        3 => {
            let (y0, d) = if v(0) & 0x80 != 0 {
                ((v(1) & 0xE0) << 4 | (v(0) & 0x7F) << 2, (v(1) & 0x1F) << 2)
            } else {
                ((v(1) & 0xF0) << 4 | (v(0) & 0x7F) << 1, (v(1) & 0x0F) << 1)
            };
            [gray(y0, HDR_ONE), gray((y0 + d).min(0xFFF), HDR_ONE)]
        }
        4 => [gray(v(0), v(2)), gray(v(1), v(3))],
        5 => {
            let (l, dl) = transfer_bit(v(0), v(1));
            let (a, da) = transfer_bit(v(2), v(3));
            clamp([gray(l, a), gray(l + dl, a + da)], 255)
        }
        6 => scaled([v(0), v(1), v(2)], v(3), [255, 255]),
        7 => hdr_scaled([v(0), v(1), v(2), v(3)]),
        8 => direct([v(0), v(2), v(4), 255], [v(1), v(3), v(5), 255]),
        9 => offset([(v(0), v(1)), (v(2), v(3)), (v(4), v(5))], None),
        10 => scaled([v(0), v(1), v(2)], v(3), [v(4), v(5)]),
        11 => hdr_direct([v(0), v(1), v(2), v(3), v(4), v(5)], [HDR_ONE; 2]),
        12 => direct([v(0), v(2), v(4), v(6)], [v(1), v(3), v(5), v(7)]),
        13 => offset([(v(0), v(1)), (v(2), v(3)), (v(4), v(5))], Some((v(6), v(7)))),
        14 => hdr_direct([v(0), v(1), v(2), v(3), v(4), v(5)], [v(6), v(7)]),
        _ => hdr_direct([v(0), v(1), v(2), v(3), v(4), v(5)], hdr_alpha(v(6), v(7))),
    }
}

fn gray(l: i32, a: i32) -> [i32; 4] {
    [l, l, l, a]
}

fn clamp(pair: Pair, top: i32) -> Pair {
    pair.map(|color| color.map(|c| c.clamp(0, top)))
}

/// `bit_transfer_signed`: a base of 8 bits and a signed offset of 6 bits.
fn transfer_bit(base: i32, offset: i32) -> (i32, i32) {
    let signed = offset >> 1 & 0x3F;
    (base >> 1 | offset & 0x80, if signed & 0x20 != 0 { signed - 0x40 } else { signed })
}

fn blue_contract([r, g, b, a]: [i32; 4]) -> [i32; 4] {
    [(r + b) >> 1, (g + b) >> 1, b, a]
}

fn direct(low: [i32; 4], high: [i32; 4]) -> Pair {
    let sum = |color: [i32; 4]| color[0] + color[1] + color[2];
    if sum(high) >= sum(low) { [low, high] } else { [blue_contract(high), blue_contract(low)] }
}

fn offset(rgb: [(i32, i32); 3], alpha: Option<(i32, i32)>) -> Pair {
    let [(r, dr), (g, dg), (b, db)] = rgb.map(|(base, offset)| transfer_bit(base, offset));
    let (a, da) = alpha.map_or((255, 0), |(base, offset)| transfer_bit(base, offset));
    let (base, sum) = ([r, g, b, a], [r + dr, g + dg, b + db, a + da]);
    clamp(if dr + dg + db >= 0 { [base, sum] } else { [blue_contract(sum), blue_contract(base)] }, 255)
}

fn scaled([r, g, b]: [i32; 3], scale: i32, [a0, a1]: [i32; 2]) -> Pair {
    let darker = |c: i32| (c * scale) >> 8;
    [[darker(r), darker(g), darker(b), a0], [r, g, b, a1]]
}

/// Bit `at` of `value`, moved to bit `to`.
fn bit(value: i32, at: u32, to: u32) -> i32 {
    (value >> at & 1) << to
}

/// What a spare bit of mode 7 extends.
#[derive(Clone, Copy)]
enum Channel {
    Red,
    Green,
    Blue,
    Scale,
}

/// Mode 7, HDR RGB base and scale.
fn hdr_scaled([v0, v1, v2, v3]: [i32; 4]) -> Pair {
    use Channel::*;
    let mode_value = v0 >> 6 | bit(v1, 7, 2) | bit(v2, 7, 3);
    let (major, mode) = match mode_value {
        0..12 => (mode_value >> 2, mode_value & 3),
        12..15 => (mode_value & 3, 4),
        _ => (0, 5),
    };
    // The seven spare bits X0 to X6 extend red, green, blue or the scale, by mode.
    let x = [
        bit(v1, 6, 0),
        bit(v1, 5, 0),
        bit(v2, 6, 0),
        bit(v2, 5, 0),
        bit(v3, 7, 0),
        bit(v3, 6, 0),
        bit(v3, 5, 0),
    ];
    let spare: [(Channel, u32); 7] = match mode {
        0 => [(Red, 9), (Red, 8), (Red, 7), (Red, 10), (Red, 6), (Scale, 6), (Scale, 5)],
        1 => [(Red, 8), (Green, 5), (Red, 7), (Blue, 5), (Red, 6), (Red, 10), (Red, 9)],
        2 => [(Red, 9), (Red, 8), (Red, 7), (Red, 6), (Scale, 7), (Scale, 6), (Scale, 5)],
        3 => [(Red, 8), (Green, 5), (Red, 7), (Blue, 5), (Red, 6), (Scale, 6), (Scale, 5)],
        4 => [(Green, 6), (Green, 5), (Blue, 6), (Blue, 5), (Red, 6), (Red, 7), (Scale, 5)],
        _ => [(Green, 6), (Green, 5), (Blue, 6), (Blue, 5), (Red, 6), (Scale, 6), (Scale, 5)],
    };
    let mut fields = [v0 & 0x3F, v1 & 0x1F, v2 & 0x1F, v3 & 0x1F];
    for (bit, (channel, at)) in x.into_iter().zip(spare) {
        fields[channel as usize] |= bit << at;
    }
    let shift = [1, 1, 2, 3, 4, 5][mode as usize];
    let [red, mut green, mut blue, scale] = fields.map(|field| field << shift);
    if mode != 5 {
        green = red - green;
        blue = red - blue;
    }
    let mut high = [red, green, blue];
    high.swap(0, major as usize);
    let [r, g, b] = high;
    let [mut low, mut high] = clamp([[r - scale, g - scale, b - scale, 0], [r, g, b, 0]], 0xFFF);
    low[3] = HDR_ONE;
    high[3] = HDR_ONE;
    [low, high]
}

/// Mode 11, HDR RGB direct, with the given alphas.
fn hdr_direct([v0, v1, v2, v3, v4, v5]: [i32; 6], [a0, a1]: [i32; 2]) -> Pair {
    let major = bit(v4, 7, 0) | bit(v5, 7, 1);
    if major == 3 {
        return [[v0 << 4, v2 << 4, (v4 & 0x7F) << 5, a0], [v1 << 4, v3 << 4, (v5 & 0x7F) << 5, a1]];
    }
    let mode = bit(v1, 7, 0) | bit(v2, 7, 1) | bit(v3, 7, 2);
    let (mut a, mut c) = (v0 | bit(v1, 6, 8), v1 & 0x3F);
    let (mut b0, mut b1) = (v2 & 0x3F, v3 & 0x3F);
    let d_bits = [7, 6, 7, 6, 5, 6, 5, 6][mode as usize];
    let sign_extend = |value: i32| value << (32 - d_bits) >> (32 - d_bits);
    let (mut d0, mut d1) = (sign_extend(v4 & 0x7F), sign_extend(v5 & 0x7F));
    // Where the six spare bits X0 to X5 go, by mode; those of d are in place already.
    let x = [bit(v2, 6, 0), bit(v3, 6, 0), bit(v4, 6, 0), bit(v5, 6, 0), bit(v4, 5, 0), bit(v5, 5, 0)];
    match mode {
        0 => {
            b0 |= x[0] << 6;
            b1 |= x[1] << 6;
        }
        1 => {
            b0 |= x[0] << 6 | x[2] << 7;
            b1 |= x[1] << 6 | x[3] << 7;
        }
        2 => {
            a |= x[0] << 9;
            c |= x[1] << 6;
        }
        3 => {
            b0 |= x[0] << 6;
            b1 |= x[1] << 6;
            a |= x[2] << 9;
            c |= x[3] << 6;
        }
        4 => {
            b0 |= x[0] << 6 | x[2] << 7;
            b1 |= x[1] << 6 | x[3] << 7;
            a |= x[4] << 9 | x[5] << 10;
        }
        5 => {
            a |= x[0] << 9 | x[1] << 10;
            c |= x[2] << 7 | x[3] << 6;
        }
        6 => {
            b0 |= x[0] << 6;
            b1 |= x[1] << 6;
            a |= x[2] << 11 | x[4] << 9 | x[5] << 10;
            c |= x[3] << 6;
        }
        _ => {
            a |= x[0] << 9 | x[1] << 10 | x[2] << 11;
            c |= x[3] << 6;
        }
    }
    let shift = (mode >> 1) ^ 3;
    [a, b0, b1, c, d0, d1] = [a, b0, b1, c, d0, d1].map(|value| value << shift);
    let [mut low, mut high] =
        clamp([[a - c, a - b0 - c - d0, a - b1 - c - d1, 0], [a, a - b0, a - b1, 0]], 0xFFF);
    low.swap(0, major as usize);
    high.swap(0, major as usize);
    low[3] = a0;
    high[3] = a1;
    [low, high]
}

/// Mode 15's alphas.
fn hdr_alpha(v6: i32, v7: i32) -> [i32; 2] {
    let mode = bit(v6, 7, 0) | bit(v7, 7, 1);
    let (v6, v7) = (v6 & 0x7F, v7 & 0x7F);
    if mode == 3 {
        return [v6 << 5, v7 << 5];
    }
    let sign = 0x20 >> mode;
    let base = (v6 | v7 << (mode + 1) & 0x780) << (4 - mode);
    let delta = ((v7 & 0x3F >> mode ^ sign) - sign) << (4 - mode);
    [base, (base + delta).clamp(0, 0xFFF)]
}
