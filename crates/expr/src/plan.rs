//! Evaluating the same expressions under many inputs.
//!
//! The expressions are laid out once as a straight line of steps over slots; each evaluation is one pass over them
//! without lookups or allocation (for values of at most 64 bits). Compared with the reference evaluator in
//! `tests/simplify.rs`.

use crate::arena::Table;
use crate::semantics::{apply, apply64, operands};
use crate::{Arena, ArrayId, Bits, ExprId, Op};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Some expressions, ready to be evaluated again and again. It does not borrow the arena.
#[derive(Clone, Debug)]
pub struct Plan {
    steps: Vec<Step>,
    tables: Vec<PlanTable>,
    /// Slot of each root, and the number of steps after which it is known.
    roots: Vec<(u32, u32)>,
    /// Value of each step; for one wider than 64 bits an index of `wide`.
    values: Vec<u64>,
    wide: Vec<Bits>,
}

/// Computes the slot of its own index.
#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    /// Result, or an operand, is wider than 64 bits.
    is_wide: bool,
    width: u16,
    /// Width of the first operand.
    operand_width: u16,
    args: [u32; 3],
    /// As in [`crate::Node::imm`]; for a read the index of its table here.
    imm: u64,
}

#[derive(Clone, Debug)]
struct PlanTable {
    base: u64,
    bytes: Arc<[u8]>,
    /// Slot of each symbolic byte.
    symbolic: Vec<Option<u32>>,
}

impl Plan {
    /// A plan for these expressions; what comes first is computed first.
    pub fn new(arena: &Arena, roots: &[ExprId]) -> Plan {
        let plan = Plan { steps: vec![], tables: vec![], roots: vec![], values: vec![], wide: vec![] };
        let mut builder = Builder { arena, plan, slots: FxHashMap::default(), tables: FxHashMap::default() };
        for &root in roots {
            let slot = builder.place(root);
            let known = builder.plan.steps.len() as u32;
            builder.plan.roots.push((slot, known));
        }
        builder.plan
    }

    /// A plan for expressions that are all there is to evaluate: operands, and symbolic bytes of tables that are read, come
    /// before what needs them. `slot` is the place of an expression in the list.
    pub fn in_order(arena: &Arena, all: &[ExprId], slot: &dyn Fn(ExprId) -> u32) -> Plan {
        let mut plan = Plan {
            steps: Vec::with_capacity(all.len()),
            tables: vec![],
            roots: (0..all.len() as u32).map(|k| (k, k + 1)).collect(),
            values: Vec::with_capacity(all.len()),
            wide: vec![],
        };
        let mut tables = FxHashMap::default();
        for &e in all {
            plan.add(arena, e, slot, &mut tables);
        }
        plan
    }

    /// Appends the step of an expression.
    fn add(
        &mut self,
        arena: &Arena,
        e: ExprId,
        slot: &dyn Fn(ExprId) -> u32,
        tables: &mut FxHashMap<u64, u64>,
    ) {
        let n = arena.node(e);
        let args = arena.args(e);
        let mut slots = [0; 3];
        args.iter().zip(&mut slots).for_each(|(&a, s)| *s = slot(a));
        let is_wide = n.width > 64 || args.iter().any(|&a| arena.width(a) > 64);
        let mut value = 0;
        if n.width > 64 {
            value = self.wide.len() as u64;
            self.wide.push(arena.as_const(e).unwrap_or_else(|| Bits::zero(n.width)));
        }
        let mut imm = n.imm;
        if n.op == Op::Read {
            imm = *tables.entry(n.imm).or_insert_with(|| {
                let Table { base, bytes, symbolic } = arena.table(ArrayId(n.imm as u32));
                let symbolic = symbolic.iter().map(|s| s.map(slot)).collect();
                self.tables.push(PlanTable { base: *base, bytes: bytes.clone(), symbolic });
                self.tables.len() as u64 - 1
            });
        }
        let operand_width = args.first().map_or(0, |&a| arena.width(a));
        self.values.push(value);
        self.steps.push(Step { op: n.op, is_wide, width: n.width, operand_width, args: slots, imm });
    }

    /// Gives the input bytes other names: those under which [`Plan::run`] asks for them.
    pub fn rename_inputs(&mut self, name: &mut dyn FnMut(u32, u32) -> (u32, u32)) {
        for step in self.steps.iter_mut().filter(|step| step.op == Op::Input) {
            let (object, offset) = name((step.imm >> 32) as u32, step.imm as u32);
            step.imm = u64::from(object) << 32 | u64::from(offset);
        }
    }

    /// Number of steps of one evaluation.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Evaluates everything; the values of the roots follow from [`Plan::value`].
    pub fn run(&mut self, input: &dyn Fn(u32, u32) -> u8) {
        self.advance(0, self.steps.len(), input);
    }

    /// Value of root `k` in the last [`Plan::run`].
    pub fn value(&self, k: usize) -> Bits {
        self.slot(self.roots[k].0)
    }

    /// The low 64 bits of root `k`'s value in the last [`Plan::run`].
    pub fn low(&self, k: usize) -> u64 {
        let slot = self.roots[k].0;
        let v = self.values[slot as usize];
        if self.steps[slot as usize].width <= 64 { v } else { self.wide[v as usize].low() }
    }

    /// Index of the first root that is not 1 under an input (the others are not evaluated), `None` if all are.
    pub fn first_false(&mut self, input: &dyn Fn(u32, u32) -> u8) -> Option<usize> {
        let mut done = 0;
        for k in 0..self.roots.len() {
            let known = self.roots[k].1 as usize;
            self.advance(done, known, input);
            done = known;
            if self.low(k) != 1 {
                return Some(k);
            }
        }
        None
    }

    fn slot(&self, slot: u32) -> Bits {
        let (step, v) = (&self.steps[slot as usize], self.values[slot as usize]);
        if step.width <= 64 { Bits::new(step.width, v) } else { self.wide[v as usize].clone() }
    }

    fn advance(&mut self, from: usize, to: usize, input: &dyn Fn(u32, u32) -> u8) {
        for at in from..to {
            let s = self.steps[at];
            if s.is_wide || s.op == Op::Read {
                self.rare(at, &s);
                continue;
            }
            let v = |k: usize| self.values[s.args[k] as usize];
            self.values[at] = match s.op {
                Op::Input => input((s.imm >> 32) as u32, s.imm as u32).into(),
                Op::Const => s.imm,
                op => apply64(op, s.width, s.operand_width, s.imm, v(0), v(1), v(2)),
            };
        }
    }

    /// Reads and wide values.
    fn rare(&mut self, at: usize, s: &Step) {
        let value = match s.op {
            // Its value is there from the start.
            Op::Const => return,
            Op::Read => self.read(s),
            _ => {
                let args: Vec<Bits> = s.args[..operands(s.op)].iter().map(|&a| self.slot(a)).collect();
                let refs: Vec<&Bits> = args.iter().collect();
                apply(s.op, s.width, s.imm, &refs)
            }
        };
        if s.width <= 64 {
            self.values[at] = value.low();
        } else {
            self.wide[self.values[at] as usize] = value;
        }
    }

    fn read(&self, s: &Step) -> Bits {
        let table = &self.tables[s.imm as usize];
        let offset = self.values[s.args[0] as usize].wrapping_sub(table.base);
        let byte = |k: u64| {
            let k = offset.wrapping_add(k) as usize;
            match table.symbolic.get(k).copied().flatten() {
                Some(slot) => self.values[slot as usize] as u8,
                None => table.bytes.get(k).copied().unwrap_or(0),
            }
        };
        let count = u64::from(s.width / 8);
        if count <= 8 {
            return Bits::new(s.width, (0..count).rev().fold(0, |value, k| value << 8 | u64::from(byte(k))));
        }
        let bytes: Vec<u8> = (0..count).map(byte).collect();
        Bits::from_le_bytes(s.width, &bytes)
    }
}

struct Builder<'a> {
    arena: &'a Arena,
    plan: Plan,
    slots: FxHashMap<ExprId, u32>,
    tables: FxHashMap<u64, u64>,
}

impl Builder<'_> {
    /// Slot of an expression, with steps for all that it needs.
    fn place(&mut self, root: ExprId) -> u32 {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.slots.contains_key(&e) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let n = self.arena.node(e);
            let missing = |e: &&ExprId| !self.slots.contains_key(*e);
            stack.extend(self.arena.args(e).iter().filter(missing));
            if n.op == Op::Read && !self.tables.contains_key(&n.imm) {
                let table = self.arena.table(ArrayId(n.imm as u32));
                stack.extend(table.symbolic.iter().flatten().filter(missing));
            }
            if stack.len() == before {
                self.add(e);
                stack.pop();
            }
        }
        self.slots[&root]
    }

    fn add(&mut self, e: ExprId) {
        let slot = self.plan.steps.len() as u32;
        self.plan.add(self.arena, e, &|a| self.slots[&a], &mut self.tables);
        self.slots.insert(e, slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stops_at_the_first_that_is_false() {
        let mut arena = Arena::new();
        let text = "(Eq in0[0] 0x61:8)\n(Ult in0[1] 0x5:8)\n(Eq (Concat (ZExt 64 in0[0]) in0[1]) 0x6103:72)";
        let roots = arena.parse(text).unwrap();
        let mut plan = Plan::new(&arena, &roots);
        let mut first_false = |s: &[u8; 2]| plan.first_false(&|_, k| s[k as usize]);
        assert_eq!(first_false(b"b\x03"), Some(0));
        assert_eq!(first_false(b"a\x07"), Some(1));
        assert_eq!(first_false(b"a\x04"), Some(2));
        assert_eq!(first_false(b"a\x03"), None);
    }
}
