//! A session of a campaign: first inputs, workers, the end.
//!
//! # Resuming
//!
//! A session that continues an earlier one ([`Earlier`]) first runs the stored corpus again, symbolically, in
//! the order it was found, then the reproducers of findings, and then the seeds. That rebuilds coverage and the
//! path tree along the corpus; what came of flips elsewhere is not stored and may be tried a second time. Runs and
//! findings are numbered on.

use crate::campaign::{Campaign, Failure};
use crate::config::Config;
use crate::cycle::{Turn, cycle};
use crate::findings::{Finding, Findings};
use crate::held::LockTime;
use crate::random::first_inputs;
use crate::shorter;
use crate::state::State;
use crate::wall::WallTime;
use crate::witness::Witness;
use crate::worker::{Setting, Worker};
use crate::world::{Earlier, World};
use events::{Cause, EndReason, Event, Ledger, RunId};
use program::ProgramMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use strategy::{ArmCount, Letters};
use trace::{Input, TargetError};

/// What a session leaves behind.
pub struct Outcome {
    /// Why it ended.
    pub why: EndReason,
    /// What the search took, until tests were made short.
    pub searched: Searched,
    /// Its totals.
    pub ledger: Ledger,
    /// What the parts of the strategy cost and found, for strategies that weigh parts against each other.
    pub arms: Vec<ArmCount>,
    /// How long the lock that all workers share was held.
    pub lock: LockTime,
    /// What the time of the workers went for.
    pub wall: WallTime,
    /// Runs kept for their coverage: what the suite is chosen from.
    pub witnesses: Vec<Witness>,
    /// Those of them that the suite is built of, as far as they are confirmed; empty: all.
    pub preferred: Vec<RunId>,
    /// Runs in which an access left its object without any sign of it: what AddressSanitizer is to be asked about.
    pub strayed: Vec<RunId>,
    /// Findings.
    pub findings: Vec<Finding>,
    inputs: crate::inputs::Inputs,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// By the clock on the wall.
    pub time: Duration,
    /// CPU time of all its threads and processes.
    pub cpu: Duration,
}

impl Outcome {
    /// The input of a run that was kept.
    pub fn input(&self, run: RunId) -> Option<Input> {
        self.inputs.get(run)
    }
}

/// A worker whose target fails so often in a row is given up.
const FAILURES: u32 = 3;

/// Random inputs tried at the beginning when there are no seeds.
const FIRST_RANDOM: u32 = 4;

/// Explores a program until the budget is used, nothing is left to do, or somebody asks to stop.
///
/// All events up to the end have reached the sink when this returns.
pub fn explore(config: &Config, map: Arc<ProgramMap>, world: World<'_>, earlier: Earlier) -> Outcome {
    let World { target, cheap, solver, clock, spent, cpu, stop, progress, symbolize, sink, store } = world;
    let jobs = config.jobs.max(1);
    let mutants = config.options.mutants && config.strategy.wants_cheap_runs(config.budget.runs);
    let options = strategy::Options { mutants, ..config.options };
    let strategies = strategy::make(config.strategy, jobs as usize, config.seed, options);
    let mut state = State::new(config, map.clone(), strategies, earlier.runs, sink, store, Some(cpu));
    state.emit(Event::CampaignStarted {
        strategy: config.strategy.name().into(),
        seed: config.seed,
        jobs,
        functions: map.n_own_functions() as u32,
        conditionals: map.conds.iter().take(map.n_source_conds()).filter(|c| map.is_own(c.function)).count()
            as u32,
        branches: map.n_own_branches() as u32,
        earlier_runs: earlier.runs,
    });
    state.findings = Findings::resumed(earlier.findings.iter().map(|(finding, _)| finding.clone()));
    let first = first(config, earlier, &mut state);
    state.first.extend(first);

    let campaign = Campaign::new(state, clock, cpu, stop, progress).with_meter(spent);
    let cheap = cheap.unwrap_or(target);
    let setting = Setting { config, map: &map, target, cheap, solver, symbolize };
    std::thread::scope(|scope| {
        for number in 1..jobs {
            let campaign = &campaign;
            scope.spawn(move || work(number, setting, campaign));
        }
        work(0, setting, &campaign);
    });
    let searched = Searched { time: clock(), cpu: spent() };
    shorten(setting, &campaign);
    let (state, lock) = campaign.into_state();
    let (closed, inputs) = state.close();
    let crate::state::Closed { why, ledger, arms, wall, witnesses, preferred, strayed, findings } = closed;
    Outcome { why, searched, ledger, arms, lock, wall, witnesses, preferred, strayed, findings, inputs }
}

/// Long tests of the suite made short, unless somebody waits for the end.
fn shorten(setting: Setting<'_>, campaign: &Campaign<'_>) {
    if !shorter::is_wanted(campaign) {
        return;
    }
    // A target that fails now costs length and nothing else.
    let work = || Worker::new(0, setting).map(|mut worker| shorter::shorten_suite(campaign, &mut worker));
    let _ = catch_unwind(AssertUnwindSafe(work));
}

/// What is run before the strategy is asked: the earlier corpus, the seeds; without any, made-up inputs.
fn first(config: &Config, earlier: Earlier, state: &mut State<'_>) -> Vec<(Input, Cause)> {
    let reproducers: Vec<_> =
        earlier.findings.into_iter().map(|(finding, input)| (input, finding.best)).collect();
    let best: std::collections::HashMap<Input, RunId> = reproducers.iter().cloned().collect();
    let corpus = earlier.corpus.into_iter().map(|(run, input)| {
        // A reproducer in the corpus goes by the run that its finding knows.
        let run = best.get(&input).copied().unwrap_or(run);
        (input, run)
    });
    let corpus = corpus.chain(reproducers).map(|(input, run)| (input, Cause::Resumed { earlier: run }));
    let seeds = config.seeds.iter().zip(0..).map(|(input, index)| (input.clone(), Cause::Seed { index }));
    let mut first: Vec<(Input, Cause)> = corpus.chain(seeds).collect();
    // A program that never stops asking would never end.
    if first.is_empty() && !config.strategy.wants_snapshots() {
        first
            .extend(first_inputs(&config.shape, config.initial_len).into_iter().map(|i| (i, Cause::Initial)));
        let random = |k: u32| {
            let letters = if k.is_multiple_of(2) { Letters::Printable } else { Letters::All };
            (state.dice.input(&config.shape, config.initial_len, letters), Cause::Initial)
        };
        first.extend((0..FIRST_RANDOM).map(random));
    }
    let mut known = std::collections::HashSet::new();
    first.retain(|(input, _)| known.insert(input.clone()));
    first
}

/// A worker's life.
fn work(number: u32, setting: Setting<'_>, campaign: &Campaign<'_>) {
    let life = || {
        let mut worker = Worker::new(number, setting).map_err(Failure)?;
        let mut failures = 0;
        loop {
            match cycle(&mut worker, campaign) {
                Ok(Turn::Over) => return Ok(()),
                Ok(Turn::Ran | Turn::NoInput) => failures = 0,
                // The session is to end, and was told so.
                Err(Failure(TargetError::InputTooLarge { .. } | TargetError::Interrupted)) => {}
                Err(failure) => {
                    failures += 1;
                    if failures >= FAILURES {
                        return Err(failure);
                    }
                }
            }
        }
    };
    // A worker that panics must not take the campaign with it: what it was at is given back.
    match catch_unwind(AssertUnwindSafe(life)) {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => campaign.worker_lost(number, failure.to_string()),
        Err(panic) => campaign.worker_lost(number, format!("internal error: {}", text_of(&*panic))),
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let fixed = panic.downcast_ref::<&str>().copied();
    fixed.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}
