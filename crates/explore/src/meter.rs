//! What goals cost: the currency in which a strategy weighs its parts.
//!
//! Microseconds of a worker. Where the session has a budget of time, the injected clock measures them: such a session
//! depends on the clock anyway. Where it has not, a seed must give the same events every time with one worker, so work is
//! counted, at what it usually takes; these prices were measured on the targets of `bench/` and need not be exact, for
//! parts of a strategy differ by factors.

use crate::cheap::is_batch_in_process;
use solve::Limits;
use std::collections::BTreeMap;
use std::time::Duration;
use strategy::Spent;
use trace::Input;

/// Microseconds of an answered query.
const QUERY: u64 = 3_000;
/// Steps of the SMT solver (its unit of work) in a millisecond.
const STEPS_PER_MS: u64 = 60;
/// Of a run by the fork server.
const RUN: u64 = 500;
/// Of a symbolic run, on top of that.
const TRACE: u64 = 800;
/// Events of a trace that take a microsecond to record, take over and insert.
const EVENTS_PER_US: u64 = 2;
/// Of a run in a batch that needs a process.
const CHEAP_RUN: u64 = 300;
/// Of a run in a batch of which many share a process.
const CHEAP_RUN_IN_PROCESS: u64 = 5;

/// Counts or measures what each worker's job costs.
pub struct Meter<'w> {
    clock: Option<&'w (dyn Fn() -> Duration + Sync + 'w)>,
    /// By worker: when its job began, and what was counted since.
    jobs: BTreeMap<u32, (Duration, Spent)>,
}

impl<'w> Meter<'w> {
    /// Measures with a clock, counts without.
    pub fn new(clock: Option<&'w (dyn Fn() -> Duration + Sync + 'w)>) -> Meter<'w> {
        Meter { clock, jobs: BTreeMap::new() }
    }

    /// A worker begins a job.
    pub fn begin(&mut self, worker: u32, now: Duration) {
        self.jobs.insert(worker, (now, Spent::default()));
    }

    fn add(&mut self, worker: u32, work: u64, runs: u64) {
        let (_, spent) = self.jobs.entry(worker).or_default();
        spent.work += work;
        spent.runs += runs;
    }

    /// Its job asked so many queries, the last of which was given up under these limits.
    pub fn queries(&mut self, worker: u32, queries: u32, given_up: Option<Limits>) {
        let hard = |limits: Limits| match limits {
            Limits { work: 0, millis } => millis * 1000,
            Limits { work, .. } => work * 1000 / STEPS_PER_MS,
        };
        self.add(worker, u64::from(queries) * QUERY + given_up.map_or(0, hard), 0);
    }

    /// It made a run, with a trace of so many events, or `again` one that was counted before.
    pub fn run(&mut self, worker: u32, events: Option<usize>, again: bool) {
        let trace = events.map_or(0, |n| TRACE + n as u64 / EVENTS_PER_US);
        self.add(worker, RUN + trace, u64::from(!again));
    }

    /// It made a batch of cheap runs of inputs of this shape.
    pub fn batch(&mut self, worker: u32, runs: u64, shape: &Input) {
        let each = if is_batch_in_process(shape) { CHEAP_RUN_IN_PROCESS } else { CHEAP_RUN };
        self.add(worker, runs * each, runs);
    }

    /// What its job cost so far.
    pub fn spent(&self, worker: u32) -> Spent {
        let Some((began, counted)) = self.jobs.get(&worker) else { return Spent::default() };
        match self.clock {
            Some(clock) => Spent { work: clock().saturating_sub(*began).as_micros() as u64, ..*counted },
            None => *counted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_clock_work_is_counted_from_the_beginning_of_the_job() {
        let mut meter = Meter::new(None);
        meter.begin(0, Duration::from_secs(1));
        meter.run(0, None, false);
        meter.begin(1, Duration::ZERO);
        assert_eq!(meter.spent(0), Spent { work: RUN, runs: 1 });
        meter.queries(0, 2, Some(Limits { work: 0, millis: 7 }));
        meter.batch(0, 10, &Input::stdin([]));
        assert_eq!(meter.spent(0), Spent { work: RUN + 2 * QUERY + 7_000 + 10 * CHEAP_RUN, runs: 11 });
        assert_eq!(meter.spent(1), Spent::default());
        meter.begin(0, Duration::from_secs(9));
        assert_eq!(meter.spent(0), Spent::default());
    }

    #[test]
    fn with_a_clock_work_is_what_passed() {
        let now = || Duration::from_millis(1_500);
        let mut meter = Meter::new(Some(&now));
        meter.begin(0, Duration::from_secs(1));
        meter.run(0, Some(5), true);
        assert_eq!(meter.spent(0), Spent { work: 500_000, runs: 0 });
    }
}
