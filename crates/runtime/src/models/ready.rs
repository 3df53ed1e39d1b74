//! Waiting for descriptors: `poll`, `select`, `epoll`. Programs that accept connections from the input wait for clients that
//! have done all they will do; see [`sockets::wait`]. Without these, each call is the function itself.

use super::args::give_concrete;
use crate::libc::{c_int, c_long, c_void};
use crate::net::{epoll_pwait, ppoll, pselect};
use crate::sys::{PollFd, TimeSpec, poll};
use crate::{shadow, sockets};
use core::ptr::null;

/// A limit in milliseconds, as in microseconds; below zero is none.
fn of_millis(ms: c_int) -> Option<u64> {
    u64::try_from(ms).ok().map(|ms| ms * 1000)
}

/// The other way; a part of a millisecond is one.
fn to_millis(us: i64) -> c_int {
    if us < 0 { -1 } else { (us as u64).div_ceil(1000).min(c_int::MAX as u64) as c_int }
}

/// A limit as a record says it; null is none.
///
/// # Safety
/// Null or a valid record.
unsafe fn of_record(limit: *const TimeSpec) -> Option<u64> {
    // SAFETY: as the caller promises.
    unsafe { limit.as_ref() }.map(|t| (t.sec.max(0) as u64).saturating_mul(1_000_000) + t.nsec as u64 / 1000)
}

/// The other way, for a call; below zero is none.
fn to_record(us: i64) -> Option<TimeSpec> {
    (us >= 0).then(|| TimeSpec { sec: us / 1_000_000, nsec: us % 1_000_000 * 1000 })
}

fn pointer(limit: Option<&TimeSpec>) -> *const TimeSpec {
    limit.map_or(null(), |t| t)
}

/// What `poll` wrote is concrete.
fn clear(fds: *mut PollFd, n: u64) {
    give_concrete();
    for k in 0..n as usize {
        shadow::clear(fds.wrapping_add(k) as usize + 6, 2);
    }
}

/// Model of `poll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_poll(fds: *mut PollFd, n: u64, ms: c_int) -> c_int {
    // SAFETY: as called by the program.
    let r = sockets::wait(of_millis(ms), |us| unsafe { poll(fds, n, to_millis(us)) });
    clear(fds, n);
    r
}

/// Model of `__poll_chk`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm___poll_chk(fds: *mut PollFd, n: u64, ms: c_int, room: usize) -> c_int {
    if room / size_of::<PollFd>() < n as usize {
        crate::message::warn("buffer overflow detected in poll");
        // SAFETY: ends the process as the C library does.
        unsafe { crate::libc::abort() }
    }
    // SAFETY: as called by the program.
    unsafe { __spm_poll(fds, n, ms) }
}

/// Model of `ppoll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_ppoll(
    fds: *mut PollFd,
    n: u64,
    limit: *const TimeSpec,
    mask: *const c_void,
) -> c_int {
    // SAFETY: as called by the program.
    let r = sockets::wait(unsafe { of_record(limit) }, |us| unsafe {
        ppoll(fds, n, pointer(to_record(us).as_ref()), mask)
    });
    clear(fds, n);
    r
}

/// Most words of a set of descriptors that are kept: 8,192 descriptors.
const MOST_WORDS: usize = 128;

/// A set of descriptors of the program: the kernel writes its answer over the question.
struct Set {
    at: *mut u64,
    words: usize,
    asked: [u64; MOST_WORDS],
}

impl Set {
    /// # Safety
    /// Null, or a set of at least `n` descriptors.
    unsafe fn new(at: *mut u64, n: c_int) -> Set {
        let words = (n.max(0) as usize).div_ceil(64).min(MOST_WORDS);
        let mut asked = [0; MOST_WORDS];
        if !at.is_null() {
            // SAFETY: as the caller promises.
            unsafe { core::ptr::copy_nonoverlapping(at, asked.as_mut_ptr(), words) };
        }
        Set { at, words, asked }
    }

    /// Asks again.
    ///
    /// # Safety
    /// As for [`Set::new`].
    unsafe fn restore(&self) {
        if !self.at.is_null() {
            // SAFETY: as the caller promises.
            unsafe { core::ptr::copy_nonoverlapping(self.asked.as_ptr(), self.at, self.words) };
        }
    }

    fn clear(&self) {
        if !self.at.is_null() {
            shadow::clear(self.at as usize, self.words * 8);
        }
    }
}

/// `select` in all its forms.
///
/// # Safety
/// As for `pselect`.
unsafe fn any_select(n: c_int, sets: [*mut u64; 3], limit: Option<u64>, mask: *const c_void) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let kept = sets.map(|s| Set::new(s, n));
        let r = sockets::wait(limit, |us| {
            kept.iter().for_each(|s| s.restore());
            pselect(n, sets[0], sets[1], sets[2], pointer(to_record(us).as_ref()), mask)
        });
        kept.iter().for_each(Set::clear);
        give_concrete();
        r
    }
}

/// Model of `select`. As on Linux, what is left of the time stays in `limit`: none, if nothing was found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_select(
    n: c_int,
    read: *mut u64,
    write: *mut u64,
    except: *mut u64,
    limit: *mut [c_long; 2],
) -> c_int {
    // SAFETY: as called by the program.
    unsafe {
        let us = limit.as_ref().map(|t| (t[0].max(0) as u64).saturating_mul(1_000_000) + t[1] as u64);
        let r = any_select(n, [read, write, except], us, null());
        if !limit.is_null() {
            if r == 0 {
                limit.write_unaligned([0, 0]);
            }
            shadow::clear(limit as usize, 16);
        }
        r
    }
}

/// Model of `pselect`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_pselect(
    n: c_int,
    read: *mut u64,
    write: *mut u64,
    except: *mut u64,
    limit: *const TimeSpec,
    mask: *const c_void,
) -> c_int {
    // SAFETY: as called by the program.
    unsafe { any_select(n, [read, write, except], of_record(limit), mask) }
}

/// Model of `epoll_pwait`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_epoll_pwait(
    fd: c_int,
    events: *mut c_void,
    n: c_int,
    ms: c_int,
    mask: *const c_void,
) -> c_int {
    // SAFETY: as called by the program; a record has twelve bytes.
    let r = sockets::wait(of_millis(ms), |us| unsafe { epoll_pwait(fd, events, n, to_millis(us), mask) });
    if r > 0 {
        shadow::clear(events as usize, r as usize * 12);
    }
    give_concrete();
    r
}

/// Model of `epoll_wait`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_epoll_wait(fd: c_int, events: *mut c_void, n: c_int, ms: c_int) -> c_int {
    // SAFETY: as called by the program.
    unsafe { __spm_epoll_pwait(fd, events, n, ms, null()) }
}
