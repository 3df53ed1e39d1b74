//! What to try next.
//!
//! A [`Strategy`] sees what is known of a program ([`View`]: map, coverage, distances, path tree, paths of runs) and
//! answers with a [`Goal`]; the loop pursues the goal and reports back with a [`GoalResult`]. One file, one
//! strategy; each opens with the paper and section it comes from. Strategies do no input or output, read no
//! clock, and draw all chance from the seed they are made with: the same answers give the same goals.
//!
//! # The protocol
//!
//! For each strategy, `next` and `observe` alternate strictly when it is *local* (one instance per worker). A
//! *shared* strategy serves all workers: several goals may be out at once, and results come in any order. Runs that
//! nobody asked for (seeds, first inputs) are announced to every instance by `adopt` before its first `next`.

#![forbid(unsafe_code)]

pub mod along_path;
pub mod auto;
pub mod bounded_dfs;
pub mod cfg;
mod flips;
pub mod fuzz;
pub mod generational;
mod goal;
pub mod hybrid;
mod knowledge;
mod make;
pub mod own_coverage;
pub mod random;
pub mod random_branch;
pub mod rarity;
mod start;
pub mod uniform_random;

pub use flips::alternatives;
pub use goal::{ArmCount, Cheap, Fill, Goal, GoalResult, Letters, Spent};
pub use knowledge::{Knowledge, Paths, RunPath, View};
pub use make::{Kind, Options, RUNS_FOR_MUTANTS, Strategies, UnknownStrategy, make};
pub use path_tree::{Decision, FlipCounts, FlipStatus, PathTree, RunId, Step};
pub use start::Start;

use program::BranchId;

/// A search strategy.
pub trait Strategy: Send {
    /// What to try next.
    fn next(&mut self, view: &View<'_>) -> Goal;

    /// What a goal that this strategy gave cost: told right before [`Strategy::observe`].
    fn charge(&mut self, _goal: &Goal, _spent: Spent) {}

    /// A run takes these branches, whose conditionals have others that no run took: told right before it is observed or adopted.
    fn reaches(&mut self, _half_taken: &[BranchId]) {}

    /// What came of a goal that this strategy gave. `view` already knows it.
    fn observe(&mut self, view: &View<'_>, goal: &Goal, result: &GoalResult);

    /// A run that no strategy asked for (a seed, a first input), and what it was the first to cover.
    fn adopt(&mut self, view: &View<'_>, run: RunId, new_branches: &[BranchId]);

    /// Whether every flip of every run is tried, so that nothing is left to it but inputs at random.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// What its parts cost and found, for a strategy that weighs parts against each other.
    fn ledger(&self) -> Vec<ArmCount> {
        Vec::new()
    }
}
