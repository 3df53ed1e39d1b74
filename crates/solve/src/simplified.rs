//! Decorator: the list of constraints made simpler before anything else looks at it.
//!
//! Expressions themselves are simplified where they are made (crate `expr`). Here conjunctions are taken apart, so that
//! slicing sees the parts; constants and repetitions are dropped; a constraint together with its negation is a
//! contradiction.

use crate::{Answer, Limits, Query, Solver, StageStats};
use expr::{Arena, ExprId, Op};
use rustc_hash::FxHashMap;

/// Asks about an equivalent, simpler list of constraints.
pub struct Simplified<S> {
    inner: S,
}

impl<S: Solver> Simplified<S> {
    /// Around `inner`.
    pub fn new(inner: S) -> Simplified<S> {
        Simplified { inner }
    }
}

/// A simpler list, with the constraint each part comes from.
enum Simpler {
    Contradiction(Vec<usize>),
    Parts { parts: Vec<ExprId>, origins: Vec<usize> },
}

/// Parts of constraint `index`: conjunctions and negated disjunctions taken apart.
fn parts_of(arena: &mut Arena, constraint: ExprId, parts: &mut Vec<ExprId>) {
    let mut stack = vec![constraint];
    while let Some(e) = stack.pop() {
        let &[a, b, _] = &arena.node(e).args;
        match arena.op(e) {
            Op::And => stack.extend([b, a]),
            // Negation: of a disjunction, the negations of both sides.
            Op::Xor if arena.is_true(b) && arena.op(a) == Op::Or => {
                let [x, y, _] = arena.node(a).args;
                let (x, y) = (arena.not(x), arena.not(y));
                stack.extend([y, x]);
            }
            _ => parts.push(e),
        }
    }
}

fn simpler(arena: &mut Arena, constraints: &[ExprId]) -> Simpler {
    let mut seen: FxHashMap<ExprId, usize> = FxHashMap::default();
    let (mut parts, mut origins, mut of_one) = (Vec::new(), Vec::new(), Vec::new());
    // From the last, so that the goal's parts keep the last place even if the path has them too.
    for (index, &constraint) in constraints.iter().enumerate().rev() {
        of_one.clear();
        parts_of(arena, constraint, &mut of_one);
        for &part in of_one.iter().rev() {
            if arena.is_false(part) {
                return Simpler::Contradiction(vec![index]);
            }
            if arena.is_true(part) || seen.contains_key(&part) {
                continue;
            }
            let negation = arena.not(part);
            if let Some(&other) = seen.get(&negation) {
                return Simpler::Contradiction(ascending([index, other]));
            }
            seen.insert(part, index);
            parts.push(part);
            origins.push(index);
        }
    }
    parts.reverse();
    origins.reverse();
    Simpler::Parts { parts, origins }
}

/// Sorted, without repetitions.
fn ascending(indexes: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut indexes: Vec<usize> = indexes.into_iter().collect();
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}

impl<S: Solver> Solver for Simplified<S> {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        match simpler(query.arena, query.constraints) {
            Simpler::Contradiction(core) => Answer::Unsat(core),
            Simpler::Parts { parts, .. } if parts.is_empty() => Answer::Sat(crate::Model::new()),
            Simpler::Parts { parts, origins } => {
                let mut inner = Query {
                    arena: query.arena,
                    arena_id: query.arena_id,
                    constraints: &parts,
                    hint: query.hint,
                };
                match self.inner.solve(&mut inner, limits) {
                    Answer::Unsat(core) => {
                        Answer::Unsat(ascending(core.into_iter().map(|part| origins[part])))
                    }
                    answer => answer,
                }
            }
        }
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}
