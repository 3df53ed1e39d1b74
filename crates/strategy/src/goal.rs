//! What a strategy asks for, and what it is told.

use program::BranchId;
use trace::{Mode, RunId};

/// What to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A random input.
    Random {
        /// [`Mode::Concrete`] for coverage only: fast, but the run has no path unless it covered something new, when
        /// the loop runs it again with symbols before it reports.
        mode: Mode,
        /// What its bytes are drawn from.
        letters: Letters,
    },
    /// Many inputs with coverage only, as cheaply as the target makes them. Those that cover something new are run again with
    /// symbols and announced by [`crate::Strategy::adopt`]; the rest is told by [`GoalResult::Batch`].
    Cheap(Cheap),
    /// Some further steps of hybrid concolic testing: see [`crate::hybrid`]. Told by [`GoalResult::Batch`].
    Journey,
    /// An input that takes `run`'s path up to its decision `at`, and `branch` there.
    Flip {
        /// The run whose path is to be left.
        run: RunId,
        /// Index among the run's decisions.
        at: u32,
        /// The wanted branch, another one of the conditional decided there.
        branch: BranchId,
    },
    /// A flip that was given up, once more, with more work allowed: at level 1 as much as a query may cost by default, at
    /// each further one four times as much.
    Deepen {
        /// As for [`Goal::Flip`].
        run: RunId,
        /// As for [`Goal::Flip`].
        at: u32,
        /// As for [`Goal::Flip`].
        branch: BranchId,
        /// How much more, from 1.
        level: u8,
    },
    /// `run`'s input with object `object` made `to` bytes long (longer than it is).
    Grow {
        /// The run whose input is changed.
        run: RunId,
        /// Index of the input object.
        object: u32,
        /// New length in bytes.
        to: u64,
        /// What the new bytes are.
        fill: Fill,
    },
    /// `run`'s input with object `object` cut to `to` bytes.
    Shrink {
        /// The run whose input is changed.
        run: RunId,
        /// Index of the input object.
        object: u32,
        /// New length in bytes.
        to: u64,
    },
    /// An input that brings a conditional without input closer to a branch that no run took: what the loop thinks best. Only while
    /// [`Knowledge::aims`](crate::Knowledge::aims) says that there is one.
    Aim,
    /// Nothing before the result of a goal that another worker is at: it may give this strategy something to do. Only
    /// while the view says [`busy`](crate::View::busy).
    Wait,
    /// Nothing is left to do.
    Finished,
}

/// Where the inputs of cheap runs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cheap {
    /// Random bytes and lengths.
    Random(Letters),
    /// Mutations of inputs that covered something new, guided by coverage.
    Mutants,
}

/// What random bytes are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letters {
    /// All 256 values, evenly.
    All,
    /// Characters that text formats use.
    Printable,
}

/// What the new bytes of a longer input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// Zeros: the solver fills them in.
    Zeros,
    /// Random printable characters.
    Printable,
    /// The object's own end once more.
    Tail,
}

/// What came of a [`Goal`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalResult {
    /// An input was found and run.
    NewRun {
        /// The run.
        run: RunId,
        /// For a flip: the run's decisions agree with the promised path up to and including the flipped one.
        /// Otherwise true.
        followed: bool,
        /// Branches that no run covered before, ascending; those of library code too.
        new_branches: Vec<BranchId>,
    },
    /// A batch of cheap runs was made.
    Batch {
        /// Branches that its runs were the first to cover; those of library code too.
        new_branches: Vec<BranchId>,
    },
    /// The input was run before.
    AlreadyDone {
        /// By this run, if still known. Its path is that of the goal: for local searches this is as good as a new run.
        run: Option<RunId>,
    },
    /// No input does it.
    Infeasible,
    /// It could not be found out, or the goal could not be pursued (the run is forgotten, the input cannot grow).
    GaveUp,
}

impl GoalResult {
    /// The run that did what the goal asked for, if one did.
    pub fn run(&self) -> Option<RunId> {
        match *self {
            GoalResult::NewRun { run, followed: true, .. } => Some(run),
            GoalResult::AlreadyDone { run } => run,
            _ => None,
        }
    }

    /// Branches that this result covered first.
    pub fn new_branches(&self) -> &[BranchId] {
        match self {
            GoalResult::NewRun { new_branches, .. } | GoalResult::Batch { new_branches } => new_branches,
            _ => &[],
        }
    }
}

/// What a goal cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Work of all kinds, in microseconds of one core: measured where a budget of time makes the campaign depend on the
    /// clock anyway, else counted, at what such work usually takes.
    pub work: u64,
    /// Runs made.
    pub runs: u64,
}

/// What a part of a strategy cost and found so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmCount {
    /// Its name.
    pub name: &'static str,
    /// Goals whose result is in.
    pub goals: u64,
    /// Runs made for them.
    pub runs: u64,
    /// As [`Spent::work`].
    pub work: u64,
    /// Branches that they were the first to cover; those of library code too.
    pub new_branches: u64,
}
