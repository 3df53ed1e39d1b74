//! Solving path constraints: the answers, the [`Solver`] trait that back ends implement, and the decorators
//! (simplify, slice, domains of single bytes, cache, model check, ask in turn, ask lazily) that are composed around a back end in one place, [`chain()`].
//!
//! A decorator is a solver around a solver: it changes the query, answers it by itself, or checks the answer.
//! (Cadar, Dunbar and Engler, "KLEE", OSDI 2008, section 3.3, compose theirs in the same way.)
#![forbid(unsafe_code)]

mod cached;
mod chain;
mod checked;
mod domains;
mod goals;
mod in_turn;
mod kinds;
mod lazy;
mod learned;
mod memory;
mod metered;
mod nearer;
mod only;
mod random;
mod simplified;
mod sliced;
mod starts;
mod two_generations;

pub use cached::Cached;
pub use chain::{Chain, Decorators, chain, chain_with};
pub use checked::Checked;
pub use domains::Domains;
pub use goals::{GoalKind, Goals};
pub use in_turn::InTurn;
pub use kinds::{Kind, Kinds};
pub use lazy::Lazy;
pub use learned::Learned;
pub use memory::{CacheLimits, Memory};
pub use metered::{Clock, Metered, StageStats, no_clock};
pub use only::Only;
pub use random::Random;
pub use simplified::Simplified;
pub use sliced::Sliced;
pub use starts::Starts;

use expr::{Arena, ExprId};
use std::collections::BTreeMap;
use std::time::Duration;

/// A question: is there an input under which every constraint is true?
pub struct Query<'a> {
    /// Owner of the expressions. A solver may add expressions of its own.
    pub arena: &'a mut Arena,
    /// Identifies the arena, so that a solver can keep what it translated between queries on the same one.
    pub arena_id: u64,
    /// Expressions of width 1 that must all be 1: the path constraint, then the goal (last).
    pub constraints: &'a [ExprId],
    /// Value of an input byte in the run that the query comes from: (object, offset). Queries on one arena may come from
    /// different runs: what follows from these bytes must not be kept from one query to the next.
    pub hint: &'a dyn Fn(u32, u32) -> u8,
}

/// How much work an answer may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Work in the back end's own steps (propagations or the like); 0 = no limit.
    pub work: u64,
    /// Wall-clock milliseconds; 0 = no limit.
    pub millis: u64,
}

impl Limits {
    /// What is left of them after so much time; `None` when the time is up.
    #[must_use]
    pub fn left(&self, used: Duration) -> Option<Limits> {
        if self.millis == 0 {
            return Some(*self);
        }
        let millis = self.millis.saturating_sub(u64::try_from(used.as_millis()).unwrap_or(u64::MAX));
        (millis > 0).then_some(Limits { millis, ..*self })
    }
}

/// Input bytes by (object, offset). Bytes that are absent keep their value in the run the query came from.
pub type Model = BTreeMap<(u32, u32), u8>;

/// What a solver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Satisfied by these bytes.
    Sat(Model),
    /// Unsatisfiable: these constraints (indexes into the query's, ascending) already contradict each other.
    Unsat(Vec<usize>),
    /// No answer.
    Unknown(Unknown),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// The work limit was reached.
    WorkLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The constraints hold something the back end cannot express.
    Unsupported(String),
    /// The back end's model did not satisfy the constraints under the reference evaluator (a bug: reported).
    WrongModel,
    /// The back end failed.
    Failed(String),
}

/// Something that answers queries.
pub trait Solver: Send {
    /// Name for statistics.
    fn name(&self) -> &'static str;

    /// Answers `query` within `limits`.
    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer;

    /// Appends the counts of this stage and those inside it, outermost first. A back end has none of its own: they are
    /// kept by the [`Metered`] around it.
    fn stages(&self, stages: &mut Vec<StageStats>) {
        let _ = stages;
    }
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        (**self).solve(query, limits)
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        (**self).stages(stages);
    }
}

/// Input bytes that occur in any of the constraints, ascending.
fn inputs_of(arena: &mut Arena, constraints: &[ExprId]) -> Vec<(u32, u32)> {
    let mut all = expr::InputSet::EMPTY;
    for &constraint in constraints {
        let set = arena.input_set(constraint);
        all = arena.union_inputs(all, set);
    }
    arena.view_inputs(all).iter().collect()
}

/// Whether all constraints are true under the model, and the hint where the model says nothing.
pub fn satisfies(query: &Query<'_>, model: &Model) -> bool {
    let byte = |object, offset| {
        model.get(&(object, offset)).copied().unwrap_or_else(|| (query.hint)(object, offset))
    };
    let mut evaluator = expr::Evaluator::new(query.arena, &byte);
    // From the last, the goal: where a guess is wrong, it is mostly there.
    query.constraints.iter().rev().all(|&constraint| evaluator.is_true(constraint))
}
