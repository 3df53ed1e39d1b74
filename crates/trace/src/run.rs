//! What a run leaves behind.

use crate::{Candidate, Glimpse, Glimpses, Input, Snapshots};
use program::{BranchId, CheckKind, CondId, FunctionId};
use std::time::Duration;
use trace_abi::{Event, IndirectCall, PackedNode};

/// How a run is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Coverage only.
    Concrete,
    /// Coverage and symbolic trace.
    Symbolic,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The input.
    pub input: &'a Input,
    /// Symbolic or not.
    pub mode: Mode,
    /// Values asked for beyond those in `input` are drawn from this seed; without one they are zero.
    pub value_seed: Option<u64>,
    /// The run ends quietly when it asks for more inputs than so many; `None`: as the target was set up.
    pub max_inputs: Option<u32>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It exited with this code.
    Exit(i32),
    /// It died of this signal (a crash), except for those below.
    Signal(i32),
    /// It aborted (`abort`, failed `assert`, uncaught C++ exception).
    Abort,
    /// It ran out of its wall-clock or CPU limit.
    Timeout,
    /// It hit its memory limit.
    OutOfMemory,
    /// It wrote more output or file data than allowed.
    OutputLimit,
    /// An operation that was asked about (`--find`) was undefined; the run went on. Only of findings, never of a run.
    Undefined(CheckKind),
}

impl Outcome {
    /// Whether this is a finding (crash, abort, hang) rather than a normal end.
    pub const fn is_finding(self) -> bool {
        matches!(
            self,
            Outcome::Signal(_)
                | Outcome::Abort
                | Outcome::Timeout
                | Outcome::OutOfMemory
                | Outcome::Undefined(_)
        )
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the run really consumed: the request's input, with the values that were asked for.
    pub input: Input,
    /// How it ended.
    pub outcome: Outcome,
    /// Branches taken at least once, ascending.
    pub covered: Vec<BranchId>,
    /// Functions entered at least once, ascending.
    pub entered: Vec<FunctionId>,
    /// Callees seen at indirect calls for the first time since the fork server started (a subset is enough).
    pub indirect_calls: Vec<IndirectCall>,
    /// The symbolic trace, in [`Mode::Symbolic`].
    pub trace: Option<Trace>,
    /// Reads past the end of an object: (object index, length that would have been needed).
    pub past_end: Vec<(u32, u64)>,
    /// What conditionals compared last, symbolic or not, by conditional; in [`Mode::Symbolic`], of code that ran after the first input was read.
    pub compared: Vec<Compared>,
    /// Call stack at a crash, innermost first, as link-time addresses in the executable (0 = outside it).
    pub crash_stack: Vec<u64>,
    /// CPU time.
    pub cpu: Duration,
    /// Peak resident memory in bytes.
    pub max_rss: u64,
}

/// What a conditional compared when it was last decided in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The conditional.
    pub cond: CondId,
    /// Left side minus right side; of a `switch`, the value switched on.
    pub apart: i64,
}

/// The symbolic side of a run: validated copies of what the runtime recorded.
///
/// Invariants, established by whoever builds it from the outside (`execute` calls [`Trace::validated`]): operands refer to smaller labels, widths agree, table references lie inside `tables`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Nodes; index 0 is unused.
    pub nodes: Vec<PackedNode>,
    /// Events in program order.
    pub events: Vec<Event>,
    /// The table area: see `trace_abi::TableHeader`.
    pub tables: Vec<u8>,
    /// The path log (flavour `path`), else empty.
    pub path: Vec<u32>,
    /// How many records did not fit, if any.
    pub dropped: Dropped,
}

/// Records that did not fit into the shared mapping; all zero is the normal case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Expression nodes.
    pub nodes: u64,
    /// Events.
    pub events: u64,
    /// Path-log entries.
    pub path: u64,
    /// Table bytes.
    pub tables: u64,
}

/// Why a run could not be done at all (an outcome is not an error).
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The input does not fit the mapping.
    #[error("the input has {len} bytes, more than the limit of {limit}; raise it with --max-input")]
    InputTooLarge {
        /// Its length.
        len: u64,
        /// The limit.
        limit: u64,
    },
    /// The fork server could not be started or died.
    #[error("{0}")]
    Server(String),
    /// An error of the operating system.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Whoever waits for the session's end, or its time, did not let the run end.
    #[error("stopped: the session is to end")]
    Interrupted,
}

/// Something that can be run: a fork server, or a fake in tests.
pub trait Target {
    /// Runs the program once.
    ///
    /// # Errors
    /// Only when the run could not take place; how the program ended is in [`Run::outcome`].
    fn run(&mut self, request: &Request<'_>) -> Result<Run, TargetError>;

    /// With `yes`, until told otherwise: a run that takes many times as long as those before it did may be stopped before its
    /// time limit. It ends in [`Outcome::Timeout`], too: whether it hangs is seen without haste. Targets need not heed this.
    fn set_haste(&mut self, _yes: bool) {}

    /// A run that was stopped in haste ended by itself when it had all its time: haste is to be less from now on.
    fn relax(&mut self) {}

    /// The target as one that can freeze runs, if it can.
    fn snapshots(&mut self) -> Option<&mut dyn Snapshots> {
        None
    }

    /// Runs many inputs for their coverage, in order, as cheaply as it can; runs need not be isolated from each other
    /// as those of [`Target::run`] are, but what is told of them holds for a run alone. Once `most` time has passed no further one is begun, but
    /// for a first one: [`Glimpses::each`] says how many were made. This implementation makes ordinary runs, shows them all, and
    /// goes by their CPU time.
    ///
    /// # Errors
    /// As [`Target::run`].
    fn run_many(&mut self, candidates: &[Candidate<'_>], most: Duration) -> Result<Glimpses, TargetError> {
        let mut all = Glimpses::default();
        for &Candidate { input, value_seed } in candidates {
            if !all.each.is_empty() && all.cpu >= most {
                break;
            }
            let run = self.run(&Request { input, mode: Mode::Concrete, value_seed, max_inputs: None })?;
            all.cpu += run.cpu;
            all.each.push(Glimpse { outcome: run.outcome, shown: Some(Box::new(run)) });
        }
        Ok(all)
    }
}
