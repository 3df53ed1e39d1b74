//! Integer intrinsics as plain instructions: three-way comparison, relative loads, fixed point. Zeros of zero are counted: with
//! permission to do anything there, code generators leave in the register what was in it.

use super::Define;
use crate::llvm::{Kind, Predicate::*, Type, Value};

impl Define<'_> {
    /// What stands for a call of an integer intrinsic.
    pub fn integer_intrinsic(&self, name: &str, i: Value) -> Option<Value> {
        let mut words = name.split('.');
        Some(match (words.next()?, words.next().unwrap_or_default()) {
            ("ucmp", _) => self.three_way(i, LLVMIntUGT, LLVMIntULT),
            ("scmp", _) => self.three_way(i, LLVMIntSGT, LLVMIntSLT),
            ("ctlz" | "cttz", _) => {
                i.set_operand(1, self.context.int(1).zero());
                return None;
            }
            ("load", "relative") => self.load_relative(i),
            ("smul", "fix") if !name.starts_with("smul.fix.sat") => self.multiply_fixed(i, true)?,
            ("umul", "fix") if !name.starts_with("umul.fix.sat") => self.multiply_fixed(i, false)?,
            _ => return None,
        })
    }

    fn three_way(&self, i: Value, above: crate::llvm::Predicate, below: crate::llvm::Predicate) -> Value {
        let b = &self.b;
        let (x, y) = (i.operand(0), i.operand(1));
        let above = b.zext(b.icmp(above, x, y), i.ty());
        let below = b.zext(b.icmp(below, x, y), i.ty());
        b.sub(above, below)
    }

    /// `base + (int)load(base + offset)`: tables of differences in position-independent code.
    fn load_relative(&self, i: Value) -> Value {
        let b = &self.b;
        let (base, offset) = (i.operand(0), i.operand(1));
        let entry = b.load(self.context.int(32), b.offset(self.context, base, offset), 4);
        b.offset(self.context, base, b.sext(entry, self.context.int(64)))
    }

    /// Fixed-point product: the full product, shifted.
    fn multiply_fixed(&self, i: Value, signed: bool) -> Option<Value> {
        let b = &self.b;
        let (x, y, scale) = (i.operand(0), i.operand(1), i.operand(2).as_u64()?);
        let double = self.context.int(2 * i.ty().lane().scalar_width()?);
        let wide: Type = match i.ty().kind() {
            Kind::Vector(_, n) => self.context.vector(double, n),
            _ => double,
        };
        let extend = |v: Value| if signed { b.sext(v, wide) } else { b.zext(v, wide) };
        let product = b.mul(extend(x), extend(y));
        Some(b.trunc(b.lshr(product, b.splat(double.int(scale), wide)), i.ty()))
    }
}
