//! What happens in the cold block: the calls of the runtime for each queued piece of work.

use super::body::{Body, Labels};
use super::group::Item;
use super::rules::{Code, Rule};
use super::shape;
use crate::llvm::{Kind, Type, Value};
use crate::mark;
use rustc_hash::FxHashMap;
use trace_abi::{DATA_OUTCOME, Op, Reason};

/// Labels made in this cold block.
pub type Fresh = FxHashMap<Value, Labels>;

/// The role of the stack slots through which wide constants reach the runtime.
const WIDE: u32 = 100;

impl Body<'_, '_> {
    /// Label of scalar `k` of `v` inside the cold block.
    pub fn get(&self, fresh: &Fresh, v: Value, k: usize) -> Value {
        let v = self.left.extended(v).unwrap_or(v);
        match fresh.get(&v) {
            Some(labels) => labels.get(k).copied().unwrap_or_else(|| self.env.zero()),
            None => self.label(v, k),
        }
    }

    /// All labels of `v`.
    pub fn all(&self, fresh: &Fresh, v: Value) -> Labels {
        (0..shape::count(v.ty())).map(|k| self.get(fresh, v, k)).collect()
    }

    /// The label of a scalar value.
    pub fn one(&self, fresh: &Fresh, v: Value) -> Value {
        self.get(fresh, v, 0)
    }

    /// Emits the work of `item`.
    pub fn cold(&self, item: &Item, fresh: &mut Fresh) {
        let env = self.env;
        match *item {
            Item::Pure(i, rule) => {
                if let Some(labels) = self.pure_labels(i, rule, fresh) {
                    fresh.insert(i, labels);
                }
            }
            Item::Load(i) => {
                let labels = self.load_labels(i, fresh);
                fresh.insert(i, labels);
            }
            Item::Store(i) => self.store_labels(i, fresh),
            Item::Copy(i, n) => {
                let site = env.k32(self.id.into());
                env.rt("__sp_memcpy", &[i.operand(0), i.operand(1), env.k64(n), env.zero(), site]);
            }
            Item::Fill(i, n) => {
                let label = self.one(fresh, i.operand(1));
                env.rt(
                    "__sp_memset",
                    &[i.operand(0), label, env.k64(n), env.zero(), env.k32(self.id.into())],
                );
            }
            Item::Two(i, steers) => {
                let taken = env.b.zext(env.b.freeze(i.operand(0)), env.i32t);
                let taken = if steers { taken } else { env.b.or(taken, env.k32(DATA_OUTCOME.into())) };
                let label = self.one(fresh, i.operand(0));
                match mark::context_of(i) {
                    Some(context) => env.rt("__sp_branch_in", &[label, taken, i.operand(2), context]),
                    None => env.rt("__sp_branch", &[label, taken, i.operand(2)]),
                };
            }
            Item::Switch(i) => {
                let (label, value) = self.unextended(fresh, i.operand(0));
                env.rt("__sp_switch", &[label, value, i.operand(1)]);
            }
            Item::Goto(i) => self.goto_event(i, fresh),
            Item::Indirect(i) => {
                let address = env.b.ptr_to_int(i.operand(0), env.i64t);
                env.rt("__sp_icall_sym", &[self.one(fresh, i.operand(0)), address, i.operand(1)]);
            }
            Item::Pin(v, reason, site) => {
                let value = self.to64(v);
                env.rt(
                    "__sp_pin",
                    &[self.one(fresh, v), value, env.k32(reason as u64), env.k32(site.into())],
                );
            }
            Item::Lost(v, reason, site) => self.lose(fresh, v, reason, site),
            Item::Arguments(call, ref slots, ref variable) => {
                self.pass_arguments(call, slots, variable, fresh);
            }
            Item::LongJump(i) => self.take_along(i, fresh),
            Item::Rmw(i) => self.rmw_labels(i, fresh),
            Item::CompareExchange(i) => self.compare_exchange_labels(i, fresh),
        }
    }

    /// Records the loss of every label of `v`.
    pub fn lose(&self, fresh: &Fresh, v: Value, reason: Reason, site: u32) {
        let env = self.env;
        for label in self.all(fresh, v) {
            if !label.is_constant() {
                env.rt("__sp_lost", &[label, env.k32(reason as u64), env.k32(site.into())]);
            }
        }
    }

    /// A switch's marker holds the value extended to 64 bits; the event is about the value itself.
    fn unextended(&self, fresh: &Fresh, extended: Value) -> (Value, Value) {
        (self.one(fresh, extended), self.to64(extended))
    }

    /// Labels of a pure instruction's result; `None` where they end.
    fn pure_labels(&self, i: Value, rule: Rule, fresh: &Fresh) -> Option<Labels> {
        let env = self.env;
        let n = shape::count(i.ty());
        let lanes = |f: &dyn Fn(usize) -> Value| Some((0..n).map(f).collect::<Labels>());
        let operand = |k: u32| i.operand(k);
        match rule {
            Rule::Binary(op) => lanes(&|k| self.bin(op, (operand(0), k), (operand(1), k), fresh)),
            Rule::Compare(op, false) => lanes(&|k| self.bin(op, (operand(0), k), (operand(1), k), fresh)),
            Rule::Compare(op, true) => lanes(&|k| self.bin(op, (operand(1), k), (operand(0), k), fresh)),
            Rule::Unary(op) => {
                let width = i.ty().lane().scalar_width().unwrap_or(64);
                lanes(&|k| self.un(op, width, self.get(fresh, operand(0), k)))
            }
            Rule::Vector(family) => Some(self.composed_labels(i, family, fresh)),
            Rule::Float(rule) => Some(self.float_labels(i, rule, fresh)),
            Rule::Ternary(op) => {
                lanes(&|k| self.tri(op, [(operand(0), k), (operand(1), k), (operand(2), k)], fresh))
            }
            Rule::Copy => Some(self.all(fresh, operand(0))),
            Rule::Recast => self.recast(i, fresh),
            Rule::Gep if !i.ty().is_pointer() => self.vector_gep(i, fresh),
            Rule::Gep => Some(Labels::from_elem(self.gep(i, fresh), 1)),
            Rule::Select => lanes(&|k| self.select(i, k, fresh)),
            Rule::Overflow(op, flag) => {
                let half = n / 2;
                lanes(&|k| {
                    let (op, lane) = if k < half { (op, k) } else { (flag, k - half) };
                    self.bin(op, (operand(0), lane), (operand(1), lane), fresh)
                })
            }
            Rule::ExtractValue => {
                let (from, _) = shape::part(operand(0).ty(), &i.indices());
                lanes(&|k| self.get(fresh, operand(0), from + k))
            }
            Rule::InsertValue => {
                let (from, len) = shape::part(i.ty(), &i.indices());
                lanes(&|k| match k.checked_sub(from).filter(|&d| d < len) {
                    Some(d) => self.get(fresh, operand(1), d),
                    None => self.get(fresh, operand(0), k),
                })
            }
            Rule::ExtractElement => Some(Labels::from_elem(self.extract_element(i, fresh), 1)),
            Rule::InsertElement => lanes(&|k| self.insert_element(i, k, fresh)),
            Rule::Shuffle => {
                let (mask, width) = (i.shuffle_mask(), shape::count(operand(0).ty()));
                lanes(&|k| match mask[k].map(|m| m as usize) {
                    Some(m) if m < width => self.get(fresh, operand(0), m),
                    Some(m) => self.get(fresh, operand(1), m - width),
                    None => env.zero(),
                })
            }
            Rule::Reduce(op) => Some(Labels::from_elem(self.reduce(i, op, fresh), 1)),
            Rule::Lost(reason) => {
                for v in super::rules::inputs(i, rule) {
                    self.lose(fresh, v, reason, self.id);
                }
                None
            }
        }
    }

    /// Scalar `k` of a value.
    pub fn scalar(&self, v: Value, k: usize) -> Value {
        let b = &self.env.b;
        match v.ty().kind() {
            Kind::Vector(..) => b.extract_element(v, self.env.k64(k as u64)),
            Kind::Array(element, _) => {
                let step = shape::count(element).max(1);
                self.scalar(b.extract_value(v, (k / step) as u32), k % step)
            }
            Kind::Struct => {
                let mut at = 0;
                for (field, ty) in v.ty().fields().into_iter().enumerate() {
                    let n = shape::count(ty);
                    if k < at + n {
                        return self.scalar(b.extract_value(v, field as u32), k - at);
                    }
                    at += n;
                }
                v
            }
            _ => v,
        }
    }

    /// A scalar's bits as an integer of its own width.
    pub fn bits(&self, v: Value) -> Value {
        let (b, context) = (&self.env.b, self.env.context);
        match v.ty().kind() {
            Kind::Pointer => b.ptr_to_int(v, self.env.i64t),
            Kind::Float(width) | Kind::OtherFloat(width) => b.bitcast(v, context.int(width)),
            _ => v,
        }
    }

    /// A scalar of at most 64 bits as `i64`, for the runtime; wider ones give 0.
    pub fn to64(&self, v: Value) -> Value {
        match v.ty().scalar_width() {
            Some(w) if w <= 64 => self.env.b.zext(self.bits(v), self.env.i64t),
            _ => self.env.k64(0),
        }
    }

    /// The label of a scalar wider than 64 bits: a constant node where it is concrete.
    fn wide(&self, label: Value, v: Value, width: u32) -> Value {
        let env = self.env;
        let bits = self.bits(v);
        let slot = self.scratch_bytes(WIDE, env.module.store_size(bits.ty()));
        env.store(bits, slot, 16);
        let constant = env.rt("__sp_const", &[env.k32(width.into()), slot]);
        let concrete = env.b.icmp(crate::llvm::Predicate::LLVMIntEQ, label, env.zero());
        env.b.select(concrete, constant, label)
    }

    /// A stack slot for use in cold blocks, in the entry block.
    pub fn scratch(&self, ty: Type) -> Value {
        let env = self.env;
        let here = env.b.save();
        if let Some(at) = self.function.blocks().first().and_then(|b| b.first()) {
            env.b.before(at);
            env.b.locate_nowhere();
        }
        let slot = env.b.alloca(ty);
        slot.set_alignment(16);
        env.b.restore(here);
        slot
    }

    /// Bytes on the stack for use within one piece of cold work: the same for every use in this `role`.
    pub fn scratch_bytes(&self, role: u32, bytes: u64) -> Value {
        let known = self.slots.borrow().get(&(role, bytes)).copied();
        known.unwrap_or_else(|| {
            let slot = self.scratch(self.env.context.array(self.env.context.int(8), bytes));
            self.slots.borrow_mut().insert((role, bytes), slot);
            slot
        })
    }

    /// A unary operation with a result of this width.
    pub fn un(&self, op: impl Into<Code>, width: u32, label: Value) -> Value {
        if label.is_constant() {
            return label;
        }
        self.env.rt("__sp_un", &[self.env.code(op.into()), self.env.k32(width.into()), label])
    }

    /// A binary operation on scalars (value, index) of two values.
    pub fn bin(&self, op: Op, (x, j): (Value, usize), (y, k): (Value, usize), fresh: &Fresh) -> Value {
        let (l, r) = (self.get(fresh, x, j), self.get(fresh, y, k));
        if l.is_constant() && r.is_constant() {
            return self.env.zero();
        }
        let (a, b) = (self.scalar(x, j), self.scalar(y, k));
        self.bin_labels(op, (l, a), (r, b))
    }

    /// A binary operation on (label, concrete value) pairs of one width.
    pub fn bin_labels(&self, op: impl Into<Code>, (l, a): (Value, Value), (r, b): (Value, Value)) -> Value {
        let env = self.env;
        if l.is_constant() && r.is_constant() {
            return env.zero();
        }
        let op = env.code(op.into());
        let width = a.ty().scalar_width().unwrap_or(64);
        let w = env.k32(width.into());
        if width <= 64 {
            return env.rt("__sp_bin", &[op, w, l, r, self.to64(a), self.to64(b)]);
        }
        let either = env.b.is_not_zero(env.b.or(l, r));
        let (l, r) = (self.wide(l, a, width), self.wide(r, b, width));
        let label = env.rt("__sp_bin", &[op, w, l, r, env.k64(0), env.k64(0)]);
        env.b.select(either, label, env.zero())
    }

    fn tri(&self, op: Op, [x, y, z]: [(Value, usize); 3], fresh: &Fresh) -> Value {
        let env = self.env;
        let scalar = |(v, k): (Value, usize)| (self.get(fresh, v, k), self.scalar(v, k));
        let (x, y, z) = (scalar(x), scalar(y), scalar(z));
        if [x.0, y.0, z.0].iter().all(|l| l.is_constant()) {
            return env.zero();
        }
        self.tri_labels(op, x, y, z)
    }

    /// A ternary operation on (label, concrete value) pairs.
    pub fn tri_labels(&self, op: Op, x: (Value, Value), y: (Value, Value), z: (Value, Value)) -> Value {
        let env = self.env;
        let width = y.1.ty().scalar_width().unwrap_or(64);
        let w = env.k32(width.into());
        if width <= 64 {
            let (a, b, c) = (self.to64(x.1), self.to64(y.1), self.to64(z.1));
            return env.rt("__sp_tri", &[env.op(op), w, x.0, y.0, z.0, a, b, c]);
        }
        let any = env.b.is_not_zero(env.b.or(x.0, env.b.or(y.0, z.0)));
        let first = if op == Op::Ite { x.0 } else { self.wide(x.0, x.1, width) };
        let (r, t) = (self.wide(y.0, y.1, width), self.wide(z.0, z.1, width));
        let a = self.to64(x.1);
        let label = env.rt("__sp_tri", &[env.op(op), w, first, r, t, a, env.k64(0), env.k64(0)]);
        env.b.select(any, label, env.zero())
    }

    /// The chosen side where the condition is concrete or already recorded as a branch, else an `Ite`.
    fn select(&self, i: Value, k: usize, fresh: &Fresh) -> Value {
        let env = self.env;
        let (condition, yes, no) = (i.operand(0), i.operand(1), i.operand(2));
        let lane = if condition.ty().is_int() { 0 } else { k };
        let (lc, ly, ln) =
            (self.get(fresh, condition, lane), self.get(fresh, yes, k), self.get(fresh, no, k));
        if [lc, ly, ln].iter().all(|l| l.is_constant()) {
            return env.zero();
        }
        let bit = env.b.freeze(self.scalar(condition, lane));
        let chosen = env.b.select(bit, ly, ln);
        if lc.is_constant() || (lane == 0 && self.decided.contains(&condition)) {
            return chosen;
        }
        let ite = self.tri_labels(Op::Ite, (lc, bit), (ly, self.scalar(yes, k)), (ln, self.scalar(no, k)));
        env.b.select(env.b.is_not_zero(lc), ite, chosen)
    }

    /// `base + Σ variable · scale + constant`.
    fn gep(&self, i: Value, fresh: &Fresh) -> Value {
        let env = self.env;
        let Some(gep) = i.gep() else {
            i.operands().into_iter().for_each(|v| self.lose(fresh, v, Reason::Unsupported, self.id));
            return env.zero();
        };
        let mut sum = (self.one(fresh, gep.base), self.to64(gep.base));
        for (variable, scale) in gep.variables {
            sum = self.add_scaled(sum, (self.one(fresh, variable), variable), scale);
        }
        if gep.constant != 0 && !sum.0.is_constant() {
            return self.bin_labels(Op::Add, sum, (env.zero(), env.k64(gep.constant as u64)));
        }
        sum.0
    }

    /// `sum + variable · scale`, the variable sign-extended or cut to 64 bits; pairs of label and value.
    pub fn add_scaled(&self, sum: (Value, Value), variable: (Value, Value), scale: i64) -> (Value, Value) {
        let (env, (mut label, value)) = (self.env, variable);
        let width = value.ty().scalar_width().unwrap_or(64);
        let value = if width > 64 { env.b.trunc(value, env.i64t) } else { env.b.sext(value, env.i64t) };
        if width != 64 {
            label = self.un(if width > 64 { Op::Trunc } else { Op::SExt }, 64, label);
        }
        let factor = env.k64(scale as u64);
        if scale != 1 {
            label = self.bin_labels(Op::Mul, (label, value), (env.zero(), factor));
        }
        let term = (label, env.b.mul(value, factor));
        (self.bin_labels(Op::Add, sum, term), env.b.add(sum.1, term.1))
    }

    /// A lane chosen by a symbolic index is followed for this index only.
    pub fn pin_index(&self, index: Value, fresh: &Fresh) {
        let (env, label) = (self.env, self.one(fresh, index));
        if !label.is_constant() {
            let value = self.to64(index);
            env.rt("__sp_pin", &[label, value, env.k32(Reason::Unsupported as u64), env.k32(self.id.into())]);
        }
    }

    /// Through memory, which is what a bitcast means.
    fn recast(&self, i: Value, fresh: &Fresh) -> Option<Labels> {
        let env = self.env;
        let from = i.operand(0);
        let (Some(old), Some(new)) = (env.shape(from.ty()), env.shape(i.ty())) else {
            self.lose(fresh, from, Reason::Unsupported, self.id);
            return None;
        };
        let slot = self.scratch_bytes(0, env.module.store_size(from.ty()));
        env.store(from, slot, 16);
        let labels = self.all(fresh, from);
        self.write_labels(slot, &old, &labels, from);
        Some(self.read_labels(slot, &new))
    }

    /// A computed goto: the event is about the index of the destination.
    fn goto_event(&self, i: Value, fresh: &Fresh) {
        let env = self.env;
        let (address, table, n) = (i.operand(0), i.operand(1), i.operand(2).as_u64().unwrap_or(0));
        let label = self.one(fresh, address);
        let value = self.to64(address);
        let mut index = (env.zero(), env.k64(0));
        for k in (1..n).rev() {
            let entry = env.load(env.ptr, env.at(table, 8 * k), 8);
            let entry = env.b.ptr_to_int(entry, env.i64t);
            let here = env.b.icmp(crate::llvm::Predicate::LLVMIntEQ, value, entry);
            let equal = self.bin_labels(Op::Eq, (label, value), (env.zero(), entry));
            let number = env.k64(k);
            let chosen = self.tri_labels(Op::Ite, (equal, here), (env.zero(), number), index);
            index = (chosen, env.b.select(here, number, index.1));
        }
        env.rt("__sp_switch", &[index.0, index.1, i.operand(3)]);
    }
}
