//! Events: branches, pins, bounds, losses, reads past the end of an input.

use crate::{lock, state};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use trace_abi::{Event, EventKind, Reason};

/// Length of the path log so far (flavour `path`).
static PATH_LEN: AtomicU64 = AtomicU64::new(0);
static COUNT: AtomicU64 = AtomicU64::new(0);
/// Whether the buffer's end was reported.
static FULL: AtomicBool = AtomicBool::new(false);

/// One bit per (reason, site) already reported as lost in this run, by hash: a collision hides a repetition
/// of another place, never the first 2^15 or so.
const SEEN_BITS: usize = 1 << 18;
static SEEN: [AtomicU64; SEEN_BITS / 64] = [const { AtomicU64::new(0) }; SEEN_BITS / 64];

/// Labels pinned not long ago, each in its place of a small direct-mapped cache.
const PINNED_PLACES: usize = 1 << 14;
static PINNED: [AtomicU32; PINNED_PLACES] = [const { AtomicU32::new(0) }; PINNED_PLACES];
/// Why and where pins were made not long ago, plus 1, likewise.
static TOLD: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

/// Checks that failed, plus 1, each in its place of a small direct-mapped cache.
const PLACES: usize = 256;
static FAILED: [AtomicU32; PLACES] = [const { AtomicU32::new(0) }; PLACES];

/// Forgets all events: the start of a run.
pub fn reset() {
    PATH_LEN.store(0, Relaxed);
    FULL.store(false, Relaxed);
    if COUNT.swap(0, Relaxed) == 0 {
        // The first run of a process: nothing was remembered, and looking would touch pages for nothing.
        return;
    }
    for word in SEEN.iter().chain(&TOLD) {
        if word.load(Relaxed) != 0 {
            word.store(0, Relaxed);
        }
    }
    for place in PINNED.iter().chain(&FAILED) {
        if place.load(Relaxed) != 0 {
            place.store(0, Relaxed);
        }
    }
}

/// An event of this kind; the rest zero.
pub const fn new(kind: EventKind, label: u32, value: u64, site: u32) -> Event {
    Event { kind: kind as u8, aux: 0, width: 0, site, label, pos: 0, value }
}

/// A loss.
pub const fn lost(reason: Reason, site: u32, value: u64) -> Event {
    Event { aux: reason as u8, ..new(EventKind::Lost, 0, value, site) }
}

/// Records an event.
pub fn append(e: Event) {
    if state::recording()
        && let Some(_guard) = lock::lock()
    {
        append_locked(e);
    }
}

/// Records an event; the lock is held. The last place is kept for the note that the buffer is full.
pub fn append_locked(mut e: Event) {
    let (n, max) = (COUNT.load(Relaxed), state::max_events());
    if n + 1 >= max {
        // SAFETY: the header is attached.
        unsafe { (*state::header()).dropped_events += 1 };
        state::stop_recording();
        if FULL.swap(true, Relaxed) || n >= max {
            return;
        }
        e = lost(Reason::EventsFull, 0, n);
    }
    e.pos = PATH_LEN.load(Relaxed) as u32;
    // SAFETY: `n` is below the buffer's capacity; the header is attached.
    unsafe {
        *state::events().add(n as usize) = e;
        (*state::header()).n_events = n + 1;
    }
    COUNT.store(n + 1, Relaxed);
}

/// Records that symbolic data was lost, once per reason and site and run.
#[cold]
pub fn lose(reason: Reason, site: u32, value: u64) {
    if !state::recording() {
        return;
    }
    let h = (u64::from(site) << 8 | reason as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 46;
    let bit = 1u64 << (h % 64);
    if SEEN[h as usize / 64].fetch_or(bit, Relaxed) & bit == 0 {
        append(lost(reason, site, value));
    }
}

/// Records that a check failed; one event per check and run mostly does.
#[cold]
pub fn failed(check: u32) {
    if state::recording() && FAILED[check as usize % PLACES].swap(check + 1, Relaxed) != check + 1 {
        append(new(EventKind::Failed, 0, 0, check));
    }
}

/// Pins `label` to the value it has in this run. A constant needs no pin, and neither does what was pinned not long ago, as
/// a label has one value per run, once this reason is known of this place. Forgetful, so an event may still be repeated.
pub fn pin(label: u32, value: u64, reason: Reason, site: u32) {
    if label == 0 || !state::recording() {
        return;
    }
    let (label, value) = crate::simplify::undone(label, value);
    let why = u64::from(site) << 8 | reason as u64;
    let told = &TOLD[(why.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % PLACES];
    let pinned = &PINNED[label as usize % PINNED_PLACES];
    if pinned.load(Relaxed) != label || told.load(Relaxed) != why + 1 {
        pinned.store(label, Relaxed);
        told.store(why + 1, Relaxed);
        let width = crate::node::width(label);
        let value = value & crate::node::mask(width);
        append(Event { aux: reason as u8, width, ..new(EventKind::Pin, label, value, site) });
    }
}

/// A library model went this way; a flip may ask for the other. A constant decides nothing.
pub fn decide(condition: crate::models::value::Value) -> bool {
    if condition.label != 0 {
        append(Event { width: 1, ..new(EventKind::Decision, condition.label, condition.now, 0) });
    }
    condition.now == 1
}

/// The program read past the end of input object `object` and would have needed `length` bytes.
#[cold]
pub fn past_end(object: u32, length: u64) {
    append(new(EventKind::Eof, 0, length, object));
}

/// Appends to the path log.
pub fn log_path(entry: u32) {
    let n = PATH_LEN.load(Relaxed);
    let h = state::header();
    // SAFETY: attached; `n` is checked against the log's capacity. Threads may overwrite each other's
    // entries, never anything else: the log is meaningful for one thread only.
    unsafe {
        if n >= (*h).layout.max_path {
            (*h).dropped_path += 1;
            return;
        }
        *state::path().add(n as usize) = entry;
        (*h).n_path = n + 1;
    }
    PATH_LEN.store(n + 1, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplify::{Operand, bin, zero_extend};
    use crate::testing::Lab;
    use trace_abi::Op;

    /// Label of `base + (index extended << by)`, and its value.
    fn address(index: u32, value: u64, by: u64, base: u64) -> (u32, u64) {
        let scaled = bin(Op::Shl, 64, Operand::new(zero_extend(index, 64), 0), Operand::constant(by));
        (bin(Op::Add, 64, Operand::new(scaled, 0), Operand::constant(base)), base + (value << by))
    }

    fn pinned(lab: &Lab) -> Vec<(u32, u64, u16)> {
        lab.events().iter().map(|e| (e.label, e.value, e.width)).collect()
    }

    #[test]
    fn addresses_at_one_index_are_pinned_once() {
        let lab = Lab::new(&[7; 4]);
        let index = crate::node::input(0, 0);
        for (by, base) in [(2, 0x5000), (3, 0x1_0000_0000), (0, 0x77)] {
            let (label, now) = address(index, 7, by, base);
            pin(label, now, Reason::LoadAddress, 4);
        }
        assert_eq!(pinned(&lab), [(index, 7, 8)]);
        pin(index, 7, Reason::LoadAddress, 5);
        assert_eq!(lab.events().len(), 2, "another place is told of");
    }

    #[test]
    fn what_loses_bits_is_pinned_as_it_is() {
        let lab = Lab::new(&[0xc7; 4]);
        let index = crate::node::input(0, 0);
        let cut = bin(Op::Shl, 8, Operand::new(index, 0), Operand::constant(2));
        pin(cut, 0x1c, Reason::LoadAddress, 4);
        assert_eq!(pinned(&lab), [(cut, 0x1c, 8)]);
    }
}
