//! The CPU twin: what every path must produce, bit for bit.

use crate::order::{EMPTY, key, round_to_half, value};
use crate::{Reduction, Scheme, TexelFormat};

/// Depth values for [`Oracle::levels`].
#[derive(Clone, Copy, Debug)]
pub struct DepthValues<'a> {
    /// Texels of a layer, in x and y.
    pub extent: [u32; 2],
    /// Samples of a texel, at least 1.
    pub samples: u32,
    /// Array layers.
    pub layers: u32,
    /// `layers * height * width * samples` values: the samples of a texel side by side, row by row, layer by layer.
    pub values: &'a [f32],
}

/// One level of a pyramid.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// Its number; 0 is the depth buffer.
    pub level: u32,
    /// Its texels, in x and y.
    pub extent: [u32; 2],
    /// `layers * height * width * components` values.
    pub values: Vec<f32>,
}

/// Makes pyramids on the CPU.
#[derive(Clone, Copy, Debug)]
pub struct Oracle {
    /// Which texels a texel covers.
    pub scheme: Scheme,
    /// What it keeps of them.
    pub reduction: Reduction,
    /// How it is stored.
    pub texel: TexelFormat,
}

impl Oracle {
    /// Levels `first..=last` of the part of `depth` that starts at `offset` and has `extent` texels. Reduces level by level.
    ///
    /// # Panics
    /// If `depth.values` has not the stated length, the part is not inside, or an extent is zero.
    pub fn levels(
        &self,
        depth: &DepthValues<'_>,
        offset: [u32; 2],
        extent: [u32; 2],
        first: u32,
        last: u32,
    ) -> Vec<Level> {
        let keys = self.keys(depth, offset, extent);
        let mut levels = Vec::new();
        let mut plane = Plane { extent, keys };
        for level in 0..=last {
            if level > 0 {
                plane = self.reduced(&plane, extent, level, depth.layers);
            }
            if level >= first {
                levels.push(self.stored(&plane, level));
            }
        }
        levels
    }

    /// The keys of every texel of the part, the samples of a texel folded.
    fn keys(&self, depth: &DepthValues<'_>, offset: [u32; 2], extent: [u32; 2]) -> Vec<i32> {
        let [width, height] = depth.extent.map(|size| size as usize);
        let samples = depth.samples as usize;
        assert_eq!(
            depth.values.len(),
            width * height * samples * depth.layers as usize,
            "values of the stated extent"
        );
        assert!(extent[0] > 0 && extent[1] > 0, "an extent of at least 1x1");
        assert!(
            (0..2).all(|axis| offset[axis] + extent[axis] <= depth.extent[axis]),
            "a part inside the depth buffer"
        );
        let mut keys = Vec::with_capacity(extent[0] as usize * extent[1] as usize * depth.layers as usize);
        for layer in depth.values.chunks_exact(width * height * samples) {
            for row in layer.chunks_exact(width * samples).skip(offset[1] as usize).take(extent[1] as usize) {
                for texel in row.chunks_exact(samples).skip(offset[0] as usize).take(extent[0] as usize) {
                    for &max in self.reduction.maxima() {
                        keys.push(texel.iter().map(|&sample| key(sample, max)).min().unwrap_or(EMPTY));
                    }
                }
            }
        }
        keys
    }

    fn reduced(&self, from: &Plane, source: [u32; 2], level: u32, layers: u32) -> Plane {
        let extent = source.map(|size| self.scheme.level_size(size, level));
        let components = self.reduction.components() as usize;
        let [width, height] = from.extent.map(|size| size as usize);
        let columns: Vec<_> =
            (0..extent[0]).map(|x| self.scheme.taps(source[0], level - 1, level, x)).collect();
        let mut keys =
            Vec::with_capacity(extent[0] as usize * extent[1] as usize * components * layers as usize);
        for layer in 0..layers as usize {
            for y in 0..extent[1] {
                let rows = self.scheme.taps(source[1], level - 1, level, y);
                for taps in &columns {
                    for component in 0..components {
                        let mut least = EMPTY;
                        for row in rows.clone() {
                            for column in taps.clone() {
                                let texel = (layer * height + row as usize) * width + column as usize;
                                least = least.min(from.keys[texel * components + component]);
                            }
                        }
                        keys.push(least);
                    }
                }
            }
        }
        Plane { extent, keys }
    }

    fn stored(&self, plane: &Plane, level: u32) -> Level {
        let maxima = self.reduction.maxima().iter().copied().cycle();
        let values = plane.keys.iter().zip(maxima).map(|(&key, max)| {
            let value = value(key, max);
            match self.texel {
                TexelFormat::Float32 => value,
                TexelFormat::Float16 => round_to_half(value, max),
            }
        });
        Level { level, extent: plane.extent, values: values.collect() }
    }
}

struct Plane {
    extent: [u32; 2],
    /// Components of a texel side by side.
    keys: Vec<i32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values in no order, from a fixed generator.
    fn noise(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        (0..count)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                state as f32 / u32::MAX as f32 * 2.0 - 0.5
            })
            .collect()
    }

    fn extents() -> impl Iterator<Item = [u32; 2]> {
        [[1, 1], [1, 9], [2, 2], [3, 5], [17, 1], [31, 33], [64, 63], [67, 129], [100, 7], [255, 3]]
            .into_iter()
    }

    #[test]
    fn a_texel_is_the_extreme_of_its_footprint() {
        for extent in extents() {
            let values = noise((extent[0] * extent[1]) as usize, extent[0] * 1000 + extent[1]);
            let depth = DepthValues { extent, samples: 1, layers: 1, values: &values };
            for scheme in Scheme::ALL {
                let oracle = Oracle { scheme, reduction: Reduction::MinMax, texel: TexelFormat::Float32 };
                for level in oracle.levels(&depth, [0, 0], extent, 0, scheme.last_level(extent)) {
                    assert_eq!(level.extent, extent.map(|size| scheme.level_size(size, level.level)));
                    let mut texels = level.values.chunks_exact(2);
                    for y in 0..level.extent[1] {
                        for x in 0..level.extent[0] {
                            let (mut least, mut greatest) = (f32::INFINITY, f32::NEG_INFINITY);
                            for row in scheme.footprint(extent[1], level.level, y) {
                                for column in scheme.footprint(extent[0], level.level, x) {
                                    let value = values[(row * extent[0] + column) as usize];
                                    least = least.min(value);
                                    greatest = greatest.max(value);
                                }
                            }
                            assert_eq!(
                                texels.next(),
                                Some(&[least, greatest][..]),
                                "{scheme:?} {extent:?} {} {x} {y}",
                                level.level
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn both_is_the_two_reductions_side_by_side() {
        let extent = [45, 38];
        let values = noise(45 * 38 * 2 * 4, 7);
        let depth = DepthValues { extent, samples: 4, layers: 2, values: &values };
        for texel in [TexelFormat::Float32, TexelFormat::Float16] {
            let of = |reduction| {
                Oracle { scheme: Scheme::Chained, reduction, texel }.levels(&depth, [3, 5], [40, 31], 0, 5)
            };
            let (min, max, both) = (of(Reduction::Min), of(Reduction::Max), of(Reduction::MinMax));
            for ((min, max), both) in min.iter().zip(&max).zip(&both) {
                let pairs: Vec<f32> =
                    min.values.iter().zip(&max.values).flat_map(|(&min, &max)| [min, max]).collect();
                assert_eq!(both.values, pairs);
                assert!(min.values.iter().zip(&max.values).all(|(min, max)| min <= max));
            }
        }
    }

    #[test]
    fn sixteen_bits_lie_on_the_safe_side() {
        let values = noise(64 * 64, 3);
        let depth = DepthValues { extent: [64, 64], samples: 1, layers: 1, values: &values };
        let of = |texel| {
            Oracle { scheme: Scheme::EdgeTexel, reduction: Reduction::MinMax, texel }.levels(
                &depth,
                [0, 0],
                [64, 64],
                1,
                6,
            )
        };
        for (wide, narrow) in of(TexelFormat::Float32).iter().zip(&of(TexelFormat::Float16)) {
            for (wide, narrow) in wide.values.chunks_exact(2).zip(narrow.values.chunks_exact(2)) {
                assert!(narrow[0] <= wide[0] && narrow[1] >= wide[1]);
                assert!(narrow.iter().all(|&value| half::f16::from_f32(value).to_f32() == value));
            }
        }
    }

    #[test]
    fn a_nan_spoils_only_what_covers_it() {
        let mut values = vec![0.5; 32 * 32];
        values[5 * 32 + 9] = f32::NAN;
        let depth = DepthValues { extent: [32, 32], samples: 1, layers: 1, values: &values };
        let oracle =
            Oracle { scheme: Scheme::Chained, reduction: Reduction::MinMax, texel: TexelFormat::Float16 };
        for level in oracle.levels(&depth, [0, 0], [32, 32], 0, 5) {
            let spoiled: Vec<usize> =
                (0..level.values.len()).filter(|&index| level.values[index] != 0.5).collect();
            let texel = ((5 >> level.level) * level.extent[0] + (9 >> level.level)) as usize;
            assert_eq!(spoiled, [texel * 2, texel * 2 + 1]);
            assert_eq!(level.values[texel * 2..texel * 2 + 2], [f32::NEG_INFINITY, f32::INFINITY]);
        }
    }
}
