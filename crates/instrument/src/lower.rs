//! Turning markers into coverage stores and, in flavour `path`, into path-log entries.
//!
//! The stores write the value 1 and are monotonic atomics: loop optimisation leaves them where they are, and
//! they cost what a plain store costs. Flavour `fast` counts instead: how often something happened is what tells inputs of random
//! runs apart. Its counters are one instruction each, as libFuzzer's, and wrap: a place visited 256 times in a run looks like one
//! that was not. Never to be 0 again took three instructions more, in loops of a few; a third of a parser's time went there. Nothing
//! is believed wrongly for it, and inputs that show anything else are run with a trace, whose stores do not count.

use crate::Flavour;
use crate::emit::Tables;
use crate::llvm::{Builder, Module, Predicate, Type, Value};
use crate::mark;
use trace_abi::path_log;

/// Lowers and removes every marker. `n_branches` is the index of the first function in the coverage array.
pub fn lower(module: &Module, tables: &Tables, n_branches: u32, flavour: Flavour) {
    let context = module.context();
    let (i32t, builder) = (context.int(32), Builder::new(context));
    let log_type = context.void().function(&[i32t], false);
    let log = (flavour == Flavour::Path).then(|| (log_type, module.declare("__sp_path", log_type)));
    let lower = Lower {
        module,
        builder,
        coverage: tables.coverage,
        last_callee: tables.last_callee,
        n_branches,
        i32t,
        log,
        counts: flavour == Flavour::Fast,
    };
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if let Some(name) = marker_name(instruction) {
                    lower.marker(instruction, &name);
                    instruction.erase();
                }
            }
        }
    }
    for function in module.functions() {
        if mark::is_marker(&function.name()) && !function.is_used() {
            module.delete_function(function);
        }
    }
}

/// Name of the marker an instruction calls, or `None`.
pub fn marker_name(instruction: Value) -> Option<String> {
    if !instruction.is(crate::llvm::Opcode::LLVMCall) {
        return None;
    }
    let callee = instruction.callee();
    let name = if callee.is_function() { callee.name() } else { return None };
    mark::is_marker(&name).then_some(name)
}

struct Lower<'m> {
    module: &'m Module,
    builder: Builder,
    coverage: Value,
    last_callee: Value,
    n_branches: u32,
    i32t: Type,
    log: Option<(Type, Value)>,
    /// Coverage bytes count.
    counts: bool,
}

impl Lower<'_> {
    fn marker(&self, at: Value, name: &str) {
        let b = &self.builder;
        b.before(at);
        match name {
            mark::TWO => {
                let taken = b.zext(b.freeze(at.operand(0)), self.i32t);
                let branch = b.add(at.operand(1), taken);
                self.cover(branch);
                self.log(branch, path_log::BRANCH);
            }
            mark::EDGE if at.operand(0).is_null() => {}
            mark::EDGE if at.operand(0).is_constant() => {
                self.cover(at.operand(1));
                self.log(at.operand(1), path_log::BRANCH);
            }
            mark::EDGE => self.edge_if(at),
            mark::GOAL => self.cover(at.operand(0)),
            mark::ENTER => {
                let id = at.operand(0);
                self.cover(b.add(id, self.i32t.int(self.n_branches.into())));
                self.log(id, path_log::ENTER);
            }
            mark::INDIRECT => self.callee(at),
            mark::CHECK if at.operand(0).is_null() => {}
            mark::CHECK => self.check(at),
            mark::EXIT => self.log(at.operand(0), path_log::EXIT),
            _ => {}
        }
    }

    /// A check: tells the runtime when it fails.
    fn check(&self, at: Value) {
        let (fails, check) = (self.builder.freeze(at.operand(0)), at.operand(1));
        self.builder.before(at.guard(fails));
        let ty = self.module.context().void().function(&[self.i32t], false);
        self.builder.call(ty, self.module.declare("__sp_failed", ty), &[check]);
    }

    /// An indirect call: tells the runtime about a callee that was not the last one seen here.
    fn callee(&self, at: Value) {
        let (b, context) = (&self.builder, self.module.context());
        let (callee, call) = (at.operand(0), at.operand(1));
        let index = b.mul(b.zext(call, context.int(64)), context.int(64).int(8));
        let last = b.load(context.pointer(), b.offset(context, self.last_callee, index), 8);
        let fresh = b.icmp(Predicate::LLVMIntNE, last, callee);
        b.before(at.guard(fresh));
        let ty = context.void().function(&[context.pointer(), self.i32t], false);
        b.call(ty, self.module.declare("__sp_icall", ty), &[callee, call]);
    }

    /// An edge of a computed goto: only if the phi says so.
    fn edge_if(&self, at: Value) {
        let b = &self.builder;
        let reached = b.icmp(Predicate::LLVMIntNE, at.operand(0), at.operand(0).ty().zero());
        let branch = at.operand(1);
        b.before(at.guard(reached));
        self.cover(branch);
        self.log(branch, path_log::BRANCH);
    }

    fn cover(&self, index: Value) {
        let context = self.module.context();
        let index = self.builder.zext(index, context.int(64));
        let byte = self.builder.offset(context, self.coverage, index);
        self.builder.store_monotonic(self.next_count(byte), byte, 1);
    }

    /// What to store into a coverage byte.
    fn next_count(&self, byte: Value) -> Value {
        let (b, i8t) = (&self.builder, self.module.context().int(8));
        if !self.counts {
            return i8t.int(1);
        }
        b.add(b.load_monotonic(i8t, byte, 1), i8t.int(1))
    }

    fn log(&self, id: Value, tag: u32) {
        if let Some((ty, function)) = self.log {
            let entry = self.builder.or(id, self.i32t.int(tag.into()));
            self.builder.call(ty, function, &[entry]);
        }
    }
}
