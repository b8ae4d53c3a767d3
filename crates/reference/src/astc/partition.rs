/// Which partition each texel of a block belongs to (KDFS 1.4, "Partition Pattern Generation").
pub(crate) struct Partitioning {
    /// Per candidate partition: its value at texel 0, 0, and what a step to the right and a step down add,
    /// all modulo 64.
    start: [u32; 4],
    right: [u32; 4],
    down: [u32; 4],
    count: usize,
}

impl Partitioning {
    /// The pattern `seed` of `count` partitions, 2 to 4, in a block of `texels` texels.
    pub(crate) fn new(seed: u16, count: u8, texels: usize) -> Self {
        let seed = u32::from(seed);
        let hash = hash52(seed + (u32::from(count) - 1) * 1024);
        let nibble = |at: u32| {
            let value = hash >> at & 15;
            value * value
        };
        let by_seed = if seed & 2 != 0 { 4 } else { 5 };
        let by_count = if count == 3 { 6 } else { 5 };
        let (right_shift, down_shift) = if seed & 1 != 0 { (by_seed, by_count) } else { (by_count, by_seed) };
        // In small blocks a step counts twice.
        let double = u32::from(texels < 31);
        Self {
            start: [hash >> 14, hash >> 10, hash >> 6, hash >> 2],
            right: [0, 8, 16, 24].map(|at| nibble(at) >> right_shift << double),
            down: [4, 12, 20, 28].map(|at| nibble(at) >> down_shift << double),
            count: count.into(),
        }
    }

    /// The partition of texel `x`, `y`: the first of those with the largest value.
    pub(crate) fn at(&self, x: u32, y: u32) -> usize {
        let mut best = (0, 0);
        for index in 0..self.count {
            let value =
                self.start[index].wrapping_add(self.right[index] * x).wrapping_add(self.down[index] * y) & 63;
            if index == 0 || value > best.1 {
                best = (index, value);
            }
        }
        best.0
    }
}

fn hash52(mut p: u32) -> u32 {
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^= p >> 17;
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The specification's `select_partition`, as it is written there, for one slice.
    fn select_partition(seed: u32, mut x: u32, mut y: u32, count: u32, small: bool) -> usize {
        if small {
            x <<= 1;
            y <<= 1;
        }
        let rnum = hash52(seed + (count - 1) * 1024);
        let mut seeds = [0, 4, 8, 12, 16, 20, 24, 28].map(|at| rnum >> at & 15).map(|s| s * s);
        let (sh1, sh2) = if seed & 1 != 0 {
            (if seed & 2 != 0 { 4 } else { 5 }, if count == 3 { 6 } else { 5 })
        } else {
            (if count == 3 { 6 } else { 5 }, if seed & 2 != 0 { 4 } else { 5 })
        };
        for (index, seed) in seeds.iter_mut().enumerate() {
            *seed >>= if index % 2 == 0 { sh1 } else { sh2 };
        }
        let sum = |index: usize, shift: u32| {
            seeds[index]
                .wrapping_mul(x)
                .wrapping_add(seeds[index + 1].wrapping_mul(y))
                .wrapping_add(rnum >> shift)
                & 0x3F
        };
        let (a, b) = (sum(0, 14), sum(2, 10));
        let c = if count < 3 { 0 } else { sum(4, 6) };
        let d = if count < 4 { 0 } else { sum(6, 2) };
        if a >= b && a >= c && a >= d {
            0
        } else if b >= c && b >= d {
            1
        } else if c >= d {
            2
        } else {
            3
        }
    }

    #[test]
    fn every_pattern_follows_the_specification() {
        for [width, height] in [[4, 4], [6, 5], [6, 6], [12, 12]] {
            let texels = width * height;
            for count in 2..=4 {
                for seed in 0..1024 {
                    let pattern = Partitioning::new(seed, count, texels as usize);
                    for (x, y) in (0..texels).map(|texel| (texel % width, texel / width)) {
                        let expected = select_partition(seed.into(), x, y, count.into(), texels < 31);
                        assert_eq!(
                            pattern.at(x, y),
                            expected,
                            "seed {seed}, {count} partitions, texel {x}, {y}"
                        );
                    }
                }
            }
        }
    }
}
