//! How long a run may take while a search is in haste: a multiple of what runs took that ended by themselves.
//!
//! A hang costs as long as a run may take, thousands of times what other runs take. AFL derives its time limit from runs of the seeds
//! in the same way (Zalewski, "Technical whitepaper for afl-fuzz", and its `calibrate_case`). What differs: the limit follows
//! all runs, not the first ones; what it stops is not given up but looked at again without haste (`explore`), and if the run then
//! ends, the limit doubles ([`Haste::relax`]).

use std::time::Duration;

/// The shortest limit: long enough for a run that waits for its turn on a busy machine.
const LEAST: Duration = Duration::from_millis(100);
/// The limit is so many times what the slowest run took that ended by itself.
const TIMES: u32 = 20;
/// While none did, the limit is halved with each run that was stopped, so many times at most.
const HALVINGS: u32 = 3;
/// How often the limit may be doubled.
const DOUBLINGS: u32 = 16;

/// See the module.
#[derive(Debug, Default)]
pub struct Haste {
    on: bool,
    /// The longest time of a run that ended by itself; `None`: none did.
    slowest: Option<Duration>,
    /// Runs that were stopped while none had ended by itself.
    stopped: u32,
    doubled: u32,
}

impl Haste {
    /// Hurries from now on, or does not.
    pub fn set(&mut self, on: bool) {
        self.on = on;
    }

    /// The limit of a run that without haste may take as long as `full`.
    pub fn limit(&self, full: Duration) -> Duration {
        if !self.on {
            return full;
        }
        let Some(slowest) = self.slowest else { return full / (1 << self.stopped.min(HALVINGS)) };
        slowest.saturating_mul(TIMES).max(LEAST).saturating_mul(1 << self.doubled).min(full)
    }

    /// Whether it hurries and knows no run yet that ended by itself: the next one had better be one that does.
    pub fn is_blind(&self) -> bool {
        self.on && self.slowest.is_none()
    }

    /// A run ended by itself after this time.
    pub fn ended(&mut self, after: Duration) {
        self.slowest = Some(self.slowest.map_or(after, |slowest| slowest.max(after)));
    }

    /// A run was stopped for taking too long.
    pub fn stopped(&mut self) {
        self.stopped = self.stopped.saturating_add(1);
    }

    /// A run that was stopped in haste ended without it.
    pub fn relax(&mut self) {
        self.doubled = (self.doubled + 1).min(DOUBLINGS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Duration = Duration::from_secs(2);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn without_haste_the_limit_is_the_full_one() {
        let mut haste = Haste::default();
        haste.ended(ms(1));
        haste.stopped();
        assert_eq!(haste.limit(FULL), FULL);
        haste.set(true);
        assert!(haste.limit(FULL) == LEAST && !haste.is_blind());
        haste.set(false);
        assert_eq!(haste.limit(FULL), FULL);
    }

    #[test]
    fn the_limit_follows_the_slowest_run_and_never_exceeds_the_full_one() {
        let mut haste = Haste::default();
        haste.set(true);
        for (took, limit) in [(1, 100), (30, 600), (5, 600), (90, 1800), (1500, 2000)] {
            haste.ended(ms(took));
            assert_eq!(haste.limit(FULL), ms(limit), "after a run of {took} ms");
        }
    }

    #[test]
    fn while_nothing_ends_each_hang_takes_half_as_long_down_to_an_eighth() {
        let mut haste = Haste::default();
        assert!(!haste.is_blind());
        haste.set(true);
        assert!(haste.is_blind());
        let limits: Vec<Duration> = (0..6)
            .map(|_| {
                let limit = haste.limit(FULL);
                haste.stopped();
                limit
            })
            .collect();
        assert_eq!(limits, [2000, 1000, 500, 250, 250, 250].map(ms));
    }

    #[test]
    fn a_run_that_ends_after_all_doubles_the_limit() {
        let mut haste = Haste::default();
        haste.set(true);
        haste.ended(ms(1));
        haste.relax();
        assert_eq!(haste.limit(FULL), 2 * LEAST);
        (0..100).for_each(|_| haste.relax());
        assert_eq!(haste.limit(FULL), FULL);
    }
}
