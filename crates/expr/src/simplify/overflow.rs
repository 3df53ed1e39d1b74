//! Overflow tests of values that cannot overflow, because they were narrower once.

use super::{active_bits, unary_of};
use crate::{Arena, ExprId, Op};

pub(super) fn rules(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    let w = arena.width(a);
    let never = match op {
        Op::USubO => return Some(arena.binary(Op::Ult, a, b)),
        Op::UAddO => active_bits(arena, a) < w && active_bits(arena, b) < w,
        Op::UMulO => active_bits(arena, a) + active_bits(arena, b) <= w,
        Op::SMulO => signed_bits(arena, a) + signed_bits(arena, b) <= w,
        _ => signed_bits(arena, a) < w && signed_bits(arena, b) < w,
    };
    never.then(|| arena.bool(false))
}

/// Width at which a value is still itself as a signed number.
fn signed_bits(arena: &Arena, e: ExprId) -> u16 {
    let w = arena.width(e);
    if let Some(x) = unary_of(arena, Op::SExt, e) {
        return arena.width(x);
    }
    if let Some(c) = arena.as_const(e) {
        let same = (0..w).rev().take_while(|&k| c.bit(k) == c.sign()).count() as u16;
        return w - same + 1;
    }
    (active_bits(arena, e) + 1).min(w)
}
