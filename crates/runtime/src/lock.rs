//! The one lock: serialises appending of nodes and events between the program's threads.
//!
//! A spin lock that knows its owner: a signal handler that interrupts its own thread inside the lock is told
//! so (`None`) instead of deadlocking, and records nothing. While the process has one thread, as glibc knows it, taking it
//! is a plain store: it is taken for every node and event, and an atomic exchange costs more than what it guards.

use crate::tls::thread_id;
use core::sync::atomic::{AtomicU64, Ordering};

static OWNER: AtomicU64 = AtomicU64::new(0);

/// Proof that the lock is held.
pub struct Guard(());

/// Takes the lock; `None` if this thread holds it already.
#[inline]
pub fn lock() -> Option<Guard> {
    let me = thread_id();
    if alone() {
        // Whoever has it is this thread; a signal handler in between gives it back before it returns.
        if OWNER.load(Ordering::Relaxed) != 0 {
            return None;
        }
        OWNER.store(me, Ordering::Relaxed);
        return Some(Guard(()));
    }
    loop {
        match OWNER.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Some(Guard(())),
            Err(owner) if owner == me => return None,
            Err(_) => core::hint::spin_loop(),
        }
    }
}

/// Whether the process has no other thread: `__libc_single_threaded`. Unknown (older or other C libraries) is no.
#[inline(always)]
pub fn alone() -> bool {
    let told: *const u8;
    // SAFETY: reads the address of a weak symbol from the linker's table, null if there is none.
    unsafe {
        core::arch::asm!(
            ".weak __libc_single_threaded",
            "mov {p}, qword ptr [rip + __libc_single_threaded@GOTPCREL]",
            p = out(reg) told,
            options(nostack, pure, readonly),
        );
    }
    // SAFETY: glibc's variable, which it may change: read anew each time.
    !told.is_null() && unsafe { told.read_volatile() } != 0
}

/// Frees the lock in the child of a fork, where its owner may no longer exist.
pub fn reset() {
    OWNER.store(0, Ordering::Release);
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        OWNER.store(0, Ordering::Release);
    }
}
