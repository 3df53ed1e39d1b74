//! Branch distances: the same arithmetic in the same order as `solve_search`'s `atom` and `distance`.

use crate::emit::Emitter;
use crate::floating::is_native;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use expr::Op;
use expr::semantics::mask;
use solve_search::{Formula, NodeId, ONE, SCALE, UNIT, is_comparison};

impl Emitter<'_, '_> {
    /// Distance of the whole constraint.
    pub(crate) fn formulas(&mut self) -> Value {
        let part = self.part;
        let mut distances: Vec<Value> = Vec::with_capacity(part.formulas.all().len());
        for formula in part.formulas.all() {
            let distance = match *formula {
                Formula::All(a, b) => self.b.ins().fadd(distances[a], distances[b]),
                Formula::Any(a, b) => {
                    let (a, b) = (distances[a], distances[b]);
                    let is_less = self.b.ins().fcmp(FloatCC::LessThan, b, a);
                    self.b.ins().select(is_less, b, a)
                }
                Formula::Atom(node, want) => self.atom(node, want),
            };
            distances.push(distance);
        }
        distances[distances.len() - 1]
    }

    fn fixed(&mut self, value: f64) -> Value {
        self.b.ins().f64const(value)
    }

    fn atom(&mut self, node: NodeId, want: bool) -> Value {
        let n = &self.part.nodes[node];
        if !is_comparison(n.op) {
            let (zero, one, value) = (self.fixed(0.0), self.fixed(1.0), self.value(node));
            return if want {
                self.b.ins().select(value, zero, one)
            } else {
                self.b.ins().select(value, one, zero)
            };
        }
        let width = self.width(n.arg(0));
        match n.op {
            _ if width > 64 => self.distance_by_call(node, want),
            Op::FEq | Op::FLt | Op::FLe | Op::FUno if is_native(width) => self.of_floats(node, want),
            Op::FEq | Op::FLt | Op::FLe | Op::FUno => self.distance_by_call(node, want),
            _ => self.of_integers(node, want),
        }
    }

    fn of_integers(&mut self, node: NodeId, want: bool) -> Value {
        let n = &self.part.nodes[node];
        let width = self.width(n.arg(0));
        let (x, y) = (self.value(n.arg(0)), self.value(n.arg(1)));
        match n.op {
            Op::Eq | Op::Ne if want == (n.op == Op::Eq) => {
                let (up, down) = (self.b.ins().isub(x, y), self.b.ins().isub(y, x));
                let (up, down) = (self.cut(up, width), self.cut(down, width));
                let is_less = self.b.ins().icmp(IntCC::UnsignedLessThan, up, down);
                let apart = self.b.ins().select(is_less, up, down);
                self.scaled(apart)
            }
            Op::Eq | Op::Ne => self.differs(x, y),
            Op::Ult | Op::Ule => self.ordered(false, (x, y), n.op == Op::Ult, want),
            _ => {
                let signed = (self.signed(x, width), self.signed(y, width));
                self.ordered(true, signed, n.op == Op::Slt, want)
            }
        }
    }

    /// A number of steps on the scale.
    fn scaled(&mut self, steps: Value) -> Value {
        let double = self.b.ins().fcvt_from_uint(F64, steps);
        let bits = self.b.ins().bitcast(I64, MemFlagsData::new(), double);
        let one = self.k(ONE);
        let logarithm = self.b.ins().isub(bits, one);
        let logarithm = self.b.ins().fcvt_from_sint(F64, logarithm);
        let (unit, first, scale) = (self.fixed(UNIT), self.fixed(1.0), self.fixed(SCALE));
        let logarithm = self.b.ins().fmul(logarithm, unit);
        let sum = self.b.ins().fadd(first, logarithm);
        let scaled = self.b.ins().fmul(sum, scale);
        let zero = self.fixed(0.0);
        self.b.ins().select(steps, scaled, zero)
    }

    fn differs(&mut self, x: Value, y: Value) -> Value {
        let (zero, least) = (self.fixed(0.0), self.fixed(SCALE));
        let is_equal = self.b.ins().icmp(IntCC::Equal, x, y);
        self.b.ins().select(is_equal, least, zero)
    }

    fn ordered(&mut self, is_signed: bool, (x, y): (Value, Value), strict: bool, want: bool) -> Value {
        let (x, y, strict) = if want { (x, y, strict) } else { (y, x, !strict) };
        let code = match (is_signed, strict) {
            (false, true) => IntCC::UnsignedLessThan,
            (false, false) => IntCC::UnsignedLessThanOrEqual,
            (true, true) => IntCC::SignedLessThan,
            (true, false) => IntCC::SignedLessThanOrEqual,
        };
        let holds = self.b.ins().icmp(code, x, y);
        let mut steps = self.b.ins().isub(x, y);
        if strict {
            // One more, unless there is no more: as a double, 2^64 either way.
            let (one, most) = (self.k(1), self.k(u64::MAX));
            let more = self.b.ins().iadd(steps, one);
            steps = self.b.ins().select(more, more, most);
        }
        let (far, zero) = (self.scaled(steps), self.fixed(0.0));
        self.b.ins().select(holds, zero, far)
    }

    /// Position of a float on the line of all floats, and its magnitude.
    fn ordinal(&mut self, node: NodeId) -> (Value, Value) {
        let (bits, width) = (self.value(node), self.width(node));
        let magnitude = self.cut(bits, width - 1);
        let magnitude = if width == 64 {
            let m = self.k(mask(63));
            self.b.ins().band(bits, m)
        } else {
            magnitude
        };
        let (negated, signed, zero) = (self.b.ins().ineg(magnitude), self.signed(bits, width), self.k(0));
        let negative = self.b.ins().icmp(IntCC::SignedLessThan, signed, zero);
        (self.b.ins().select(negative, negated, magnitude), magnitude)
    }

    fn of_floats(&mut self, node: NodeId, want: bool) -> Value {
        let n = &self.part.nodes[node];
        let (first, second) = (n.arg(0), n.arg(1));
        let (a, b) = (self.as_float(first), self.as_float(second));
        let unordered = self.b.ins().fcmp(FloatCC::Unordered, a, b);
        let ((x, x_size), (y, y_size)) = (self.ordinal(first), self.ordinal(second));
        let (zero, far) = (self.fixed(0.0), self.fixed(1.0));
        let usual = match (n.op, want) {
            (Op::FUno, false) => zero,
            (Op::FUno, true) => {
                let infinity: u64 = if self.width(first) == 64 { 0x7ff << 52 } else { 0xff << 23 };
                let beyond = self.k(infinity + 1);
                let (x, y) = (self.b.ins().isub(beyond, x_size), self.b.ins().isub(beyond, y_size));
                let is_less = self.b.ins().icmp(IntCC::UnsignedLessThan, x, y);
                let least = self.b.ins().select(is_less, x, y);
                self.scaled(least)
            }
            (Op::FEq, true) => {
                let (up, down) = (self.b.ins().isub(x, y), self.b.ins().isub(y, x));
                let is_more = self.b.ins().icmp(IntCC::SignedGreaterThan, x, y);
                let apart = self.b.ins().select(is_more, up, down);
                self.scaled(apart)
            }
            (Op::FEq, false) => self.differs(x, y),
            _ => self.ordered(true, (x, y), n.op == Op::FLt, want),
        };
        // What is not a number is as a comparison's negation wants it, and far from all else.
        let is_as_wanted = want == (n.op == Op::FUno);
        let not_a_number = if is_as_wanted { zero } else { far };
        self.b.ins().select(unordered, not_a_number, usual)
    }
}
