//! Control-flow directed search: *CfgDirectedSearch* of Burnim & Sen, "Heuristics for Scalable Dynamic Test
//! Generation", UCB/EECS-2008-123, section 4.
//!
//! Of the branches beside the current path, one with the least *UncoveredDistance + tries* is forced (drawn at random
//! among equals). The distance is the fewest branches of a static path, in the combined control-flow and call
//! graph, from there to a branch that no run covered. From the forced branch the execution is then driven down *all*
//! static paths of at most that weight to uncovered branches ([`along_path`](crate::along_path)). When something new is
//! covered, that path becomes the current one, all tries go back to zero, and distances are computed again;
//! otherwise the branch's tries grow by one and the next one is selected on the old path. New and uncovered mean: by
//! this search since it began ([`own_coverage`](crate::own_coverage)); it begins anew after [`PATIENCE`] runs without
//! a new branch, as in CREST's sources.
//!
//! What differs:
//! * A place is selected at most once per current path and wanted branch (the paper: "it never returns to p_i").
//! * The "optimization needed for small programs", which the paper omits: when no place on the path is left that has a
//!   static path to an uncovered branch, a random flip that nobody tried is forced and followed, as in random
//!   branch search; when there is none either, the search begins anew.
//! * A branch that could not be forced counts as tried, too: loops have it on the path many times.
//! * At most [`MAX_STEPS`] forcings follow one selection.
//! * Indirect calls are edges of the graph once they were seen.

use crate::along_path::{Step, steps_after};
use crate::flips::alternatives;
use crate::own_coverage::OwnCoverage;
use crate::start::{Begin, Rng, Start, Starts};
use crate::{Goal, GoalResult, Strategy, View};
use program::BranchId;
use rand::seq::IteratorRandom;
use rustc_hash::{FxHashMap, FxHashSet};
use trace::RunId;

/// Most forcings of one search along static paths.
pub const MAX_STEPS: u32 = 1000;

/// Runs without a new branch after which a search begins anew: what CREST's sources have (`DoSearch(5, 30, …)`).
pub const PATIENCE: u32 = 30;

/// Control-flow directed search.
#[derive(Debug)]
pub struct Cfg {
    rng: Rng,
    starts: Starts,
    /// Runs since the last new branch or beginning.
    fruitless: u32,
    own: OwnCoverage,
    /// The current path.
    current: Option<RunId>,
    /// Flips of the current path selected before.
    selected: FxHashSet<(u32, BranchId)>,
    /// Times that forcing a branch led to nothing new, in this search.
    tries: FxHashMap<BranchId, u32>,
    doing: Doing,
}

/// What the last goal was for.
#[derive(Debug)]
enum Doing {
    /// Nothing, or a new beginning.
    Selecting,
    /// Forcing a selected branch, from which static paths up to `weight` will be searched.
    Forcing { weight: u32 },
    /// Searching along static paths below a selected branch.
    Along { selected: BranchId, todo: Vec<(RunId, Step)>, steps: u32 },
    /// A random flip, for want of anything near.
    Wandering,
}

impl Cfg {
    /// A search.
    pub fn new(start: Start) -> Cfg {
        Cfg {
            rng: start.rng(),
            starts: Starts::new(start, true),
            fruitless: 0,
            own: OwnCoverage::default(),
            current: None,
            selected: FxHashSet::default(),
            tries: FxHashMap::default(),
            doing: Doing::Selecting,
        }
    }

    /// Makes `run` the current path.
    fn follow(&mut self, run: RunId) {
        self.current = Some(run);
        self.selected.clear();
        self.doing = Doing::Selecting;
    }

    /// The next forcing along static paths; ends the search when there is none.
    fn along(&mut self) -> Option<Goal> {
        let Doing::Along { selected, todo, steps } = &mut self.doing else { return None };
        if *steps < MAX_STEPS
            && let Some(&(run, step)) = todo.last()
        {
            *steps += 1;
            return Some(Goal::Flip { run, at: step.at, branch: step.branch });
        }
        *self.tries.entry(*selected).or_default() += 1;
        self.doing = Doing::Selecting;
        None
    }

    /// Selects a branch beside the current path with the least distance plus tries.
    fn select(&mut self, view: &View<'_>, run: RunId) -> Option<Goal> {
        let path = view.paths.path(run)?;
        let distances = self.own.distances(view);
        let mut best = u32::MAX;
        let mut equals: Vec<(u32, BranchId)> = Vec::new();
        for (at, decision) in (0..).zip(&path.decisions) {
            for branch in alternatives(view.known.map(), decision) {
                let Some(distance) = distances.of_branch(branch) else { continue };
                let cost = distance.saturating_add(self.tries.get(&branch).copied().unwrap_or(0));
                if cost > best || self.selected.contains(&(at, branch)) {
                    continue;
                }
                if cost < best {
                    equals.clear();
                    best = cost;
                }
                equals.push((at, branch));
            }
        }
        let (at, branch) = equals.into_iter().choose(&mut self.rng)?;
        self.selected.insert((at, branch));
        self.doing = Doing::Forcing { weight: best };
        Some(Goal::Flip { run, at, branch })
    }

    /// A random flip of the current path that nobody tried.
    fn wander(&mut self, view: &View<'_>, run: RunId) -> Option<Goal> {
        let path = view.paths.path(run)?;
        let walk = view.known.tree.walk(&path.decisions);
        let map = view.known.map();
        let flips = (0..).zip(&path.decisions).flat_map(|(at, d)| alternatives(map, d).map(move |b| (at, b)));
        let worth = flips.filter(|&(at, branch)| walk.is_worth(at as usize, branch));
        let (at, branch): (u32, BranchId) = worth.choose(&mut self.rng)?;
        self.doing = Doing::Wandering;
        Some(Goal::Flip { run, at, branch })
    }

    /// Learns what came of a flip without anything new covered; `run` followed the promised path.
    fn forced(&mut self, view: &View<'_>, goal: &Goal, run: Option<RunId>) {
        let Goal::Flip { at, branch, .. } = *goal else { return };
        match &mut self.doing {
            Doing::Forcing { weight } => {
                let Some(run) = run else {
                    *self.tries.entry(branch).or_default() += 1;
                    self.doing = Doing::Selecting;
                    return;
                };
                let todo = steps(view, &mut self.own, run, at, *weight);
                self.doing = Doing::Along { selected: branch, todo, steps: 0 };
            }
            Doing::Along { todo, .. } => {
                let left = todo.pop().map_or(0, |(_, step)| step.left);
                if let Some(run) = run {
                    todo.extend(steps(view, &mut self.own, run, at, left));
                }
            }
            Doing::Wandering => match run {
                Some(run) => self.follow(run),
                None => self.doing = Doing::Selecting,
            },
            Doing::Selecting => {}
        }
    }
}

/// Steps behind decision `at` of `run`, the nearest last (they are taken from the end).
fn steps(view: &View<'_>, own: &mut OwnCoverage, run: RunId, at: u32, weight: u32) -> Vec<(RunId, Step)> {
    let Some(path) = view.paths.path(run) else { return Vec::new() };
    if at as usize >= path.decisions.len() {
        return Vec::new();
    }
    let steps = steps_after(view.known, own.distances(view), &path, at as usize, weight);
    steps.into_iter().rev().map(|step| (run, step)).collect()
}

impl Strategy for Cfg {
    fn next(&mut self, view: &View<'_>) -> Goal {
        if self.fruitless >= PATIENCE {
            self.current = None;
            self.doing = Doing::Selecting;
        }
        if let Some(goal) = self.along() {
            return goal;
        }
        loop {
            if let Some(run) = self.current
                && let Some(goal) = self.select(view, run).or_else(|| self.wander(view, run))
            {
                return goal;
            }
            self.fruitless = 0;
            self.tries.clear();
            self.own.forget();
            match self.starts.begin() {
                Begin::At(run) => {
                    self.own.take_in(view.known.map(), view.paths, run);
                    self.follow(run);
                }
                Begin::Ask(goal) => return goal,
            }
        }
    }

    fn observe(&mut self, view: &View<'_>, goal: &Goal, result: &GoalResult) {
        let run = match *result {
            GoalResult::NewRun { run, .. } => Some(run),
            GoalResult::AlreadyDone { run } => run,
            _ => None,
        };
        self.fruitless += u32::from(run.is_some());
        // Something new was covered, if only by luck: go on from there.
        if let Some(run) = run
            && self.own.take_in(view.known.map(), view.paths, run)
        {
            self.fruitless = 0;
            self.tries.clear();
            self.follow(run);
        } else if matches!(goal, Goal::Flip { .. }) {
            self.forced(view, goal, result.run());
        } else if let Some(run) = result.run() {
            self.follow(run);
        }
    }

    fn adopt(&mut self, _: &View<'_>, run: RunId, _: &[BranchId]) {
        self.starts.add(run);
    }
}
