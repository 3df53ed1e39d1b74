//! Decorator: a model counts only after the reference evaluator has confirmed it.

use crate::{Answer, Limits, Query, Solver, StageStats, Unknown, satisfies};

/// Turns a model that does not satisfy all constraints into [`Unknown::WrongModel`].
pub struct Checked<S> {
    inner: S,
}

impl<S: Solver> Checked<S> {
    /// Around `inner`.
    pub fn new(inner: S) -> Checked<S> {
        Checked { inner }
    }
}

impl<S: Solver> Solver for Checked<S> {
    fn name(&self) -> &'static str {
        "check"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        match self.inner.solve(query, limits) {
            Answer::Sat(model) if !satisfies(query, &model) => Answer::Unknown(Unknown::WrongModel),
            answer => answer,
        }
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}
