//! What the loop needs of the world, handed in: it does no input or output and reads no clock itself.

use crate::findings::Finding;
use crate::witness::Kept;
use events::{FindingId, RunId, Sink};
use solve::Solver;
use std::time::Duration;
use trace::{Input, Run, Target, TargetError};

/// Makes the target of a worker (by its number); called in the worker's own thread, and again after a target
/// failed.
pub type TargetFactory<'w> = dyn Fn(u32) -> Result<Box<dyn Target>, TargetError> + Sync + 'w;

/// Makes the solver of a worker (by its number), with all its decorators.
pub type SolverFactory<'w> = dyn Fn(u32) -> Box<dyn Solver> + Sync + 'w;

/// Function names of a crash stack (link-time addresses, innermost first), innermost first; frames that say
/// nothing about the fault (libc's `abort` and the like, unknown code) left out.
pub type Symbolizer<'w> = dyn Fn(&[u64]) -> Vec<String> + Sync + 'w;

/// Everything handed in.
pub struct World<'w> {
    /// Makes targets.
    pub target: &'w TargetFactory<'w>,
    /// Makes targets for cheap runs (flavour `fast`); `None`: they are made by the targets of ordinary runs.
    pub cheap: Option<&'w TargetFactory<'w>>,
    /// Makes solvers.
    pub solver: &'w SolverFactory<'w>,
    /// Time since the session began.
    pub clock: &'w (dyn Fn() -> Duration + Sync + 'w),
    /// CPU time of the session's search so far, of all its threads and processes; a few hundredths of a second old at most.
    pub spent: &'w (dyn Fn() -> Duration + Sync + 'w),
    /// CPU time of the calling thread.
    pub cpu: &'w (dyn Fn() -> Duration + Sync + 'w),
    /// Whether somebody asked to stop.
    pub stop: &'w (dyn Fn() -> bool + Sync + 'w),
    /// Whether somebody waits for an [`events::Event::Progress`]; asked once a turn, and `true` is taken as answered.
    pub progress: &'w (dyn Fn() -> bool + Sync + 'w),
    /// Names stack frames.
    pub symbolize: &'w Symbolizer<'w>,
    /// Takes the events.
    pub sink: &'w mut dyn Sink,
    /// Keeps inputs and findings.
    pub store: &'w mut dyn RunStore,
}

/// Keeps what must survive the session. Called under the loop's lock, one call at a time, right after the
/// events of the same run; must be quick.
pub trait RunStore: Send {
    /// Keeps a run for its coverage: its input goes into the corpus.
    fn keep(&mut self, id: RunId, run: &Run, why: Kept);

    /// Keeps a run as the reproducer of a finding, replacing the one before.
    fn finding(&mut self, finding: FindingId, id: RunId, run: &Run, stack: &[String]);
}

/// What a session starts with when it continues an earlier one.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Runs made by earlier sessions; numbering goes on from here.
    pub runs: u64,
    /// The corpus, in the order it was found.
    pub corpus: Vec<(RunId, Input)>,
    /// Its findings, with their reproducers.
    pub findings: Vec<(Finding, Input)>,
}
