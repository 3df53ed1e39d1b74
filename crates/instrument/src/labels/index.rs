//! Address arithmetic that gets no label of its own.
//!
//! `a[i]` that is only read and written: the access passes the parts of the address to the runtime, which makes a label where
//! it needs one (`runtime/src/arithmetic.rs`). Mostly it does not: the object is too large for a choice among its bytes, and
//! the index is pinned. Extensions of an index that serve nothing else get no label either.

use super::body::Body;
use super::cold::Fresh;
use crate::llvm::{Opcode, Value};
use rustc_hash::FxHashMap;
use trace_abi::index_form;

/// Address arithmetic in parts: `base + index · scale + constant`.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// A pointer.
    pub base: Value,
    /// The index before its extension.
    pub index: Value,
    /// `trace_abi::index_form`.
    pub form: u64,
    /// What is added.
    pub constant: i64,
}

/// Address arithmetic of a function that is left to its accesses.
#[derive(Debug, Default)]
pub struct Left {
    addresses: FxHashMap<Value, Parts>,
    /// Extensions of indices, and what they extend.
    extensions: FxHashMap<Value, Value>,
}

impl Left {
    /// The parts of an address that has no label.
    pub fn parts(&self, address: Value) -> Option<Parts> {
        self.addresses.get(&address).copied()
    }

    /// What `v` extends, if it is an extension without a label.
    pub fn extended(&self, v: Value) -> Option<Value> {
        self.extensions.get(&v).copied()
    }

    /// Whether an instruction gets no label.
    pub fn has(&self, i: Value) -> bool {
        self.addresses.contains_key(&i) || self.extensions.contains_key(&i)
    }
}

impl Body<'_, '_> {
    /// Finds what is left to the accesses. Once the values that may have labels are known.
    pub fn leave_addresses(&mut self) {
        let mut left = Left::default();
        for block in self.function.blocks() {
            for i in block.instructions() {
                if let Some(parts) = self.parts_of(i) {
                    left.addresses.insert(i, parts);
                }
            }
        }
        let all: Vec<(Value, Value)> =
            left.addresses.iter().filter_map(|(&a, _)| Some((a, index_of(a)?))).collect();
        for (address, index) in all {
            if index.users().iter().all(|u| left.addresses.contains_key(u) && index_of(*u) == Some(index))
                && let Some((inner, form)) = self.extension(index, scale_of(address))
                && let Some(parts) = left.addresses.get_mut(&address)
            {
                (parts.index, parts.form) = (inner, form);
                left.extensions.insert(index, inner);
            }
        }
        self.left = left;
    }

    fn parts_of(&self, i: Value) -> Option<Parts> {
        if !i.is(Opcode::LLVMGetElementPtr) || !i.ty().is_pointer() || !self.may.contains(&i) {
            return None;
        }
        let gep = i.gep()?;
        let &[(index, scale)] = gep.variables.as_slice() else { return None };
        let bits = index.ty().scalar_width().filter(|&w| w <= 64)?;
        let scale = u32::try_from(scale).ok().filter(|&s| s > 0)?;
        let plain = self.may.contains(&index) && i.users().iter().all(|&u| self.is_plain_access(u, i));
        let form = index_form(scale, bits as u16, bits < 64);
        plain.then_some(Parts { base: gep.base, index, form, constant: gep.constant })
    }

    /// Whether `user` reads or writes one scalar of at most 8 bytes at `address` and does nothing else with it.
    fn is_plain_access(&self, user: Value, address: Value) -> bool {
        let ty = match user.opcode() {
            _ if !user.is_instruction() => return false,
            Opcode::LLVMLoad => user.ty(),
            Opcode::LLVMStore if user.operand(0) != address => user.operand(0).ty(),
            _ => return false,
        };
        let one = |s: &super::shape::Shape| {
            !s.packed && s.slots.len() == 1 && s.slots[0].offset == 0 && s.bytes <= 8
        };
        self.env.shape(ty).is_some_and(|s| one(&s))
    }

    /// What an index extends to 64 bits, and the form with that.
    fn extension(&self, index: Value, scale: u32) -> Option<(Value, u64)> {
        if !index.is_instruction() || index.ty().scalar_width() != Some(64) {
            return None;
        }
        let signed = match index.opcode() {
            Opcode::LLVMZExt => false,
            Opcode::LLVMSExt => true,
            _ => return None,
        };
        let inner = index.operand(0);
        let bits = inner.ty().scalar_width()?;
        self.may.contains(&inner).then(|| (inner, index_form(scale, bits as u16, signed)))
    }

    /// The arguments that say what the address of an access is made of; `None` if it has a label of its own, or is concrete.
    pub fn index_arguments(&self, address: Value, fresh: &Fresh) -> Option<[Value; 5]> {
        let env = self.env;
        let parts = self.left.parts(address)?;
        let (base, index) = (self.one(fresh, parts.base), self.one(fresh, parts.index));
        let value = self.to64(parts.index);
        let known = !(base.is_constant() && index.is_constant());
        known.then(|| [base, index, value, env.k64(parts.form), env.k64(parts.constant as u64)])
    }
}

/// The index of address arithmetic with one.
fn index_of(address: Value) -> Option<Value> {
    address.gep().and_then(|g| g.variables.first().map(|v| v.0))
}

/// What that index is multiplied with.
fn scale_of(address: Value) -> u32 {
    let scale = address.gep().and_then(|g| g.variables.first().map(|v| v.1));
    scale.and_then(|s| u32::try_from(s).ok()).unwrap_or(0)
}
