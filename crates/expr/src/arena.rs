//! The arena that owns expressions.

use crate::{Bits, Op};
use std::sync::Arc;

/// An expression in an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A table in an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u32);

/// A snapshot of memory that [`Op::Read`] reads from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// Address of the first byte.
    pub base: u64,
    /// Concrete value of each byte.
    pub bytes: Arc<[u8]>,
    /// Expression (width 8) of each byte that is symbolic; empty if none is.
    pub symbolic: Vec<Option<ExprId>>,
}

/// One expression. Operands come before it in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Operation.
    pub op: Op,
    /// Result width in bits.
    pub width: u16,
    /// Operands; only the first `op.arity()` count.
    pub args: [ExprId; 3],
    /// `Input`: object << 32 | offset. `Const`: the value if width <= 64, else an index of the wide constants.
    /// `Extract`: low bit. `Read`: the [`ArrayId`].
    pub imm: u64,
}

/// Owner of hash-consed expressions: equal expressions have equal ids.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    hashes: Vec<u128>,
    wide: Vec<Bits>,
    tables: Vec<Table>,
    index: rustc_hash::FxHashMap<Node, ExprId>,
}

// The helper that owns crate `expr` completes this; the signatures below are what other crates use:
//   fn node(&self, e: ExprId) -> &Node
//   fn width(&self, e: ExprId) -> u16
//   fn args(&self, e: ExprId) -> &[ExprId]
//   fn as_const(&self, e: ExprId) -> Option<Bits>           // any width
//   fn table(&self, a: ArrayId) -> &Table
//   fn len(&self) -> usize
//   fn hash(&self, e: ExprId) -> u128                        // structural, stable across arenas and runs
//   fn input(&mut self, object: u32, offset: u32) -> ExprId  // width 8
//   fn constant(&mut self, value: &Bits) -> ExprId ; fn const_u64(&mut self, width: u16, value: u64) -> ExprId
//   fn unary(&mut self, op, width: u16, a) ; fn binary(&mut self, op, a, b) ; fn ternary(&mut self, op, a, b, c) -> ExprId
//   fn extract(&mut self, e, low: u16, width: u16) ; fn concat(&mut self, high, low) ; fn add_table(&mut self, Table) -> ArrayId
//   fn read(&mut self, table: ArrayId, address: ExprId, width: u16) -> ExprId
//   fn not(&mut self, e: ExprId) -> ExprId                   // of a width-1 expression, simplified
//   fn inputs(&self, e: ExprId) -> sorted, deduplicated (object, offset) set, memoised
//   struct Evaluator<'a>::new(&Arena, &dyn Fn(u32, u32) -> u8).eval(e) -> Bits   // iterative, memoised
// Constructors simplify (constant folding and local rules, each tested against the evaluator).
