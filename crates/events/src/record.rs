//! How events travel: with what was measured beside them.

use crate::Event;
use serde::{Deserialize, Serialize};

/// What was measured while the event came about; all zero when nothing was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Worker, from 0.
    pub worker: u32,
    /// CPU time of the run, in microseconds.
    pub cpu_us: u64,
    /// Peak resident memory of the run, in bytes.
    pub max_rss: u64,
    /// Time the solver took, in microseconds.
    pub solve_us: u64,
    /// Runs of the session by then, cheap ones too; 0 where nobody counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs: u64,
    /// CPU time of the session's search by then, all its processes together, in microseconds; told of events that are
    /// points of curves (something was covered, entered or found), 0 elsewhere.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub search_cpu_us: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// An event with its number and time, as stored and as printed by `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Number, from 0 within the campaign.
    pub seq: u64,
    /// Milliseconds since the campaign began, added by the sink.
    pub at_ms: u64,
    /// What was measured.
    pub measured: Measured,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Takes events in the order in which they happened.
///
/// The loop calls it under its lock, one call at a time, so an implementation must be quick (write to a
/// buffer or a channel).
pub trait Sink: Send {
    /// Takes one event.
    fn emit(&mut self, event: Event, measured: Measured);
}

impl<F: FnMut(Event, Measured) + Send> Sink for F {
    fn emit(&mut self, event: Event, measured: Measured) {
        self(event, measured)
    }
}
