//! Decorator: only the constraints that bear on the goal.
//!
//! Two constraints are connected if an input byte occurs in both. What is not connected with the goal, directly or
//! through others, is left out: under the bytes of the run that the query comes from it is true, and stays true, since
//! a model changes only bytes of the goal's part. (KLEE's independent constraint sets; EXE, section 4.2.) Constraints
//! that the run does *not* satisfy are found by evaluation, once for each, and are kept together with what they are
//! connected with; so the answer is right for any query.

use crate::{Answer, Limits, Query, Solver, StageStats};
use expr::{Arena, ExprId, InputSet};
use rustc_hash::{FxHashMap, FxHashSet};

/// Asks about the goal's part of the constraints only.
pub struct Sliced<S> {
    inner: S,
    memory: Memory,
}

impl<S: Solver> Sliced<S> {
    /// Around `inner`.
    pub fn new(inner: S) -> Sliced<S> {
        Sliced { inner, memory: Memory::default() }
    }
}

/// Which constraints of the current arena the run satisfies.
#[derive(Default)]
struct Memory {
    arena_id: Option<u64>,
    holds: FxHashMap<ExprId, bool>,
}

impl Memory {
    /// For each constraint, whether it is true under the hint.
    fn holds(&mut self, query: &Query<'_>) -> Vec<bool> {
        if self.arena_id != Some(query.arena_id) {
            self.arena_id = Some(query.arena_id);
            self.holds = FxHashMap::default();
        }
        let mut evaluator = None;
        query
            .constraints
            .iter()
            .map(|&constraint| {
                *self.holds.entry(constraint).or_insert_with(|| {
                    evaluator
                        .get_or_insert_with(|| expr::Evaluator::new(query.arena, query.hint))
                        .is_true(constraint)
                })
            })
            .collect()
    }
}

/// Indexes of the constraints connected with one of the seeds, ascending.
fn connected(arena: &Arena, constraints: &[ExprId], is_seed: impl Fn(usize) -> bool) -> Vec<usize> {
    let sets: Vec<InputSet> = constraints.iter().map(|&constraint| arena.input_set(constraint)).collect();
    // Blocks of 64 bytes, and the distinct sets that touch each.
    let mut touching: FxHashMap<u64, Vec<(u64, InputSet)>> = FxHashMap::default();
    let mut distinct = FxHashSet::default();
    for &set in &sets {
        if distinct.insert(set) {
            for (block, bits) in arena.view_inputs(set).leaves() {
                touching.entry(block).or_default().push((bits, set));
            }
        }
    }
    let mut reached: FxHashSet<InputSet> = FxHashSet::default();
    let mut work: Vec<InputSet> = (0..sets.len()).filter(|&k| is_seed(k)).map(|k| sets[k]).collect();
    reached.extend(&work);
    while let Some(set) = work.pop() {
        for (block, bits) in arena.view_inputs(set).leaves() {
            for &(others, other) in touching.get(&block).into_iter().flatten() {
                if bits & others != 0 && reached.insert(other) {
                    work.push(other);
                }
            }
        }
    }
    (0..sets.len()).filter(|&k| reached.contains(&sets[k])).collect()
}

impl<S: Solver> Solver for Sliced<S> {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let Some(goal) = query.constraints.len().checked_sub(1) else {
            return Answer::Sat(crate::Model::new());
        };
        let holds = self.memory.holds(query);
        let kept = connected(query.arena, query.constraints, |index| index == goal || !holds[index]);
        let constraints: Vec<ExprId> = kept.iter().map(|&index| query.constraints[index]).collect();
        let mut inner = Query {
            arena: query.arena,
            arena_id: query.arena_id,
            constraints: &constraints,
            hint: query.hint,
        };
        match self.inner.solve(&mut inner, limits) {
            Answer::Unsat(core) => Answer::Unsat(core.into_iter().map(|index| kept[index]).collect()),
            answer => answer,
        }
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}
