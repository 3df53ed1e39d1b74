//! Generational search: Godefroid, Levin & Molnar, "Automated Whitebox Fuzz Testing" (SAGE), NDSS 2008, section 3.2.
//!
//! The best run is *expanded*: every decision behind its bound is flipped, each flip alone. A child's bound is the
//! place where it left its parent, so that no child undoes what its parent did. Children wait in a priority queue,
//! scored by how much they were the first to cover.
//!
//! What differs: the score counts new branches (SAGE counts new basic blocks). Flips that the path tree knows
//! (taken by any other run, infeasible, given up) are left out. The queue is bounded: beyond [`MAX_QUEUE`] runs the worst
//! are forgotten. A run that diverged is a child like any other, but with bound 0, as it left its parent's path
//! somewhere. When the queue is empty and no goal is out, a random input is
//! the next root.

use crate::flips::alternatives;
use crate::{Goal, GoalResult, Letters, Strategy, View};
use program::BranchId;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use trace::{Mode, RunId};

/// Most runs waiting.
pub const MAX_QUEUE: usize = 1 << 16;

/// A run to be expanded; the order is the priority (highest score, then oldest).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    score: u32,
    run: Reverse<RunId>,
    bound: u32,
}

/// Generational search.
#[derive(Debug, Default)]
pub struct Generational {
    queue: BTreeSet<Waiting>,
    /// The run being expanded, the decision, and how many of its other branches are done.
    expanding: Option<(RunId, usize, usize)>,
}

impl Generational {
    fn add(&mut self, run: RunId, bound: u32, new_branches: &[BranchId]) {
        self.queue.insert(Waiting { score: new_branches.len() as u32, run: Reverse(run), bound });
        if self.queue.len() > MAX_QUEUE {
            self.queue.pop_first();
        }
    }

    /// The next flip of the run being expanded.
    fn expand(&mut self, view: &View<'_>) -> Option<Goal> {
        let (run, mut at, mut done) = self.expanding.take()?;
        let path = view.paths.path(run)?;
        let walk = view.known.tree.walk(&path.decisions);
        while let Some(decision) = path.decisions.get(at) {
            for branch in alternatives(view.known.map(), decision).skip(done) {
                done += 1;
                if walk.is_worth(at, branch) {
                    self.expanding = Some((run, at, done));
                    return Some(Goal::Flip { run, at: at as u32, branch });
                }
            }
            (at, done) = (at + 1, 0);
        }
        None
    }
}

impl Strategy for Generational {
    fn next(&mut self, view: &View<'_>) -> Goal {
        loop {
            if let Some(goal) = self.expand(view) {
                return goal;
            }
            match self.queue.pop_last() {
                Some(best) => self.expanding = Some((best.run.0, best.bound as usize, 0)),
                None if view.busy => return Goal::Wait,
                None => return Goal::Random { mode: Mode::Symbolic, letters: Letters::All },
            }
        }
    }

    fn observe(&mut self, _: &View<'_>, goal: &Goal, result: &GoalResult) {
        if let GoalResult::NewRun { run, followed, new_branches } = result {
            let bound = match goal {
                Goal::Flip { at, .. } if *followed => at + 1,
                _ => 0,
            };
            self.add(*run, bound, new_branches);
        }
    }

    fn is_exhausted(&self) -> bool {
        self.queue.is_empty() && self.expanding.is_none()
    }

    fn adopt(&mut self, _: &View<'_>, run: RunId, new_branches: &[BranchId]) {
        self.add(run, 0, new_branches);
    }
}
