//! Float nodes: as they stand. What holds of numbers does not hold of floats (`x == x`, `x + 0`), and folding them is the
//! engine's business.

use super::Operand;
use crate::node::{self, mask};
use trace_abi::{Node, Op, Reason};

/// A float operation of two operands of `w` bits. Operands of more than 64 bits must be labels.
pub fn float_bin(op: Op, aux: u8, w: u16, l: Operand, r: Operand) -> u32 {
    if l.is_const() && r.is_const() {
        return 0;
    }
    if w > 64 && (l.is_const() || r.is_const()) {
        crate::event::lose(Reason::Unsupported, 0, u64::from(w));
        return 0;
    }
    let value = |o: Operand| if o.is_const() { o.value & mask(w) } else { 0 };
    let width = if op.is_predicate() { 1 } else { w };
    node::make(Node { aux, l: l.label, r: r.label, a: value(l), b: value(r), ..node::raw(op, width) })
}

/// A float operation of one operand, or a conversion from or to a float, to `width` bits.
pub fn float_un(op: Op, aux: u8, width: u16, x: u32) -> u32 {
    if x == 0 {
        return 0;
    }
    node::make(Node { aux, l: x, ..node::raw(op, width) })
}
