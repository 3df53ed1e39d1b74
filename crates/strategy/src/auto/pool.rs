//! Generational search without complete expansions: the runs that covered most are flipped most.

use crate::flips::alternatives;
use crate::start::Rng;
use crate::{Goal, RunPath, View};
use program::BranchId;
use rand::RngExt;
use std::collections::BTreeSet;
use trace::RunId;

/// Most runs kept; the worst go first.
const MAX_RUNS: usize = 4096;
/// Rank of a run without anything new, in units of a new branch.
const PLAIN: u64 = 1;
/// Places drawn for one goal.
const DRAWS: usize = 8;
/// Fruitless picks (no place drawn was worth it) after which a run is given up.
const MISSES: u32 = 6;

/// Runs by rank.
#[derive(Debug, Default)]
pub(super) struct Pool {
    runs: BTreeSet<Ranked>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    /// Higher is better; ties go to the newer run.
    rank: u64,
    run: RunId,
    bound: u32,
    gain: u64,
    flips: u32,
    misses: u32,
}

impl Ranked {
    fn ranked(mut self) -> Ranked {
        self.rank = (self.gain << 20) / (u64::from(self.flips) + 1);
        self
    }
}

impl Pool {
    /// A run came in.
    pub(super) fn add(&mut self, run: RunId, bound: usize, new_branches: usize) {
        let gain = new_branches as u64 * 8 + PLAIN;
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        self.runs.insert(Ranked { rank: 0, run, bound, gain, flips: 0, misses: 0 }.ranked());
        if self.runs.len() > MAX_RUNS {
            self.runs.pop_first();
        }
    }

    /// A flip of the best run.
    pub(super) fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Goal> {
        while let Some(mut best) = self.runs.pop_last() {
            let Some(path) = view.paths.path(best.run) else { continue };
            best.flips += 1;
            let pick = draw(view, &path, best.bound as usize, rng);
            best.misses = if pick.is_some() { 0 } else { best.misses + 1 };
            if best.misses < MISSES {
                self.runs.insert(best.ranked());
            }
            if let Some((at, branch)) = pick {
                return Some(Goal::Flip { run: best.run, at, branch });
            }
        }
        None
    }
}

/// Draws some places behind `bound` and takes the one that is nearest to an uncovered branch.
fn draw(view: &View<'_>, path: &RunPath, bound: usize, rng: &mut Rng) -> Option<(u32, BranchId)> {
    if bound >= path.decisions.len() {
        return None;
    }
    let walk = view.known.tree.walk(&path.decisions);
    let mut best: Option<(u32, u32, BranchId)> = None;
    for _ in 0..DRAWS {
        let at = rng.random_range(bound..path.decisions.len());
        for branch in alternatives(view.known.map(), &path.decisions[at]) {
            let distance = view.known.distances().of_branch(branch).unwrap_or(u32::MAX);
            if best.is_none_or(|(d, ..)| distance < d) && walk.is_worth(at, branch) {
                best = Some((distance, at as u32, branch));
            }
        }
    }
    best.map(|(_, at, branch)| (at, branch))
}
