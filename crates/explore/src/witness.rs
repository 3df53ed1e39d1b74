//! Which runs are kept for the branches they cover.

use events::{Outcome, RunId};
use program::BranchId;
use trace::Run;

/// A run that is kept for the branches it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The run.
    pub run: RunId,
    /// Length of its input in bytes.
    pub input_len: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The branches it covers, ascending.
    pub branches: Vec<BranchId>,
}

/// Why a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It was the first to cover a branch.
    New,
    /// It is a second way to cover a branch, should the first one not be confirmed.
    Spare,
}

/// Witnesses that a branch needs.
const ENOUGH: u8 = 2;

/// The runs kept.
#[derive(Debug)]
pub struct Witnesses {
    /// Number of witnesses per branch that are no findings, saturating.
    normal: Vec<u8>,
    all: Vec<Witness>,
}

impl Witnesses {
    /// None yet, in a program of so many branches.
    pub fn new(branches: usize) -> Witnesses {
        Witnesses { normal: vec![0; branches], all: Vec::new() }
    }

    /// Takes a run in; `new` says whether it covered a branch first. Why it is kept, if it is.
    ///
    /// Branches beyond the program's are ignored.
    pub fn add(&mut self, id: RunId, run: &Run, new: bool) -> Option<Kept> {
        let branches: Vec<BranchId> =
            run.covered.iter().copied().filter(|b| b.index() < self.normal.len()).collect();
        let normal = !run.outcome.is_finding();
        let spare = normal && branches.iter().any(|b| self.normal[b.index()] < ENOUGH);
        let kept = match (new, spare) {
            (true, _) => Kept::New,
            (false, true) => Kept::Spare,
            (false, false) => return None,
        };
        for b in branches.iter().filter(|_| normal) {
            let n = &mut self.normal[b.index()];
            *n = n.saturating_add(1);
        }
        self.all.push(Witness { run: id, input_len: run.input.len() as u64, outcome: run.outcome, branches });
        Some(kept)
    }

    /// Keeps a run whatever else is kept.
    pub fn keep(&mut self, id: RunId, run: &Run) -> Witness {
        let own = |b: &BranchId| b.index() < self.normal.len();
        let branches = run.covered.iter().copied().filter(own).collect();
        let witness = Witness { run: id, input_len: run.input.len() as u64, outcome: run.outcome, branches };
        self.all.push(witness.clone());
        witness
    }

    /// The runs kept so far.
    pub fn all(&self) -> &[Witness] {
        &self.all
    }

    /// The runs kept, in the order they came.
    pub fn into_all(self) -> Vec<Witness> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use program::FunctionId;

    fn run(outcome: Outcome, covered: &[u32]) -> Run {
        Run { outcome, entered: vec![FunctionId(0)], ..fixtures::run(covered) }
    }

    #[test]
    fn the_first_run_is_new_the_second_spare_the_third_superfluous() {
        let mut w = Witnesses::new(4);
        let r = run(Outcome::Exit(0), &[0, 2]);
        assert_eq!(w.add(RunId(0), &r, true), Some(Kept::New));
        assert_eq!(w.add(RunId(1), &r, false), Some(Kept::Spare));
        assert_eq!(w.add(RunId(2), &r, false), None);
        assert_eq!(w.into_all().len(), 2);
    }

    #[test]
    fn a_crash_is_no_substitute_for_a_normal_run() {
        let mut w = Witnesses::new(4);
        assert_eq!(w.add(RunId(0), &run(Outcome::Abort, &[1]), true), Some(Kept::New));
        assert_eq!(w.add(RunId(1), &run(Outcome::Abort, &[1]), false), None);
        assert_eq!(w.add(RunId(2), &run(Outcome::Exit(0), &[1]), false), Some(Kept::Spare));
    }

    #[test]
    fn branches_that_do_not_exist_are_ignored() {
        let mut w = Witnesses::new(2);
        w.add(RunId(0), &run(Outcome::Exit(0), &[1, 2, 99]), true);
        assert_eq!(w.into_all()[0].branches, [BranchId(1)]);
    }
}
