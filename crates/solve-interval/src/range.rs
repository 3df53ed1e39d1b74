//! Closed ranges of whole numbers: of integers, or of positions on the line of floats.

/// All numbers from `lo` to `hi`; empty if `lo > hi`. There is one empty range, [`Range::EMPTY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub lo: i128,
    /// The greatest.
    pub hi: i128,
}

impl Range {
    /// Nothing.
    pub const EMPTY: Range = Range { lo: 1, hi: 0 };

    /// From `lo` to `hi`.
    pub const fn new(lo: i128, hi: i128) -> Range {
        if lo > hi { Range::EMPTY } else { Range { lo, hi } }
    }

    /// One number.
    pub const fn point(x: i128) -> Range {
        Range { lo: x, hi: x }
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// The number, if it is the only one.
    pub fn as_point(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Whether `x` is in it.
    pub const fn contains(self, x: i128) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// What is in both.
    #[must_use]
    pub fn meet(self, other: Range) -> Range {
        Range::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// The smallest range around both.
    #[must_use]
    pub fn hull(self, other: Range) -> Range {
        match () {
            () if self.is_empty() => other,
            () if other.is_empty() => self,
            () => Range::new(self.lo.min(other.lo), self.hi.max(other.hi)),
        }
    }

    /// Every number moved by `by`.
    #[must_use]
    pub fn moved(self, by: i128) -> Range {
        if self.is_empty() { self } else { Range::new(self.lo + by, self.hi + by) }
    }

    /// Every number `x` as `-1 - x`: the order is reversed.
    #[must_use]
    pub fn complement(self) -> Range {
        if self.is_empty() { self } else { Range::new(-1 - self.hi, -1 - self.lo) }
    }
}
