//! If-then-else.

use crate::{Arena, ExprId, Op};

pub(super) fn ite(arena: &mut Arena, c: ExprId, a: ExprId, b: ExprId) -> Option<ExprId> {
    if a == b || arena.is_true(c) {
        return Some(a);
    }
    if arena.is_false(c) {
        return Some(b);
    }
    // A negated condition: the arms change places.
    if let Some((x, one)) = super::binary_of(arena, Op::Xor, c)
        && arena.is_true(one)
    {
        return Some(arena.ternary(Op::Ite, x, b, a));
    }
    if arena.width(a) != 1 {
        return None;
    }
    // A choice of Booleans is a conjunction or a disjunction.
    let constant = |e: ExprId| arena.as_u64(e).map(|v| v == 1);
    match (constant(a), constant(b)) {
        (Some(true), _) => Some(arena.binary(Op::Or, c, b)),
        (_, Some(false)) => Some(arena.binary(Op::And, c, a)),
        (Some(false), _) => {
            let other = arena.not(c);
            Some(arena.binary(Op::And, other, b))
        }
        (_, Some(true)) => {
            let other = arena.not(c);
            Some(arena.binary(Op::Or, other, a))
        }
        (None, None) => None,
    }
}
