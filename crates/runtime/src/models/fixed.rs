//! Functions whose answers differ from run to run although the input does not: the clock, the system's random bytes. In runs
//! that the engine orders they answer always the same, so that equal inputs take equal paths (a hash seeded with the
//! time would otherwise make every flip a divergence). By hand they are the functions themselves.

use super::args::give_concrete;
use crate::libc::{c_int, c_long};
use crate::{shadow, sys};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

/// Seconds since 1970 at the start of each ordered run: an ordinary Tuesday in September 2026.
const START_SECONDS: i64 = 1_788_825_600;

static FIXED: AtomicBool = AtomicBool::new(false);
static FIXED_PID: AtomicBool = AtomicBool::new(false);
/// Microseconds since the start; each question takes one, so that programs that wait for the clock get on.
static ELAPSED: AtomicI64 = AtomicI64::new(0);

/// An ordered run begins.
pub fn begin() {
    FIXED.store(true, Relaxed);
    FIXED_PID.store(true, Relaxed);
    ELAPSED.store(0, Relaxed);
}

/// Whether this is a run that the engine orders.
pub fn is_fixed() -> bool {
    FIXED.load(Relaxed)
}

/// So many microseconds pass on the fixed clock.
pub fn pass(micros: u64) {
    ELAPSED.fetch_add(i64::try_from(micros).unwrap_or(i64::MAX).min(1 << 50), Relaxed);
}

/// Seconds and microseconds of the fixed clock.
fn now() -> (i64, i64) {
    let elapsed = ELAPSED.fetch_add(1, Relaxed);
    (START_SECONDS + elapsed / 1_000_000, elapsed % 1_000_000)
}

unsafe extern "C" {
    fn time(to: *mut c_long) -> c_long;
    fn clock() -> c_long;
    fn gettimeofday(to: *mut [c_long; 2], zone: *mut c_void) -> c_int;
}

/// Fills `n` bytes at `to` with the fixed run's random bytes; `false` in a run by hand.
///
/// # Safety
/// The bytes may be written.
pub unsafe fn random(to: *mut u8, n: usize) -> bool {
    if !is_fixed() {
        return false;
    }
    for k in 0..n {
        let mixed = (ELAPSED.fetch_add(1, Relaxed) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // SAFETY: as the caller promises.
        unsafe { to.add(k).write((mixed >> 56) as u8) };
    }
    true
}

/// Writes a pair of numbers where the caller wants it, without labels.
///
/// # Safety
/// `to` is null or points to a pair.
unsafe fn put(to: *mut [c_long; 2], pair: [c_long; 2]) {
    if !to.is_null() {
        // SAFETY: as the caller promises.
        unsafe { to.write_unaligned(pair) };
        shadow::clear(to as usize, 16);
    }
}

/// Model of `time`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_time(to: *mut c_long) -> c_long {
    // SAFETY: the function's own contract.
    let seconds = if is_fixed() { now().0 } else { unsafe { time(core::ptr::null_mut()) } };
    if !to.is_null() {
        // SAFETY: as for `time`.
        unsafe { to.write_unaligned(seconds) };
        shadow::clear(to as usize, 8);
    }
    give_concrete();
    seconds
}

/// Model of `clock`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_clock() -> c_long {
    give_concrete();
    // SAFETY: asks for a number.
    if is_fixed() { now().1 } else { unsafe { clock() } }
}

/// Model of `gettimeofday`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_gettimeofday(to: *mut [c_long; 2], zone: *mut c_void) -> c_int {
    give_concrete();
    if !is_fixed() {
        let mut pair = [0; 2];
        // SAFETY: the function's own contract.
        let done = unsafe { gettimeofday(&raw mut pair, zone) };
        // SAFETY: as for `gettimeofday`.
        unsafe { put(to, pair) };
        return done;
    }
    let (seconds, micros) = now();
    // SAFETY: as for `gettimeofday`.
    unsafe { put(to, [seconds, micros]) };
    0
}

/// The processor's time-stamp counter: a nanosecond per tick and a microsecond per question in ordered runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_cycles() -> u64 {
    if is_fixed() {
        return (ELAPSED.fetch_add(1, Relaxed) as u64 + 1) * 1000;
    }
    // SAFETY: reads a counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Model of `clock_gettime`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_clock_gettime(which: c_int, to: *mut [c_long; 2]) -> c_int {
    give_concrete();
    let mut real = sys::TimeSpec { sec: 0, nsec: 0 };
    // SAFETY: the function's own contract; also tells whether there is such a clock.
    let done = unsafe { sys::clock_gettime(which, &raw mut real) };
    if done == 0 {
        let (seconds, micros) = now();
        let pair = if is_fixed() { [seconds, micros * 1000] } else { [real.sec, real.nsec] };
        // SAFETY: as for `clock_gettime`.
        unsafe { put(to, pair) };
    }
    done
}

/// The process number that ordered runs see.
const PID: c_int = 4242;

/// A child that the program forked has a number of its own.
pub fn forked() {
    FIXED_PID.store(false, Relaxed);
}

unsafe extern "C" {
    fn getpid() -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn times(to: *mut [c_long; 4]) -> c_long;
}

/// Model of `getpid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_getpid() -> c_int {
    give_concrete();
    // SAFETY: asks for a number.
    if FIXED_PID.load(Relaxed) { PID } else { unsafe { getpid() } }
}

/// Model of `kill`: the number of this process is the one that it was told.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_kill(pid: c_int, signal: c_int) -> c_int {
    give_concrete();
    // SAFETY: as called by the program.
    unsafe { kill(if pid == PID && FIXED_PID.load(Relaxed) { getpid() } else { pid }, signal) }
}

/// Model of `times`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_times(to: *mut [c_long; 4]) -> c_long {
    give_concrete();
    // SAFETY: as called by the program; the structure holds four numbers.
    unsafe {
        let r = times(to);
        if !to.is_null() {
            shadow::clear(to as usize, 32);
        }
        if !is_fixed() {
            return r;
        }
        let ticks = now().1 / 10_000;
        if !to.is_null() {
            to.write_unaligned([ticks, 0, 0, 0]);
        }
        START_SECONDS % 1_000_000 * 100 + ticks
    }
}

/// Model of `getrusage`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_getrusage(who: c_int, to: *mut [c_long; 18]) -> c_int {
    give_concrete();
    // SAFETY: as called by the program; the structure holds 18 numbers.
    unsafe {
        let r = sys::getrusage(who, to.cast());
        if r == 0 {
            shadow::clear(to as usize, 144);
            if is_fixed() {
                let mut usage = [0; 18];
                // User time; the system's is none; the largest resident size in KiB.
                (usage[1], usage[4]) = (now().1, 4096);
                to.write_unaligned(usage);
            }
        }
        r
    }
}
