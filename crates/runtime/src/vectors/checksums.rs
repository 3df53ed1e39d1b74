//! Checksums: CRC-32C and carry-less products, bit by bit.

use super::Operand;
use crate::models::value::Value;

/// The reflected polynomial.
const POLYNOMIAL: u64 = 0x82f6_3b78;

/// The checksum after the bits of `data`, lowest first, in the width of `sum` (its upper half is dropped).
pub fn crc32c(sum: Value, data: Value) -> Value {
    let (polynomial, one) = (Value::constant(32, POLYNOMIAL), Value::constant(32, 1));
    let mut crc = sum.part(0, 32);
    for k in 0..data.width {
        let bit = crc.part(0, 1).xor(data.part(k, 1));
        let shifted = crc.shift_right(one);
        crc = bit.select(shifted.xor(polynomial), shifted);
    }
    crc.zext(sum.width)
}

/// Lane `k` (0 low, 1 high) of the product of the 64-bit lanes that `control` chooses.
pub fn carry_less(a: &Operand, b: &Operand, control: u64, k: usize) -> Value {
    let (x, y) = (a.at((control & 1) as usize), b.at((control >> 4 & 1) as usize));
    let zero = Value::constant(64, 0);
    (0..64).fold(zero, |sum, bit| {
        let count = |n: u64| Value::constant(64, n);
        let moved = match k {
            0 => x.shift_left(count(bit)),
            _ if bit == 0 => zero,
            _ => x.shift_right(count(64 - bit)),
        };
        sum.xor(y.part(bit as u16, 1).select(moved, zero))
    })
}
