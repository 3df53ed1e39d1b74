//! Values of the library models: an expression and its concrete value side by side.
//!
//! Models compute both; at the end the concrete value is compared with what the function really returned,
//! and a model that went astray loses its label instead of lying ([`Value::checked`]).

use crate::simplify::{self, Operand};
use crate::{event, memory, node, node::mask};
use core::ops::{Add, Mul, Not, Sub};
use trace_abi::{Op, Reason};

/// A value of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its label; 0 if it is a constant.
    pub label: u32,
    /// Its value in this run.
    pub now: u64,
    /// Its width in bits.
    pub width: u16,
}

impl Value {
    /// A constant.
    pub const fn constant(width: u16, value: u64) -> Value {
        Value { label: 0, now: value & mask(width), width }
    }

    /// A value with this label (0: constant). A label of another width is cut or extended with zeros.
    pub fn new(label: u32, width: u16, now: u64) -> Value {
        let fitted = match node::width(label) {
            _ if label == 0 => 0,
            have if have > width => simplify::extract(label, 0, width),
            have if have < width => simplify::zero_extend(label, width),
            _ => label,
        };
        Value { label: fitted, now: now & mask(width), width }
    }

    /// The byte at `address`.
    pub fn byte_at(address: usize) -> Value {
        let label = memory::byte(address).label;
        // SAFETY: models read only what the function they stand for may read.
        Value { label, now: u64::from(unsafe { *(address as *const u8) }), width: 8 }
    }

    /// Whether it is the same in every run.
    pub const fn is_const(self) -> bool {
        self.label == 0
    }

    /// Whether it is a constant other than zero / true.
    pub const fn is_true(self) -> bool {
        self.label == 0 && self.now != 0
    }

    /// Whether it is the constant zero / false.
    pub const fn is_false(self) -> bool {
        self.label == 0 && self.now == 0
    }

    fn operand(self) -> Operand {
        Operand::new(self.label, self.now)
    }

    fn binary(self, op: Op, other: Value, now: u64) -> Value {
        let width = if op.is_predicate() { 1 } else { self.width };
        let label = simplify::bin(op, self.width, self.operand(), other.operand());
        Value { label, now: now & mask(width), width }
    }

    fn signed(self) -> i64 {
        simplify::sign_extended(self.now, self.width) as i64
    }

    /// Equal.
    pub fn equals(self, other: Value) -> Value {
        self.binary(Op::Eq, other, u64::from(self.now == other.now))
    }

    /// Unsigned less than.
    pub fn ult(self, other: Value) -> Value {
        self.binary(Op::Ult, other, u64::from(self.now < other.now))
    }

    /// Signed less than.
    pub fn slt(self, other: Value) -> Value {
        self.binary(Op::Slt, other, u64::from(self.signed() < other.signed()))
    }

    /// And; both of the same width.
    pub fn and(self, other: Value) -> Value {
        self.binary(Op::And, other, self.now & other.now)
    }

    /// Or; both of the same width.
    pub fn or(self, other: Value) -> Value {
        self.binary(Op::Or, other, self.now | other.now)
    }

    /// Quotient by a constant other than zero.
    pub fn over(self, divisor: u64) -> Value {
        self.binary(Op::UDiv, Value::constant(self.width, divisor), self.now / divisor)
    }

    /// Unsigned less or equal.
    pub fn ule(self, other: Value) -> Value {
        self.binary(Op::Ule, other, u64::from(self.now <= other.now))
    }

    /// Exclusive or; both of the same width.
    pub fn xor(self, other: Value) -> Value {
        self.binary(Op::Xor, other, self.now ^ other.now)
    }

    /// Shifted left; a count of the width or more gives 0.
    pub fn shift_left(self, count: Value) -> Value {
        let now = if count.now < u64::from(self.width) { self.now << count.now } else { 0 };
        self.binary(Op::Shl, count, now)
    }

    /// Shifted right with zeros from above; a count of the width or more gives 0.
    pub fn shift_right(self, count: Value) -> Value {
        let now = if count.now < u64::from(self.width) { self.now >> count.now } else { 0 };
        self.binary(Op::LShr, count, now)
    }

    /// Shifted right with signs from above; a count of the width or more gives the sign everywhere.
    pub fn shift_right_signed(self, count: Value) -> Value {
        self.binary(Op::AShr, count, (self.signed() >> count.now.min(63)) as u64)
    }

    /// `width` bits from bit `low` on.
    pub fn part(self, low: u16, width: u16) -> Value {
        let label = simplify::extract(self.label, low, width);
        Value { label, now: self.now >> low & mask(width), width }
    }

    /// `then` if `self` (width 1) holds, else `other`.
    pub fn select(self, then: Value, other: Value) -> Value {
        let label = simplify::tri(Op::Ite, then.width, self.operand(), then.operand(), other.operand());
        Value { label, now: if self.now == 1 { then.now } else { other.now }, width: then.width }
    }

    /// With zeros above, `width` bits in all.
    pub fn zext(self, width: u16) -> Value {
        Value { label: simplify::zero_extend(self.label, width), now: self.now, width }
    }

    /// With copies of the sign above, `width` bits in all.
    pub fn sext(self, width: u16) -> Value {
        let now = simplify::sign_extended(self.now, self.width) & mask(width);
        Value { label: simplify::sign_extend(self.label, width), now, width }
    }

    /// The low `width` bits.
    pub fn trunc(self, width: u16) -> Value {
        Value { label: simplify::extract(self.label, 0, width), now: self.now & mask(width), width }
    }

    /// Whether it lies between two constants, bounds included.
    pub fn within(self, low: u64, high: u64) -> Value {
        let w = self.width;
        let from_low = self.sub(Value::constant(w, low));
        from_low.ult(Value::constant(w, high - low + 1))
    }

    /// The label, if the value computed is that which the function returned; else 0, and the loss is recorded.
    pub fn checked(self, real: u64) -> u32 {
        if self.label == 0 {
            return 0;
        }
        if self.now != real & mask(self.width) {
            event::lose(Reason::Model, 0, real);
            return 0;
        }
        self.label
    }
}

impl Add for Value {
    type Output = Value;
    fn add(self, other: Value) -> Value {
        self.binary(Op::Add, other, self.now.wrapping_add(other.now))
    }
}

impl Sub for Value {
    type Output = Value;
    fn sub(self, other: Value) -> Value {
        self.binary(Op::Sub, other, self.now.wrapping_sub(other.now))
    }
}

impl Mul for Value {
    type Output = Value;
    fn mul(self, other: Value) -> Value {
        self.binary(Op::Mul, other, self.now.wrapping_mul(other.now))
    }
}

/// Negation of a value of width 1.
impl Not for Value {
    type Output = Value;
    fn not(self) -> Value {
        let label = if self.label == 0 { 0 } else { simplify::not(self.label) };
        Value { label, now: self.now ^ 1, width: 1 }
    }
}
