//! Floating-point intrinsics as plain instructions.

use super::Define;
use crate::llvm::{FloatPredicate::*, Predicate::*, Type, Value};

/// Classes of `llvm.is.fpclass`, by bit.
mod class {
    pub const SIGNALLING: u64 = 1;
    pub const QUIET: u64 = 2;
    pub const INFINITE: (u64, u64) = (4, 512);
    pub const NORMAL: (u64, u64) = (8, 256);
    pub const SUBNORMAL: (u64, u64) = (16, 128);
    pub const ZERO: (u64, u64) = (32, 64);
}

impl Define<'_> {
    /// What stands for a call of a floating-point intrinsic.
    pub fn float_intrinsic(&self, name: &str, i: Value, fused: bool) -> Option<Value> {
        let o = |k: u32| i.operand(k);
        Some(match name.split('.').next()? {
            "fmuladd" if fused && i.ty().float_width().is_some_and(|w| w == 32 || w == 64) => {
                self.intrinsic("llvm.fma", &[o(0), o(1), o(2)])
            }
            "fmuladd" => self.b.fadd(self.b.fmul(o(0), o(1)), o(2)),
            "minnum" => self.min_max(o(0), o(1), true),
            "maxnum" => self.min_max(o(0), o(1), false),
            "minimum" => self.strict_min_max(o(0), o(1), true),
            "maximum" => self.strict_min_max(o(0), o(1), false),
            "is" if name.starts_with("is.fpclass") => self.is_class(o(0), o(1).as_u64()?),
            "fptosi" if name.starts_with("fptosi.sat") => self.saturate(o(0), i.ty(), true),
            "fptoui" if name.starts_with("fptoui.sat") => self.saturate(o(0), i.ty(), false),
            "vector" if name.starts_with("vector.reduce.fm") => self.reduce(name, o(0))?,
            "powi" => self.power(o(0), o(1).as_u64()? as i32),
            "ldexp" => return None,
            "frexp" => {
                let (mantissa, exponent) = self.fraction(o(0), i.ty().fields().get(1).copied()?)?;
                let pair = self.b.insert_value(i.ty().poison(), mantissa, 0);
                self.b.insert_value(pair, exponent, 1)
            }
            _ => return None,
        })
    }

    /// `fmin` and `fmax` as SSE code does them: a number wins over what is none.
    pub fn min_max(&self, x: Value, y: Value, min: bool) -> Value {
        let b = &self.b;
        let second = b.fcmp(if min { LLVMRealOLT } else { LLVMRealOGT }, y, x);
        let chosen = b.select(second, y, x);
        b.select(b.fcmp(LLVMRealUNO, x, x), y, chosen)
    }

    /// `minimum` and `maximum` of IEEE 754-2019: what is no number wins, -0 is below +0.
    fn strict_min_max(&self, x: Value, y: Value, min: bool) -> Value {
        let b = &self.b;
        let bits = self.bits_type(x.ty());
        let (p, q) = (b.bitcast(x, bits), b.bitcast(y, bits));
        let zero = b.bitcast(if min { b.or(p, q) } else { b.and(p, q) }, x.ty());
        let first = b.fcmp(if min { LLVMRealOLT } else { LLVMRealOGT }, x, y);
        let chosen = b.select(b.fcmp(LLVMRealOEQ, x, y), zero, b.select(first, x, y));
        b.select(b.fcmp(LLVMRealUNO, x, y), b.fadd(x, y), chosen)
    }

    /// Minimum or maximum of all lanes, from the first on.
    fn reduce(&self, name: &str, v: Value) -> Option<Value> {
        let kind = name.strip_prefix("vector.reduce.")?.split('.').next()?;
        let crate::llvm::Kind::Vector(_, n) = v.ty().kind() else { return None };
        let (min, strict) = match kind {
            "fmin" => (true, false),
            "fmax" => (false, false),
            "fminimum" => (true, true),
            "fmaximum" => (false, true),
            _ => return None,
        };
        let lanes = (0..n).map(|k| self.lane(v, k));
        lanes.reduce(|x, y| if strict { self.strict_min_max(x, y, min) } else { self.min_max(x, y, min) })
    }

    /// Whether `x` is in one of the classes.
    pub fn is_class(&self, x: Value, classes: u64) -> Value {
        let b = &self.b;
        let (ty, boolean) = (x.ty(), x.ty().boolean(self.context));
        let bits_type = self.bits_type(ty);
        let bits = b.bitcast(x, bits_type);
        let size = self.intrinsic("llvm.fabs", &[x]);
        let negative = b.icmp(LLVMIntSLT, bits, bits_type.zero());
        let infinity = ty.float(f64::INFINITY);
        let signs = |(minus, plus): (u64, u64), inside: &dyn Fn() -> Value| match (
            classes & minus != 0,
            classes & plus != 0,
        ) {
            (false, false) => None,
            (true, true) => Some(inside()),
            (true, false) => Some(b.and(inside(), negative)),
            (false, true) => Some(b.and(inside(), b.icmp(LLVMIntEQ, negative, boolean.zero()))),
        };
        let below = |limit: Value| b.fcmp(LLVMRealOLT, size, limit);
        let parts = [
            signs(class::INFINITE, &|| b.fcmp(LLVMRealOEQ, size, infinity)),
            signs(class::NORMAL, &|| b.and(self.is_full(bits, size, true), below(infinity))),
            signs(class::SUBNORMAL, &|| {
                b.and(b.fcmp(LLVMRealOGT, size, ty.zero()), self.is_full(bits, size, false))
            }),
            signs(class::ZERO, &|| b.fcmp(LLVMRealOEQ, size, ty.zero())),
            self.not_a_number(x, bits, classes),
        ];
        parts.into_iter().flatten().reduce(|p, q| b.or(p, q)).unwrap_or_else(|| boolean.zero())
    }

    /// Whether a number's exponent is not the smallest (`full`), or is. An x87 number can have the smallest exponent
    /// and yet the value of a normal one, so its exponent itself is looked at.
    fn is_full(&self, bits: Value, size: Value, full: bool) -> Value {
        let (b, ty) = (&self.b, size.ty());
        if ty.float_width() == Some(80) {
            let mask = b.splat(bits.ty().lane().int_of_words(&[0, 0x7fff]), bits.ty());
            let predicate = if full { LLVMIntNE } else { LLVMIntEQ };
            return b.icmp(predicate, b.and(bits, mask), bits.ty().zero());
        }
        let smallest = match ty.float_width() {
            Some(16) => ty.float(2f64.powi(-14)),
            Some(32) => ty.float(2f64.powi(-126)),
            _ => ty.float(2f64.powi(-1022)),
        };
        b.fcmp(if full { LLVMRealOGE } else { LLVMRealOLT }, size, smallest)
    }

    fn not_a_number(&self, x: Value, bits: Value, classes: u64) -> Option<Value> {
        let b = &self.b;
        let all = b.fcmp(LLVMRealUNO, x, x);
        let quiet_bit = match x.ty().float_width()? {
            16 => 9,
            32 => 22,
            64 => 51,
            _ => 62,
        };
        let lane = bits.ty().lane();
        let mut words = [0, 0];
        words[0] = 1u64 << quiet_bit;
        let mask = self.b.splat(lane.int_of_words(&words), bits.ty());
        let quiet = || b.icmp(LLVMIntNE, b.and(bits, mask), bits.ty().zero());
        match (classes & class::SIGNALLING != 0, classes & class::QUIET != 0) {
            (false, false) => None,
            (true, true) => Some(all),
            (false, true) => Some(b.and(all, quiet())),
            (true, false) => Some(b.and(all, b.icmp(LLVMIntEQ, b.and(bits, mask), bits.ty().zero()))),
        }
    }

    /// Conversion to an integer that saturates; 0 for what is no number.
    fn saturate(&self, x: Value, to: Type, signed: bool) -> Value {
        let b = &self.b;
        let width = to.lane().scalar_width().unwrap_or(64);
        let top = 2f64.powi(width as i32 - i32::from(signed));
        let all = vec![u64::MAX; width.div_ceil(64) as usize];
        let ones = b.splat(to.lane().int_of_words(&all), to);
        let one = b.splat(to.lane().int(1), to);
        let most = if signed { b.lshr(ones, one) } else { ones };
        let least = if signed { b.xor(most, ones) } else { to.zero() };
        let bottom = x.ty().float(if signed { -top } else { 0.0 });
        let plain = if signed { b.fptosi(x, to) } else { b.fptoui(x, to) };
        let low = b.select(b.fcmp(LLVMRealOLE, x, bottom), least, plain);
        let both = b.select(b.fcmp(LLVMRealOGE, x, x.ty().float(top)), most, low);
        b.select(b.fcmp(LLVMRealUNO, x, x), to.zero(), both)
    }

    /// `powi` with a constant exponent, multiplied out in the order of compiler-rt's `__powidf2`.
    fn power(&self, x: Value, exponent: i32) -> Value {
        let b = &self.b;
        let (mut left, mut square) = (exponent.unsigned_abs(), x);
        let one = x.ty().float(1.0);
        let mut result = one;
        while left > 0 {
            if left & 1 == 1 {
                result = if result == one { square } else { b.fmul(result, square) };
            }
            left >>= 1;
            if left > 0 {
                square = b.fmul(square, square);
            }
        }
        if exponent < 0 { b.fdiv(one, result) } else { result }
    }

    /// `frexp`: the fraction in [1/2, 1) and the exponent.
    pub fn fraction(&self, x: Value, exponent_type: Type) -> Option<(Value, Value)> {
        let b = &self.b;
        let width = x.ty().float_width().filter(|_| x.ty().lane() == x.ty())?;
        let (mantissa, bias) = match width {
            16 => (10, 14),
            32 => (23, 126),
            64 => (52, 1022),
            _ => (64, 16382),
        };
        let int = self.context.int(width);
        let shift = int.int(mantissa);
        let ones = (1u64 << (width as u64 - mantissa - 1)) - 1;
        let place = |n: u64| int.int_of_words(&words(u128::from(n) << mantissa));
        let exponent = |v: Value| b.and(b.lshr(b.bitcast(v, int), shift), int.int(ones));
        let tiny = b.icmp(LLVMIntEQ, exponent(x), int.zero());
        let scaled = b.select(tiny, b.fmul(x, x.ty().float(2f64.powi(64))), x);
        let keep = int.int_of_words(&words(!(u128::from(ones) << mantissa)));
        let fraction = b.bitcast(b.or(b.and(b.bitcast(scaled, int), keep), place(bias)), x.ty());
        let of = |v: Value| b.trunc_or_zext(exponent(v), exponent_type);
        let less = b.select(tiny, exponent_type.int(bias + 64), exponent_type.int(bias));
        let special =
            b.or(b.icmp(LLVMIntEQ, exponent(x), int.int(ones)), b.fcmp(LLVMRealOEQ, x, x.ty().zero()));
        let fraction = b.select(special, b.fadd(x, x), fraction);
        Some((fraction, b.select(special, exponent_type.zero(), b.sub(of(scaled), less))))
    }
}

fn words(n: u128) -> [u64; 2] {
    [n as u64, (n >> 64) as u64]
}
