//! Shadow memory: one 4-byte label per program byte at a fixed, sparse mapping.
//!
//! The idea is DataFlowSanitizer's (Serebryany and others); the mapping is `trace_abi::shadow_address`. A word of shadow is the
//! byte's label, or tells of which label it is which byte ([`part`]).
//!
//! Instrumented code asks for most accesses whether a label is there, and mostly none is. It does not read the shadow for that,
//! which is four times as large as what it is about, but a summary of one byte for eight: a byte that is 0 says that the words of
//! its granule are 0. (A table in front of a larger one; as in the write barriers of garbage collectors.)

use crate::{libc, lock, message};
use core::ptr::write_bytes;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use trace_abi::{GRANULE, SHADOW_HIGH, SHADOW_LOW, SHADOW_MASK, SUMMARY_BASE, SUMMARY_LEN};
use trace_abi::{shadow_address, summary_address};

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
    if !map_range(SHADOW_LOW, SHADOW_HIGH) || !map_range(SUMMARY_BASE, SUMMARY_BASE + SUMMARY_LEN) {
        message::die(
            "cannot reserve shadow memory (52 TiB of address space, not of memory): lift `ulimit -v`, \
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

/// The byte of the summary for the byte at `address`.
#[inline(always)]
fn summary(address: usize) -> *mut u8 {
    summary_address(address as u64) as *mut u8
}

/// The part of `len` bytes at `address` that lies in the granule of the first of them: its length.
#[inline(always)]
const fn in_granule(address: usize, len: usize) -> usize {
    let left = GRANULE as usize - address % GRANULE as usize;
    if left < len { left } else { len }
}

/// Calls `see` for each piece of the `len` bytes at `address` that lies in one granule which may be labelled, until it says
/// that it has seen enough; whether it did. Where nothing is labelled eight granules are passed at once.
#[inline]
fn labelled_granules(address: usize, len: usize, mut see: impl FnMut(usize, usize) -> bool) -> bool {
    const EIGHT: usize = 8 * GRANULE as usize;
    let (mut at, mut left) = (address, len);
    while left > 0 {
        let place = summary(at);
        // SAFETY: a summary exists for every program byte; eight of them lie in one mapping, all of whose bytes are readable.
        let eight = || unsafe { place.cast::<u64>().read_unaligned() };
        if at.is_multiple_of(GRANULE as usize) && left >= EIGHT && eight() == 0 {
            (at, left) = (at + EIGHT, left - EIGHT);
            continue;
        }
        let n = in_granule(at, left);
        // SAFETY: as above.
        if unsafe { *place } != 0 && see(at, n) {
            return true;
        }
        (at, left) = (at + n, left - n);
    }
    false
}

/// Whether any of `len` bytes at `address` is labelled.
#[inline]
pub fn any(address: usize, len: usize) -> bool {
    labelled_granules(address, len, |at, n| (at..at + n).any(|a| word(a) != 0))
}

/// Makes the summary of the granule that the byte at `address` lies in say what is there. Where another thread may be about to
/// label a byte of it, it goes on saying that one may be labelled.
fn summarise(address: usize) {
    let first = address & !(GRANULE as usize - 1);
    let labelled = (first..first + GRANULE as usize).any(|a| word(a) != 0);
    // SAFETY: a summary exists for every program byte.
    unsafe {
        if (*summary(address) != 0) != labelled && (labelled || is_alone()) {
            *summary(address) = u8::from(labelled);
        }
    }
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

/// Whether no other thread labels anything now. (In unit tests one does at a time.)
fn is_alone() -> bool {
    cfg!(test) || lock::alone()
}

/// Sets the label of the byte at `address`; concrete bytes that were concrete dirty nothing.
#[inline(always)]
pub fn set(address: usize, label: u32) {
    let p = slot(address);
    // SAFETY: shadow and summary exist for every program byte.
    unsafe {
        if *p != label {
            *p = label;
            if label == 0 {
                summarise(address);
            } else {
                *summary(address) = 1;
            }
        }
    }
}

/// Makes `len` bytes at `address` concrete. Reads before it writes, so that clean pages of shadow stay untouched.
pub fn clear(address: usize, len: usize) {
    if !ever_labelled() {
        return;
    }
    if len >= LARGE {
        return clear_large(address, len);
    }
    labelled_granules(address, len, |at, n| {
        // SAFETY: shadow exists for every program byte, and that of a granule lies in one piece.
        unsafe { write_bytes(slot(at), 0, n) };
        summarise(at);
        false
    });
}

/// Whether any byte of this process can have a label: no node was ever made, no byte labelled.
#[inline(always)]
fn ever_labelled() -> bool {
    is_mapped() && crate::node::count() > 1
}

/// From this size on whole pages of shadow and summary are given back instead of being read and written.
const LARGE: usize = 1 << 18;
/// Program bytes whose summary is one page.
const PER_PAGE: usize = 4096 * GRANULE as usize;

/// Clears much at once: untouched pages cost nothing.
#[cold]
fn clear_large(address: usize, len: usize) {
    let (first, last) = (address.next_multiple_of(PER_PAGE), (address + len) / PER_PAGE * PER_PAGE);
    clear(address, first - address);
    let (words, bytes) = (slot(first).cast::<libc::c_void>(), summary(first).cast::<libc::c_void>());
    // SAFETY: whole pages of our private mappings, which read as zero afterwards.
    unsafe {
        libc::madvise(words, (last - first) * 4, libc::MADV_DONTNEED);
        libc::madvise(bytes, (last - first) / GRANULE as usize, libc::MADV_DONTNEED);
    }
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
    let (mut at, mut left) = (dst, len);
    while left > 0 {
        let n = in_granule(at, left);
        summarise(at);
        (at, left) = (at + n, left - n);
    }
}

/// Removes all labels of this process, for the next repetition in a process that goes on.
pub fn forget_everything() {
    if is_mapped() {
        let shadow = (SHADOW_LOW, SHADOW_HIGH - SHADOW_LOW);
        for (at, len) in [shadow, (SUMMARY_BASE, SUMMARY_LEN)] {
            // SAFETY: private anonymous memory of ours reads as zero afterwards.
            unsafe { libc::madvise(at as *mut libc::c_void, len as usize, libc::MADV_DONTNEED) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Lab, Random};

    /// Program bytes under test: more than what is passed at once, and room for moves.
    const BYTES: usize = 600;

    fn check(base: usize) {
        for at in (base..base + BYTES).step_by(GRANULE as usize) {
            let labelled = (at..at + GRANULE as usize).any(|a| word(a) != 0);
            // SAFETY: memory of the program has a summary.
            let said = unsafe { *summary(at) } != 0;
            assert_eq!(said, labelled);
        }
    }

    #[test]
    fn the_summary_says_where_labels_are() {
        let lab = Lab::new(&[0; 64]);
        let base = lab.buffer(0, b"") as usize;
        let mut r = Random(7);
        for _ in 0..3_000 {
            let (at, len) = (base + r.below(BYTES / 2), r.below(BYTES / 2));
            match r.below(5) {
                0 => set(at, crate::node::input(0, r.below(64) as u32)),
                1 => set(at, 0),
                2 if r.below(8) == 0 => clear(at, len),
                3 if r.below(8) == 0 => copy(base + r.below(BYTES / 2), at, len),
                _ => assert!(set_parts(at, 1 + len % MAX_PARTS, crate::node::input(0, 1))),
            }
            check(base);
            let (at, len) = (base + r.below(BYTES / 2), r.below(BYTES / 2));
            assert_eq!(any(at, len), (at..at + len).any(|a| word(a) != 0), "{len} bytes at {at:#x}");
        }
    }

    #[test]
    fn much_is_cleared_to_its_last_byte() {
        let _lab = Lab::new(&[0; 4]);
        let (len, label) = (LARGE + 3 * PER_PAGE + 5, crate::node::input(0, 0));
        let base = crate::state::map_anonymous(len + 100) as usize + 3;
        let edges = [base - 1, base, base + PER_PAGE, base + LARGE, base + len - 1, base + len];
        edges.iter().for_each(|&at| set(at, label));
        clear(base, len);
        assert_eq!(edges.map(|at| word(at) != 0), [true, false, false, false, false, true]);
        assert_eq!([any(base - 1, 1), any(base, len), any(base, len + 1)], [true, false, true]);
    }
}
