//! Reads of memory at addresses of a range.

use super::wrap::{unsigned, wrap};
use crate::domain::{Domain, Value};
use crate::range::Range;
use expr::Table;
use std::sync::Arc;

/// More addresses than this are not looked at.
const MAX_ADDRESSES: i128 = 512;

/// What is read.
#[derive(Clone, Debug)]
pub struct Memory {
    base: u64,
    bytes: Arc<[u8]>,
    /// Whether a byte is symbolic; empty if none is.
    symbolic: Vec<bool>,
}

impl Memory {
    /// Of a table. Symbolic bytes may be anything.
    pub fn new(table: &Table) -> Memory {
        let symbolic = table.symbolic.iter().map(Option::is_some).collect();
        Memory { base: table.base, bytes: table.bytes.clone(), symbolic }
    }

    /// Whether a byte may be anything.
    pub fn has_symbolic_bytes(&self) -> bool {
        self.symbolic.contains(&true)
    }

    /// A little-endian read of `width` bits; `None` says nothing. Outside there are zeros.
    pub(super) fn read(&self, width: u16, address: Value) -> Option<Domain> {
        if self.base < 64 || self.base.checked_add(self.bytes.len() as u64 + 64).is_none() {
            // Addresses that wrap around are not thought of.
            return None;
        }
        let first = i128::from(self.base) - i128::from(width / 8) + 1;
        let inside = Range::new(first, i128::from(self.base) + self.bytes.len() as i128 - 1);
        let mut all = Domain::EMPTY;
        for part in unsigned(address.as_integer(), 64) {
            let read = part.meet(inside);
            if read != part {
                all = all.join(wrap(Range::point(0), width));
            }
            if !read.is_empty() && read.hi - read.lo >= MAX_ADDRESSES {
                return None;
            }
            for address in read.lo..=read.hi {
                all = all.join(self.at(address - i128::from(self.base), width));
            }
        }
        Some(all)
    }

    /// The value at an offset.
    fn at(&self, offset: i128, width: u16) -> Domain {
        let (mut least, mut most) = (0u128, 0u128);
        for k in (0..i128::from(width / 8)).rev() {
            let place = usize::try_from(offset + k).ok();
            let byte = place.and_then(|place| self.bytes.get(place)).copied().unwrap_or(0);
            let any = place.and_then(|place| self.symbolic.get(place)).copied().unwrap_or(false);
            let (lo, hi) = if any { (0, u8::MAX) } else { (byte, byte) };
            least = least << 8 | u128::from(lo);
            most = most << 8 | u128::from(hi);
        }
        wrap(Range::new(least as i128, most as i128), width)
    }
}
