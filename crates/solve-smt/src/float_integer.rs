//! From floats to integers, truncated. Where the value does not fit, SMT-LIB leaves the result open; here it is what
//! crate `floats` (module `integer`) says.

use crate::context::{Context, Term};
use crate::counting::single_bit;
use crate::float::Float;
use crate::sys::{Kind, RoundingMode};
use crate::translate::Result;
use expr::{Bits, Op};
use floats::Format;

/// `a` as an integer of `width` bits.
pub(crate) fn to_integer(c: &mut Context, op: Op, a: &Float, width: u16) -> Result<Term> {
    let signed = match (op, width) {
        (Op::FToS, 0..=16) | (Op::FToU, 0..=15) if a.format == Format::Extended => 16,
        (Op::FToS, 0..=32) | (Op::FToU, 0..=31) => 32,
        (Op::FToS, 33..=64) | (Op::FToU, 32..=63) => 64,
        (Op::FToS, _) => 128,
        _ => return unsigned(c, a, width),
    };
    let integer = fitted(c, a, signed)?;
    Ok(if width == signed { integer } else { c.extract(integer, width - 1, 0)? })
}

/// The processor's conversion to a signed integer: the most negative one for what does not fit.
fn fitted(c: &mut Context, a: &Float, width: u16) -> Result<Term> {
    let (below, above) = (at_least(c, a, width - 1)?, less(c, a, width - 1)?);
    let fits = c.mk2(Kind::And, below, above)?;
    let mode = c.rounding_mode(RoundingMode::TowardZero)?;
    let integer = c.to_integer(Kind::FpToSbv, mode, a.term, width)?;
    let otherwise = single_bit(c, width, width - 1)?;
    Ok(c.ite(fits, integer, otherwise)?)
}

/// To 64 or 128 bits.
fn unsigned(c: &mut Context, a: &Float, width: u16) -> Result<Term> {
    let zero = Float::constant(c, a.format, 0)?;
    let wide = if width > 64 { 128 } else { 64 };
    let (not_negative, below) = (c.mk2(Kind::FpLeq, zero.term, a.term)?, less(c, a, wide)?);
    let fits = c.mk2(Kind::And, not_negative, below)?;
    let mode = c.rounding_mode(RoundingMode::TowardZero)?;
    let integer = c.to_integer(Kind::FpToUbv, mode, a.term, wide)?;
    let negative = c.mk2(Kind::FpLt, a.term, zero.term)?;
    let signed = fitted(c, a, wide)?;
    // What is neither negative nor fits: code for the x87 gives zero there.
    let otherwise = match (a.format, wide) {
        (Format::Extended, 64) => c.bits(&Bits::zero(64))?,
        _ => single_bit(c, wide, wide - 1)?,
    };
    let rest = c.ite(negative, signed, otherwise)?;
    let result = c.ite(fits, integer, rest)?;
    Ok(if width == wide { result } else { c.extract(result, width - 1, 0)? })
}

/// `a >= -2^power`; where the format has no such number, that `a` is above minus infinity.
fn at_least(c: &mut Context, a: &Float, power: u16) -> Result<Term> {
    let bound = floats::pack(a.format, true, 1, power.into());
    let kind = if bound == a.format.infinity(true) { Kind::FpLt } else { Kind::FpLeq };
    let bound = Float::constant(c, a.format, bound)?;
    Ok(c.mk2(kind, bound.term, a.term)?)
}

/// `a < 2^power`; where the format has no such number, that `a` is below infinity.
fn less(c: &mut Context, a: &Float, power: u16) -> Result<Term> {
    let bound = Float::constant(c, a.format, floats::pack(a.format, false, 1, power.into()))?;
    Ok(c.mk2(Kind::FpLt, a.term, bound.term)?)
}
