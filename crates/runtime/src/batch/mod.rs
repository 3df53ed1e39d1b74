//! Batches: many runs ordered at once, see `trace_abi`'s part on them.
//!
//! Two ways. A fuzz target, or a `main` that reads standard input or one file ([`again`]), runs many inputs in one process
//! ([`runner`]), which the server keeps for the next batch; it is replaced when it has grown, made as many runs as it may, or
//! died. All else, and programs whose runs are not independent of each other, get a process per input, forked after start-up
//! ([`serve`]). Either way the engine is woken once.

pub mod again;
mod compare;
pub mod runner;
pub mod serve;

use crate::libc;
use crate::state;
use compare::compare;
use trace_abi::{BATCH_IDLE, BatchEntry, BatchHeader, BatchResult, fingerprint, run_flags};

/// The mapping's batch area. Only where [`is_possible`].
fn head() -> *mut BatchHeader {
    state::at(state::layout().batch_at()).cast()
}

/// Whether the engine left room for batches.
pub fn is_possible() -> bool {
    state::layout().max_batch > 0
}

/// Entry `k`, or `None` past the area.
fn entry(k: u32) -> Option<*mut BatchEntry> {
    let layout = state::layout();
    (u64::from(k) < layout.max_batch).then(|| state::at(layout.batch_entry_at(k.into())).cast())
}

/// Says which entry is being run.
fn set_current(k: u32) {
    // SAFETY: inside the mapping.
    unsafe { (&raw mut (*head()).current).write_volatile(k) };
}

/// Which entry is being run, as far as that can be believed.
fn current() -> u32 {
    // SAFETY: inside the mapping.
    unsafe { (&raw const (*head()).current).read_volatile() }
}

/// Coverage bytes in use, rounded up to whole words (the area is one of whole pages).
fn counted() -> usize {
    (state::coverage_len() as usize).next_multiple_of(8)
}

fn counters() -> &'static mut [u8] {
    // SAFETY: the mapping's coverage area is at least that long; user code of this process is not running.
    unsafe { core::slice::from_raw_parts_mut(state::at(state::layout().coverage_at()), counted()) }
}

fn seen() -> &'static mut [u8] {
    // SAFETY: as long as the coverage area; nobody else uses it between runs.
    unsafe { core::slice::from_raw_parts_mut(state::at(state::layout().seen_at()), counted()) }
}

/// What the run that just ended is called by its counters.
fn coverage_fingerprint() -> u64 {
    fingerprint(counters())
}

/// The run of entry `k` is over: compares its counters with what was seen and leaves the result.
fn finish(k: u32, status: i32) {
    let result = compare(counters(), seen());
    if let Some(entry) = entry(k) {
        // SAFETY: inside the mapping.
        unsafe {
            (*entry).status = status;
            (&raw mut (*entry).result).write_volatile(result as u32);
        }
    }
}

/// The first of the entries `from..to` without a result.
fn first_without_result(from: u32, to: u32) -> u32 {
    let is_open = |k: &u32| {
        // SAFETY: inside the mapping.
        entry(*k)
            .is_none_or(|e| unsafe { (&raw const (*e).result).read_volatile() } == BatchResult::NotRun as u32)
    };
    (from..to).find(is_open).unwrap_or(to)
}

/// Makes the header say what entry `k` asks for; the offset of its first object. `None` if there is no such entry.
fn adopt(k: u32) -> Option<u64> {
    let h = state::header();
    // SAFETY: inside the mapping; a copy, so that what is checked is what is used.
    let e = unsafe { entry(k)?.read_volatile() };
    // SAFETY: the header is attached.
    unsafe {
        (*h).flags = e.flags & run_flags::RANDOM_VALUES;
        (*h).n_objects = e.n_objects;
        (*h).value_seed = e.value_seed;
        (*h).crash_signal = 0;
        (*h).n_crash_frames = 0;
    }
    Some(state::layout().input_at().wrapping_add(e.offset))
}

/// A single run follows a batch: nothing that the batch's processes did may be taken for its own.
pub fn forget() {
    // SAFETY: the header is attached.
    unsafe { (*state::header()).entered = 0 };
    counters().fill(0);
}

/// Between runs: all counters are zero and no entry is being run.
fn clear() {
    set_current(BATCH_IDLE);
    counters().fill(0);
}

/// Writes all of `data`; false if that is not possible.
fn write_all(fd: libc::c_int, data: &[u8]) -> bool {
    let mut done = 0;
    while done < data.len() {
        // SAFETY: the rest of the slice.
        let n = unsafe { libc::write(fd, data[done..].as_ptr().cast(), data.len() - done) };
        if n <= 0 {
            return false;
        }
        done += n as usize;
    }
    true
}
