//! What lies beyond the bytes that a model follows.
//!
//! A model's expression covers a stretch of bounded length. Where it leaves out something that decided the
//! result, or might decide it for other inputs, that is pinned to what it was in this run, so that the path
//! constraint stays sound: wherever the pins hold, the expression is what the function answers.

use super::scan::{Bytes, byte};
use super::value::Value;
use crate::{event, shadow};
use core::ops::Not;
use trace_abi::Reason;

/// Conditions in one pin.
const PER_PIN: usize = 64;

/// Conditions that held in this run, pinned many at a time.
pub struct Facts {
    all: Value,
    count: usize,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts::new()
    }
}

impl Facts {
    /// None yet.
    pub const fn new() -> Facts {
        Facts { all: Value::constant(1, 1), count: 0 }
    }

    /// Whether `condition` (width 1) holds stays as it is.
    pub fn add(&mut self, condition: Value) {
        if condition.is_const() {
            return;
        }
        let fact = if condition.now == 1 { condition } else { condition.not() };
        self.all = self.all.and(fact);
        self.count += 1;
        if self.count == PER_PIN {
            self.flush();
        }
    }

    /// The byte at `address` stays as it is.
    pub fn add_byte(&mut self, address: usize) {
        if shadow::word(address) != 0 {
            let v = Value::byte_at(address);
            self.add(v.equals(byte(v.now as u8)));
        }
    }

    fn flush(&mut self) {
        event::pin(self.all.label, self.all.now, Reason::Model, 0);
        (self.all, self.count) = (Value::constant(1, 1), 0);
    }
}

impl Drop for Facts {
    fn drop(&mut self) {
        self.flush();
    }
}

/// `n` bytes at `address` stay as they are.
pub fn pin_bytes(address: usize, n: usize) {
    if shadow::any(address, n) {
        let mut facts = Facts::new();
        for k in 0..n {
            facts.add_byte(address + k);
        }
    }
}

/// The string at `address` keeps its length `n`; `ended` says whether a NUL follows (or a maximum was reached).
pub fn pin_length(address: usize, n: usize, ended: bool) {
    let looked_at = n + usize::from(ended);
    if super::args::symbolic() && shadow::any(address, looked_at) {
        let mut facts = Facts::new();
        for k in 0..looked_at {
            facts.add(Value::byte_at(address + k).equals(byte(0)));
        }
    }
}

/// Pins how a search for the first byte that is `wanted` (or NUL, where `ends`) went on from the end of `b`,
/// up to `end` at most.
pub fn pin_first(b: &Bytes, end: usize, ends: bool, wanted: impl Fn(Value) -> Value) {
    let mut facts = Facts::new();
    for at in b.base + b.len..end {
        let v = Value::byte_at(at);
        let (hit, over) = (wanted(v), v.equals(byte(0)));
        facts.add(hit);
        if ends {
            facts.add(over);
        }
        if hit.now == 1 || (ends && over.now == 1) {
            return;
        }
    }
}

/// Pins how a search for the last byte that is `wanted` saw the bytes from the end of `b` to `end`, or to the
/// NUL where `ends`. The address of the last such byte.
pub fn pin_last(b: &Bytes, end: usize, ends: bool, wanted: impl Fn(Value) -> Value) -> Option<usize> {
    let (mut facts, mut found) = (Facts::new(), None);
    for at in b.base + b.len..end {
        let v = Value::byte_at(at);
        let (hit, over) = (wanted(v), v.equals(byte(0)));
        facts.add(hit);
        if hit.now == 1 {
            found = Some(at);
        }
        if ends {
            facts.add(over);
            if over.now == 1 {
                break;
            }
        }
    }
    found
}

/// Pins at each of these places of `hay` (an address and a length) why `needle` is not there, by one byte that
/// differs, or that it is.
pub fn pin_search(
    hay: (usize, usize),
    needle: &[Value],
    places: core::ops::Range<usize>,
    at: fn(usize) -> Value,
) {
    let mut facts = Facts::new();
    for k in places {
        if k + needle.len() > hay.1 {
            break;
        }
        let differs = needle.iter().enumerate().find(|(j, n)| at(hay.0 + k + j).now != n.now);
        if let Some((j, n)) = differs {
            facts.add(at(hay.0 + k + j).equals(*n));
        } else {
            for (j, n) in needle.iter().enumerate() {
                facts.add(at(hay.0 + k + j).equals(*n));
            }
        }
    }
}
