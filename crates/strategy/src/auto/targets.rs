//! Directed search over all runs: for each branch a few places where it can be forced.

use crate::flips::alternatives;
use crate::start::Rng;
use crate::{Goal, RunPath, View};
use program::BranchId;
use rand::RngExt;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use trace::RunId;

/// Places kept per branch.
const PLACES: usize = 24;
/// Stands for the distance of a branch without a static path to an uncovered one (functions return, after all: what
/// it decides may matter to the caller).
const NO_STATIC_PATH: u32 = 12;

/// Branches that can be forced.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// By branch and setting ([`path_tree::Decision::setting`]): what callers of a small function want of it are targets of their own.
    /// Ordered: the same answers give the same goals.
    branches: BTreeMap<(BranchId, u16), Target>,
}

#[derive(Debug, Default)]
struct Target {
    places: Vec<(RunId, u32)>,
    /// Places offered so far.
    offered: u64,
    /// Flips tried of late.
    tries: u32,
}

impl Targets {
    /// Offers the flips of a new run from decision `bound` on. The first place of a branch in a run always enters, the
    /// others with falling probability, so that loops do not crowd out the rest.
    pub(super) fn add(&mut self, view: &View<'_>, run: RunId, path: &RunPath, bound: usize, rng: &mut Rng) {
        let map = view.known.map();
        let walk = view.known.tree.walk(&path.decisions);
        let mut here: FxHashMap<(BranchId, u16), u32> = FxHashMap::default();
        for (at, decision) in path.decisions.iter().enumerate().skip(bound) {
            for branch in alternatives(map, decision) {
                let key = (branch, decision.setting());
                let times = here.entry(key).or_default();
                *times += 1;
                if (*times > 2 && rng.random_range(0..*times) > 1) || !walk.is_worth(at, branch) {
                    continue;
                }
                self.branches.entry(key).or_default().offer((run, at as u32), rng);
            }
        }
    }

    /// A flip of the branch with the least distance plus tries that has a place left.
    pub(super) fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Goal> {
        loop {
            let key = self.cheapest(view, rng)?;
            let (target, branch) = (self.branches.get_mut(&key)?, key.0);
            while let Some((run, at)) = target.take(rng) {
                let Some(path) = view.paths.path(run) else { continue };
                if view.known.tree.is_worth(&path.decisions, at as usize, branch) {
                    return Some(Goal::Flip { run, at, branch });
                }
            }
        }
    }

    /// Whether no place is left.
    pub(super) fn is_empty(&self) -> bool {
        self.branches.values().all(|target| target.places.is_empty())
    }

    fn cheapest(&self, view: &View<'_>, rng: &mut Rng) -> Option<(BranchId, u16)> {
        let mut best: Option<(u32, (BranchId, u16))> = None;
        let mut equals = 0u32;
        for (&key, target) in self.branches.iter().filter(|(_, t)| !t.places.is_empty()) {
            let cost = distance(view, key).saturating_add(target.tries);
            match best {
                Some((least, _)) if cost > least => continue,
                Some((least, _)) if cost == least => equals += 1,
                _ => equals = 1,
            }
            if rng.random_range(0..equals) == 0 {
                best = Some((cost, key));
            }
        }
        best.map(|(_, key)| key)
    }

    /// A flip of the branch in this setting was tried.
    pub(super) fn tried(&mut self, key: (BranchId, u16)) {
        let target = self.branches.entry(key).or_default();
        target.tries = target.tries.saturating_add(1);
    }

    /// Something new was covered: what failed before may go now.
    pub(super) fn forgive(&mut self) {
        for target in self.branches.values_mut() {
            target.tries /= 2;
        }
    }
}

/// How far a branch in a setting is from the nearest goal.
fn distance(view: &View<'_>, (branch, setting): (BranchId, u16)) -> u32 {
    let (known, map) = (view.known, view.known.map());
    // The failing side of a check is a goal by itself.
    if map.check_outcome(branch).is_some_and(|(_, fails)| fails) || known.is_wanted(branch, setting) {
        return 0;
    }
    let distances = known.distances();
    let inside = distances.of_branch(branch);
    // The graph has no edges from a function's end back to its callers. In a calling context it is known where it goes on.
    let calls = if map.in_context(branch, setting).is_some() { map.context_calls(setting) } else { &[] };
    let behind = calls.iter().filter_map(|&call| distances.of(known.graph().behind(call)?));
    inside.into_iter().chain(behind).min().unwrap_or(NO_STATIC_PATH)
}

impl Target {
    /// Keeps the place; when there are enough, in place of a random one, ever less likely (reservoir sampling, but
    /// never below a quarter: newer runs know more).
    fn offer(&mut self, place: (RunId, u32), rng: &mut Rng) {
        self.offered += 1;
        if self.places.len() < PLACES {
            self.places.push(place);
            return;
        }
        let chance = (PLACES as f64 / self.offered as f64).max(0.25);
        if rng.random_bool(chance) {
            let index = rng.random_range(0..PLACES);
            self.places[index] = place;
        }
    }

    /// Takes a place away: of two drawn at random the one with the shorter prefix, which is solved faster and contradicts
    /// the wanted branch less often.
    fn take(&mut self, rng: &mut Rng) -> Option<(RunId, u32)> {
        if self.places.is_empty() {
            return None;
        }
        let mut draw = || rng.random_range(0..self.places.len());
        let (a, b) = (draw(), draw());
        let index = if self.places[a].1 <= self.places[b].1 { a } else { b };
        Some(self.places.swap_remove(index))
    }
}
