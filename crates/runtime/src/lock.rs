//! The one lock: serialises appending of nodes and events between the program's threads.
//!
//! A spin lock that knows its owner: a signal handler that interrupts its own thread inside the lock is told
//! so (`None`) instead of deadlocking, and records nothing.

use crate::tls::thread_id;
use core::sync::atomic::{AtomicU64, Ordering};

static OWNER: AtomicU64 = AtomicU64::new(0);

/// Proof that the lock is held.
pub struct Guard(());

/// Takes the lock; `None` if this thread holds it already.
#[inline]
pub fn lock() -> Option<Guard> {
    let me = thread_id();
    loop {
        match OWNER.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Some(Guard(())),
            Err(owner) if owner == me => return None,
            Err(_) => core::hint::spin_loop(),
        }
    }
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
