//! Inline assembly: common instructions are lifted to LLVM's own, and then followed like anything else.
//!
//! A template of straight-line code on general registers and memory (`mov`, arithmetic with carries, shifts and
//! rotates, bit scans, `bswap`, `xchg`, `lock xadd`, `lock cmpxchg`, conditions into registers …) is parsed
//! ([`template`]), executed on a small register machine whose values are LLVM values ([`machine`], one function per
//! instruction in [`instructions`]), and replaced by what that made, in every flavour: conditions, results and memory
//! are the same, bit by bit. (The idea of lifting inline assembly to the compiler's language: Recoules, Bardin and
//! others, "Get rid of inline assembly through verification-oriented lifting", ASE 2019. Here without their
//! verification: what is not understood to the last word stays as it is.)
//!
//! What stays assembly: empty templates (barriers: values pass through them, see `labels`), `cpuid` and other
//! instructions whose result no input decides, and all that is not known here: its operands are made concrete and the
//! loss recorded. Nothing that is made here branches or selects: those would count as conditionals of the program.

mod constraint;
mod instructions;
mod machine;
mod template;

pub use constraint::{Constraint, Kind, Place};

use crate::llvm::{Module, Opcode, Value};
use crate::prepare::is_instrumented;

/// The constraints of a call of inline assembly, in order; `None` where they are not understood.
pub fn constraints(call: Value) -> Option<Vec<Constraint>> {
    constraint::parse(&call.callee().asm_constraints())
}

/// Whether a call's template holds no instruction: a barrier for the optimiser.
pub fn is_barrier(call: Value) -> bool {
    template::parse(&call.callee().asm_template(), false).is_some_and(|lines| lines.is_empty())
}

/// Whether a call's template is this instruction and nothing else.
pub fn is_only(call: Value, mnemonic: &str) -> bool {
    template::parse(&call.callee().asm_template(), false).is_some_and(
        |lines| matches!(&lines[..], [line] if line.mnemonic == mnemonic && line.args.is_empty()),
    )
}

/// Lifts what can be lifted in all functions of the module.
pub fn lift(module: &Module) {
    for function in module.functions().into_iter().filter(|&f| is_instrumented(f)) {
        for block in function.blocks() {
            for i in block.instructions() {
                if i.is(Opcode::LLVMCall) && i.is_inline_asm() {
                    lift_call(module, i);
                }
            }
        }
    }
}

fn lift_call(module: &Module, call: Value) -> Option<()> {
    let assembly = call.callee();
    let lines = template::parse(&assembly.asm_template(), assembly.asm_is_intel())?;
    if lines.is_empty() {
        return None;
    }
    let before = call.previous();
    let result = machine::Machine::new(module, call, constraints(call)?).and_then(|m| m.run(&lines));
    match result {
        Some(value) => {
            if let Some(value) = value {
                call.replace_all_uses(value);
            }
            call.erase();
            Some(())
        }
        None => {
            // An instruction that is not known leaves nothing behind.
            while let Some(last) = call.previous().filter(|&p| Some(p) != before) {
                last.erase();
            }
            None
        }
    }
}
