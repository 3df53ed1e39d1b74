//! What to do next: budgets, first inputs, then the strategy's goals.

use crate::aims::Move;
use crate::cheap::{LONGEST, News, Order, batch_size};
use crate::config::Until;
use crate::journey;
use crate::probe::Probe;
use crate::random::resized;
use crate::recent::Recent;
use crate::repair::Repair;
use crate::state::State;
use crate::task::{Attempt, Flip, Task};
use crate::worker::Worker;
use events::{Cause, EndReason, Event, RunId};
use fixedbitset::FixedBitSet;
use path_tree::FlipStatus;
use program::BranchId;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;
use strategy::{Cheap, Goal, GoalResult, Paths, RunPath, View};
use trace::Mode;

/// A task with whom to tell what came of it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The strategy's goal; `None` for first inputs and repairs.
    pub goal: Option<Goal>,
    /// The worker whose strategy gave it.
    pub asker: u32,
    /// The worker that does it.
    pub runner: u32,
    /// How often it was tried in vain.
    pub failures: u32,
    /// What to do.
    pub task: Task,
}

impl Job {
    /// Whether it is a first input.
    fn is_first(&self) -> bool {
        self.goal.is_none() && matches!(&self.task, Task::Try(attempt) if attempt.repeats.is_none())
    }
}

fn repair_job(repair: Repair, worker: u32) -> Job {
    Job { goal: None, asker: worker, runner: worker, failures: 0, task: Task::Repair(repair) }
}

fn probe_job(probe: Probe, worker: u32) -> Job {
    Job { goal: None, asker: worker, runner: worker, failures: 0, task: Task::Probe(probe) }
}

/// Answer to a worker that asks for work.
pub enum Next {
    /// Do this.
    Job(Box<Job>),
    /// Ask again when another worker is done: nothing can be said before.
    Wait,
    /// The session is over.
    Over,
}

/// Aims are asked again so often for an input that was not run before.
const MOST_KNOWN: u32 = 256;

/// So many goals without a run mean that the strategy turns in circles.
const FRUITLESS: u32 = 20_000;

impl State<'_> {
    /// What `worker` should do, `elapsed` after the session's beginning.
    pub fn next(&mut self, worker: &mut Worker<'_>, elapsed: Duration) -> Next {
        loop {
            self.check_budget(elapsed);
            if self.ended.is_some() {
                return Next::Over;
            }
            if self.budget_in_flight() {
                return Next::Wait;
            }
            self.meter.begin(worker.number);
            if let Some(job) = self.returned_for(worker.number) {
                return self.deal(Job { runner: worker.number, ..job });
            }
            if let Some((input, cause)) = self.first.pop_front() {
                let task = Task::Try(Attempt::new(input, cause));
                return self.deal(Job {
                    goal: None,
                    asker: worker.number,
                    runner: worker.number,
                    failures: 0,
                    task,
                });
            }
            if self.first_in_flight > 0 {
                return Next::Wait;
            }
            if let Some(repair) = self.repairs.next() {
                return self.deal(repair_job(repair, worker.number));
            }
            self.repairs.yielded();
            let probe = if self.waits_for_probes() { self.probes.any() } else { self.probes.next() };
            if let Some(probe) = probe {
                return self.deal(probe_job(probe, worker.number));
            }
            self.probes.yielded();
            if let Some(job) = self.suspect_job(worker.number, elapsed, false) {
                return self.deal(job);
            }
            let goal = self.ask(worker);
            if matches!(goal, Goal::Wait | Goal::Finished)
                && let Some(repair) = self.repairs.next()
            {
                return self.deal(repair_job(repair, worker.number));
            }
            if matches!(goal, Goal::Wait | Goal::Finished)
                && let Some(probe) = self.probes.any()
            {
                return self.deal(probe_job(probe, worker.number));
            }
            if matches!(goal, Goal::Wait | Goal::Finished)
                && let Some(job) = self.suspect_job(worker.number, elapsed, true)
            {
                return self.deal(job);
            }
            if goal == Goal::Wait {
                return Next::Wait;
            }
            if matches!(goal, Goal::Random { .. } | Goal::Cheap(_))
                && let Some(why) = self.is_done()
            {
                self.end(why);
                continue;
            }
            if goal == Goal::Finished {
                if !self.finished(worker.number) {
                    return Next::Wait;
                }
                self.emit(Event::StrategyFinished);
                self.end(EndReason::Finished);
                continue;
            }
            self.fruitless += 1;
            if self.fruitless > FRUITLESS {
                self.end(EndReason::Finished);
                continue;
            }
            let number = worker.number;
            let job = |task| Job { goal: Some(goal), asker: number, runner: number, failures: 0, task };
            match self.task(goal, number, elapsed) {
                Ok(task) => return self.deal(job(task)),
                Err(result) => {
                    let unused = Task::Try(Attempt::new(Default::default(), Cause::Initial));
                    self.report(&job(unused), &result);
                }
            }
        }
    }

    /// A run that was stopped in haste, to be made again with all its time.
    fn suspect_job(&mut self, worker: u32, elapsed: Duration, idle: bool) -> Option<Job> {
        let task = Task::Try(self.hangs.next(elapsed, idle)?);
        Some(Job { goal: None, asker: worker, runner: worker, failures: 0, task })
    }

    fn deal(&mut self, job: Job) -> Next {
        self.in_flight += 1;
        self.first_in_flight += u32::from(job.is_first());
        self.current.insert(job.runner, job.clone());
        Next::Job(Box::new(job))
    }

    /// A job that was given back. The strategy of a worker waits for its own goals' results, so that worker, if it
    /// is alive, is the one to try again.
    fn returned_for(&mut self, worker: u32) -> Option<Job> {
        let own = |job: &Job| {
            let waiting =
                job.goal.is_some() && !self.config.strategy.is_shared() && self.alive.contains(&job.asker);
            !waiting || job.asker == worker
        };
        let k = self.returned.iter().position(own)?;
        self.returned.remove(k)
    }

    /// Takes note that a job came to an end.
    pub fn done(&mut self, job: &Job) {
        self.in_flight -= 1;
        self.first_in_flight -= u32::from(job.is_first());
        self.current.remove(&job.runner);
    }

    /// Whether every strategy has nothing left to do, now that that of `worker` has not; while a job is under
    /// way its result may give one something to do.
    fn finished(&mut self, worker: u32) -> bool {
        self.idle.insert(worker);
        let all = if self.config.strategy.is_shared() { 1 } else { self.alive.len() };
        self.in_flight == 0 && self.returned.is_empty() && self.idle.len() >= all
    }

    fn check_budget(&mut self, elapsed: Duration) {
        let budget = &self.config.budget;
        let reached = |limit: Option<u64>, used: u64| limit.is_some_and(|l| used >= l);
        if reached(budget.runs, self.ledger.runs) {
            self.end(EndReason::Runs);
        } else if reached(budget.queries, self.ledger.queries) {
            self.end(EndReason::Queries);
        } else if budget.time.is_some_and(|t| elapsed >= t)
            || self.cpu_left().is_some_and(|left| left.is_zero())
        {
            self.end(EndReason::Time);
        } else if let Some(why) = self.is_done() {
            self.end(why);
        } else if self.config.strategy.wants_snapshots() && self.is_enough() {
            self.end(EndReason::Enough);
        }
    }

    /// Whether strategy `hybrid` is content: with all branches only when there is nothing else to reach.
    fn is_enough(&self) -> bool {
        let goal = self.config.hybrid.goal;
        self.covers(goal) && (goal < 1.0 || self.known.is_complete())
    }

    /// Whether what the session is to end with has come.
    fn is_done(&mut self) -> Option<EndReason> {
        let until = self.config.until;
        if until == Until::Budget || self.has_other_goals() {
            return None;
        }
        match until {
            Until::Covered => return self.covers(1.0).then_some(EndReason::AllCovered),
            Until::Goals if self.covers(1.0) && self.known.is_reached() => {
                return Some(EndReason::AllReached);
            }
            _ => {}
        }
        let exhausted = self.ledger.symbolic_runs > 0 && self.has_only_chance();
        if !exhausted {
            return None;
        }
        // A goal that is infeasible on one path may be feasible on another: it counts as settled only now that all were tried.
        let settled = self.known.is_complete().then_some(EndReason::AllReached);
        if self.is_exact() { Some(EndReason::Exhausted) } else { settled }
    }

    /// Whether probes alone keep the session from its end: then they do not wait for their turns.
    fn waits_for_probes(&self) -> bool {
        match self.config.until {
            Until::Covered => self.covers(1.0),
            Until::Goals => self.covers(1.0) && self.known.is_complete(),
            Until::Paths | Until::Budget => false,
        }
    }

    /// Whether nothing is left to do, or under way, but random inputs and mutants.
    fn has_only_chance(&mut self) -> bool {
        let by_chance = |job: &Job| matches!(job.goal, Some(Goal::Random { .. } | Goal::Cheap(_)));
        self.first.is_empty()
            && self.returned.is_empty()
            && self.hangs.is_empty()
            && !self.aims.has_work()
            && self.current.values().all(by_chance)
            && self.strategies.each().all(|strategy| strategy.is_exhausted())
    }

    /// Whether there are no paths but those in the tree: all runs were followed in full, to their end, all flips asked for and answered,
    /// nothing was forgotten, and there is no input object that might be longer or shorter.
    fn is_exact(&self) -> bool {
        let l = &self.ledger;
        let tree = self.known.tree.stats();
        l.lost + l.unknown + l.unsat_pinned + l.divergences + l.traces_full + l.traces_rejected == 0
            && tree.evicted == 0
            && self.limits_reached.is_empty()
            && !self.hangs.left_out()
            && self.config.shape.objects.is_empty()
    }

    /// What is left of the budget of CPU time, if there is one: as measured, or as of the last jobs' ends.
    pub fn cpu_left(&self) -> Option<Duration> {
        let spent = self.search_cpu.unwrap_or_else(|| self.meter.total());
        self.config.budget.cpu.map(|budget| budget.saturating_sub(spent))
    }

    /// A worker's share of it, without what its job took so far.
    pub fn cpu_share(&self, worker: u32) -> Option<Duration> {
        // What was measured has its job in it.
        let job = if self.search_cpu.is_some() { Duration::ZERO } else { self.meter.so_far(worker) };
        let left = self.cpu_left()?.saturating_sub(job);
        Some(left / self.alive.len().max(1) as u32)
    }

    /// Whether there is something to look for besides branches: broken assumptions, accesses that may leave their objects, checks.
    fn has_other_goals(&self) -> bool {
        !(self.repairs.is_empty() && self.probes.is_empty() && self.known.map().checks.is_empty())
    }

    /// Whether this share of the branches is covered.
    fn covers(&self, share: f64) -> bool {
        let tally = self.known.coverage().absolute();
        tally.total > 0 && f64::from(tally.covered) >= share * f64::from(tally.total)
    }

    /// Whether the runs under way may use up the budget of runs.
    fn budget_in_flight(&self) -> bool {
        let left = self.config.budget.runs.map(|l| l.saturating_sub(self.ledger.runs));
        left.is_some_and(|left| self.runs_out().max(self.in_flight.into()) >= left)
    }

    /// Asks the strategy. Paths that it wants and that were dropped are made again by the worker at hand.
    fn ask(&mut self, worker: &mut Worker<'_>) -> Goal {
        let busy = self.in_flight > 0
            || !self.returned.is_empty()
            || !self.repairs.is_empty()
            || !self.probes.is_empty()
            || !self.hangs.is_empty();
        self.known.aims = self.aims.has_work();
        let strategy = self.strategies.of(worker.number as usize);
        let remade = Remade {
            paths: RefCell::new(&mut self.paths),
            inputs: &self.inputs,
            reruns: Cell::new(0),
            worker: RefCell::new(worker),
        };
        let goal = strategy.next(&View { known: &self.known, paths: &remade, busy });
        self.ledger.reruns += remade.reruns.get();
        goal
    }

    /// The task for a goal, or at once what came of it.
    fn task(&mut self, goal: Goal, worker: u32, elapsed: Duration) -> Result<Task, GoalResult> {
        let max = self.config.max_input;
        let (input, cause) = match goal {
            Goal::Cheap(kind) => return Ok(Task::Cheap(self.order(kind, worker, elapsed))),
            Goal::Journey => return Ok(Task::Journey(self.journey())),
            Goal::Flip { run, at, branch } => return self.flip_task(run, at, branch, 0),
            Goal::Deepen { run, at, branch, level } => return self.flip_task(run, at, branch, level),
            Goal::Random { mode, letters } => {
                let input = self.dice.input(&self.config.shape, self.config.initial_len, letters);
                let value_seed = Some(self.dice.number());
                return Ok(Task::Try(Attempt { mode, value_seed, ..Attempt::new(input, Cause::Random) }));
            }
            Goal::Grow { run, object, to, fill } => {
                let old = self.inputs.get(run).ok_or(GoalResult::GaveUp)?;
                let new = resized(&old, object, to, fill, max, &mut self.dice).ok_or(GoalResult::GaveUp)?;
                let to = new.objects[object as usize].data.len() as u64;
                (new, Cause::Grow { parent: run, object, to })
            }
            Goal::Shrink { run, object, to } => {
                let old = self.inputs.get(run).ok_or(GoalResult::GaveUp)?;
                let new = resized(&old, object, to, strategy::Fill::Zeros, max, &mut self.dice);
                (new.ok_or(GoalResult::GaveUp)?, Cause::Shrink { parent: run, object, to })
            }
            Goal::Aim => return self.aim(),
            Goal::Wait | Goal::Finished => return Err(GoalResult::GaveUp),
        };
        match self.seen.get(&input) {
            Some(run) => Err(GoalResult::AlreadyDone { run: Some(run) }),
            None => Ok(Task::Try(Attempt { mode: Mode::Symbolic, ..Attempt::new(input, cause) })),
        }
    }

    /// The next input, or flip, for a conditional that runs decided without input.
    fn aim(&mut self) -> Result<Task, GoalResult> {
        for _ in 0..MOST_KNOWN {
            match self.aims.next(&self.known, &mut self.paths) {
                Some(Move::Flip(run, at, branch)) => return self.flip_task(run, at, branch, 0),
                Some(Move::Try(input, parent)) => match self.seen.get(&input) {
                    Some(run) => self.aims.was_done(&input, run),
                    None => return Ok(Task::Try(Attempt::new(input, Cause::Aim { parent }))),
                },
                None => break,
            }
        }
        self.aims.rest();
        Err(GoalResult::GaveUp)
    }

    /// A batch as large as the budget allows.
    fn order(&mut self, kind: Cheap, worker: u32, elapsed: Duration) -> Order {
        let most = u64::from(batch_size(&self.config.shape));
        let left = self.runs_left().unwrap_or(most);
        let time = self.config.budget.time.map(|time| time.saturating_sub(elapsed));
        let longest = [time, self.cpu_share(worker)].into_iter().flatten().fold(LONGEST, Duration::min);
        let news = match kind {
            Cheap::Mutants => self.news(worker),
            Cheap::Random(_) => News::default(),
        };
        Order { kind, runs: most.min(left).max(1) as u32, longest, seed: self.dice.number(), news }
    }

    /// What a worker's mutation corpus is told.
    fn news(&mut self, worker: u32) -> News {
        if std::mem::take(&mut self.frontier_moved) {
            let coverage = self.known.coverage();
            let covered: Vec<BranchId> = coverage.covered().collect();
            self.shared.set_frontier(self.known.half_taken(&covered).into_iter().map(|b| b.0));
        }
        self.shared.news(worker)
    }

    /// A leg of a journey.
    fn journey(&mut self) -> journey::Order {
        let coverage = self.known.coverage();
        let own = self.known.map().n_own_branches();
        let mut covered = FixedBitSet::with_capacity(own);
        covered.extend((0..own).filter(|&b| coverage.has(BranchId(b as u32))));
        let known = Arc::new(journey::Known { findings: self.findings.clone(), ends: self.ends.clone() });
        let (runs, queries) = (self.share(self.runs_left()), self.share(self.queries_left()));
        journey::Order { seed: self.dice.number(), covered, known, runs, queries }
    }

    /// A worker's share of what is left of a budget, as long as there is anything.
    fn share(&self, left: Option<u64>) -> Option<u64> {
        let workers = self.alive.len().max(1) as u64;
        left.map(|left| if left == 0 { 0 } else { (left / workers).max(1) })
    }

    /// Queries of the budget that the journeys under way leave.
    fn queries_left(&self) -> Option<u64> {
        let of =
            |job: &Job| if let Task::Journey(order) = &job.task { order.queries.unwrap_or(0) } else { 0 };
        let out: u64 = self.current.values().map(of).sum();
        self.config.budget.queries.map(|l| l.saturating_sub(self.ledger.queries + out))
    }

    /// Runs of the budget that the jobs under way leave.
    fn runs_left(&self) -> Option<u64> {
        self.config.budget.runs.map(|l| l.saturating_sub(self.ledger.runs + self.runs_out()))
    }

    /// Runs that the jobs under way may make.
    fn runs_out(&self) -> u64 {
        let of = |job: &Job| match &job.task {
            Task::Cheap(order) => order.runs.into(),
            Task::Journey(order) => order.runs.unwrap_or(1),
            _ => 1,
        };
        self.current.values().map(of).sum()
    }

    fn flip_task(&mut self, run: RunId, at: u32, branch: BranchId, level: u8) -> Result<Task, GoalResult> {
        if self.known.map().outcome_of(branch).is_none() {
            return Err(GoalResult::GaveUp);
        }
        let path = self.paths.get(run);
        let decisions = path.as_ref().map_or(&[][..], |path| &path.decisions);
        if !self.hangs.is_due(run, decisions, at as usize, branch) {
            return Err(GoalResult::GaveUp);
        }
        if let Some(path) = path {
            self.known.tree.mark(&path.decisions, at as usize, branch, FlipStatus::Pending);
        }
        Ok(Task::Flip(Flip { parent: run, at, branch, level }))
    }
}

/// Paths at hand, and those that the worker makes again on demand.
struct Remade<'a, 'w> {
    paths: RefCell<&'a mut Recent<RunPath>>,
    inputs: &'a crate::inputs::Inputs,
    reruns: Cell<u64>,
    worker: RefCell<&'a mut Worker<'w>>,
}

impl Paths for Remade<'_, '_> {
    fn path(&self, run: RunId) -> Option<Arc<RunPath>> {
        let mut paths = self.paths.borrow_mut();
        if let Some(path) = paths.get(run) {
            return Some(path);
        }
        let input = self.inputs.get(run)?;
        let recorded = self.worker.borrow_mut().record_again(&input)?;
        self.reruns.set(self.reruns.get() + 1);
        paths.insert(run, recorded.path.clone());
        Some(recorded.path.clone())
    }
}
