//! Functions of the mathematics library that take a float apart, as plain instructions.

use super::Define;
use crate::llvm::{FloatPredicate::*, Kind, Opcode, Type, Value};

/// Classes of `llvm.is.fpclass`.
const NAN: u64 = 3;
const INFINITE: u64 = 4 | 512;
const FINITE: u64 = 8 | 16 | 32 | 64 | 128 | 256;
const NEGATIVE_INFINITE: u64 = 4;
const ZERO: u64 = 32 | 64;
const SUBNORMAL: u64 = 16 | 128;

impl Define<'_> {
    /// What stands for a call of an undefined library function.
    pub fn library_call(&self, i: Value) -> Option<Value> {
        let callee = i.callee();
        if !i.is(Opcode::LLVMCall) || !callee.is_function() || !callee.is_declaration() {
            return None;
        }
        let x = *i.arguments().first()?;
        let width = match x.ty().kind() {
            Kind::Float(w) if w != 16 => w,
            _ => return None,
        };
        let name = callee.name();
        let suffix = match width {
            32 => "f",
            80 => "l",
            _ => "",
        };
        let name = name.strip_suffix(suffix)?;
        match i.arguments()[..] {
            [x] => self.one_operand(name.trim_start_matches("__"), i, x),
            [x, y] if y.ty() == x.ty() && i.ty() == x.ty() => match name {
                "fmin" => Some(self.min_max(x, y, true)),
                "fmax" => Some(self.min_max(x, y, false)),
                _ => None,
            },
            [x, to] if to.ty().is_pointer() && i.ty() == x.ty() => self.one_result_in_memory(name, x, to),
            [x, sine, cosine] if name == "sincos" && sine.ty().is_pointer() && cosine.ty().is_pointer() => {
                self.sine_and_cosine(i, suffix, x, sine, cosine)
            }
            _ => None,
        }
    }

    fn one_operand(&self, name: &str, i: Value, x: Value) -> Option<Value> {
        let b = &self.b;
        let int = i.ty();
        if !int.is_int() {
            return None;
        }
        let is = |classes: u64| self.is_class(x, classes);
        let k = |n: u64| int.int(n);
        Some(match name {
            "isnan" => b.zext(is(NAN), int),
            "finite" => b.zext(is(FINITE), int),
            "isinf" => b.select(is(NEGATIVE_INFINITE), int.ones(), b.zext(is(INFINITE), int)),
            "signbit" => {
                let bits = self.bits_type(x.ty());
                b.zext(b.icmp(crate::llvm::Predicate::LLVMIntSLT, b.bitcast(x, bits), bits.zero()), int)
            }
            // The numbers of glibc's math.h.
            "fpclassify" => {
                let number = b.select(is(SUBNORMAL), k(3), k(4));
                let number = b.select(is(ZERO), k(2), number);
                let number = b.select(is(INFINITE), k(1), number);
                b.select(is(NAN), k(0), number)
            }
            "ilogb" => {
                let suffix = match x.ty().float_width() {
                    Some(32) => "f",
                    Some(80) => "l",
                    _ => "",
                };
                let logarithm = self.library_function(&format!("logb{suffix}"), x);
                // Of zero and of what is no number: whatever the conversion gives, which is INT_MIN, as glibc.
                let exponent = b.freeze(b.fptosi(logarithm, int));
                b.select(is(INFINITE), k(i32::MAX as u64), exponent)
            }
            _ => return None,
        })
    }

    fn one_result_in_memory(&self, name: &str, x: Value, to: Value) -> Option<Value> {
        let b = &self.b;
        match name {
            "frexp" => {
                let (fraction, exponent) = self.fraction(x, self.context.int(32))?;
                b.store(exponent, to, 4);
                Some(fraction)
            }
            "modf" => {
                let whole = self.intrinsic("llvm.trunc", &[x]);
                b.store(whole, to, if x.ty().float_width() == Some(32) { 4 } else { 8 });
                let infinite =
                    b.fcmp(LLVMRealOEQ, self.intrinsic("llvm.fabs", &[x]), x.ty().float(f64::INFINITY));
                let rest = b.select(infinite, x.ty().zero(), b.fsub(x, whole));
                Some(self.intrinsic("llvm.copysign", &[rest, x]))
            }
            _ => None,
        }
    }

    fn sine_and_cosine(&self, i: Value, suffix: &str, x: Value, sine: Value, cosine: Value) -> Option<Value> {
        let b = &self.b;
        let alignment = if suffix == "f" { 4 } else { 8 };
        for (name, to) in [("sin", sine), ("cos", cosine)] {
            b.store(self.library_function(&format!("{name}{suffix}"), x), to, alignment);
        }
        i.erase();
        None
    }

    /// A call of a library function of one operand of its own type.
    fn library_function(&self, name: &str, x: Value) -> Value {
        let ty: Type = x.ty().function(&[x.ty()], false);
        let function = self.module.function(name).unwrap_or_else(|| self.module.declare(name, ty));
        self.b.call(ty, function, &[x])
    }
}
