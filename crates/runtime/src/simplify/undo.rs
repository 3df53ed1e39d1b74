//! What a value is made of, where it is made so that no two of its operands give the same.

use super::maybe;
use crate::node::{self, mask};
use trace_abi::Op;

/// `label == value` said of a smaller expression: extensions, sums and exclusive ors with constants and shifts that lose no bit are
/// undone. An index, mostly, where the label is an address: accesses of several arrays at one index then say the same.
pub fn undone(mut label: u32, mut value: u64) -> (u32, u64) {
    loop {
        let n = node::get(label);
        let constant_right = n.r == 0 && n.l != 0;
        match n.op() {
            _ if n.width > 64 => return (label, value),
            Some(Op::ZExt | Op::SExt) => value &= mask(node::width(n.l)),
            Some(Op::Add) if constant_right => value = value.wrapping_sub(n.b) & mask(n.width),
            Some(Op::Xor) if constant_right => value ^= n.b,
            Some(Op::Shl) if constant_right && keeps_all(n.l, n.width, n.b) => value >>= n.b,
            _ => return (label, value),
        }
        label = n.l;
    }
}

/// Whether no bit that may be one is shifted out.
fn keeps_all(label: u32, width: u16, by: u64) -> bool {
    by < u64::from(width) && maybe(label) & !(mask(width) >> by) == 0
}
