//! The meaning of every operation, exactly as documented at [`Op`]: one function on values of any width, with a
//! second implementation for widths up to 64. The two are compared with each other and with plain integer
//! arithmetic in the tests of this module.

mod floating;
mod narrow;
#[cfg(test)]
mod tests;
mod wide;

pub use narrow::{apply64, mask, sign_extend};

use crate::{Arity, Bits, Op};

/// Number of operands of each operation, by its number.
const OPERANDS: [u8; 256] = {
    let (mut table, mut k) = ([0; 256], 0);
    while k < Op::ALL.len() {
        table[Op::ALL[k] as usize] = match Op::ALL[k].arity() {
            Arity::Leaf => 0,
            Arity::Unary => 1,
            Arity::Binary => 2,
            Arity::Ternary => 3,
        };
        k += 1;
    }
    table
};

/// Number of operands.
#[inline]
pub const fn operands(op: Op) -> usize {
    OPERANDS[op as usize] as usize
}

/// Whether an operation may have this result width, immediate and operands of these widths.
pub fn well_formed(op: Op, width: u16, imm: u64, widths: &[u16]) -> bool {
    if width == 0 || width > trace_abi::MAX_WIDTH || widths.len() != operands(op) {
        return false;
    }
    let w = |k: usize| widths[k];
    match op {
        Op::Input => width == 8,
        Op::Const => true,
        Op::Trunc => w(0) >= width,
        Op::ZExt | Op::SExt => w(0) <= width,
        Op::Extract => imm.checked_add(width.into()).is_some_and(|end| end <= w(0).into()),
        Op::Concat => u32::from(w(0)) + u32::from(w(1)) == width.into(),
        Op::Ite => w(0) == 1 && w(1) == width && w(2) == width,
        Op::Read => w(0) == 64 && width.is_multiple_of(8),
        Op::Bswap => w(0) == width && width.is_multiple_of(8),
        _ if op.is_float() => floating::well_formed(op, width, imm, widths),
        _ if op.is_predicate() => width == 1 && w(0) == w(1),
        _ => widths.iter().all(|&w| w == width),
    }
}

/// Value of an operation other than [`Op::Input`], [`Op::Const`] and [`Op::Read`].
///
/// `width` is the result's width, `imm` as in [`crate::Node::imm`], `args` as many values as the operation takes, of
/// widths as documented at [`Op`].
///
/// # Panics
/// If `op` is one of the three above or an operand is missing.
pub fn apply(op: Op, width: u16, imm: u64, args: &[&Bits]) -> Bits {
    let operand_width = args[0].width();
    if width <= 64 && args.iter().all(|a| a.width() <= 64) {
        let value = |k: usize| args.get(k).map_or(0, |a| a.low());
        return Bits::new(width, apply64(op, width, operand_width, imm, value(0), value(1), value(2)));
    }
    wide::apply(op, width, imm, args)
}
