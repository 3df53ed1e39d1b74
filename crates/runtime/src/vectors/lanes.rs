//! Lane arithmetic.

use super::Operand;
use crate::models::value::Value;

/// The product in double width.
pub fn product(a: Value, b: Value, signed: bool) -> Value {
    let wide = |v: Value| if signed { v.sext(2 * v.width) } else { v.zext(2 * v.width) };
    wide(a) * wide(b)
}

/// The sum of eight absolute differences of bytes, as one 64-bit lane.
pub fn sum_of_differences(a: &Operand, b: &Operand, k: usize) -> Value {
    (8 * k..8 * k + 8).fold(Value::constant(64, 0), |sum, j| {
        let (x, y) = (a.at(j), b.at(j));
        sum + x.ult(y).select(y - x, x - y).zext(64)
    })
}

/// Lane `k` of a pack: in every 128 bits first those of `a`, then those of `b`.
pub fn pack(a: &Operand, b: &Operand, k: usize, signed: bool) -> Value {
    let n = a.per_block();
    let (block, within) = (k / (2 * n), k % (2 * n));
    let v = if within < n { a.at(block * n + within) } else { b.at(block * n + within - n) };
    saturate(v, v.width / 2, signed)
}

/// A signed value cut to `width` bits with saturation.
fn saturate(v: Value, width: u16, signed: bool) -> Value {
    let (low, high) = if signed {
        ((1u64 << (width - 1)).wrapping_neg(), (1 << (width - 1)) - 1)
    } else {
        (0, (1 << width) - 1)
    };
    let (low, high) = (Value::constant(v.width, low), Value::constant(v.width, high));
    let v = v.slt(low).select(low, v);
    high.slt(v).select(high, v).trunc(width)
}

/// A byte of the 16 around lane `k`, chosen by a control byte.
pub fn shuffle_bytes(a: &Operand, control: Value, k: usize) -> Value {
    let block = k / 16 * 16;
    let byte = |j: usize| a.at(block + j);
    let zero = Value::constant(8, 0);
    if control.is_const() {
        return if control.now & 0x80 != 0 { zero } else { byte((control.now & 15) as usize) };
    }
    let mut level: [Value; 16] = core::array::from_fn(byte);
    let mut n = 16;
    for bit in 0..4 {
        let choice = control.part(bit, 1);
        n /= 2;
        for j in 0..n {
            level[j] = choice.select(level[2 * j + 1], level[2 * j]);
        }
    }
    control.part(7, 1).select(zero, level[0])
}

/// Bits 15 to 30 of the signed product, rounded.
pub fn multiply_high_rounded(a: Value, b: Value) -> Value {
    let one = Value::constant(32, 1);
    ((product(a, b, true).shift_right(Value::constant(32, 14)) + one).shift_right(one)).trunc(16)
}

/// Two products of unsigned and signed bytes, added with saturation.
pub fn multiply_add_bytes(a: &Operand, b: &Operand, k: usize) -> Value {
    let one = |j: usize| a.at(j).zext(32) * b.at(j).sext(32);
    saturate(one(2 * k) + one(2 * k + 1), 16, true)
}

/// `(a + b + 1) / 2` without overflow.
pub fn average(a: Value, b: Value) -> Value {
    let w = 2 * a.width;
    let one = Value::constant(w, 1);
    (a.zext(w) + b.zext(w) + one).shift_right(one).trunc(a.width)
}

/// The count of a shift of all lanes, as a value of a lane's width: an integer, or the low 64 bits of a vector. Counts that
/// do not fit become the width itself, which shifts everything out as they do.
pub fn one_count(b: &Operand, width: u16) -> Value {
    let n = 64 / b.width.max(1);
    let low = (1..n).rev().fold(b.at(usize::from(n) - 1).zext(64), |above, k| {
        above.shift_left(Value::constant(64, b.width.into())).or(b.at(usize::from(k) - 1).zext(64))
    });
    let low = if b.count == 1 { b.at(0).zext(64) } else { low };
    let limit = Value::constant(64, width.into());
    low.ult(limit).select(low, limit).trunc(width)
}

/// The two neighbours that lane `k` combines: of `a` in the lower half of every 128 bits, of `b` in the upper.
pub fn neighbours(a: &Operand, b: &Operand, k: usize) -> (Value, Value) {
    let n = a.per_block();
    let (block, within) = (k / n * n, k % n);
    let (from, first) = if within < n / 2 { (a, 2 * within) } else { (b, 2 * within - n) };
    (from.at(block + first), from.at(block + first + 1))
}

/// `a` negated where `b` is negative, zero where it is zero.
pub fn sign(a: Value, b: Value) -> Value {
    let zero = Value::constant(a.width, 0);
    let kept = b.slt(zero).select(zero - a, a);
    b.equals(zero).select(zero, kept)
}

/// Whether `lane` is zero for every lane of `a`.
pub fn all_zero(a: &Operand, lane: impl Fn(usize) -> Value) -> Value {
    let any = (0..a.count).map(lane).reduce(|x, y| x.or(y)).unwrap_or(Value::constant(64, 0));
    any.equals(Value::constant(any.width, 0))
}
