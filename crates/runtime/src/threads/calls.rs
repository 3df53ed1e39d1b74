//! The functions of the C library that make threads or wait for them, under their own names (weakly: a program that
//! brings its own keeps it).
//!
//! Outside ordered runs, and while there is one thread, each is the function itself.
//!
//! # Safety
//! Each has the contract of the C function whose name it bears.

#![expect(clippy::missing_safety_doc, reason = "one contract for all, at the top of the module")]

use super::{create, joined, ring};
use crate::libc::c_int;
use crate::models::args::Args;
use crate::sys::TimeSpec;
use crate::tls;
use core::ffi::{CStr, c_char, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};
use ring::Place;

const EBUSY: c_int = 16;
const EAGAIN: c_int = 11;
const ETIMEDOUT: c_int = 110;
/// Turns of the other threads that a wait with a time limit or a sleep takes.
const PATIENCE: u32 = 64;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
    fn pthread_mutex_trylock(m: *mut c_void) -> c_int;
    fn pthread_mutex_unlock(m: *mut c_void) -> c_int;
    fn pthread_mutex_timedlock(m: *mut c_void, until: *const TimeSpec) -> c_int;
    fn pthread_rwlock_tryrdlock(l: *mut c_void) -> c_int;
    fn pthread_rwlock_trywrlock(l: *mut c_void) -> c_int;
    fn sem_trywait(s: *mut c_void) -> c_int;
    fn pthread_key_create(key: *mut u32, end: unsafe extern "C" fn(*mut c_void)) -> c_int;
    fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
}

/// The C library's own function behind one of ours.
struct Real {
    name: &'static CStr,
    address: AtomicUsize,
}

impl Real {
    const fn new(name: &'static CStr) -> Real {
        Real { name, address: AtomicUsize::new(0) }
    }

    fn get(&self) -> usize {
        let known = self.address.load(Relaxed);
        if known != 0 {
            return known;
        }
        const NEXT: *mut c_void = -1isize as *mut c_void;
        // Conditions have an older version, too, of another layout.
        // SAFETY: C strings; asks for an address.
        let found = unsafe {
            let newer = dlvsym(NEXT, self.name.as_ptr(), c"GLIBC_2.3.2".as_ptr());
            if newer.is_null() { dlsym(NEXT, self.name.as_ptr()) } else { newer }
        } as usize;
        self.address.store(found, Relaxed);
        found
    }
}

/// Defines `$name` as a weak symbol that jumps to `$to`: a program that has a function of that name keeps it.
macro_rules! weak {
    ($name:expr, $to:path) => {
        #[cfg(spelunk_staticlib)]
        core::arch::global_asm!(
            concat!(".pushsection .text.own.", $name, ",\"ax\",@progbits"),
            concat!(".weak ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            ".cfi_startproc",
            "endbr64",
            "jmp {to}",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            to = sym $to,
        );
    };
}

/// Defines `$name` with the C library's own as `$real` in its body.
macro_rules! ours {
    ($($(#[doc = $doc:literal])+ fn $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty, $real:ident => $body:expr;)+) => {$(
        weak!(stringify!($name), $name);
        $(#[doc = $doc])+
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            static REAL: Real = {
                match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => Real::new(name),
                    Err(_) => Real::new(c"abort"),
                }
            };
            let $real = || {
                // SAFETY: the C library's function of this name is of this type; called with what it was given.
                unsafe {
                    let f = core::mem::transmute::<usize, unsafe extern "C" fn($($ty),*) -> $ret>(REAL.get());
                    f($($arg),*)
                }
            };
            $body
        }
    )+};
}

/// Asks again and again, with everybody else's turn in between.
fn poll(me: Place, mut attempt: impl FnMut() -> Option<c_int>) -> c_int {
    loop {
        if let Some(result) = attempt() {
            return result;
        }
        ring::step_back(me);
    }
}

fn lock(me: Place, mutex: *mut c_void) -> c_int {
    let mut asked = false;
    poll(me, || {
        // SAFETY: the program's mutex.
        let result = unsafe { pthread_mutex_trylock(mutex) };
        if result != EBUSY {
            return Some(result);
        }
        if !asked {
            asked = true;
            // A mutex that checks for errors says so where this thread holds it already; a time long past.
            // SAFETY: the program's mutex, a valid record.
            let result = unsafe { pthread_mutex_timedlock(mutex, &TimeSpec { sec: 0, nsec: 0 }) };
            return (result != ETIMEDOUT).then_some(result);
        }
        None
    })
}

/// Waits for a condition; with a time limit only [`PATIENCE`] turns.
fn wait(me: Place, condition: *mut c_void, mutex: *mut c_void, limited: bool) -> c_int {
    ring::await_signal(me, condition as usize);
    // SAFETY: the program's mutex, which it holds.
    unsafe { pthread_mutex_unlock(mutex) };
    let mut turns = 0;
    let result = poll(me, || {
        turns += 1;
        match ring::is_signalled(me) {
            true => Some(0),
            false => (limited && turns > PATIENCE).then_some(ETIMEDOUT),
        }
    });
    ring::forget_signal(me);
    lock(me, mutex);
    result
}

/// One attempt at a lock; `None` while it is held.
fn try_lock(attempt: unsafe extern "C" fn(*mut c_void) -> c_int, lock: *mut c_void) -> Option<c_int> {
    // SAFETY: the program's lock.
    Some(unsafe { attempt(lock) }).filter(|&result| result != EBUSY)
}

/// One attempt at a semaphore; `None` while it is at zero.
fn try_semaphore(semaphore: *mut c_void) -> Option<c_int> {
    // SAFETY: the program's semaphore.
    let result = unsafe { sem_trywait(semaphore) };
    Some(result).filter(|_| result == 0 || crate::libc::errno() != EAGAIN)
}

/// Lets the others get on instead of sleeping.
fn rest(me: Place) {
    for _ in 0..PATIENCE {
        ring::step_back(me);
    }
}

ours! {
    /// `pthread_mutex_lock`.
    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int, real => match ring::entered() {
        Some(me) => lock(me, mutex),
        None => real(),
    };
    /// `pthread_cond_wait`.
    fn pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int, real => match ring::entered() {
        Some(me) => wait(me, condition, mutex, false),
        None => real(),
    };
    /// `pthread_cond_timedwait`.
    fn pthread_cond_timedwait(condition: *mut c_void, mutex: *mut c_void, until: *const TimeSpec) -> c_int, real => match ring::entered() {
        Some(me) => wait(me, condition, mutex, true),
        None => real(),
    };
    /// `pthread_cond_clockwait`.
    fn pthread_cond_clockwait(condition: *mut c_void, mutex: *mut c_void, clock: c_int, until: *const TimeSpec) -> c_int, real => match ring::entered() {
        Some(me) => wait(me, condition, mutex, true),
        None => real(),
    };
    /// `pthread_cond_signal`.
    fn pthread_cond_signal(condition: *mut c_void) -> c_int, real => {
        if ring::entered().is_some() {
            ring::signal(condition as usize, false);
        }
        real()
    };
    /// `pthread_cond_broadcast`.
    fn pthread_cond_broadcast(condition: *mut c_void) -> c_int, real => {
        if ring::entered().is_some() {
            ring::signal(condition as usize, true);
        }
        real()
    };
    /// `pthread_rwlock_rdlock`.
    fn pthread_rwlock_rdlock(lock: *mut c_void) -> c_int, real => match ring::entered() {
        Some(me) => poll(me, || try_lock(pthread_rwlock_tryrdlock, lock)),
        None => real(),
    };
    /// `pthread_rwlock_wrlock`.
    fn pthread_rwlock_wrlock(lock: *mut c_void) -> c_int, real => match ring::entered() {
        Some(me) => poll(me, || try_lock(pthread_rwlock_trywrlock, lock)),
        None => real(),
    };
    /// `sem_wait`.
    fn sem_wait(semaphore: *mut c_void) -> c_int, real => match ring::entered() {
        Some(me) => poll(me, || try_semaphore(semaphore)),
        None => real(),
    };
    /// `pthread_barrier_wait`.
    fn pthread_barrier_wait(barrier: *mut c_void) -> c_int, real => match ring::entered() {
        Some(me) => ring::outside(me, real),
        None => real(),
    };
    /// `sched_yield`.
    fn sched_yield() -> c_int, real => match ring::entered() {
        Some(me) => { ring::step_back(me); 0 }
        None => real(),
    };
    /// `sleep`.
    fn sleep(seconds: u32) -> u32, real => match ring::entered() {
        Some(me) => { rest(me); 0 }
        None => real(),
    };
    /// `usleep`.
    fn usleep(micros: u32) -> c_int, real => match ring::entered() {
        Some(me) => { rest(me); 0 }
        None => real(),
    };
    /// `nanosleep`.
    fn nanosleep(wanted: *const TimeSpec, left: *mut TimeSpec) -> c_int, real => match ring::entered() {
        Some(me) => { rest(me); 0 }
        None => real(),
    };
    /// `clock_nanosleep`.
    fn clock_nanosleep(clock: c_int, flags: c_int, wanted: *const TimeSpec, left: *mut TimeSpec) -> c_int, real => match ring::entered() {
        Some(me) => { rest(me); 0 }
        None => real(),
    };
    /// `pthread_join`.
    fn pthread_join(thread: u64, result: *mut *mut c_void) -> c_int, real => {
        wait_for_end(thread, real).0
    };
}

/// Waits until a thread ended, in order; then joins it. Also its place, if it had one.
fn wait_for_end(thread: u64, real: impl FnOnce() -> c_int) -> (c_int, Option<Place>) {
    let me = ring::entered();
    let place = ring::find(thread);
    if let (Some(me), Some(other)) = (me, place) {
        poll(me, || ring::has_ended(other).then_some(0));
    }
    let result = real();
    if let Some(place) = place.filter(|_| result == 0) {
        ring::reuse(place);
    }
    (result, place)
}

static REAL_CREATE: Real = Real::new(c"pthread_create");

type Create = unsafe extern "C" fn(*mut u64, *const c_void, *mut c_void, *mut c_void) -> c_int;

/// The C library's `pthread_create`.
pub fn real_create() -> Option<Create> {
    let address = REAL_CREATE.get();
    // SAFETY: a function of this type.
    (address != 0).then(|| unsafe { core::mem::transmute::<usize, Create>(address) })
}

weak!("pthread_create", pthread_create);

/// `pthread_create`.
pub unsafe extern "C" fn pthread_create(
    thread: *mut u64,
    attributes: *const c_void,
    start: *mut c_void,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: as called by the program or a library of it.
    unsafe { create(thread, attributes, start, arg, 0) }
}

/// Model of `pthread_create`: the argument's label goes along.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_pthread_create(
    thread: *mut u64,
    attributes: *const c_void,
    start: *mut c_void,
    arg: *mut c_void,
) -> c_int {
    let args = Args::take(__spm_pthread_create as *const () as usize);
    // SAFETY: as called by the program.
    let result = unsafe { create(thread, attributes, start, arg, args.label(3)) };
    tls::set_ret(0);
    result
}

/// Model of `pthread_join`: the result's label comes along.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_pthread_join(thread: u64, result: *mut *mut c_void) -> c_int {
    let place = ring::find(thread);
    // SAFETY: as called by the program.
    let done = unsafe { pthread_join(thread, result) };
    if done == 0 {
        joined(place, result.cast(), 8);
    }
    tls::set_ret(0);
    done
}

const THRD_ERROR: c_int = 2;

/// Model of `thrd_create`: a thread whose result is a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_thrd_create(thread: *mut u64, start: *mut c_void, arg: *mut c_void) -> c_int {
    let args = Args::take(__spm_thrd_create as *const () as usize);
    // SAFETY: as called by the program; a function that returns `int` leaves it where one that returns a pointer does.
    let failed = unsafe { create(thread, core::ptr::null(), start, arg, args.label(2)) };
    tls::set_ret(0);
    if failed == 0 { 0 } else { THRD_ERROR }
}

/// Model of `thrd_join`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_thrd_join(thread: u64, result: *mut c_int) -> c_int {
    let place = ring::find(thread);
    let mut whole = null_mut();
    // SAFETY: as called by the program.
    unsafe {
        let failed = pthread_join(thread, &raw mut whole);
        tls::set_ret(0);
        if failed != 0 {
            return THRD_ERROR;
        }
        if !result.is_null() {
            *result = whole as usize as c_int;
        }
    }
    joined(place, result.cast(), 4);
    0
}

/// C11's names for the same, on the same objects: (name, what it is).
macro_rules! c11 {
    ($($(#[doc = $doc:literal])+ fn $name:ident($($arg:ident),*) => $to:ident;)+) => {$(
        $(#[doc = $doc])+
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: *mut c_void),*) -> c_int {
            // SAFETY: as called by the program; glibc's objects of C11 are those of POSIX.
            let failed = unsafe { $to($($arg),*) };
            tls::set_ret(0);
            if failed == 0 { 0 } else { THRD_ERROR }
        }
    )+};
}

c11! {
    /// Model of `mtx_lock`.
    fn __spm_mtx_lock(mutex) => pthread_mutex_lock;
    /// Model of `mtx_unlock`.
    fn __spm_mtx_unlock(mutex) => pthread_mutex_unlock;
    /// Model of `cnd_wait`.
    fn __spm_cnd_wait(condition, mutex) => pthread_cond_wait;
    /// Model of `cnd_signal`.
    fn __spm_cnd_signal(condition) => pthread_cond_signal;
    /// Model of `cnd_broadcast`.
    fn __spm_cnd_broadcast(condition) => pthread_cond_broadcast;
}

/// Model of `thrd_yield`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spm_thrd_yield() {
    // SAFETY: no arguments.
    unsafe { sched_yield() };
}

static HAS_KEY: AtomicBool = AtomicBool::new(false);
static KEY: AtomicU32 = AtomicU32::new(0);

/// Has the end of this thread noted, however it ends: by return, `pthread_exit` or cancellation.
pub fn watch_end(place: Place) {
    unsafe extern "C" fn on_end(place: *mut c_void) {
        ring::end(Place(place as usize - 1));
    }
    if !HAS_KEY.swap(true, Relaxed) {
        let mut key = 0;
        // SAFETY: a place for the key; this thread holds the token, so nobody else is here.
        if unsafe { pthread_key_create(&raw mut key, on_end) } != 0 {
            HAS_KEY.store(false, Relaxed);
            return;
        }
        KEY.store(key, Relaxed);
    }
    // SAFETY: a key of ours; any value but null.
    unsafe { pthread_setspecific(KEY.load(Relaxed), (place.0 + 1) as *const c_void) };
}
