//! Interval propagation, branch and prune over machine integers and machine floats, behind `trait Solver`.
//!
//! What an SMT solver cannot express (library functions, remainders, long doubles) and what it takes long for (products,
//! quotients, float arithmetic) mostly has bounds all the same: a sine is at most 1, a square is not negative, an exponential
//! rises. Ranges of all expressions are narrowed by the constraints until one is empty, which proves that there is no
//! solution, or nothing changes; then the ranges of the input are halved. What is left over is sampled: a sample may be a
//! model, and the best ones are where a search begins (feedback-directed unit test generation, sections V and VI, with
//! RealPaver and CORAL; there over the reals, here to the bit of the machine).
//!
//! * `domain`, `range`: what a value may be; `forward`: what an operation may give, one file per family.
//! * `narrow`: operands by what the result may be; `graph`, `contract`: all expressions of a query, until nothing changes.
//! * `branch`: halving; `sample`: inputs from a box; `reasons`: which constraints a proof rests on.
//!
//! Everything follows from the query; work is counted in operations evaluated. A model is right only if the reference
//! evaluator says so; a proof is right because every bound is ("no sample satisfies it" never counts).
#![forbid(unsafe_code)]

mod branch;
mod contract;
mod domain;
mod forward;
mod graph;
mod narrow;
mod range;
mod reasons;
mod sample;

use branch::Outcome;
use contract::{Contraction, Contradiction, State};
use graph::Graph;
use reasons::{MAX_CONSTRAINTS, Reasons};
use sample::Sampler;
use solve::{Answer, Kind, Kinds, Limits, Query, Solver, Starts, Unknown};

/// Which queries are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those with operations that no back end expresses well: library functions, float remainders, long doubles.
    Unsupported,
    /// All but those, before a back end that takes longer. Of queries without floats and products only proofs are looked for: a
    /// back end's models are the better ones for exploring.
    Supported,
}

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which queries are answered.
    pub scope: Scope,
    /// Operations evaluated for one query.
    pub max_work: u64,
    /// Expressions of one query; constraints beyond are left out.
    pub max_nodes: usize,
    /// Seed of the samples.
    pub seed: u64,
}

impl Settings {
    /// The defaults for a scope.
    pub const fn new(scope: Scope) -> Settings {
        let max_work = match scope {
            Scope::Unsupported => 200_000,
            Scope::Supported => 40_000,
        };
        Settings { scope, max_work, max_nodes: 4_000, seed: 0 }
    }
}

/// Operations evaluated in the time of a step of the SMT solver, the unit of work limits.
const PER_STEP: u64 = 256;

/// Cores up to so many constraints are made smaller.
const SMALL_CORE: usize = 12;

/// Interval propagation as a solver.
pub struct Interval {
    settings: Settings,
    kinds: Kinds,
    starts: Starts,
}

impl Interval {
    /// Without anyone to hand samples to.
    pub fn new(settings: Settings) -> Interval {
        Interval::handing_to(settings, Starts::default())
    }

    /// Samples that are no models go to these starts.
    pub fn handing_to(settings: Settings, starts: Starts) -> Interval {
        Interval { settings, kinds: Kinds::default(), starts }
    }
}

impl Solver for Interval {
    fn name(&self) -> &'static str {
        match self.settings.scope {
            Scope::Unsupported => "interval",
            Scope::Supported => "quick interval",
        }
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let kind = self.kinds.kind(query.arena, query.arena_id, query.constraints);
        if (kind == Kind::Odd) != (self.settings.scope == Scope::Unsupported) {
            return Answer::Unknown(Unknown::Unsupported("not a query for intervals".into()));
        }
        let Settings { max_work, max_nodes, seed, .. } = self.settings;
        let Some(graph) = Graph::new(query.arena, query.constraints, max_nodes, MAX_CONSTRAINTS) else {
            return Answer::Unknown(Unknown::Unsupported("too large a constraint for intervals".into()));
        };
        let limit = limits.work.saturating_mul(PER_STEP);
        let mut work = if limit > 0 { limit.min(max_work) } else { max_work };
        let mut state = State::new(&graph);
        let all = 0..graph.roots.len();
        if let Err(Contradiction(core)) = Contraction::new(&graph).begin(&mut state, all, &mut work) {
            return unsat(&graph, smaller(&graph, core, &mut work));
        }
        let sampler = Sampler::new(query, &graph, seed);
        let finds = kind != Kind::Integer;
        match branch::search(query, &graph, &state, sampler, finds, &mut work) {
            Outcome::Sat(model) => Answer::Sat(model),
            Outcome::Unsat(core) => unsat(&graph, core),
            Outcome::Open(samples) => {
                self.starts.offer(query, samples);
                Answer::Unknown(Unknown::WorkLimit)
            }
        }
    }
}

fn unsat(graph: &Graph, core: Reasons) -> Answer {
    let mut core: Vec<usize> = core.iter().map(|root| graph.roots[root].constraint).collect();
    core.sort_unstable();
    Answer::Unsat(core)
}

/// A core of which contraction needs every constraint, if it is small and there is work left.
fn smaller(graph: &Graph, mut core: Reasons, work: &mut u64) -> Reasons {
    if core.iter().nth(SMALL_CORE).is_some() {
        return core;
    }
    for left_out in core.iter() {
        if *work == 0 || core.iter().nth(1).is_none() {
            break;
        }
        let others = core.iter().filter(|&root| root != left_out);
        let mut state = State::new(graph);
        if let Err(Contradiction(less)) = Contraction::new(graph).begin(&mut state, others, work) {
            core = less;
        }
    }
    core
}
