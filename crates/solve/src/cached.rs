//! Decorator: answers from earlier answers.
//!
//! 1. *Exact*: the same set of constraints was asked before, in whatever arena and order. Models are evaluated again.
//! 2. *Unsatisfiable core*: a set that is known to be contradictory is a subset of this one.
//! 3. *Recent models*: one of the last models happens to satisfy this query too.
//!
//! Sets are compared by the structural hashes (128 bits) of their constraints, which do not depend on the arena. This
//! is the counterexample cache of KLEE (OSDI 2008, section 3.3) with cores in place of whole unsatisfiable sets. What is
//! remembered stands in a [`Memory`], which the chains of all workers share.

use crate::memory::{Memory, Remembered};
use crate::{Answer, Limits, Model, Query, Solver, StageStats, Unknown, inputs_of, satisfies};
use rustc_hash::FxHashSet;

/// Remembers answers.
pub struct Cached<S> {
    inner: S,
    memory: Memory,
}

impl<S: Solver> Cached<S> {
    /// Around `inner`, with what others remember in the same memory.
    pub fn new(inner: S, memory: Memory) -> Cached<S> {
        Cached { inner, memory }
    }

    /// The answer to the same constraints. A model may leave bytes as they are in its run, and need not be one in another.
    fn exact(&self, key: u128, hashes: &[u128], query: &Query<'_>, limits: &Limits) -> Option<Answer> {
        Some(match self.memory.answer(key)? {
            Remembered::Sat(bytes) => {
                let model = bytes.iter().map(|&(o, k, byte)| ((o, k), byte)).collect();
                if !satisfies(query, &model) {
                    return None;
                }
                Answer::Sat(model)
            }
            Remembered::Unsat(core) => Answer::Unsat(indexes(&core, hashes)),
            Remembered::OutOfWork(work) if limits.work > 0 && limits.work <= work => {
                Answer::Unknown(Unknown::WorkLimit)
            }
            Remembered::OutOfWork(_) => return None,
            Remembered::Unsupported(what) => Answer::Unknown(Unknown::Unsupported(what.to_string())),
        })
    }

    /// Tries the last models, the newest first.
    fn recent(&self, query: &mut Query<'_>) -> Option<Answer> {
        let models = self.memory.models();
        if models.is_empty() {
            return None;
        }
        let inputs = inputs_of(query.arena, query.constraints);
        for model in models {
            let part: Model =
                inputs.iter().filter_map(|byte| model.get(byte).map(|&value| (*byte, value))).collect();
            if !part.is_empty() && satisfies(query, &part) {
                let complete = inputs.iter().map(|&(o, k)| {
                    ((o, k), part.get(&(o, k)).copied().unwrap_or_else(|| (query.hint)(o, k)))
                });
                return Some(Answer::Sat(complete.collect()));
            }
        }
        None
    }

    fn remember(&self, key: u128, hashes: &[u128], limits: &Limits, answer: &Answer) {
        let remembered = match answer {
            Answer::Sat(model) => {
                self.memory.add_model(model);
                Remembered::Sat(model.iter().map(|(&(o, k), &byte)| (o, k, byte)).collect())
            }
            Answer::Unsat(core) => Remembered::Unsat(core.iter().map(|&index| hashes[index]).collect()),
            Answer::Unknown(Unknown::WorkLimit) if limits.work > 0 => Remembered::OutOfWork(limits.work),
            Answer::Unknown(Unknown::Unsupported(what)) => Remembered::Unsupported(what.as_str().into()),
            Answer::Unknown(_) => return,
        };
        self.memory.add(key, remembered);
    }
}

/// Indexes of the constraints with the given hashes, ascending, each hash once.
fn indexes(core: &[u128], hashes: &[u128]) -> Vec<usize> {
    let mut wanted: FxHashSet<u128> = core.iter().copied().collect();
    hashes.iter().enumerate().filter(|(_, hash)| wanted.remove(hash)).map(|(index, _)| index).collect()
}

/// A hash of the set: does not depend on order or repetition.
fn key(hashes: &[u128]) -> u128 {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    // Multiply and add over 2^128, then fold the well-mixed high half into the low one.
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    sorted.iter().fold(sorted.len() as u128, |key, hash| {
        let mixed = (key ^ hash).wrapping_mul(FACTOR);
        (mixed ^ mixed >> 64).wrapping_add(hash.rotate_left(29))
    })
}

impl<S: Solver> Solver for Cached<S> {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let hashes: Vec<u128> =
            query.constraints.iter().map(|&constraint| query.arena.hash(constraint)).collect();
        let key = key(&hashes);
        if let Some(answer) = self.exact(key, &hashes, query, limits) {
            return answer;
        }
        if let Some(core) = self.memory.contradiction(&hashes) {
            return Answer::Unsat(indexes(&core, &hashes));
        }
        if let Some(answer) = self.recent(query) {
            return answer;
        }
        let answer = self.inner.solve(query, limits);
        self.remember(key, &hashes, limits, &answer);
        answer
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says 5 for the last byte only, as who trusts that the others stay as in the run, or nothing.
    struct Last(bool);

    impl Solver for Last {
        fn name(&self) -> &'static str {
            "last"
        }

        fn solve(&mut self, _: &mut Query<'_>, _: &Limits) -> Answer {
            match std::mem::take(&mut self.0) {
                true => Answer::Sat(Model::from([((0, 1), 5)])),
                false => Answer::Unknown(Unknown::TimeLimit),
            }
        }
    }

    #[test]
    fn a_model_that_rests_on_its_run_is_no_answer_in_another() {
        let mut arena = expr::Arena::new();
        let constraints = arena.parse("(Ult in0[0] 0x9:8)\n(Ult in0[0] in0[1])").unwrap();
        let mut solver = Cached::new(Last(true), Memory::default());
        let mut ask = |first: u8| {
            let hint = move |_, k| if k == 0 { first } else { 0 };
            let mut query = Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &hint };
            solver.solve(&mut query, &Limits { work: 0, millis: 0 })
        };
        assert!(matches!(ask(2), Answer::Sat(_)));
        assert!(matches!(ask(3), Answer::Sat(_)), "remembered");
        assert_eq!(ask(7), Answer::Unknown(Unknown::TimeLimit), "7 is not below 5: asked anew");
    }
}
