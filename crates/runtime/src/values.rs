//! Input values asked for by calls, in call order: `spelunk.h`, `CREST_*`, `__VERIFIER_nondet_*`, `klee_*`.
//!
//! The k-th value asked for is answered by the k-th value object of the input, cut or filled up to the size asked
//! for; beyond the last the run ends if the input says so, else zero, or bytes drawn by splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014) from the run's seed and the value's number, by the distribution of its name if that has one ([`bias`]). What was consumed is written to the
//! consumed-values area, so that the engine knows the whole input of the run.

use crate::libc::c_char;
use crate::{
    arguments, assume, bias, event, lock, memory, repeats, shadow, simplify, snapshot, state, sys, tls,
};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use trace_abi::{Header, ObjectHeader, ObjectKind, Op, Reason, ValueType, run_flags};

/// Number of values asked for so far.
static ASKED: AtomicU32 = AtomicU32::new(0);
/// Where to look for the next provided value: an object index.
static NEXT: AtomicU32 = AtomicU32::new(0);
/// Number of objects that exist before the run; values are numbered from here.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// Begins to count anew: another run in the same process.
pub fn reset() {
    repeats::forget();
    ASKED.store(0, Relaxed);
    NEXT.store(0, Relaxed);
}

/// Whether all values that were provided have been asked for.
pub fn are_used_up() -> bool {
    state::find_object(ObjectKind::Value, NEXT.load(Relaxed)).is_none()
}

/// Fills `len` bytes at `to` with the next value and labels them.
///
/// # Safety
/// `to` is valid for writes of `len` bytes.
pub unsafe fn ask(to: *mut u8, len: usize, kind: ValueType, name: &[u8]) {
    snapshot::at_input();
    let number = ASKED.fetch_add(1, Relaxed);
    if number == 0 {
        let before = |i: &u32| state::object(*i).is_some_and(|o| o.kind != ObjectKind::Value as u32);
        FIRST.store((0..state::n_objects()).filter(before).count() as u32, Relaxed);
    }
    // SAFETY: as the caller promises; the slice ends before anything else touches the bytes.
    let bytes = unsafe { core::slice::from_raw_parts_mut(to, len) };
    let place = repeats::place(name, kind, len);
    fill(bytes, number, place, (kind, name));
    if kind == ValueType::Bool {
        bytes.iter_mut().for_each(|b| *b &= 1);
    }
    repeats::remember(place, bytes, number);
    let object = FIRST.load(Relaxed) + number;
    shadow::clear(to as usize, len);
    if record(bytes, kind, name) {
        arguments::label(to, object, len);
    } else {
        // Without a place to tell it, later values would be misnumbered: they stay concrete.
        event::lose(Reason::EventsFull, 0, u64::from(number));
    }
}

/// The bytes of value `number`.
fn fill(bytes: &mut [u8], number: u32, place: u32, of: (ValueType, &[u8])) {
    // SAFETY: the header is attached.
    let (flags, seed) = unsafe { ((*state::header()).flags, (*state::header()).value_seed) };
    let given = match state::find_object(ObjectKind::Value, NEXT.load(Relaxed)) {
        Some((index, o)) => {
            NEXT.store(index + 1, Relaxed);
            o.data
        }
        None => {
            if state::find_object(ObjectKind::End, 0).is_some() {
                assume::leave();
            }
            NEXT.store(u32::MAX, Relaxed);
            &[]
        }
    };
    let n = given.len().min(bytes.len());
    bytes[..n].copy_from_slice(&given[..n]);
    bytes[n..].fill(0);
    let is_drawn = given.is_empty() && flags & run_flags::RANDOM_VALUES != 0;
    if is_drawn && flags & run_flags::REPEATS != 0 && repeats::draw(place, bytes, seed, number) {
        return;
    }
    if is_drawn && bias::draw(of, bytes, seed, number) {
        return;
    }
    if flags & run_flags::RANDOM_VALUES != 0 {
        for (i, b) in bytes.iter_mut().enumerate().skip(n) {
            let word = splitmix64(seed ^ splitmix64(u64::from(number) << 32 | (i as u64 / 8)));
            *b = word.to_le_bytes()[i % 8];
        }
    }
}

/// A number from a number, well mixed.
pub const fn splitmix64(x: u64) -> u64 {
    let z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Appends to the consumed-values area; false if it is full.
fn record(bytes: &[u8], kind: ValueType, name: &[u8]) -> bool {
    const HEAD: u64 = size_of::<ObjectHeader>() as u64;
    let Some(_guard) = lock::lock() else { return false };
    let h: *mut Header = state::header();
    let layout = state::layout();
    let name = &name[..name.len().min(256)];
    // SAFETY: the header is attached; the record fits, as checked against the area's capacity.
    unsafe {
        let used = (*h).values_len;
        let len = (HEAD + name.len() as u64 + bytes.len() as u64).next_multiple_of(8);
        if used.checked_add(len).is_none_or(|end| end > layout.value_bytes) {
            return false;
        }
        let at = state::at(layout.values_at() + used);
        let head = ObjectHeader {
            kind: ObjectKind::Value as u32,
            name_len: name.len() as u32,
            data_len: bytes.len() as u32,
            value_type: kind as u32,
        };
        at.cast::<ObjectHeader>().write(head);
        core::ptr::copy_nonoverlapping(name.as_ptr(), at.add(HEAD as usize), name.len());
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), at.add(HEAD as usize + name.len()), bytes.len());
        (*h).values_len = used + len;
        (*h).n_values += 1;
    }
    true
}

/// A value of a scalar type as a function result, with its label left for the caller.
pub fn scalar<T: Copy>(kind: ValueType, name: &[u8]) -> T {
    let mut v = core::mem::MaybeUninit::<T>::zeroed();
    let (at, len) = (v.as_mut_ptr().cast::<u8>(), size_of::<T>());
    // SAFETY: the place is valid for as many bytes; every bit pattern of the integer and float types used is valid.
    unsafe { ask(at, len, kind, name) };
    let label = if state::recording() { memory::load(at as usize, len, 8 * len as u16) } else { 0 };
    shadow::clear(at as usize, len);
    // A `_Bool` is one bit for its caller; of the input byte the lowest counts.
    let is_bit = kind == ValueType::Bool && label != 0;
    tls::set_ret(if is_bit { simplify::unary(Op::Trunc, 1, label) } else { label });
    // SAFETY: written in full above.
    unsafe { v.assume_init() }
}

/// The label of argument `slot` of the function at `callee`.
pub fn argument_label(callee: usize, slot: usize) -> u32 {
    tls::take_args(callee).map_or(0, |labels| labels[slot])
}

/// The name given in the source, `fallback` if null.
///
/// # Safety
/// `name` is null or a C string.
pub unsafe fn name_or<'a>(name: *const c_char, fallback: &'static [u8]) -> &'a [u8] {
    // SAFETY: as the caller promises.
    if name.is_null() { fallback } else { unsafe { sys::bytes(name) } }
}
