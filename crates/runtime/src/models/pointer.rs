//! Pointers into text that the input chose (`strchr` before, `memchr` in a loop), as arguments of models.
//!
//! Such a pointer need not stay where it is in this run. A comparison reads its bytes as choices among those of the object
//! ([`Side`]); a search goes over the whole text that the pointer lies in, and counts only what lies at or behind it
//! ([`Start`]). What must hold for that is recorded: the pointer stays in the text. Else it is pinned.

use super::MAX_SCAN;
use super::args::{Args, symbolic};
use super::scan::{self, address};
use super::value::Value;
use crate::indexed::{self, Access};
use crate::objects;
use core::ops::{Add, Sub};

/// Accesses by models, for [`Access::id`]: none of the program's.
const BY_MODELS: u32 = u32::MAX;
/// Most bytes of the text before a pointer from which a search begins.
const MAX_BEFORE: usize = MAX_SCAN / 2;

/// One of two texts that are compared.
#[derive(Clone, Copy)]
pub struct Side {
    at: usize,
    /// 0: where it is in this run.
    label: u32,
}

impl Side {
    /// Argument `k`, which is this pointer.
    pub fn new<T>(args: &Args, k: usize, pointer: *const T) -> Side {
        let (at, mut label) = (pointer as usize, args.label(k));
        if label != 0 && !(symbolic() && indexed::follows(&access(at, label))) {
            args.pin_pointer(k, pointer);
            label = 0;
        }
        Side { at, label }
    }

    /// A text that stays where it is.
    pub const fn fixed(at: usize) -> Side {
        Side { at, label: 0 }
    }

    /// Whether the input chooses where it is.
    pub const fn moves(self) -> bool {
        self.label != 0
    }

    /// Byte `k`.
    pub fn byte(self, k: usize) -> Value {
        let here = Value::byte_at(self.at + k);
        if self.label == 0 {
            return here;
        }
        let place = Value::new(self.label, 64, self.at as u64).add(Value::constant(64, k as u64));
        Value::new(indexed::load(&access(self.at + k, place.label), 8), 8, here.now)
    }

    /// Whether byte `k` may be read although this run's comparison ends before.
    pub fn may_peek(self, k: usize) -> bool {
        match self.label {
            0 => scan::may_peek(self.at + k),
            label => indexed::follows(&access(self.at + k, label)),
        }
    }
}

const fn access(address: usize, label: u32) -> Access {
    Access { address, bytes: 1, label, index: None, declared: None, site: 0, id: BY_MODELS }
}

/// Where a search begins.
#[derive(Clone, Copy)]
pub struct Start {
    /// First byte of what is looked at: what lies before `pointer` does not count.
    pub base: usize,
    /// The pointer.
    pub pointer: Value,
}

impl Start {
    /// Argument `k`, which is this pointer.
    pub fn new<T>(args: &Args, k: usize, pointer: *const T) -> Start {
        let fixed = Start { base: pointer as usize, pointer: address(pointer as usize) };
        if args.label(k) == 0 || !symbolic() {
            return fixed;
        }
        let Some(base) = text_before(pointer as usize) else {
            args.pin_pointer(k, pointer);
            return fixed;
        };
        Start { base, pointer: args.value(k, 64, pointer as u64) }
    }

    /// Makes it stay where it is.
    pub fn pin(&mut self) {
        if !self.pointer.is_const() {
            let now = self.pointer.now;
            crate::event::pin(self.pointer.label, now, trace_abi::Reason::LoadAddress, 0);
            *self = Start { base: now as usize, pointer: address(now as usize) };
        }
    }

    /// How many bytes lie before the pointer in this run.
    pub const fn before(&self) -> usize {
        self.pointer.now as usize - self.base
    }

    /// Whether the byte at `at` counts.
    pub fn counts(&self, at: usize) -> Value {
        if self.pointer.is_const() { Value::constant(1, 1) } else { self.pointer.ule(address(at)) }
    }

    /// Records that the pointer lies in the first `len` bytes.
    pub fn stays_within(&self, len: usize) {
        if self.pointer.is_const() || len == 0 {
            return;
        }
        let inside = self.pointer.sub(address(self.base)).ule(Value::constant(64, len as u64 - 1));
        if inside.label != 0 {
            crate::tables::within(inside.label, BY_MODELS);
        }
    }
}

/// Where the text begins that the pointer lies in, if it is known and not too far.
fn text_before(pointer: usize) -> Option<usize> {
    let text = objects::find_text(pointer)?;
    (pointer - text.base <= MAX_BEFORE).then_some(text.base)
}
