//! Decorator: the list of constraints made simpler before anything else looks at it.
//!
//! Expressions themselves are simplified where they are made (crate `expr`). Here conjunctions are taken apart, so that
//! slicing sees the parts; constants and repetitions are dropped; a constraint together with its negation is a
//! contradiction.

use crate::{Answer, Limits, Query, Solver, StageStats};
use expr::{Arena, ExprId, Op};

/// Asks about an equivalent, simpler list of constraints.
pub struct Simplified<S> {
    inner: S,
    seen: Seen,
}

impl<S: Solver> Simplified<S> {
    /// Around `inner`.
    pub fn new(inner: S) -> Simplified<S> {
        Simplified { inner, seen: Seen::default() }
    }
}

/// A simpler list, with the constraint each part comes from.
enum Simpler {
    Contradiction(Vec<usize>),
    Parts { parts: Vec<ExprId>, origins: Vec<usize> },
}

/// Which parts a list already has, and at what index. A path has thousands of constraints and each of its flips asks about them
/// all, so nothing is hashed, nothing cleared, and what was negated once is known.
#[derive(Default)]
struct Seen {
    arena_id: Option<u64>,
    /// By expression of that arena.
    parts: Vec<Part>,
    list: u32,
}

#[derive(Clone, Copy, Default)]
struct Part {
    /// The list that had it last, and its index there.
    list: u32,
    index: u32,
    negation: Option<ExprId>,
}

impl Seen {
    /// Begins a list.
    fn begin(&mut self, arena_id: u64) {
        self.list = self.list.wrapping_add(1);
        if self.arena_id != Some(arena_id) || self.list == 0 {
            *self = Seen { arena_id: Some(arena_id), parts: Vec::new(), list: 1 };
        }
    }

    fn get(&self, part: ExprId) -> Option<usize> {
        self.parts.get(part.index()).filter(|p| p.list == self.list).map(|p| p.index as usize)
    }

    fn part(&mut self, part: ExprId) -> &mut Part {
        if self.parts.len() <= part.index() {
            self.parts.resize((part.index() + 1).next_power_of_two(), Part::default());
        }
        &mut self.parts[part.index()]
    }

    fn insert(&mut self, part: ExprId, index: usize) {
        let list = self.list;
        let known = self.part(part);
        (known.list, known.index) = (list, index as u32);
    }

    fn negation(&mut self, part: ExprId, arena: &mut Arena) -> ExprId {
        *self.part(part).negation.get_or_insert_with(|| arena.not(part))
    }
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

/// `seen` is begun anew.
fn simpler(arena: &mut Arena, constraints: &[ExprId], seen: &mut Seen) -> Simpler {
    let (mut parts, mut origins, mut of_one) = (Vec::new(), Vec::new(), Vec::new());
    // From the last, so that the goal's parts keep the last place even if the path has them too.
    for (index, &constraint) in constraints.iter().enumerate().rev() {
        of_one.clear();
        parts_of(arena, constraint, &mut of_one);
        for &part in of_one.iter().rev() {
            if arena.is_false(part) {
                return Simpler::Contradiction(vec![index]);
            }
            if arena.is_true(part) || seen.get(part).is_some() {
                continue;
            }
            let negation = seen.negation(part, arena);
            if let Some(other) = seen.get(negation) {
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
        self.seen.begin(query.arena_id);
        match simpler(query.arena, query.constraints, &mut self.seen) {
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
