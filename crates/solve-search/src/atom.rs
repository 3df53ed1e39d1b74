//! Comparisons: how far from true or false they are.

use expr::Op;
use expr::semantics::sign_extend;
use floats::{Class, Format, ordinal, unpack};

/// Distance of what has none.
const FAR: f64 = 1.0;

/// Bits of 1.0.
pub const ONE: u64 = 0x3ff0_0000_0000_0000;
/// 1 / 2^52: how much of a power of two the lowest bit of a double is.
pub const UNIT: f64 = f64::from_bits(0x3cb0_0000_0000_0000);
/// The logarithm of the most steps there can be is less than 130.
pub const SCALE: f64 = 1.0 / 130.0;

/// A number of steps on a scale from 0 to 1, where the first step counts most. The bits of a double, as an integer, are
/// nearly its logarithm: as good here, and cheap in native code, which computes the same.
fn scaled(steps: u128) -> f64 {
    if steps == 0 {
        return 0.0;
    }
    (1.0 + ((steps as f64).to_bits() - ONE) as f64 * UNIT) * SCALE
}

/// As [`distance`], where the operands may have more bits than are given: `truth` is the comparison's value.
pub fn wide_distance(op: Op, width: u16, a: u128, b: u128, truth: bool, want: bool) -> f64 {
    if truth == want { 0.0 } else { distance(op, width, a, b, want).max(scaled(1)) }
}

/// Distance of `op(a, b)`, whose operands have `width` bits, from being `want`: 0 if it is, else at most 1.
pub fn distance(op: Op, width: u16, a: u128, b: u128, want: bool) -> f64 {
    match op {
        Op::FEq | Op::FLt | Op::FLe | Op::FUno => {
            Format::of_width(width).map_or(FAR, |format| of_floats(op, format, a, b, want))
        }
        Op::Eq | Op::Ne => {
            let wrapped = |x: u128, y: u128| x.wrapping_sub(y) & (u128::MAX >> (128 - width.min(128)));
            let apart = wrapped(a, b).min(wrapped(b, a));
            if want == (op == Op::Eq) { scaled(apart) } else { differs(apart) }
        }
        Op::Ult | Op::Ule => ordered(a as i128, b as i128, op == Op::Ult, want),
        _ => {
            let signed =
                |x: u128| if width <= 64 { sign_extend(x as u64, width).into() } else { wide(x, width) };
            ordered(signed(a), signed(b), op == Op::Slt, want)
        }
    }
}

fn wide(x: u128, width: u16) -> i128 {
    let unused = 128 - u32::from(width.min(128));
    (x << unused) as i128 >> unused
}

fn differs(apart: u128) -> f64 {
    if apart == 0 { scaled(1) } else { 0.0 }
}

/// Of `a < b` (strict) or `a <= b`.
fn ordered(a: i128, b: i128, strict: bool, want: bool) -> f64 {
    // The negation of a < b is b <= a.
    let (a, b, strict) = if want { (a, b, strict) } else { (b, a, !strict) };
    if a < b || (a == b && !strict) {
        return 0.0;
    }
    scaled((a.wrapping_sub(b) as u128).saturating_add(strict.into()))
}

fn of_floats(op: Op, format: Format, a: u128, b: u128, want: bool) -> f64 {
    let is_nan = |x| unpack(format, x).class == Class::Nan;
    let (x, y) = (ordinal(format, a), ordinal(format, b));
    let infinity = ordinal(format, format.infinity(false));
    let unordered = is_nan(a) || is_nan(b);
    match (op, want) {
        (Op::FUno, true) if !unordered => {
            let to_nan = |x: i128| (infinity + 1 - x.abs()).unsigned_abs();
            scaled(to_nan(x).min(to_nan(y)))
        }
        (Op::FUno, true) => 0.0,
        (Op::FUno, false) if !unordered => 0.0,
        (_, false) if unordered && op != Op::FUno => 0.0,
        _ if unordered => FAR,
        (Op::FEq, true) => scaled(x.abs_diff(y)),
        (Op::FEq, false) => differs(x.abs_diff(y)),
        _ => ordered(x, y, op == Op::FLt, want),
    }
}

/// Whether a node compares two operands.
pub fn is_comparison(op: Op) -> bool {
    use Op::{Eq, FEq, FLe, FLt, FUno, Ne, Sle, Slt, Ule, Ult};
    matches!(op, Eq | Ne | Ult | Ule | Slt | Sle | FEq | FLt | FLe | FUno)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(op: Op, a: f64, b: f64, want: bool) -> f64 {
        distance(op, 64, a.to_bits().into(), b.to_bits().into(), want)
    }

    #[test]
    fn the_distance_is_zero_exactly_where_the_comparison_is_as_wanted() {
        let numbers = [0.0, -0.0, 1.0, 1.0 + f64::EPSILON, -3.5, f64::INFINITY, f64::NAN, 5e-324];
        for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
            let uno = a.is_nan() || b.is_nan();
            for (op, truth) in [(Op::FEq, a == b), (Op::FLt, a < b), (Op::FLe, a <= b), (Op::FUno, uno)] {
                for want in [false, true] {
                    let d = double(op, a, b, want);
                    assert_eq!(d == 0.0, truth == want, "{op:?} {a} {b} {want}: {d}");
                    assert!((0.0..=1.0).contains(&d));
                }
            }
        }
        for (a, b) in (0..16u128).flat_map(|a| (0..16).map(move |b| (a, b))) {
            let s = |x: u128| (x as i128 ^ 8) - 8;
            let truths = [(Op::Eq, a == b), (Op::Ne, a != b), (Op::Ult, a < b), (Op::Ule, a <= b)];
            for (op, truth) in truths.into_iter().chain([(Op::Slt, s(a) < s(b)), (Op::Sle, s(a) <= s(b))]) {
                assert_eq!(distance(op, 4, a, b, true) == 0.0, truth);
                assert_eq!(distance(op, 4, a, b, false) == 0.0, !truth);
            }
        }
    }

    #[test]
    fn nearer_is_less() {
        assert!(double(Op::FEq, 1.0, 1.5, true) < double(Op::FEq, 1.0, 3.0, true));
        assert!(double(Op::FLt, 3.0, 1.0, true) < double(Op::FLt, 1e9, 1.0, true));
        assert!(double(Op::FEq, 1.0, f64::NAN, true) > double(Op::FEq, 1.0, -1e300, true));
    }
}
