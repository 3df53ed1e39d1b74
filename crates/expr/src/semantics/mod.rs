//! The meaning of every operation, exactly as documented at [`Op`]: one function on values of any width, with a
//! second implementation for widths up to 64. The two are compared with each other and with plain integer
//! arithmetic in the tests of this module.

mod narrow;
#[cfg(test)]
mod tests;
mod wide;

pub use narrow::{apply64, mask, sign_extend};

use crate::{Bits, Op};

/// Value of an operation other than [`Op::Input`], [`Op::Const`] and [`Op::Read`].
///
/// `width` is the result's width, `low` the low bit of an [`Op::Extract`] (else unused), `args` as many values as
/// the operation takes, of widths as documented at [`Op`].
///
/// # Panics
/// If `op` is one of the three above or an operand is missing.
pub fn apply(op: Op, width: u16, low: u64, args: &[&Bits]) -> Bits {
    let operand_width = args[0].width();
    if width <= 64 && args.iter().all(|a| a.width() <= 64) {
        let value = |k: usize| args.get(k).map_or(0, |a| a.low());
        return Bits::new(width, apply64(op, width, operand_width, low, value(0), value(1), value(2)));
    }
    wide::apply(op, width, low, args)
}
