//! The default: several ways to find the next goal, and a judge that gives CPU to those that pay.
//!
//! No paper's; made from their parts. The ways ("arms"):
//! * **directed** (`targets`): the flip whose branch has the least *distance + tries*, as in control-flow directed search
//!   (Burnim & Sen 2008, section 4.3), but over all runs instead of the current one: each branch keeps a few places
//!   where it can be forced.
//! * **generational** (`pool`): all flips of the runs that covered most, as in SAGE (Godefroid et al. 2008), but in portions,
//!   so that a long run is not expanded completely before the next, and without flips that are hardly ever feasible. Among
//!   runs that covered nothing new, those whose paths are new in other ways come first (`novelty`).
//! * **mutants**: a batch of mutants of inputs that covered something new, see [`crate::fuzz`]; what either side finds the
//!   other goes on from. Given up for good where no batch can be made.
//! * **deeper** (`deeper`): flips whose first, short query was given up, with more work allowed.
//! * **aims**: inputs that bring a conditional which runs decided without input (by a count, by flags) closer to its open branch; the loop
//!   knows which ([`Goal::Aim`]). Where there are none, the arm is left out. Paths of its runs are bent by the first two arms when nothing else is left.
//! * **size** (`sizes`): a longer input where the program wanted to read more, and a shorter one now and then.
//! * **random**: random inputs, for what needs neither solver nor parents.
//!
//! The judge (`arms`) shares work out by recent new branches per unit of work ([`Spent`]). Nothing starves and the search is
//! never stuck: when the other arms have nothing to offer, mutants and random inputs go on. One instance serves all
//! workers; flips out with a worker are `Pending` in the path tree and not given out twice.

mod arms;
mod deeper;
mod novelty;
mod pool;
mod sizes;
mod targets;

use crate::start::{Rng, Start};
use crate::{ArmCount, Cheap, Goal, GoalResult, Letters, Spent, Strategy, View};
use arms::{Arm, Arms};
use deeper::Deeper;
use novelty::Novelty;
use pool::Pool;
use program::BranchId;
use rand::RngExt;
use sizes::Sizes;
use std::collections::VecDeque;
use targets::Targets;
use trace::{Mode, RunId};

/// Batches that fail in a row before mutants are given up.
const MOST_FAILURES: u32 = 3;
/// Runs that wait until nothing else is left.
const MOST_ASIDE: usize = 1 << 16;

/// The default strategy.
#[derive(Debug)]
pub struct Auto {
    rng: Rng,
    arms: Arms,
    targets: Targets,
    pool: Pool,
    novelty: Novelty,
    deeper: Deeper,
    sizes: Sizes,
    /// Batches that failed in a row.
    failures: u32,
    /// Goals that are out, few at a time.
    out: Vec<Out>,
    /// Runs of aims that covered nothing new: their paths are bent when nothing else is left to bend.
    aside: VecDeque<RunId>,
    /// Such a run was dropped.
    forgot: bool,
    /// Branches of the run that comes next, see [`Strategy::reaches`].
    half_taken: Vec<BranchId>,
}

/// A goal that is out.
#[derive(Debug)]
struct Out {
    goal: Goal,
    arm: Arm,
    /// Work it was thought to cost.
    estimate: f64,
    /// What it cost, as far as that was told.
    spent: Spent,
}

impl Auto {
    /// A search that has not begun, with or without mutants.
    pub fn new(start: Start, mutants: bool) -> Auto {
        Auto {
            rng: start.rng(),
            arms: Arms::new(),
            targets: Targets::default(),
            pool: Pool::default(),
            novelty: Novelty::default(),
            deeper: Deeper::default(),
            sizes: Sizes::default(),
            failures: if mutants { 0 } else { MOST_FAILURES },
            out: Vec::new(),
            aside: VecDeque::new(),
            forgot: false,
            half_taken: Vec::new(),
        }
    }

    /// A run came in: `bound` decisions were decided by its parent.
    fn learn(&mut self, view: &View<'_>, run: RunId, bound: usize, new_branches: &[BranchId]) {
        let Some(path) = view.paths.path(run) else { return };
        self.targets.add(view, run, &path, bound, &mut self.rng);
        let features = self.novelty.add(&path.decisions, &self.half_taken);
        self.pool.add(run, bound, new_branches.len(), features);
        self.sizes.add(run, &path, !new_branches.is_empty());
    }

    fn ask(&mut self, arm: Arm, view: &View<'_>) -> Option<Goal> {
        match arm {
            Arm::Directed => self.targets.pick(view, &mut self.rng),
            Arm::Generational => loop {
                if let Some(goal) = self.pool.pick(view, &mut self.rng) {
                    break Some(goal);
                }
                let run = self.aside.pop_front()?;
                self.learn(view, run, 0, &[]);
            },
            Arm::Size => self.sizes.pick(&mut self.rng),
            Arm::Random => Some(self.random()),
            Arm::Aims => view.known.aims.then_some(Goal::Aim),
            Arm::Deeper => self.deeper.pick(view),
            Arm::Mutants => (self.failures < MOST_FAILURES).then_some(Goal::Cheap(Cheap::Mutants)),
        }
    }

    fn random(&mut self) -> Goal {
        let letters = if self.rng.random_bool(0.5) { Letters::All } else { Letters::Printable };
        // A symbolic one now and then: its path may lead where no run with a path has been.
        let mode = if self.rng.random_bool(0.1) { Mode::Symbolic } else { Mode::Concrete };
        Goal::Random { mode, letters }
    }

    fn give(&mut self, goal: Goal, arm: Arm) -> Goal {
        let estimate = self.arms.goes_out(arm);
        self.out.push(Out { goal, arm, estimate, spent: Spent::default() });
        goal
    }

    /// Takes note of what came of a goal that was out.
    fn settle(&mut self, goal: &Goal, new_branches: usize) {
        let Some(index) = self.out.iter().position(|out| out.goal == *goal) else { return };
        let Out { arm, estimate, spent, .. } = self.out.swap_remove(index);
        self.arms.settle(arm, estimate, spent, new_branches);
    }
}

impl Strategy for Auto {
    fn next(&mut self, view: &View<'_>) -> Goal {
        for arm in self.arms.order() {
            // Another worker may be at the same flip or size.
            if let Some(goal) = self.ask(arm, view) {
                return self.give(goal, arm);
            }
        }
        // Not reached: there are always random inputs.
        Goal::Finished
    }

    fn charge(&mut self, goal: &Goal, spent: Spent) {
        if let Some(out) = self.out.iter_mut().find(|out| out.goal == *goal) {
            out.spent = spent;
        }
    }

    fn reaches(&mut self, half_taken: &[BranchId]) {
        self.half_taken.clear();
        self.half_taken.extend_from_slice(half_taken);
    }

    fn observe(&mut self, view: &View<'_>, goal: &Goal, result: &GoalResult) {
        let new = result.new_branches();
        self.settle(goal, new.len());
        let given_up = *result == GoalResult::GaveUp;
        match *goal {
            Goal::Flip { run, at, branch } | Goal::Deepen { run, at, branch, .. } => {
                let path = view.paths.path(run);
                let decision = path.as_ref().and_then(|path| path.decisions.get(at as usize));
                self.targets.tried((branch, decision.map_or(0, |d| d.setting())));
                let level = if let Goal::Deepen { level, .. } = *goal { level } else { 0 };
                if given_up {
                    self.deeper.add(view, run, at, branch, level);
                }
            }
            Goal::Cheap(_) => self.failures = if given_up { self.failures + 1 } else { 0 },
            _ => {}
        }
        if !new.is_empty() {
            self.targets.forgive();
        }
        let GoalResult::NewRun { run, followed, .. } = result else { return };
        if *goal == Goal::Aim && new.is_empty() {
            // The loop goes on from it where it came closer; what others leave of its path comes last.
            self.aside.push_back(*run);
            if self.aside.len() > MOST_ASIDE {
                self.aside.pop_front();
                self.forgot = true;
            }
            return;
        }
        let bound = match goal {
            Goal::Flip { at, .. } | Goal::Deepen { at, .. } if *followed => *at as usize + 1,
            _ => 0,
        };
        self.learn(view, *run, bound, new);
    }

    fn adopt(&mut self, view: &View<'_>, run: RunId, new_branches: &[BranchId]) {
        self.learn(view, run, 0, new_branches);
    }

    fn ledger(&self) -> Vec<ArmCount> {
        self.arms.counts()
    }

    fn is_exhausted(&self) -> bool {
        let random = |out: &Out| matches!(out.goal, Goal::Random { .. } | Goal::Cheap(_));
        !self.forgot
            && self.pool.is_empty()
            && self.aside.is_empty()
            && self.targets.is_empty()
            && self.deeper.is_empty()
            && self.sizes.is_empty()
            && self.out.iter().all(random)
    }
}
