//! Callees seen at indirect calls.

use crate::simplify::{Operand, bin, tri};
use crate::{event, pointers, state};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed};
use trace_abi::{Event, EventKind, IndirectCall, Op};

/// Function addresses with their ids, sorted by address.
static FUNCTIONS: AtomicPtr<(usize, u32)> = AtomicPtr::new(null_mut());
static N_FUNCTIONS: AtomicU32 = AtomicU32::new(0);
const SEEN_BITS: usize = 1 << 16;
/// One bit per (call, function) recorded, by hash.
static SEEN: [AtomicU64; SEEN_BITS / 64] = [const { AtomicU64::new(0) }; SEEN_BITS / 64];

/// The pairs of callee and call that were recorded last, each in a slot of its own: a call that goes to and fro between two callees
/// is recorded over and over, and without this the function's id is searched for each time. 0: none.
static LATELY: [AtomicU64; 1 << LATELY_BITS] = [const { AtomicU64::new(0) }; 1 << LATELY_BITS];
const LATELY_BITS: usize = 9;

/// Where a pair is kept, and as which number; `None` for those that no number tells from others.
fn lately(callee: usize, call: u32) -> Option<(&'static AtomicU64, u64)> {
    let (callee, call) = (callee as u64, u64::from(call));
    if callee >> 48 != 0 || call >> 16 != 0 {
        return None;
    }
    let pair = call << 48 | callee;
    let slot = &LATELY[(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - LATELY_BITS)) as usize];
    Some((slot, pair))
}

/// Forgets what was seen: the start of a run.
pub fn reset() {
    for word in LATELY.iter().chain(&SEEN) {
        if word.load(Relaxed) != 0 {
            word.store(0, Relaxed);
        }
    }
}

/// Sorts the module's functions by address. Once, before user code.
pub fn index_functions() {
    let Some(m) = state::module() else { return };
    if m.n_functions == 0 || m.functions.is_null() || !FUNCTIONS.load(Relaxed).is_null() {
        return;
    }
    let n = m.n_functions as usize;
    let copy = state::map_anonymous(n * size_of::<(usize, u32)>()).cast::<(usize, u32)>();
    if copy.is_null() {
        return;
    }
    // SAFETY: the instrumenter emits `n_functions` addresses; the copy has room for as many, and zero is valid.
    let (from, to) =
        unsafe { (core::slice::from_raw_parts(m.functions, n), core::slice::from_raw_parts_mut(copy, n)) };
    for (id, address) in from.iter().enumerate() {
        to[id] = (*address as usize, id as u32);
    }
    to.sort_unstable();
    FUNCTIONS.store(copy, Relaxed);
    N_FUNCTIONS.store(m.n_functions, Relaxed);
}

/// The function id of an address, or `u32::MAX`.
fn function_at(address: usize) -> u32 {
    let (p, n) = (FUNCTIONS.load(Relaxed), N_FUNCTIONS.load(Relaxed) as usize);
    if p.is_null() || address == 0 {
        return u32::MAX;
    }
    // SAFETY: `index_functions` filled `n` entries.
    let all = unsafe { core::slice::from_raw_parts(p, n) };
    all.binary_search_by_key(&address, |f| f.0).map_or(u32::MAX, |k| all[k].1)
}

/// Call `call` through the symbolic pointer `label` goes to `address`. Where the pointer is chosen among known ones the
/// event is about which of them it is, so that each of the others can be asked for.
pub fn decide(label: u32, address: u64, call: u32) {
    if label == 0 || !state::recording() {
        return;
    }
    let known = pointers::leaves(label);
    let known = known.as_ref().map(|l| l.as_slice()).filter(|l| l.len() > 1 && l.contains(&address));
    let Some(known) = known else {
        return event::append(event::new(EventKind::IndirectCall, label, address, call));
    };
    let mut index = Operand::constant(0);
    let mut here = 0;
    for (k, &callee) in known.iter().enumerate() {
        here = if callee == address { k as u64 } else { here };
        let is = bin(Op::Eq, 64, Operand::new(label, 0), Operand::constant(callee));
        if k > 0 && is != 0 {
            let label = tri(Op::Ite, 64, Operand::new(is, 0), Operand::constant(k as u64), index);
            index = Operand::new(label, 0);
        }
    }
    if index.label != 0 {
        let of = event::new(EventKind::IndirectCall, index.label, here, call);
        event::append(Event { width: known.len() as u16, ..of });
    }
}

/// Call `call` went to `callee`, which is not where it went last time.
pub fn record(callee: *const u8, call: u32) {
    if let Some(m) = state::module()
        && call < m.n_calls
        && !m.last_callee.is_null()
    {
        // SAFETY: one entry per call id.
        unsafe { *m.last_callee.add(call as usize) = callee };
    }
    if let Some((slot, pair)) = lately(callee as usize, call)
        && slot.swap(pair, Relaxed) == pair
    {
        return;
    }
    let function = function_at(callee as usize);
    let h = (u64::from(call) << 32 | u64::from(function)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
    let bit = 1u64 << (h % 64);
    if SEEN[h as usize / 64].fetch_or(bit, Relaxed) & bit != 0 {
        return;
    }
    let h = state::header();
    // SAFETY: the header is attached; the record index is checked against the capacity.
    unsafe {
        let n = (*h).n_icalls;
        if n < (*h).layout.max_icalls {
            *state::icalls().add(n as usize) = IndirectCall { call, function };
            (*h).n_icalls = n + 1;
        }
    }
}
