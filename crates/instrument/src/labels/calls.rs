//! Calls: labels of arguments and results travel in the thread-local record (see `trace_abi::Tls`).
//!
//! The common case, all labels zero, costs nothing but a test: an instrumented callee marks the record as
//! taken, so between calls it is empty, and only a cold block fills it. The record is emptied explicitly
//! before calls that may reach something else (library models, indirect calls).

use super::body::{Body, Labels};
use super::cold::Fresh;
use super::group::Item;
use super::shape;
use super::varargs::Variable;
use crate::llvm::{Kind, Linkage, Opcode, Predicate, Value};
use crate::mark::first_after_allocas;
use trace_abi::{
    ARG_SLOTS, BYVAL_SLOTS, MODEL_PREFIX, RET_SLOTS, Reason, TLS_ARGS, TLS_BYVAL, TLS_CALLEE, TLS_RET,
};

/// What a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// An instrumented function of the program, and no other.
    Own,
    /// A library model, or an instrumented function that the linker may replace.
    Follows,
    /// Decided at run time.
    Indirect,
    /// A function without bitcode or model.
    External,
    /// The same, of no interest: it neither takes program data nor writes any.
    Quiet,
    /// `setjmp`: comes back with what a `longjmp` was given.
    SetJump,
    /// `longjmp`.
    LongJump,
}

/// Functions without bitcode that are of no interest: run-time support of the language and ends of the run.
const QUIET: &[&str] = &[
    "__cxa_",
    "_Unwind_",
    "__ubsan_",
    "__sanitizer_",
    "__stack_chk",
    "__assert",
    "__sp_",
    "__gxx_",
    "__clang_call_terminate",
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "_ZSt9terminatev",
    // Locales, the parts of streams that are no templates, sizes of hash tables, exceptions' ends.
    "_ZNSt6localeC",
    "_ZNSt6localeD",
    "_ZNSt6localea",
    "_ZNSt6locale7classicEv",
    "_ZNKSt6locale",
    "_ZSt9use_facet",
    "_ZSt9has_facet",
    "_ZSt18_Rb_tree",
    "_ZNSt8ios_base",
    "_ZNKSt8__detail20_Prime_rehash_policy",
    "_ZNSt9exceptionD",
    "_ZNSt11logic_errorD",
    "_ZNSt13runtime_errorD",
    "_ZSt17__throw",
    "_ZSt16__throw",
    "_ZSt18__throw",
    "_ZSt19__throw",
    "_ZSt20__throw",
    "_ZSt21__throw",
    "_ZSt22__throw",
    "_ZSt23__throw",
    "_ZSt24__throw",
    "_ZSt25__throw",
    "_ZSt26__throw",
    "_ZSt27__throw",
    "_ZSt28__throw",
    "_ZdlPv",
    "_ZdaPv",
];

/// Pointers told to the runtime before an external call.
const MAX_POINTERS: usize = 16;

impl Body<'_, '_> {
    fn target(&self, i: Value) -> Target {
        let callee = i.callee();
        if !callee.is_function() {
            return Target::Indirect;
        }
        if self.env.instrumented.contains(&callee) {
            return if is_replaceable(callee) { Target::Follows } else { Target::Own };
        }
        let name = callee.name();
        if name.starts_with(MODEL_PREFIX) || trace_abi::PROVIDED.contains(&name.as_str()) {
            Target::Follows
        } else if super::jumps::SET.contains(&name.as_str()) {
            Target::SetJump
        } else if super::jumps::LONG.contains(&name.as_str()) {
            Target::LongJump
        } else if is_quiet(&name) {
            Target::Quiet
        } else {
            Target::External
        }
    }

    /// A call of anything but an intrinsic.
    pub fn call(&mut self, i: Value) {
        if i.is_inline_asm() {
            return self.inline_assembly(i);
        }
        match self.target(i) {
            Target::Quiet => self.flush(i),
            Target::SetJump => self.set_jump(i),
            Target::LongJump => self.long_jump(i),
            Target::External => self.external_call(i),
            target => self.followed_call(i, target),
        }
    }

    fn followed_call(&mut self, i: Value, target: Target) {
        let env = self.env;
        let (mut slots, mut at) = (Vec::new(), 0);
        for v in i.arguments() {
            for k in 0..shape::count(v.ty()) {
                slots.push((at, v, k));
                at += 1;
            }
        }
        slots.retain(|s| s.0 < ARG_SLOTS as u64);
        env.b.before(i);
        let variable = self.variable_arguments_of(i);
        let by_value = self.pass_by_value(i, at);
        if target != Target::Own && !by_value {
            env.store(env.ptr.zero(), env.tls(TLS_CALLEE), 8);
        }
        let may = |v: Value| self.may.contains(&v);
        if slots.iter().any(|s| may(s.1)) || variable.iter().any(|v| may(v.value)) {
            self.queue(Item::Arguments(i, slots, variable));
        }
        let wanted = self.may.contains(&i) && i.is_used();
        let n = shape::count(i.ty()).min(RET_SLOTS);
        if target != Target::Own && (wanted || i.is_must_tail()) && i.ty().kind() != Kind::Void {
            for k in 0..n {
                env.store(env.zero(), env.tls(TLS_RET + 4 * k as u64), 4);
            }
        }
        self.flush(i);
        if wanted && !i.is_must_tail() {
            self.result_labels(i, n);
        }
    }

    fn result_labels(&mut self, i: Value, n: usize) {
        let env = self.env;
        let Some(after) = after(i).filter(|_| self.followed(i).is_some()) else { return };
        env.b.before(after);
        let labels: Labels = (0..n).map(|k| env.load(env.i32t, env.tls(TLS_RET + 4 * k as u64), 4)).collect();
        self.labels.insert(i, labels);
    }

    /// Arguments copied by the call itself (`byval`): the callee is told where the original lies. All labels
    /// start as zero then, and the record is always addressed to the callee.
    fn pass_by_value(&self, i: Value, n_slots: u64) -> bool {
        let env = self.env;
        let copied: Vec<Value> = i
            .arguments()
            .into_iter()
            .enumerate()
            .filter(|(k, _)| i.call_type_attribute(*k as u32 + 1, "byval").is_some())
            .map(|(_, v)| v)
            .collect();
        if copied.is_empty() {
            return false;
        }
        for k in 0..n_slots.min(ARG_SLOTS as u64) {
            env.store(env.zero(), env.tls(TLS_ARGS + 4 * k), 4);
        }
        for (k, v) in copied.into_iter().take(BYVAL_SLOTS).enumerate() {
            env.store(v, env.tls(TLS_BYVAL + 8 * k as u64), 8);
        }
        env.store(i.callee(), env.tls(TLS_CALLEE), 8);
        true
    }

    /// The cold side of a call: labels of all arguments.
    pub fn pass_arguments(
        &self,
        call: Value,
        slots: &[(u64, Value, usize)],
        variable: &[Variable],
        fresh: &Fresh,
    ) {
        let env = self.env;
        self.pass_variable_arguments(call, variable, fresh);
        for &(at, v, k) in slots {
            env.store(self.get(fresh, v, k), env.tls(TLS_ARGS + 4 * at), 4);
        }
        env.store(call.callee(), env.tls(TLS_CALLEE), 8);
    }

    /// At a function's entry: the labels the caller left, if they are for this function.
    pub fn entry_labels(&mut self) {
        let env = self.env;
        // What was there first: the labels are taken behind the start of a list, which needs to know the callee.
        let top = first_after_allocas(self.function);
        self.enter_variadic();
        let parameters = self.function.parameters();
        let (mut wanted, mut copies, mut at) = (Vec::new(), Vec::new(), 0u64);
        for (n, &p) in parameters.iter().enumerate() {
            if let Some(ty) = self.function.type_attribute(n as u32 + 1, "byval") {
                copies.push((p, env.module.alloc_size(ty)));
            }
            let n = shape::count(p.ty()) as u64;
            if p.is_used() && self.followed(p).is_some() {
                wanted.push((p, at, n));
            }
            at += n;
        }
        let Some(top) = top.filter(|_| !wanted.is_empty() || !copies.is_empty()) else { return };
        env.b.before(top);
        env.b.locate_function(self.function);
        for &(p, bytes) in &copies {
            env.rt("__sp_clear", &[p, env.k64(bytes)]);
        }
        let callee = env.load(env.ptr, env.tls(TLS_CALLEE), 8);
        let head = env.b.block();
        let filled = env.b.icmp(Predicate::LLVMIntNE, callee, env.ptr.zero());
        let end = top.guard(filled);
        env.b.before(end);
        env.b.locate_function(self.function);
        let mine = env.b.icmp(Predicate::LLVMIntEQ, callee, self.function);
        let slot = |k: u64| {
            if k >= ARG_SLOTS as u64 {
                return env.zero();
            }
            let label = env.load(env.i32t, env.tls(TLS_ARGS + 4 * k), 4);
            env.b.select(mine, label, env.zero())
        };
        let cold: Vec<Labels> = wanted.iter().map(|&(_, at, n)| (at..at + n).map(slot).collect()).collect();
        for (k, &(p, bytes)) in copies.iter().take(BYVAL_SLOTS).enumerate() {
            let original = env.load(env.ptr, env.tls(TLS_BYVAL + 8 * k as u64), 8);
            let original = env.b.select(mine, original, p);
            env.rt("__sp_memcpy", &[p, original, env.k64(bytes), env.zero(), env.k32(self.id.into())]);
        }
        env.store(env.ptr.zero(), env.tls(TLS_CALLEE), 8);
        let cold_block = env.b.block();
        env.b.before(top);
        for ((p, ..), labels) in wanted.into_iter().zip(cold) {
            let joined = labels.into_iter().map(|label| {
                let phi = env.b.phi_before(env.i32t, top);
                phi.add_incoming(env.zero(), head);
                phi.add_incoming(label, cold_block);
                phi
            });
            let joined: Labels = joined.collect();
            self.labels.insert(p, joined);
        }
    }

    /// A return: labels of the result.
    pub fn ret(&mut self, i: Value) {
        if i.previous().is_some_and(Value::is_must_tail) {
            return;
        }
        self.flush(i);
        if i.n_operands() == 0 {
            return;
        }
        let env = self.env;
        let value = i.operand(0);
        env.b.before(i);
        for k in 0..shape::count(value.ty()).min(RET_SLOTS) {
            env.store(self.label(value, k), env.tls(TLS_RET + 4 * k as u64), 4);
        }
    }

    /// A function without bitcode or model: labels end here, and the runtime looks whether it wrote behind
    /// the pointers it was given.
    fn external_call(&mut self, i: Value) {
        let env = self.env;
        let id = i.number(env.call_metadata).unwrap_or(u32::MAX);
        for v in i.arguments() {
            if self.may.contains(&v) && !v.ty().is_pointer() {
                self.queue(Item::Lost(v, Reason::ExternalCall, id));
            }
        }
        self.flush(i);
        let pointers = self.written_pointers(i);
        let Some(after) = after(i).filter(|_| !pointers.is_empty() && !i.is_must_tail()) else { return };
        let array = self.scratch(env.context.array(env.ptr, pointers.len() as u64));
        env.b.before(i);
        for (k, &p) in pointers.iter().enumerate() {
            env.store(p, env.at(array, 8 * k as u64), 8);
        }
        let id = env.k32(id.into());
        env.rt("__sp_external_before", &[id, env.k32(pointers.len() as u64), array]);
        env.b.before(after);
        env.rt("__sp_external_after", &[id]);
    }

    /// Pointer arguments behind which the callee may write.
    fn written_pointers(&self, i: Value) -> Vec<Value> {
        let may_write = |(k, v): &(usize, Value)| {
            v.ty().is_pointer()
                && !(v.is_null() || v.is_function() || v.is_constant_global() || v.is_undef())
                && !i.argument_is_readonly(*k as u32)
        };
        i.arguments().into_iter().enumerate().filter(may_write).map(|(_, v)| v).take(MAX_POINTERS).collect()
    }
}

/// Whether a function without bitcode or model is of no interest.
pub fn is_quiet(name: &str) -> bool {
    QUIET.iter().any(|q| name.starts_with(q))
}

/// Whether the linker may put another definition in the place of this one.
pub fn is_replaceable(function: Value) -> bool {
    matches!(function.linkage(), Linkage::LLVMWeakAnyLinkage | Linkage::LLVMLinkOnceAnyLinkage)
}

/// Where code after a call goes; `None` if there is no such place.
fn after(i: Value) -> Option<Value> {
    if i.is(Opcode::LLVMInvoke) { i.normal_destination().first_insertion() } else { i.next() }
}
