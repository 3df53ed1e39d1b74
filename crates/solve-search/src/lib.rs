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
mod scope;

use problem::Problem;
use scope::Kind;
use solve::{Answer, Limits, Query, Solver, Unknown};

/// Which queries are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those with operations that no back end expresses well: library functions, float remainders, long doubles.
    Unsupported,
    /// Those with other float operations: for a short attempt before the back end, which takes long for them.
    Floats,
    /// All but the first: for asking after the back end gave up.
    Rest,
}

impl Scope {
    fn holds(self, kind: Kind) -> bool {
        match self {
            Scope::Unsupported => kind == Kind::Odd,
            Scope::Floats => kind == Kind::Float,
            Scope::Rest => kind != Kind::Odd,
        }
    }
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
        let (max_evaluations, max_steps) = match scope {
            Scope::Unsupported => (100_000, 10_000_000),
            Scope::Floats => (4_000, 1_000_000),
            Scope::Rest => (30_000, 2_500_000),
        };
        Settings { scope, seed: 0, max_evaluations, max_steps }
    }
}

/// Evaluations that a query gets at least, or it is not searched.
const MIN_EVALUATIONS: u64 = 100;

/// The search as a solver.
pub struct Search {
    settings: Settings,
    known: scope::Known,
}

impl Search {
    /// A search.
    pub fn new(settings: Settings) -> Search {
        Search { settings, known: scope::Known::default() }
    }
}

impl Solver for Search {
    fn name(&self) -> &'static str {
        match self.settings.scope {
            Scope::Unsupported => "search",
            Scope::Floats => "float search",
            Scope::Rest => "late search",
        }
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        if !self.settings.scope.holds(self.known.kind(query.arena, query.arena_id, query.constraints)) {
            return Answer::Unknown(Unknown::Unsupported("not a query for this search".into()));
        }
        // Less than so many evaluations find nothing.
        let largest = usize::try_from(self.settings.max_steps / MIN_EVALUATIONS).unwrap_or(usize::MAX);
        let Some(mut problem) = Problem::new(query, largest) else {
            return Answer::Unknown(Unknown::Unsupported("too large a query for a search".into()));
        };
        let by_steps = self.settings.max_steps / problem.len().max(1) as u64;
        let most = self.settings.max_evaluations;
        let evaluations = if limits.work > 0 { limits.work.min(most) } else { most };
        match climb::search(&mut problem, self.settings.seed, evaluations.min(by_steps)) {
            Some(model) => Answer::Sat(model),
            None => Answer::Unknown(Unknown::WorkLimit),
        }
    }
}
