//! What a conditional compared: one store before its marker.
//!
//! A condition on something that was counted (bytes read, turns of a loop, a flag set by control flow) has no label: it holds no input.
//! How far its two sides are apart still tells a search whether another input comes closer, as the branch distances of search-based
//! testing do (Korel, "Automated Software Test Data Generation", TSE 1990) and libFuzzer's value profile. Only the difference is
//! kept, of the last time; and only by code with labels, so that what runs before the first input costs nothing.

use super::body::Body;
use crate::llvm::{Opcode, Predicate, Value};
use crate::mark;
use trace_abi::COMPARED_ZERO;

impl Body<'_, '_> {
    /// Before a marker of a conditional: stores what it compares, where that is two integers. A flag (a Boolean, a variable that
    /// optimisation has made one because it has two values) is 1 away from being true, or 0.
    pub fn record_comparison(&self, marker: Value, name: &str) {
        let b = &self.env.b;
        let (value, cond) = match name {
            mark::TWO | mark::DECIDED => {
                let condition = marker.operand(0);
                let comparison = comparison(condition);
                if comparison.is_none() && !is_flag(condition) {
                    return;
                }
                b.before(marker);
                b.locate(marker);
                let flag = || b.sub(self.env.k64(1), b.zext(b.freeze(condition), self.env.i64t));
                (comparison.map_or_else(flag, |comparison| self.apart(comparison)), marker.operand(2))
            }
            mark::SWITCH => {
                b.before(marker);
                b.locate(marker);
                (marker.operand(0), marker.operand(1))
            }
            _ => return,
        };
        let Some(cond) = cond.as_u64() else { return };
        let at = self.env.at(self.env.tables.coverage, self.env.tables.compared_at + 8 * cond);
        self.env.store(b.xor(b.freeze(value), self.env.k64(COMPARED_ZERO)), at, 8);
    }

    /// Left side minus right side, as 64 bits. Narrow sides without a sign are taken for characters.
    fn apart(&self, comparison: Value) -> Value {
        use Predicate::*;
        let (b, wide) = (&self.env.b, self.env.i64t);
        let (left, right) = (comparison.operand(0), comparison.operand(1));
        let width = left.ty().scalar_width().unwrap_or(64);
        let unsigned = match comparison.int_predicate() {
            LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE => true,
            LLVMIntEQ | LLVMIntNE => width < 32,
            _ => false,
        };
        let widen = |v: Value| match width {
            64 => v,
            _ if unsigned => b.zext(v, wide),
            _ => b.sext(v, wide),
        };
        b.sub(widen(left), widen(right))
    }
}

/// Whether a condition is the value of a variable, and no comparison.
fn is_flag(condition: Value) -> bool {
    use Opcode::*;
    if !condition.is_instruction() {
        return !condition.is_constant();
    }
    match condition.opcode() {
        LLVMFreeze => is_flag(condition.operand(0)),
        LLVMXor => condition.operand(1).is_constant() && is_flag(condition.operand(0)),
        LLVMTrunc | LLVMLoad | LLVMPHI => true,
        _ => false,
    }
}

/// The comparison of integers of at most 64 bits that a condition is, or the negation of.
fn comparison(condition: Value) -> Option<Value> {
    if !condition.is_instruction() {
        return None;
    }
    match condition.opcode() {
        Opcode::LLVMFreeze => comparison(condition.operand(0)),
        Opcode::LLVMXor if condition.operand(1).is_constant() => comparison(condition.operand(0)),
        Opcode::LLVMICmp => {
            let ty = condition.operand(0).ty();
            let fits = ty.is_int() && ty.scalar_width().is_some_and(|w| (2..=64).contains(&w));
            fits.then_some(condition)
        }
        _ => None,
    }
}
