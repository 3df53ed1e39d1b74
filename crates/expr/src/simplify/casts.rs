//! Extensions, extractions, concatenations, byte swaps.

use super::{binary_of, resize, unary_of};
use crate::{Arena, ExprId, Op};

pub(super) fn zext(arena: &mut Arena, width: u16, a: ExprId) -> Option<ExprId> {
    if arena.width(a) == width {
        return Some(a);
    }
    let x = unary_of(arena, Op::ZExt, a)?;
    Some(arena.unary(Op::ZExt, width, x))
}

pub(super) fn sext(arena: &mut Arena, width: u16, a: ExprId) -> Option<ExprId> {
    if arena.width(a) == width {
        return Some(a);
    }
    // The sign of a value extended with zeros is 0.
    for op in [Op::SExt, Op::ZExt] {
        if let Some(x) = unary_of(arena, op, a)
            && arena.width(x) < arena.width(a)
        {
            return Some(arena.unary(op, width, x));
        }
    }
    None
}

/// Bytes in the other order, up to 8 of them.
pub(super) fn bswap(arena: &mut Arena, width: u16, a: ExprId) -> Option<ExprId> {
    if width > 64 {
        return None;
    }
    let first = arena.extract(a, 0, 8);
    Some((1..width / 8).fold(first, |high, k| {
        let byte = arena.extract(a, 8 * k, 8);
        arena.concat(high, byte)
    }))
}

/// Bits `low` .. `low + width` of `e`.
pub(crate) fn extract(arena: &mut Arena, e: ExprId, low: u16, width: u16) -> Option<ExprId> {
    let n = *arena.node(e);
    if n.width == width {
        return Some(e);
    }
    let [x, y, z] = n.args;
    match n.op {
        Op::Extract => Some(arena.extract(x, low + n.imm as u16, width)),
        Op::Trunc => Some(arena.extract(x, low, width)),
        Op::Concat => Some(of_concat(arena, x, y, low, width)),
        Op::ZExt => Some(of_zext(arena, x, low, width)),
        Op::SExt => of_sext(arena, x, low, width),
        Op::And | Op::Or | Op::Xor if cheap(arena, x) || cheap(arena, y) => {
            let (x, y) = (arena.extract(x, low, width), arena.extract(y, low, width));
            Some(arena.binary(n.op, x, y))
        }
        // The low bits of a sum depend on the low bits only.
        Op::Add | Op::Sub | Op::Mul if low == 0 && cheap(arena, x) && cheap(arena, y) => {
            let (x, y) = (arena.extract(x, 0, width), arena.extract(y, 0, width));
            Some(arena.binary(n.op, x, y))
        }
        Op::Ite if arena.is_const(y) && arena.is_const(z) => {
            let (y, z) = (arena.extract(y, low, width), arena.extract(z, low, width));
            Some(arena.ternary(Op::Ite, x, y, z))
        }
        _ => None,
    }
}

/// Whether part of an expression is likely simpler than the whole.
fn cheap(arena: &Arena, e: ExprId) -> bool {
    matches!(arena.op(e), Op::Const | Op::ZExt | Op::SExt | Op::Concat)
}

fn of_concat(arena: &mut Arena, high: ExprId, bottom: ExprId, low: u16, width: u16) -> ExprId {
    let split = arena.width(bottom);
    if low >= split {
        return arena.extract(high, low - split, width);
    }
    if low + width <= split {
        return arena.extract(bottom, low, width);
    }
    let (high, bottom) =
        (arena.extract(high, 0, low + width - split), arena.extract(bottom, low, split - low));
    arena.concat(high, bottom)
}

fn of_zext(arena: &mut Arena, x: ExprId, low: u16, width: u16) -> ExprId {
    let inner = arena.width(x);
    if low >= inner {
        return arena.const_u64(width, 0);
    }
    let part = arena.extract(x, low, width.min(inner - low));
    arena.unary(Op::ZExt, width, part)
}

fn of_sext(arena: &mut Arena, x: ExprId, low: u16, width: u16) -> Option<ExprId> {
    let inner = arena.width(x);
    if low + width <= inner {
        return Some(arena.extract(x, low, width));
    }
    // The sign alone, or the sign above some bits.
    let low = low.min(inner - 1);
    let part = arena.extract(x, low, inner - low);
    Some(arena.unary(Op::SExt, width, part))
}

pub(super) fn concat(arena: &mut Arena, high: ExprId, low: ExprId) -> Option<ExprId> {
    let width = arena.width(high) + arena.width(low);
    if let Some(e) = join(arena, high, low) {
        return Some(e);
    }
    // Zeros on top are an extension.
    if arena.as_const(high).is_some_and(|c| c.is_zero()) {
        return Some(arena.unary(Op::ZExt, width, low));
    }
    if let Some(x) = unary_of(arena, Op::ZExt, high) {
        let inner = arena.concat(x, low);
        return Some(arena.unary(Op::ZExt, width, inner));
    }
    // The neighbours within longer chains.
    if let Some((first, second)) = binary_of(arena, Op::Concat, high)
        && let Some(joined) = join(arena, second, low)
    {
        return Some(arena.concat(first, joined));
    }
    if let Some((second, third)) = binary_of(arena, Op::Concat, low)
        && let Some(joined) = join(arena, high, second)
    {
        return Some(arena.concat(joined, third));
    }
    None
}

/// Two constants, or two adjacent parts of one expression, as one.
fn join(arena: &mut Arena, high: ExprId, low: ExprId) -> Option<ExprId> {
    if let (Some(h), Some(l)) = (arena.as_const(high), arena.as_const(low)) {
        let width = h.width() + l.width();
        return Some(arena.constant(&crate::semantics::apply(Op::Concat, width, 0, &[&h, &l])));
    }
    let (h, l) = (*arena.node(high), *arena.node(low));
    let parts = h.op == Op::Extract && l.op == Op::Extract && h.args[0] == l.args[0];
    (parts && l.imm + u64::from(l.width) == h.imm)
        .then(|| arena.extract(h.args[0], l.imm as u16, h.width + l.width))
}

/// Bits `low` .. of a constant.
pub(super) fn part(c: &crate::Bits, low: u16, width: u16) -> crate::Bits {
    if low == 0 {
        return resize(c, width);
    }
    crate::semantics::apply(Op::Extract, width, low.into(), &[c])
}
