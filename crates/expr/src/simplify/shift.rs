//! Shifts and rotations by constants become extractions and concatenations, which later rules see through.

use crate::{Arena, ExprId, Op};

pub(super) fn rules(arena: &mut Arena, op: Op, a: ExprId, b: ExprId) -> Option<ExprId> {
    let w = arena.width(a);
    let count = arena.as_const(b)?.to_u64().map_or(w, |n| n.min(w.into()) as u16);
    if count == 0 {
        return Some(a);
    }
    if count == w && op != Op::AShr {
        return Some(arena.const_u64(w, 0));
    }
    Some(match op {
        Op::Shl => {
            let (kept, zeros) = (arena.extract(a, 0, w - count), arena.const_u64(count, 0));
            arena.concat(kept, zeros)
        }
        Op::LShr => {
            let kept = arena.extract(a, count, w - count);
            arena.unary(Op::ZExt, w, kept)
        }
        _ => {
            let count = count.min(w - 1);
            let kept = arena.extract(a, count, w - count);
            arena.unary(Op::SExt, w, kept)
        }
    })
}

/// Funnel shifts by a constant.
pub(super) fn funnel(arena: &mut Arena, op: Op, a: ExprId, b: ExprId, c: ExprId) -> Option<ExprId> {
    let w = arena.width(a);
    let count = arena.as_const(c)?;
    let modulus = crate::Bits::new(count.width(), w.into());
    let s = super::fold(Op::URem, &count, &modulus).low() as u16;
    // How many bits of `a` are pushed out at the top.
    let out = match (op, s) {
        (Op::Fshl, s) => s,
        (_, 0) => return Some(b),
        (_, s) => w - s,
    };
    if out == 0 {
        return Some(a);
    }
    let (high, low) = (arena.extract(a, 0, w - out), arena.extract(b, w - out, out));
    Some(arena.concat(high, low))
}
