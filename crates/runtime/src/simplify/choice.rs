//! If-then-else and funnel shifts.

use super::{Operand, concat, extract, not};
use crate::node::{self, mask};
use trace_abi::{Node, Op};

/// A ternary node of `w` bits. For `Ite`, `l` has width 1. 0 if the result is constant.
pub fn tri(op: Op, w: u16, l: Operand, r: Operand, t: Operand) -> u32 {
    if l.is_const() && r.is_const() && t.is_const() {
        return 0;
    }
    match op {
        Op::Ite => ite(w, l, r, t),
        Op::FFma if !super::float::rounds_to_nearest() => super::float::lost_to_rounding(),
        Op::Fshl | Op::Fshr if t.is_const() && w <= 64 => funnel(op, w, l, r, t.value),
        _ => raw(op, w, l, r, t, w),
    }
}

fn raw(op: Op, w: u16, l: Operand, r: Operand, t: Operand, first_width: u16) -> u32 {
    let missing = l.is_const() || r.is_const() || t.is_const();
    if w > 64 && missing && !(first_width == 1 && !r.is_const() && !t.is_const()) {
        crate::event::lose(trace_abi::Reason::Unsupported, 0, u64::from(w));
        return 0;
    }
    let (l, r, t) = (l.to_label(first_width), r.to_label(w), t.to_label(w));
    if l == 0 || r == 0 || t == 0 {
        return 0;
    }
    node::make(Node { l, r, t, ..node::raw(op, w) })
}

fn ite(w: u16, c: Operand, then: Operand, other: Operand) -> u32 {
    if c.is_const() {
        return if c.value & 1 == 1 { then.label } else { other.label };
    }
    let (then, other) = (cut(then, w), cut(other, w));
    if then == other {
        return then.label;
    }
    if w == 1 && then.is_const() && other.is_const() {
        return if then.value == 1 { c.label } else { not(c.label) };
    }
    let n = node::get(c.label);
    if n.op == Op::Xor as u8 && n.r == 0 && n.b == 1 {
        return ite(w, Operand::new(n.l, 0), other, then);
    }
    raw(Op::Ite, w, c, then, other, 1)
}

fn cut(o: Operand, w: u16) -> Operand {
    if o.is_const() { Operand::constant(o.value & mask(w)) } else { Operand::new(o.label, 0) }
}

/// A funnel shift by a constant: the two parts side by side.
fn funnel(op: Op, w: u16, l: Operand, r: Operand, count: u64) -> u32 {
    let by = (count % u64::from(w)) as u16;
    if by == 0 {
        return if op == Op::Fshl { l.label } else { r.label };
    }
    let from_high = if op == Op::Fshl { w - by } else { by };
    let high = piece(l, 0, from_high);
    let low = piece(r, from_high, w - from_high);
    concat(high, from_high, low, w - from_high)
}

/// Part of an operand, as an operand.
fn piece(o: Operand, low: u16, width: u16) -> Operand {
    if o.is_const() {
        return Operand::constant(o.value >> low & mask(width));
    }
    match extract(o.label, low, width) {
        0 => Operand::new(
            node::make(Node { l: o.label, a: u64::from(low), ..node::raw(Op::Extract, width) }),
            0,
        ),
        label => Operand::new(label, 0),
    }
}
