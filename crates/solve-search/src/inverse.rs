//! What an operand of a float operation has to be for the result to be a given value, the other operands staying as they
//! are. Only about: rounding and library functions leave the neighbourhood to the search.

use expr::Op;
use floats::{Format, apply};
use trace_abi::libm::{TABLE, by_name};

fn binary(op: Op, w: u16, a: u128, b: u128) -> u128 {
    apply(op, w, w, 0, [a, b, 0])
}

/// A function of the library, by name.
fn call(name: &str, w: u16, a: u128, b: u128) -> u128 {
    let Some(id) = by_name(name) else { return 0 };
    let op = if TABLE[usize::from(id)].arity == 1 { Op::Libm1 } else { Op::Libm2 };
    apply(op, w, w, id, [a, b, 0])
}

/// Operand `k` of `op` (a float operation with a float result of `w` bits) for the result `target`; `args` are the
/// operands' current values. `None` where there is no such value or no way to know it.
pub(crate) fn operand(op: Op, w: u16, imm: u64, k: usize, target: u128, args: &[u128]) -> Option<u128> {
    let other = |j: usize| args.get(j).copied().unwrap_or(0);
    let value = match (op, k) {
        (Op::FAdd, _) => binary(Op::FSub, w, target, other(1 - k)),
        (Op::FSub, 0) => binary(Op::FAdd, w, target, other(1)),
        (Op::FSub, _) => binary(Op::FSub, w, other(0), target),
        (Op::FMul, _) => binary(Op::FDiv, w, target, other(1 - k)),
        (Op::FDiv, 0) => binary(Op::FMul, w, target, other(1)),
        (Op::FDiv, _) => binary(Op::FDiv, w, other(0), target),
        (Op::FSqrt, _) => binary(Op::FMul, w, target, target),
        (Op::FRound, _) => target,
        (Op::FRem, 0) => {
            // The multiple of the divisor that is there now stays.
            let now = binary(Op::FRem, w, other(0), other(1));
            binary(Op::FAdd, w, binary(Op::FSub, w, other(0), now), target)
        }
        (Op::FFma, 2) => binary(Op::FSub, w, target, binary(Op::FMul, w, other(0), other(1))),
        (Op::FFma, _) => {
            let product = binary(Op::FSub, w, target, other(2));
            binary(Op::FDiv, w, product, other(1 - k))
        }
        (Op::Libm1, _) => one_operand(TABLE.get(imm as usize)?.name, w, target)?,
        (Op::Libm2, _) => two_operands(TABLE.get(imm as usize)?.name, w, k, target, other(1 - k))?,
        _ => return None,
    };
    Some(value)
}

fn one_operand(name: &str, w: u16, target: u128) -> Option<u128> {
    let inverse = match name {
        "sin" => "asin",
        "cos" => "acos",
        "tan" => "atan",
        "asin" => "sin",
        "acos" => "cos",
        "atan" => "tan",
        "sinh" => "asinh",
        "cosh" => "acosh",
        "tanh" => "atanh",
        "asinh" => "sinh",
        "acosh" => "cosh",
        "atanh" => "tanh",
        "exp" => "log",
        "exp2" => "log2",
        "exp10" => "log10",
        "expm1" => "log1p",
        "log" => "exp",
        "log2" => "exp2",
        "log10" => "exp10",
        "log1p" => "expm1",
        "cbrt" => {
            let square = binary(Op::FMul, w, target, target);
            return Some(binary(Op::FMul, w, square, target));
        }
        "logb" => "exp2",
        _ => return None,
    };
    Some(call(inverse, w, target, 0))
}

fn two_operands(name: &str, w: u16, k: usize, target: u128, other: u128) -> Option<u128> {
    Some(match (name, k) {
        ("pow", 0) => call("pow", w, target, binary(Op::FDiv, w, one(w)?, other)),
        ("pow", _) => binary(Op::FDiv, w, call("log", w, target, 0), call("log", w, other, 0)),
        ("hypot", _) => {
            let (square, part) = (binary(Op::FMul, w, target, target), binary(Op::FMul, w, other, other));
            apply(Op::FSqrt, w, w, 0, [binary(Op::FSub, w, square, part), 0, 0])
        }
        ("atan2", 0) => binary(Op::FMul, w, call("tan", w, target, 0), other),
        ("atan2", _) => binary(Op::FDiv, w, other, call("tan", w, target, 0)),
        ("fdim", 0) => binary(Op::FAdd, w, target, other),
        ("fdim", _) => binary(Op::FSub, w, other, target),
        ("remainder" | "nextafter", 0) => target,
        _ => return None,
    })
}

fn one(w: u16) -> Option<u128> {
    Some(floats::pack(Format::of_width(w)?, false, 1, 0))
}
