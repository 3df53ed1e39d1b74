//! Runs that hang: where they come from, which are looked at again, and what is not tried as often for their sake.
//!
//! A hang costs as long as a run may take, thousands of ordinary runs. Three things bound what a search pays for it:
//!
//! * Where the session ends by a clock, runs are made in haste ([`trace::Target::set_haste`]): what takes far longer than all runs before is
//!   stopped early. Such a run is a *suspect*, no finding yet. Of suspects with the same last decision one, and each that gained a branch, is run again with all
//!   its time, when that fits into a tenth of the session so far or nothing else is left to do. If it ends, it is an ordinary run that was slow.
//! * A branch that only runs took which were stopped *leads to a hang*. Flips into one, and flips of such runs behind one, are made at
//!   their first, second, fourth, eighth … time only (counted work, so that a seed still means one campaign).
//! * Time spent waiting for them is work of the part of the strategy that asked for it (`meter`), by the clock.
//!
//! AFL limits hangs by their number for an input and by coverage of its own (`tmout` of its technical whitepaper); it knows no paths.

use crate::task::Attempt;
use events::{RunId, Step};
use fixedbitset::FixedBitSet;
use program::BranchId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::time::Duration;
use trace::{Decision, Run};

/// Looking at suspects may take this part of a session.
const SHARE: u32 = 10;
/// What the first such run is thought to take.
const FIRST: Duration = Duration::from_secs(2);
/// Suspects with one last decision that are run again while such runs end.
const MOST_ALIKE: u32 = 3;
/// Most suspects that wait.
const MOST_WAITING: usize = 64;
/// Most runs that are remembered as stopped.
const MOST_RUNS: usize = 1 << 14;

/// A run that was stopped in haste, as it would be kept as a finding.
pub struct Suspect {
    /// Its number.
    pub id: RunId,
    /// The run, without its trace.
    pub run: Run,
    /// Its last decision.
    pub last: Option<Step>,
    /// Function names of its stack.
    pub stack: Vec<String>,
    /// How it was made.
    pub attempt: Attempt,
}

/// What is known of suspects with one last decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// One waits, or is run again now; so many ended before.
    Asked(u32),
    /// So many ended when they had all their time.
    Ended(u32),
    /// One had all its time, and did not end.
    Hangs,
}

/// What a run that was stopped in haste is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A hang like one that had all its time.
    Hang,
    /// To be run again.
    Ask,
    /// Like one that is to be run again, or like some that ended.
    Nothing,
}

/// See the module.
#[derive(Default)]
pub struct Hangs {
    /// Branches that a run took which ended by itself.
    ended: FixedBitSet,
    /// Branches that a run took which was stopped, and how often flips into them were asked for.
    asked: FxHashMap<BranchId, u32>,
    /// Runs that were stopped, and how often flips behind a branch that leads to a hang were asked for, of each.
    stopped: FxHashMap<RunId, u32>,
    known: FxHashMap<Option<Step>, Known>,
    waiting: VecDeque<Suspect>,
    /// Those that are run again now, by the run they repeat.
    under_way: FxHashMap<RunId, Suspect>,
    /// What looking at suspects took, and the last time.
    spent: Duration,
    last: Option<Duration>,
}

impl Hangs {
    /// Takes in what a run took, and whether it was stopped for taking too long.
    pub fn saw(&mut self, id: RunId, covered: &[BranchId], stopped: bool) {
        if stopped {
            covered.iter().for_each(|&b| _ = self.asked.entry(b).or_default());
            if self.stopped.len() < MOST_RUNS {
                self.stopped.insert(id, 0);
            }
            return;
        }
        if let Some(last) = covered.last() {
            self.ended.grow(last.index() + 1);
        }
        covered.iter().for_each(|b| self.ended.insert(b.index()));
    }

    /// Whether all runs that took this branch were stopped.
    fn leads_to_hang(&self, branch: BranchId) -> bool {
        self.asked.contains_key(&branch) && !self.ended.contains(branch.index())
    }

    /// Whether paths may be left for the sake of hangs: a run was stopped and never made to its end. (Flips are passed over only into or behind
    /// what such runs took.)
    pub fn left_out(&self) -> bool {
        !self.stopped.is_empty()
    }

    /// Whether a flip of decision `at` of a run to `branch` is worth its run now; counts it as asked for. `path`: the run's, if it is at hand.
    pub fn is_due(&mut self, run: RunId, path: &[Decision], at: usize, branch: BranchId) -> bool {
        if self.leads_to_hang(branch) {
            let times = self.asked.entry(branch).or_default();
            *times = times.saturating_add(1);
            return times.is_power_of_two();
        }
        if !self.stopped.contains_key(&run) {
            return true;
        }
        let before = path.iter().take(at).filter_map(|d| d.step.branch());
        let is_behind = before.into_iter().any(|b| self.leads_to_hang(b));
        match self.stopped.get_mut(&run).filter(|_| is_behind) {
            Some(times) => {
                *times = times.saturating_add(1);
                times.is_power_of_two()
            }
            None => true,
        }
    }

    /// A run with this last decision was stopped in haste: what it is. One that `gained` a branch is run again whatever was seen before:
    /// what it would have reached with all its time is lost otherwise.
    pub fn verdict(&mut self, last: Option<Step>, gained: bool) -> Verdict {
        let times = match self.known.get(&last) {
            Some(Known::Hangs) if !gained => return Verdict::Hang,
            Some(Known::Hangs) => 0,
            Some(Known::Asked(_)) if !gained => return Verdict::Nothing,
            Some(Known::Ended(times)) if *times >= MOST_ALIKE && !gained => return Verdict::Nothing,
            Some(Known::Asked(times) | Known::Ended(times)) => *times,
            None => 0,
        };
        if self.waiting.len() >= MOST_WAITING {
            return Verdict::Nothing;
        }
        if self.known.get(&last) != Some(&Known::Hangs) {
            self.known.insert(last, Known::Asked(times));
        }
        Verdict::Ask
    }

    /// Has a run looked at again when there is time for it.
    pub fn suspect(&mut self, suspect: Suspect) {
        self.waiting.push_back(suspect);
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The next suspect to be run again, if that fits into its share of the session so far, or `idle`: there is nothing else to do.
    pub fn next(&mut self, elapsed: Duration, idle: bool) -> Option<Attempt> {
        let fits = self.spent + self.last.unwrap_or(FIRST) <= elapsed / SHARE;
        let suspect = if fits || idle { self.waiting.pop_front()? } else { return None };
        let attempt = Attempt {
            again: true,
            repeats: Some(suspect.id),
            promise: None,
            input: suspect.run.input.clone(),
            ..suspect.attempt.clone()
        };
        self.under_way.insert(suspect.id, suspect);
        Some(attempt)
    }

    /// A suspect was run again and `hangs`, or ended.
    pub fn judged(&mut self, repeats: RunId, hangs: bool) {
        let Some(suspect) = self.under_way.remove(&repeats) else { return };
        let times = match self.known.get(&suspect.last) {
            Some(Known::Asked(times) | Known::Ended(times)) => times + 1,
            Some(Known::Hangs) => return,
            None => 1,
        };
        self.known.insert(suspect.last, if hangs { Known::Hangs } else { Known::Ended(times) });
    }

    /// Looking at a suspect took so long.
    pub fn took(&mut self, time: Duration) {
        self.spent += time;
        self.last = Some(time);
    }

    /// The suspects that were not run again: at the end of a session they are candidates like others.
    pub fn left(&mut self) -> Vec<Suspect> {
        let mut left: Vec<Suspect> =
            self.waiting.drain(..).chain(self.under_way.drain().map(|s| s.1)).collect();
        left.sort_by_key(|s| s.id);
        let mut seen = FxHashSet::default();
        left.retain(|s| seen.insert(s.last));
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use events::Cause;
    use trace::{Input, Outcome};

    fn branches(all: &[u32]) -> Vec<BranchId> {
        all.iter().map(|&b| BranchId(b)).collect()
    }

    fn path(all: &[u32]) -> Vec<Decision> {
        branches(all)
            .into_iter()
            .map(|b| Decision { event: 0, step: Step::Branch(b), callees: 0, context: 0 })
            .collect()
    }

    fn suspect(id: u64, last: u32) -> Suspect {
        let run = Run { outcome: Outcome::Timeout, ..fixtures::run(&[last]) };
        let attempt = Attempt::new(Input::stdin([id as u8]), Cause::Initial);
        Suspect { id: RunId(id), run, last: Some(Step::Branch(BranchId(last))), stack: vec![], attempt }
    }

    #[test]
    fn flips_into_a_branch_that_only_hangs_become_rare() {
        let mut hangs = Hangs::default();
        hangs.saw(RunId(0), &branches(&[1, 2]), false);
        hangs.saw(RunId(1), &branches(&[1, 3]), true);
        let mut due = |b| (0..100).filter(|_| hangs.is_due(RunId(0), &[], 1, BranchId(b))).count();
        assert_eq!((due(2), due(1), due(3)), (100, 100, 7), "1, 2, 4, 8, 16, 32 and 64 of 100");
        // Once a run that took it ends, it is a branch like others.
        hangs.saw(RunId(2), &branches(&[3]), false);
        assert!((0..100).all(|_| hangs.is_due(RunId(0), &[], 1, BranchId(3))));
    }

    #[test]
    fn flips_of_a_run_that_hung_are_made_before_the_place_and_rarely_behind_it() {
        let mut hangs = Hangs::default();
        hangs.saw(RunId(0), &branches(&[1, 2]), false);
        hangs.saw(RunId(1), &branches(&[1, 3, 5]), true);
        let hung = path(&[1, 3, 5, 5, 5]);
        let mut due = |at| (0..16).filter(|_| hangs.is_due(RunId(1), &hung, at, BranchId(9))).count();
        assert_eq!((due(0), due(1), due(4)), (16, 16, 5));
    }

    #[test]
    fn of_suspects_alike_one_is_run_again_and_tells_what_the_others_are() {
        let mut hangs = Hangs::default();
        let last = Some(Step::Branch(BranchId(3)));
        assert_eq!(hangs.verdict(last, false), Verdict::Ask);
        hangs.suspect(suspect(7, 3));
        assert_eq!(hangs.verdict(last, false), Verdict::Nothing);
        let attempt = hangs.next(Duration::ZERO, true).expect("the one");
        assert!(attempt.again && attempt.repeats == Some(RunId(7)));
        hangs.judged(RunId(7), true);
        assert_eq!(hangs.verdict(last, false), Verdict::Hang);
        assert_eq!(hangs.verdict(last, true), Verdict::Ask, "it gained a branch: more may be behind");
        assert_eq!(hangs.verdict(last, false), Verdict::Hang, "the place is known nevertheless");
        assert!(hangs.left().is_empty());
    }

    #[test]
    fn after_three_that_ended_no_more_are_run_again() {
        let mut hangs = Hangs::default();
        let last = Some(Step::Branch(BranchId(3)));
        let mut asked = 0;
        for k in 0..10 {
            if hangs.verdict(last, false) == Verdict::Ask {
                asked += 1;
                hangs.suspect(suspect(k, 3));
                hangs.next(Duration::ZERO, true).expect("the one");
                hangs.judged(RunId(k), false);
            }
        }
        assert_eq!(asked, MOST_ALIKE);
        assert_eq!(hangs.verdict(last, true), Verdict::Ask, "it gained a branch");
        assert_eq!(hangs.verdict(last, true), Verdict::Ask, "and so did this one");
        assert_eq!(hangs.verdict(last, false), Verdict::Nothing);
    }

    #[test]
    fn suspects_wait_until_they_fit_into_their_share_or_nothing_else_is_to_be_done() {
        let mut hangs = Hangs::default();
        (0..3).for_each(|k| hangs.suspect(suspect(k, k as u32)));
        let s = Duration::from_secs;
        assert!(hangs.next(s(19), false).is_none());
        assert!(hangs.next(s(20), false).is_some());
        hangs.took(s(4));
        assert!(hangs.next(s(79), false).is_none(), "4 of 79 seconds were used, and it may take 4 more");
        assert!(hangs.next(s(80), false).is_some());
        assert!(hangs.next(s(80), true).is_some());
        let left: Vec<u64> = hangs.left().iter().map(|s| s.id.0).collect();
        assert_eq!(left, [0, 1, 2], "what was not judged is left");
    }
}
