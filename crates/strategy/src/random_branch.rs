//! Random branch search: Burnim & Sen 2008 (UCB/EECS-2008-123), section 3.2.
//!
//! A random decision of the current path is forced to another branch; if that succeeds, the new path is the current
//! one. As the paper allows, the search begins anew on another input when it found no new branch for `patience` runs.
//!
//! What differs: a switch of n labels has n other branches, which are drawn as often as those of n other decisions (CREST's
//! front end makes n conditionals of it, so that its search does the same). New beginnings are the seeds, then random inputs
//! and seeds by turns.

use crate::flips::alternatives;
use crate::start::{Begin, Rng, Start, Starts};
use crate::{Goal, GoalResult, Strategy, View};
use program::BranchId;
use rand::RngExt;
use trace::RunId;

/// Random branch search.
#[derive(Debug)]
pub struct RandomBranch {
    rng: Rng,
    starts: Starts,
    current: Option<RunId>,
    patience: u32,
    /// Runs since the last new branch or beginning.
    fruitless: u32,
}

impl RandomBranch {
    /// A search that begins anew after `patience` runs without a new branch (0: never).
    pub fn new(start: Start, patience: u32) -> RandomBranch {
        let starts = Starts::new(start, true);
        RandomBranch { rng: start.rng(), starts, current: None, patience, fruitless: 0 }
    }

    fn pick(&mut self, view: &View<'_>, run: RunId) -> Option<Goal> {
        let path = view.paths.path(run)?;
        let map = view.known.map();
        let others =
            || (0..).zip(&path.decisions).flat_map(|(at, d)| alternatives(map, d).map(move |b| (at, b)));
        let (at, branch) = others().nth(self.rng.random_range(0..others().count().max(1)))?;
        Some(Goal::Flip { run, at, branch })
    }
}

impl Strategy for RandomBranch {
    fn next(&mut self, view: &View<'_>) -> Goal {
        if self.patience > 0 && self.fruitless >= self.patience {
            self.current = None;
        }
        loop {
            if let Some(run) = self.current
                && let Some(goal) = self.pick(view, run)
            {
                return goal;
            }
            self.fruitless = 0;
            match self.starts.begin() {
                Begin::At(run) => self.current = Some(run),
                Begin::Ask(goal) => return goal,
            }
        }
    }

    fn observe(&mut self, _: &View<'_>, _: &Goal, result: &GoalResult) {
        // A flip that is not to be had costs no run, and says nothing of the path.
        if matches!(result, GoalResult::NewRun { .. } | GoalResult::AlreadyDone { .. }) {
            self.fruitless = if result.new_branches().is_empty() { self.fruitless + 1 } else { 0 };
        }
        if let Some(run) = result.run() {
            self.current = Some(run);
        }
    }

    fn adopt(&mut self, _: &View<'_>, run: RunId, _: &[BranchId]) {
        self.starts.add(run);
    }
}
