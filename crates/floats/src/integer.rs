//! Between floats and integers.
//!
//! C leaves a conversion undefined whose value does not fit; compiled code gives something all the same. What is here is
//! what scalar code of clang 19 for x86-64 (SSE2 and x87) gives: an integer narrower than the processor's conversion is cut
//! from the wider result, and what does not fit the processor's conversion gives its "indefinite integer", the most negative
//! one. 128-bit conversions are library calls with no meaning there; here they give the most negative integer.
//! Vector code and folded constants may give anything else.

use crate::format::{Class, Format, pack, unpack};

/// The low `width` bits.
const fn cut(x: i128, width: u16) -> u128 {
    if width >= 128 { x as u128 } else { x as u128 & ((1 << width) - 1) }
}

/// A signed integer of `width` bits as the nearest float.
pub(crate) fn from_signed(format: Format, width: u16, x: u128) -> u128 {
    let unused = 128 - u32::from(width.min(128));
    let value = (x << unused) as i128 >> unused;
    pack(format, value < 0, value.unsigned_abs(), 0)
}

/// The integer part, if it has at most 127 bits.
fn truncated(format: Format, bits: u128) -> Option<i128> {
    let x = unpack(format, bits);
    if x.class != Class::Finite {
        return None;
    }
    let significand = i128::from(x.significand);
    let magnitude = match x.exponent {
        _ if significand == 0 => 0,
        e if e <= -64 => 0,
        e if e < 0 => significand >> -e,
        e if e as u32 + (64 - x.significand.leading_zeros()) < 128 => significand << e,
        // The most negative integer of 128 bits has no magnitude of that type.
        e if x.sign && x.significand.is_power_of_two() && e as u32 + x.significand.ilog2() == 127 => {
            return Some(i128::MIN);
        }
        _ => return None,
    };
    Some(if x.sign { -magnitude } else { magnitude })
}

/// The processor's conversion to a signed integer of `width` bits.
fn convert(value: Option<i128>, width: u16) -> i128 {
    let most_negative = i128::MIN >> (128 - width);
    match value {
        Some(v) if v >= most_negative && v <= !most_negative => v,
        _ => most_negative,
    }
}

/// Width of the conversion instruction for a signed integer of `width` bits.
fn instruction(format: Format, width: u16) -> u16 {
    match width {
        0..=16 if format == Format::Extended => 16,
        0..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}

/// A float as a signed integer of `width` bits.
pub(crate) fn to_signed(format: Format, width: u16, bits: u128) -> u128 {
    cut(convert(truncated(format, bits), instruction(format, width)), width)
}

/// A float as an unsigned integer of `width` bits.
pub(crate) fn to_unsigned(format: Format, width: u16, bits: u128) -> u128 {
    let value = truncated(format, bits);
    match width {
        // A signed conversion to a wider integer does.
        0..=15 => cut(convert(value, instruction(format, 16)), width),
        16..=31 => cut(convert(value, 32), width),
        32..=63 => cut(convert(value, 64), width),
        64 => to_unsigned_64(format, bits, value),
        _ => cut(unsigned_128(format, bits) as i128, width),
    }
}

/// Compilers combine two signed conversions: of the value and of the value less 2^63.
fn to_unsigned_64(format: Format, bits: u128, value: Option<i128>) -> u128 {
    const HALF: i128 = 1 << 63;
    let first = convert(value, 64);
    let second = convert(value.and_then(|v| v.checked_sub(HALF)), 64);
    let result = if format == Format::Extended {
        // The x87's code chooses by comparison; what is not a number is not less.
        let x = unpack(format, bits);
        let less = x.class != Class::Nan && (x.sign || value.is_some_and(|v| v < HALF));
        if less { first } else { second ^ HALF }
    } else if first < 0 {
        // That of SSE takes the bits of both where the first is negative.
        first | second
    } else {
        first
    };
    cut(result, 64)
}

fn unsigned_128(format: Format, bits: u128) -> u128 {
    let x = unpack(format, bits);
    let fits = x.class == Class::Finite && !x.sign && x.exponent > 0;
    match u32::try_from(x.exponent) {
        Ok(e) if fits && x.significand != 0 && e <= 64 + x.significand.leading_zeros() => {
            u128::from(x.significand) << e
        }
        _ => cut(convert(truncated(format, bits), 128), 128),
    }
}
