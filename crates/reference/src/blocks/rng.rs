/// SplitMix64: small, seedable, and the same on every machine.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator that yields the same values for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// 128 random bits.
    pub fn u128(&mut self) -> u128 {
        u128::from(self.u64()) << 64 | u128::from(self.u64())
    }

    /// A value from 0 to `end - 1`; 0 if `end` is 0. The bias is below `end / 2^64`.
    pub fn below(&mut self, end: u32) -> u32 {
        ((u128::from(self.u64()) * u128::from(end)) >> 64) as u32
    }

    /// True once in `times` calls, on average.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_fixed() {
        let mut rng = Rng::new(1_234_567);
        let values: Vec<u64> = (0..3).map(|_| rng.u64()).collect();
        let known = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(values, known, "SplitMix64's published values for this seed");
    }

    #[test]
    fn values_stay_in_range_and_cover_it() {
        let mut rng = Rng::new(2);
        let mut seen = [0; 7];
        for _ in 0..7000 {
            seen[rng.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
    }
}
