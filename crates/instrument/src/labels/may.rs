//! Which values may ever carry a label: an optimistic forward closure.
//!
//! It starts from what can bring labels in (parameters, loads from memory that can change, results of calls)
//! and follows them through the rules. Induction variables, constants and addresses of locals never get in,
//! so they cost nothing.

use super::env::Env;
use super::rules::{Rule, inputs, rule};
use crate::llvm::{Opcode, Value};
use rustc_hash::FxHashSet;

/// The values of `function` that may carry labels.
pub fn may(env: &Env<'_>, function: Value) -> FxHashSet<Value> {
    let mut found = FxHashSet::default();
    let mut work: Vec<Value> = function.parameters();
    for block in function.blocks() {
        work.extend(block.instructions().into_iter().filter(|&i| is_source(i)));
    }
    while let Some(value) = work.pop() {
        if env.shape(value.ty()).is_none() || !found.insert(value) {
            continue;
        }
        work.extend(value.users().into_iter().filter(|&user| passes_on(user, value)));
    }
    found
}

/// Whether an instruction brings labels in by itself.
fn is_source(i: Value) -> bool {
    match i.opcode() {
        Opcode::LLVMLoad => !reads_constant(i),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            i.intrinsic().is_none() && !i.is_inline_asm() && rule(i).is_none()
        }
        _ => false,
    }
}

/// A load of memory that never changes and never holds labels, or of a variable of ours.
pub fn reads_constant(load: Value) -> bool {
    let object = load.operand(0).underlying_object();
    object.is_constant_global() || is_ours(object)
}

/// The variable that hands calling contexts over: it never holds labels.
pub fn is_ours(object: Value) -> bool {
    object.is_global_variable() && object.name() == crate::goals::VARIABLE
}

/// Whether labels of `value` reach the result of `user`.
fn passes_on(user: Value, value: Value) -> bool {
    if !user.is_instruction() {
        return false;
    }
    match user.opcode() {
        Opcode::LLVMPHI => true,
        Opcode::LLVMCall if user.is_inline_asm() => {
            super::assembly::passed(user).iter().any(|p| p.1 == value)
        }
        Opcode::LLVMLoad => true,
        _ => match rule(user) {
            None | Some(Rule::Lost(_)) => false,
            Some(r) => inputs(user, r).contains(&value),
        },
    }
}
