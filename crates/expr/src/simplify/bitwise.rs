//! And, or, exclusive or.

use super::{active_bits, binary_of, fold, unary_of, with_const};
use crate::{Arena, Bits, ExprId, Op};

pub(super) fn rules(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    if a == b {
        return Some(if op == Op::Xor { arena.const_u64(arena.width(a), 0) } else { a });
    }
    if let Some(c) = arena.as_const(b) {
        let simpler = constant(arena, op, a, b, &c);
        if simpler.is_some() {
            return simpler;
        }
    }
    if arena.width(a) == 1
        && let Some(e) = complement(arena, op, a, b)
    {
        return Some(e);
    }
    extended(arena, op, a, b)
        .or_else(|| concatenated(arena, op, a, b))
        .or_else(|| concatenated(arena, op, b, a))
}

/// Rules with a constant on the right.
fn constant(arena: &mut Arena, op: Op, a: ExprId, b: ExprId, c: &Bits) -> Option<ExprId> {
    match op {
        Op::And if c.is_zero() => return Some(b),
        Op::And if c.is_ones() => return Some(a),
        Op::Or if c.is_ones() => return Some(b),
        Op::Or | Op::Xor if c.is_zero() => return Some(a),
        Op::Xor if c.width() == 1 => return negation(arena, a),
        _ => {}
    }
    // (x op c1) op c2 = x op (c1 op c2)
    if let Some((x, c1)) = with_const(arena, op, a) {
        let c = arena.constant(&fold(op, &c1, c));
        return Some(arena.binary(op, x, c));
    }
    if op == Op::And { mask(arena, a, c) } else { None }
}

/// And with consecutive ones: the bits are cut out and put back between zeros.
fn mask(arena: &mut Arena, a: ExprId, c: &Bits) -> Option<ExprId> {
    let w = c.width();
    let low = (0..w).take_while(|&k| !c.bit(k)).count() as u16;
    let ones = (low..w).take_while(|&k| c.bit(k)).count() as u16;
    if (low + ones..w).any(|k| c.bit(k)) {
        return None;
    }
    let mut kept = arena.extract(a, low, ones);
    if low > 0 {
        let zeros = arena.const_u64(low, 0);
        kept = arena.concat(kept, zeros);
    }
    Some(arena.unary(Op::ZExt, w, kept))
}

/// The negation of a Boolean: comparisons turn round, a double negation goes.
fn negation(arena: &mut Arena, e: ExprId) -> Option<ExprId> {
    let n = *arena.node(e);
    let [x, y, _] = n.args;
    Some(match n.op {
        Op::Eq => arena.binary(Op::Ne, x, y),
        Op::Ne => arena.binary(Op::Eq, x, y),
        Op::Ult => arena.binary(Op::Ule, y, x),
        Op::Ule => arena.binary(Op::Ult, y, x),
        Op::Slt => arena.binary(Op::Sle, y, x),
        Op::Sle => arena.binary(Op::Slt, y, x),
        Op::Xor if arena.is_true(y) => x,
        _ => return None,
    })
}

/// `x & !x`, `x | !x`, `x ^ !x` at width 1.
fn complement(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    let negates =
        |x: ExprId, y: ExprId| binary_of(arena, Op::Xor, x).is_some_and(|(p, q)| p == y && arena.is_true(q));
    (negates(a, b) || negates(b, a) || opposite(arena, a, b)).then(|| arena.bool(op != Op::And))
}

/// Two comparisons of the same operands, one the negation of the other.
fn opposite(arena: &Arena, a: ExprId, b: ExprId) -> bool {
    let (x, y) = (arena.node(a), arena.node(b));
    match (x.op, y.op) {
        (Op::Eq, Op::Ne) | (Op::Ne, Op::Eq) => x.args == y.args,
        (Op::Ult, Op::Ule) | (Op::Ule, Op::Ult) | (Op::Slt, Op::Sle) | (Op::Sle, Op::Slt) => {
            (x.args[0], x.args[1]) == (y.args[1], y.args[0])
        }
        _ => false,
    }
}

/// Both operands are extended with zeros: done at the wider of their widths.
fn extended(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    let w = arena.width(a);
    let x = unary_of(arena, Op::ZExt, a)?;
    // Of an and, the bits of one operand suffice.
    let other = if op == Op::And { arena.width(x) } else { active_bits(arena, b) };
    let narrow = arena.width(x).max(other);
    if narrow >= w {
        return None;
    }
    let (x, y) = (arena.extract(a, 0, narrow), arena.extract(b, 0, narrow));
    let result = arena.binary(op, x, y);
    Some(arena.unary(Op::ZExt, w, result))
}

/// One operand is a concatenation and the other falls into the same parts: part by part.
fn concatenated(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    let (high, low) = binary_of(arena, Op::Concat, a)?;
    let split = arena.width(low);
    let falls = match binary_of(arena, Op::Concat, b) {
        Some((_, other)) => arena.width(other) == split,
        None => arena.is_const(b) || active_bits(arena, b) <= split,
    };
    if !falls {
        return None;
    }
    let (top, bottom) = (arena.extract(b, split, arena.width(high)), arena.extract(b, 0, split));
    let (high, low) = (arena.binary(op, high, top), arena.binary(op, low, bottom));
    Some(arena.concat(high, low))
}
