//! What of a program was covered, and the counts that reports print.

use crate::{BranchId, FunctionId, ProgramMap};
use fixedbitset::FixedBitSet;

/// Branches covered and functions entered, of the program itself: library code does not count.
///
/// Ids beyond the program's are ignored when they are added: what a run reports is not trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    branches: FixedBitSet,
    functions: FixedBitSet,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// Covered.
    pub covered: u32,
    /// There are.
    pub total: u32,
}

impl Tally {
    /// In per cent; 100 of nothing at all.
    pub fn percent(self) -> f64 {
        if self.total == 0 { 100.0 } else { f64::from(self.covered) * 100.0 / f64::from(self.total) }
    }

    /// Adds one thing that is covered or not.
    pub fn count(&mut self, covered: bool) {
        self.covered += u32::from(covered);
        self.total += 1;
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.covered += other.covered;
        self.total += other.total;
    }
}

impl Coverage {
    /// Nothing covered yet.
    pub fn new(map: &ProgramMap) -> Coverage {
        Coverage {
            branches: FixedBitSet::with_capacity(map.n_own_branches()),
            functions: FixedBitSet::with_capacity(map.n_own_functions()),
        }
    }

    /// Covers a branch; whether it was not covered before.
    pub fn add_branch(&mut self, branch: BranchId) -> bool {
        branch.index() < self.branches.len() && !self.branches.put(branch.index())
    }

    /// Enters a function; whether it was not entered before.
    pub fn add_function(&mut self, function: FunctionId) -> bool {
        function.index() < self.functions.len() && !self.functions.put(function.index())
    }

    /// Whether `branch` is covered.
    pub fn has(&self, branch: BranchId) -> bool {
        self.branches.contains(branch.index())
    }

    /// Whether `function` was entered.
    pub fn entered(&self, function: FunctionId) -> bool {
        self.functions.contains(function.index())
    }

    /// Covered branches, ascending.
    pub fn covered(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.branches.ones().map(|i| BranchId(i as u32))
    }

    /// Branches that are not covered, ascending.
    pub fn uncovered(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.branches.zeroes().map(|i| BranchId(i as u32))
    }

    /// Absolute coverage: of all branches of the program.
    pub fn absolute(&self) -> Tally {
        Tally { covered: self.branches.count_ones(..) as u32, total: self.branches.len() as u32 }
    }

    /// Relative coverage (Burnim & Sen 2008, section 5): of the branches of those functions that were entered, an
    /// estimate of what can be reached at all. A function also counts as entered if one of its branches is covered.
    pub fn relative(&self, map: &ProgramMap) -> Tally {
        let mut sum = Tally::default();
        for (tally, f) in self.by_function(map).into_iter().zip(0..) {
            if tally.covered > 0 || self.entered(FunctionId(f)) {
                sum += tally;
            }
        }
        sum
    }

    /// Functions entered, of all.
    pub fn functions(&self) -> Tally {
        Tally { covered: self.functions.count_ones(..) as u32, total: self.functions.len() as u32 }
    }

    /// Branches per function of the program itself, by function id.
    pub fn by_function(&self, map: &ProgramMap) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(); map.n_own_functions()];
        for (i, branch) in map.branches.iter().enumerate().take(map.n_own_branches()) {
            let function = map.conds[branch.cond.index()].function;
            tallies[function.index()].count(self.branches.contains(i));
        }
        tallies
    }
}
