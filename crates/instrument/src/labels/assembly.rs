//! Inline assembly that was not lifted (see `crate::asm`).
//!
//! An empty template is a barrier for the optimiser: what goes in comes out, labels too. Any other makes its operands
//! concrete, and the loss is recorded.

use super::body::{Body, Labels};
use super::group::Item;
use crate::asm::{self, Kind, Place};
use crate::llvm::{self, Opcode, Value};
use trace_abi::Reason;

/// Results of a barrier that are what goes into it: (index of the result, argument).
pub fn passed(call: Value) -> Vec<(usize, Value)> {
    let Some(constraints) = asm::constraints(call).filter(|_| asm::is_barrier(call)) else {
        return Vec::new();
    };
    let arguments = call.arguments();
    let (mut results, mut n_results, mut at, mut passed) = (Vec::new(), 0, 0, Vec::new());
    for c in &constraints {
        match (c.kind, c.indirect) {
            (Kind::Output, false) => {
                results.push(Some(n_results));
                n_results += 1;
            }
            (Kind::Output, true) => {
                results.push(None);
                at += 1;
            }
            (Kind::Input, _) => {
                if let Place::Tied(output) = c.place
                    && let (Some(Some(result)), Some(&argument)) = (results.get(output), arguments.get(at))
                {
                    passed.push((*result, argument));
                }
                at += 1;
            }
            _ => {}
        }
    }
    passed
}

impl Body<'_, '_> {
    /// A call of inline assembly.
    pub fn inline_assembly(&mut self, i: Value) {
        if i.is(Opcode::LLVMCall) && asm::is_barrier(i) {
            return self.barrier(i);
        }
        let env = self.env;
        for v in i.arguments() {
            if self.may.contains(&v) {
                self.queue(Item::Lost(v, Reason::InlineAsm, self.id));
            }
        }
        self.flush(i);
        if !i.is(Opcode::LLVMCall) {
            return;
        }
        let Some(next) = i.next() else { return };
        for (k, v) in i.arguments().into_iter().enumerate() {
            if let Some(ty) = i.call_type_attribute(k as u32 + 1, "elementtype") {
                env.b.before(next);
                env.rt("__sp_clear", &[v, env.k64(env.module.store_size(ty))]);
            }
        }
    }

    fn barrier(&mut self, i: Value) {
        self.flush(i);
        if self.followed(i).is_none() {
            return;
        }
        let fields = if i.ty().kind() == llvm::Kind::Struct { i.ty().fields() } else { vec![i.ty()] };
        let mut labels = Labels::new();
        let passed = passed(i);
        for (k, ty) in fields.iter().enumerate() {
            let from = passed.iter().find(|p| p.0 == k && p.1.ty() == *ty);
            labels.extend((0..super::shape::count(*ty)).map(|lane| match from {
                Some((_, argument)) => self.label(*argument, lane),
                None => self.env.zero(),
            }));
        }
        self.labels.insert(i, labels);
    }
}
