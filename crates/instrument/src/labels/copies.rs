//! Intrinsics that touch memory: copies, fills, variable arguments, lifetimes.

use super::body::Body;
use super::group::Item;
use crate::llvm::Value;
use trace_abi::Reason;

/// Copies and fills of at most this many (constant) bytes are tested inline; larger ones by the runtime.
const INLINE: u64 = 64;

impl Body<'_, '_> {
    /// Handles an intrinsic with a memory effect; `false` if it has none.
    pub fn memory_intrinsic(&mut self, i: Value) -> bool {
        let Some(name) = i.intrinsic() else { return false };
        let rest = name.trim_start_matches("llvm.");
        if rest.starts_with("memcpy") || rest.starts_with("memmove") {
            self.copy(i);
        } else if rest.starts_with("memset") {
            self.fill_memory(i);
        } else if rest.starts_with("va_start") {
            self.variable_arguments(i);
        } else if rest.starts_with("va_copy") {
            self.flush(i);
            self.env.b.before(i);
            self.env.rt("__sp_clear", &[i.operand(0), self.env.k64(24)]);
        } else {
            return false;
        }
        true
    }

    fn pins(&mut self, i: Value) {
        for (k, reason) in [(0, Reason::StoreAddress), (1, Reason::LoadAddress)] {
            let v = i.operand(k);
            if v.ty().is_pointer() && self.may.contains(&v) {
                self.queue(Item::Pin(v, reason, self.id));
            }
        }
    }

    fn copy(&mut self, i: Value) {
        self.pins(i);
        let (dst, src, size) = (i.operand(0), i.operand(1), i.operand(2));
        let env = self.env;
        if let Some(n) = size.as_u64().filter(|&n| n <= INLINE) {
            if n > 0 {
                env.b.before(i);
                for p in [dst, src] {
                    let raw = self.raw(p, n);
                    self.test(raw);
                }
                self.queue(Item::Copy(i, n));
            }
            return self.flush(i);
        }
        self.flush(i);
        env.b.before(i);
        let bytes = env.b.zext(size, env.i64t);
        env.rt("__sp_memcpy", &[dst, src, bytes, self.label(size, 0), env.k32(self.id.into())]);
    }

    fn fill_memory(&mut self, i: Value) {
        self.pins(i);
        let (dst, byte, size) = (i.operand(0), i.operand(1), i.operand(2));
        let env = self.env;
        if let Some(n) = size.as_u64().filter(|&n| n <= INLINE) {
            if n > 0 {
                env.b.before(i);
                let raw = self.raw(dst, n);
                self.test(raw);
                self.queue(Item::Fill(i, n));
            }
            return self.flush(i);
        }
        self.flush(i);
        env.b.before(i);
        let bytes = env.b.zext(size, env.i64t);
        let site = env.k32(self.id.into());
        env.rt("__sp_memset", &[dst, self.label(byte, 0), bytes, self.label(size, 0), site]);
    }

    /// The list itself is concrete; what it leads to got its labels when the function was entered (`varargs`).
    fn variable_arguments(&mut self, i: Value) {
        self.flush(i);
        let Some(next) = i.next() else { return };
        self.env.b.before(next);
        self.env.rt("__sp_clear", &[i.operand(0), self.env.k64(24)]);
    }
}
