//! What a crash looked like: signal, fault address and call stack, left in the header for the engine.
//!
//! Handlers run on a stack of their own (so that a stack overflow is seen), record, restore the default action and
//! raise the signal again: the process ends as the program itself would. They are put only where the program
//! has no handler; one that it installs later replaces ours.

use crate::libc::{c_int, c_void};
use crate::state;
use crate::sys::{self, SigAction, SigInfo, SigSet, SigStack};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

const SIGNALS: [c_int; 7] =
    [sys::SIGSEGV, sys::SIGBUS, sys::SIGFPE, sys::SIGILL, sys::SIGABRT, sys::SIGSYS, sys::SIGTRAP];
const STACK_BYTES: usize = 64 << 10;
/// Frames of ours on top of the crashing one: the handler, and the kernel's return trampoline.
const OWN_FRAMES: usize = 2;
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Loads the unwinder, which allocates and must not be loaded inside a handler. Once, before the first run.
pub fn preload() {
    let mut frame: *mut c_void = null_mut();
    // SAFETY: one frame into one place.
    unsafe { sys::backtrace(&raw mut frame, 1) };
}

/// Puts the handlers in place, in the process of a run.
pub fn install() {
    let stack = state::map_anonymous(STACK_BYTES);
    if stack.is_null() {
        return;
    }
    let new = SigStack { sp: stack.cast(), flags: 0, size: STACK_BYTES };
    // SAFETY: the stack is freshly mapped and stays; the records are valid.
    unsafe {
        sys::sigaltstack(&raw const new, null_mut());
        for signal in SIGNALS {
            let mut old = SigAction { handler: 0, mask: SigSet([0; 16]), flags: 0, restorer: 0 };
            if sys::sigaction(signal, core::ptr::null(), &raw mut old) != 0 || old.handler != sys::SIG_DFL {
                continue;
            }
            let action = SigAction {
                handler: on_crash as *const () as usize,
                mask: SigSet([0; 16]),
                flags: sys::SA_SIGINFO | sys::SA_ONSTACK | sys::SA_NODEFER,
                restorer: 0,
            };
            sys::sigaction(signal, &raw const action, null_mut());
        }
    }
}

/// Records the crash, then lets it happen.
extern "C" fn on_crash(signal: c_int, info: *const SigInfo, _context: *mut c_void) {
    default_action(signal);
    // A crash inside this handler, or of a second thread, is not recorded again.
    if !HANDLED.swap(true, Relaxed) {
        record(signal, info);
    }
    // SAFETY: raises the signal at this thread, whose action is the default again.
    unsafe { sys::raise(signal) };
}

fn default_action(signal: c_int) {
    let action = SigAction { handler: sys::SIG_DFL, mask: SigSet([0; 16]), flags: 0, restorer: 0 };
    // SAFETY: a valid record.
    unsafe { sys::sigaction(signal, &raw const action, null_mut()) };
}

fn record(signal: c_int, info: *const SigInfo) {
    let h = state::header();
    let is_fault = matches!(signal, sys::SIGSEGV | sys::SIGBUS | sys::SIGFPE | sys::SIGILL | sys::SIGTRAP);
    // SAFETY: the header is attached and the kernel passes a valid record. A signal sent by a process (code
    // <= 0) has no address.
    unsafe {
        (*h).crash_signal = signal as u32;
        (*h).crash_address = if is_fault && (*info).code > 0 { (*info).address } else { 0 };
    }
    let mut frames = [null_mut::<c_void>(); 64 + OWN_FRAMES];
    for s in SIGNALS {
        // The unwinder may itself fault on a broken stack: then the default action ends the process.
        if s != signal && s != sys::SIGABRT {
            default_action(s);
        }
    }
    // SAFETY: the buffer has room for as many; the unwinder was loaded before.
    let n = unsafe { sys::backtrace(frames.as_mut_ptr(), frames.len() as c_int) };
    let n = (n.max(0) as usize).min(frames.len()).saturating_sub(OWN_FRAMES).min(64);
    // SAFETY: attached; at most 64 frames.
    unsafe {
        for (i, frame) in frames[OWN_FRAMES..OWN_FRAMES + n].iter().enumerate() {
            (*h).crash_frames[i] = *frame as u64;
        }
        (*h).n_crash_frames = n as u32;
    }
}

/// Difference between run-time and link-time addresses of the executable.
pub fn image_base() -> u64 {
    unsafe extern "C" fn first(info: *const u64, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: the loader's record starts with the load address; `data` is the caller's number.
        unsafe { *data.cast::<u64>() = *info };
        1
    }
    let mut base = 0u64;
    // SAFETY: the callback only writes `base`; the executable comes first.
    unsafe { sys::dl_iterate_phdr(first, (&raw mut base).cast()) };
    base
}
