//! Vectors: instructions whose labels the runtime composes, reductions, addresses, lanes chosen by input.

use super::body::{Body, Labels};
use super::cold::Fresh;
use super::shape;
use crate::llvm::{Kind, Predicate, Value};
use trace_abi::{LANES_SIZE, Op, Vector};

/// Vectors of more lanes are followed for the one index only when a lane is chosen by input.
const MAX_CHOICE: usize = 32;

impl Body<'_, '_> {
    /// Labels of a vector instruction's result: operands and result are laid out on the stack for the runtime.
    pub fn composed_labels(&self, i: Value, family: Vector, fresh: &Fresh) -> Labels {
        let env = self.env;
        let operands = i.arguments();
        let records = self.scratch_bytes(0, LANES_SIZE * (operands.len() as u64 + 1));
        let mut results = None;
        for (k, &v) in operands.iter().chain([&i]).enumerate() {
            let at = env.at(records, LANES_SIZE * k as u64);
            let labels = (v != i).then(|| self.all(fresh, v));
            let to = self.lay_out(at, 2 * k as u32 + 1, v, labels.as_ref());
            results = Some(to);
        }
        let result = env.at(records, LANES_SIZE * operands.len() as u64);
        let n = env.k32(operands.len() as u64);
        env.rt("__sp_lanes", &[env.k32(family as u64), records, n, result]);
        let Some(labels) = results else { return Labels::new() };
        (0..shape::count(i.ty())).map(|k| env.load(env.i32t, env.at(labels, 4 * k as u64), 4)).collect()
    }

    /// Writes a `trace_abi::Lanes` record about `v`; returns where its labels are.
    fn lay_out(&self, record: Value, role: u32, v: Value, labels: Option<&Labels>) -> Value {
        let env = self.env;
        let count = shape::count(v.ty());
        let values = self.scratch_bytes(role, env.module.store_size(v.ty()));
        env.store(v, values, 1);
        let slots = self.scratch_bytes(role + 1, 4 * count as u64);
        for (k, &label) in labels.into_iter().flatten().enumerate() {
            env.store(label, env.at(slots, 4 * k as u64), 4);
        }
        if labels.is_none() {
            for k in 0..count {
                env.store(env.zero(), env.at(slots, 4 * k as u64), 4);
            }
        }
        let width = v.ty().lane().scalar_width().unwrap_or(64);
        env.store(values, record, 8);
        env.store(slots, env.at(record, 8), 8);
        env.store(env.k32(count as u64), env.at(record, 16), 4);
        env.store(env.k32(width.into()), env.at(record, 20), 4);
        slots
    }

    /// All lanes combined, from the first on; floats start from operand 0 where there is one.
    pub fn reduce(&self, i: Value, op: Op, fresh: &Fresh) -> Value {
        let env = self.env;
        let vector = i.operand(i.arguments().len() as u32 - 1);
        let start = (i.arguments().len() == 2).then(|| (self.one(fresh, i.operand(0)), i.operand(0)));
        let lanes =
            (0..shape::count(vector.ty())).map(|k| (self.get(fresh, vector, k), self.scalar(vector, k)));
        let folded = start
            .into_iter()
            .chain(lanes)
            .reduce(|x, y| (self.bin_labels(op, x, y), self.concrete(op, x.1, y.1)));
        folded.map_or_else(|| env.zero(), |f| f.0)
    }

    /// The operation on concrete values.
    fn concrete(&self, op: Op, x: Value, y: Value) -> Value {
        use Predicate::*;
        let b = &self.env.b;
        let choose = |predicate| b.select(b.icmp(predicate, x, y), x, y);
        match op {
            Op::Add => b.add(x, y),
            Op::Mul => b.mul(x, y),
            Op::And => b.and(x, y),
            Op::Or => b.or(x, y),
            Op::UMin => choose(LLVMIntULT),
            Op::UMax => choose(LLVMIntUGT),
            Op::SMin => choose(LLVMIntSLT),
            Op::SMax => choose(LLVMIntSGT),
            Op::FAdd => b.fadd(x, y),
            Op::FMul => b.fmul(x, y),
            _ => b.xor(x, y),
        }
    }

    /// A lane chosen by an index: a choice among all lanes where the index depends on input.
    pub fn extract_element(&self, i: Value, fresh: &Fresh) -> Value {
        let (vector, index) = (i.operand(0), i.operand(1));
        if let Some(k) = index.as_u64() {
            return self.get(fresh, vector, k as usize);
        }
        let (env, n) = (self.env, shape::count(vector.ty()));
        let label = self.one(fresh, index);
        if n > MAX_CHOICE {
            self.pin_index(index, fresh);
        }
        let number = env.b.freeze(env.b.zext(index, env.i64t));
        let wide = self.un(Op::ZExt, 64, label);
        let mut chosen = (env.zero(), self.scalar(vector, 0));
        for k in 0..n {
            let here = env.b.icmp(Predicate::LLVMIntEQ, number, env.k64(k as u64));
            let lane = (self.get(fresh, vector, k), self.scalar(vector, k));
            let next = if label.is_constant() || n > MAX_CHOICE {
                env.b.select(here, lane.0, chosen.0)
            } else {
                let equal = self.bin_labels(Op::Eq, (wide, number), (env.zero(), env.k64(k as u64)));
                self.choice((equal, here), lane, chosen)
            };
            chosen = (next, env.b.select(here, lane.1, chosen.1));
        }
        chosen.0
    }

    /// `condition ? yes : no` on pairs of label and value; where the condition has no label, the one that holds.
    fn choice(&self, condition: (Value, Value), yes: (Value, Value), no: (Value, Value)) -> Value {
        let b = &self.env.b;
        let plain = b.select(condition.1, yes.0, no.0);
        let chosen = self.tri_labels(Op::Ite, condition, yes, no);
        b.select(b.is_not_zero(condition.0), chosen, plain)
    }

    /// Replacement of lane `k` by an index that may depend on input.
    pub fn insert_element(&self, i: Value, k: usize, fresh: &Fresh) -> Value {
        let (vector, new, index) = (i.operand(0), i.operand(1), i.operand(2));
        let old = (self.get(fresh, vector, k), self.scalar(vector, k));
        let new = (self.one(fresh, new), new);
        if let Some(at) = index.as_u64() {
            return if at == k as u64 { new.0 } else { old.0 };
        }
        let env = self.env;
        let label = self.one(fresh, index);
        let number = env.b.freeze(env.b.zext(index, env.i64t));
        let here = env.b.icmp(Predicate::LLVMIntEQ, number, env.k64(k as u64));
        if label.is_constant() {
            return env.b.select(here, new.0, old.0);
        }
        let wide = self.un(Op::ZExt, 64, label);
        let equal = self.bin_labels(Op::Eq, (wide, number), (env.zero(), env.k64(k as u64)));
        self.choice((equal, here), new, old)
    }

    /// A vector of addresses: `base + Σ variable · scale + constant`, lane by lane.
    pub fn vector_gep(&self, i: Value, fresh: &Fresh) -> Option<Labels> {
        let gep = i.gep()?;
        let lane = |v: Value, k: usize| {
            let k = if matches!(v.ty().kind(), Kind::Vector(..)) { k } else { 0 };
            (self.get(fresh, v, k), self.scalar(v, k))
        };
        let one = |k: usize| {
            let base = lane(gep.base, k);
            let mut sum = (base.0, self.bits(base.1));
            for &(variable, scale) in &gep.variables {
                sum = self.add_scaled(sum, lane(variable, k), scale);
            }
            let constant = (self.env.zero(), self.env.k64(gep.constant as u64));
            if gep.constant == 0 { sum.0 } else { self.bin_labels(Op::Add, sum, constant) }
        };
        Some((0..shape::count(i.ty())).map(one).collect())
    }
}
