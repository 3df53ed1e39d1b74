//! How rare what a run did is: what local searches climb where nothing is new.
//!
//! A branch that few runs took counts for more than one that most take; a run's worth is the sum over its branches of one by the
//! square root of how many runs took each. Counted are the runs that a strategy itself asked for, and of their branches those that
//! the [path](RunPath::branches) has: what depended on the input, and all where there is a log. Inputs that are turned away early
//! take few branches, and common ones; so do those that go over known ground again.

use crate::RunPath;
use program::BranchId;
use rustc_hash::FxHashMap;

/// How many runs took each branch.
#[derive(Debug, Default)]
pub struct Rarity {
    runs: FxHashMap<BranchId, u32>,
}

impl Rarity {
    /// Counts a run.
    pub fn count(&mut self, path: &RunPath) {
        for branch in distinct(path) {
            *self.runs.entry(branch).or_default() += 1;
        }
    }

    /// What a run is worth now: as many as it took branches if no run took any of them, less the more did.
    pub fn worth(&self, path: &RunPath) -> f64 {
        let times = |branch| self.runs.get(branch).map_or(0, |&n| n);
        distinct(path).iter().map(|branch| 1.0 / f64::from(times(branch) + 1).sqrt()).sum()
    }
}

fn distinct(path: &RunPath) -> Vec<BranchId> {
    let mut all: Vec<BranchId> = path.branches().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::{Decision, Step};
    use trace_abi::path_log::BRANCH;

    fn path(branches: &[u32]) -> RunPath {
        RunPath { log: branches.iter().map(|b| b | BRANCH).collect(), ..RunPath::default() }
    }

    #[test]
    fn a_short_run_of_rare_branches_is_worth_more_than_a_long_one_of_common_ones() {
        let long: Vec<u32> = (10..30).collect();
        let mut rarity = Rarity::default();
        for _ in 0..120 {
            rarity.count(&path(&long));
        }
        assert!(rarity.worth(&path(&[1, 2])) > rarity.worth(&path(&long)));
    }

    #[test]
    fn decisions_count_without_a_log() {
        let decisions =
            [4, 5, 4].map(|b| Decision { event: 0, step: Step::Branch(BranchId(b)), callees: 0, context: 0 });
        let path = RunPath { decisions: decisions.to_vec(), ..RunPath::default() };
        assert_eq!(Rarity::default().worth(&path), 2.0);
    }

    #[test]
    fn what_few_runs_took_counts_for_more() {
        let mut rarity = Rarity::default();
        assert_eq!(rarity.worth(&path(&[1, 2, 2, 2])), 2.0, "each branch once");
        for _ in 0..3 {
            rarity.count(&path(&[1, 1]));
        }
        assert_eq!(rarity.worth(&path(&[1])), 0.5);
        assert_eq!(rarity.worth(&path(&[1, 2])), 1.5);
        assert_eq!(rarity.worth(&path(&[])), 0.0);
    }
}
