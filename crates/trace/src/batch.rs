//! Many cheap runs at once: what is asked, and the little that is told of each.

use crate::{Input, Outcome, Run};
use std::time::Duration;

/// An input to be run for its coverage.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The input.
    pub input: &'a Input,
    /// As in [`crate::Request`].
    pub value_seed: Option<u64>,
}

/// What came of one candidate.
#[derive(Clone, Debug)]
pub struct Glimpse {
    /// How it ended.
    pub outcome: Outcome,
    /// The run, made once more and alone, if it showed something: coverage that no candidate of this target, or of those that
    /// share what they have shown, had before (a place, or a number of visits in a new range), or a finding. Without a trace.
    pub shown: Option<Box<Run>>,
}

/// What came of a batch.
#[derive(Clone, Debug, Default)]
pub struct Glimpses {
    /// One for each candidate, in their order.
    pub each: Vec<Glimpse>,
    /// Runs made once more.
    pub alone: u64,
    /// Of these: runs that alone showed nothing, because what an earlier run left behind made the difference, or another target showed it
    /// meanwhile.
    pub unconfirmed: u64,
    /// CPU time of the program.
    pub cpu: Duration,
    /// Time, by the clock on the wall, that runs took which were stopped for taking too long.
    pub hung: Duration,
}
