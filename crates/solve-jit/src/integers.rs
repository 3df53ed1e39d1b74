//! Integer operations on at most 64 bits, as in `expr::semantics`.

use crate::emit::Emitter;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use expr::Op;
use expr::semantics::mask;
use solve_search::Node;

impl Emitter<'_, '_> {
    /// Value of an integer operation.
    pub(crate) fn integer(&mut self, n: &Node) -> Value {
        let operand = |e: &Self, k: usize| n.args().get(k).map(|&a| e.value(a as usize));
        let x = operand(self, 0).expect("all but leaves have an operand");
        let (y, z) = (operand(self, 1).unwrap_or(x), operand(self, 2).unwrap_or(x));
        let (w, ow) = (n.width, self.width(n.arg(0)));
        match n.op {
            Op::Add | Op::Sub | Op::Mul => {
                let v = match n.op {
                    Op::Add => self.b.ins().iadd(x, y),
                    Op::Sub => self.b.ins().isub(x, y),
                    _ => self.b.ins().imul(x, y),
                };
                self.cut(v, w)
            }
            Op::UDiv | Op::URem => self.unsigned_division(n.op, x, y, w),
            Op::SDiv | Op::SRem => self.signed_division(n.op, x, y, w),
            Op::Shl | Op::LShr | Op::AShr => self.shift(n.op, x, y, w),
            Op::And => self.b.ins().band(x, y),
            Op::Or => self.b.ins().bor(x, y),
            Op::Xor => self.b.ins().bxor(x, y),
            Op::UMin => self.choose(IntCC::UnsignedLessThan, (x, y), (x, y)),
            Op::UMax => self.choose(IntCC::UnsignedGreaterThan, (x, y), (x, y)),
            Op::SMin | Op::SMax => {
                let code = if n.op == Op::SMin { IntCC::SignedLessThan } else { IntCC::SignedGreaterThan };
                let compared = (self.signed(x, w), self.signed(y, w));
                self.choose(code, compared, (x, y))
            }
            Op::UAddSat | Op::USubSat | Op::SAddSat | Op::SSubSat => self.saturating(n.op, x, y, w),
            Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle => self.compared(n.op, x, y, ow),
            Op::UAddO | Op::USubO | Op::UMulO | Op::SAddO | Op::SSubO | Op::SMulO => {
                self.overflow(n.op, x, y, ow)
            }
            Op::Trunc => self.cut(x, w),
            Op::ZExt => x,
            Op::SExt => {
                let v = self.signed(x, ow);
                self.cut(v, w)
            }
            Op::Extract => {
                let by = self.k(n.imm);
                let v = self.b.ins().ushr(x, by);
                self.cut(v, w)
            }
            Op::Concat => {
                let by = self.k((w - ow).into());
                let high = self.b.ins().ishl(x, by);
                self.b.ins().bor(high, y)
            }
            Op::Ite => self.b.ins().select(x, y, z),
            Op::Fshl | Op::Fshr => self.funnel(n.op, (x, y, z), w),
            _ => self.bits(n, x),
        }
    }

    /// One of two values, by a comparison.
    fn choose(&mut self, code: IntCC, (a, b): (Value, Value), (x, y): (Value, Value)) -> Value {
        let truth = self.b.ins().icmp(code, a, b);
        self.b.ins().select(truth, x, y)
    }

    fn compared(&mut self, op: Op, x: Value, y: Value, width: u16) -> Value {
        let (code, is_signed) = match op {
            Op::Eq => (IntCC::Equal, false),
            Op::Ne => (IntCC::NotEqual, false),
            Op::Ult => (IntCC::UnsignedLessThan, false),
            Op::Ule => (IntCC::UnsignedLessThanOrEqual, false),
            Op::Slt => (IntCC::SignedLessThan, true),
            _ => (IntCC::SignedLessThanOrEqual, true),
        };
        let (x, y) = if is_signed { (self.signed(x, width), self.signed(y, width)) } else { (x, y) };
        let truth = self.b.ins().icmp(code, x, y);
        self.flag(truth)
    }

    fn unsigned_division(&mut self, op: Op, x: Value, y: Value, w: u16) -> Value {
        let one = self.k(1);
        let is_zero = self.b.ins().icmp_imm_u(IntCC::Equal, y, 0);
        let divisor = self.b.ins().select(is_zero, one, y);
        if op == Op::UDiv {
            let (quotient, all) = (self.b.ins().udiv(x, divisor), self.k(mask(w)));
            self.b.ins().select(is_zero, all, quotient)
        } else {
            let remainder = self.b.ins().urem(x, divisor);
            self.b.ins().select(is_zero, x, remainder)
        }
    }

    fn signed_division(&mut self, op: Op, x: Value, y: Value, w: u16) -> Value {
        let (a, b) = (self.signed(x, w), self.signed(y, w));
        let (zero, one, minus) = (self.k(0), self.k(1), self.k(u64::MAX));
        let by_zero = self.b.ins().icmp(IntCC::Equal, b, zero);
        let by_minus = self.b.ins().icmp(IntCC::Equal, b, minus);
        // Neither is left to the machine: the one traps, the other does for the most negative number.
        let special = self.b.ins().bor(by_zero, by_minus);
        let divisor = self.b.ins().select(special, one, b);
        let value = if op == Op::SDiv {
            let (quotient, negated) = (self.b.ins().sdiv(a, divisor), self.b.ins().ineg(a));
            let of_zero = self.choose(IntCC::SignedLessThan, (a, zero), (one, minus));
            let value = self.b.ins().select(by_minus, negated, quotient);
            self.b.ins().select(by_zero, of_zero, value)
        } else {
            let remainder = self.b.ins().srem(a, divisor);
            let value = self.b.ins().select(by_minus, zero, remainder);
            self.b.ins().select(by_zero, a, value)
        };
        self.cut(value, w)
    }

    fn shift(&mut self, op: Op, x: Value, count: Value, w: u16) -> Value {
        let width = self.k(w.into());
        if op == Op::AShr {
            let last = self.k(u64::from(w) - 1);
            let count = self.choose(IntCC::UnsignedLessThan, (count, width), (count, last));
            let signed = self.signed(x, w);
            let v = self.b.ins().sshr(signed, count);
            return self.cut(v, w);
        }
        let v = if op == Op::Shl { self.b.ins().ishl(x, count) } else { self.b.ins().ushr(x, count) };
        let (v, zero) = (self.cut(v, w), self.k(0));
        self.choose(IntCC::UnsignedLessThan, (count, width), (v, zero))
    }

    fn saturating(&mut self, op: Op, x: Value, y: Value, w: u16) -> Value {
        let is_add = matches!(op, Op::UAddSat | Op::SAddSat);
        let test = match op {
            Op::UAddSat => Op::UAddO,
            Op::USubSat => Op::USubO,
            Op::SAddSat => Op::SAddO,
            _ => Op::SSubO,
        };
        let overflows = self.overflow(test, x, y, w);
        let exact = if is_add { self.b.ins().iadd(x, y) } else { self.b.ins().isub(x, y) };
        let exact = self.cut(exact, w);
        let limit = match op {
            Op::UAddSat => self.k(mask(w)),
            Op::USubSat => self.k(0),
            _ => {
                // Towards the sign of the first operand.
                let (a, zero) = (self.signed(x, w), self.k(0));
                let (low, high) = (self.k(1 << (w - 1)), self.k(mask(w) >> 1));
                self.choose(IntCC::SignedLessThan, (a, zero), (low, high))
            }
        };
        self.b.ins().select(overflows, limit, exact)
    }

    fn overflow(&mut self, op: Op, x: Value, y: Value, w: u16) -> Value {
        let most = self.k(mask(w));
        let truth = match op {
            Op::UAddO => {
                let sum = self.b.ins().iadd(x, y);
                let code = IntCC::UnsignedLessThan;
                if w < 64 { self.b.ins().icmp(code, most, sum) } else { self.b.ins().icmp(code, sum, x) }
            }
            Op::USubO => self.b.ins().icmp(IntCC::UnsignedLessThan, x, y),
            Op::UMulO => {
                let (low, high) = (self.b.ins().imul(x, y), self.b.ins().umulhi(x, y));
                let above = self.b.ins().icmp(IntCC::UnsignedGreaterThan, low, most);
                let zero = self.k(0);
                let beyond = self.b.ins().icmp(IntCC::NotEqual, high, zero);
                self.b.ins().bor(above, beyond)
            }
            _ => return self.signed_overflow(op, x, y, w),
        };
        self.flag(truth)
    }

    fn signed_overflow(&mut self, op: Op, x: Value, y: Value, w: u16) -> Value {
        let (a, b) = (self.signed(x, w), self.signed(y, w));
        let low = match op {
            Op::SAddO => self.b.ins().iadd(a, b),
            Op::SSubO => self.b.ins().isub(a, b),
            _ => self.b.ins().imul(a, b),
        };
        let truth = if op == Op::SMulO {
            // The high half has to be the sign of the low one, and that of the width the whole.
            let (high, last, cut) = (self.b.ins().smulhi(a, b), self.k(63), self.signed(low, w));
            let sign = self.b.ins().sshr(low, last);
            let beyond = self.b.ins().icmp(IntCC::NotEqual, high, sign);
            let within = self.b.ins().icmp(IntCC::NotEqual, low, cut);
            self.b.ins().bor(beyond, within)
        } else if w < 64 {
            let cut = self.signed(low, w);
            self.b.ins().icmp(IntCC::NotEqual, low, cut)
        } else {
            // The sign changed against both operands (of a difference: the second one's negated).
            let from_first = self.b.ins().bxor(a, low);
            let second = if op == Op::SAddO { self.b.ins().bxor(b, low) } else { self.b.ins().bxor(a, b) };
            let (both, zero) = (self.b.ins().band(from_first, second), self.k(0));
            self.b.ins().icmp(IntCC::SignedLessThan, both, zero)
        };
        self.flag(truth)
    }

    fn funnel(&mut self, op: Op, (x, y, count): (Value, Value, Value), w: u16) -> Value {
        let width = self.k(w.into());
        let s = self.b.ins().urem(count, width);
        let other = self.b.ins().isub(width, s);
        let (left, right) = if op == Op::Fshl { (s, other) } else { (other, s) };
        let (high, low) = (self.b.ins().ishl(x, left), self.b.ins().ushr(y, right));
        let both = self.b.ins().bor(high, low);
        let both = self.cut(both, w);
        let (zero, unmoved) = (self.k(0), if op == Op::Fshl { x } else { y });
        self.choose(IntCC::Equal, (s, zero), (unmoved, both))
    }

    /// Operations on the bits of one value.
    fn bits(&mut self, n: &Node, x: Value) -> Value {
        let w = n.width;
        let unused = self.k(u64::from(64 - w));
        let v = match n.op {
            Op::Ctpop => self.b.ins().popcnt(x),
            Op::Ctlz => {
                let zeros = self.b.ins().clz(x);
                self.b.ins().isub(zeros, unused)
            }
            Op::Cttz => {
                let (zeros, width) = (self.b.ins().ctz(x), self.k(w.into()));
                self.choose(IntCC::UnsignedLessThan, (zeros, width), (zeros, width))
            }
            Op::Bswap => {
                let v = self.b.ins().bswap(x);
                self.b.ins().ushr(v, unused)
            }
            Op::Bitreverse => {
                let v = self.b.ins().bitrev(x);
                self.b.ins().ushr(v, unused)
            }
            Op::Abs => {
                let (a, zero) = (self.signed(x, w), self.k(0));
                let negated = self.b.ins().ineg(a);
                self.choose(IntCC::SignedLessThan, (a, zero), (negated, a))
            }
            _ => return self.by_call(n),
        };
        self.cut(v, w)
    }
}
