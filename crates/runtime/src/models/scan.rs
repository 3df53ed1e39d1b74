//! The bytes that a model looks at.

use super::MAX_SCAN;
use super::value::Value;
use crate::shadow;
use core::ops::Add;

/// A stretch of memory read from its start, at most [`MAX_SCAN`] bytes.
pub struct Bytes {
    /// Address of the first byte.
    pub base: usize,
    values: [Value; MAX_SCAN],
    /// How many there are.
    pub len: usize,
    /// Whether nothing behind them can matter, whatever the input.
    pub complete: bool,
}

const PAGE: usize = 4096;

/// Whether a byte that the function itself might not reach in this run may be read: it is labelled (so it is
/// memory of the program), or on the page of its predecessor, which is readable.
pub fn may_peek(address: usize) -> bool {
    !address.is_multiple_of(PAGE) || shadow::word(address) != 0
}

impl Bytes {
    fn empty(base: usize) -> Bytes {
        Bytes { base, values: [Value::constant(8, 0); MAX_SCAN], len: 0, complete: true }
    }

    /// Byte `k`.
    pub fn get(&self, k: usize) -> Value {
        self.values[k]
    }

    /// All of them.
    pub fn all(&self) -> &[Value] {
        &self.values[..self.len]
    }

    /// Adds a byte; false if there is no room.
    pub fn push(&mut self, v: Value) -> bool {
        if self.len == MAX_SCAN {
            return false;
        }
        self.values[self.len] = v;
        self.len += 1;
        true
    }

    /// A buffer of `n` bytes.
    pub fn buffer(base: usize, n: usize) -> Bytes {
        let mut b = Bytes::empty(base);
        while b.len < n && b.push(Value::byte_at(base + b.len)) {}
        b.complete = b.len == n;
        b
    }

    /// A string: up to and including the first NUL that is there in every run. Goes on behind a NUL that
    /// other inputs might replace, as long as memory may be read; at most `limit` bytes, behind which the function
    /// does not look.
    pub fn string(base: usize, limit: usize) -> Bytes {
        Bytes::string_behind(base, 0, limit)
    }

    /// The same behind `before` bytes that may be anything.
    pub fn string_behind(base: usize, before: usize, limit: usize) -> Bytes {
        let mut b = Bytes::buffer(base, before);
        let limit = limit.saturating_add(before);
        let (mut ended, mut closed) = (false, false);
        while !closed && b.len < limit.min(MAX_SCAN) {
            let at = base + b.len;
            if ended && !may_peek(at) {
                break;
            }
            let v = Value::byte_at(at);
            ended |= v.now == 0;
            closed = v.is_false();
            b.push(v);
        }
        b.complete = closed || b.len == limit;
        b
    }

    /// A string of which at most `most` bytes are followed.
    pub fn string_cut(base: usize, most: usize) -> Bytes {
        let mut b = Bytes::string(base, most);
        b.complete = b.all().last().is_some_and(|v| v.is_false());
        b
    }

    /// No bytes yet, for those that do not come from memory.
    pub fn none() -> Bytes {
        Bytes::empty(0)
    }
}

/// A constant byte.
pub const fn byte(c: u8) -> Value {
    Value::constant(8, c as u64)
}

/// A constant address.
pub const fn address(a: usize) -> Value {
    Value::constant(64, a as u64)
}

/// Whether a byte is in a set.
pub fn member(b: Value, set: &[Value]) -> Value {
    set.iter().fold(Value::constant(1, 0), |acc, &s| acc.or(b.equals(s)))
}

/// An ASCII byte in lower case.
pub fn lower(b: Value) -> Value {
    let up = b.within(u64::from(b'A'), u64::from(b'Z'));
    up.select(b.add(byte(32)), b)
}
