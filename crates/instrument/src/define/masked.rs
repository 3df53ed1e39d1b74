//! Masked memory accesses, lane by lane under a branch, as the code generator does without AVX.

use super::Define;
use crate::llvm::{Kind, Predicate::*, Type, Value};

impl Define<'_> {
    /// Replaces a masked access; `false` if `i` is none.
    pub fn masked(&self, name: &str, i: Value) -> bool {
        let o = |k: u32| i.operand(k);
        match name.split('.').take(2).collect::<Vec<_>>()[..] {
            ["masked", "load"] => self.read(i, o(2), o(3), |k, element| self.lane_address(o(0), k, element)),
            ["masked", "gather"] => self.read(i, o(2), o(3), |k, _| self.lane(o(0), k)),
            ["masked", "store"] => {
                self.write(i, o(0), o(3), |k, element| self.lane_address(o(1), k, element))
            }
            ["masked", "scatter"] => self.write(i, o(0), o(3), |k, _| self.lane(o(1), k)),
            ["x86", "avx" | "avx2"] if name.contains(".maskload.") => {
                let mask = self.signs(o(1));
                self.read(i, mask, i.ty().zero(), |k, element| self.lane_address(o(0), k, element))
            }
            ["x86", "avx" | "avx2"] if name.contains(".maskstore.") => {
                let mask = self.signs(o(1));
                self.write(i, o(2), mask, |k, element| self.lane_address(o(0), k, element))
            }
            _ => return false,
        }
        true
    }

    /// Whether each lane of a vector of integers is negative.
    pub fn signs(&self, v: Value) -> Value {
        self.b.icmp(LLVMIntSLT, v, v.ty().zero())
    }

    /// Lane `k` of a vector.
    pub fn lane(&self, v: Value, k: u32) -> Value {
        self.b.extract_element(v, self.context.int(64).int(k.into()))
    }

    fn lane_address(&self, base: Value, k: u32, element: Type) -> Value {
        let bytes = u64::from(k) * self.module.alloc_size(element);
        self.b.offset(self.context, base, self.context.int(64).int(bytes))
    }

    fn read(&self, i: Value, mask: Value, other: Value, address: impl Fn(u32, Type) -> Value) {
        let Kind::Vector(element, n) = i.ty().kind() else { return };
        let mut result = other;
        for k in 0..n {
            let on = self.lane(mask, k);
            let at = address(k, element);
            let head = self.b.block();
            let end = i.guard(on);
            self.b.before(end);
            let read = self.b.load(element, at, 1);
            let taken = self.b.block();
            self.b.before(i);
            let loaded = self.b.phi_before(element, i);
            loaded.add_incoming(element.zero(), head);
            loaded.add_incoming(read, taken);
            let index = self.context.int(64).int(k.into());
            let kept = self.lane(other, k);
            result = self.b.insert_element(result, self.b.select(on, loaded, kept), index);
        }
        i.replace_all_uses(result);
        i.erase();
    }

    fn write(&self, i: Value, value: Value, mask: Value, address: impl Fn(u32, Type) -> Value) {
        let Kind::Vector(element, n) = value.ty().kind() else { return };
        for k in 0..n {
            let (on, v, at) = (self.lane(mask, k), self.lane(value, k), address(k, element));
            let end = i.guard(on);
            self.b.before(end);
            self.b.store(v, at, 1);
            self.b.before(i);
        }
        i.erase();
    }
}
