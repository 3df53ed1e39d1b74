//! Comparisons and overflow tests.

use super::{Operand, maybe, parts, raw_bin};
use crate::node::{self, mask};
use trace_abi::{Node, Op};

/// The negation of an expression of width 1.
pub fn not(x: u32) -> u32 {
    let n = node::get(x);
    let (swapped, op) = match n.op() {
        Some(Op::Eq) => (false, Op::Ne),
        Some(Op::Ne) => (false, Op::Eq),
        Some(Op::Ult) => (true, Op::Ule),
        Some(Op::Ule) => (true, Op::Ult),
        Some(Op::Slt) => (true, Op::Sle),
        Some(Op::Sle) => (true, Op::Slt),
        Some(Op::Xor) if n.r == 0 && n.b == 1 => return n.l,
        _ => {
            let one = Operand::constant(1);
            return raw_bin(Op::Xor, 1, Operand::new(x, 0), one);
        }
    };
    let (l, r, a, b) = if swapped { (n.r, n.l, n.b, n.a) } else { (n.l, n.r, n.a, n.b) };
    node::make(Node { l, r, a, b, ..node::raw(op, 1) })
}

/// A predicate on operands of `w` bits; a lone constant is on the right if the operation commutes.
pub fn predicate(op: Op, w: u16, l: Operand, r: Operand) -> u32 {
    if l.label == r.label {
        return match op {
            Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::USubO | Op::SSubO => 0,
            _ => raw_bin(op, w, l, r),
        };
    }
    if w > 64 {
        return raw_bin(op, w, l, r);
    }
    if let Some(label) = narrowed(op, w, l, r) {
        return label;
    }
    match op {
        Op::Eq | Op::Ne if r.is_const() => equal(op, w, l.label, r.value),
        Op::Ult | Op::Ule => unsigned(op, w, l, r),
        Op::UAddO | Op::SAddO | Op::USubO | Op::SSubO | Op::UMulO | Op::SMulO
            if r == Operand::constant(0) =>
        {
            0
        }
        _ => raw_bin(op, w, l, r),
    }
}

/// `x == c` or `x != c`.
fn equal(op: Op, w: u16, x: u32, c: u64) -> u32 {
    if maybe(x) & c != c {
        return 0;
    }
    if w == 1 {
        return if (op == Op::Eq) == (c == 1) { x } else { not(x) };
    }
    let n = node::get(x);
    let undone = match n.op() {
        _ if n.r != 0 || n.l == 0 => None,
        Some(Op::Add) => Some(c.wrapping_sub(n.b) & mask(w)),
        Some(Op::Xor) => Some(c ^ n.b),
        _ => None,
    };
    match undone {
        Some(c) => equal(op, w, n.l, c),
        None => raw_bin(op, w, Operand::new(x, 0), Operand::constant(c)),
    }
}

/// Unsigned order with bounds that decide it.
fn unsigned(op: Op, w: u16, l: Operand, r: Operand) -> u32 {
    let all = mask(w);
    let decided = match (op, l.is_const(), r.is_const()) {
        (Op::Ult, _, true) => r.value == 0 || maybe(l.label) < r.value,
        (Op::Ule, _, true) => r.value == all || maybe(l.label) <= r.value,
        (Op::Ult, true, _) => l.value == all || l.value >= maybe(r.label),
        (Op::Ule, true, _) => l.value == 0 || l.value > maybe(r.label),
        _ => false,
    };
    if decided { 0 } else { raw_bin(op, w, l, r) }
}

/// The same predicate on fewer bits, if the operands are extensions of narrower values.
fn narrowed(op: Op, w: u16, l: Operand, r: Operand) -> Option<u32> {
    if !matches!(op, Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle) {
        return None;
    }
    let narrow = if l.is_const() { extended(r.label)? } else { extended(l.label)? };
    let (signed, inner) = (narrow.0, narrow.1);
    let left = fits(l, w, signed, inner)?;
    let right = fits(r, w, signed, inner)?;
    let op = match op {
        Op::Slt if !signed => Op::Ult,
        Op::Sle if !signed => Op::Ule,
        same => same,
    };
    Some(super::bin(op, inner, left, right))
}

/// If the label is an extension: whether of the sign, and from which width.
fn extended(label: u32) -> Option<(bool, u16)> {
    let n = node::get(label);
    match n.op() {
        Some(Op::ZExt) => Some((false, node::width(n.l))),
        Some(Op::SExt) => Some((true, node::width(n.l))),
        _ => None,
    }
}

/// The operand before its extension from `inner` bits: constants must be such extensions.
fn fits(o: Operand, w: u16, signed: bool, inner: u16) -> Option<Operand> {
    if !o.is_const() {
        return (extended(o.label)? == (signed, inner)).then(|| Operand::new(node::get(o.label).l, 0));
    }
    let low = o.value & mask(inner);
    let back = if signed { parts::sign_extend_value(low, inner, w) } else { low };
    (back == o.value).then_some(Operand::constant(low))
}
