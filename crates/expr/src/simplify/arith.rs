//! Sums, differences, products, quotients.

use super::{active_bits, binary_of, fold, low_zeros, resize, significant, unary_of, with_const};
use crate::{Arena, Bits, ExprId, Op};

pub(super) fn rules(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    match op {
        Op::Add => add(arena, a, b),
        Op::Sub => sub(arena, a, b),
        Op::Mul => mul(arena, a, b),
        _ => divide(arena, op, a, b),
    }
}

fn add(arena: &mut Arena, a: ExprId, b: ExprId) -> Option<ExprId> {
    if let Some(c) = arena.as_const(b) {
        if c.is_zero() {
            return Some(a);
        }
        // (x + c1) + c2 = x + (c1 + c2)
        if let Some((x, c1)) = with_const(arena, Op::Add, a) {
            let sum = arena.constant(&fold(Op::Add, &c1, &c));
            return Some(arena.binary(Op::Add, x, sum));
        }
        // (c1 - x) + c2 = (c1 + c2) - x
        if let Some((c1, x)) = binary_of(arena, Op::Sub, a)
            && let Some(c1) = arena.as_const(c1)
        {
            let sum = arena.constant(&fold(Op::Add, &c1, &c));
            return Some(arena.binary(Op::Sub, sum, x));
        }
    }
    // (x - y) + y = x
    for (p, q) in [(a, b), (b, a)] {
        if let Some((x, y)) = binary_of(arena, Op::Sub, p)
            && y == q
        {
            return Some(x);
        }
    }
    // Nothing can carry where the bits do not meet. (With a constant it stays a sum: it may be an address.)
    if arena.is_const(b) {
        return None;
    }
    let disjoint = |x: ExprId, y: ExprId| active_bits(arena, x) <= low_zeros(arena, y);
    if disjoint(a, b) || disjoint(b, a) {
        return Some(arena.binary(Op::Or, a, b));
    }
    None
}

fn sub(arena: &mut Arena, a: ExprId, b: ExprId) -> Option<ExprId> {
    if a == b {
        return Some(arena.const_u64(arena.width(a), 0));
    }
    // x - c = x + (-c)
    if let Some(c) = arena.as_const(b) {
        let minus = arena.constant(&fold(Op::Sub, &Bits::zero(c.width()), &c));
        return Some(arena.binary(Op::Add, a, minus));
    }
    // (x + y) - x = y
    if let Some((x, y)) = binary_of(arena, Op::Add, a) {
        if x == b {
            return Some(y);
        }
        if y == b {
            return Some(x);
        }
    }
    None
}

fn mul(arena: &mut Arena, a: ExprId, b: ExprId) -> Option<ExprId> {
    let c = arena.as_const(b)?;
    if c.is_zero() {
        return Some(b);
    }
    // x * 2^k = x << k
    if let Some(k) = power_of_two(&c) {
        let k = arena.const_u64(c.width(), k.into());
        return Some(arena.binary(Op::Shl, a, k));
    }
    // (x * c1) * c2 = x * (c1 * c2)
    let (x, c1) = with_const(arena, Op::Mul, a)?;
    let product = arena.constant(&fold(Op::Mul, &c1, &c));
    Some(arena.binary(Op::Mul, x, product))
}

fn divide(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    let c = arena.as_const(b)?;
    if c.is_zero() {
        return None;
    }
    let w = c.width();
    if significant(&c) == 1 {
        // By 1; at width 1 the signed 1 is -1, and `x / -1 = -x = x` there.
        let quotient = matches!(op, Op::UDiv | Op::SDiv);
        return Some(if quotient { a } else { arena.const_u64(w, 0) });
    }
    match op {
        // Both are non-negative: signed is unsigned.
        Op::SDiv | Op::SRem if active_bits(arena, a) < w && !c.sign() => {
            let unsigned = if op == Op::SDiv { Op::UDiv } else { Op::URem };
            Some(arena.binary(unsigned, a, b))
        }
        Op::UDiv | Op::URem => unsigned(arena, op, a, &c),
        _ => None,
    }
}

fn unsigned(arena: &mut Arena, op: Op, a: ExprId, c: &Bits) -> Option<ExprId> {
    let w = c.width();
    if let Some(k) = power_of_two(c) {
        if op == Op::UDiv {
            let k = arena.const_u64(w, k.into());
            return Some(arena.binary(Op::LShr, a, k));
        }
        let low = arena.extract(a, 0, k);
        return Some(arena.unary(Op::ZExt, w, low));
    }
    // Of a value extended with zeros: at its own width.
    let x = unary_of(arena, Op::ZExt, a)?;
    let narrow = arena.width(x);
    if significant(c) > narrow {
        return Some(if op == Op::UDiv { arena.const_u64(w, 0) } else { a });
    }
    let c = arena.constant(&resize(c, narrow));
    let result = arena.binary(op, x, c);
    Some(arena.unary(Op::ZExt, w, result))
}

/// `k` if the constant is `2^k`.
fn power_of_two(c: &Bits) -> Option<u16> {
    let ones: u32 = c.words().iter().map(|w| w.count_ones()).sum();
    (ones == 1).then(|| significant(c) - 1)
}
