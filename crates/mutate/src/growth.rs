//! How long mutants may be: at first no longer than the inputs that the search began with, later ever longer.
//!
//! libFuzzer's length control. Long inputs cost more runs' time, their mutants change what does not matter more often, and whatever
//! is found with them is found with short ones, too, as long as there is something to find. So the limit grows when nothing
//! was found for a while.

/// Mutants without a find, times the logarithm of the limit, after which the limit grows.
const PATIENCE: u32 = 100;
/// The least limit.
const LEAST: usize = 64;

/// See the module.
#[derive(Debug)]
pub struct Growth {
    limit: usize,
    most: usize,
    /// Mutants since the last find.
    idle: u32,
    has_begun: bool,
}

impl Growth {
    /// Inputs of at most so many bytes will be made in the end.
    pub fn new(most: usize) -> Growth {
        Growth { limit: LEAST.min(most), most, idle: 0, has_begun: false }
    }

    /// An input of that length joined the corpus.
    pub fn found(&mut self, len: usize) {
        self.idle = 0;
        if !self.has_begun {
            self.limit = self.limit.max(len).min(self.most);
        }
    }

    /// How long the next mutant may be if its parent is not longer.
    pub fn next(&mut self) -> usize {
        self.has_begun = true;
        self.idle += 1;
        let log = self.limit.max(2).ilog2();
        if self.limit < self.most && self.idle > PATIENCE * log {
            self.idle = 0;
            self.limit = (self.limit + log as usize).min(self.most);
        }
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_grows_while_nothing_is_found() {
        let mut growth = Growth::new(4096);
        growth.found(100);
        assert_eq!(growth.next(), 100);
        growth.found(500);
        assert_eq!(growth.next(), 100, "a find of the search itself");
        for _ in 0..100_000 {
            growth.next();
            growth.found(100);
        }
        assert_eq!(growth.next(), 100);
        (0..100 * PATIENCE).for_each(|_| _ = growth.next());
        let grown = growth.next();
        assert!((150..250).contains(&grown), "{grown}");
        (0..1 << 20).for_each(|_| _ = growth.next());
        assert_eq!(growth.next(), 4096);
        assert_eq!(Growth::new(4).next(), 4);
    }
}
