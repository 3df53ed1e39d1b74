//! Coverage-guided mutation alone: every goal is a batch of mutants of inputs that covered something new.
//!
//! What AFL and libFuzzer do, on this engine; no solver is asked. Its corpus and dictionary are the loop's, see crate
//! `mutate`. The counterpart of [`crate::random`], and a part of `auto`.

use crate::{Cheap, Goal, GoalResult, Strategy, View};
use program::BranchId;
use trace::RunId;

/// Coverage-guided mutation.
#[derive(Debug, Default)]
pub struct Fuzz;

impl Strategy for Fuzz {
    fn next(&mut self, _: &View<'_>) -> Goal {
        Goal::Cheap(Cheap::Mutants)
    }

    fn observe(&mut self, _: &View<'_>, _: &Goal, _: &GoalResult) {}

    fn adopt(&mut self, _: &View<'_>, _: RunId, _: &[BranchId]) {}
}
