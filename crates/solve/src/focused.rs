//! Search: only the bytes of the goal itself may change.
//!
//! The constraints along a path bind the goal's bytes to many others: through hashes, lengths, pinned addresses. Mostly
//! the branch can be flipped by its own bytes alone. So every other byte is fixed to its value in the run, which
//! folds most of the path constraint away, and what is left is small and easy. A model of it is a model of the whole;
//! that there is none says nothing. (Concretisation as a first attempt; the idea of Godefroid et al., DART, section 2.)

use crate::{Answer, Limits, Query, Solver, StageStats, Unknown};
use expr::{ExprId, Substitution};
use rustc_hash::FxHashSet;

/// The share of the limits that this attempt may use.
const SHARE: u64 = 4;

/// Asks `S` with all bytes fixed that the goal does not read.
pub struct Focused<S> {
    inner: S,
}

impl<S: Solver> Focused<S> {
    /// Around `inner`.
    pub fn new(inner: S) -> Focused<S> {
        Focused { inner }
    }
}

impl<S: Solver> Solver for Focused<S> {
    fn name(&self) -> &'static str {
        "focus"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let nothing = || Answer::Unknown(Unknown::Unsupported("not by the goal's own bytes".into()));
        let Some(constraints) = narrowed(query) else { return nothing() };
        let mut inner = Query {
            arena: query.arena,
            arena_id: query.arena_id,
            constraints: &constraints,
            hint: query.hint,
        };
        let limits = Limits { work: limits.work.div_ceil(SHARE), millis: limits.millis.div_ceil(SHARE) };
        match self.inner.solve(&mut inner, &limits) {
            Answer::Sat(model) => Answer::Sat(model),
            _ => nothing(),
        }
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}

/// The constraints with every byte fixed that the goal does not read; `None` if that changes nothing, or if one of
/// them is false then.
fn narrowed(query: &mut Query<'_>) -> Option<Vec<ExprId>> {
    let (&goal, path) = query.constraints.split_last()?;
    let free: FxHashSet<(u32, u32)> = query.arena.inputs(goal).iter().collect();
    if path.iter().all(|&c| query.arena.inputs(c).iter().all(|byte| free.contains(&byte))) {
        return None;
    }
    let hint = query.hint;
    let fixed = |object, offset| (!free.contains(&(object, offset))).then(|| hint(object, offset));
    let mut memory = Substitution::default();
    let mut narrowed = Vec::new();
    for &constraint in path {
        let constraint = query.arena.substitute(constraint, &fixed, &mut memory);
        if query.arena.is_false(constraint) {
            return None;
        }
        if !query.arena.is_true(constraint) {
            narrowed.push(constraint);
        }
    }
    narrowed.sort_unstable();
    narrowed.dedup();
    narrowed.push(goal);
    Some(narrowed)
}
