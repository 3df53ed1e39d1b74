//! Extensions, extracts and concatenations: what loads and stores of more than one byte are made of.
//!
//! The rules undo each other: bytes taken out of a value and put back together in order are the value.

use super::{Operand, maybe, raw_un};
use crate::node::{self, mask};
use trace_abi::{Node, Op};

/// `value` of `from` bits extended with its sign to `to` bits (both at most 64).
pub fn sign_extend_value(value: u64, from: u16, to: u16) -> u64 {
    let shift = 64 - u32::from(from.min(64));
    ((value << shift) as i64 >> shift) as u64 & mask(to)
}

/// `value` of `from` bits extended with its sign to 64 bits.
pub fn sign_extended(value: u64, from: u16) -> u64 {
    sign_extend_value(value, from, 64)
}

/// `x` with zeros above it, `width` bits in all. 0 stays 0 (constant).
pub fn zero_extend(x: u32, width: u16) -> u32 {
    let n = node::get(x);
    if x == 0 || n.width >= width {
        return x;
    }
    if n.op == Op::ZExt as u8 {
        return zero_extend(n.l, width);
    }
    raw_un(Op::ZExt, width, x, 0)
}

/// `x` with copies of its sign above it, `width` bits in all.
pub fn sign_extend(x: u32, width: u16) -> u32 {
    let n = node::get(x);
    if x == 0 || n.width >= width {
        return x;
    }
    match n.op() {
        Some(Op::ZExt) => zero_extend(n.l, width),
        Some(Op::SExt) => sign_extend(n.l, width),
        _ if n.width <= 64 && maybe(x) >> (n.width - 1) & 1 == 0 => zero_extend(x, width),
        _ => raw_un(Op::SExt, width, x, 0),
    }
}

/// Casts and the other operations of one operand, to `width` bits.
pub fn unary(op: Op, width: u16, x: u32) -> u32 {
    if x == 0 || !node::is_known(x) {
        return 0;
    }
    let n = node::get(x);
    match op {
        Op::Trunc => extract(x, 0, width),
        Op::ZExt => zero_extend(x, width),
        Op::SExt => sign_extend(x, width),
        Op::Bswap if width == 8 => x,
        Op::Bswap | Op::Bitreverse if n.op == op as u8 => n.l,
        _ => raw_un(op, width, x, 0),
    }
}

/// Bits `low` .. `low + width` of `x`; 0 if they are constant.
pub fn extract(x: u32, low: u16, width: u16) -> u32 {
    let n = node::get(x);
    let end = low as u32 + width as u32;
    if x == 0 || end > u32::from(n.width) || width == 0 {
        return 0;
    }
    if width == n.width {
        return x;
    }
    match n.op() {
        Some(Op::Const) => 0,
        Some(Op::Extract) => extract(n.l, low + n.a as u16, width),
        Some(Op::ZExt | Op::SExt) => of_extension(x, &n, low, width),
        Some(Op::Concat) => of_concat(&n, low, width),
        Some(Op::And | Op::Or | Op::Xor) => of_bitwise(x, &n, low, width),
        Some(Op::Shl | Op::LShr) if n.r == 0 && n.b < u64::from(n.width) => of_shift(x, &n, low, width),
        Some(Op::Bswap) if low.is_multiple_of(8) && width == 8 => extract(n.l, n.width - 8 - low, 8),
        _ => raw_un(Op::Extract, width, x, u64::from(low)),
    }
}

fn of_extension(x: u32, n: &Node, low: u16, width: u16) -> u32 {
    let inner = node::width(n.l);
    if low + width <= inner {
        return extract(n.l, low, width);
    }
    if n.op == Op::ZExt as u8 {
        return if low >= inner { 0 } else { zero_extend(extract(n.l, low, inner - low), width) };
    }
    if low < inner {
        sign_extend(extract(n.l, low, inner - low), width)
    } else {
        raw_un(Op::Extract, width, x, u64::from(low))
    }
}

fn of_concat(n: &Node, low: u16, width: u16) -> u32 {
    let high_width = if n.l != 0 { node::width(n.l) } else { n.width - node::width(n.r) };
    let split = n.width - high_width;
    let (high, under) = (Operand::new(n.l, n.a), Operand::new(n.r, n.b));
    if low >= split {
        return extract(n.l, low - split, width);
    }
    if low + width <= split {
        return extract(n.r, low, width);
    }
    let (top_width, bottom_width) = (low + width - split, split - low);
    concat(part(high, 0, top_width), top_width, part(under, low, bottom_width), bottom_width)
}

/// Part of an operand; a constant one stays constant.
fn part(o: Operand, low: u16, width: u16) -> Operand {
    if o.is_const() {
        Operand::constant(o.value >> low & mask(width))
    } else {
        // A part of a label that turns out constant has no known value here: keep it as a node.
        let label = extract(o.label, low, width);
        let label = if label == 0 { raw_un(Op::Extract, width, o.label, u64::from(low)) } else { label };
        Operand::new(label, 0)
    }
}

fn of_bitwise(x: u32, n: &Node, low: u16, width: u16) -> u32 {
    let plain = || raw_un(Op::Extract, width, x, u64::from(low));
    if n.width > 64 {
        return plain();
    }
    let all = mask(width);
    if n.r == 0 {
        let c = n.b >> low & all;
        return match n.op() {
            Some(Op::And) if c == 0 => 0,
            Some(Op::And) if c == all => extract(n.l, low, width),
            Some(Op::Or) if c == all => 0,
            Some(Op::Or | Op::Xor) if c == 0 => extract(n.l, low, width),
            _ => plain(),
        };
    }
    if n.l == 0 || n.op == Op::And as u8 {
        return plain();
    }
    let live = |label: u32| maybe(label) >> low & all;
    match (live(n.l), live(n.r)) {
        (0, 0) => 0,
        (0, _) => extract(n.r, low, width),
        (_, 0) => extract(n.l, low, width),
        _ => plain(),
    }
}

fn of_shift(x: u32, n: &Node, low: u16, width: u16) -> u32 {
    let by = n.b as u16;
    let plain = || raw_un(Op::Extract, width, x, u64::from(low));
    if n.l == 0 {
        return plain();
    }
    if n.op == Op::Shl as u8 {
        return match () {
            () if low >= by => extract(n.l, low - by, width),
            () if low + width <= by => 0,
            () => plain(),
        };
    }
    match () {
        () if low + by >= n.width => 0,
        () if low + by + width <= n.width => extract(n.l, low + by, width),
        () => plain(),
    }
}

/// `high` above `low`. Constant operands have at most 64 bits each. 0 if both are constant.
pub fn concat(high: Operand, high_width: u16, low: Operand, low_width: u16) -> u32 {
    if high.is_const() && low.is_const() {
        return 0;
    }
    let width = high_width + low_width;
    if high.is_const() && high.value & mask(high_width) == 0 {
        return zero_extend(low.label, width);
    }
    if !high.is_const() && !low.is_const() {
        let (h, l) = (slice(high.label), slice(low.label));
        if h.0 == l.0 && h.1 == l.1 + low_width {
            return extract(h.0, l.1, width);
        }
        // A sign or zero byte above a value: the upper extract may reach past the inner value.
        if let Some(label) = join_upper(high.label, high_width, low, low_width) {
            return label;
        }
    }
    let high = Operand::new(high.label, high.value & mask(high_width));
    let low = Operand::new(low.label, low.value & mask(low_width));
    let (a, b) = (if high.is_const() { high.value } else { 0 }, if low.is_const() { low.value } else { 0 });
    node::make(Node { l: high.label, r: low.label, a, b, ..node::raw(Op::Concat, width) })
}

/// What a label is a slice of, and where it starts: itself, from 0, if it is no extract.
fn slice(label: u32) -> (u32, u16) {
    let n = node::get(label);
    if n.op == Op::Extract as u8 { (n.l, n.a as u16) } else { (label, 0) }
}

/// `high : (mid : rest)` where `high` and `mid` join: loads build values byte by byte from below, and a
/// value that was stored on top of other bytes joins in the middle.
fn join_upper(high: u32, high_width: u16, low: Operand, low_width: u16) -> Option<u32> {
    let n = node::get(low.label);
    if node::get(high).op == Op::Extract as u8
        && let Some(label) = join_sign(high, high_width, low.label, low_width)
    {
        return Some(label);
    }
    if n.op != Op::Concat as u8 || n.l == 0 {
        return None;
    }
    let mid_width = node::width(n.l);
    let (h, m) = (slice(high), slice(n.l));
    if h.0 != m.0 || h.1 != m.1 + mid_width {
        return None;
    }
    let upper = extract(h.0, m.1, high_width + mid_width);
    let rest = Operand::new(n.r, n.b);
    (upper != 0).then(|| concat(Operand::new(upper, 0), high_width + mid_width, rest, low_width - mid_width))
}

/// The sign bytes of a sign-extended value above its lower part.
fn join_sign(high: u32, high_width: u16, low: u32, low_width: u16) -> Option<u32> {
    let (h, under) = (node::get(high), node::get(low));
    let wide = node::get(h.l);
    let source = if under.op == Op::SExt as u8 && under.l == wide.l { under.l } else { low };
    let same = wide.op == Op::SExt as u8 && wide.l == source && h.a == u64::from(low_width);
    same.then(|| sign_extend(source, high_width + low_width))
}
