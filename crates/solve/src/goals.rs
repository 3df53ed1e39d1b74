//! What kinds of goals there are: which costly operations occur in one, and how large it is. Goals of one kind cost a solver about
//! the same.

use crate::Query;
use expr::{Arena, ArrayId, ExprId, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Expressions of a goal that are looked at.
const MAX_LOOK: usize = 1 << 12;
/// Kinds that are remembered; then all are forgotten.
const MAX_KINDS: usize = 1 << 12;

/// What goals are told apart by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GoalKind {
    /// A bit for each costly operation that occurs.
    operations: [u64; 4],
    /// Number of different expressions, to a power of four.
    size: u32,
}

impl GoalKind {
    fn of(arena: &Arena, goal: ExprId) -> GoalKind {
        let (mut stack, mut seen) = (vec![goal], FxHashSet::default());
        let mut operations = [0; 4];
        while let Some(e) = stack.pop() {
            if seen.len() >= MAX_LOOK || !seen.insert(e) {
                continue;
            }
            let node = arena.node(e);
            if is_costly(node.op) {
                let number = node.op as u8;
                operations[usize::from(number >> 6)] |= 1 << (number & 63);
            }
            stack.extend(arena.args(e));
            if node.op == Op::Read {
                stack.extend(arena.table(ArrayId(node.imm as u32)).symbolic.iter().flatten());
            }
        }
        GoalKind { operations, size: seen.len().ilog2() / 2 }
    }

    /// Plain, with products, with floats.
    pub fn class(&self) -> usize {
        let occurs = |op: &u8| self.operations[usize::from(op >> 6)] >> (op & 63) & 1 == 1;
        let all = (0..=u8::MAX).filter(occurs).filter_map(Op::from_u8);
        let class = |op: Op| match op {
            Op::Read => 0,
            op if op.is_float() => 2,
            _ => 1,
        };
        all.map(class).max().unwrap_or(0)
    }
}

/// The kinds of the goals of an arena, remembered. Clones share them: several stages of a chain ask about the same goal.
#[derive(Clone, Debug, Default)]
pub struct Goals(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    arena_id: u64,
    kinds: FxHashMap<ExprId, GoalKind>,
}

impl Goals {
    /// The kind of a goal.
    pub fn kind(&self, arena: &Arena, arena_id: u64, goal: ExprId) -> GoalKind {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.arena_id != arena_id {
            *known = Known { arena_id, kinds: FxHashMap::default() };
        }
        *known.kinds.entry(goal).or_insert_with(|| GoalKind::of(arena, goal))
    }
}

/// What is remembered of each kind of goal; of so many that all are forgotten when there are more.
pub struct ByKind<R> {
    goals: Goals,
    records: FxHashMap<GoalKind, R>,
}

impl<R> ByKind<R> {
    /// Nothing yet.
    pub fn new(goals: Goals) -> ByKind<R> {
        ByKind { goals, records: FxHashMap::default() }
    }

    /// What is remembered of the kind of the query's goal; `new` of one that is new. `None` if the query has no goal.
    pub fn of(&mut self, query: &Query<'_>, new: impl FnOnce(&GoalKind) -> R) -> Option<(GoalKind, &mut R)> {
        let kind = self.goals.kind(query.arena, query.arena_id, *query.constraints.last()?);
        if self.records.len() >= MAX_KINDS && !self.records.contains_key(&kind) {
            self.records.clear();
        }
        Some((kind, self.records.entry(kind).or_insert_with(|| new(&kind))))
    }
}

/// Operations whose circuits are large, or that have none.
fn is_costly(op: Op) -> bool {
    matches!(op, Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::UMulO | Op::SMulO | Op::Read)
        || op.is_float()
}
