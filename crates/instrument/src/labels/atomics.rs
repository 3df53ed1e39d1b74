//! Atomic operations on labelled memory: their result and what they store become concrete, and the loss is
//! recorded. (Atomic loads and stores are followed like plain ones.)

use super::body::{Body, Labels};
use super::cold::Fresh;
use super::group::Item;
use crate::llvm::Value;
use trace_abi::Reason;

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
        self.env.b.before(i);
        let bytes = self.env.module.store_size(value.ty());
        let raw = self.raw(i.operand(0), bytes);
        self.test(raw);
        self.queue(item);
        self.flush(i);
    }

    /// The cold side of a read-modify-write.
    pub fn rmw_labels(&self, i: Value, fresh: &mut Fresh) {
        self.lose_atomic(i, &[i.operand(1)], i.operand(1), fresh);
        fresh.insert(i, Labels::from_elem(self.env.zero(), 1));
    }

    /// The cold side of a compare-and-exchange.
    pub fn compare_exchange_labels(&self, i: Value, fresh: &mut Fresh) {
        self.lose_atomic(i, &[i.operand(1), i.operand(2)], i.operand(2), fresh);
    }

    fn lose_atomic(&self, i: Value, operands: &[Value], stored: Value, fresh: &Fresh) {
        let env = self.env;
        let pointer = i.operand(0);
        let bytes = env.module.store_size(stored.ty());
        let (reason, site) = (env.k32(Reason::Atomic as u64), env.k32(self.id.into()));
        let held = env.rt("__sp_load", &[pointer, env.k32(bytes), env.k32(8 * bytes)]);
        env.rt("__sp_lost", &[held, reason, site]);
        for &v in operands {
            self.lose(fresh, v, Reason::Atomic, self.id);
        }
        env.rt("__sp_store_sym", &[pointer, env.k32(bytes), env.zero(), self.one(fresh, pointer), site]);
    }
}
