//! Expressions with some of their input bytes fixed.

use crate::semantics::operands;
use crate::{Arena, ArrayId, ExprId, Op, Table};
use rustc_hash::FxHashMap;

/// What is known of the expressions of one arena when input bytes are fixed; keep it as long as the same bytes are.
#[derive(Debug, Default)]
pub struct Substitution {
    done: FxHashMap<ExprId, ExprId>,
    tables: FxHashMap<ArrayId, ArrayId>,
}

impl Arena {
    /// `root` with every input byte (object, offset) for which `fixed` has a value replaced by it, rebuilt with all
    /// simplifications. `memory` must have been used with the same `fixed` and this arena only.
    pub fn substitute(
        &mut self,
        root: ExprId,
        fixed: &dyn Fn(u32, u32) -> Option<u8>,
        memory: &mut Substitution,
    ) -> ExprId {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if memory.done.contains_key(&e) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.args(e).iter().filter(|a| !memory.done.contains_key(a)));
            self.push_table_bytes(e, memory, &mut stack);
            if stack.len() == before {
                stack.pop();
                let made = self.substituted(e, fixed, memory);
                memory.done.insert(e, made);
            }
        }
        memory.done[&root]
    }

    /// The symbolic bytes of the table that `e` reads, as far as they are not done.
    fn push_table_bytes(&self, e: ExprId, memory: &Substitution, stack: &mut Vec<ExprId>) {
        let node = self.node(e);
        let table = ArrayId(node.imm as u32);
        if node.op == Op::Read && !memory.tables.contains_key(&table) {
            let bytes = self.table(table).symbolic.iter().flatten();
            stack.extend(bytes.filter(|byte| !memory.done.contains_key(byte)));
        }
    }

    /// `e`, whose operands are done.
    fn substituted(
        &mut self,
        e: ExprId,
        fixed: &dyn Fn(u32, u32) -> Option<u8>,
        memory: &mut Substitution,
    ) -> ExprId {
        let n = *self.node(e);
        let arg = |k: usize| memory.done[&n.args[k]];
        match (n.op, operands(n.op)) {
            (Op::Input, _) => match fixed((n.imm >> 32) as u32, n.imm as u32) {
                Some(value) => self.const_u64(8, value.into()),
                None => e,
            },
            (_, 0) => e,
            (Op::Read, _) => {
                let address = arg(0);
                let table = self.substituted_table(ArrayId(n.imm as u32), memory);
                self.read(table, address, n.width)
            }
            (op, 1) => self.build(op, n.width, n.imm, &[arg(0)]),
            (op, 2) => self.build(op, n.width, n.imm, &[arg(0), arg(1)]),
            (op, _) => self.build(op, n.width, n.imm, &[arg(0), arg(1), arg(2)]),
        }
    }

    /// The table with its symbolic bytes, all done, replaced.
    fn substituted_table(&mut self, table: ArrayId, memory: &mut Substitution) -> ArrayId {
        if let Some(&made) = memory.tables.get(&table) {
            return made;
        }
        let old = self.table(table).clone();
        let mut bytes = old.bytes.to_vec();
        let mut symbolic: Vec<Option<ExprId>> = Vec::with_capacity(old.symbolic.len());
        for (k, byte) in old.symbolic.iter().enumerate() {
            let byte = byte.map(|byte| memory.done[&byte]);
            match byte.and_then(|byte| self.as_u64(byte)) {
                Some(value) => {
                    bytes[k] = value as u8;
                    symbolic.push(None);
                }
                None => symbolic.push(byte),
            }
        }
        if symbolic.iter().all(Option::is_none) {
            symbolic.clear();
        }
        let made = if symbolic == old.symbolic {
            table
        } else {
            self.add_table(Table { base: old.base, bytes: bytes.into(), symbolic })
        };
        memory.tables.insert(table, made);
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluator;

    #[test]
    fn fixing_all_bytes_gives_the_value() {
        let mut arena = Arena::default();
        let (a, b) = (arena.input(0, 0), arena.input(0, 1));
        let word = arena.concat(a, b);
        let three = arena.const_u64(16, 3);
        let product = arena.binary(Op::Mul, word, three);
        let table = Table { base: 0, bytes: vec![7, 8].into(), symbolic: vec![Some(a), None] };
        let table = arena.add_table(table);
        let address = arena.unary(Op::ZExt, 64, b);
        let read = arena.read(table, address, 8);
        let wide = arena.unary(Op::ZExt, 16, read);
        let all = arena.binary(Op::Add, product, wide);
        let value = |_: u32, offset: u32| [5u8, 0][offset as usize];
        let expected = Evaluator::new(&arena, &value).eval_u64(all);
        let fixed = arena.substitute(all, &|o, k| Some(value(o, k)), &mut Substitution::default());
        assert_eq!(arena.as_u64(fixed), Some(expected));
    }

    #[test]
    fn bytes_that_are_not_fixed_stay() {
        let mut arena = Arena::default();
        let (a, b) = (arena.input(0, 0), arena.input(0, 1));
        let sum = arena.binary(Op::Add, a, b);
        let fixed = arena.substitute(sum, &|_, k| (k == 1).then_some(4), &mut Substitution::default());
        let four = arena.const_u64(8, 4);
        assert_eq!(fixed, arena.binary(Op::Add, a, four));
    }
}
