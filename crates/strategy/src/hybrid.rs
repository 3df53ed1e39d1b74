//! Hybrid concolic testing: Majumdar & Sen, "Hybrid Concolic Testing" (ICSE 2007), Algorithm 2.
//!
//! Random inputs until nothing new has been covered for a while, a snapshot of the running program, a bounded search from there
//! for an uncovered branch, then on from the snapshot with the inputs that the search found, and random ones behind them.
//! All of that happens inside one goal, [`Goal::Journey`]: the order of its steps is the algorithm's, so there is nothing left
//! to choose between them. The loop makes the steps (`explore::journey`), each goal a few of them, so that budgets are
//! looked at in between.

use crate::{Goal, GoalResult, Strategy, View};
use program::BranchId;
use trace::RunId;

/// Hybrid concolic testing.
#[derive(Debug, Default)]
pub struct Hybrid {
    /// Journeys could not be made so often in a row.
    failures: u32,
}

/// After so many the target cannot make any.
const MOST_FAILURES: u32 = 3;

impl Strategy for Hybrid {
    fn next(&mut self, _: &View<'_>) -> Goal {
        if self.failures < MOST_FAILURES { Goal::Journey } else { Goal::Finished }
    }

    fn observe(&mut self, _: &View<'_>, _: &Goal, result: &GoalResult) {
        self.failures = if *result == GoalResult::GaveUp { self.failures + 1 } else { 0 };
    }

    fn adopt(&mut self, _: &View<'_>, _: RunId, _: &[BranchId]) {}
}
