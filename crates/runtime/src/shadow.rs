//! Shadow memory: one 4-byte label per program byte at a fixed, sparse mapping.
//!
//! The idea is DataFlowSanitizer's (Serebryany and others); the mapping is `trace_abi::shadow_address`. A word of shadow is the
//! byte's label, or tells of which label it is which byte ([`part`]).

use crate::{libc, message};
use core::ptr::write_bytes;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use trace_abi::{SHADOW_HIGH, SHADOW_LOW, SHADOW_MASK, shadow_address};

static MAPPED: AtomicBool = AtomicBool::new(false);

/// Whether shadow memory exists.
pub fn is_mapped() -> bool {
    MAPPED.load(Relaxed)
}

/// The shadow slot of the byte at `address`.
#[inline(always)]
pub fn slot(address: usize) -> *mut u32 {
    shadow_address(address as u64) as *mut u32
}

/// Whether shadow exists for the byte at `address` in the usual mapping.
pub const fn covers(address: u64) -> bool {
    let s = shadow_address(address);
    address < 1 << 47
        && s >= SHADOW_LOW
        && s < SHADOW_HIGH
        && !(address >= SHADOW_LOW && address < SHADOW_HIGH)
}

/// Maps one range of shadow; false if something is there already or memory is refused.
fn map_range(low: u64, high: u64) -> bool {
    let (prot, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
    );
    let (want, len) = (low as *mut libc::c_void, (high - low) as usize);
    // SAFETY: replaces nothing; kernels that do not know the flag may answer with another address.
    let got = unsafe { libc::mmap(want, len, prot, flags, -1, 0) };
    if got as isize == -1 {
        return false;
    }
    if got != want {
        // SAFETY: unmaps what was just mapped in the wrong place.
        unsafe { libc::munmap(got, len) };
        return false;
    }
    // SAFETY: advice about our own mapping.
    unsafe {
        libc::madvise(want, len, libc::MADV_DONTDUMP);
        libc::madvise(want, len, libc::MADV_NOHUGEPAGE);
    }
    true
}

/// Maps the shadow of the usual addresses. Idempotent.
pub fn map() {
    if is_mapped() {
        return;
    }
    if !map_range(SHADOW_LOW, SHADOW_HIGH) {
        message::die(
            "cannot reserve shadow memory (36 TiB of address space, not of memory): lift `ulimit -v`, \
             and set vm.overcommit_memory to 0 or 1",
        );
    }
    MAPPED.store(true, Relaxed);
}

/// Maps the rest of the shadow as well, for address layouts outside the usual one (more random bits than
/// usual, where randomisation cannot be switched off). Position-independent executables leave the low part free.
/// Returns whether it worked.
pub fn map_unusual() -> bool {
    let low = map_range(1 << 32, SHADOW_LOW);
    let high = map_range(SHADOW_HIGH, SHADOW_MASK + 4);
    low && high
}

/// Whether any of `len` bytes at `address` is labelled.
#[inline]
pub fn any(address: usize, len: usize) -> bool {
    let (mut p, mut n) = (slot(address), len);
    // SAFETY: shadow exists for every program byte. Reads pairs of labels once aligned.
    unsafe {
        if n > 0 && p as usize & 7 != 0 {
            if *p != 0 {
                return true;
            }
            (p, n) = (p.add(1), n - 1);
        }
        let mut q = p.cast::<u64>();
        while n >= 8 {
            if *q | *q.add(1) | *q.add(2) | *q.add(3) != 0 {
                return true;
            }
            (q, n) = (q.add(4), n - 8);
        }
        p = q.cast();
        while n > 0 {
            if *p != 0 {
                return true;
            }
            (p, n) = (p.add(1), n - 1);
        }
    }
    false
}

/// What is in the shadow of the byte at `address`: 0, a label, or a [`part`] of one.
#[inline(always)]
pub fn word(address: usize) -> u32 {
    // SAFETY: shadow exists for every program byte.
    unsafe { *slot(address) }
}

/// Label of the byte at `address`. For a part it is made now.
#[inline(always)]
pub fn get(address: usize) -> u32 {
    let word = word(address);
    match part(word) {
        None => word,
        Some((label, k)) => crate::simplify::extract(label, 8 * k, 8),
    }
}

/// In a word of shadow: this is byte `k` of the value with the label in the low bits.
///
/// Most values of several bytes are read as they were written. So writing one makes no nodes for its bytes; they are made
/// when a byte is looked at by itself.
const PART: u32 = 1 << 31;
/// Bits of a label in a part.
const PART_BITS: u32 = 28;
/// Added to a part: the next byte.
pub const NEXT_PART: u32 = 1 << PART_BITS;
/// Most bytes of a value in parts.
pub const MAX_PARTS: usize = 8;

/// The label and the number of the byte, if a word of shadow is a part.
#[inline(always)]
pub const fn part(word: u32) -> Option<(u32, u16)> {
    if word & PART == 0 {
        return None;
    }
    Some((word & (NEXT_PART - 1), (word >> PART_BITS & 7) as u16))
}

/// Labels `bytes` bytes (at most [`MAX_PARTS`]) as those of `label`; whether it is small enough for that.
pub fn set_parts(address: usize, bytes: usize, label: u32) -> bool {
    if label >= NEXT_PART {
        return false;
    }
    for k in 0..bytes {
        set(address + k, PART | (k as u32) << PART_BITS | label);
    }
    true
}

/// Makes the labels of all parts among `len` bytes.
pub fn settle(address: usize, len: usize) {
    for at in address..address + len {
        if word(at) & PART != 0 {
            set(at, get(at));
        }
    }
}

/// Sets the label of the byte at `address`; concrete bytes that were concrete dirty nothing.
#[inline(always)]
pub fn set(address: usize, label: u32) {
    let p = slot(address);
    // SAFETY: as above.
    unsafe {
        if *p != label {
            *p = label;
        }
    }
}

/// Makes `len` bytes at `address` concrete. Reads before it writes, page by page, so that clean shadow pages stay untouched.
pub fn clear(address: usize, len: usize) {
    if !ever_labelled() {
        return;
    }
    if len >= LARGE {
        return clear_large(address, len);
    }
    const STEP: usize = 1024;
    let (mut at, mut left) = (address, len);
    while left > 0 {
        let n = left.min(STEP - at % STEP);
        if any(at, n) {
            // SAFETY: as above.
            unsafe { write_bytes(slot(at), 0, n) };
        }
        (at, left) = (at + n, left - n);
    }
}

/// Whether any byte of this process can have a label: no node was ever made, no byte labelled.
#[inline(always)]
fn ever_labelled() -> bool {
    is_mapped() && crate::node::count() > 1
}

/// From this size on whole pages of shadow are given back instead of being read and written.
const LARGE: usize = 1 << 16;
/// Program bytes whose shadow is one page.
const PER_PAGE: usize = 1024;

/// Clears much at once: untouched shadow pages cost nothing.
#[cold]
fn clear_large(address: usize, len: usize) {
    let (first, last) = (address.next_multiple_of(PER_PAGE), (address + len) / PER_PAGE * PER_PAGE);
    clear(address, first - address);
    let at = slot(first).cast::<libc::c_void>();
    // SAFETY: whole pages of our private mapping, which read as zero afterwards.
    unsafe { libc::madvise(at, (last - first) * 4, libc::MADV_DONTNEED) };
    clear(last, address + len - last);
}

/// Copies the labels of `len` bytes from `src` to `dst`, which may overlap.
pub fn copy(dst: usize, src: usize, len: usize) {
    if len == 0 || dst == src || !ever_labelled() {
        return;
    }
    if !any(src, len) {
        clear(dst, len);
        return;
    }
    // SAFETY: as above; `ptr::copy` allows overlap, which is the same for shadow as for the bytes. The mapping
    // is monotonic except at multiples of 2^43, which no object spans.
    unsafe { core::ptr::copy(slot(src), slot(dst), len) };
}

/// Removes all labels of this process, for the next repetition in a process that goes on.
pub fn forget_everything() {
    if is_mapped() {
        let (at, len) = (SHADOW_LOW as *mut libc::c_void, (SHADOW_HIGH - SHADOW_LOW) as usize);
        // SAFETY: private anonymous memory of ours reads as zero afterwards.
        unsafe { libc::madvise(at, len, libc::MADV_DONTNEED) };
    }
}
