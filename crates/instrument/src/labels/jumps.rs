//! `setjmp` and `longjmp`.
//!
//! Labels in memory survive a jump as the bytes they belong to do. Labels in registers are values of the function like
//! any other, so they are as right after the jump as the values beside them. What is left is the value that `longjmp`
//! takes along: its label travels in the first result slot of the thread-local record, which `setjmp` finds empty when
//! it returns for the first time.

use super::body::{Body, Labels};
use super::cold::Fresh;
use super::group::Item;
use crate::llvm::{Predicate, Value};
use trace_abi::{Op, Reason, TLS_RET};

/// Functions that may return twice.
pub const SET: &[&str] = &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];
/// Functions that make them return again.
pub const LONG: &[&str] = &["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];

impl Body<'_, '_> {
    /// A call of a function of [`SET`].
    pub fn set_jump(&mut self, i: Value) {
        let env = self.env;
        for v in i.arguments() {
            if self.may.contains(&v) && !v.ty().is_pointer() {
                self.queue(Item::Lost(v, Reason::NonLocal, self.id));
            }
        }
        self.flush(i);
        env.b.before(i);
        env.store(env.zero(), env.tls(TLS_RET), 4);
        if i.is_used()
            && self.followed(i).is_some()
            && let Some(after) = i.next()
        {
            env.b.before(after);
            let label = env.load(env.i32t, env.tls(TLS_RET), 4);
            self.labels.insert(i, Labels::from_elem(label, 1));
        }
    }

    /// A call of a function of [`LONG`].
    pub fn long_jump(&mut self, i: Value) {
        let env = self.env;
        env.b.before(i);
        env.store(env.zero(), env.tls(TLS_RET), 4);
        if self.may.contains(&i.operand(1)) {
            self.queue(Item::LongJump(i));
        }
        self.flush(i);
    }

    /// `setjmp` returns the value given, or 1 where that is 0.
    pub fn take_along(&self, i: Value, fresh: &Fresh) {
        let (env, value) = (self.env, i.operand(1));
        let (given, known) = ((self.one(fresh, value), value), |n: u64| (env.zero(), value.ty().int(n)));
        let zero = env.b.icmp(Predicate::LLVMIntEQ, value, known(0).1);
        let is_zero = (self.bin_labels(Op::Eq, given, known(0)), zero);
        let label = self.tri_labels(Op::Ite, is_zero, known(1), given);
        env.store(label, env.tls(TLS_RET), 4);
    }
}
