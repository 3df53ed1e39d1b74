//! Decorator: constraints of the path come in only when a model breaks them.
//!
//! Most alternatives are infeasible for a reason that lies in a few constraints, mostly on the goal's own bytes, and most
//! models of the goal break none of the others. So the goal is asked about first together with what is said of
//! each of its bytes alone. A contradiction among them is one of the whole. A model is evaluated on the
//! whole. If it breaks any of the others, bytes that need not change get their value in the run back (`nearer`): tinyxml2's first
//! models broke 79 of 371 constraints, and none then. The constraints still broken are added, those that read the fewest bytes
//! first, twice as many in each round, and the question is put again. What is never broken is never translated; on long paths (tables read through
//! symbolic addresses, hashes) that is nearly everything.
//!
//! Abstraction and refinement by counterexamples, as CEGAR (Clarke et al., CAV 2000) and the lazy arrays of STP (Ganesh and
//! Dill, CAV 2007) do it, with constraints as the unit. What differs: a model says nothing of bytes that nothing asked
//! about so far, so these keep their values in the run, under which all of the path holds.

use crate::nearer::nearer;
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
            let mut model = match self.ask(query, &chosen, &limits) {
                Answer::Sat(model) => model,
                answer => return answer,
            };
            if !broken(query, &chosen, &model).is_empty() {
                nearer(query, &chosen.list(query), &mut model);
            }
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

    /// The constraints.
    fn list(&self, query: &Query<'_>) -> Vec<ExprId> {
        let pairs = query.constraints.iter().zip(&self.is_in);
        pairs.filter(|(_, is_in)| **is_in).map(|(&constraint, _)| constraint).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Answers with the value 9 for all bytes of its constraints, and counts how often it is asked.
    struct Nines(Arc<Mutex<u32>>);

    impl Solver for Nines {
        fn name(&self) -> &'static str {
            "nines"
        }

        fn solve(&mut self, query: &mut Query<'_>, _: &Limits) -> Answer {
            *self.0.lock().unwrap() += 1;
            let inputs = crate::inputs_of(query.arena, query.constraints);
            Answer::Sat(inputs.into_iter().map(|byte| (byte, 9)).collect())
        }
    }

    #[test]
    fn a_model_that_need_not_break_anything_needs_no_second_round() {
        let mut arena = Arena::new();
        let text = "(Ult in0[1] in0[7])\n(Ult in0[2] in0[8])\n(Ult in0[3] in0[8])\n\
                    (Ult 0x8:8 (Or (Or in0[0] in0[1]) (Or in0[2] in0[3])))";
        let constraints = arena.parse(text).unwrap();
        let asked = Arc::new(Mutex::new(0));
        let mut solver = Lazy::new(Nines(asked.clone()), crate::no_clock());
        let hint = |_, k| u8::from(k > 6);
        let mut query = Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &hint };
        let answer = solver.solve(&mut query, &Limits { work: 0, millis: 0 });
        let Answer::Sat(model) = answer else { panic!("{answer:?}") };
        assert!(crate::satisfies(&query, &model));
        assert_eq!(model[&(0, 0)], 9, "the only byte that nothing else binds");
        assert_eq!(*asked.lock().unwrap(), 1);
    }
}
