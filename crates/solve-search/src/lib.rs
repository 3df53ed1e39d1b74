//! Local search for input bytes with real evaluation.
//!
//! An SMT solver knows nothing of `sin` and needs long for long doubles; here the constraints are simply evaluated, by
//! the reference evaluator's operations, and the input is changed as long as that brings it nearer. How near is the
//! *branch distance* of the field (Korel, "Automated Software Test Data Generation", 1990; Tracey et al., 1998), between
//! floats in units in the last place (Fu and Su, "XSat", CAV 2016), on a logarithmic scale.
//!
//! * `part`: a constraint ready for evaluation, its input bytes and the *fields* they form; `shelf`: parts kept between
//!   queries, compiled (`trait Compiler`, crate `solve-jit`) when they are evaluated often.
//! * `distance`, `atom`: how far an input is from satisfying a constraint.
//! * `aim`: what an operand would have to be for a comparison to hold, carried down through invertible operations to the
//!   bytes.
//! * `climb`: the search itself; `moves`: other values for fields.
//!
//! Everything follows from the query and a seed; work is counted in evaluations. Answers are models or "not found".
#![forbid(unsafe_code)]

mod aim;
mod atom;
mod climb;
mod distance;
mod inverse;
mod moves;
mod part;
mod shelf;
mod touching;

pub use atom::{ONE, SCALE, UNIT, distance, is_comparison, wide_distance};
pub use distance::{Formula, Formulas};
pub use part::{Layout, Node, NodeId, Part, PartTable, Scratch};
pub use shelf::{Compiler, Native, Shelf};

use climb::{Budget, Found};
use solve::{Answer, Kind, Kinds, Limits, Model, Query, Solver, Starts, Unknown};

/// Which queries are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those with floats that the back end expresses, which it takes a hundred times as long for: a quick attempt before it. (Where
    /// it is fast, its models are the better ones for exploring: a search stays close to the run's own input, and what lies next to a
    /// flip is seen less often.)
    Floats,
    /// Those with operations that no back end expresses well: library functions, float remainders, long doubles.
    Unsupported,
    /// All but those: for asking after the back end gave up.
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
    /// Expressions evaluated in all by one query: large queries get fewer evaluations. A compiled expression counts an
    /// eighth, compiling what it costs.
    pub max_steps: u64,
    /// Expressions of one constraint: larger ones are never changed in their value.
    pub max_nodes: usize,
}

impl Settings {
    /// The defaults for a scope.
    pub const fn new(scope: Scope) -> Settings {
        let (max_evaluations, max_steps) = match scope {
            Scope::Floats => (2_000, 800_000),
            Scope::Unsupported => (100_000, 10_000_000),
            Scope::Rest => (30_000, 2_500_000),
        };
        Settings { scope, seed: 0, max_evaluations, max_steps, max_nodes: 20_000 }
    }
}

/// Evaluations in the time of a step of the SMT solver, the unit of work limits.
const PER_STEP: u64 = 16;

/// The search as a solver.
pub struct Search {
    settings: Settings,
    kinds: Kinds,
    starts: Starts,
    shelf: Shelf,
}

impl Search {
    /// A search with a shelf of its own, that interprets expressions.
    pub fn new(settings: Settings) -> Search {
        Search::on(settings, Shelf::new(None))
    }

    /// A search on a shelf that others use, too.
    pub fn on(settings: Settings, shelf: Shelf) -> Search {
        Search { settings, kinds: Kinds::default(), starts: Starts::default(), shelf }
    }

    /// The same, beginning anew at these inputs as well.
    #[must_use]
    pub fn starting_at(self, starts: Starts) -> Search {
        Search { starts, ..self }
    }
}

impl Solver for Search {
    fn name(&self) -> &'static str {
        match self.settings.scope {
            Scope::Floats => "quick search",
            Scope::Unsupported => "search",
            Scope::Rest => "late search",
        }
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let kind = self.kinds.kind(query.arena, query.arena_id, query.constraints);
        if !self.settings.scope.holds(kind) {
            return Answer::Unknown(Unknown::Unsupported("not a query for this search".into()));
        }
        if query.constraints.is_empty() {
            return Answer::Sat(Model::new());
        }
        let most = self.settings.max_evaluations;
        let limit = limits.work.saturating_mul(PER_STEP);
        let evaluations = if limit > 0 { limit.min(most) } else { most };
        let steps = self.settings.max_steps / most.max(1) * evaluations;
        let budget = Budget { evaluations, steps, max_nodes: self.settings.max_nodes };
        let mut shelf = self.shelf.open();
        let starts = self.starts.of(query);
        match climb::search(query, &mut shelf, self.settings.seed, budget, starts) {
            Found::Model(model) => Answer::Sat(model),
            Found::Nothing => Answer::Unknown(Unknown::WorkLimit),
            Found::TooLarge => {
                Answer::Unknown(Unknown::Unsupported("too large a constraint for a search".into()))
            }
        }
    }
}
