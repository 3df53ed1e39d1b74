//! Local search for input bytes with real evaluation.
//!
//! An SMT solver knows nothing of `sin` and needs long for long doubles; here the constraints are simply evaluated, by
//! the reference evaluator's operations, and the input is changed as long as that brings it nearer. How near is the
//! *branch distance* of the field (Korel, "Automated Software Test Data Generation", 1990; Tracey et al., 1998), between
//! floats in units in the last place (Fu and Su, "XSat", CAV 2016), on a logarithmic scale.
//!
//! * `problem`: the constraints as one plan of evaluation, the input bytes and the *fields* they form.
//! * `distance`: how far an input is from satisfying the constraints.
//! * `aim`: what an operand would have to be for a comparison to hold, carried down through invertible operations to the
//!   bytes.
//! * `climb`: the search itself.
//!
//! Everything follows from the query and a seed; work is counted in evaluations. Answers are models or "not found".
#![forbid(unsafe_code)]

mod aim;
mod atom;
mod climb;
mod distance;
mod inverse;
mod problem;
mod random;

use problem::Problem;
use solve::{Answer, Limits, Query, Solver, Unknown};

/// Which queries are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those with operations that no back end expresses well: library functions, float remainders, long doubles.
    Unsupported,
    /// All others: for asking after the back end gave up.
    Rest,
}

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which queries are searched.
    pub scope: Scope,
    /// Seed of all random choices.
    pub seed: u64,
    /// Evaluations of a query without a work limit of its own.
    pub max_evaluations: u64,
    /// Expressions evaluated in all by one query: large queries get fewer evaluations.
    pub max_steps: u64,
}

impl Settings {
    /// The defaults for a scope.
    pub const fn new(scope: Scope) -> Settings {
        Settings { scope, seed: 0, max_evaluations: 200_000, max_steps: 30_000_000 }
    }
}

/// The search as a solver.
pub struct Search {
    settings: Settings,
}

impl Search {
    /// A search.
    pub fn new(settings: Settings) -> Search {
        Search { settings }
    }
}

impl Solver for Search {
    fn name(&self) -> &'static str {
        match self.settings.scope {
            Scope::Unsupported => "search",
            Scope::Rest => "late search",
        }
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let is_odd = problem::has_unsupported(query.arena, query.constraints);
        if is_odd != (self.settings.scope == Scope::Unsupported) {
            return Answer::Unknown(Unknown::Unsupported("not a query for this search".into()));
        }
        let mut problem = Problem::new(query);
        let by_steps = self.settings.max_steps / problem.len().max(1) as u64;
        let evaluations = if limits.work > 0 { limits.work } else { self.settings.max_evaluations };
        match climb::search(&mut problem, self.settings.seed, evaluations.min(by_steps).max(50)) {
            Some(model) => Answer::Sat(model),
            None => Answer::Unknown(Unknown::WorkLimit),
        }
    }
}
