//! Random branch search: Burnim & Sen 2008 (UCB/EECS-2008-123), section 3.2.
//!
//! "Picks a random branch along the current execution, and, if the branch can be forced, replaces the current execution with
//! the resulting one." As the paper allows, the search begins anew on another input when it found no new branch for
//! `patience` runs.
//!
//! A branch is a place of the program text there (section 2.1): a statement that a conditional leads to. So a *place* is
//! drawn first, evenly among all that some decision of the path leads to and did not go to, then one of the decisions that
//! lead to it: the first, second, … on the path, whichever this search drew least often for this place. Labels of a switch that
//! lead to the same statement are one place. CREST's sources draw evenly among the decisions of the path: most draws go to loops
//! and to labels that come in groups, and what was reached for the first time is seldom drawn before something else changes the path.
//!
//! What differs:
//! * Two searches of four draw without putting back: of the places on the path, one that this search drew least often. Evenly drawn
//!   places keep long inputs changing all over, places drawn in turn follow what is new step by step (grep's bounded repetitions,
//!   four decisions in a row); neither finds what the other does. Both kinds begin at seeds and at random inputs as often.
//! * A new branch is one that is new to this search ([`own_coverage`](crate::own_coverage)), as CREST's control-flow directed search has
//!   it; what the campaign has not covered would end all searches early once little is left.
//! * A run that covers nothing new to the search takes the current one's place by the rule of Metropolis (1953): if it is
//!   [worth](Rarity::worth) as much, else in e^(-loss / T) of the cases, but in one of twenty at least, T being 2 or 0.15 of what
//!   the old one is worth, whichever is less. Half of what random flips of a well-formed input lead to are malformed ones, whose
//!   paths are short, and from which most flips lead to others of that kind. What makes a branch rare is not forgotten when a
//!   search begins anew.
//! * New beginnings are the seeds, then random inputs and seeds by turns.

use crate::flips::alternatives;
use crate::own_coverage::OwnCoverage;
use crate::rarity::Rarity;
use crate::start::{Begin, Rng, Start, Starts};
use crate::{Goal, GoalResult, Strategy, View};
use program::{BlockId, BranchId, CondId, ProgramMap};
use rand::RngExt;
use rustc_hash::FxHashMap;
use trace::RunId;

/// A run that covers nothing new to the search, and is worth less by this, is gone on from in 1/e of the cases: so much, or this part
/// of what the old one is worth, whichever is less.
const LOSS: f64 = 2.0;
const LOSS_OF_WORTH: f64 = 0.15;
/// However much less it is worth, so often it is gone on from: a way through poor ground may be the only one to somewhere else.
const AT_LEAST: f64 = 0.05;

/// How likely to go on from a run worth `new` rather than from one worth `old`.
fn acceptance(old: f64, new: f64) -> f64 {
    if new < old { ((new - old) / LOSS.min(LOSS_OF_WORTH * old)).exp().max(AT_LEAST) } else { 1.0 }
}

/// Where a branch leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Place {
    /// From a conditional to a block.
    Block(CondId, BlockId),
    /// A branch that is no edge of its own in the program: of a `?:` without control flow, a library model, a call.
    Branch(BranchId),
}

impl Place {
    fn of(map: &ProgramMap, branch: BranchId) -> Place {
        let cond = map.branches.get(branch.index()).map(|b| b.cond);
        let to = cond.and_then(|cond| {
            let block = &map.blocks[map.conds[cond.index()].block.index()];
            let edge = block.succs.iter().find(|edge| edge.branch == Some(branch))?;
            Some(Place::Block(cond, edge.to))
        });
        to.unwrap_or(Place::Branch(branch))
    }
}

/// Random branch search.
#[derive(Debug)]
pub struct RandomBranch {
    rng: Rng,
    starts: Starts,
    current: Option<RunId>,
    patience: u32,
    /// Runs since the last branch that was new to the search, or since it began.
    fruitless: u32,
    own: OwnCoverage,
    rarity: Rarity,
    /// Searches begun.
    searches: u32,
    /// How often this search drew each place, and each place's first, second, … decision on the path.
    drawn: FxHashMap<Place, u32>,
    drawn_at: FxHashMap<(Place, u32), u32>,
}

impl RandomBranch {
    /// A search that begins anew after `patience` runs without a branch that is new to it (0: never).
    pub fn new(start: Start, patience: u32) -> RandomBranch {
        RandomBranch {
            rng: start.rng(),
            starts: Starts::new(start, true),
            current: None,
            patience,
            fruitless: 0,
            own: OwnCoverage::default(),
            rarity: Rarity::default(),
            searches: 0,
            drawn: FxHashMap::default(),
            drawn_at: FxHashMap::default(),
        }
    }

    /// Forgets the search: the next one is about to begin.
    fn begin_anew(&mut self) {
        self.fruitless = 0;
        self.own.forget();
        self.searches += 1;
        self.drawn.clear();
        self.drawn_at.clear();
    }

    /// Draws a place, then a decision of the path that leads there.
    fn pick(&mut self, view: &View<'_>, run: RunId) -> Option<Goal> {
        let path = view.paths.path(run)?;
        let map = view.known.map();
        let flips = (0..).zip(&path.decisions).flat_map(|(at, d)| alternatives(map, d).map(move |b| (at, b)));
        let mut flips: Vec<(Place, u32, BranchId)> =
            flips.map(|(at, branch)| (Place::of(map, branch), at, branch)).collect();
        let mut places: Vec<Place> = flips.iter().map(|flip| flip.0).collect();
        places.sort_unstable();
        places.dedup();
        // Searches begin at seeds and at random inputs by turns.
        if self.searches.div_ceil(2) % 2 == 1 {
            places = least_drawn(&places, |place| self.drawn.get(place));
        }
        let place = self.one_of(&places)?;
        *self.drawn.entry(place).or_default() += 1;
        flips.retain(|flip| flip.0 == place);
        let numbers: Vec<u32> = (0..flips.len() as u32).collect();
        let number = self.one_of(&least_drawn(&numbers, |&number| self.drawn_at.get(&(place, number))))?;
        *self.drawn_at.entry((place, number)).or_default() += 1;
        let (_, at, branch) = flips[number as usize];
        Some(Goal::Flip { run, at, branch })
    }

    /// How likely to go on from `run`, which covers nothing new, rather than from the one that it was made from.
    fn goes_on(&self, view: &View<'_>, goal: &Goal, run: RunId) -> f64 {
        let worth = |run| view.paths.path(run).map(|path| self.rarity.worth(&path));
        let old = if let Goal::Flip { run, .. } = *goal { worth(run) } else { None };
        // A path may have been forgotten.
        old.zip(worth(run)).map_or(0.5, |(old, new)| acceptance(old, new))
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.rng.random_range(0..all.len().max(1))).copied()
    }
}

/// Those of which `drawn` says the least (nothing: never).
fn least_drawn<'d, T: Copy>(all: &[T], drawn: impl Fn(&T) -> Option<&'d u32>) -> Vec<T> {
    let times = |one: &T| drawn(one).copied().unwrap_or(0);
    let least = all.iter().map(times).min();
    all.iter().copied().filter(|one| Some(times(one)) == least).collect()
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
            self.begin_anew();
            match self.starts.begin() {
                Begin::At(run) => {
                    self.own.take_in(view.known.map(), view.paths, run);
                    self.current = Some(run);
                }
                Begin::Ask(goal) => return goal,
            }
        }
    }

    fn observe(&mut self, view: &View<'_>, goal: &Goal, result: &GoalResult) {
        // A flip that is not to be had costs no run, and says nothing of the path.
        let run = match *result {
            GoalResult::NewRun { run, .. } => Some(run),
            GoalResult::AlreadyDone { run } => run,
            _ => None,
        };
        if let Some(run) = run {
            let is_new = self.own.take_in(view.known.map(), view.paths, run);
            self.fruitless = if is_new { 0 } else { self.fruitless + 1 };
            // By luck, something new may be covered by a run that strayed.
            if is_new || (result.run().is_some() && self.rng.random_bool(self.goes_on(view, goal, run))) {
                self.current = Some(run);
            }
            if let (GoalResult::NewRun { .. }, Some(path)) = (result, view.paths.path(run)) {
                self.rarity.count(&path);
            }
        }
    }

    fn adopt(&mut self, _: &View<'_>, run: RunId, _: &[BranchId]) {
        self.starts.add(run);
    }
}

#[cfg(test)]
mod tests {
    use super::acceptance;

    #[test]
    fn what_is_worth_less_is_gone_on_from_less_often() {
        assert_eq!((acceptance(3.0, 3.0), acceptance(0.0, 0.0), acceptance(0.0, 9.0)), (1.0, 1.0, 1.0));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        // Two lost of many, or three twentieths of few: once in e.
        assert!(near(acceptance(40.0, 38.0), (-1.0_f64).exp()));
        assert!(near(acceptance(4.0, 3.4), (-1.0_f64).exp()));
        assert!(near(acceptance(40.0, 36.0), (-2.0_f64).exp()));
        assert!(near(acceptance(40.0, 0.0), 0.05) && near(acceptance(1e9, 0.0), 0.05));
    }
}
