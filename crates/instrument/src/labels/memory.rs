//! Loads and stores, and the shadow of memory.

use super::body::{Body, Labels};
use super::cold::Fresh;
use super::group::Item;
use super::may::reads_constant;
use super::shape::Shape;
use crate::llvm::{Gep, Opcode, Value};
use trace_abi::{GRANULE, Op, Reason, SUMMARY_BASE, SUMMARY_MASK};

/// The shadow of larger accesses is tested by the runtime.
const MAX_INLINE: u64 = 256;

impl Body<'_, '_> {
    /// Address of the summary of the bytes at `pointer`.
    ///
    /// The summary is linear in steps of [`GRANULE`] bytes, so address arithmetic in such steps is redone on the summary of its
    /// base: that one is shared between accesses and leaves loops.
    fn summary(&self, pointer: Value) -> Value {
        let (env, b) = (self.env, &self.env.b);
        let granule = GRANULE as i64;
        let gep = if is_address_arithmetic(pointer) { pointer.gep() } else { None };
        let linear = |g: &Gep| g.variables.iter().all(|v| v.1 % granule == 0);
        if let Some(gep) = gep.filter(|g| linear(g) && (!g.base.is_constant() || g.base.is_global_variable()))
        {
            let rest = gep.constant.rem_euclid(granule);
            let mut summary = if rest == 0 {
                self.summary(gep.base)
            } else {
                self.summary_at(b.add(b.ptr_to_int(gep.base, env.i64t), env.k64(rest as u64)))
            };
            for (variable, scale) in gep.variables {
                let wide = variable.ty().scalar_width().is_some_and(|w| w > 64);
                let index = if wide { b.trunc(variable, env.i64t) } else { b.sext(variable, env.i64t) };
                summary = b.offset(env.context, summary, b.mul(index, env.k64((scale / granule) as u64)));
            }
            return b.offset(env.context, summary, env.k64(gep.constant.div_euclid(granule) as u64));
        }
        self.summary_at(b.ptr_to_int(pointer, env.i64t))
    }

    fn summary_at(&self, address: Value) -> Value {
        let (env, b) = (self.env, &self.env.b);
        let granule = b.lshr(address, env.k64(GRANULE.trailing_zeros().into()));
        let place = b.add(b.and(granule, env.k64(SUMMARY_MASK)), env.k64(SUMMARY_BASE));
        b.int_to_ptr(place, env.ptr)
    }

    /// The summary of `n` bytes, or'ed; zero only if all are concrete. (Of more it may say so than are read: what the address is
    /// said to be aligned to is not believed, so that the bytes may lie in one granule more than they fill.)
    pub fn raw(&self, pointer: Value, n: u64) -> Value {
        let (env, b) = (self.env, &self.env.b);
        if n > MAX_INLINE {
            return b.zext(env.rt("__sp_any", &[pointer, env.k64(n)]), env.i64t);
        }
        let summary = self.summary(pointer);
        let granules = (n + GRANULE - 2) / GRANULE + 1;
        let (mut words, mut at) = (Vec::new(), 0);
        while at < granules {
            let size = [8, 4, 2].into_iter().find(|&s| granules - at >= s).unwrap_or(1);
            let word = env.load(env.context.int(8 * size as u32), env.at(summary, at), 1);
            words.push(b.zext(word, env.i64t));
            at += size;
        }
        words.into_iter().reduce(|x, y| b.or(x, y)).unwrap_or_else(|| env.k64(0))
    }

    /// A load: its shadow is read right after it (a wild address must fault in the program's own access).
    pub fn load(&mut self, i: Value) {
        if self.env.shape(i.ty()).is_none() {
            return self.unfollowed(i);
        }
        let Some(shape) = self.followed(i).filter(|_| i.is_used()) else { return };
        if let Some(next) = i.next().filter(|_| !reads_constant(i)) {
            self.env.b.before(next);
            self.env.b.locate(i);
            let raw = self.raw(i.operand(0), shape.bytes);
            self.test(raw);
        }
        self.queue(Item::Load(i));
    }

    /// A load of a type without labels: what it reads is lost.
    fn unfollowed(&self, i: Value) {
        let env = self.env;
        if !i.ty().is_sized() || reads_constant(i) {
            return;
        }
        let bytes = env.k64(env.module.store_size(i.ty()));
        env.b.before(i);
        let why = env.k32(trace_abi::Reason::Unsupported as u64);
        env.rt("__sp_unfollowed", &[i.operand(0), bytes, why, env.k32(self.id.into())]);
    }

    /// A store: labels of the value, or clearing what was there.
    pub fn store(&mut self, i: Value) {
        let (value, pointer) = (i.operand(0), i.operand(1));
        let bytes = self.env.module.store_size(value.ty());
        if self.env.shape(value.ty()).is_none() {
            self.queue(Item::Lost(value, trace_abi::Reason::Unsupported, self.id));
            self.flush(i);
            self.env.b.before(i);
            self.env.rt("__sp_clear", &[pointer, self.env.k64(bytes)]);
            return;
        }
        self.env.b.before(i);
        let raw = self.raw(pointer, bytes);
        self.test(raw);
        self.queue(Item::Store(i));
        self.flush(i);
    }

    /// Labels of a loaded value.
    pub fn load_labels(&self, i: Value, fresh: &Fresh) -> Labels {
        let pointer = i.operand(0);
        let address = self.one(fresh, pointer);
        let Some(shape) = self.env.shape(i.ty()) else { return Labels::new() };
        if let Some([base, index, value, form, constant]) = self.index_arguments(pointer, fresh) {
            let extent = self.extent(pointer, fresh);
            return self.read(pointer, &shape, |at, bytes, width| {
                let [object, size, flags] = extent.arguments();
                let (site, id) = (self.env.k32(self.id.into()), self.env.next_access());
                let parts = [base, index, value, form, constant];
                let rest = [object, size, flags, site, id];
                self.env.rt("__sp_load_index", &[&[at, bytes, width][..], &parts, &rest].concat())
            });
        }
        if address.is_constant() {
            return self.read_labels(pointer, &shape);
        }
        let extent = self.extent(pointer, fresh);
        self.read(pointer, &shape, |at, bytes, width| {
            let address = self.moved(address, pointer, at);
            let [object, size, flags] = extent.arguments();
            let (site, id) = (self.env.k32(self.id.into()), self.env.next_access());
            self.env.rt("__sp_load_sym", &[at, bytes, width, address, object, size, flags, site, id])
        })
    }

    /// The label of address `at`, given that of `pointer`, the address of the whole value.
    fn moved(&self, label: Value, pointer: Value, at: Value) -> Value {
        let env = self.env;
        if at == pointer {
            return label;
        }
        let offset = env.b.sub(env.b.ptr_to_int(at, env.i64t), env.b.ptr_to_int(pointer, env.i64t));
        self.bin_labels(Op::Add, (label, env.b.ptr_to_int(pointer, env.i64t)), (env.zero(), offset))
    }

    /// Labels of a value of this shape in memory at a concrete address.
    pub fn read_labels(&self, pointer: Value, shape: &Shape) -> Labels {
        self.read(pointer, shape, |at, bytes, width| self.env.rt("__sp_load", &[at, bytes, width]))
    }

    fn read(&self, pointer: Value, shape: &Shape, load: impl Fn(Value, Value, Value) -> Value) -> Labels {
        let env = self.env;
        let k32 = |n: u64| env.k32(n);
        if shape.packed {
            let bits = shape.slots.iter().map(|s| u64::from(s.width)).sum();
            let whole = load(pointer, k32(shape.bytes), k32(bits));
            let lane =
                |s: &super::shape::Slot| env.rt("__sp_extract", &[whole, k32(s.offset), k32(s.width.into())]);
            return shape.slots.iter().map(lane).collect();
        }
        let slot = |s: &super::shape::Slot| {
            let at = if s.offset == 0 { pointer } else { env.at(pointer, s.offset) };
            load(at, k32(s.bytes.into()), k32(s.width.into()))
        };
        shape.slots.iter().map(slot).collect()
    }

    /// Labels of a stored value into the shadow.
    pub fn store_labels(&self, i: Value, fresh: &Fresh) {
        let env = self.env;
        let (value, pointer) = (i.operand(0), i.operand(1));
        let Some(shape) = env.shape(value.ty()) else { return };
        let address = self.one(fresh, pointer);
        let labels = self.all(fresh, value);
        let bytes = env.k32(shape.bytes);
        if let Some(parts) = self.index_arguments(pointer, fresh) {
            let [object, size, flags] = self.extent(pointer, fresh).arguments();
            let (site, id) = (env.k32(self.id.into()), env.next_access());
            let first = [pointer, bytes, labels[0], self.to64(self.scalar(value, 0))];
            let rest = [object, size, flags, site, id];
            env.rt("__sp_store_index", &[&first[..], &parts, &rest].concat());
            return;
        }
        if !address.is_constant() {
            return self.store_symbolic((pointer, address), &shape, (value, &labels), fresh);
        } else if labels.iter().all(|l| l.is_constant()) {
            env.rt("__sp_store", &[pointer, bytes, env.zero()]);
            return;
        }
        self.write_labels(pointer, &shape, &labels, value);
    }

    /// A store through an address with a label: slot by slot; packed and wide ones at the pinned address.
    fn store_symbolic(
        &self,
        (pointer, address): (Value, Value),
        shape: &Shape,
        (value, labels): (Value, &Labels),
        fresh: &Fresh,
    ) {
        let env = self.env;
        let site = env.k32(self.id.into());
        if shape.packed || shape.slots.iter().any(|s| s.bytes > 8) {
            let (at, why) = (env.b.ptr_to_int(pointer, env.i64t), env.k32(Reason::StoreAddress as u64));
            env.rt("__sp_pin", &[address, at, why, site]);
            return self.write_labels(pointer, shape, labels, value);
        }
        let extent = self.extent(pointer, fresh);
        let [object, size, flags] = extent.arguments();
        for (k, (slot, &label)) in shape.slots.iter().zip(labels).enumerate() {
            let at = if slot.offset == 0 { pointer } else { env.at(pointer, slot.offset) };
            let (bytes, word) = (env.k32(slot.bytes.into()), self.to64(self.scalar(value, k)));
            let address = self.moved(address, pointer, at);
            let id = env.next_access();
            env.rt("__sp_store_sym", &[at, bytes, label, word, address, object, size, flags, site, id]);
        }
    }

    /// Labels of `value` into the shadow at a concrete address.
    pub fn write_labels(&self, pointer: Value, shape: &Shape, labels: &Labels, value: Value) {
        let env = self.env;
        if shape.packed {
            let label = self.packed_label(shape, labels, value);
            env.rt("__sp_store", &[pointer, env.k32(shape.bytes), label]);
            return;
        }
        for (slot, &label) in shape.slots.iter().zip(labels) {
            env.rt("__sp_store", &[env.at(pointer, slot.offset), env.k32(slot.bytes.into()), label]);
        }
    }

    /// One label for lanes packed bit by bit.
    fn packed_label(&self, shape: &Shape, labels: &Labels, value: Value) -> Value {
        let env = self.env;
        let bits = 8 * shape.bytes as u32;
        let whole = env.context.int(bits);
        let mut sum = (env.zero(), whole.zero());
        for (k, (slot, &label)) in shape.slots.iter().zip(labels).enumerate() {
            let lane = env.b.zext(self.scalar(value, k), whole);
            let extended = self.un(Op::ZExt, bits, label);
            let shift = whole.int(slot.offset);
            let moved = self.bin_labels(Op::Shl, (extended, lane), (env.zero(), shift));
            let moved = (moved, env.b.shl(lane, shift));
            sum = (self.bin_labels(Op::Or, sum, moved), env.b.or(sum.1, moved.1));
        }
        sum.0
    }
}

fn is_address_arithmetic(pointer: Value) -> bool {
    pointer.is(Opcode::LLVMGetElementPtr) || pointer.is_constant_expression()
}
