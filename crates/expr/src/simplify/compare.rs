//! Comparisons: with constants, of extended values, of Booleans.

use super::casts::part;
use super::{active_bits, fold, resize, significant, unary_of, with_const};
use crate::{Arena, Bits, ExprId, Op};

pub(super) fn rules(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    if a == b {
        return Some(arena.bool(matches!(op, Op::Eq | Op::Ule | Op::Sle)));
    }
    match op {
        Op::Eq => equal(arena, a, b),
        Op::Ne => {
            let equal = equal(arena, a, b)?;
            Some(arena.not(equal))
        }
        Op::Ult | Op::Ule => unsigned(arena, op, a, b),
        _ => signed(arena, op, a, b),
    }
}

fn equal(arena: &mut Arena, a: ExprId, b: ExprId) -> Option<ExprId> {
    if let Some(c) = arena.as_const(b) {
        return equals_constant(arena, a, b, &c);
    }
    same_extension(arena, Op::ZExt, a, b).or_else(|| same_extension(arena, Op::SExt, a, b)).map(|(x, y)| {
        // Compared at the wider of their own widths.
        arena.binary(Op::Eq, x, y)
    })
}

fn equals_constant(arena: &mut Arena, a: ExprId, b: ExprId, c: &Bits) -> Option<ExprId> {
    if c.width() == 1 {
        return Some(if c.is_zero() { arena.not(a) } else { a });
    }
    let n = *arena.node(a);
    let [x, y, z] = n.args;
    match n.op {
        Op::ZExt | Op::SExt => {
            let narrow = part(c, 0, arena.width(x));
            if crate::semantics::apply(n.op, n.width, 0, &[&narrow]) != *c {
                return Some(arena.bool(false));
            }
            let narrow = arena.constant(&narrow);
            Some(arena.binary(Op::Eq, x, narrow))
        }
        Op::Concat => {
            let split = arena.width(y);
            let (high, low) = (part(c, split, n.width - split), part(c, 0, split));
            let (high, low) = (arena.constant(&high), arena.constant(&low));
            let (high, low) = (arena.binary(Op::Eq, x, high), arena.binary(Op::Eq, y, low));
            Some(arena.binary(Op::And, high, low))
        }
        // x + c1 = c, x ^ c1 = c: solved for x.
        Op::Add | Op::Xor if arena.is_const(y) => {
            let (_, c1) = with_const(arena, n.op, a)?;
            let inverse = if n.op == Op::Add { Op::Sub } else { Op::Xor };
            let value = arena.constant(&fold(inverse, c, &c1));
            Some(arena.binary(Op::Eq, x, value))
        }
        Op::Sub if arena.is_const(x) => {
            let c1 = arena.as_const(x)?;
            let value = arena.constant(&fold(Op::Sub, &c1, c));
            Some(arena.binary(Op::Eq, y, value))
        }
        Op::Sub | Op::Xor if c.is_zero() => Some(arena.binary(Op::Eq, x, y)),
        Op::Ite => equals_choice(arena, [x, y, z], b, c),
        _ => None,
    }
}

/// `(x ? y : z) = c`, where an arm is a constant.
fn equals_choice(arena: &mut Arena, [x, y, z]: [ExprId; 3], b: ExprId, c: &Bits) -> Option<ExprId> {
    let hit = |arm: Option<Bits>| arm.map(|v| v == *c);
    match (hit(arena.as_const(y)), hit(arena.as_const(z))) {
        (Some(true), Some(true)) => Some(arena.bool(true)),
        (Some(true), Some(false)) => Some(x),
        (Some(false), Some(true)) => Some(arena.not(x)),
        (Some(false), Some(false)) => Some(arena.bool(false)),
        (Some(false), None) => {
            let (other, rest) = (arena.not(x), arena.binary(Op::Eq, z, b));
            Some(arena.binary(Op::And, other, rest))
        }
        (None, Some(false)) => {
            let rest = arena.binary(Op::Eq, y, b);
            Some(arena.binary(Op::And, x, rest))
        }
        _ => None,
    }
}

/// The operands of two extensions of the same kind, at the wider of their widths.
fn same_extension(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId)> {
    let (x, y) = (unary_of(arena, op, a)?, unary_of(arena, op, b)?);
    let width = arena.width(x).max(arena.width(y));
    Some((arena.unary(op, width, x), arena.unary(op, width, y)))
}

fn unsigned(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    if let Some(c) = arena.as_const(b) {
        return below_constant(arena, op, a, &c);
    }
    if let Some(c) = arena.as_const(a) {
        return above_constant(arena, op, &c, b);
    }
    let (x, y) = same_extension(arena, Op::ZExt, a, b)?;
    Some(arena.binary(op, x, y))
}

/// `a < c` or `a <= c`.
fn below_constant(arena: &mut Arena, op: Op, a: ExprId, c: &Bits) -> Option<ExprId> {
    if op == Op::Ule {
        if c.is_ones() {
            return Some(arena.bool(true));
        }
        let next = arena.constant(&fold(Op::Add, c, &Bits::new(c.width(), 1)));
        return Some(arena.binary(Op::Ult, a, next));
    }
    if c.is_zero() {
        return Some(arena.bool(false));
    }
    let edge = if c.is_ones() { Some((Op::Ne, c.clone())) } else { None };
    let edge = if significant(c) == 1 { Some((Op::Eq, Bits::zero(c.width()))) } else { edge };
    if let Some((op, value)) = edge {
        let value = arena.constant(&value);
        return Some(arena.binary(op, a, value));
    }
    let x = unary_of(arena, Op::ZExt, a)?;
    let narrow = arena.width(x);
    if significant(c) > narrow {
        return Some(arena.bool(true));
    }
    let c = arena.constant(&resize(c, narrow));
    Some(arena.binary(Op::Ult, x, c))
}

/// `c < b` or `c <= b`.
fn above_constant(arena: &mut Arena, op: Op, c: &Bits, b: ExprId) -> Option<ExprId> {
    if op == Op::Ule {
        if c.is_zero() {
            return Some(arena.bool(true));
        }
        let before = arena.constant(&fold(Op::Sub, c, &Bits::new(c.width(), 1)));
        return Some(arena.binary(Op::Ult, before, b));
    }
    if c.is_ones() {
        return Some(arena.bool(false));
    }
    let (w, one) = (c.width(), Bits::new(c.width(), 1));
    if c.is_zero() || fold(Op::Add, c, &one).is_ones() {
        let (op, value) = if c.is_zero() { (Op::Ne, Bits::zero(w)) } else { (Op::Eq, Bits::ones(w)) };
        let value = arena.constant(&value);
        return Some(arena.binary(op, b, value));
    }
    let y = unary_of(arena, Op::ZExt, b)?;
    let narrow = arena.width(y);
    if significant(c) > narrow {
        return Some(arena.bool(false));
    }
    let c = arena.constant(&resize(c, narrow));
    Some(arena.binary(Op::Ult, c, y))
}

fn signed(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    let w = arena.width(a);
    let negative = |arena: &Arena, e: ExprId| arena.as_const(e).is_some_and(|c| c.sign());
    let natural = |arena: &Arena, e: ExprId| active_bits(arena, e) < w;
    // With known signs: unsigned, or decided.
    match (natural(arena, a), natural(arena, b)) {
        (true, true) => {
            let unsigned = if op == Op::Slt { Op::Ult } else { Op::Ule };
            return Some(arena.binary(unsigned, a, b));
        }
        (true, false) if negative(arena, b) => return Some(arena.bool(false)),
        (false, true) if negative(arena, a) => return Some(arena.bool(true)),
        _ => {}
    }
    if let Some((x, y)) = same_extension(arena, Op::SExt, a, b) {
        return Some(arena.binary(op, x, y));
    }
    if let Some(c) = arena.as_const(b) {
        return signed_constant(arena, op, a, &c, false);
    }
    let c = arena.as_const(a)?;
    signed_constant(arena, op, b, &c, true)
}

/// `x < c`, `x <= c`, or with `swapped` `c < x`, `c <= x`.
fn signed_constant(arena: &mut Arena, op: Op, x: ExprId, c: &Bits, swapped: bool) -> Option<ExprId> {
    let w = c.width();
    let compare = |arena: &mut Arena, op: Op, x: ExprId, c: &Bits| {
        let c = arena.constant(c);
        Some(if swapped { arena.binary(op, c, x) } else { arena.binary(op, x, c) })
    };
    let least = fold(Op::Shl, &Bits::new(w, 1), &Bits::new(w, u64::from(w) - 1));
    let most = fold(Op::Xor, &least, &Bits::ones(w));
    // The value beyond which nothing lies on that side.
    let extreme = if swapped { &least } else { &most };
    if op == Op::Sle {
        if c == extreme {
            return Some(arena.bool(true));
        }
        let step = Bits::new(w, 1);
        return compare(arena, Op::Slt, x, &fold(if swapped { Op::Sub } else { Op::Add }, c, &step));
    }
    if c == if swapped { &most } else { &least } {
        return Some(arena.bool(false));
    }
    let inner = unary_of(arena, Op::SExt, x)?;
    let narrow = part(c, 0, arena.width(inner));
    if crate::semantics::apply(Op::SExt, w, 0, &[&narrow]) == *c {
        return compare(arena, Op::Slt, inner, &narrow);
    }
    // The constant lies above (or below) every value of the narrow width.
    Some(arena.bool(c.sign() == swapped))
}
