//! Variable arguments: where the x86-64 psABI puts them, and how their labels get there.
//!
//! A variadic function finds its variable arguments in memory: in the register save area of its own frame and in
//! the overflow area of its caller's. The caller knows at compile time where each argument will lie, and leaves
//! (place, label) pairs in the thread-local record; on entry the callee starts a list of its own, clears the shadow of
//! both areas (it may hold labels of earlier frames) and puts the labels there. From then on `va_arg`, `va_copy`
//! and lists passed on are ordinary memory accesses.
//! (System V ABI, AMD64 supplement, sections 3.2.3 and 3.5.7.)

use super::body::Body;
use super::cold::Fresh;
use super::shape;
use crate::llvm::{Kind, Opcode, Type, Value};
use crate::mark::first_after_allocas;
use trace_abi::{TLS_VA, TLS_VA_COUNT, TLS_VARIADIC, VA_SLOTS, VA_STACK};

/// General and vector registers for arguments.
const GENERAL: u64 = 6;
const VECTOR: u64 = 8;
/// Bytes of the general registers in the register save area; vector registers of 16 bytes follow.
const GENERAL_BYTES: u64 = 48;
/// Bytes of an entry of `trace_abi::Tls::va`.
const ENTRY: u64 = size_of::<trace_abi::VariableArgument>() as u64;

/// A variable argument: the value and where the callee finds it.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The value, or the address of a structure that is copied.
    pub value: Value,
    place: u64,
    /// Bytes of a structure that the call itself copies to that place.
    copied: Option<u64>,
}

/// Where the next argument goes.
#[derive(Default)]
struct Layout {
    general: u64,
    vector: u64,
    stack: u64,
}

impl Layout {
    /// Place of an argument: offset in the register save area, or `VA_STACK` + offset on the stack.
    fn place(&mut self, ty: Type, bytes: u64, copied: Option<u64>) -> u64 {
        let words = bytes.div_ceil(8);
        match ty.kind() {
            _ if copied.is_some() => {}
            Kind::Float(16 | 32 | 64) | Kind::OtherFloat(_) if self.vector < VECTOR => {
                return self.next_vector();
            }
            Kind::Vector(..) if bytes <= 16 && self.vector < VECTOR => return self.next_vector(),
            Kind::Int(_) | Kind::Pointer if self.general + words <= GENERAL => {
                self.general += words;
                return 8 * (self.general - words);
            }
            _ => {}
        }
        let alignment = copied.unwrap_or(if bytes > 8 { bytes.next_power_of_two().clamp(16, 64) } else { 8 });
        let at = self.stack.next_multiple_of(alignment.max(8));
        self.stack = at + 8 * words;
        u64::from(VA_STACK) + at
    }

    fn next_vector(&mut self) -> u64 {
        self.vector += 1;
        GENERAL_BYTES + 16 * (self.vector - 1)
    }
}

impl Body<'_, '_> {
    /// The variable arguments of a call with their places; writes what the callee needs for every such call, labels
    /// or not: the bytes on the stack, and the structures that the call copies.
    pub fn variable_arguments_of(&self, call: Value) -> Vec<Variable> {
        let env = self.env;
        if !call.called_type().is_variadic() {
            return Vec::new();
        }
        let fixed = call.called_type().params().len();
        let (mut layout, mut start, mut all) = (Layout::default(), 0, Vec::new());
        for (n, value) in call.arguments().into_iter().enumerate() {
            if n == fixed {
                start = layout.stack;
            }
            let copied = call.call_type_attribute(n as u32 + 1, "byval");
            let bytes = env.module.alloc_size(copied.unwrap_or(value.ty()));
            let alignment = copied.map(|_| call.call_number_attribute(n as u32 + 1, "align").unwrap_or(8));
            let place = layout.place(value.ty(), bytes, alignment);
            if n >= fixed {
                // The overflow area begins where the fixed arguments on the stack end.
                let place = if place & u64::from(VA_STACK) != 0 { place - start } else { place };
                all.push(Variable { value, place, copied: copied.map(|_| bytes) });
            }
        }
        if all.is_empty() {
            start = layout.stack;
        }
        env.store(env.k64(layout.stack - start), env.tls(TLS_VARIADIC), 8);
        self.pass_copied(&all);
        all
    }

    /// Entries for the structures that the call copies; they come first.
    fn pass_copied(&self, variable: &[Variable]) {
        let env = self.env;
        let copied: Vec<(Value, u64, u64)> =
            variable.iter().filter_map(|v| Some((v.value, v.place, v.copied?))).take(VA_SLOTS).collect();
        for (k, &(pointer, place, bytes)) in copied.iter().enumerate() {
            self.entry(k, place, bytes, env.zero());
            env.store(pointer, env.tls(TLS_VA + ENTRY * k as u64 + 16), 8);
        }
        env.store(env.k64(copied.len() as u64), env.tls(TLS_VA_COUNT), 8);
    }

    fn entry(&self, k: usize, place: u64, bytes: u64, label: Value) {
        let env = self.env;
        let at = TLS_VA + ENTRY * k as u64;
        env.store(env.k64(place | bytes << 32), env.tls(at), 8);
        env.store(label, env.tls(at + 8), 4);
    }

    /// The cold side of a call: labels of its variable arguments, behind the entries of copied structures.
    pub fn pass_variable_arguments(&self, call: Value, variable: &[Variable], fresh: &Fresh) {
        let env = self.env;
        if !call.called_type().is_variadic() {
            return;
        }
        let mut n = variable.iter().filter(|v| v.copied.is_some()).count().min(VA_SLOTS);
        for v in variable.iter().filter(|v| v.copied.is_none()) {
            let Some(shape) = env.shape(v.value.ty()) else { continue };
            let labels = (0..shape::count(v.value.ty())).map(|k| self.get(fresh, v.value, k));
            for (slot, label) in shape.slots.iter().zip(labels).filter(|(_, label)| !label.is_constant()) {
                if n == VA_SLOTS || shape.packed {
                    self.lose(fresh, v.value, trace_abi::Reason::Varargs, self.id);
                    continue;
                }
                self.entry(n, v.place + slot.offset, slot.bytes.into(), label);
                env.store(env.ptr.zero(), env.tls(TLS_VA + ENTRY * n as u64 + 16), 8);
                n += 1;
            }
        }
        env.store(env.k64(n as u64), env.tls(TLS_VA_COUNT), 8);
    }

    /// At the entry of a function that uses its variable arguments: gives them their labels.
    pub fn enter_variadic(&self) {
        let env = self.env;
        let starts = |i: &Value| i.intrinsic().is_some_and(|n| n.starts_with("llvm.va_start"));
        if !self.function.blocks().iter().any(|b| b.instructions().iter().any(starts)) {
            return;
        }
        let list = self.scratch_before_body(env.context.array(env.i64t, 3));
        let Some(top) = first_after_allocas(self.function) else { return };
        env.b.before(top);
        env.b.locate_function(self.function);
        for (name, arguments) in [("llvm.va_start", [list]), ("llvm.va_end", [list])] {
            let (ty, start) = env.module.intrinsic(name, &[env.ptr]);
            env.b.call(ty, start, &arguments);
            if name == "llvm.va_start" {
                env.rt("__sp_va_enter", &[list, self.function]);
            }
        }
    }

    fn scratch_before_body(&self, ty: Type) -> Value {
        let env = self.env;
        if let Some(first) = self.function.blocks().first().and_then(|b| b.first()) {
            env.b.before(first);
            env.b.locate_function(self.function);
        }
        let slot = env.b.alloca(ty);
        debug_assert!(slot.is(Opcode::LLVMAlloca));
        slot.set_alignment(16);
        slot
    }
}
