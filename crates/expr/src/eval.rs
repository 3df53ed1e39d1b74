//! The reference evaluator.

use crate::semantics::{apply, apply64, mask, operands};
use crate::{Arena, Bits, ExprId, Op};

/// Evaluates expressions of an arena under one input. Values are remembered, so that evaluating many
/// expressions costs no more than the expressions they share once.
///
/// Iterative: expressions may be a million levels deep. A value of at most 64 bits is kept as a word.
pub struct Evaluator<'a> {
    arena: &'a Arena,
    input: &'a dyn Fn(u32, u32) -> u8,
    /// Value, or index into `wide`, of the expressions that are `known`.
    values: Vec<u64>,
    known: Vec<bool>,
    wide: Vec<Bits>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator under the input whose byte (object, offset) is `input(object, offset)`.
    pub fn new(arena: &'a Arena, input: &'a dyn Fn(u32, u32) -> u8) -> Evaluator<'a> {
        Evaluator {
            arena,
            input,
            values: vec![0; arena.len()],
            known: vec![false; arena.len()],
            wide: Vec::new(),
        }
    }

    /// Value of an expression.
    pub fn eval(&mut self, e: ExprId) -> Bits {
        self.compute(e);
        self.value(e)
    }

    /// Whether an expression of width 1 is true.
    pub fn is_true(&mut self, e: ExprId) -> bool {
        self.eval_u64(e) == 1
    }

    /// The low 64 bits of an expression's value.
    pub fn eval_u64(&mut self, e: ExprId) -> u64 {
        self.compute(e);
        if self.arena.width(e) <= 64 { self.values[e.index()] } else { self.value(e).low() }
    }

    fn value(&self, e: ExprId) -> Bits {
        let (w, v) = (self.arena.width(e), self.values[e.index()]);
        if w <= 64 { Bits::new(w, v) } else { self.wide[v as usize].clone() }
    }

    fn compute(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.known[e.index()] {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(self.arena.args(e).iter().filter(|a| !self.known[a.index()]));
            if stack.len() == before && self.arena.op(e) == Op::Read {
                self.push_bytes_read(e, &mut stack);
            }
            if stack.len() == before {
                self.step(e);
                stack.pop();
            }
        }
    }

    /// Once the address is known: the symbolic bytes that will be read.
    fn push_bytes_read(&self, e: ExprId, stack: &mut Vec<ExprId>) {
        let table = self.arena.table(crate::ArrayId(self.arena.node(e).imm as u32));
        for k in self.offsets_read(e, table.base) {
            stack.extend(table.symbolic_byte(k).filter(|b| !self.known[b.index()]));
        }
    }

    fn offsets_read(&self, e: ExprId, base: u64) -> impl Iterator<Item = usize> + use<> {
        let address = self.values[self.arena.node(e).args[0].index()];
        (0..u64::from(self.arena.width(e) / 8))
            .map(move |k| address.wrapping_add(k).wrapping_sub(base) as usize)
    }

    fn step(&mut self, e: ExprId) {
        let n = self.arena.node(e);
        let args = &n.args[..operands(n.op)];
        let narrow = n.width <= 64 && args.iter().all(|&a| self.arena.width(a) <= 64);
        let value = match n.op {
            Op::Input => u64::from((self.input)((n.imm >> 32) as u32, n.imm as u32)),
            Op::Const if narrow => n.imm,
            Op::Const => self.keep(self.arena.as_const(e)),
            Op::Read => {
                let bytes = self.read(e);
                if narrow {
                    Bits::from_le_bytes(n.width, &bytes).low()
                } else {
                    self.keep(Some(Bits::from_le_bytes(n.width, &bytes)))
                }
            }
            _ if narrow => {
                let v = |k: usize| if k < args.len() { self.values[args[k].index()] } else { 0 };
                apply64(n.op, n.width, self.arena.width(args[0]), n.imm, v(0), v(1), v(2))
            }
            _ => {
                let values: Vec<Bits> = args.iter().map(|&a| self.value(a)).collect();
                let refs: Vec<&Bits> = values.iter().collect();
                let v = apply(n.op, n.width, n.imm, &refs);
                if n.width <= 64 { v.low() } else { self.keep(Some(v)) }
            }
        };
        debug_assert!(n.width > 64 || value <= mask(n.width));
        self.values[e.index()] = value;
        self.known[e.index()] = true;
    }

    fn read(&self, e: ExprId) -> Vec<u8> {
        let table = self.arena.table(crate::ArrayId(self.arena.node(e).imm as u32));
        let byte = |k: usize| match table.symbolic_byte(k) {
            Some(b) => self.values[b.index()] as u8,
            None => table.bytes.get(k).copied().unwrap_or(0),
        };
        self.offsets_read(e, table.base).map(byte).collect()
    }

    fn keep(&mut self, v: Option<Bits>) -> u64 {
        self.wide.extend(v);
        self.wide.len() as u64 - 1
    }
}
