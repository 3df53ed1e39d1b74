//! Vector instructions of x86-64 that plain instructions express exactly; the code generator finds them again.

use super::Define;
use crate::llvm::{FloatPredicate, FloatPredicate::*, Kind, Predicate::*, Type, Value};

impl Define<'_> {
    /// What stands for a call of an intrinsic, by its name after `llvm.x86.`.
    pub fn x86_intrinsic(&self, name: &str, i: Value) -> Option<Value> {
        let o = |k: u32| i.operand(k);
        let (set, word) = name.split_once('.')?;
        let word = word.strip_suffix(".256").unwrap_or(word);
        Some(match (set, word) {
            ("sse" | "sse2" | "avx", "movmsk.ps" | "movmsk.pd")
            | ("sse2", "pmovmskb.128")
            | ("avx2", "pmovmskb") => self.move_mask(o(0), i.ty()),
            ("sse" | "sse2" | "avx", "min.ps" | "min.pd") => self.choose(LLVMRealOLT, o(0), o(1)),
            ("sse" | "sse2" | "avx", "max.ps" | "max.pd") => self.choose(LLVMRealOGT, o(0), o(1)),
            ("sse" | "sse2", "min.ss" | "min.sd") => {
                self.lowest(o(0), |k| self.choose(LLVMRealOLT, k(o(0)), k(o(1))))
            }
            ("sse" | "sse2", "max.ss" | "max.sd") => {
                self.lowest(o(0), |k| self.choose(LLVMRealOGT, k(o(0)), k(o(1))))
            }
            ("sse" | "sse2" | "avx", "cmp.ps" | "cmp.pd") => self.compare(o(0), o(1), o(2).as_u64()?, i.ty()),
            ("sse" | "sse2", "cmp.ss" | "cmp.sd") => {
                let predicate = o(2).as_u64()?;
                self.lowest(o(0), |k| self.compare(k(o(0)), k(o(1)), predicate, i.ty().lane()))
            }
            ("sse3" | "avx", "hadd.ps" | "hadd.pd" | "hsub.ps" | "hsub.pd") => {
                self.neighbours(o(0), o(1), word.starts_with("hadd"))
            }
            ("sse2", "cvtpd2ps") => self.narrow(o(0), i.ty()),
            ("sse41" | "avx", "round.ps" | "round.pd") => self.round(o(0), o(1).as_u64()?)?,
            ("sse41", "round.ss" | "round.sd") => {
                let rounded = self.round(self.lane(o(1), 0), o(2).as_u64()?)?;
                self.b.insert_element(o(0), rounded, self.context.int(64).int(0))
            }
            ("sse41", "pblendvb" | "blendvps" | "blendvpd")
            | ("avx2", "pblendvb")
            | ("avx", "blendv.ps" | "blendv.pd") => {
                let bits = self.b.bitcast(o(2), self.bits_type(o(2).ty()));
                self.b.select(self.signs(bits), o(1), o(0))
            }
            ("sse" | "sse2", "cvtss2si" | "cvtss2si64" | "cvtsd2si" | "cvtsd2si64") => {
                let nearest = self.intrinsic("llvm.rint", &[self.lane(o(0), 0)]);
                self.b.freeze(self.b.fptosi(nearest, i.ty()))
            }
            ("sse" | "sse2", "cvttss2si" | "cvttss2si64" | "cvttsd2si" | "cvttsd2si64") => {
                self.b.freeze(self.b.fptosi(self.lane(o(0), 0), i.ty()))
            }
            ("sse2", "cvttps2dq") => self.b.freeze(self.b.fptosi(o(0), i.ty())),
            ("sse2", "cvtps2dq") => {
                self.b.freeze(self.b.fptosi(self.intrinsic("llvm.rint", &[o(0)]), i.ty()))
            }
            ("sse" | "sse2", _) if word.contains("comi") => {
                self.b.zext(self.compare_lowest(word, o(0), o(1))?, i.ty())
            }
            ("", _) => return None,
            _ if matches!(name, "addcarry.32" | "addcarry.64") => self.add_with_carry(i),
            _ if matches!(name, "subborrow.32" | "subborrow.64") => self.subtract_with_borrow(i),
            _ => return None,
        })
    }

    /// The signs of all lanes as the low bits of an integer.
    fn move_mask(&self, v: Value, to: Type) -> Value {
        let bits = self.b.bitcast(v, self.bits_type(v.ty()));
        let Kind::Vector(_, n) = v.ty().kind() else { return to.zero() };
        self.b.zext(self.b.bitcast(self.signs(bits), self.context.int(n)), to)
    }

    /// `minps` and `maxps`: the second operand unless the comparison holds.
    fn choose(&self, predicate: FloatPredicate, x: Value, y: Value) -> Value {
        self.b.select(self.b.fcmp(predicate, x, y), x, y)
    }

    /// Sums or differences of neighbouring lanes: in every 128 bits first those of `x`, then those of `y`.
    fn neighbours(&self, x: Value, y: Value, add: bool) -> Value {
        let b = &self.b;
        let Kind::Vector(element, n) = x.ty().kind() else { return x };
        let block = 128 / element.scalar_width().unwrap_or(64);
        (0..n).fold(x.ty().poison(), |all, k| {
            let (start, within) = (k / block * block, k % block);
            let (from, first) = if within < block / 2 { (x, 2 * within) } else { (y, 2 * within - block) };
            let (l, r) = (self.lane(from, start + first), self.lane(from, start + first + 1));
            let combined = if add { b.fadd(l, r) } else { b.fsub(l, r) };
            b.insert_element(all, combined, self.context.int(64).int(k.into()))
        })
    }

    /// Doubles to floats, zeros above.
    fn narrow(&self, v: Value, to: Type) -> Value {
        (0..2).fold(to.zero(), |all, k| {
            let lane = self.b.fcast(self.lane(v, k), to.lane());
            self.b.insert_element(all, lane, self.context.int(64).int(k.into()))
        })
    }

    /// A vector with its lowest lane computed from the lowest lanes of others.
    fn lowest(&self, v: Value, f: impl Fn(&dyn Fn(Value) -> Value) -> Value) -> Value {
        let lowest = f(&|v| self.lane(v, 0));
        self.b.insert_element(v, lowest, self.context.int(64).int(0))
    }

    /// All bits set where a comparison holds; predicates as the instruction numbers them.
    fn compare(&self, x: Value, y: Value, predicate: u64, ty: Type) -> Value {
        let predicate = match predicate & 15 {
            0 => LLVMRealOEQ,
            1 => LLVMRealOLT,
            2 => LLVMRealOLE,
            3 => LLVMRealUNO,
            4 => LLVMRealUNE,
            5 => LLVMRealUGE,
            6 => LLVMRealUGT,
            7 => LLVMRealORD,
            8 => LLVMRealUEQ,
            9 => LLVMRealULT,
            10 => LLVMRealULE,
            11 => LLVMRealPredicateFalse,
            12 => LLVMRealONE,
            13 => LLVMRealOGE,
            14 => LLVMRealOGT,
            _ => LLVMRealPredicateTrue,
        };
        let bits = self.bits_type(ty);
        self.b.bitcast(self.b.sext(self.b.fcmp(predicate, x, y), bits), ty)
    }

    /// Rounding to an integer; directions as the instruction numbers them.
    fn round(&self, x: Value, direction: u64) -> Option<Value> {
        let name = match direction & 7 {
            0 => "llvm.roundeven",
            1 => "llvm.floor",
            2 => "llvm.ceil",
            3 => "llvm.trunc",
            _ => "llvm.nearbyint",
        };
        Some(self.intrinsic(name, &[x]))
    }

    /// `comiss` and its kin: `comieq.ss`, `ucomilt.sd`, ….
    fn compare_lowest(&self, word: &str, x: Value, y: Value) -> Option<Value> {
        let kind = word.split('.').next()?;
        let predicate = match kind.get(kind.len().checked_sub(2)?..)? {
            "eq" => LLVMRealOEQ,
            "lt" => LLVMRealOLT,
            "le" => LLVMRealOLE,
            "gt" => LLVMRealOGT,
            "ge" => LLVMRealOGE,
            _ if kind.ends_with("neq") => LLVMRealUNE,
            _ => return None,
        };
        let predicate = if kind.ends_with("neq") { LLVMRealUNE } else { predicate };
        Some(self.b.fcmp(predicate, self.lane(x, 0), self.lane(y, 0)))
    }

    /// `adc`: a carry in, a carry and the sum out.
    fn add_with_carry(&self, i: Value) -> Value {
        let (b, c, x, y) = (&self.b, i.operand(0), i.operand(1), i.operand(2));
        let part = b.add(x, y);
        let sum = b.add(part, b.zext(b.is_not_zero(c), x.ty()));
        let carry = b.or(b.icmp(LLVMIntULT, part, x), b.icmp(LLVMIntULT, sum, part));
        self.pair(i, carry, sum)
    }

    /// `sbb`: a borrow in, a borrow and the difference out.
    fn subtract_with_borrow(&self, i: Value) -> Value {
        let (b, c, x, y) = (&self.b, i.operand(0), i.operand(1), i.operand(2));
        let part = b.sub(x, y);
        let one = b.zext(b.is_not_zero(c), x.ty());
        let difference = b.sub(part, one);
        let borrow = b.or(b.icmp(LLVMIntULT, x, y), b.icmp(LLVMIntULT, part, one));
        self.pair(i, borrow, difference)
    }

    fn pair(&self, i: Value, flag: Value, value: Value) -> Value {
        let flag = self.b.zext(flag, self.context.int(8));
        self.b.insert_value(self.b.insert_value(i.ty().poison(), flag, 0), value, 1)
    }
}
