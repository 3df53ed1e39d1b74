//! Random numbers that are the same on every machine and for ever: a seed names a program (SplitMix64; Steele, Lea,
//! Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 17).

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed ^ 0x5350_4c4b_7072_6f67);
        rng.next();
        rng
    }

    /// 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n` (which is not 0).
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in so many cases of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn a_seed_names_the_same_numbers_for_ever() {
        let mut rng = Rng::new(1);
        assert_eq!([rng.next(), rng.next()], [rng_value(1, 2), rng_value(1, 3)]);
        assert!((0..1000).all(|_| rng.below(7) < 7));
    }

    /// The definition, written again: output `n` of the seed's stream.
    fn rng_value(seed: u64, n: u64) -> u64 {
        let start = seed ^ 0x5350_4c4b_7072_6f67;
        let z = start.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
