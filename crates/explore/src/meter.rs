//! What goals cost: the currency in which a strategy weighs its parts.
//!
//! Microseconds of one core. Where the session has a budget of time, they are measured: CPU time of the worker's thread, and
//! what the programs it ran say of themselves; such a session depends on the clock anyway. (Wall-clock time would be wrong
//! on a busy machine: runs, which wait for each other's processes, would seem ten times as dear as solving.) Where it has not,
//! a seed must give the same events every time with one worker, so work is counted, at what it usually takes; these
//! prices were measured on the targets of `bench/` and need not be exact, for parts of a strategy differ by factors. Where few
//! runs are the budget, what a goal costs the user is its runs, all alike.

use crate::cheap::{Sharing, sharing};
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
/// Of a run in a batch of which many share a process: a fuzz target, and a program with `main`.
const CHEAP_RUN_IN_PROCESS: u64 = 5;
/// See [`CHEAP_RUN_IN_PROCESS`].
const CHEAP_RUN_OF_MAIN: u64 = 30;

/// Of any run where they are the budget; queries count little then.
const SCARCE_RUN: u64 = 2_000;
/// How much less than elsewhere work other than runs counts there.
const BESIDE_RUNS: u64 = 10;

/// Of the fork server and the kernel for a process of its making, beside what the process says of itself.
const PROCESS: u64 = 150;

/// Counts or measures what each worker's job costs.
pub struct Meter<'w> {
    /// CPU time of the calling thread.
    cpu: Option<&'w (dyn Fn() -> Duration + Sync + 'w)>,
    /// Few runs are the budget.
    by_runs: bool,
    jobs: BTreeMap<u32, Job>,
    /// Microseconds of all jobs that are over.
    total: u64,
}

/// A worker's job.
#[derive(Clone, Copy, Debug, Default)]
struct Job {
    /// CPU time of the worker's thread when it began.
    began: Duration,
    counted: Spent,
    /// Microseconds of its programs.
    programs: u64,
}

impl<'w> Meter<'w> {
    /// Measures with a clock of the calling thread, counts without. `by_runs`: few runs are the budget.
    pub fn new(cpu: Option<&'w (dyn Fn() -> Duration + Sync + 'w)>, by_runs: bool) -> Meter<'w> {
        Meter { cpu, by_runs, jobs: BTreeMap::new(), total: 0 }
    }

    /// A worker, whose thread calls this, begins a job.
    pub fn begin(&mut self, worker: u32) {
        self.total += self.measured(worker).work;
        let began = self.cpu.map_or(Duration::ZERO, |cpu| cpu());
        self.jobs.insert(worker, Job { began, ..Job::default() });
    }

    fn add(&mut self, worker: u32, work: u64, runs: u64) {
        let counted = &mut self.jobs.entry(worker).or_default().counted;
        counted.work += work;
        counted.runs += runs;
    }

    /// Its job asked so many queries, the last of which was given up under these limits.
    pub fn queries(&mut self, worker: u32, queries: u32, given_up: Option<Limits>) {
        let hard = |limits: Limits| match limits {
            Limits { work: 0, millis } => millis * 1000,
            Limits { work, .. } => work * 1000 / STEPS_PER_MS,
        };
        self.add(worker, u64::from(queries) * QUERY + given_up.map_or(0, hard), 0);
    }

    /// It made a run that took so much CPU, with a trace of so many events, or `again` one that was counted before.
    pub fn run(&mut self, worker: u32, events: Option<usize>, cpu: Duration, again: bool) {
        self.program(worker, PROCESS + cpu.as_micros() as u64);
        let trace = events.map_or(0, |n| TRACE + n as u64 / EVENTS_PER_US);
        self.add(worker, RUN + trace, u64::from(!again));
    }

    fn program(&mut self, worker: u32, us: u64) {
        self.jobs.entry(worker).or_default().programs += us;
    }

    /// It made a batch of cheap runs of inputs of this shape, which took so much CPU.
    pub fn batch(&mut self, worker: u32, runs: u64, cpu: Duration, shape: &Input) {
        let (processes, each) = match sharing(shape) {
            Sharing::Target => (0, CHEAP_RUN_IN_PROCESS),
            Sharing::Main => (0, CHEAP_RUN_OF_MAIN),
            Sharing::None => (runs, CHEAP_RUN),
        };
        self.program(worker, processes * PROCESS + cpu.as_micros() as u64);
        self.add(worker, runs * each, runs);
    }

    /// It waited so long for runs that hang: time that nobody else had. Without a clock, waiting is not measured.
    pub fn hung(&mut self, worker: u32, time: Duration) {
        self.program(worker, time.as_micros() as u64);
    }

    /// It made so many runs of a journey, which took so much CPU.
    pub fn journey(&mut self, worker: u32, runs: u64, cpu: Duration) {
        self.again(worker, runs, cpu);
        self.add(worker, 0, runs);
    }

    /// It made so many runs again, without a trace, which took so much CPU.
    pub fn again(&mut self, worker: u32, runs: u64, cpu: Duration) {
        self.program(worker, runs * PROCESS + cpu.as_micros() as u64);
        self.add(worker, runs * RUN, 0);
    }

    /// What its job took so far, in time; called by its thread.
    pub fn so_far(&self, worker: u32) -> Duration {
        Duration::from_micros(self.measured(worker).work)
    }

    /// What a run of the program takes that says so of itself.
    pub fn of_run(cpu: Duration) -> Duration {
        Duration::from_micros(PROCESS) + cpu
    }

    /// Work of all jobs that are over.
    pub fn total(&self) -> Duration {
        Duration::from_micros(self.total)
    }

    /// What its job cost so far; called by its thread.
    pub fn spent(&self, worker: u32) -> Spent {
        match self.jobs.get(&worker) {
            Some(Job { counted, .. }) if self.by_runs => {
                Spent { work: counted.runs * SCARCE_RUN + counted.work / BESIDE_RUNS, ..*counted }
            }
            _ => self.measured(worker),
        }
    }

    /// The same in microseconds.
    fn measured(&self, worker: u32) -> Spent {
        let Some(job) = self.jobs.get(&worker) else { return Spent::default() };
        let Some(cpu) = self.cpu else { return job.counted };
        let own = cpu().saturating_sub(job.began).as_micros() as u64;
        Spent { work: own + job.programs, ..job.counted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::Mutex;

    #[test]
    fn without_a_clock_work_is_counted_from_the_beginning_of_the_job() {
        let mut meter = Meter::new(None, false);
        meter.begin(0);
        meter.run(0, None, Duration::from_secs(1), false);
        meter.begin(1);
        assert_eq!(meter.spent(0), Spent { work: RUN, runs: 1 });
        meter.queries(0, 2, Some(Limits { work: 0, millis: 7 }));
        meter.batch(0, 10, Duration::from_secs(1), &Input::stdin([]));
        assert_eq!(
            meter.spent(0),
            Spent { work: RUN + 2 * QUERY + 7_000 + 10 * CHEAP_RUN_OF_MAIN, runs: 11 }
        );
        assert_eq!(meter.spent(1), Spent::default());
        meter.begin(0);
        assert_eq!(meter.spent(0), Spent::default());
    }

    #[test]
    fn where_few_runs_are_the_budget_they_are_what_counts() {
        let cpu = || Duration::from_secs(9);
        let mut meter = Meter::new(Some(&cpu), true);
        meter.begin(0);
        meter.run(0, None, Duration::from_secs(1), false);
        meter.queries(0, 1, None);
        assert_eq!(meter.spent(0), Spent { work: SCARCE_RUN + (RUN + QUERY) / BESIDE_RUNS, runs: 1 });
    }

    #[test]
    fn with_a_clock_work_is_cpu_time_of_the_worker_and_of_its_programs() {
        let now = Mutex::new(Cell::new(1_000));
        let cpu = || Duration::from_millis(now.lock().unwrap().get());
        let mut meter = Meter::new(Some(&cpu), false);
        meter.begin(0);
        now.lock().unwrap().set(1_500);
        meter.run(0, Some(5), Duration::from_millis(20), true);
        assert_eq!(meter.spent(0), Spent { work: 520_000 + PROCESS, runs: 0 });
        assert_eq!(meter.total(), Duration::ZERO);
        meter.begin(0);
        assert_eq!(meter.total(), Duration::from_micros(520_000 + PROCESS));
    }
}
