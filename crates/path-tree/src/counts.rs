//! What came of the flips towards each branch.

use crate::FlipStatus;

/// How often a branch was decided by the input, and what came of the attempts to force it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlipCounts {
    /// Decisions of new path pieces that took this branch (input-dependent decisions only).
    pub decided: u32,
    /// Flips that ended where they should.
    pub followed: u32,
    /// Flips proved infeasible on their path.
    pub infeasible: u32,
    /// Flips without an answer of the solver.
    pub gave_up: u32,
    /// Flips whose run went elsewhere.
    pub diverged: u32,
}

impl FlipCounts {
    /// Flips towards this branch that came to an end.
    pub const fn tried(&self) -> u32 {
        self.followed + self.infeasible + self.gave_up + self.diverged
    }

    pub(crate) fn count(&mut self, status: FlipStatus) {
        let n = match status {
            FlipStatus::Taken => &mut self.followed,
            FlipStatus::Infeasible => &mut self.infeasible,
            FlipStatus::GaveUp => &mut self.gave_up,
            FlipStatus::Diverged => &mut self.diverged,
            FlipStatus::Open | FlipStatus::Pending | FlipStatus::Beyond => return,
        };
        *n = n.saturating_add(1);
    }
}
