//! Threads of the program: their labels, and in ordered runs their order.
//!
//! Equal inputs must take equal paths, or flips diverge. So in runs that the engine orders one thread runs at a time: the
//! one that holds the *token* ([`ring`]). It passes the token on where it would wait for another (a locked mutex, a
//! condition, a join, a sleep), in the order of thread numbers. A thread that waits for something that is not known here
//! (a system call) or that spins without end loses the token after a while; from then on until its next
//! synchronisation the order is the operating system's again. Data races are thus rarely seen; whatever happens, labels
//! and nodes stay whole: appending is serialised by [`crate::lock`], and a label is one aligned word.
//!
//! The idea is that of deterministic multithreading (Olszewski and others, "Kendo", ASPLOS 2009), with the schedule
//! given by synchronisation alone. The functions that wait ([`calls`]) are defined here under their own names, so that
//! libraries of the program (the C++ library's threads) come here, too.

pub mod calls;
pub mod ring;

use crate::libc::c_int;
use crate::{memory, node, shadow, tls};
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use ring::Place;

type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// What a thread was started with and what it left.
pub struct Job {
    start: AtomicUsize,
    arg: AtomicUsize,
    /// Label of the argument, then of the result.
    label: AtomicU32,
}

static JOBS: [Job; ring::MOST] =
    [const { Job { start: AtomicUsize::new(0), arg: AtomicUsize::new(0), label: AtomicU32::new(0) } };
        ring::MOST];

/// Starts a thread: `pthread_create`.
///
/// # Safety
/// As for `pthread_create`.
unsafe fn create(
    thread: *mut u64,
    attributes: *const c_void,
    start: *mut c_void,
    arg: *mut c_void,
    label: u32,
) -> c_int {
    let Some(real) = calls::real_create() else { return 11 };
    crate::node::interrupts();
    let Some(place) = ring::reserve() else {
        // SAFETY: as the caller promises; the thread is not ordered.
        return unsafe { real(thread, attributes, start, arg) };
    };
    let job = &JOBS[place.0];
    job.start.store(start as usize, Relaxed);
    job.arg.store(arg as usize, Relaxed);
    job.label.store(label, Relaxed);
    // SAFETY: as the caller promises; the place is the argument of `run`.
    let failed = unsafe { real(thread, attributes, run as *mut c_void, place.0 as *mut c_void) };
    if failed != 0 {
        ring::release(place);
    } else {
        // SAFETY: filled by the call.
        ring::name(place, unsafe { *thread });
        shadow::clear(thread as usize, 8);
    }
    failed
}

/// First function of each thread.
unsafe extern "C" fn run(place: *mut c_void) -> *mut c_void {
    let place = Place(place as usize);
    let job = &JOBS[place.0];
    ring::begin(place);
    calls::watch_end(place);
    let (start, arg) = (job.start.load(Relaxed), job.arg.load(Relaxed) as *mut c_void);
    let t = tls::tls();
    // SAFETY: this thread's record; the program gave a function of this type.
    unsafe {
        (*t).args[0] = job.label.load(Relaxed);
        (*t).callee = start as *const u8;
        (*t).ret[0] = 0;
        let result = core::mem::transmute::<usize, Start>(start)(arg);
        job.label.store((*t).ret[0], Relaxed);
        result
    }
}

/// After a join: the label of the thread's result goes where the result was put.
fn joined(place: Option<Place>, result: *mut c_void, bytes: usize) {
    if result.is_null() {
        return;
    }
    let label = place.map_or(0, |p| JOBS[p.0].label.load(Relaxed));
    let narrow = if node::is_known(label) && usize::from(node::width(label)) != 8 * bytes {
        crate::simplify::extract(label, 0, 8 * bytes as u16)
    } else {
        label
    };
    memory::store(result as usize, bytes, narrow);
}
