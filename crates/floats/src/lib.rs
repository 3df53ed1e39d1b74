//! The machine's floating-point arithmetic, to the bit, behind safe functions on bit patterns.
//!
//! This is the meaning of the float operations of [`Op`]: what x86-64 code compiled by clang computes in the default
//! environment (round to nearest even, no exceptions, denormals kept). Formats: IEEE half, single and double, and the x87's
//! extended format with its explicit integer bit.
//!
//! * Single and double are the processor's own arithmetic (`native`), with the rule for results that are not numbers
//!   spelled out: the first operand that is none, made quiet; else the default one, whose sign bit is set.
//! * Half is computed in double and rounded once, which is exact for the operations here (a fused multiply-add is
//!   computed in single, as compilers do).
//! * Extended is the x87 itself (`extended`), odd encodings included.
//! * Conversions and rounding to integers are integer code (`format`, `integer`, `rounding`), compared with the
//!   hardware in the tests.
//! * Functions of the mathematics library are calls of the machine's library (`library`).

mod cube_root;
mod extended;
mod format;
mod integer;
mod library;
mod native;
mod rounding;

pub use format::{Class, Format, Unpacked, from_ordinal, ordinal, pack, unpack};

use trace_abi::Op;

/// Value of a float operation (`op.is_float()`).
///
/// `width` is the result's width, `operand_width` that of the first operand, `aux` as in a trace's node; operands have
/// no bits above their width, and neither has the result. Operands beyond those that the operation takes are ignored.
///
/// # Panics
/// If `op` is no float operation or a float has a width that no format has.
pub fn apply(op: Op, width: u16, operand_width: u16, aux: u8, [a, b, c]: [u128; 3]) -> u128 {
    let format = |w: u16| Format::of_width(w).unwrap_or_else(|| panic!("no float format has {w} bits"));
    match op {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem => arithmetic(op, format(width), a, b),
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => compare(op, format(operand_width), a, b).into(),
        Op::FSqrt => root(format(width), a),
        Op::FFma => fused(format(width), a, b, c),
        Op::FRound => rounding::round(format(width), a, aux),
        Op::FCvt => format::convert(format(operand_width), format(width), a),
        Op::SToF => integer::from_signed(format(width), operand_width, a),
        Op::UToF => pack(format(width), false, a, 0),
        Op::FToS => integer::to_signed(format(operand_width), width, a),
        Op::FToU => integer::to_unsigned(format(operand_width), width, a),
        Op::Libm1 => library::unary(aux, format(width), a),
        Op::Libm2 => library::binary(aux, format(width), a, b),
        _ => panic!("{} is no float operation", op.name()),
    }
}

fn arithmetic(op: Op, format: Format, a: u128, b: u128) -> u128 {
    match format {
        Format::Single => native::arithmetic32(op, a as u32, b as u32).into(),
        Format::Double => native::arithmetic64(op, a as u64, b as u64).into(),
        Format::Extended => extended::arithmetic(op, a, b),
        Format::Half => via(Format::Double, a, b, |a, b| native::arithmetic64(op, a as u64, b as u64).into()),
    }
}

/// An operation on halves, computed in another format and rounded.
fn via(wide: Format, a: u128, b: u128, f: impl FnOnce(u128, u128) -> u128) -> u128 {
    let widened = |x| format::convert(Format::Half, wide, x);
    format::convert(wide, Format::Half, f(widened(a), widened(b)))
}

fn compare(op: Op, format: Format, a: u128, b: u128) -> bool {
    match format {
        Format::Single => native::compare(op, &f32::from_bits(a as u32), &f32::from_bits(b as u32)),
        Format::Double => native::compare(op, &f64::from_bits(a as u64), &f64::from_bits(b as u64)),
        Format::Extended => extended::compare(op, a, b),
        Format::Half => {
            let double = |x| f64::from_bits(format::convert(Format::Half, Format::Double, x) as u64);
            native::compare(op, &double(a), &double(b))
        }
    }
}

fn root(format: Format, a: u128) -> u128 {
    match format {
        Format::Single => native::square_root32(a as u32).into(),
        Format::Double => native::square_root64(a as u64).into(),
        Format::Extended => extended::square_root(a),
        Format::Half => via(Format::Double, a, 0, |a, _| native::square_root64(a as u64).into()),
    }
}

fn fused(format: Format, a: u128, b: u128, c: u128) -> u128 {
    match format {
        Format::Single => native::fused32(a as u32, b as u32, c as u32).into(),
        Format::Double => native::fused64(a as u64, b as u64, c as u64).into(),
        Format::Extended => library::fused_extended(a, b, c),
        Format::Half => {
            let c = format::convert(Format::Half, Format::Single, c);
            via(Format::Single, a, b, |a, b| native::fused32(a as u32, b as u32, c as u32).into())
        }
    }
}
