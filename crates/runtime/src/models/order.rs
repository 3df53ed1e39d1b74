//! Sorting and binary search with a comparator of the program.
//!
//! The C library's own code would call the comparator without its labels being seen, and would move bytes
//! without their labels. Here each symbolic comparison is a decision that can be flipped, and labels move along. The sort is the
//! merge sort of glibc up to 2.36 (`msort_with_tmp`): same order of calls, stable.

use super::args::{Args, give_concrete};
use super::value::Value;
use crate::libc::{self, c_int, c_void};
use crate::{event, shadow, state, tls};
use trace_abi::Reason;

/// A comparator, with or without context.
#[derive(Clone, Copy)]
pub(super) enum Comparator {
    Plain(unsafe extern "C" fn(*const c_void, *const c_void) -> c_int),
    WithContext(unsafe extern "C" fn(*const c_void, *const c_void, *mut c_void) -> c_int, *mut c_void),
}

impl Comparator {
    /// Calls it; its result with its label.
    ///
    /// # Safety
    /// Both are elements.
    pub(super) unsafe fn call(self, a: *const c_void, b: *const c_void) -> Value {
        let t = tls::tls();
        // SAFETY: this thread's record; the program's function on the program's elements.
        unsafe {
            (*t).callee = core::ptr::null();
            (*t).ret[0] = 0;
            let r = match self {
                Comparator::Plain(f) => f(a, b),
                Comparator::WithContext(f, context) => f(a, b, context),
            };
            let label = if state::recording() { (*t).ret[0] } else { 0 };
            Value::new(label, 32, r as u32 as u64)
        }
    }
}

pub(super) fn zero() -> Value {
    Value::constant(32, 0)
}

/// What is sorted.
#[derive(Clone, Copy)]
struct Sort {
    size: usize,
    compare: Comparator,
}

impl Sort {
    /// Sorts `n` elements at `at`, with room for as many at `room`.
    ///
    /// # Safety
    /// Both ranges are valid and do not overlap.
    unsafe fn run(self, at: *mut u8, n: usize, room: *mut u8) {
        if n <= 1 {
            return;
        }
        let (first, second) = (n / 2, n - n / 2);
        // SAFETY: halves of the range.
        unsafe {
            let middle = at.add(first * self.size);
            self.run(at, first, room);
            self.run(middle, second, room);
            self.merge(at, first, second, room);
        }
    }

    /// Merges two sorted neighbours.
    ///
    /// # Safety
    /// As for `run`.
    unsafe fn merge(self, at: *mut u8, first: usize, second: usize, room: *mut u8) {
        let (mut a, mut b, mut out) = (at, at.wrapping_add(first * self.size), room);
        let (mut left, mut right) = (first, second);
        // SAFETY: as the caller promises; each step consumes one element.
        unsafe {
            while left > 0 && right > 0 {
                let after = zero().slt(self.compare.call(a.cast(), b.cast()));
                event::decide(after);
                let from = if after.now == 0 { &mut a } else { &mut b };
                self.move_one(out, *from);
                *from = from.add(self.size);
                out = out.add(self.size);
                if after.now == 0 { left -= 1 } else { right -= 1 }
            }
            // What is left of the second half is in place already.
            self.move_many(out, a, left);
            self.move_many(at, room, first + second - right);
        }
    }

    unsafe fn move_one(self, to: *mut u8, from: *const u8) {
        // SAFETY: as the caller promises.
        unsafe { self.move_many(to, from, 1) };
    }

    unsafe fn move_many(self, to: *mut u8, from: *const u8, n: usize) {
        shadow::copy(to as usize, from as usize, n * self.size);
        // SAFETY: as the caller promises.
        unsafe { core::ptr::copy(from, to, n * self.size) };
    }
}

unsafe fn sort(base: *mut c_void, n: usize, size: usize, compare: Comparator) {
    let len = n.saturating_mul(size);
    if n > 1 && size > 0 {
        let room = state::map_anonymous(len);
        if room.is_null() {
            crate::message::die("no memory left to sort in");
        }
        shadow::clear(room as usize, len);
        // SAFETY: the program's array, and room of the same length.
        unsafe {
            Sort { size, compare }.run(base.cast(), n, room);
            shadow::clear(room as usize, len);
            libc::munmap(room.cast(), len);
        }
    }
    give_concrete();
}

fn pin_shape(args: &Args, n: usize, size: usize, k: usize) {
    event::pin(args.label(k), n as u64, Reason::Size, 0);
    event::pin(args.label(k + 1), size as u64, Reason::Size, 0);
}

/// Model of `qsort`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_qsort(
    base: *mut c_void,
    n: usize,
    size: usize,
    compare: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int,
) {
    pin_shape(&Args::take(__spm_qsort as *const () as usize), n, size, 1);
    // SAFETY: as called by the program.
    unsafe { sort(base, n, size, Comparator::Plain(compare)) }
}

/// Model of `qsort_r`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_qsort_r(
    base: *mut c_void,
    n: usize,
    size: usize,
    compare: unsafe extern "C" fn(*const c_void, *const c_void, *mut c_void) -> c_int,
    context: *mut c_void,
) {
    pin_shape(&Args::take(__spm_qsort_r as *const () as usize), n, size, 1);
    // SAFETY: as called by the program.
    unsafe { sort(base, n, size, Comparator::WithContext(compare, context)) }
}

/// Model of `bsearch`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_bsearch(
    key: *const c_void,
    base: *const c_void,
    n: usize,
    size: usize,
    compare: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int,
) -> *mut c_void {
    pin_shape(&Args::take(__spm_bsearch as *const () as usize), n, size, 2);
    let (mut low, mut high) = (0, n);
    let mut found = core::ptr::null_mut();
    while low < high {
        let middle = (low + high) / 2;
        let at = base.cast::<u8>().wrapping_add(middle * size);
        // SAFETY: the program's key and one of its elements.
        let order = unsafe { Comparator::Plain(compare).call(key, at.cast()) };
        let (less, equal) = (order.slt(zero()), order.equals(zero()));
        if event::decide(equal) {
            found = at.cast_mut().cast();
            break;
        }
        if event::decide(less) { high = middle } else { low = middle + 1 }
    }
    give_concrete();
    found
}
