//! A moment after which nothing that runs is waited for: the end of a session's phase, or a user's wish to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// No moment is set.
const NEVER: u64 = u64::MAX;

/// See the module. Clones are the same curfew.
#[derive(Clone, Debug)]
pub struct Curfew {
    /// What moments are counted from.
    base: Instant,
    /// The moment, in nanoseconds: exact, so that what is left never grows by rounding.
    at: Arc<AtomicU64>,
}

impl Default for Curfew {
    /// One that has no moment yet.
    fn default() -> Curfew {
        Curfew { base: Instant::now(), at: Arc::new(AtomicU64::new(NEVER)) }
    }
}

impl Curfew {
    /// The moment is this one from now on; `None`: there is none.
    pub fn set(&self, at: Option<Instant>) {
        self.at.store(at.map_or(NEVER, |at| self.nanos(at)), Ordering::SeqCst);
    }

    /// The moment is now, unless an earlier one is set.
    pub fn now(&self) {
        self.at.fetch_min(self.nanos(Instant::now()), Ordering::SeqCst);
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        at != NEVER && self.nanos(Instant::now()) >= at
    }

    /// Time until then; `None` where no moment is set.
    pub fn left(&self) -> Option<Duration> {
        let at = self.at.load(Ordering::Relaxed);
        let left = || Duration::from_nanos(at.saturating_sub(self.nanos(Instant::now())));
        (at != NEVER).then(left)
    }

    fn nanos(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.base).as_nanos()).unwrap_or(NEVER - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_moment_and_now_is_never_later() {
        let curfew = Curfew::default();
        let other = curfew.clone();
        assert!(!other.is_over() && other.left().is_none());
        curfew.set(Some(Instant::now() + Duration::from_secs(3600)));
        assert!(!other.is_over() && other.left() > Some(Duration::from_secs(3000)));
        other.now();
        assert!(curfew.is_over() && curfew.left() == Some(Duration::ZERO));
        curfew.set(None);
        assert!(!other.is_over());
    }
}
