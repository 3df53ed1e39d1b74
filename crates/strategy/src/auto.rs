//! The default: several ways to find the next goal, and a judge that learns which of them pays.
//!
//! No paper's; made from their parts. The ways ("arms"):
//! * **directed** (`targets`): the flip whose branch has the least *distance + tries*, as in control-flow directed search
//!   (Burnim & Sen 2008, section 4.3), but over all runs instead of the current one: each branch keeps a few places
//!   where it can be forced.
//! * **generational** (`pool`): all flips of the runs that covered most, as in SAGE (Godefroid et al. 2008), but in portions,
//!   so that a long run is not expanded completely before the next, and without flips that are hardly ever feasible.
//! * **size** (`sizes`): a longer input where the program wanted to read more, and a shorter one now and then.
//! * **random**: a burst of random inputs with coverage only, for what needs no solver.
//! * **mutants** (strategy `mixed` only): a batch of mutants of inputs that covered something new, see [`crate::fuzz`].
//!
//! The judge (`Arms`) gives each arm a share of goals in proportion to its recent new branches per goal, never less
//! than a floor, so that nothing starves and the search is never stuck: when the other arms have nothing to offer,
//! random inputs go on. One instance serves all workers; flips out with a worker are `Pending` in the path tree and
//! not given out twice.

mod arms;
mod pool;
mod sizes;
mod targets;

use crate::start::{Rng, Start};
use crate::{Cheap, Goal, GoalResult, Letters, Strategy, View};
use arms::{Arm, Arms};
use pool::Pool;
use program::BranchId;
use rand::RngExt;
use sizes::Sizes;
use targets::Targets;
use trace::{Mode, RunId};

/// The default strategy.
#[derive(Debug)]
pub struct Auto {
    rng: Rng,
    arms: Arms,
    targets: Targets,
    pool: Pool,
    sizes: Sizes,
    /// Whether there are batches of mutants.
    mutants: bool,
    /// Which arm each goal that is out came from: (goal, arm), few at a time.
    out: Vec<(Goal, Arm)>,
}

impl Auto {
    /// A search that has not begun.
    pub fn new(start: Start) -> Auto {
        Auto {
            rng: start.rng(),
            arms: Arms::new(false),
            mutants: false,
            targets: Targets::default(),
            pool: Pool::default(),
            sizes: Sizes::default(),
            out: Vec::new(),
        }
    }

    /// The same with batches of mutants.
    pub fn with_mutants(start: Start) -> Auto {
        Auto { arms: Arms::new(true), mutants: true, ..Auto::new(start) }
    }

    /// A run came in: `bound` decisions were decided by its parent.
    fn learn(&mut self, view: &View<'_>, run: RunId, bound: usize, new_branches: &[BranchId]) {
        let Some(path) = view.paths.path(run) else { return };
        self.targets.add(view, run, &path, bound, &mut self.rng);
        self.pool.add(run, bound, new_branches.len());
        self.sizes.add(run, &path, !new_branches.is_empty());
    }

    fn ask(&mut self, arm: Arm, view: &View<'_>) -> Option<Goal> {
        match arm {
            Arm::Directed => self.targets.pick(view, &mut self.rng),
            Arm::Generational => self.pool.pick(view, &mut self.rng),
            Arm::Size => self.sizes.pick(&mut self.rng),
            Arm::Random => Some(self.random()),
            Arm::Mutants => Some(Goal::Cheap(Cheap::Mutants)),
        }
    }

    fn random(&mut self) -> Goal {
        let letters = if self.rng.random_bool(0.5) { Letters::All } else { Letters::Printable };
        // A symbolic one now and then: its path may lead where no run with a path has been.
        let mode = if self.rng.random_bool(0.1) { Mode::Symbolic } else { Mode::Concrete };
        Goal::Random { mode, letters }
    }

    /// The arm that gave `goal`.
    fn take_back(&mut self, goal: &Goal) -> Option<Arm> {
        let index = self.out.iter().position(|(g, _)| g == goal)?;
        Some(self.out.swap_remove(index).1)
    }
}

impl Strategy for Auto {
    fn next(&mut self, view: &View<'_>) -> Goal {
        let first = self.arms.draw(&mut self.rng);
        let order = [first, Arm::Directed, Arm::Generational, Arm::Size];
        for arm in order {
            // Another worker may be at the same flip or size.
            if let Some(goal) = self.ask(arm, view) {
                self.out.push((goal, arm));
                return goal;
            }
            self.arms.passed(arm);
        }
        // What another worker is at may lead on: random inputs would only use up the budget.
        if view.busy {
            return Goal::Wait;
        }
        let arm = if self.mutants { Arm::Mutants } else { Arm::Random };
        let goal = self.ask(arm, view).unwrap_or(Goal::Finished);
        self.out.push((goal, arm));
        goal
    }

    fn observe(&mut self, view: &View<'_>, goal: &Goal, result: &GoalResult) {
        let new = result.new_branches();
        if let Some(arm) = self.take_back(goal) {
            self.arms.reward(arm, new.len());
        }
        if let Goal::Flip { branch, .. } = goal {
            self.targets.tried(*branch);
        }
        if !new.is_empty() {
            self.targets.forgive();
        }
        let GoalResult::NewRun { run, followed, .. } = result else { return };
        let bound = match goal {
            Goal::Flip { at, .. } if *followed => *at as usize + 1,
            _ => 0,
        };
        self.learn(view, *run, bound, new);
    }

    fn adopt(&mut self, view: &View<'_>, run: RunId, new_branches: &[BranchId]) {
        self.learn(view, run, 0, new_branches);
    }
}
