//! Float operations, as in crate `floats`: single and double precision by the processor's instructions, with a call where
//! the result is not a number (whose bits are the evaluator's business); all else by calls.

use crate::emit::Emitter;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F64, I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use expr::Op;
use solve_search::Node;
use trace_abi::rounding;

/// The processor's formats.
pub(crate) const fn is_native(width: u16) -> bool {
    matches!(width, 32 | 64)
}

impl Emitter<'_, '_> {
    /// Value of a float operation on at most 64 bits.
    pub(crate) fn float(&mut self, n: &Node) -> Value {
        let (first, w) = (n.arg(0), n.width);
        let ow = self.width(first);
        match n.op {
            Op::FEq | Op::FLt | Op::FLe | Op::FUno if is_native(ow) => {
                let (x, y) = (self.as_float(first), self.as_float(n.arg(1)));
                let truth = self.b.ins().fcmp(condition(n.op), x, y);
                self.flag(truth)
            }
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv if is_native(w) => {
                let (x, y) = (self.as_float(first), self.as_float(n.arg(1)));
                let v = match n.op {
                    Op::FAdd => self.b.ins().fadd(x, y),
                    Op::FSub => self.b.ins().fsub(x, y),
                    Op::FMul => self.b.ins().fmul(x, y),
                    _ => self.b.ins().fdiv(x, y),
                };
                self.number(v, w, n)
            }
            Op::FSqrt if is_native(w) => {
                let x = self.as_float(first);
                let v = self.b.ins().sqrt(x);
                self.number(v, w, n)
            }
            Op::FRound if is_native(w) && has_rounding() && n.imm != u64::from(rounding::NEAREST_AWAY) => {
                let x = self.as_float(first);
                let v = match n.imm as u8 {
                    rounding::TOWARD_ZERO => self.b.ins().trunc(x),
                    rounding::UP => self.b.ins().ceil(x),
                    rounding::DOWN => self.b.ins().floor(x),
                    _ => self.b.ins().nearest(x),
                };
                self.number(v, w, n)
            }
            Op::FCvt if is_native(w) && is_native(ow) => {
                let x = self.as_float(first);
                let v = if w == 64 { self.b.ins().fpromote(F64, x) } else { self.b.ins().fdemote(F32, x) };
                self.number(v, w, n)
            }
            Op::SToF | Op::UToF if is_native(w) => {
                let to = if w == 64 { F64 } else { F32 };
                let x = self.value(first);
                let v = if n.op == Op::SToF {
                    let x = self.signed(x, ow);
                    self.b.ins().fcvt_from_sint(to, x)
                } else {
                    self.b.ins().fcvt_from_uint(to, x)
                };
                self.as_bits(v, w)
            }
            Op::FToS | Op::FToU if is_native(ow) => self.integer_of(n),
            _ => self.by_call(n),
        }
    }

    /// A node's value as the processor's float.
    pub(crate) fn as_float(&mut self, node: usize) -> Value {
        let (value, width) = (self.value(node), self.width(node));
        if width == 64 {
            return self.b.ins().bitcast(F64, MemFlagsData::new(), value);
        }
        let bits = self.b.ins().ireduce(I32, value);
        self.b.ins().bitcast(F32, MemFlagsData::new(), bits)
    }

    fn as_bits(&mut self, value: Value, width: u16) -> Value {
        if width == 64 {
            return self.b.ins().bitcast(I64, MemFlagsData::new(), value);
        }
        let bits = self.b.ins().bitcast(I32, MemFlagsData::new(), value);
        self.b.ins().uextend(I64, bits)
    }

    /// The bits of a result if it is a number.
    fn number(&mut self, value: Value, width: u16, n: &Node) -> Value {
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, value, value);
        let bits = self.as_bits(value, width);
        self.unless(is_nan, bits, n)
    }

    /// As the processor's conversion to 64 bits: what does not fit gives the most negative integer.
    fn converted(&mut self, x: Value, is_double: bool) -> Value {
        const TOP: f64 = 9_223_372_036_854_775_808.0;
        let (low, high) = if is_double {
            (self.b.ins().f64const(-TOP), self.b.ins().f64const(TOP))
        } else {
            (self.b.ins().f32const(-TOP as f32), self.b.ins().f32const(TOP as f32))
        };
        let above = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, x, low);
        let below = self.b.ins().fcmp(FloatCC::LessThan, x, high);
        let fits = self.b.ins().band(above, below);
        let (value, most_negative) = (self.b.ins().fcvt_to_sint_sat(I64, x), self.k(1 << 63));
        self.b.ins().select(fits, value, most_negative)
    }

    /// As `floats` (`integer.rs`) has it: by the conversion instruction that compilers choose, cut to the width.
    fn integer_of(&mut self, n: &Node) -> Value {
        let (first, w) = (n.arg(0), n.width);
        let is_double = self.width(first) == 64;
        let x = self.as_float(first);
        let wide = self.converted(x, is_double);
        let is_narrow = w <= if n.op == Op::FToS { 32 } else { 31 };
        let value = if is_narrow {
            let (cut, indefinite) = (self.signed(wide, 32), self.k(i32::MIN as u64));
            let fits = self.b.ins().icmp(IntCC::Equal, wide, cut);
            self.b.ins().select(fits, wide, indefinite)
        } else if n.op == Op::FToU && w == 64 {
            const TOP: f64 = 9_223_372_036_854_775_808.0;
            let top = if is_double { self.b.ins().f64const(TOP) } else { self.b.ins().f32const(TOP as f32) };
            // A negative value stays below -2^63, where the conversion gives that.
            let rest = self.b.ins().fsub(x, top);
            let (second, zero) = (self.converted(rest, is_double), self.k(0));
            let both = self.b.ins().bor(wide, second);
            let negative = self.b.ins().icmp(IntCC::SignedLessThan, wide, zero);
            self.b.ins().select(negative, both, wide)
        } else {
            wide
        };
        self.cut(value, w)
    }
}

/// The comparison's condition.
fn condition(op: Op) -> FloatCC {
    match op {
        Op::FEq => FloatCC::Equal,
        Op::FLt => FloatCC::LessThan,
        Op::FLe => FloatCC::LessThanOrEqual,
        _ => FloatCC::Unordered,
    }
}

/// Whether there are instructions for rounding; without them the code generator calls functions by name.
fn has_rounding() -> bool {
    cfg!(target_arch = "aarch64") || has_sse41()
}

#[cfg(target_arch = "x86_64")]
fn has_sse41() -> bool {
    std::is_x86_feature_detected!("sse4.1")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_sse41() -> bool {
    false
}
