//! Constructors: constant folding and local simplification on top of [`Arena::raw`].
//!
//! Each rule looks at the new node and at most two levels below it, and answers with an expression of the same
//! value under every input. The rules live in `simplify`, one family per file.

use crate::semantics::{apply, operands};
use crate::{Arena, ArrayId, Bits, ExprId, Op, simplify};

/// Rules may lead to further constructions; those deeper than this are not simplified.
pub(crate) const MAX_DEPTH: u8 = 12;

impl Arena {
    /// Applies rules unless already too deep in others.
    fn simplified(&mut self, rules: impl FnOnce(&mut Arena) -> Option<ExprId>) -> Option<ExprId> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let e = rules(self);
        self.depth -= 1;
        e
    }

    /// The expression rebuilt from the bottom with all simplifications, for one made by [`Arena::raw`].
    pub fn simplify(&mut self, root: ExprId) -> ExprId {
        let mut done: Vec<Option<ExprId>> = vec![None; root.index() + 1];
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            let missing = self.args(e).iter().filter(|a| done[a.index()].is_none());
            let before = stack.len();
            stack.extend(missing);
            if stack.len() == before {
                stack.pop();
                done[e.index()] = Some(self.rebuild(e, &done));
            }
        }
        done[root.index()].expect("the root is done last")
    }

    fn rebuild(&mut self, e: ExprId, done: &[Option<ExprId>]) -> ExprId {
        let n = *self.node(e);
        let arg = |k: usize| done[n.args[k].index()].expect("operands are done first");
        match operands(n.op) {
            0 => e,
            1 => self.build(n.op, n.width, n.imm, &[arg(0)]),
            2 => self.build(n.op, n.width, n.imm, &[arg(0), arg(1)]),
            _ => self.build(n.op, n.width, n.imm, &[arg(0), arg(1), arg(2)]),
        }
    }

    /// An operation with operands, whatever it is, simplified; `imm` as in [`crate::Node::imm`].
    ///
    /// # Panics
    /// If the widths do not agree with what [`Op`] documents.
    pub fn build(&mut self, op: Op, width: u16, imm: u64, args: &[ExprId]) -> ExprId {
        match (op, args) {
            (Op::Extract, &[a]) => self.extract(a, imm as u16, width),
            (Op::Read, &[a]) => self.read(ArrayId(imm as u32), a, width),
            _ if op.has_aux() => self.with_aux(op, width, imm, args),
            (_, &[a]) => self.unary(op, width, a),
            (_, &[a, b]) => self.binary(op, a, b),
            (_, &[a, b, c]) => self.ternary(op, a, b, c),
            _ => self.raw(op, width, args, imm),
        }
    }

    /// A float rounded to an integer ([`Op::FRound`], `aux` from `trace_abi::rounding`) or a function of the C library
    /// ([`Op::Libm1`] and [`Op::Libm2`], `aux` from `trace_abi::libm`).
    fn with_aux(&mut self, op: Op, width: u16, aux: u64, args: &[ExprId]) -> ExprId {
        let constants: Option<Vec<Bits>> = args.iter().map(|&a| self.as_const(a)).collect();
        match constants {
            Some(values) => {
                let refs: Vec<&Bits> = values.iter().collect();
                self.constant(&apply(op, width, aux, &refs))
            }
            None => self.raw(op, width, args, aux),
        }
    }

    /// A cast ([`Op::Trunc`], [`Op::FCvt`], …) to `width` bits, or a unary operation of that width, without an immediate.
    pub fn unary(&mut self, op: Op, width: u16, a: ExprId) -> ExprId {
        if let Some(v) = self.as_const(a) {
            return self.constant(&apply(op, width, 0, &[&v]));
        }
        match self.simplified(|s| simplify::unary(s, op, width, a)) {
            Some(e) => e,
            None => self.raw(op, width, &[a], 0),
        }
    }

    /// A binary operation without an immediate; its width follows from the operands.
    pub fn binary(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        let width = match op {
            Op::Concat => self.width(a) + self.width(b),
            _ if op.is_predicate() => 1,
            _ => self.width(a),
        };
        if self.is_const(a)
            && self.is_const(b)
            && let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b))
        {
            return self.constant(&apply(op, width, 0, &[&x, &y]));
        }
        let (a, b) = if simplify::swaps(self, op, a, b) { (b, a) } else { (a, b) };
        match self.simplified(|s| simplify::binary(s, op, a, b)) {
            Some(e) => e,
            None => self.raw(op, width, &[a, b], 0),
        }
    }

    /// [`Op::Ite`], [`Op::Fshl`], [`Op::Fshr`] or [`Op::FFma`].
    pub fn ternary(&mut self, op: Op, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        let width = self.width(b);
        if self.is_const(a)
            && let (Some(x), Some(y), Some(z)) = (self.as_const(a), self.as_const(b), self.as_const(c))
        {
            return self.constant(&apply(op, width, 0, &[&x, &y, &z]));
        }
        match self.simplified(|s| simplify::ternary(s, op, a, b, c)) {
            Some(e) => e,
            None => self.raw(op, width, &[a, b, c], 0),
        }
    }

    /// Bits `low` .. `low + width` of `e`.
    pub fn extract(&mut self, e: ExprId, low: u16, width: u16) -> ExprId {
        if let Some(v) = self.as_const(e) {
            return self.constant(&apply(Op::Extract, width, low.into(), &[&v]));
        }
        match self.simplified(|s| simplify::extract(s, e, low, width)) {
            Some(e) => e,
            None => self.raw(Op::Extract, width, &[e], low.into()),
        }
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        self.binary(Op::Concat, high, low)
    }

    /// Little-endian read of `width` bits (a multiple of 8) from `table` at `address` (width 64).
    pub fn read(&mut self, table: ArrayId, address: ExprId, width: u16) -> ExprId {
        match self.simplified(|s| simplify::read(s, table, address, width)) {
            Some(e) => e,
            None => self.raw(Op::Read, width, &[address], table.0.into()),
        }
    }

    /// The negation of an expression of width 1.
    ///
    /// # Panics
    /// If its width is not 1.
    pub fn not(&mut self, e: ExprId) -> ExprId {
        assert_eq!(self.width(e), 1, "only a Boolean has a negation");
        let one = self.constant(&Bits::new(1, 1));
        self.binary(Op::Xor, e, one)
    }

    /// The conjunction of expressions of width 1; true if there are none.
    pub fn all(&mut self, es: impl IntoIterator<Item = ExprId>) -> ExprId {
        let top = self.bool(true);
        es.into_iter().fold(top, |acc, e| self.binary(Op::And, acc, e))
    }

    /// If `c` (width 1) then `a` else `b`.
    pub fn ite(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        self.ternary(Op::Ite, c, a, b)
    }
}
