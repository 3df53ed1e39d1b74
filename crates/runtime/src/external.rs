//! Calls of functions without bitcode or model that are handed pointers.
//!
//! Before the call, the labelled bytes behind each pointer are remembered with their values; after it, bytes
//! that have another value lose their labels. Calls nest (an external `qsort` calls back), and threads
//! interleave, so entries form a stack whose frames know their thread.

use crate::{event, lock, objects, shadow, state, tls};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};
use trace_abi::Reason;

/// How far behind a pointer to look where its object is not known.
const WINDOW: usize = 4096;
/// Capacity of the stack; what does not fit is made concrete at once.
const MAX_ENTRIES: u32 = 1 << 18;
/// Frames deep.
const MAX_FRAMES: u32 = 1 << 10;

/// A labelled byte and its value before the call.
#[derive(Clone, Copy)]
struct Entry {
    address: usize,
    value: u8,
}

/// One call in progress.
#[derive(Clone, Copy)]
struct Frame {
    thread: u64,
    call: u32,
    start: u32,
    /// One past the last entry.
    end: u32,
    live: bool,
}

static ENTRIES: AtomicPtr<Entry> = AtomicPtr::new(null_mut());
static FRAMES: AtomicPtr<Frame> = AtomicPtr::new(null_mut());
static N_FRAMES: AtomicU32 = AtomicU32::new(0);

/// Forgets calls in progress: the start of a run.
pub fn reset() {
    N_FRAMES.store(0, Relaxed);
}

fn buffers() -> Option<(*mut Entry, *mut Frame)> {
    if ENTRIES.load(Relaxed).is_null() {
        let entries = state::map_anonymous(MAX_ENTRIES as usize * size_of::<Entry>());
        let frames = state::map_anonymous(MAX_FRAMES as usize * size_of::<Frame>());
        if entries.is_null() || frames.is_null() {
            return None;
        }
        FRAMES.store(frames.cast(), Relaxed);
        ENTRIES.store(entries.cast(), Relaxed);
    }
    Some((ENTRIES.load(Relaxed), FRAMES.load(Relaxed)))
}

/// The memory behind `pointer` that is looked at: to the end of its object, or a window.
fn behind(pointer: usize) -> (usize, usize) {
    match objects::find(pointer, 1) {
        Some(o) => (o.base, o.size.min(pointer - o.base + WINDOW)),
        None => (pointer, WINDOW),
    }
}

/// Remembers labelled bytes behind the pointers.
pub fn before(call: u32, pointers: &[*const u8]) {
    if !state::recording() {
        return;
    }
    let Some(guard) = lock::lock() else { return };
    let Some((entries, frames)) = buffers() else { return };
    let n = N_FRAMES.load(Relaxed);
    // SAFETY: frame `n - 1` was written by an earlier call.
    let start = if n == 0 { 0 } else { unsafe { (*frames.add(n as usize - 1)).end } };
    let mut end = start;
    for &p in pointers {
        let p = p as usize;
        if p < WINDOW || !shadow::covers(p as u64) || !shadow::covers((p + WINDOW) as u64) {
            continue;
        }
        let (from, len) = behind(p);
        for address in from..from + len {
            if shadow::word(address) == 0 {
                continue;
            }
            if end >= MAX_ENTRIES || n >= MAX_FRAMES {
                shadow::set(address, 0);
                continue;
            }
            // SAFETY: below the capacity; a labelled byte is memory of the program.
            unsafe { *entries.add(end as usize) = Entry { address, value: *(address as *const u8) } };
            end += 1;
        }
    }
    if end > start {
        let frame = Frame { thread: tls::thread_id(), call, start, end, live: true };
        // SAFETY: `end` grew only where `n` was below the capacity.
        unsafe { *frames.add(n as usize) = frame };
        N_FRAMES.store(n + 1, Relaxed);
        drop(guard);
        event::lose(Reason::ExternalCall, call, u64::from(end - start));
    }
}

/// Drops labels of remembered bytes that changed.
pub fn after(call: u32) {
    let n = N_FRAMES.load(Relaxed);
    if n == 0 || !state::recording() {
        return;
    }
    let Some(_guard) = lock::lock() else { return };
    let Some((entries, frames)) = buffers() else { return };
    let me = tls::thread_id();
    // SAFETY: `n` frames were written, and none is read past it.
    let all = unsafe { core::slice::from_raw_parts_mut(frames, n as usize) };
    let Some(mine) = all.iter().rposition(|f| f.live && f.thread == me && f.call == call) else { return };
    let Frame { start, end, .. } = all[mine];
    for k in start..end {
        // SAFETY: entries below `end` were written; a labelled byte is memory of the program.
        unsafe {
            let e = *entries.add(k as usize);
            if shadow::word(e.address) != 0 && *(e.address as *const u8) != e.value {
                shadow::set(e.address, 0);
            }
        }
    }
    // Frames of this thread above mine were left by a non-local jump.
    for f in &mut all[mine..] {
        if f.thread == me {
            f.live = false;
        }
    }
    let live = all.iter().rposition(|f| f.live).map_or(0, |k| k + 1);
    N_FRAMES.store(live as u32, Relaxed);
}
