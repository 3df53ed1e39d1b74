//! Divisions of vectors in which not every lane counts.
//!
//! Clang leaves lanes of a divisor undefined where nothing uses the quotient, and code is then made for the other lanes only.
//! Symbolic instrumentation looks at all lanes: the undefined ones must not divide by what happens to be in a register.

use super::Define;
use crate::llvm::{Kind, Opcode, Value};

/// How far back undefined lanes are looked for.
const DEPTH: usize = 6;

impl Define<'_> {
    /// Replaces undefined lanes of a vector divisor by 1.
    pub fn divide_lanes(&self, i: Value) {
        use Opcode::{LLVMSDiv, LLVMSRem, LLVMUDiv, LLVMURem};
        if !i.is_instruction() || !matches!(i.opcode(), LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) {
            return;
        }
        let Kind::Vector(lane, n) = i.ty().kind() else { return };
        let divisor = i.operand(1);
        let undefined = undefined_lanes(divisor, n, DEPTH);
        self.b.before(i);
        let index = self.context.int(32);
        let mut defined = divisor;
        for k in (0..n).filter(|&k| undefined[k as usize]) {
            defined = self.b.insert_element(defined, lane.int(1), index.int(u64::from(k)));
        }
        if defined != divisor {
            i.set_operand(1, defined);
        }
    }
}

/// Which of the `n` lanes of a vector are surely undefined.
fn undefined_lanes(v: Value, n: u32, depth: usize) -> Vec<bool> {
    let none = vec![false; n as usize];
    if v.is_undef() {
        return vec![true; n as usize];
    }
    if v.is_constant() {
        return (0..n).map(|k| v.element(k).is_some_and(Value::is_undef)).collect();
    }
    if !v.is_instruction() || depth == 0 {
        return none;
    }
    match v.opcode() {
        Opcode::LLVMShuffleVector => {
            let Kind::Vector(_, from) = v.operand(0).ty().kind() else { return none };
            let sides = [0, 1].map(|k| undefined_lanes(v.operand(k), from, depth - 1));
            let lane = |k: u32| sides[usize::from(k >= from)][(k % from) as usize];
            v.shuffle_mask().into_iter().map(|k| k.is_none_or(lane)).collect()
        }
        Opcode::LLVMInsertElement => {
            let mut lanes = undefined_lanes(v.operand(0), n, depth - 1);
            match v.operand(2).as_u64() {
                Some(k) if k < u64::from(n) => lanes[k as usize] = v.operand(1).is_undef(),
                _ => return none,
            }
            lanes
        }
        Opcode::LLVMAdd
        | Opcode::LLVMSub
        | Opcode::LLVMMul
        | Opcode::LLVMAnd
        | Opcode::LLVMOr
        | Opcode::LLVMXor
        | Opcode::LLVMShl
        | Opcode::LLVMLShr
        | Opcode::LLVMAShr => {
            let sides = [0, 1].map(|k| undefined_lanes(v.operand(k), n, depth - 1));
            sides[0].iter().zip(&sides[1]).map(|(a, b)| a | b).collect()
        }
        _ => none,
    }
}
