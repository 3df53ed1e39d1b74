//! Pure random testing: every goal is a random input, its bytes even over all values and its length too.
//!
//! The baseline of Burnim & Sen 2008, section 3. It needs no symbols: runs are made with coverage only, many at once.

use crate::{Cheap, Goal, GoalResult, Letters, Strategy, View};
use program::BranchId;
use trace::RunId;

/// Random testing.
#[derive(Debug, Default)]
pub struct Random;

impl Strategy for Random {
    fn next(&mut self, _: &View<'_>) -> Goal {
        Goal::Cheap(Cheap::Random(Letters::All))
    }

    fn observe(&mut self, _: &View<'_>, _: &Goal, _: &GoalResult) {}

    fn adopt(&mut self, _: &View<'_>, _: RunId, _: &[BranchId]) {}
}
