//! The lock around the shared state, and how long it is held: what bounds the number of workers that pay.

use crate::state::State;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A clock of the calling thread's CPU time.
pub type CpuClock<'w> = &'w (dyn Fn() -> Duration + Sync + 'w);

/// How often the lock was taken and how long it was held, in CPU time of those who held it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockTime {
    /// Times it was taken.
    pub times: u64,
    /// Together.
    pub held: Duration,
}

/// The state behind its lock.
pub struct Shared<'w> {
    state: Mutex<State<'w>>,
    cpu: CpuClock<'w>,
    times: AtomicU64,
    held_ns: AtomicU64,
}

impl<'w> Shared<'w> {
    /// Around `state`.
    pub fn new(state: State<'w>, cpu: CpuClock<'w>) -> Shared<'w> {
        Shared { state: Mutex::new(state), cpu, times: AtomicU64::new(0), held_ns: AtomicU64::new(0) }
    }

    /// The clock of the calling thread's CPU time.
    pub fn cpu(&self) -> CpuClock<'w> {
        self.cpu
    }

    /// Waits for the lock. A worker that panicked under it leaves a state that is still good enough to end the session with.
    pub fn lock(&self) -> Held<'_, 'w> {
        let guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Held { guard: Some(guard), began: (self.cpu)(), of: self }
    }

    /// The state and what its lock took, once all workers are gone.
    pub fn into_inner(self) -> (State<'w>, LockTime) {
        let (times, held) = (self.times.into_inner(), Duration::from_nanos(self.held_ns.into_inner()));
        (self.state.into_inner().unwrap_or_else(PoisonError::into_inner), LockTime { times, held })
    }
}

/// The lock, held.
pub struct Held<'a, 'w> {
    guard: Option<MutexGuard<'a, State<'w>>>,
    began: Duration,
    of: &'a Shared<'w>,
}

impl<'a, 'w> Held<'a, 'w> {
    /// Lets go until woken up, or so much time has passed.
    pub fn wait(mut self, changed: &Condvar, most: Duration) -> Held<'a, 'w> {
        self.count();
        let of = self.of;
        let guard = self.guard.take().map(|guard| {
            let waited = changed.wait_timeout(guard, most);
            waited.unwrap_or_else(PoisonError::into_inner).0
        });
        Held { guard, began: (of.cpu)(), of }
    }

    fn count(&self) {
        if self.guard.is_some() {
            let held = (self.of.cpu)().saturating_sub(self.began).as_nanos() as u64;
            self.of.times.fetch_add(1, Ordering::Relaxed);
            self.of.held_ns.fetch_add(held, Ordering::Relaxed);
        }
    }
}

/// What is said of a guard that `wait` took, which takes the whole of `Held` with it.
const TAKEN: &str = "held until dropped";

impl<'w> Deref for Held<'_, 'w> {
    type Target = State<'w>;

    fn deref(&self) -> &State<'w> {
        self.guard.as_deref().expect(TAKEN)
    }
}

impl<'w> DerefMut for Held<'_, 'w> {
    fn deref_mut(&mut self) -> &mut State<'w> {
        self.guard.as_deref_mut().expect(TAKEN)
    }
}

impl Drop for Held<'_, '_> {
    fn drop(&mut self) {
        self.count();
    }
}
