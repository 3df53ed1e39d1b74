//! Solving path constraints: the answers, the [`Solver`] trait that back ends implement, and the decorators
//! (simplify, slice, cache, model check) that are composed around them in one place.

#![forbid(unsafe_code)]

use expr::{Arena, ExprId};
use std::collections::BTreeMap;

/// A question: is there an input under which every constraint is true?
pub struct Query<'a> {
    /// Owner of the expressions. A solver may add expressions of its own.
    pub arena: &'a mut Arena,
    /// Identifies the arena, so that a solver can keep what it translated between queries on the same one.
    pub arena_id: u64,
    /// Expressions of width 1 that must all be 1: the path constraint, then the goal (last).
    pub constraints: &'a [ExprId],
    /// Value of an input byte in the run that the query comes from: (object, offset).
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
}

// The helper that owns crate `solve` completes this: decorators `Checked`, `Sliced`, `Cached`, `Timed` statistics,
// and `chain(backend) -> Box<dyn Solver>`.
