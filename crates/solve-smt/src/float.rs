//! Floats as Bitwuzla has them, and their bits.
//!
//! Bitwuzla's floats have one value that is not a number; ours have many bit patterns for it. So beside the float goes
//! the pattern that it has if it is not a number. The x87's format is IEEE's with 15 and 64 bits but for its explicit
//! integer bit, which is taken out and put back.

use crate::context::{Context, Error, Term};
use crate::sys::Kind;
use crate::translate::{Failure, Result, Translation};
use expr::{Bits, ExprId};
use floats::Format;

/// A float.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Float {
    pub format: Format,
    /// In Bitwuzla's sort.
    pub term: Term,
    /// Its bits if it is not a number; else anything.
    pub nan: Term,
}

/// The format of this width.
pub(crate) fn format(width: u16) -> Result<Format> {
    Format::of_width(width).ok_or_else(|| Failure::Failed(Error(format!("no float has {width} bits"))))
}

/// Exponent and significand bits, as Bitwuzla's sorts are named.
pub(crate) const fn shape(format: Format) -> (u16, u16) {
    (format.exponent_bits(), format.precision())
}

/// A constant of the format's width.
pub(crate) fn pattern(c: &mut Context, format: Format, bits: u128) -> Result<Term> {
    let words = [bits as u64, (bits >> 64) as u64];
    Ok(c.bits(&Bits::from_words(format.width(), words.as_slice().into()))?)
}

/// Bits that are not a number, made quiet.
pub(crate) fn quiet(c: &mut Context, format: Format, bits: Term) -> Result<Term> {
    let bit = pattern(c, format, 1 << (format.precision() - 2))?;
    let quiet = c.mk2(Kind::BvOr, bits, bit)?;
    if format != Format::Extended {
        return Ok(quiet);
    }
    // An invalid encoding gives the default.
    let default = pattern(c, format, format.default_nan())?;
    let head = c.extract(bits, 78, 63)?;
    let all = c.bits(&Bits::ones(16))?;
    let is_valid = c.mk2(Kind::Equal, head, all)?;
    Ok(c.ite(is_valid, quiet, default)?)
}

impl Float {
    /// The float with these bits.
    pub(crate) fn from_bits(c: &mut Context, format: Format, bits: Term) -> Result<Float> {
        let term = match format {
            Format::Extended => extended(c, bits)?,
            _ => c.float_from_bits(bits, shape(format))?,
        };
        Ok(Float { format, term, nan: bits })
    }

    /// A constant.
    pub(crate) fn constant(c: &mut Context, format: Format, bits: u128) -> Result<Float> {
        let bits = pattern(c, format, bits)?;
        Float::from_bits(c, format, bits)
    }

    /// Whether it is not a number.
    pub(crate) fn is_nan(&self, c: &Context) -> Result<Term> {
        Ok(c.mk1(Kind::FpIsNan, self.term)?)
    }

    /// Its bits: a fresh variable, defined by the float that it stands for.
    pub(crate) fn to_bits(self, t: &mut Translation, c: &mut Context, e: ExprId) -> Result<Term> {
        let (exponent, precision) = shape(self.format);
        let packed = c.variable(exponent + precision)?;
        let back = c.float_from_bits(packed, (exponent, precision))?;
        let definition = c.mk2(Kind::Equal, back, self.term)?;
        t.define(e, definition);
        let bits = match self.format {
            Format::Extended => with_integer_bit(c, packed)?,
            _ => packed,
        };
        let is_nan = self.is_nan(c)?;
        Ok(c.ite(is_nan, self.nan, bits)?)
    }
}

/// Sign, exponent, integer bit and fraction.
fn parts(c: &mut Context, bits: Term) -> Result<[Term; 4]> {
    Ok([
        c.extract(bits, 79, 79)?,
        c.extract(bits, 78, 64)?,
        c.extract(bits, 63, 63)?,
        c.extract(bits, 62, 0)?,
    ])
}

/// The float with these 80 bits. The integer bit of a normal number must be set, else the encoding is invalid and not a
/// number; that of a denormal one may be set, and counts.
fn extended(c: &mut Context, bits: Term) -> Result<Term> {
    let [sign, exponent, integer, fraction] = parts(c, bits)?;
    let (zero, one, set) = (c.value_u64(15, 0)?, c.value_u64(15, 1)?, c.value_u64(1, 1)?);
    let is_lowest = c.mk2(Kind::Equal, exponent, zero)?;
    let is_set = c.mk2(Kind::Equal, integer, set)?;
    let counts = c.mk2(Kind::And, is_lowest, is_set)?;
    let exponent = c.ite(counts, one, exponent)?;
    let head = c.mk2(Kind::BvConcat, sign, exponent)?;
    let packed = c.mk2(Kind::BvConcat, head, fraction)?;
    let float = c.float_from_bits(packed, shape(Format::Extended))?;
    let is_valid = c.mk2(Kind::Or, is_lowest, is_set)?;
    let nan = c.nan(shape(Format::Extended))?;
    Ok(c.ite(is_valid, float, nan)?)
}

/// The 79 bits of IEEE's form as the x87's 80.
fn with_integer_bit(c: &mut Context, packed: Term) -> Result<Term> {
    let (head, exponent) = (c.extract(packed, 78, 63)?, c.extract(packed, 77, 63)?);
    let fraction = c.extract(packed, 62, 0)?;
    let (zero, set, clear) = (c.value_u64(15, 0)?, c.value_u64(1, 1)?, c.value_u64(1, 0)?);
    let is_lowest = c.mk2(Kind::Equal, exponent, zero)?;
    let integer = c.ite(is_lowest, clear, set)?;
    let head = c.mk2(Kind::BvConcat, head, integer)?;
    Ok(c.mk2(Kind::BvConcat, head, fraction)?)
}
