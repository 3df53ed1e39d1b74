//! Why a run was made, and what came of a flip.

use program::{BranchId, CallId, FunctionId};
use serde::{Deserialize, Serialize};
use trace::RunId;

/// Why a run was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Input number `index` of the seeds the user gave.
    Seed {
        /// Position among the seeds.
        index: u32,
    },
    /// A first input made up because the user gave no seeds.
    Initial,
    /// An input of the corpus of the campaign that is being resumed; `earlier` is the run that found it.
    Resumed {
        /// Its number in the earlier session.
        earlier: RunId,
    },
    /// A random input.
    Random,
    /// A mutant of an input that covered something new.
    Mutant,
    /// Inputs of a run that went on from a snapshot, from its start.
    Journey,
    /// A solved flip.
    Flip {
        /// Run whose path was bent.
        parent: RunId,
        /// Index of the flipped decision among the parent's decisions.
        at: u32,
        /// The branch that was promised.
        branch: BranchId,
    },
    /// An input that keeps an assumption which the parent's broke.
    Repair {
        /// Run whose path ended at the assumption.
        parent: RunId,
        /// Index of the assumption among the events of the parent's trace.
        at: u32,
    },
    /// An input that sends an access out of the object that the parent's went to.
    Probe {
        /// Run whose path leads to the access.
        parent: RunId,
        /// Index of the access's condition among the events of the parent's trace.
        at: u32,
    },
    /// The parent's input with object `object` made longer.
    Grow {
        /// Run whose input was changed.
        parent: RunId,
        /// Index of the input object.
        object: u32,
        /// New length in bytes.
        to: u64,
    },
    /// The parent's input with object `object` made shorter.
    Shrink {
        /// Run whose input was changed.
        parent: RunId,
        /// Index of the input object.
        object: u32,
        /// New length in bytes.
        to: u64,
    },
    /// The parent's input changed so that a conditional that it decides without input comes closer to an open branch.
    Aim {
        /// Run whose input was changed.
        parent: RunId,
    },
    /// As few of the parent's input events as still cover what its test is kept for.
    Shortened {
        /// Run whose input was shortened.
        parent: RunId,
    },
}

/// What the value follows that a conditional compares without holding input, as far as runs show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Follows {
    /// It moved by as many as there were more or fewer bytes of input.
    Bytes,
    /// It moved by as many as this branch was taken more or less often.
    Branch {
        /// The branch.
        branch: BranchId,
    },
    /// It was another one for another input; what it follows is not known.
    Input,
}

/// Where precision was lost, or what a trace check found fault with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A call.
    Call(CallId),
    /// Somewhere in a function.
    Function(FunctionId),
    /// Another site of this number, as the runtime reported it; 0 is unknown.
    Site(u32),
}

/// What came of asking for a flip.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlipAnswer {
    /// There is an input.
    Sat {
        /// It was found only after the values pinned along the path were let go.
        unpinned: bool,
    },
    /// There is an input, but it was run before.
    AlreadyDone {
        /// As in [`FlipAnswer::Sat`].
        unpinned: bool,
    },
    /// No input takes this path and then this branch.
    Unsat {
        /// The proof needs values that were pinned where precision was lost (so it is a proof about this
        /// run's choices only); only when asking without pins gave no answer.
        pinned: bool,
    },
    /// No answer.
    Unknown(Unsolved),
}

/// Why a flip has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unsolved {
    /// The solver's work limit was reached.
    WorkLimit,
    /// The solver's time limit was reached.
    TimeLimit,
    /// The constraints hold something the solver cannot express.
    Unsupported(String),
    /// The solver's model did not satisfy the constraints: a bug in the solver, reported.
    WrongModel,
    /// The solver failed.
    Failed(String),
    /// The trace of the run could not be made again: the program behaved differently on the same input.
    TraceLost,
    /// The constraints could not be built from the trace.
    Malformed(String),
}
