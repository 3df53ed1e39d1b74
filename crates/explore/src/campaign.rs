//! The shared state behind its lock, and what the cycle does with it.
//!
//! Solving and running happen outside the lock. A job is counted as under way from [`Campaign::next_job`] until
//! its result is in or it was given back, so the session ends only when nothing is under way.

use crate::cheap::{Harvest, Order};
use crate::config::Config;
use crate::dispatch::{Job, Next};
use crate::flip::Solved;
use crate::held::{Held, LockTime, Shared};
use crate::journey;
use crate::lifted::LiftedRun;
use crate::meter::Meter;
use crate::probe::Probe;
use crate::recent::Recorded;
use crate::repair::Repair;
use crate::shorten::shorten;
use crate::state::State;
use crate::task::{Attempt, Flip, Task};
use crate::wall::Use;
use crate::witness::Witness;
use crate::worker::{Digest, Worker};
use events::{Cause, EndReason, Event, RunId};
use program::{BranchId, ProgramMap};
use solve::{Limits, Solver};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar};
use std::time::Duration;
use strategy::{Cheap, GoalResult};
use trace::{Input, Mode, Outcome, Run, TargetError};

/// A worker's target failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub TargetError);

/// How often a job is tried on failing targets before it is given up.
const TRIES: u32 = 2;

/// Runs spent on making a long input short: enough to cut its end off; while random input goes on covering new branches, more would
/// cost more than the search.
const SHORTEN: u32 = 16;
/// The same for a finding that is new.
const SHORTEN_FINDING: u32 = 1_000;
/// The same for a hang, each run of which takes as long as a run may.
const SHORTEN_HANG: u32 = 8;
/// After so many runs that hang, an input is left as it is.
const MOST_HANGS: u32 = 2;

/// Why the inputs of a batch are run.
fn cause(order: &Order) -> Cause {
    match order.kind {
        Cheap::Random(_) => Cause::Random,
        Cheap::Mutants => Cause::Mutant,
    }
}

/// What ends a job that may take long before it is done: a wish to stop, the session's time, a share of its CPU time.
struct Leash<'a> {
    stop: &'a (dyn Fn() -> bool + Sync + 'a),
    clock: &'a (dyn Fn() -> Duration + Sync + 'a),
    time: Option<Duration>,
    /// Of the calling thread.
    cpu: &'a (dyn Fn() -> Duration + Sync + 'a),
    began: Duration,
    left: Option<Duration>,
    /// Microseconds of the programs that it ran.
    programs: AtomicU64,
}

impl Leash<'_> {
    /// The program ran and took so much CPU time.
    fn ran(&self, cpu: Duration) {
        self.programs.fetch_add(Meter::of_run(cpu).as_micros() as u64, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        let spent = || {
            let programs = Duration::from_micros(self.programs.load(Ordering::Relaxed));
            (self.cpu)().saturating_sub(self.began) + programs
        };
        (self.stop)()
            || self.time.is_some_and(|end| (self.clock)() >= end)
            || self.left.is_some_and(|left| spent() >= left)
    }
}

/// See the module.
pub struct Campaign<'w> {
    state: Shared<'w>,
    changed: Condvar,
    map: Arc<ProgramMap>,
    config: &'w Config,
    clock: &'w (dyn Fn() -> Duration + Sync + 'w),
    /// CPU time of the whole search so far; where nobody knows it, jobs' own counts are added up.
    spent: Option<&'w (dyn Fn() -> Duration + Sync + 'w)>,
    stop: &'w (dyn Fn() -> bool + Sync + 'w),
    progress: &'w (dyn Fn() -> bool + Sync + 'w),
}

impl<'w> Campaign<'w> {
    /// A campaign about to begin.
    pub fn new(
        state: State<'w>,
        clock: &'w (dyn Fn() -> Duration + Sync + 'w),
        cpu: &'w (dyn Fn() -> Duration + Sync + 'w),
        stop: &'w (dyn Fn() -> bool + Sync + 'w),
        progress: &'w (dyn Fn() -> bool + Sync + 'w),
    ) -> Campaign<'w> {
        let (map, config) = (state.known.map().clone(), state.config);
        Campaign {
            state: Shared::new(state, cpu),
            changed: Condvar::new(),
            map,
            config,
            clock,
            spent: None,
            stop,
            progress,
        }
    }

    /// A budget of CPU time is measured by this clock of the whole search.
    #[must_use]
    pub fn with_meter(mut self, spent: &'w (dyn Fn() -> Duration + Sync + 'w)) -> Campaign<'w> {
        self.spent = Some(spent).filter(|_| self.config.budget.cpu.is_some());
        self
    }

    /// The program.
    pub fn map(&self) -> &ProgramMap {
        &self.map
    }

    /// Limits of a query that begins now, with those given: what is left of the session's time is a limit, too; `None` when
    /// nothing is, or somebody asked to stop.
    pub fn solve_limits(&self, limits: Limits) -> Option<Limits> {
        if self.is_stopped() {
            return None;
        }
        let Some(end) = self.config.budget.time else { return Some(limits) };
        let left = u64::try_from(end.saturating_sub(self.now()).as_millis()).unwrap_or(u64::MAX);
        let millis = if limits.millis == 0 { left } else { left.min(limits.millis) };
        (millis > 0).then_some(Limits { millis, ..limits })
    }

    /// Limits of each query of a flip at `level`: what is left of a budget of CPU time is one, too.
    pub fn limits_at(&self, level: u8) -> Limits {
        let limits = self.config.limits_at(level);
        if self.config.budget.cpu.is_none() {
            return limits;
        }
        let left = self.lock().cpu_left().map_or(u64::MAX, |left| left.as_millis() as u64).max(1);
        Limits { millis: if limits.millis == 0 { left } else { limits.millis.min(left) }, ..limits }
    }

    /// What is asked for.
    pub fn config(&self) -> &Config {
        self.config
    }

    /// Books time of a worker.
    pub fn book(&self, on: Use, time: Duration) {
        self.lock().wall.add(on, time);
    }

    /// Time since the session began.
    pub fn now(&self) -> Duration {
        (self.clock)()
    }

    /// The next job; `None` when the session is over.
    pub fn next_job(&self, worker: &mut Worker<'_>) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if (self.stop)() {
                state.end(EndReason::Stopped);
            }
            if (self.progress)() {
                let ledger = state.ledger.clone();
                state.emit(Event::Progress(ledger));
            }
            state.search_cpu = self.spent.map(|spent| spent());
            match state.next(worker, self.now()) {
                Next::Job(job) => return Some(*job),
                Next::Over => {
                    self.changed.notify_all();
                    return None;
                }
                // Woken up at times for the sake of the stop flag and the time budget.
                Next::Wait => {
                    let began = self.now();
                    state = state.wait(&self.changed, Duration::from_millis(50));
                    state.wall.add(Use::Waiting, self.now().saturating_sub(began));
                }
            }
        }
    }

    /// The lifted trace of a run with the worker's solver; `None` if it cannot be had any more.
    pub fn lifted<'a>(
        &self,
        worker: &'a mut Worker<'_>,
        run: RunId,
    ) -> Option<(&'a mut LiftedRun, &'a mut dyn Solver)> {
        let recorded = if worker.lifted.contains(run) { None } else { Some(self.recorded(worker, run)?) };
        let lifted = worker.lifted.get(run, || recorded)?;
        Some((lifted, worker.solver.as_mut()))
    }

    /// The trace of a run, made again by running its input if it was dropped.
    fn recorded(&self, worker: &mut Worker<'_>, run: RunId) -> Option<Arc<Recorded>> {
        let input = {
            let mut state = self.lock();
            if let Some(recorded) = state.traces.get(run) {
                return Some(recorded);
            }
            state.inputs.get(run)?
        };
        let recorded = worker.record_again(&input)?;
        let mut state = self.lock();
        state.ledger.reruns += 1;
        state.traces.insert(run, recorded.clone());
        state.paths.insert(run, recorded.path.clone());
        Some(recorded)
    }

    /// Takes in what came of a flip's question; the attempt to run, if there is a new input.
    pub fn answered(&self, job: &Job, flip: &Flip, solved: Solved) -> Option<Attempt> {
        self.attempt(job, |state| state.answered(job, flip, solved))
    }

    /// Takes in what came of a probe's question; the attempt to run, if there is a new input.
    pub fn probed(&self, job: &Job, probe: &Probe, solved: Solved) -> Option<Attempt> {
        self.attempt(job, |state| state.probed(job, probe, solved))
    }

    /// Takes in what came of a repair's question; the attempt to run, if there is a new input.
    pub fn repaired(&self, job: &Job, repair: &Repair, solved: Solved) -> Option<Attempt> {
        self.attempt(job, |state| state.repaired(job, repair, solved))
    }

    /// The attempt that an answer leads to; without one the job is over.
    fn attempt(&self, job: &Job, take_in: impl FnOnce(&mut State<'w>) -> Option<Attempt>) -> Option<Attempt> {
        let mut state = self.lock();
        let attempt = take_in(&mut state);
        if attempt.is_none() {
            self.finish(state, job);
        }
        attempt
    }

    /// Runs an attempt. A concrete run that covers something new is made again with its trace.
    ///
    /// # Errors
    /// When the worker's target failed twice in a row; the job was given back.
    pub fn run(&self, worker: &mut Worker<'_>, job: &Job, attempt: &Attempt) -> Result<Run, Failure> {
        let run = self.timed(worker, attempt).and_then(|run| {
            if attempt.mode == Mode::Concrete && self.lock().would_gain(&run.covered) {
                self.lock().ledger.reruns += 1;
                let again = Attempt { input: run.input.clone(), mode: Mode::Symbolic, ..attempt.clone() };
                return self.timed(worker, &again);
            }
            Ok(run)
        });
        run.map_err(|error| {
            self.give_back(job, attempt.cause, &error);
            Failure(error)
        })
    }

    /// Runs an attempt, and books the time that it took.
    fn timed(&self, worker: &mut Worker<'_>, attempt: &Attempt) -> Result<Run, TargetError> {
        let began = self.now();
        let run = worker.run(attempt);
        let took = self.now().saturating_sub(began);
        let hung = run.as_ref().is_ok_and(|run| run.outcome == Outcome::Timeout);
        if attempt.repeats.is_some() && !hung && run.is_ok() {
            worker.relax();
        }
        let mut state = self.lock();
        if attempt.repeats.is_some() {
            state.hangs.took(took);
        }
        state.spent(worker.number, if hung { Use::Hung } else { Use::Running }, took);
        run
    }

    /// Makes a batch of cheap runs; `None` where none can be made and the strategy can do without.
    ///
    /// # Errors
    /// When the worker's target failed twice in a row; the job was given back.
    pub fn cheap(
        &self,
        worker: &mut Worker<'_>,
        job: &Job,
        order: &Order,
    ) -> Result<Option<Harvest>, Failure> {
        let began = self.now();
        let harvest = worker.cheap(order);
        let took = self.now().saturating_sub(began);
        match harvest {
            Ok(harvest) => {
                let mut state = self.lock();
                state.harvested(worker.number, &harvest);
                let hung = harvest.hung.min(took);
                state.spent(worker.number, Use::Hung, hung);
                state.spent(worker.number, Use::Batches, took - hung);
                drop(state);
                Ok(Some(harvest))
            }
            Err(error)
                if self.config.strategy.wants_solver() && !matches!(error, TargetError::Interrupted) =>
            {
                let mut state = self.lock();
                state.emit(Event::RunFailed { cause: cause(order), what: error.to_string() });
                state.report(job, &GoalResult::GaveUp);
                self.finish(state, job);
                Ok(None)
            }
            Err(error) => {
                self.give_back(job, cause(order), &error);
                Err(Failure(error))
            }
        }
    }

    /// Makes a leg of a journey; `None` where none can be made.
    pub fn journey(
        &self,
        worker: &mut Worker<'_>,
        job: &Job,
        order: &journey::Order,
    ) -> Option<journey::Leg> {
        let leash = self.leash(worker.number);
        let (ran, stop) = (|cpu| leash.ran(cpu), || leash.is_over());
        let (map, clock) = (&self.map, self.clock);
        let around = journey::Around { map, clock, cpu: self.state.cpu(), ran: &ran, stop: &stop };
        let began = self.now();
        let leg = worker.journey(order, &around);
        self.lock().wall.add(Use::Journeys, self.now().saturating_sub(began));
        match leg {
            Ok(leg) => {
                self.lock().travelled(worker.number, &leg);
                Some(leg)
            }
            Err(error) => {
                let mut state = self.lock();
                state.emit(Event::RunFailed { cause: Cause::Journey, what: error.to_string() });
                state.report(job, &GoalResult::GaveUp);
                self.finish(state, job);
                None
            }
        }
    }

    /// How far a worker may go in its job.
    fn leash(&self, worker: u32) -> Leash<'_> {
        let spent = self.spent.map(|spent| spent());
        let (left, cpu) = {
            let mut state = self.lock();
            state.search_cpu = spent;
            (state.cpu_share(worker), self.state.cpu())
        };
        let time = self.config.budget.time;
        Leash {
            stop: self.stop,
            clock: self.clock,
            time,
            cpu,
            began: cpu(),
            left,
            programs: AtomicU64::new(0),
        }
    }

    /// Takes in a run of a journey: from its start, with as few inputs as still show what is new about it; the branches that
    /// it was the first to cover, and how it ended. Nothing is done if the campaign knows all of it. `of`: the leg showed so many, which share the
    /// runs that may be spent on making them short.
    pub fn arrive(
        &self,
        worker: &mut Worker<'_>,
        shown: &Run,
        of: usize,
    ) -> (Vec<BranchId>, Option<Outcome>) {
        let is_finding = shown.outcome.is_finding();
        if !is_finding && !self.lock().would_gain(&shown.covered) {
            return (Vec::new(), None);
        }
        let wanted = self.lock().gains(&shown.covered);
        let hangs = std::cell::Cell::new(0);
        let (leash, number) = (self.leash(worker.number), worker.number);
        let (mut runs, mut cpu) = (0, Duration::ZERO);
        let is_over = || hangs.get() >= MOST_HANGS || leash.is_over();
        let mut shows = |input: &Input| {
            let run = worker.run(&journey::whole(input.clone())).ok();
            run.is_some_and(|run| {
                leash.ran(run.cpu);
                (runs, cpu) = (runs + 1, cpu + run.cpu);
                let hung = run.outcome == Outcome::Timeout && shown.outcome != Outcome::Timeout;
                hangs.set(hangs.get() + u32::from(hung));
                let has = |b: &BranchId| run.covered.binary_search(b).is_ok();
                if is_finding { run.outcome == shown.outcome } else { wanted.iter().all(has) }
            })
        };
        let is_first = is_finding && self.lock().is_first(shown);
        let most = match shown.outcome {
            _ if !is_finding => SHORTEN / (of as u32).max(1),
            // Only a trace tells.
            Outcome::Undefined(_) => 0,
            Outcome::Timeout if is_first => SHORTEN_HANG,
            _ if is_first => SHORTEN_FINDING,
            _ => 0,
        };
        let (short, _) = shorten(&shown.input, most, &is_over, &mut shows);
        self.lock().shortened(number, runs, cpu);
        // It was counted where it was come to.
        let mut attempt = Attempt { again: true, ..journey::whole(short) };
        if matches!(shown.outcome, Outcome::Undefined(_)) {
            attempt.mode = Mode::Symbolic;
        }
        let (new, outcome) = self.run_unasked(worker, &attempt);
        if is_finding && outcome == Some(shown.outcome) {
            self.lock().ends.insert((shown.outcome, shown.crash_stack.clone()));
        }
        (new, outcome)
    }

    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// The runs kept for their coverage.
    pub fn witnesses(&self) -> Vec<Witness> {
        self.lock().witnesses.all().to_vec()
    }

    /// The input of a run that was kept.
    pub fn input(&self, run: RunId) -> Option<Input> {
        self.lock().inputs.get(run)
    }

    /// Takes note of runs that were made to shorten an input.
    pub fn shortened(&self, worker: u32, runs: u32, cpu: Duration) {
        self.lock().shortened(worker, runs, cpu);
    }

    /// Takes in a run as a shorter one for what `run` is kept for; unless that is in the corpus already.
    pub fn replace(&self, run: RunId, attempt: &Attempt, shorter: Run) -> Option<Witness> {
        self.lock().replace(run, attempt, shorter)
    }

    /// The suite is to be built of these runs first.
    pub fn prefer(&self, suite: Vec<RunId>) {
        self.lock().preferred = suite;
    }

    /// Runs once more, with a trace, what a cheap run showed, and takes it in; the branches it was the first to cover. Nothing
    /// is done if the campaign knows all of it.
    pub fn look_into(&self, worker: &mut Worker<'_>, order: &Order, shown: &Run) -> Vec<BranchId> {
        if !shown.outcome.is_finding() && !self.lock().would_gain(&shown.covered) {
            return Vec::new();
        }
        let attempt = Attempt { again: true, ..Attempt::new(shown.input.clone(), cause(order)) };
        self.run_unasked(worker, &attempt).0
    }

    /// Runs an attempt that no strategy asked for and takes it in; the branches that it was the first to cover, and how it ended.
    fn run_unasked(&self, worker: &mut Worker<'_>, attempt: &Attempt) -> (Vec<BranchId>, Option<Outcome>) {
        match self.timed(worker, attempt) {
            Ok(run) => {
                let outcome = run.outcome;
                let digest = worker.digest(attempt, run);
                let number = worker.number;
                let task = Task::Try(attempt.clone());
                let unasked = Job { goal: None, asker: number, runner: number, failures: 0, task };
                (self.lock().take_in(&unasked, attempt, digest), Some(outcome))
            }
            Err(TargetError::Interrupted) => {
                self.interrupted();
                (Vec::new(), None)
            }
            Err(error) => {
                self.lock().emit(Event::RunFailed { cause: attempt.cause, what: error.to_string() });
                (Vec::new(), None)
            }
        }
    }

    /// A batch is over.
    pub fn end_batch(&self, job: &Job, mut new_branches: Vec<BranchId>) {
        new_branches.sort_unstable();
        let mut state = self.lock();
        state.report(job, &GoalResult::Batch { new_branches });
        self.finish(state, job);
    }

    /// Takes a run in.
    pub fn take_in(&self, job: &Job, attempt: &Attempt, digest: Digest) {
        let mut state = self.lock();
        state.take_in(job, attempt, digest);
        self.finish(state, job);
    }

    /// Gives a job back that could not be run; after too many failures the strategy is told so.
    fn give_back(&self, job: &Job, cause: Cause, error: &TargetError) {
        if matches!(error, TargetError::Interrupted) {
            self.interrupted();
        }
        let mut state = self.lock();
        let retry = job.failures + 1 < TRIES && !matches!(error, TargetError::InputTooLarge { .. });
        if retry {
            state.returned.push_back(Job { failures: job.failures + 1, ..job.clone() });
        } else {
            state.emit(Event::RunFailed { cause, what: error.to_string() });
            state.report(job, &GoalResult::GaveUp);
        }
        self.finish(state, job);
    }

    /// A run was stopped because the session is to end.
    fn interrupted(&self) {
        let why = if self.is_stopped() { EndReason::Stopped } else { EndReason::Time };
        self.lock().end(why);
    }

    /// Takes note that a worker is gone, and gives back the job it was at.
    pub fn worker_lost(&self, worker: u32, what: String) {
        let mut state = self.lock();
        state.emit(Event::WorkerLost { worker, what: what.clone() });
        state.alive.remove(&worker);
        state.idle.remove(&worker);
        state.shared.lost(worker);
        if let Some(job) = state.current.get(&worker).cloned() {
            state.done(&job);
            if job.failures + 1 < TRIES {
                state.returned.push_back(Job { failures: job.failures + 1, ..job });
            } else {
                state.report(&job, &GoalResult::GaveUp);
            }
        }
        if state.alive.is_empty() {
            state.end(EndReason::Failed(what));
        }
        drop(state);
        self.changed.notify_all();
    }

    fn finish(&self, mut state: Held<'_, 'w>, job: &Job) {
        state.done(job);
        drop(state);
        self.changed.notify_all();
    }

    /// The state, once all workers are gone.
    pub fn into_state(self) -> (State<'w>, LockTime) {
        self.state.into_inner()
    }

    fn lock(&self) -> Held<'_, 'w> {
        self.state.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leash_counts_the_thread_and_its_programs_and_ends_with_the_session() {
        let (now, thread, asked) = (AtomicU64::new(0), AtomicU64::new(100), AtomicU64::new(0));
        let ms = |of: &AtomicU64| Duration::from_millis(of.load(Ordering::Relaxed));
        let (clock, cpu) = (|| ms(&now), || ms(&thread));
        let stop = || asked.load(Ordering::Relaxed) != 0;
        let leash = |time, left| Leash {
            stop: &stop,
            clock: &clock,
            time,
            cpu: &cpu,
            began: cpu(),
            left,
            programs: AtomicU64::new(0),
        };
        let free = leash(None, None);
        let (timed, spending) =
            (leash(Some(Duration::from_secs(5)), None), leash(None, Some(Duration::from_secs(2))));
        thread.store(1_100, Ordering::Relaxed);
        assert!(!spending.is_over(), "one second of two");
        spending.ran(Duration::from_millis(600));
        assert!(!spending.is_over());
        spending.ran(Duration::from_millis(600));
        assert!(spending.is_over(), "programs count, too");
        assert!(!timed.is_over());
        now.store(5_000, Ordering::Relaxed);
        assert!(timed.is_over() && !free.is_over());
        asked.store(1, Ordering::Relaxed);
        assert!(free.is_over());
    }
}
