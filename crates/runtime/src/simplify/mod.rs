//! Rules applied while nodes are made: cheap, exact, and chosen to keep traces small.
//!
//! A result of label 0 means "constant now": instrumented code goes on with the concrete value it has, which
//! is that constant. Deeper simplification is the engine's business (crate `expr`).
//!
//! One file per kind of node: `binary`, `predicate`, `parts` (extensions, extracts, concatenations),
//! `choice` (if-then-else and funnel shifts), `float` (no rules). `bits` tells which bits may be one, `undo` what a value is made of.

mod binary;
mod bits;
mod choice;
mod float;
mod parts;
mod predicate;
#[cfg(test)]
mod tests;
mod undo;

pub use binary::bin;
pub use bits::maybe;
pub use choice::tri;
pub use float::{float_bin, float_un};
pub use parts::{concat, extract, sign_extend, sign_extended, unary, zero_extend};
pub use predicate::not;
pub use undo::undone;

use crate::node;
use trace_abi::{Node, Op};

/// An operand: a label, or a constant of at most 64 bits if the label is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The label, or 0.
    pub label: u32,
    /// The value if the label is 0.
    pub value: u64,
}

impl Operand {
    /// An operand with this label, or this value where the label is 0.
    pub const fn new(label: u32, value: u64) -> Operand {
        Operand { label, value }
    }

    /// A constant.
    pub const fn constant(value: u64) -> Operand {
        Operand { label: 0, value }
    }

    /// Whether it is a constant.
    pub const fn is_const(self) -> bool {
        self.label == 0
    }

    /// A label for it: constants become `Const` nodes.
    pub fn to_label(self, width: u16) -> u32 {
        if self.label == 0 { node::constant(width, self.value, 0) } else { self.label }
    }
}

/// A binary node of operand width `w` as it stands.
fn raw_bin(op: Op, w: u16, l: Operand, r: Operand) -> u32 {
    let width = if op.is_predicate() { 1 } else { w };
    let a = if l.is_const() { l.value } else { 0 };
    let b = if r.is_const() { r.value } else { 0 };
    node::make(Node { l: l.label, r: r.label, a, b, ..node::raw(op, width) })
}

/// A unary node as it stands.
fn raw_un(op: Op, width: u16, l: u32, a: u64) -> u32 {
    node::make(Node { l, a, ..node::raw(op, width) })
}

/// The constant right operand of a binary node, if it has one.
fn const_right(n: &Node) -> Option<u64> {
    (n.r == 0).then_some(n.b)
}

const fn commutes(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Mul
            | And
            | Or
            | Xor
            | UMin
            | UMax
            | SMin
            | SMax
            | UAddSat
            | SAddSat
            | Eq
            | Ne
            | UAddO
            | SAddO
            | UMulO
            | SMulO
    )
}
