//! Operations on values of any width, written for obviousness: overflow tests and saturations are computed at a
//! width at which nothing can overflow, then cut.

use crate::{Bits, Op};
use num_bigint::BigUint;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;

type Words = SmallVec<[u64; 2]>;

/// See [`super::apply`]; for any width.
pub(super) fn apply(op: Op, w: u16, imm: u64, args: &[&Bits]) -> Bits {
    let a = args[0];
    let b = *args.get(1).unwrap_or(&a);
    match op {
        Op::Input | Op::Const | Op::Read => panic!("{} is not made of operand values", op.name()),
        Op::Add => add(a, b),
        Op::Sub => sub(a, b),
        Op::Mul => mul(a, b),
        Op::UDiv => divide(a, b).0,
        Op::URem => divide(a, b).1,
        Op::SDiv => sdiv(a, b),
        Op::SRem => srem(a, b),
        Op::Shl => shl(a, count(b, w)),
        Op::LShr => extract(a, count(b, w), w),
        Op::AShr => ashr(a, count(b, w)),
        Op::And => zip(a, b, |x, y| x & y),
        Op::Or => zip(a, b, |x, y| x | y),
        Op::Xor => zip(a, b, |x, y| x ^ y),
        Op::UMin => {
            if ucmp(a, b).is_le() {
                a.clone()
            } else {
                b.clone()
            }
        }
        Op::UMax => {
            if ucmp(a, b).is_ge() {
                a.clone()
            } else {
                b.clone()
            }
        }
        Op::SMin => {
            if scmp(a, b).is_le() {
                a.clone()
            } else {
                b.clone()
            }
        }
        Op::SMax => {
            if scmp(a, b).is_ge() {
                a.clone()
            } else {
                b.clone()
            }
        }
        Op::UAddSat => {
            if uadd_overflows(a, b) {
                Bits::ones(w)
            } else {
                add(a, b)
            }
        }
        Op::USubSat => {
            if ucmp(a, b).is_lt() {
                Bits::zero(w)
            } else {
                sub(a, b)
            }
        }
        Op::SAddSat => saturate(&add(&sext(a, w + 1), &sext(b, w + 1)), w),
        Op::SSubSat => saturate(&sub(&sext(a, w + 1), &sext(b, w + 1)), w),
        Op::Eq => flag(a == b),
        Op::Ne => flag(a != b),
        Op::Ult => flag(ucmp(a, b).is_lt()),
        Op::Ule => flag(ucmp(a, b).is_le()),
        Op::Slt => flag(scmp(a, b).is_lt()),
        Op::Sle => flag(scmp(a, b).is_le()),
        Op::UAddO => flag(uadd_overflows(a, b)),
        Op::USubO => flag(ucmp(a, b).is_lt()),
        Op::UMulO => {
            let n = a.width();
            flag(!extract(&mul(&zext(a, 2 * n), &zext(b, 2 * n)), n.into(), n).is_zero())
        }
        Op::SAddO => signed_overflow(a, b, a.width() + 1, add),
        Op::SSubO => signed_overflow(a, b, a.width() + 1, sub),
        Op::SMulO => signed_overflow(a, b, 2 * a.width(), mul),
        Op::Trunc | Op::ZExt => zext(a, w),
        Op::SExt => sext(a, w),
        Op::Extract => extract(a, imm, w),
        Op::Concat => concat(a, b),
        Op::Ctpop => Bits::new(w, a.words().iter().map(|x| u64::from(x.count_ones())).sum()),
        Op::Ctlz => Bits::new(w, (0..w).rev().take_while(|&k| !a.bit(k)).count() as u64),
        Op::Cttz => Bits::new(w, (0..w).take_while(|&k| !a.bit(k)).count() as u64),
        Op::Bswap => permute(a, |k| (w / 8 - 1 - k / 8) * 8 + k % 8),
        Op::Bitreverse => permute(a, |k| w - 1 - k),
        Op::Abs => {
            if a.sign() {
                neg(a)
            } else {
                a.clone()
            }
        }
        Op::Ite => {
            if a.is_zero() {
                args[2].clone()
            } else {
                b.clone()
            }
        }
        Op::Fshl => extract(&shl(&concat(a, b), modulo(args[2], w)), w.into(), w),
        Op::Fshr => extract(&concat(a, b), modulo(args[2], w), w),
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
        | Op::FToU => super::floating::apply(op, w, imm, args),
    }
}

fn flag(v: bool) -> Bits {
    Bits::new(1, v.into())
}

fn add_carry(a: &Bits, b: &Bits, invert: bool) -> Bits {
    let mut carry = u128::from(invert);
    let flip = if invert { u64::MAX } else { 0 };
    zip(a, b, |x, y| {
        let sum = u128::from(x) + u128::from(y ^ flip) + carry;
        carry = sum >> 64;
        sum as u64
    })
}

fn zip(a: &Bits, b: &Bits, mut f: impl FnMut(u64, u64) -> u64) -> Bits {
    let words = a.words().iter().zip(b.words()).map(|(&x, &y)| f(x, y)).collect();
    Bits::from_words(a.width(), words)
}

fn add(a: &Bits, b: &Bits) -> Bits {
    add_carry(a, b, false)
}

fn sub(a: &Bits, b: &Bits) -> Bits {
    add_carry(a, b, true)
}

fn neg(a: &Bits) -> Bits {
    sub(&Bits::zero(a.width()), a)
}

fn mul(a: &Bits, b: &Bits) -> Bits {
    let n = a.words().len();
    let mut out: Words = smallvec![0; n];
    for (i, &x) in a.words().iter().enumerate().filter(|(_, x)| **x != 0) {
        let mut carry = 0u128;
        for (j, &y) in b.words()[..n - i].iter().enumerate() {
            let t = u128::from(x) * u128::from(y) + u128::from(out[i + j]) + carry;
            out[i + j] = t as u64;
            carry = t >> 64;
        }
    }
    Bits::from_words(a.width(), out)
}

fn big(a: &Bits) -> BigUint {
    BigUint::new(a.words().iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect())
}

fn from_big(width: u16, v: &BigUint) -> Bits {
    Bits::from_words(width, v.iter_u64_digits().collect())
}

/// Unsigned quotient and remainder, by zero as in SMT-LIB: all ones and the dividend.
fn divide(a: &Bits, b: &Bits) -> (Bits, Bits) {
    if b.is_zero() {
        return (Bits::ones(a.width()), a.clone());
    }
    let (x, y) = (big(a), big(b));
    (from_big(a.width(), &(&x / &y)), from_big(a.width(), &(&x % &y)))
}

fn magnitude(a: &Bits) -> Bits {
    if a.sign() { neg(a) } else { a.clone() }
}

/// SMT-LIB's `bvsdiv`: the unsigned quotient of the magnitudes, negated if the signs differ.
fn sdiv(a: &Bits, b: &Bits) -> Bits {
    let q = divide(&magnitude(a), &magnitude(b)).0;
    if a.sign() == b.sign() { q } else { neg(&q) }
}

/// SMT-LIB's `bvsrem`: the unsigned remainder of the magnitudes with the sign of the dividend.
fn srem(a: &Bits, b: &Bits) -> Bits {
    let r = divide(&magnitude(a), &magnitude(b)).1;
    if a.sign() { neg(&r) } else { r }
}

/// A shift count, with everything from `w` on as `w`.
fn count(b: &Bits, w: u16) -> u64 {
    b.to_u64().map_or(u64::from(w), |n| n.min(w.into()))
}

fn modulo(b: &Bits, w: u16) -> u64 {
    divide(b, &Bits::new(b.width(), w.into())).1.low()
}

fn shl(a: &Bits, n: u64) -> Bits {
    let (skip, shift) = ((n / 64) as usize, n % 64);
    let word = |k: usize| if k < skip { 0 } else { a.words()[k - skip] };
    let words = (0..a.words().len()).map(|k| {
        let below = if shift == 0 || k == 0 { 0 } else { word(k - 1) >> (64 - shift) };
        if k < skip { 0 } else { word(k) << shift | below }
    });
    Bits::from_words(a.width(), words.collect())
}

/// `w` bits from bit `low` on; zeros where `a` has none.
fn extract(a: &Bits, low: u64, w: u16) -> Bits {
    let (skip, shift) = ((low / 64) as usize, low % 64);
    let word = |k: usize| a.words().get(k).copied().unwrap_or(0);
    let words = (0..(w as usize).div_ceil(64)).map(|k| {
        let above = if shift == 0 { 0 } else { word(k + skip + 1) << (64 - shift) };
        word(k + skip) >> shift | above
    });
    Bits::from_words(w, words.collect())
}

fn ashr(a: &Bits, n: u64) -> Bits {
    let w = a.width();
    let shifted = extract(a, n, w);
    if !a.sign() {
        return shifted;
    }
    let kept = extract(&Bits::ones(w), n, w);
    zip(&shifted, &kept, |x, k| x | !k)
}

fn zext(a: &Bits, w: u16) -> Bits {
    Bits::from_words(w, a.words().iter().copied().collect())
}

fn sext(a: &Bits, w: u16) -> Bits {
    if !a.sign() || w <= a.width() {
        return zext(a, w);
    }
    let ones = shl(&Bits::ones(w), a.width().into());
    zip(&zext(a, w), &ones, |x, y| x | y)
}

fn concat(high: &Bits, low: &Bits) -> Bits {
    let w = high.width() + low.width();
    zip(&shl(&zext(high, w), low.width().into()), &zext(low, w), |x, y| x | y)
}

fn ucmp(a: &Bits, b: &Bits) -> Ordering {
    a.words().iter().rev().cmp(b.words().iter().rev())
}

fn scmp(a: &Bits, b: &Bits) -> Ordering {
    b.sign().cmp(&a.sign()).then_with(|| ucmp(a, b))
}

fn uadd_overflows(a: &Bits, b: &Bits) -> bool {
    ucmp(&add(a, b), a).is_lt()
}

/// Whether `f`, computed at the larger width `w`, leaves the signed range of the operands' width.
fn signed_overflow(a: &Bits, b: &Bits, w: u16, f: fn(&Bits, &Bits) -> Bits) -> Bits {
    let exact = f(&sext(a, w), &sext(b, w));
    flag(sext(&zext(&exact, a.width()), w) != exact)
}

/// `exact` (wider than `w`), clamped to the signed range of width `w`.
fn saturate(exact: &Bits, w: u16) -> Bits {
    let cut = zext(exact, w);
    if sext(&cut, exact.width()) == *exact {
        return cut;
    }
    let most_negative = shl(&Bits::new(w, 1), u64::from(w) - 1);
    if exact.sign() { most_negative } else { sub(&most_negative, &Bits::new(w, 1)) }
}

fn permute(a: &Bits, source: impl Fn(u16) -> u16) -> Bits {
    let mut words: Words = smallvec![0; a.words().len()];
    for k in (0..a.width()).filter(|&k| a.bit(source(k))) {
        words[k as usize / 64] |= 1 << (k % 64);
    }
    Bits::from_words(a.width(), words)
}
