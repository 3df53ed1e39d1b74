//! Atomic read-modify-write operations and compare-and-exchange. (Atomic loads and stores are followed like plain
//! ones.)
//!
//! The work is done behind the operation, when its result tells what memory held, whatever other threads do: the
//! labels of the old value are those of the memory, the value is the operation's own result.

use super::body::{Body, Labels};
use super::cold::Fresh;
use super::group::Item;
use crate::llvm::{RmwOperation, Value};
use trace_abi::{Op, Reason};

impl Body<'_, '_> {
    /// Queues a read-modify-write.
    pub fn atomic_rmw(&mut self, i: Value) {
        self.atomic(i, i.operand(1), Item::Rmw(i));
    }

    /// Queues a compare-and-exchange.
    pub fn compare_exchange(&mut self, i: Value) {
        self.atomic(i, i.operand(2), Item::CompareExchange(i));
    }

    fn atomic(&mut self, i: Value, value: Value, item: Item) {
        self.flush(i);
        let Some(next) = i.next() else { return };
        self.env.b.before(i);
        let raw = self.raw(i.operand(0), self.env.module.store_size(value.ty()));
        self.test(raw);
        self.queue(item);
        self.flush(next);
    }

    /// The label of what memory held: its labels, and `old` as its bytes.
    fn held_label(&self, pointer: Value, old: Value) -> Option<Value> {
        let env = self.env;
        let shape = env.shape(old.ty())?;
        let slot = self.scratch(old.ty());
        env.store(old, slot, 16);
        env.rt("__sp_memcpy", &[slot, pointer, env.k64(shape.bytes), env.zero(), env.k32(self.id.into())]);
        self.read_labels(slot, &shape).first().copied()
    }

    /// The label of what is stored now.
    fn keep(&self, pointer: Value, stored: Value, label: Value, fresh: &Fresh) {
        let env = self.env;
        let (bytes, site) = (env.k32(env.module.store_size(stored.ty())), env.k32(self.id.into()));
        let address = self.one(fresh, pointer);
        // What memory held is gone by now, so that no other place can be updated: the address is pinned.
        if !address.is_constant() {
            let (at, why) = (env.b.ptr_to_int(pointer, env.i64t), env.k32(Reason::StoreAddress as u64));
            env.rt("__sp_pin", &[address, at, why, site]);
        }
        env.rt("__sp_store", &[pointer, bytes, label]);
    }

    /// The cold side of a read-modify-write.
    pub fn rmw_labels(&self, i: Value, fresh: &mut Fresh) {
        let env = self.env;
        let (pointer, operand) = (i.operand(0), i.operand(1));
        let Some(held) = self.held_label(pointer, i) else { return };
        let given = (self.one(fresh, operand), operand);
        let label = match self.rmw_result(i.rmw_operation(), (held, i), given) {
            Some(label) => label,
            None => {
                env.rt("__sp_lost", &[held, env.k32(Reason::Atomic as u64), env.k32(self.id.into())]);
                self.lose(fresh, operand, Reason::Atomic, self.id);
                env.zero()
            }
        };
        self.keep(pointer, operand, label, fresh);
        fresh.insert(i, Labels::from_elem(held, 1));
    }

    /// Label of the new value from (label, value) of the old one and of the operand; `None` if not followed.
    fn rmw_result(
        &self,
        operation: RmwOperation,
        old: (Value, Value),
        given: (Value, Value),
    ) -> Option<Value> {
        use RmwOperation::*;
        let simple = match operation {
            LLVMAtomicRMWBinOpXchg => return Some(given.0),
            LLVMAtomicRMWBinOpAdd => Op::Add,
            LLVMAtomicRMWBinOpSub => Op::Sub,
            LLVMAtomicRMWBinOpAnd | LLVMAtomicRMWBinOpNand => Op::And,
            LLVMAtomicRMWBinOpOr => Op::Or,
            LLVMAtomicRMWBinOpXor => Op::Xor,
            LLVMAtomicRMWBinOpMax => Op::SMax,
            LLVMAtomicRMWBinOpMin => Op::SMin,
            LLVMAtomicRMWBinOpUMax => Op::UMax,
            LLVMAtomicRMWBinOpUMin => Op::UMin,
            LLVMAtomicRMWBinOpFAdd => Op::FAdd,
            LLVMAtomicRMWBinOpFSub => Op::FSub,
            LLVMAtomicRMWBinOpUIncWrap | LLVMAtomicRMWBinOpUDecWrap => {
                return Some(self.wrapped(operation, old, given));
            }
            LLVMAtomicRMWBinOpFMax | LLVMAtomicRMWBinOpFMin => return None,
        };
        let label = self.bin_labels(simple, old, given);
        if operation != LLVMAtomicRMWBinOpNand {
            return Some(label);
        }
        let (both, ones) = (self.env.b.and(old.1, given.1), old.1.ty().ones());
        Some(self.bin_labels(Op::Xor, (label, both), (self.env.zero(), ones)))
    }

    /// `old >= limit ? 0 : old + 1`, and `old == 0 || old > limit ? limit : old - 1`.
    fn wrapped(&self, operation: RmwOperation, old: (Value, Value), limit: (Value, Value)) -> Value {
        use crate::llvm::Predicate::{LLVMIntEQ, LLVMIntUGT, LLVMIntULE};
        let (env, b) = (self.env, &self.env.b);
        let known = |n: u64| (env.zero(), old.1.ty().int(n));
        if operation == RmwOperation::LLVMAtomicRMWBinOpUIncWrap {
            let stop = (self.bin_labels(Op::Ule, limit, old), b.icmp(LLVMIntULE, limit.1, old.1));
            let next = (self.bin_labels(Op::Add, old, known(1)), b.add(old.1, known(1).1));
            return self.tri_labels(Op::Ite, stop, known(0), next);
        }
        let less = old.1.ty().ones();
        let next = (self.bin_labels(Op::Add, old, (env.zero(), less)), b.add(old.1, less));
        let zero = (self.bin_labels(Op::Eq, old, known(0)), b.icmp(LLVMIntEQ, old.1, known(0).1));
        let above = (self.bin_labels(Op::Ult, limit, old), b.icmp(LLVMIntUGT, old.1, limit.1));
        let stop = (self.bin_labels(Op::Or, zero, above), b.or(zero.1, above.1));
        self.tri_labels(Op::Ite, stop, limit, next)
    }

    /// The cold side of a compare-and-exchange.
    pub fn compare_exchange_labels(&self, i: Value, fresh: &mut Fresh) {
        let env = self.env;
        let (pointer, expected, new) = (i.operand(0), i.operand(1), i.operand(2));
        let old = env.b.extract_value(i, 0);
        let Some(held) = self.held_label(pointer, old) else { return };
        let held = (held, old);
        let equal = self.bin_labels(Op::Eq, held, (self.one(fresh, expected), expected));
        let new = (self.one(fresh, new), new);
        let stored = self.tri_labels(Op::Ite, (equal, env.b.extract_value(i, 1)), new, held);
        self.keep(pointer, expected, stored, fresh);
        fresh.insert(i, Labels::from_slice(&[held.0, equal]));
    }
}
