//! Decorator: counts what a stage is asked and answers, and the time that takes on a clock that is handed in.

use crate::{Answer, Limits, Query, Solver, Unknown};
use std::sync::Arc;
use std::time::Duration;

/// Time since some fixed moment. This crate reads no clock itself.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A clock that stands still.
pub fn no_clock() -> Clock {
    Arc::new(|| Duration::ZERO)
}

/// Counts of one stage, with everything inside it: what a stage answered by itself is its count less that of the stage
/// after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageStats {
    /// Name of the stage.
    pub name: &'static str,
    /// Queries.
    pub asked: u64,
    /// Answered with a model.
    pub sat: u64,
    /// Answered as unsatisfiable.
    pub unsat: u64,
    /// Not answered.
    pub unknown: u64,
    /// Not answered because a model was wrong (a bug of the back end or of its translation).
    pub wrong_models: u64,
    /// Time spent.
    pub time: Duration,
}

/// Counts around a stage.
pub struct Metered<S> {
    inner: S,
    clock: Clock,
    stats: StageStats,
}

impl<S: Solver> Metered<S> {
    /// Around `inner`, under its name.
    pub fn new(inner: S, clock: Clock) -> Metered<S> {
        let stats = StageStats { name: inner.name(), ..StageStats::default() };
        Metered { inner, clock, stats }
    }
}

impl<S: Solver> Solver for Metered<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let start = (self.clock)();
        let answer = self.inner.solve(query, limits);
        self.stats.time += (self.clock)().saturating_sub(start);
        self.stats.asked += 1;
        match &answer {
            Answer::Sat(_) => self.stats.sat += 1,
            Answer::Unsat(_) => self.stats.unsat += 1,
            Answer::Unknown(reason) => {
                self.stats.unknown += 1;
                self.stats.wrong_models += u64::from(*reason == Unknown::WrongModel);
            }
        }
        answer
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        stages.push(self.stats.clone());
        self.inner.stages(stages);
    }
}
