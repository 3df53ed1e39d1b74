//! Operations on values of at most 64 bits, the fast path of every evaluation.

use crate::Op;

/// Ones in the low `width` bits (`width` 1 … 64; more counts as 64).
pub const fn mask(width: u16) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The low `width` bits of `v` as a signed number.
pub const fn sign_extend(v: u64, width: u16) -> i64 {
    let shift = 64 - if width > 64 { 64 } else { width as u32 };
    ((v << shift) as i64) >> shift
}

/// Value of an operation whose operands and result have at most 64 bits.
///
/// `w` is the result's width, `ow` the first operand's, `imm` as in [`crate::Node::imm`]; operands are
/// given without bits above their width, and so is the result. [`Op::Input`], [`Op::Const`] and [`Op::Read`] give 0:
/// their value is not made of operands' values.
#[inline]
pub fn apply64(op: Op, w: u16, ow: u16, imm: u64, a: u64, b: u64, c: u64) -> u64 {
    let m = mask(w);
    match op {
        Op::Input | Op::Const | Op::Read => 0,
        Op::Add => a.wrapping_add(b) & m,
        Op::Sub => a.wrapping_sub(b) & m,
        Op::Mul => a.wrapping_mul(b) & m,
        Op::UDiv => a.checked_div(b).unwrap_or(m),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv => sdiv(a, b, w) & m,
        Op::SRem => srem(a, b, w) & m,
        Op::Shl => {
            if b >= u64::from(w) {
                0
            } else {
                (a << b) & m
            }
        }
        Op::LShr => {
            if b >= u64::from(w) {
                0
            } else {
                a >> b
            }
        }
        Op::AShr => (sign_extend(a, w) >> b.min(u64::from(w) - 1)) as u64 & m,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::UMin => a.min(b),
        Op::UMax => a.max(b),
        Op::SMin => {
            if sign_extend(a, w) <= sign_extend(b, w) {
                a
            } else {
                b
            }
        }
        Op::SMax => {
            if sign_extend(a, w) >= sign_extend(b, w) {
                a
            } else {
                b
            }
        }
        Op::UAddSat => (u128::from(a) + u128::from(b)).min(u128::from(m)) as u64,
        Op::USubSat => a.saturating_sub(b),
        Op::SAddSat => saturate(signed(a, w) + signed(b, w), w),
        Op::SSubSat => saturate(signed(a, w) - signed(b, w), w),
        Op::Eq => u64::from(a == b),
        Op::Ne => u64::from(a != b),
        Op::Ult => u64::from(a < b),
        Op::Ule => u64::from(a <= b),
        Op::Slt => u64::from(sign_extend(a, ow) < sign_extend(b, ow)),
        Op::Sle => u64::from(sign_extend(a, ow) <= sign_extend(b, ow)),
        Op::UAddO => u64::from(u128::from(a) + u128::from(b) > u128::from(mask(ow))),
        Op::USubO => u64::from(a < b),
        Op::UMulO => u64::from(u128::from(a) * u128::from(b) > u128::from(mask(ow))),
        Op::SAddO => overflows(signed(a, ow) + signed(b, ow), ow),
        Op::SSubO => overflows(signed(a, ow) - signed(b, ow), ow),
        Op::SMulO => overflows(signed(a, ow) * signed(b, ow), ow),
        Op::Trunc => a & m,
        Op::ZExt => a,
        Op::SExt => sign_extend(a, ow) as u64 & m,
        Op::Extract => {
            if imm >= 64 {
                0
            } else {
                (a >> imm) & m
            }
        }
        // The low part has w - ow >= 1 bits, so that the shift stays below 64.
        Op::Concat => a << (w - ow) | b,
        Op::Ctpop => u64::from(a.count_ones()) & m,
        Op::Ctlz => u64::from(a.leading_zeros() - (64 - u32::from(w))) & m,
        Op::Cttz => u64::from(a.trailing_zeros().min(u32::from(w))) & m,
        Op::Bswap => a.swap_bytes() >> (64 - w),
        Op::Bitreverse => a.reverse_bits() >> (64 - w),
        Op::Abs => sign_extend(a, w).unsigned_abs() & m,
        Op::Ite => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::Fshl => funnel(a, b, c % u64::from(w), w),
        Op::Fshr => match c % u64::from(w) {
            0 => b,
            s => funnel(a, b, u64::from(w) - s, w),
        },
        Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FRem
        | Op::Libm2
        | Op::FEq
        | Op::FLt
        | Op::FLe
        | Op::FUno
        | Op::FSqrt
        | Op::FRound
        | Op::Libm1
        | Op::FFma
        | Op::FCvt
        | Op::SToF
        | Op::UToF
        | Op::FToS
        | Op::FToU => floats::apply(op, w, ow, imm as u8, [a.into(), b.into(), c.into()]) as u64,
    }
}

/// High `w` bits of `a:b` shifted left by `s < w`.
fn funnel(a: u64, b: u64, s: u64, w: u16) -> u64 {
    if s == 0 { a } else { (a << s | b >> (u64::from(w) - s)) & mask(w) }
}

fn signed(v: u64, w: u16) -> i128 {
    i128::from(sign_extend(v, w))
}

fn sdiv(a: u64, b: u64, w: u16) -> u64 {
    let (x, y) = (sign_extend(a, w), sign_extend(b, w));
    match y {
        0 if x < 0 => 1,
        0 => u64::MAX,
        _ => x.wrapping_div(y) as u64,
    }
}

fn srem(a: u64, b: u64, w: u16) -> u64 {
    let (x, y) = (sign_extend(a, w), sign_extend(b, w));
    if y == 0 { a } else { x.wrapping_rem(y) as u64 }
}

fn limits(w: u16) -> (i128, i128) {
    let top = 1i128 << (w - 1);
    (-top, top - 1)
}

fn saturate(v: i128, w: u16) -> u64 {
    let (low, high) = limits(w);
    v.clamp(low, high) as u64 & mask(w)
}

fn overflows(v: i128, w: u16) -> u64 {
    let (low, high) = limits(w);
    u64::from(v < low || v > high)
}
