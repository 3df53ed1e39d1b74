//! Simplification rules, one family per file.
//!
//! A rule looks at the new node and its operands and answers with an expression of the same value under every
//! input, or `None`. Chains of rules are cut at [`crate::build::MAX_DEPTH`], so that no expression, however odd, costs much
//! stack or time. `tests/simplify/` has an example of each rule; `tests/simplify.rs` compares all of them together with
//! unsimplified evaluation on random expressions.

mod arith;
mod bitwise;
mod casts;
mod compare;
mod overflow;
mod read;
mod select;
mod shift;

use crate::{Arena, Bits, ExprId, Op};

pub(crate) use casts::extract;
pub(crate) use read::read;

/// Rules for casts and unary operations.
pub(crate) fn unary(arena: &mut Arena, op: Op, width: u16, a: ExprId) -> Option<ExprId> {
    match op {
        Op::Trunc => Some(arena.extract(a, 0, width)),
        Op::ZExt => casts::zext(arena, width, a),
        Op::SExt => casts::sext(arena, width, a),
        Op::Bswap => casts::bswap(arena, width, a),
        _ => None,
    }
}

/// Rules for binary operations; a constant operand of a commutative one is on the right.
pub(crate) fn binary(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem => {
            arith::rules(arena, op, a, b)
        }
        Op::Shl | Op::LShr | Op::AShr => shift::rules(arena, op, a, b),
        Op::And | Op::Or | Op::Xor => bitwise::rules(arena, op, a, b),
        Op::UMin | Op::UMax | Op::SMin | Op::SMax => (a == b).then_some(a),
        Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle => compare::rules(arena, op, a, b),
        Op::UAddO | Op::SAddO | Op::USubO | Op::SSubO | Op::UMulO | Op::SMulO => {
            overflow::rules(arena, op, a, b)
        }
        Op::Concat => casts::concat(arena, a, b),
        _ => None,
    }
}

/// Rules for ternary operations.
pub(crate) fn ternary(arena: &mut Arena, op: Op, a: ExprId, b: ExprId, c: ExprId) -> Option<ExprId> {
    match op {
        Op::Ite => select::ite(arena, a, b, c),
        Op::FFma => None,
        _ => shift::funnel(arena, op, a, b, c),
    }
}

/// Whether the operands of a commutative operation are to be exchanged: constants go right, the others are ordered
/// by their structural hash, which is the same in every run.
pub(crate) fn swaps(arena: &Arena, op: Op, a: ExprId, b: ExprId) -> bool {
    is_commutative(op)
        && match (arena.is_const(a), arena.is_const(b)) {
            (true, _) => true,
            (false, true) => false,
            (false, false) => arena.hash(a) > arena.hash(b),
        }
}

const fn is_commutative(op: Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Mul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::UMin
            | Op::UMax
            | Op::SMin
            | Op::SMax
            | Op::UAddSat
            | Op::SAddSat
            | Op::Eq
            | Op::Ne
            | Op::UAddO
            | Op::SAddO
            | Op::UMulO
            | Op::SMulO
            | Op::FEq
            | Op::FUno
    )
}

/// Operand of an expression if it is of operation `op`.
fn unary_of(arena: &Arena, op: Op, e: ExprId) -> Option<ExprId> {
    let n = arena.node(e);
    (n.op == op).then_some(n.args[0])
}

/// Operands of an expression if it is of the binary operation `op`.
fn binary_of(arena: &Arena, op: Op, e: ExprId) -> Option<(ExprId, ExprId)> {
    let n = arena.node(e);
    (n.op == op).then_some((n.args[0], n.args[1]))
}

/// Operands of an expression if it is `op` with a constant on the right.
fn with_const(arena: &Arena, op: Op, e: ExprId) -> Option<(ExprId, Bits)> {
    let (x, c) = binary_of(arena, op, e)?;
    Some((x, arena.as_const(c)?))
}

/// Value of an operation on constants of one width.
fn fold(op: Op, a: &Bits, b: &Bits) -> Bits {
    crate::semantics::apply(op, a.width(), 0, &[a, b])
}

/// The low `width` bits of a constant, or the constant extended with zeros.
fn resize(c: &Bits, width: u16) -> Bits {
    Bits::from_words(width, c.words().iter().copied().collect())
}

/// Bits above which an expression is known to be zero.
fn active_bits(arena: &Arena, e: ExprId) -> u16 {
    let n = arena.node(e);
    match n.op {
        Op::ZExt => arena.width(n.args[0]),
        Op::Const => arena.as_const(e).map_or(n.width, |c| significant(&c)),
        _ => n.width,
    }
}

/// Number of bits up to the highest one.
fn significant(c: &Bits) -> u16 {
    (0..c.width()).rev().find(|&k| c.bit(k)).map_or(0, |k| k + 1)
}

/// Number of low bits known to be zero.
fn low_zeros(arena: &Arena, e: ExprId) -> u16 {
    let mut at = e;
    let mut known = 0;
    // The depth bounds the work on long chains of concatenations.
    for _ in 0..crate::build::MAX_DEPTH {
        let n = arena.node(at);
        match n.op {
            Op::ZExt => at = n.args[0],
            Op::Concat if arena.as_const(n.args[1]).is_some_and(|c| c.is_zero()) => {
                known += arena.width(n.args[1]);
                at = n.args[0];
            }
            Op::Concat => at = n.args[1],
            Op::Const => {
                let c = arena.as_const(at).expect("a constant");
                return known + (0..c.width()).take_while(|&k| !c.bit(k)).count() as u16;
            }
            _ => break,
        }
    }
    known
}
