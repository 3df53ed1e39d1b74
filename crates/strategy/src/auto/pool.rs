//! Generational search in portions: the runs that covered most are expanded first, but none at the cost of all others.
//!
//! As in SAGE, a run is expanded from its bound on, place by place, short prefixes first (they are solved fastest and
//! contradict least). After [`PORTION`] flips the run goes back with half of its score, so that one long run does not
//! take all the time. Runs of the same score are taken breadth first.
//!
//! Most flips of a long run are infeasible, and mostly those of the same few conditionals. A flip to a branch
//! that was proved infeasible far more often than it was followed is left out, ever more often.

use crate::flips::alternatives;
use crate::start::Rng;
use crate::{FlipCounts, Goal, View};
use program::BranchId;
use rand::RngExt;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use trace::RunId;

/// Most runs kept; the worst go first.
const MAX_RUNS: usize = 1 << 16;
/// Flips of one run before it is weighed against the others again.
const PORTION: u32 = 64;
/// What a new branch counts against other new features of a path.
const BRANCH: usize = 16;
/// So many infeasible flips of a branch for each one that was followed are no reason to avoid it yet.
const PATIENCE: u32 = 4;

/// What so many other new features are worth together: always less than a branch.
fn worth(features: usize) -> usize {
    (features + 1).ilog2().min(BRANCH as u32 - 1) as usize
}

/// Runs by rank, and the one being expanded.
#[derive(Debug, Default)]
pub(super) struct Pool {
    waiting: BTreeSet<Waiting>,
    expanding: Option<Expansion>,
}

/// A run to be expanded (further); the order is the priority: score, then portions had (fewest first), then age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    score: u32,
    portions: Reverse<u32>,
    run: Reverse<RunId>,
    /// The decision to go on at.
    at: u32,
    /// How many of its other branches are done.
    done: u32,
}

#[derive(Clone, Copy, Debug)]
struct Expansion {
    of: Waiting,
    flips: u32,
}

impl Pool {
    /// A run came in, with so many new branches and so many other new features.
    pub(super) fn add(&mut self, run: RunId, bound: usize, new_branches: usize, features: usize) {
        let at = u32::try_from(bound).unwrap_or(u32::MAX);
        let score = new_branches.saturating_mul(BRANCH).saturating_add(worth(features));
        let score = u32::try_from(score).unwrap_or(u32::MAX);
        self.put(Waiting { score, portions: Reverse(0), run: Reverse(run), at, done: 0 });
    }

    /// Whether no flip is left.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.expanding.is_none()
    }

    fn put(&mut self, waiting: Waiting) {
        self.waiting.insert(waiting);
        if self.waiting.len() > MAX_RUNS {
            self.waiting.pop_first();
        }
    }

    /// The next flip of the run being expanded, or the first one of the next run.
    pub(super) fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Goal> {
        loop {
            let Some(mut expansion) = self.expanding.take() else {
                let of = self.waiting.pop_last()?;
                self.expanding = Some(Expansion { of, flips: 0 });
                continue;
            };
            if expansion.flips >= PORTION {
                let Waiting { score, portions, .. } = expansion.of;
                self.put(Waiting { score: score / 2, portions: Reverse(portions.0 + 1), ..expansion.of });
            } else if let Some(goal) = expansion.next(view, rng) {
                self.expanding = Some(expansion);
                return Some(goal);
            }
        }
    }
}

impl Expansion {
    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Goal> {
        let Waiting { run: Reverse(run), at, done, .. } = &mut self.of;
        let path = view.paths.path(*run)?;
        let walk = view.known.tree.walk(&path.decisions);
        while let Some(decision) = path.decisions.get(*at as usize) {
            for branch in alternatives(view.known.map(), decision).skip(*done as usize) {
                *done += 1;
                if walk.is_worth(*at as usize, branch) && !is_left_out(view, branch, rng) {
                    self.flips += 1;
                    return Some(Goal::Flip { run: *run, at: *at, branch });
                }
            }
            (*at, *done) = (*at + 1, 0);
        }
        None
    }
}

/// Whether a flip to `branch` is left out this time, because hardly any succeeded.
fn is_left_out(view: &View<'_>, branch: BranchId, rng: &mut Rng) -> bool {
    let FlipCounts { followed, infeasible, .. } = view.known.tree.counts(branch);
    let bearable = (followed + 1).saturating_mul(PATIENCE);
    infeasible > bearable && rng.random_range(0..infeasible) >= bearable
}
