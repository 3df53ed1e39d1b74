//! Stack variables: their memory may hold labels of earlier frames.
//!
//! A store by instrumented code clears what was there, so only these variables are cleared when their life begins: those that code
//! without instrumentation may write, because their address escapes, and those of which bytes that nobody wrote may be looked at,
//! because they are copied or indexed as a whole. (The memory of such bytes changes behind our back: the code generator keeps
//! temporaries there.)

use super::body::Body;
use crate::llvm::{Block, Opcode, Value};
use crate::mark::first_after_allocas;
use rustc_hash::FxHashSet;

impl Body<'_, '_> {
    /// Moves the static stack variables to the top of the entry block, so that the block may be split below
    /// them; returns those that must be cleared.
    pub fn gather_stack(&self) -> Vec<Value> {
        let mut escaping = Vec::new();
        for block in self.function.blocks() {
            for i in block.instructions() {
                if !i.is(Opcode::LLVMAlloca) {
                    continue;
                }
                if i.is_static_alloca()
                    && let Some(top) = first_after_allocas(self.function)
                {
                    i.move_before(top);
                }
                if escapes_or_is_whole(i) {
                    escaping.push(i);
                }
            }
        }
        escaping
    }

    /// Clears them where their life begins, except in blocks that are not instrumented.
    pub fn clear_stack(&self, variables: &[Value], plain: &FxHashSet<Block>) {
        let Some(top) = first_after_allocas(self.function) else { return };
        for &variable in variables.iter().filter(|v| !plain.contains(&v.block())) {
            let begins = |u: &Value| is_lifetime_start(*u) && !plain.contains(&u.block());
            let starts: Vec<Value> = variable.users().into_iter().filter(begins).collect();
            if !variable.is_static_alloca() {
                if let Some(next) = variable.next() {
                    self.clear_dynamic(variable, next);
                }
            } else if starts.is_empty() {
                self.clear_variable(variable, top);
            } else {
                starts.into_iter().for_each(|at| self.clear_variable(variable, at));
            }
        }
    }

    fn clear_variable(&self, variable: Value, at: Value) {
        let env = self.env;
        let Some(bytes) = env.module.object_size(variable).filter(|&n| n > 0) else { return };
        env.b.before(at);
        if bytes > 32 {
            env.rt("__sp_clear", &[variable, env.k64(bytes)]);
            return;
        }
        let dirty = env.b.is_not_zero(self.raw(variable, bytes));
        env.b.before(at.guard(dirty));
        env.rt("__sp_store", &[variable, env.k32(bytes), env.zero()]);
    }

    fn clear_dynamic(&self, variable: Value, at: Value) {
        let env = self.env;
        env.b.before(at);
        let count = env.b.zext(variable.operand(0), env.i64t);
        let bytes = env.b.mul(count, env.k64(env.module.alloc_size(variable.allocated_type())));
        env.rt("__sp_clear", &[variable, bytes]);
    }
}

fn is_lifetime_start(i: Value) -> bool {
    i.is_call() && i.intrinsic().is_some_and(|n| n.starts_with("llvm.lifetime.start"))
}

/// Whether code outside this function may come to know the address, or bytes may be read that no store wrote.
fn escapes_or_is_whole(variable: Value) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![variable];
    while let Some(pointer) = work.pop() {
        if !seen.insert(pointer) {
            continue;
        }
        for user in pointer.users() {
            match user.opcode() {
                Opcode::LLVMLoad => {}
                Opcode::LLVMStore if user.operand(0) != pointer => {}
                Opcode::LLVMGetElementPtr if !is_fixed(user) => return true,
                Opcode::LLVMGetElementPtr
                | Opcode::LLVMPHI
                | Opcode::LLVMSelect
                | Opcode::LLVMBitCast
                | Opcode::LLVMFreeze => {
                    work.push(user);
                }
                Opcode::LLVMICmp => {}
                Opcode::LLVMCall if is_copied_from(user, pointer) => return true,
                Opcode::LLVMCall if user.intrinsic().is_some_and(|n| !n.starts_with("llvm.va_")) => {}
                _ => return true,
            }
        }
    }
    false
}

/// Whether an address is at a distance from its base that is the same in every run.
fn is_fixed(address: Value) -> bool {
    address.operands()[1..].iter().all(|k| k.is_constant())
}

/// Whether a call copies what lies at `pointer`.
fn is_copied_from(call: Value, pointer: Value) -> bool {
    let copies = |name: String| name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
    call.intrinsic().is_some_and(copies) && call.operand(1) == pointer
}
