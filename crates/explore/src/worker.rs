//! A worker: a target, a solver and lifted traces of its own. All that it does here needs no lock.

use crate::cheap::{Harvest, Kitchen, Order, Recipe};
use crate::config::Config;
use crate::journey::{self, Travels};
use crate::lifted::LiftedRuns;
use crate::probe::{self, kept as conditions};
use crate::promise::Kept;
use crate::recent::Recorded;
use crate::repair::{Broken, broken};
use crate::task::Attempt;
use crate::world::{SolverFactory, Symbolizer, TargetFactory};
use mutate::tokens::Found;
use program::ProgramMap;
use solve::Solver;
use std::collections::BTreeSet;
use std::sync::Arc;
use strategy::RunPath;
use trace::{CheckReport, Input, Mode, ObjectKind, Request, Run, Target, TargetError};

/// What a worker needs of the campaign.
#[derive(Clone, Copy)]
pub struct Setting<'w> {
    /// What is asked for.
    pub config: &'w Config,
    /// The program.
    pub map: &'w ProgramMap,
    /// Makes targets.
    pub target: &'w TargetFactory<'w>,
    /// Makes targets for cheap runs.
    pub cheap: &'w TargetFactory<'w>,
    /// Makes solvers.
    pub solver: &'w SolverFactory<'w>,
    /// Names stack frames.
    pub symbolize: &'w Symbolizer<'w>,
}

/// See the module.
pub struct Worker<'w> {
    /// Its number, from 0.
    pub number: u32,
    /// Its solver.
    pub solver: Box<dyn Solver>,
    /// Its lifted runs.
    pub lifted: LiftedRuns,
    setting: Setting<'w>,
    target: Box<dyn Target + 'w>,
    kitchen: Kitchen<'w>,
    travels: Travels<'w>,
}

/// What a worker made of a run before it takes the lock.
pub struct Digest {
    /// The run, without its trace.
    pub run: Run,
    /// The trace with its decisions, if it was a symbolic run.
    pub recorded: Option<Arc<Recorded>>,
    /// With `--check-trace`: what the check found.
    pub checked: Option<CheckReport>,
    /// Whether it kept its promise, if it gave one.
    pub kept: Option<Kept>,
    /// Function names of its stack, if it is a finding.
    pub stack: Vec<String>,
    /// Assumptions that it broke.
    pub broken: Vec<Broken>,
    /// Checks that failed.
    pub failed: Vec<u32>,
    /// Conditions of accesses that it kept.
    pub conditions: Vec<probe::Kept>,
    /// Words for the dictionary of mutants and where they were looked for, if there are mutants.
    pub words: Found,
    /// The worker.
    pub worker: u32,
}

impl<'w> Worker<'w> {
    /// Starts a target and a solver.
    ///
    /// # Errors
    /// When the target cannot be started.
    pub fn new(number: u32, setting: Setting<'w>) -> Result<Worker<'w>, TargetError> {
        let lifted = LiftedRuns::new(number, setting.config.memory.lifted_nodes);
        let (target, solver) = ((setting.target)(number)?, (setting.solver)(number));
        Ok(Worker::with(number, setting, target, (solver, lifted)))
    }

    /// A worker of a search within a session: with a target, a solver and lifted runs that are there already.
    pub fn with(
        number: u32,
        setting: Setting<'w>,
        target: Box<dyn Target + 'w>,
        (solver, lifted): (Box<dyn Solver>, LiftedRuns),
    ) -> Worker<'w> {
        Worker {
            number,
            solver,
            lifted,
            setting,
            target,
            kitchen: Kitchen::default(),
            travels: Travels::default(),
        }
    }

    /// What it was given, once it is over.
    pub fn into_parts(self) -> (Box<dyn Solver>, LiftedRuns) {
        (self.solver, self.lifted)
    }

    /// Makes a leg of a journey.
    ///
    /// # Errors
    /// When the target for them fails, or makes no snapshots.
    pub fn journey(
        &mut self,
        order: &journey::Order,
        around: &journey::Around<'_>,
    ) -> Result<journey::Leg, TargetError> {
        let with = journey::With {
            config: self.setting.config,
            factory: self.setting.target,
            number: self.number,
            symbolize: self.setting.symbolize,
            solver: &mut self.solver,
            lifted: &mut self.lifted,
        };
        let mut leg = self.travels.leg(order, around, with)?;
        leg.shown = leg.shown.into_iter().map(|run| within(run, self.setting.map)).collect();
        Ok(leg)
    }

    /// Runs of inputs with so many values, found on journeys, do not end in time.
    pub fn turn_back(&mut self, values: usize) {
        self.travels.turn_back(values);
    }

    /// Runs an attempt. A target that fails is started anew and asked once more.
    ///
    /// # Errors
    /// When that fails, too, or the input is too large for the target.
    pub fn run(&mut self, attempt: &Attempt) -> Result<Run, TargetError> {
        let Attempt { input, mode, value_seed, .. } = attempt;
        self.target.set_haste(self.setting.config.is_hasty() && attempt.repeats.is_none());
        self.request(&Request { input, mode: *mode, value_seed: *value_seed, max_inputs: None })
    }

    /// A run that was stopped in haste ended when it had all its time: haste is to be less.
    pub fn relax(&mut self) {
        self.target.relax();
        self.kitchen.relax();
    }

    /// Makes a batch of cheap runs.
    ///
    /// # Errors
    /// When the target for them fails twice.
    pub fn cheap(&mut self, order: &Order) -> Result<Harvest, TargetError> {
        let config = self.setting.config;
        let recipe = Recipe {
            shape: &config.shape,
            initial_len: config.initial_len,
            bias: &config.bias,
            max_input: config.max_input,
            jobs: config.jobs,
            hasty: config.is_hasty(),
        };
        let mut harvest = self.kitchen.make(order, recipe, self.setting.cheap, self.number)?;
        harvest.shown = harvest.shown.into_iter().map(|run| within(run, self.setting.map)).collect();
        Ok(harvest)
    }

    fn request(&mut self, request: &Request<'_>) -> Result<Run, TargetError> {
        let run = match self.target.run(request) {
            Err(TargetError::Server(_) | TargetError::Io { .. }) => {
                self.target = (self.setting.target)(self.number)?;
                // The new one takes its time until it is told otherwise.
                self.target.run(request)
            }
            other => other,
        };
        run.map(|run| within(run, self.setting.map))
    }

    /// Reads a run: its path, the check of its trace, whether it kept its promise, the names on its stack.
    pub fn digest(&self, attempt: &Attempt, mut run: Run) -> Digest {
        let trace = run.trace.take();
        let checked = trace.as_ref().filter(|_| self.setting.config.check_trace);
        let checked = checked.map(|t| trace::check(t, &run.input, self.setting.map));
        let recorded = trace.map(|t| self.record(&run, t));
        let kept = attempt.promise.as_ref().map(|promise| match &recorded {
            Some(r) => promise.check(&r.path.decisions, r.is_cut()),
            None => Kept::Unclear,
        });
        let is_finding = run.outcome.is_finding() && !run.crash_stack.is_empty();
        let stack = if is_finding { (self.setting.symbolize)(&run.crash_stack) } else { Vec::new() };
        let broken = recorded.as_ref().map(|r| broken(r)).unwrap_or_default();
        let conditions = recorded.as_ref().map(|r| conditions(r)).unwrap_or_default();
        let wanted = recorded.as_ref().filter(|_| self.setting.config.strategy.wants_mutants());
        let mut words = wanted.map(|r| mutate::tokens::of_input(&r.trace, &r.input)).unwrap_or_default();
        // Nothing longer or shorter is put in the place of a value.
        let is_value =
            |object: u32| run.input.objects.get(object as usize).is_some_and(|o| o.kind == ObjectKind::Value);
        words.places.retain(|place| !is_value(place.object));
        let failed = recorded.as_ref().map(|r| failed(&r.trace, self.setting.map)).unwrap_or_default();
        Digest { run, recorded, checked, kept, stack, broken, failed, conditions, words, worker: self.number }
    }

    /// Runs an input again for its trace; `None` if it cannot be had.
    pub fn record_again(&mut self, input: &Input) -> Option<Arc<Recorded>> {
        self.target.set_haste(self.setting.config.is_hasty());
        let mut run = self
            .request(&Request { input, mode: Mode::Symbolic, value_seed: None, max_inputs: None })
            .ok()?;
        let trace = run.trace.take()?;
        Some(self.record(&run, trace))
    }

    fn record(&self, run: &Run, trace: trace::Trace) -> Arc<Recorded> {
        let decisions = trace::decisions(&trace, self.setting.map);
        let with_log = !trace.path.is_empty();
        let positions = || decisions.iter().map(|d| trace.events[d.event as usize].pos).collect();
        let length = |o: &trace::Object| if o.kind == ObjectKind::Value { 0 } else { o.data.len() as u64 };
        let path = RunPath {
            log_at: if with_log { positions() } else { Vec::new() },
            log: trace.path.clone(),
            lengths: run.input.objects.iter().map(length).collect(),
            past_end: run.past_end.clone(),
            decisions,
        };
        Arc::new(Recorded { input: run.input.clone(), trace, path: Arc::new(path) })
    }
}

/// Checks that failed in a run, each once.
fn failed(trace: &trace::Trace, map: &ProgramMap) -> Vec<u32> {
    let of =
        |e: &trace::Event| e.kind == trace::EventKind::Failed as u8 && (e.site as usize) < map.checks.len();
    let all: BTreeSet<u32> = trace.events.iter().filter(|e| of(e)).map(|e| e.site).collect();
    all.into_iter().collect()
}

/// The run without ids that the program map does not have: what a run reports is not trusted.
fn within(mut run: Run, map: &ProgramMap) -> Run {
    run.covered.retain(|b| b.index() < map.branches.len());
    run.entered.retain(|f| f.index() < map.n_own_functions());
    run.past_end.retain(|(object, _)| (*object as usize) < run.input.objects.len());
    run
}
