//! Decorator: constraints of the path come in only when a model breaks them.
//!
//! Most alternatives are infeasible for a reason that lies in a few constraints, mostly on the goal's own bytes, and most
//! models of the goal break none of the others. So the goal is asked about first together with what is said of
//! each of its bytes alone. A contradiction among them is one of the whole. A model is evaluated on the
//! whole: the constraints that it breaks are added, those that read the fewest bytes first, twice as many in each
//! round, and the question is put again. What is never broken is never translated; on long paths (tables read through
//! symbolic addresses, hashes) that is nearly everything.
//!
//! Abstraction and refinement by counterexamples, as CEGAR (Clarke et al., CAV 2000) and the lazy arrays of STP (Ganesh and
//! Dill, CAV 2007) do it, with constraints as the unit. What differs: a model says nothing of bytes that nothing asked
//! about so far, so these keep their values in the run, under which all of the path holds.

use crate::{Answer, Clock, Limits, Model, Query, Solver, StageStats, Unknown};
use expr::{Arena, Evaluator, ExprId, InputSet};

/// Constraints added in the first round.
const FIRST: usize = 4;
/// Lists of constraints shorter than this are asked about as they are.
const SHORT: usize = 4;

/// Asks `S` about ever more of the constraints.
pub struct Lazy<S> {
    inner: S,
    clock: Clock,
}

impl<S: Solver> Lazy<S> {
    /// Around `inner`. All rounds share one time limit, by this clock; a work limit is that of each round.
    pub fn new(inner: S, clock: Clock) -> Lazy<S> {
        Lazy { inner, clock }
    }

    /// Asks about the chosen ones; a core's indexes are those of the whole.
    fn ask(&mut self, query: &mut Query<'_>, chosen: &Chosen, limits: &Limits) -> Answer {
        let indexes: Vec<usize> = (0..chosen.is_in.len()).filter(|&k| chosen.is_in[k]).collect();
        let constraints: Vec<ExprId> = indexes.iter().map(|&k| query.constraints[k]).collect();
        let mut part = Query {
            arena: query.arena,
            arena_id: query.arena_id,
            constraints: &constraints,
            hint: query.hint,
        };
        match self.inner.solve(&mut part, limits) {
            Answer::Unsat(core) => Answer::Unsat(core.into_iter().map(|k| indexes[k]).collect()),
            answer => answer,
        }
    }
}

impl<S: Solver> Solver for Lazy<S> {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        if query.constraints.len() < SHORT {
            return self.inner.solve(query, limits);
        }
        let began = (self.clock)();
        let mut chosen = Chosen::of_goal(query.arena, query.constraints);
        let mut more = FIRST;
        loop {
            let Some(limits) = limits.left((self.clock)().saturating_sub(began)) else {
                return Answer::Unknown(Unknown::TimeLimit);
            };
            let model = match self.ask(query, &chosen, &limits) {
                Answer::Sat(model) => model,
                answer => return answer,
            };
            let broken = broken(query, &chosen, &model);
            if broken.is_empty() {
                return Answer::Sat(model);
            }
            chosen.add(query.arena, query.constraints, broken, more);
            more *= 2;
        }
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}

/// The constraints of a round.
struct Chosen {
    is_in: Vec<bool>,
    /// The bytes that they read.
    free: InputSet,
}

impl Chosen {
    /// The goal (the last) and what is said of each of its bytes alone.
    fn of_goal(arena: &mut Arena, constraints: &[ExprId]) -> Chosen {
        let free = constraints.last().map_or(InputSet::EMPTY, |&goal| arena.input_set(goal));
        let mut chosen = Chosen { is_in: vec![false; constraints.len()], free };
        if let Some(goal) = chosen.is_in.last_mut() {
            *goal = true;
        }
        chosen.add_single(arena, constraints);
        chosen
    }

    /// Takes in `count` of the broken ones, those that read the fewest bytes first.
    fn add(&mut self, arena: &mut Arena, constraints: &[ExprId], mut broken: Vec<usize>, count: usize) {
        let bytes = |&index: &usize| arena.inputs(constraints[index]).iter().count();
        broken.sort_by_cached_key(bytes);
        for &index in broken.iter().take(count) {
            self.is_in[index] = true;
            let set = arena.input_set(constraints[index]);
            self.free = arena.union_inputs(self.free, set);
        }
        self.add_single(arena, constraints);
    }

    /// What is said of a single byte that may change costs little and spares rounds.
    fn add_single(&mut self, arena: &mut Arena, constraints: &[ExprId]) {
        for (index, &constraint) in constraints.iter().enumerate() {
            if !self.is_in[index] && arena.inputs(constraint).iter().nth(1).is_none() {
                let set = arena.input_set(constraint);
                self.is_in[index] = arena.union_inputs(self.free, set) == self.free;
            }
        }
    }
}

/// The constraints that were not asked about and are false under the model, and the run's bytes where it says nothing.
fn broken(query: &Query<'_>, chosen: &Chosen, model: &Model) -> Vec<usize> {
    let byte = |o, k| model.get(&(o, k)).copied().unwrap_or_else(|| (query.hint)(o, k));
    let mut evaluator = Evaluator::new(query.arena, &byte);
    let of_rest = (0..query.constraints.len()).filter(|&k| !chosen.is_in[k]);
    of_rest.filter(|&k| !evaluator.is_true(query.constraints[k])).collect()
}
