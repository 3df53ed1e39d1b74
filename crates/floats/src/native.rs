//! Single and double precision: the processor's arithmetic through Rust's, with the rule for results that are not
//! numbers spelled out (Rust leaves their bits open).

use crate::format::Format;
use trace_abi::Op;

macro_rules! native {
    ($float:ty, $bits:ty, $format:expr, $arithmetic:ident, $square_root:ident, $fused:ident) => {
        /// The result, unless it is not a number: then the first operand that is none, made quiet, or the default.
        pub(crate) fn $arithmetic(op: Op, a: $bits, b: $bits) -> $bits {
            let (x, y) = (<$float>::from_bits(a), <$float>::from_bits(b));
            let result = match op {
                Op::FAdd => x + y,
                Op::FSub => x - y,
                Op::FMul => x * y,
                Op::FDiv => x / y,
                // The remainder is the library's `fmod`, which is exact.
                _ => x % y,
            };
            number($format, result.is_nan(), result.to_bits().into(), &[a.into(), b.into()]) as $bits
        }

        /// Square root.
        pub(crate) fn $square_root(a: $bits) -> $bits {
            let result = <$float>::from_bits(a).sqrt();
            number($format, result.is_nan(), result.to_bits().into(), &[a.into()]) as $bits
        }

        /// `a * b + c`, rounded once. Of several operands that are not numbers the multiplier comes first, as in the C
        /// library's `fma` (the instructions are free to choose).
        pub(crate) fn $fused(a: $bits, b: $bits, c: $bits) -> $bits {
            let result = <$float>::from_bits(a).mul_add(<$float>::from_bits(b), <$float>::from_bits(c));
            let operands = [b.into(), a.into(), c.into()];
            number($format, result.is_nan(), result.to_bits().into(), &operands) as $bits
        }
    };
}

native!(f32, u32, Format::Single, arithmetic32, square_root32, fused32);
native!(f64, u64, Format::Double, arithmetic64, square_root64, fused64);

/// `result` if it is a number, else what x86-64 gives for these operands.
fn number(format: Format, is_nan: bool, result: u128, operands: &[u128]) -> u128 {
    if !is_nan {
        return result;
    }
    let magnitude = (1 << (format.width() - 1)) - 1;
    let first = operands.iter().find(|&&x| x & magnitude > format.infinity(false));
    first.map_or(format.default_nan(), |&x| format.quiet(x))
}

/// A comparison.
pub(crate) fn compare<T: PartialOrd>(op: Op, a: &T, b: &T) -> bool {
    match op {
        Op::FEq => a == b,
        Op::FLt => a < b,
        Op::FLe => a <= b,
        _ => a.partial_cmp(b).is_none(),
    }
}
