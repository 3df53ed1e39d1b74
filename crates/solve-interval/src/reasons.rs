//! Which constraints a bound rests on.

/// Constraints that can be told apart.
pub const MAX_CONSTRAINTS: usize = 256;

/// A set of roots of a graph, by their index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reasons([u64; MAX_CONSTRAINTS / 64]);

impl Reasons {
    /// One.
    pub fn of(root: usize) -> Reasons {
        let mut reasons = Reasons::default();
        reasons.0[root / 64] |= 1 << (root % 64);
        reasons
    }

    /// Those of both.
    #[must_use]
    pub fn with(mut self, other: Reasons) -> Reasons {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
        self
    }

    /// Ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MAX_CONSTRAINTS).filter(move |k| self.0[k / 64] >> (k % 64) & 1 == 1)
    }
}
