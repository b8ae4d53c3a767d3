//! Endpoints, weights and partitions to texels (KDFS 1.4, "Weight Application").

use std::marker::PhantomData;

use super::integer_sequence::{self, RANGES};
use super::partition::Partitioning;
use super::physical::{self, Block, Coded, VoidExtent};
use super::weights::Grid;
use super::{MAX_COLORS, MAX_TEXELS, MAX_WEIGHTS, endpoints, quantization};
use crate::half;
use crate::image::BlockDecoder;

/// How a 16-bit interpolation result becomes a texel of `N` bytes.
pub(crate) trait Precision<const N: usize>: Sync {
    /// Whether LDR endpoints are expanded as sRGB ones.
    const SRGB: bool;
    /// A texel of four results, of which the channels in `logarithmic` come from HDR endpoints.
    fn texel(results: [u32; 4], logarithmic: Logarithmic) -> [u8; N];
    /// A texel of four 16-bit floats, if the precision has them.
    fn float(color: [u16; 4]) -> Option<[u8; N]>;
}

/// Which channels of an endpoint pair are in HDR's logarithmic representation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logarithmic {
    None,
    Rgb,
    Rgba,
}

/// `decode_unorm8`: the top 8 bits.
pub(crate) struct Unorm8;
/// sRGB: the top 8 bits of endpoints that were expanded with 0x80.
pub(crate) struct Srgb8;
/// `decode_float16`.
pub(crate) struct Float16;

fn top_bytes(results: [u32; 4]) -> [u8; 4] {
    results.map(|result| (result >> 8) as u8)
}

impl Precision<4> for Unorm8 {
    const SRGB: bool = false;

    fn texel(results: [u32; 4], _: Logarithmic) -> [u8; 4] {
        top_bytes(results)
    }

    fn float(_: [u16; 4]) -> Option<[u8; 4]> {
        None
    }
}

impl Precision<4> for Srgb8 {
    const SRGB: bool = true;

    fn texel(results: [u32; 4], _: Logarithmic) -> [u8; 4] {
        top_bytes(results)
    }

    fn float(_: [u16; 4]) -> Option<[u8; 4]> {
        None
    }
}

impl Precision<8> for Float16 {
    const SRGB: bool = false;

    fn texel(results: [u32; 4], logarithmic: Logarithmic) -> [u8; 8] {
        let [r, g, b, a] = results.map(|result| result as u16);
        let color = match logarithmic {
            Logarithmic::None => [r, g, b, a].map(half::from_unorm16),
            Logarithmic::Rgb => {
                let [r, g, b] = [r, g, b].map(half::from_lns16);
                [r, g, b, half::from_unorm16(a)]
            }
            Logarithmic::Rgba => [r, g, b, a].map(half::from_lns16),
        };
        float_bytes(color)
    }

    fn float(color: [u16; 4]) -> Option<[u8; 8]> {
        Some(float_bytes(color))
    }
}

fn float_bytes(color: [u16; 4]) -> [u8; 8] {
    let mut bytes = [0; 8];
    for (bytes, channel) in bytes.chunks_exact_mut(2).zip(color) {
        bytes.copy_from_slice(&channel.to_le_bytes());
    }
    bytes
}

/// Two endpoints ready for interpolation: channel `c` at weight `w` is `(base[c] + step[c] * w) >> 6`.
#[derive(Clone, Copy)]
struct Ramp {
    base: [i32; 4],
    step: [i32; 4],
    logarithmic: Logarithmic,
}

impl Ramp {
    /// Of two colours of 16 bits a channel.
    fn new([low, high]: [[i32; 4]; 2], logarithmic: Logarithmic) -> Self {
        let mut step = high;
        for (step, low) in step.iter_mut().zip(low) {
            *step -= low;
        }
        Self { base: low.map(|low| low * 64 + 32), step, logarithmic }
    }

    /// The interpolation `(low * (64 - weight) + high * weight + 32) / 64`, the same weight for all channels.
    fn at(&self, weight: u8) -> [u32; 4] {
        let mut results = [0; 4];
        for ((result, base), step) in results.iter_mut().zip(self.base).zip(self.step) {
            *result = ((base + step * i32::from(weight)) >> 6) as u32;
        }
        results
    }
}

/// Decodes the blocks of one footprint.
pub(crate) struct Decoder<P> {
    footprint: [usize; 2],
    /// Whether HDR endpoints and HDR void extents are legal.
    hdr: bool,
    /// The error colour as UNORM16.
    error: [u16; 4],
    precision: PhantomData<P>,
}

impl<P> Decoder<P> {
    pub(crate) fn new(footprint: [u32; 2], hdr: bool, error: [u16; 4]) -> Self {
        Self { footprint: footprint.map(|size| size as usize), hdr, error, precision: PhantomData }
    }

    fn texels(&self) -> usize {
        self.footprint[0] * self.footprint[1]
    }

    /// The endpoints of each partition.
    fn ramps<const N: usize>(&self, block: u128, coded: &Coded) -> [Ramp; 4]
    where
        P: Precision<N>,
    {
        let mut colors = [0; MAX_COLORS];
        let colors = &mut colors[..coded.colors.into()];
        let range = usize::from(coded.color_range);
        integer_sequence::decode(block >> coded.color_start, RANGES[range], colors);
        for color in colors.iter_mut() {
            *color = quantization::COLOR[range][usize::from(*color)];
        }
        let mut ramps = [Ramp { base: [0; 4], step: [0; 4], logarithmic: Logarithmic::None }; 4];
        let mut rest = &*colors;
        for (ramp, &mode) in ramps.iter_mut().zip(coded.endpoint_modes()) {
            let (values, others) = rest.split_at(usize::from(mode >> 2) * 2 + 2);
            rest = others;
            let logarithmic = match mode {
                14 => Logarithmic::Rgb,
                _ if physical::is_hdr(mode) => Logarithmic::Rgba,
                _ => Logarithmic::None,
            };
            *ramp = if logarithmic != Logarithmic::None && !self.hdr {
                Ramp::new([self.error.map(i32::from); 2], Logarithmic::None)
            } else {
                let expand_ldr = |c: i32| if P::SRGB { c << 8 | 0x80 } else { c << 8 | c };
                let expand_hdr = |c: i32| c << 4;
                let pair = endpoints::decode(mode, values).map(|[r, g, b, a]| match logarithmic {
                    Logarithmic::None => [r, g, b, a].map(expand_ldr),
                    Logarithmic::Rgb => [expand_hdr(r), expand_hdr(g), expand_hdr(b), expand_ldr(a)],
                    Logarithmic::Rgba => [r, g, b, a].map(expand_hdr),
                });
                Ramp::new(pair, logarithmic)
            };
        }
        ramps
    }

    /// Writes a weight a texel, of each plane there is.
    fn weights(&self, block: u128, coded: &Coded, texels: &mut [[u8; MAX_TEXELS]; 2]) {
        let mode = &coded.mode;
        let range = usize::from(mode.weight_range);
        let mut stored = [0; MAX_WEIGHTS];
        let stored = &mut stored[..mode.weights()];
        // The weights' stream runs down from the block's top bit.
        integer_sequence::decode(block.reverse_bits(), RANGES[range], stored);
        for weight in stored.iter_mut() {
            *weight = quantization::WEIGHT[range][usize::from(*weight)];
        }
        let planes = 1 + usize::from(mode.dual_plane);
        for (plane, texels) in texels[..planes].iter_mut().enumerate() {
            let mut grid =
                Grid { width: mode.width.into(), height: mode.height.into(), weights: [0; MAX_WEIGHTS] };
            for (weight, stored) in grid.weights.iter_mut().zip(stored[plane..].iter().step_by(planes)) {
                *weight = *stored;
            }
            grid.infill(self.footprint, texels);
        }
    }

    fn coded<const N: usize>(&self, block: u128, coded: &Coded, texels: &mut [[u8; N]])
    where
        P: Precision<N>,
    {
        let ramps = self.ramps(block, coded);
        let mut weights = [[0; MAX_TEXELS]; 2];
        self.weights(block, coded, &mut weights);
        let [first, second] = &weights;
        if coded.partitions == 1 && !coded.mode.dual_plane {
            let ramp = ramps[0];
            for (texel, &weight) in texels.iter_mut().zip(first) {
                *texel = P::texel(ramp.at(weight), ramp.logarithmic);
            }
            return;
        }
        let mut partitions = [0; MAX_TEXELS];
        if coded.partitions > 1 {
            let pattern = Partitioning::new(coded.seed, coded.partitions, self.texels());
            for (y, row) in (0..).zip(partitions[..self.texels()].chunks_mut(self.footprint[0])) {
                for (x, partition) in (0..).zip(row) {
                    *partition = pattern.at(x, y);
                }
            }
        }
        let second_channel = coded.mode.dual_plane.then_some(usize::from(coded.second_plane_channel));
        for (index, texel) in texels.iter_mut().enumerate() {
            let ramp = &ramps[partitions[index]];
            let mut results = ramp.at(first[index]);
            if let Some(channel) = second_channel {
                results[channel] = ramp.at(second[index])[channel];
            }
            *texel = P::texel(results, ramp.logarithmic);
        }
    }

    fn void<const N: usize>(&self, VoidExtent { hdr, color }: VoidExtent) -> Option<[u8; N]>
    where
        P: Precision<N>,
    {
        match hdr {
            false => Some(P::texel(color.map(u32::from), Logarithmic::None)),
            true if self.hdr => P::float(color),
            true => None,
        }
    }
}

impl<const N: usize, P: Precision<N>> BlockDecoder<N> for Decoder<P> {
    fn decode(&self, block: &[u8], texels: &mut [[u8; N]]) {
        let block = u128::from_le_bytes(block.try_into().expect("ASTC blocks have 16 bytes"));
        let footprint = self.footprint.map(|size| size as u32);
        let one_color = match physical::parse(block, footprint) {
            Ok(Block::Coded(coded)) => return self.coded(block, &coded, texels),
            Ok(Block::Void(extent)) => self.void(extent),
            Err(_) => None,
        };
        let error = || P::texel(self.error.map(u32::from), Logarithmic::None);
        texels.fill(one_color.unwrap_or_else(error));
    }
}
