//! Decorator: answers from earlier answers.
//!
//! 1. *Exact*: the same set of constraints was asked before, in whatever arena and order. Models are evaluated again.
//! 2. *Unsatisfiable core*: a set that is known to be contradictory is a subset of this one.
//! 3. *Recent models*: one of the last models happens to satisfy this query too.
//!
//! Sets are compared by the structural hashes (128 bits) of their constraints, which do not depend on the arena. This
//! is the counterexample cache of KLEE (OSDI 2008, section 3.3) with cores in place of whole unsatisfiable sets.

use crate::two_generations::TwoGenerations;
use crate::{Answer, Limits, Model, Query, Solver, StageStats, Unknown, inputs_of, satisfies};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// Weight (about bytes) of exact answers.
    pub answer_bytes: usize,
    /// Weight (about bytes) of cores.
    pub core_bytes: usize,
    /// Number of recent models tried.
    pub models: usize,
    /// Models with more bytes than this are not tried on other queries.
    pub model_len: usize,
}

impl Default for CacheLimits {
    fn default() -> CacheLimits {
        CacheLimits { answer_bytes: 32 << 20, core_bytes: 16 << 20, models: 16, model_len: 4096 }
    }
}

/// Remembers answers.
pub struct Cached<S> {
    inner: S,
    limits: CacheLimits,
    answers: TwoGenerations<u128, Remembered>,
    /// Cores under the smallest of their hashes.
    cores: TwoGenerations<u128, Vec<Box<[u128]>>>,
    models: VecDeque<Model>,
}

/// An answer that does not refer to a query's indexes.
enum Remembered {
    Sat(Box<[(u32, u32, u8)]>),
    Unsat(Box<[u128]>),
    /// Not answered within this much work: will not be answered within less.
    OutOfWork(u64),
    Unsupported(String),
}

/// Cores kept under one hash.
const CORES_PER_HASH: usize = 8;

impl<S: Solver> Cached<S> {
    /// Around `inner`.
    pub fn new(inner: S, limits: CacheLimits) -> Cached<S> {
        Cached {
            inner,
            limits,
            answers: TwoGenerations::new(limits.answer_bytes),
            cores: TwoGenerations::new(limits.core_bytes),
            models: VecDeque::new(),
        }
    }

    /// The answer to the same constraints. A model may leave bytes as they are in its run, and need not be one in another.
    fn exact(&mut self, key: u128, hashes: &[u128], query: &Query<'_>, limits: &Limits) -> Option<Answer> {
        Some(match self.answers.get(key)? {
            Remembered::Sat(bytes) => {
                let model = bytes.iter().map(|&(o, k, byte)| ((o, k), byte)).collect();
                if !satisfies(query, &model) {
                    return None;
                }
                Answer::Sat(model)
            }
            Remembered::Unsat(core) => Answer::Unsat(indexes(core, hashes)),
            Remembered::OutOfWork(work) if limits.work > 0 && limits.work <= *work => {
                Answer::Unknown(Unknown::WorkLimit)
            }
            Remembered::OutOfWork(_) => return None,
            Remembered::Unsupported(what) => Answer::Unknown(Unknown::Unsupported(what.clone())),
        })
    }

    fn contradiction(&mut self, hashes: &[u128]) -> Option<Answer> {
        let set: FxHashSet<u128> = hashes.iter().copied().collect();
        for &hash in hashes {
            let Some(cores) = self.cores.get(hash) else { continue };
            if let Some(core) = cores.iter().find(|core| core.iter().all(|hash| set.contains(hash))) {
                return Some(Answer::Unsat(indexes(core, hashes)));
            }
        }
        None
    }

    /// Tries the last models, the newest first.
    fn recent(&self, query: &mut Query<'_>) -> Option<Answer> {
        if self.models.is_empty() {
            return None;
        }
        let inputs = inputs_of(query.arena, query.constraints);
        for model in &self.models {
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

    fn remember(&mut self, key: u128, hashes: &[u128], limits: &Limits, answer: &Answer) {
        let remembered = match answer {
            Answer::Sat(model) => {
                if model.len() <= self.limits.model_len && self.limits.models > 0 {
                    self.models.truncate(self.limits.models - 1);
                    self.models.push_front(model.clone());
                }
                Remembered::Sat(model.iter().map(|(&(o, k), &byte)| (o, k, byte)).collect())
            }
            Answer::Unsat(core) => {
                let core: Box<[u128]> = core.iter().map(|&index| hashes[index]).collect();
                self.remember_core(&core);
                Remembered::Unsat(core)
            }
            Answer::Unknown(Unknown::WorkLimit) if limits.work > 0 => Remembered::OutOfWork(limits.work),
            Answer::Unknown(Unknown::Unsupported(what)) => Remembered::Unsupported(what.clone()),
            Answer::Unknown(_) => return,
        };
        let weight = 64
            + match &remembered {
                Remembered::Sat(bytes) => 12 * bytes.len(),
                Remembered::Unsat(core) => 16 * core.len(),
                Remembered::OutOfWork(_) => 0,
                Remembered::Unsupported(what) => what.len(),
            };
        self.answers.insert(key, remembered, weight);
    }

    fn remember_core(&mut self, core: &[u128]) {
        let Some(&first) = core.iter().min() else { return };
        let mut same = self.cores.get(first).cloned().unwrap_or_default();
        // A core that contains the new one says no more than it.
        same.retain(|old| !core.iter().all(|hash| old.contains(hash)));
        same.truncate(CORES_PER_HASH - 1);
        same.insert(0, core.into());
        let weight = same.iter().map(|core| 48 + 16 * core.len()).sum();
        self.cores.insert(first, same, weight);
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
        if let Some(answer) = self.contradiction(&hashes) {
            return answer;
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
        let mut solver = Cached::new(Last(true), CacheLimits::default());
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
