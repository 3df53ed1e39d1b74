//! Which bits of a value may be one.

use crate::node::{self, mask};
use trace_abi::Op;

/// How deep to look.
const DEPTH: u32 = 4;

/// Bits of the label's value that may be one; the others are zero in every run. All 64 for wide values.
pub fn maybe(label: u32) -> u64 {
    look(label, DEPTH)
}

fn look(label: u32, depth: u32) -> u64 {
    let n = node::get(label);
    let all = mask(n.width);
    if depth == 0 || n.width > 64 {
        return all;
    }
    let d = depth - 1;
    let (left, right) = (|| operand(n.l, n.a, d), || operand(n.r, n.b, d));
    let bits = match n.op() {
        Some(Op::Const) => n.a,
        Some(Op::ZExt) => look(n.l, d),
        Some(Op::And) => left() & right(),
        Some(Op::Or | Op::Xor) => left() | right(),
        Some(Op::Shl) if n.r == 0 && n.b < 64 => left() << n.b,
        Some(Op::LShr) if n.r == 0 && n.b < 64 => left() >> n.b,
        Some(Op::URem | Op::UDiv) if n.r == 0 && n.b != 0 => {
            below(left()) & below(if n.op == Op::URem as u8 { n.b - 1 } else { u64::MAX })
        }
        Some(Op::Ite) => look(n.r, d) | look(n.t, d),
        Some(Op::Extract) if node::width(n.l) <= 64 => look(n.l, d) >> n.a,
        Some(Op::Concat) => {
            let low = if n.r != 0 { node::width(n.r) } else { n.width - node::width(n.l) };
            left() << low | right()
        }
        _ => all,
    };
    bits & all
}

fn operand(label: u32, value: u64, depth: u32) -> u64 {
    if label == 0 { value } else { look(label, depth) }
}

/// All bits up to the highest one of `value`.
fn below(value: u64) -> u64 {
    if value == 0 { 0 } else { u64::MAX >> value.leading_zeros() }
}
