//! Rounding to an integer within a format.

use crate::format::{Class, Format, pack, unpack};
use trace_abi::rounding::*;

/// `bits` rounded in the direction `mode` (`trace_abi::rounding`); an unknown direction counts as the default one. The
/// sign stays, of a zero too.
pub(crate) fn round(format: Format, bits: u128, mode: u8) -> u128 {
    let x = unpack(format, bits);
    match x.class {
        Class::Nan => return format.quiet(bits),
        Class::Infinite => return bits,
        Class::Finite if x.exponent >= 0 || x.significand == 0 => return bits,
        Class::Finite => {}
    }
    let cut = x.exponent.unsigned_abs();
    let significand = u128::from(x.significand);
    // A cut of more bits than there are leaves something below a half.
    let (kept, rest, half) = match cut {
        1..=100 => (significand >> cut, significand & ((1 << cut) - 1), 1u128 << (cut - 1)),
        _ => (0, significand, u128::MAX),
    };
    let up = match mode {
        TOWARD_ZERO => false,
        UP => rest != 0 && !x.sign,
        DOWN => rest != 0 && x.sign,
        NEAREST_AWAY => rest >= half,
        _ => rest > half || (rest == half && kept & 1 == 1),
    };
    pack(format, x.sign, kept + u128::from(up), 0)
}
