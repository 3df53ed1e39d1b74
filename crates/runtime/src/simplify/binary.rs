//! Arithmetic, bitwise and shift nodes.

use super::{Operand, commutes, const_right, maybe, parts, predicate, raw_bin};
use crate::node::{self, mask};
use trace_abi::Op;

/// A binary operation or predicate on operands of `w` bits. 0 if the result is constant.
pub fn bin(op: Op, w: u16, l: Operand, r: Operand) -> u32 {
    if l.is_const() && r.is_const() {
        return 0;
    }
    if w > 64 {
        return wide(op, w, l, r);
    }
    let (mut l, mut r) = (cut(l, w), cut(r, w));
    if commutes(op) && (l.is_const() || (!r.is_const() && r.label < l.label)) {
        (l, r) = (r, l);
    }
    if op.is_predicate() {
        predicate::predicate(op, w, l, r)
    } else if l.label == r.label {
        same(op, w, l, r)
    } else if r.is_const() {
        constant_right(op, w, l.label, r.value)
    } else if is_zero(op, l) || cancels(op, l.label, r.label) {
        0
    } else if op == Op::Add && !l.is_const() && maybe(l.label) & maybe(r.label) == 0 {
        raw_bin(Op::Or, w, l, r)
    } else {
        raw_bin(op, w, l, r)
    }
}

/// Whether an operation is zero because its left operand is.
fn is_zero(op: Op, l: Operand) -> bool {
    l == Operand::constant(0) && matches!(op, Op::Shl | Op::LShr | Op::AShr | Op::USubSat)
}

/// Whether a sum or difference is constant: both sides are one expression plus or minus constants.
fn cancels(op: Op, l: u32, r: u32) -> bool {
    if l == 0 || r == 0 || !matches!(op, Op::Add | Op::Sub) {
        return false;
    }
    let ((x, plus), (y, other)) = (term(l), term(r));
    x == y && (plus == other) == (op == Op::Sub)
}

/// `x` as `± y + constant`: y, and whether it is added.
fn term(x: u32) -> (u32, bool) {
    let plain = |x: u32| inner(Op::Add, x).map_or(x, |(y, _)| y);
    let x = plain(x);
    let n = node::get(x);
    if n.op == Op::Sub as u8 && n.l == 0 { (plain(n.r), false) } else { (x, true) }
}

fn cut(o: Operand, w: u16) -> Operand {
    if o.is_const() { Operand::constant(o.value & mask(w)) } else { o }
}

/// Wide operands: both must be labels, whatever the caller gave.
fn wide(op: Op, w: u16, l: Operand, r: Operand) -> u32 {
    if l.is_const() || r.is_const() {
        crate::event::lose(trace_abi::Reason::Unsupported, 0, u64::from(w));
        return 0;
    }
    if l.label == r.label {
        return if op.is_predicate() { predicate::predicate(op, w, l, r) } else { same(op, w, l, r) };
    }
    raw_bin(op, w, l, r)
}

/// Both operands are the same expression.
fn same(op: Op, w: u16, l: Operand, r: Operand) -> u32 {
    match op {
        Op::Sub | Op::Xor | Op::USubSat | Op::SSubSat => 0,
        Op::And | Op::Or | Op::UMin | Op::UMax | Op::SMin | Op::SMax => l.label,
        _ => raw_bin(op, w, l, r),
    }
}

/// `x op c` with `w` at most 64 and `c` cut to it.
fn constant_right(op: Op, w: u16, x: u32, c: u64) -> u32 {
    let all = mask(w);
    match op {
        Op::Sub => constant_right(Op::Add, w, x, c.wrapping_neg() & all),
        Op::Add => add(w, x, c),
        Op::And => and(w, x, c),
        Op::Or if c == all => 0,
        Op::Xor if w == 1 && c == 1 => predicate::not(x),
        Op::Xor => xor(w, x, c),
        Op::Or | Op::UAddSat | Op::USubSat | Op::SAddSat | Op::SSubSat if c == 0 => x,
        Op::Shl | Op::LShr | Op::AShr => shift(op, w, x, c),
        Op::Mul if c == 0 => 0,
        Op::Mul | Op::UDiv if c == 1 => x,
        Op::SDiv if c == 1 && w > 1 => x,
        Op::Mul if c.is_power_of_two() => shift(Op::Shl, w, x, u64::from(c.trailing_zeros())),
        Op::UDiv if c.is_power_of_two() => shift(Op::LShr, w, x, u64::from(c.trailing_zeros())),
        Op::URem if c == 1 => 0,
        Op::URem if c.is_power_of_two() => and(w, x, c - 1),
        Op::UMin if c == 0 => 0,
        Op::UMin if c == all => x,
        Op::UMax if c == 0 => x,
        Op::UMax if c == all => 0,
        _ => raw_bin(op, w, Operand::new(x, 0), Operand::constant(c)),
    }
}

/// The constant of `x` if it is `y op c`, and `y`.
fn inner(op: Op, x: u32) -> Option<(u32, u64)> {
    let n = node::get(x);
    if n.op == op as u8 { const_right(&n).map(|c| (n.l, c)) } else { None }
}

fn add(w: u16, x: u32, c: u64) -> u32 {
    if c == 0 {
        return x;
    }
    if let Some((y, d)) = inner(Op::Add, x) {
        return add(w, y, c.wrapping_add(d) & mask(w));
    }
    raw_bin(Op::Add, w, Operand::new(x, 0), Operand::constant(c))
}

fn xor(w: u16, x: u32, c: u64) -> u32 {
    match inner(Op::Xor, x) {
        _ if c == 0 => x,
        Some((y, d)) => xor(w, y, c ^ d),
        None => raw_bin(Op::Xor, w, Operand::new(x, 0), Operand::constant(c)),
    }
}

fn and(w: u16, x: u32, c: u64) -> u32 {
    let live = maybe(x);
    if live & c == 0 {
        return 0;
    }
    if live & !c == 0 {
        return x;
    }
    if let Some((y, d)) = inner(Op::And, x) {
        return and(w, y, c & d);
    }
    let low = c.trailing_ones() as u16;
    if low.is_multiple_of(8) && c == mask(low) && low > 0 {
        return parts::zero_extend(parts::extract(x, 0, low), w);
    }
    raw_bin(Op::And, w, Operand::new(x, 0), Operand::constant(c))
}

fn shift(op: Op, w: u16, x: u32, c: u64) -> u32 {
    if c == 0 {
        return x;
    }
    if c >= u64::from(w) && op != Op::AShr {
        return 0;
    }
    let live = maybe(x);
    if (op == Op::LShr && live >> c == 0) || (op == Op::Shl && live << c & mask(w) == 0) {
        return 0;
    }
    if op == Op::AShr && live >> (w - 1) & 1 == 0 {
        return shift(Op::LShr, w, x, c);
    }
    if op == Op::LShr && c.is_multiple_of(8) {
        let part = parts::extract(x, c as u16, w - c as u16);
        return parts::zero_extend(part, w);
    }
    raw_bin(op, w, Operand::new(x, 0), Operand::constant(c))
}
