//! What a worker is given to do.

use crate::cheap::Order;
use crate::probe::Probe;
use crate::promise::Promise;
use crate::repair::Repair;
use events::{Cause, RunId};
use program::BranchId;
use trace::{Input, Mode};

/// What a worker is given to do.
#[derive(Clone, Debug)]
pub enum Task {
    /// Run an input that is ready.
    Try(Attempt),
    /// Bend the path of a run.
    Flip(Flip),
    /// Keep an assumption that a run broke.
    Repair(Repair),
    /// Send an access out of its object.
    Probe(Probe),
    /// Make a batch of cheap runs.
    Cheap(Order),
    /// Make some steps of a journey.
    Journey(crate::journey::Order),
}

/// A path to bend: that of `parent` up to decision `at`, and there `branch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The run.
    pub parent: RunId,
    /// Index of the decision.
    pub at: u32,
    /// The branch it should take there.
    pub branch: BranchId,
    /// How much a query may cost, see [`crate::Config::first_work`].
    pub level: u8,
}

/// An input to run, and why.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The input.
    pub input: Input,
    /// Why it is run.
    pub cause: Cause,
    /// With or without a trace.
    pub mode: Mode,
    /// Values asked for beyond those in the input are drawn from this seed; zero without one.
    pub value_seed: Option<u64>,
    /// The path it should take, if it came from a flip.
    pub promise: Option<Promise>,
    /// Its input was run before, in a batch or in haste, and counted there.
    pub again: bool,
    /// The run that was stopped in haste and is made again with all its time.
    pub repeats: Option<RunId>,
}

impl Attempt {
    /// A symbolic run of `input`.
    pub fn new(input: Input, cause: Cause) -> Attempt {
        Attempt {
            input,
            cause,
            mode: Mode::Symbolic,
            value_seed: None,
            promise: None,
            again: false,
            repeats: None,
        }
    }

    /// The run that the input was made from.
    pub fn parent(&self) -> Option<RunId> {
        match self.cause {
            Cause::Flip { parent, .. }
            | Cause::Repair { parent, .. }
            | Cause::Probe { parent, .. }
            | Cause::Grow { parent, .. }
            | Cause::Shrink { parent, .. }
            | Cause::Aim { parent }
            | Cause::Shortened { parent } => Some(parent),
            Cause::Seed { .. }
            | Cause::Initial
            | Cause::Resumed { .. }
            | Cause::Random
            | Cause::Mutant
            | Cause::Journey => None,
        }
    }
}
