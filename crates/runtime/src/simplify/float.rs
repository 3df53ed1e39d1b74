//! Float nodes: as they stand. What holds of numbers does not hold of floats (`x == x`, `x + 0`), and folding them is the
//! engine's business.
//!
//! They mean rounding to nearest. While the program has set another direction (`fesetround`), results are lost.

use super::Operand;
use crate::node::{self, mask};
use trace_abi::{Node, Op, Reason};

/// The rounding bits of SSE's control register; zero means to nearest.
const SSE_ROUNDING: u32 = 3 << 13;
/// The same of the x87's.
const X87_ROUNDING: u16 = 3 << 10;

/// Whether the program's arithmetic rounds to nearest at present.
pub fn rounds_to_nearest() -> bool {
    let (mut sse, mut x87) = (0u32, 0u16);
    // SAFETY: both instructions only store the control words, to variables of their sizes.
    unsafe {
        core::arch::asm!(
            "stmxcsr [{sse}]", "fnstcw [{x87}]",
            sse = in(reg) &mut sse, x87 = in(reg) &mut x87, options(nostack, preserves_flags)
        );
    }
    sse & SSE_ROUNDING == 0 && x87 & X87_ROUNDING == 0
}

/// No label: the operation rounds in another direction.
#[cold]
pub fn lost_to_rounding() -> u32 {
    crate::event::lose(Reason::Float, 0, 0);
    0
}

/// A float operation of two operands of `w` bits. Operands of more than 64 bits must be labels.
pub fn float_bin(op: Op, aux: u8, w: u16, l: Operand, r: Operand) -> u32 {
    if l.is_const() && r.is_const() {
        return 0;
    }
    if w > 64 && (l.is_const() || r.is_const()) {
        crate::event::lose(Reason::Unsupported, 0, u64::from(w));
        return 0;
    }
    if !rounds_to_nearest() {
        return lost_to_rounding();
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
    if !rounds_to_nearest() {
        return lost_to_rounding();
    }
    node::make(Node { aux, l: x, ..node::raw(op, width) })
}
