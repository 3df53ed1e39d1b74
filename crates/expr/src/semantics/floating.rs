//! Float operations: crate `floats` is their meaning; here is which shapes they have.

use crate::{Bits, Op};
use trace_abi::{libm, rounding};

/// Widest integer that is converted from and to floats.
const MAX_INTEGER: u16 = trace_abi::MAX_FLOAT_INTEGER as u16;

const fn is_format(width: u16) -> bool {
    matches!(width, 16 | 32 | 64 | 80)
}

/// Whether the C library's functions exist for it.
const fn is_library_format(width: u16) -> bool {
    matches!(width, 32 | 64 | 80)
}

/// As [`super::well_formed`], for as many operands as the operation takes.
pub(super) fn well_formed(op: Op, width: u16, imm: u64, widths: &[u16]) -> bool {
    let first = widths[0];
    if !op.has_aux() && imm != 0 {
        return false;
    }
    match op {
        Op::FCvt => is_format(first) && is_format(width) && first != width,
        Op::SToF | Op::UToF => first <= MAX_INTEGER && is_format(width),
        Op::FToS | Op::FToU => is_format(first) && width <= MAX_INTEGER,
        _ if op.is_predicate() => width == 1 && is_format(first) && widths[1] == first,
        _ if !is_format(width) || widths.iter().any(|&w| w != width) => false,
        Op::FRound => imm < rounding::COUNT.into(),
        Op::Libm1 => is_library_format(width) && libm::has_arity(imm, 1),
        Op::Libm2 => is_library_format(width) && libm::has_arity(imm, 2),
        _ => true,
    }
}

/// Value of an operation on floats of any width.
pub(super) fn apply(op: Op, width: u16, imm: u64, args: &[&Bits]) -> Bits {
    let value = |k: usize| args.get(k).map_or(0, |a| a.low_128());
    let result = floats::apply(op, width, args[0].width(), imm as u8, [value(0), value(1), value(2)]);
    Bits::from_words(width, [result as u64, (result >> 64) as u64].as_slice().into())
}
