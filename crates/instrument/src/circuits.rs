//! Conditions joined by `&&` and `||`: each operand a branch of its own, wherever the whole stands.
//!
//! In an `if` clang makes a jump of each operand. In a `for` or `while` it first joins them to one value (a phi of constants and
//! the last operand) and jumps by that, so the last operand decides nothing that could be covered or flipped by itself:
//! `n != 1 && steps < 40` is false the same way whichever of the two is. Here such joins are undone: each way into the block that
//! joins goes on to where its value leads ("jump threading", for the one form of block that clang makes). Joins that are values in
//! the source (`return a && b;`) stay; [`joined`] tells their last operands, which are numbered as choices without control flow.

use crate::llvm::{Block, Builder, Module, Opcode, Value};

/// Undoes all joins that only a jump uses.
pub fn undo_joins(module: &Module) {
    let builder = Builder::new(module.context());
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        // A join may be an operand of another.
        let mut changed = true;
        while changed {
            changed = false;
            for block in function.blocks() {
                changed |= undo(&builder, block);
            }
        }
    }
}

/// A block that holds nothing but a join and a jump by it.
struct Join {
    block: Block,
    phi: Value,
    jump: Value,
    then: Block,
    other: Block,
}

fn join_of(block: Block) -> Option<Join> {
    let phi = block.first().filter(|i| i.is(Opcode::LLVMPHI))?;
    let jump = phi.next().filter(|j| j.is(Opcode::LLVMBr) && j.n_operands() == 3 && j.operand(0) == phi)?;
    let [then, other] = jump.successors()[..] else { return None };
    let is_plain = then != other && then != block && other != block && phi.users().len() == 1;
    (is_plain && has_constant(phi)).then_some(Join { block, phi, jump, then, other })
}

fn has_constant(phi: Value) -> bool {
    phi.incoming().iter().any(|(value, _)| value.as_u64().is_some())
}

/// Leads the ways into a join past it, and removes it when none is left; whether anything changed.
fn undo(builder: &Builder, block: Block) -> bool {
    let Some(join) = join_of(block) else { return false };
    let incoming = join.phi.incoming();
    let led = incoming.into_iter().filter(|&(value, from)| join.lead_past(builder, value, from)).count();
    if join.phi.incoming().is_empty() {
        let Join { block, phi, jump, then, other } = join;
        then.forget_predecessor(block);
        other.forget_predecessor(block);
        jump.erase();
        phi.erase();
        block.delete();
    }
    led > 0
}

impl Join {
    /// The way in from `from`, which brings `value`; false if it has to stay.
    fn lead_past(&self, builder: &Builder, value: Value, from: Block) -> bool {
        let Some(end) = from.terminator().filter(|t| t.is(Opcode::LLVMBr) && from != self.block) else {
            return false;
        };
        let targets = end.successors();
        let mut edges = (0..).zip(&targets).filter(|(_, to)| **to == self.block);
        let (Some((edge, _)), None) = (edges.next(), edges.next()) else { return false };
        match value.as_u64() {
            Some(bit) => {
                let to = if bit == 1 { self.then } else { self.other };
                if targets.contains(&to) {
                    return false;
                }
                self.enter(to, from);
                end.set_successor(edge, to);
            }
            None if targets.len() == 1 && !value.is_undef() => {
                self.enter(self.then, from);
                self.enter(self.other, from);
                builder.before(end);
                let place = value.is_instruction() && value.location().is_some();
                builder.locate(if place { value } else { self.jump });
                builder.jump_if(value, self.then, self.other);
                end.erase();
            }
            None => return false,
        }
        self.block.forget_predecessor(from);
        true
    }

    /// `to` is also entered from `from` now, with the values that it gets from the join.
    fn enter(&self, to: Block, from: Block) {
        for phi in to.instructions().into_iter().take_while(|i| i.is(Opcode::LLVMPHI)) {
            let value = phi.incoming().into_iter().find(|(_, block)| *block == self.block);
            if let Some((value, _)) = value {
                phi.add_incoming(value, from);
            }
        }
    }
}

/// The last operand of a join that stayed, where `block` brings it.
pub fn joined(block: Block) -> Option<Value> {
    let [to] = block.terminator().filter(|t| t.is(Opcode::LLVMBr))?.successors()[..] else { return None };
    let phis = to.instructions().into_iter().take_while(|i| i.is(Opcode::LLVMPHI));
    let mut operands =
        phis.filter(|phi| phi.ty().scalar_width() == Some(1) && has_constant(*phi)).filter_map(|phi| {
            let (value, _) = phi.incoming().into_iter().find(|(_, from)| *from == block)?;
            (!value.is_constant()).then_some(value)
        });
    operands.next()
}
