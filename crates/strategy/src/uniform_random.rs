//! Uniform random search: Burnim & Sen 2008 (UCB/EECS-2008-123), section 3.1.
//!
//! A position i moves along the current path. Of the decisions from i on, the j-th is picked with probability 2^-j,
//! and with the remaining 2^-m (m decisions left) the search ends; so a fair coin is tossed at each decision. When
//! the pick can be forced, the new path is the current one; either way i moves behind the pick. With a complete
//! solver each path with k decisions comes out with probability 2^-k (Proposition 1 there).
//!
//! What differs: at a switch with n branches each of them is equally likely (1/n), which is the same thing for n = 2. A
//! search that ended begins again: at the next seed; when they have all been used, at random inputs and
//! seeds by turns.

use crate::flips::alternatives;
use crate::start::{Begin, Rng, Start, Starts};
use crate::{Goal, GoalResult, RunPath, Strategy, View};
use program::BranchId;
use rand::RngExt;
use trace::RunId;

/// Uniform random search.
#[derive(Debug)]
pub struct UniformRandom {
    rng: Rng,
    starts: Starts,
    /// Current path and position.
    current: Option<(RunId, usize)>,
}

impl UniformRandom {
    /// A search that has not begun.
    pub fn new(start: Start) -> UniformRandom {
        UniformRandom { rng: start.rng(), starts: Starts::new(start, true), current: None }
    }

    /// The first decision from `from` on whose coin falls for another branch.
    fn pick(&mut self, view: &View<'_>, path: &RunPath, from: usize) -> Option<(usize, BranchId)> {
        for (at, decision) in path.decisions.iter().enumerate().skip(from) {
            let others = alternatives(view.known.map(), decision).count();
            let choice = self.rng.random_range(0..=others);
            if choice > 0 {
                let branch = alternatives(view.known.map(), decision).nth(choice - 1)?;
                return Some((at, branch));
            }
        }
        None
    }
}

impl Strategy for UniformRandom {
    fn next(&mut self, view: &View<'_>) -> Goal {
        // Seeds without decisions end at once: give each one a chance, then ask for a random input.
        loop {
            if let Some((run, from)) = self.current.take()
                && let Some(path) = view.paths.path(run)
                && let Some((at, branch)) = self.pick(view, &path, from)
            {
                self.current = Some((run, at + 1));
                return Goal::Flip { run, at: at as u32, branch };
            }
            match self.starts.begin() {
                Begin::At(run) => self.current = Some((run, 0)),
                Begin::Ask(goal) => return goal,
            }
        }
    }

    fn observe(&mut self, _: &View<'_>, goal: &Goal, result: &GoalResult) {
        let from = if let Goal::Flip { at, .. } = goal { *at as usize + 1 } else { 0 };
        if let Some(run) = result.run() {
            self.current = Some((run, from));
        }
    }

    fn adopt(&mut self, _: &View<'_>, run: RunId, _: &[BranchId]) {
        self.starts.add(run);
    }
}
