//! A search from a snapshot: a session within the session, whose program begins where a run was frozen.
//!
//! Any strategy will do ([`crate::config::Hybrid::search`]); path tree, inputs and traces are those behind the snapshot, and are
//! forgotten with it. It ends when a branch is covered that the campaign has not, when something is found that it did not know,
//! when its runs or queries are used up or nothing is left to try.

use crate::campaign::Campaign;
use crate::config::{Budget, Config};
use crate::cycle::{Turn, cycle};
use crate::journey::Known;
use crate::lifted::LiftedRuns;
use crate::state::State;
use crate::witness::Kept;
use crate::worker::{Setting, Worker};
use crate::world::RunStore;
use events::{Cause, Event, FindingId, Ledger, Measured, RunId, Sink};
use fixedbitset::FixedBitSet;
use program::{BranchId, ProgramMap};
use solve::{Answer, Limits, Query, Solver, Unknown};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use trace::{Input, Mode, ObjectKind, Request, Run, SnapshotId, Target, TargetError};

/// Bytes of standard input that count as one input statement ahead.
const STREAM_BYTES: usize = 3;

/// What a search is given.
pub struct Search<'a> {
    /// The program.
    pub map: &'a Arc<ProgramMap>,
    /// Of the campaign.
    pub config: &'a Config,
    /// Where it begins.
    pub snapshot: SnapshotId,
    /// What the campaign covers.
    pub covered: &'a FixedBitSet,
    /// What the campaign found.
    pub known: &'a Known,
    /// Most runs.
    pub runs: u64,
    /// Most queries.
    pub queries: Option<u64>,
    /// Of random numbers.
    pub seed: u64,
    /// Time since the session began.
    pub clock: &'a (dyn Fn() -> Duration + Sync + 'a),
    /// CPU time of the calling thread.
    pub cpu: &'a (dyn Fn() -> Duration + Sync + 'a),
    /// Told of each run of the program, and of the CPU time that it took.
    pub ran: &'a (dyn Fn(Duration) + Sync + 'a),
    /// Whether somebody asked to stop.
    pub stop: &'a (dyn Fn() -> bool + Sync + 'a),
    /// Names stack frames.
    pub symbolize: &'a crate::world::Symbolizer<'a>,
}

/// What came of it.
pub struct Found {
    /// Runs from the snapshot that cover something new or are findings.
    pub runs: Vec<Run>,
    /// Its totals.
    pub ledger: Ledger,
    /// CPU time of the program.
    pub cpu: Duration,
}

/// Searches with this target and solver; `lifted` is where runs are lifted, for which the solver knows them.
///
/// # Errors
/// When the snapshot is gone.
pub fn search(
    target: &mut dyn Target,
    solver: &mut Box<dyn Solver>,
    lifted: &mut LiftedRuns,
    order: &Search<'_>,
) -> Result<Found, TargetError> {
    let hybrid = order.config.hybrid;
    let config = Config {
        strategy: hybrid.search,
        options: strategy::Options { mutants: false, ..order.config.options },
        seed: order.seed,
        jobs: 1,
        budget: Budget {
            runs: Some(order.runs),
            queries: order.queries,
            time: order.config.budget.time,
            ..Budget::default()
        },
        seeds: Vec::new(),
        shape: Input::default(),
        stop_when_covered: false,
        ..order.config.clone()
    };
    let mut catch =
        Catch { covered: order.covered, known: order.known, runs: Vec::new(), caught: Arc::default() };
    let mut silence = Silence;
    let strategies = strategy::make(config.strategy, 1, config.seed, config.options);
    let caught = catch.caught.clone();
    let stop = || caught.load(Ordering::Relaxed) || (order.stop)();
    let mut state = State::new(&config, order.map.clone(), strategies, 0, &mut silence, &mut catch, None);
    let covered: Vec<BranchId> = order.covered.ones().map(|b| BranchId(b as u32)).collect();
    state.known.cover(&covered, &[]);
    state.findings = order.known.findings.clone();
    let first = if order.config.shape.objects.iter().any(|o| o.kind == ObjectKind::Stdin) {
        // More of it is asked for where it ends; letters lead further than other bytes.
        let length = STREAM_BYTES * hybrid.lookahead as usize;
        Input::stdin(state.dice.bytes(length, strategy::Letters::Printable))
    } else {
        Input::default()
    };
    state.first.push_back((first, Cause::Initial));
    let progress = || false;
    let campaign = Campaign::new(state, order.clock, order.cpu, &stop, &progress);
    let gone = |_| Err(TargetError::Server("the frozen run is gone".into()));
    let idle = |_| Box::new(NoSolver) as Box<dyn Solver>;
    let setting = Setting {
        config: &config,
        map: order.map,
        target: &gone,
        cheap: &gone,
        solver: &idle,
        symbolize: order.symbolize,
    };
    let cpu = std::cell::Cell::new(Duration::ZERO);
    let from = FromSnapshot {
        target,
        snapshot: order.snapshot,
        value_seed: order.seed,
        max_inputs: hybrid.lookahead.max(1),
        cpu: &cpu,
        ran: order.ran,
    };
    lifted.begin_anew();
    let own = (std::mem::replace(solver, idle(0)), std::mem::replace(lifted, LiftedRuns::new(0, 0)));
    let mut worker = Worker::with(0, setting, Box::new(from), own);
    let mut error = None;
    while error.is_none() {
        match cycle(&mut worker, &campaign) {
            Ok(Turn::Over) => break,
            Ok(_) => {}
            Err(failure) => error = Some(failure.0),
        }
    }
    (*solver, *lifted) = worker.into_parts();
    lifted.begin_anew();
    let (state, _) = campaign.into_state();
    let ledger = state.ledger.clone();
    drop(state);
    match error {
        Some(error) if catch.runs.is_empty() => Err(error),
        _ => Ok(Found { runs: catch.runs, ledger, cpu: cpu.get() }),
    }
}

/// In the place of a solver that is used elsewhere.
struct NoSolver;

impl Solver for NoSolver {
    fn name(&self) -> &'static str {
        "none"
    }

    fn solve(&mut self, _: &mut Query<'_>, _: &Limits) -> Answer {
        Answer::Unknown(Unknown::Failed("no solver here".into()))
    }
}

/// A target whose runs begin at a snapshot.
struct FromSnapshot<'a> {
    target: &'a mut dyn Target,
    snapshot: SnapshotId,
    /// Values beyond those given are random, and the same in every run.
    value_seed: u64,
    max_inputs: u32,
    cpu: &'a std::cell::Cell<Duration>,
    ran: &'a (dyn Fn(Duration) + Sync + 'a),
}

impl Target for FromSnapshot<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, TargetError> {
        let none = || TargetError::Server("the target makes no snapshots".into());
        let snapshots = self.target.snapshots().ok_or_else(none)?;
        let value_seed = request.value_seed.or(Some(self.value_seed));
        let mode = if request.mode == Mode::Concrete { Mode::Concrete } else { Mode::Symbolic };
        let max_inputs = Some(self.max_inputs);
        let run = snapshots
            .run_from(self.snapshot, &Request { input: request.input, mode, value_seed, max_inputs })?;
        self.cpu.set(self.cpu.get() + run.cpu);
        (self.ran)(run.cpu);
        Ok(run)
    }
}

/// Keeps what the search is for.
struct Catch<'a> {
    covered: &'a FixedBitSet,
    known: &'a Known,
    runs: Vec<Run>,
    caught: Arc<AtomicBool>,
}

impl Catch<'_> {
    fn take(&mut self, run: &Run) {
        self.runs.push(Run { trace: None, ..run.clone() });
        self.caught.store(true, Ordering::Relaxed);
    }
}

impl RunStore for Catch<'_> {
    fn keep(&mut self, _: RunId, run: &Run, _: Kept) {
        let is_new = |b: &BranchId| b.index() < self.covered.len() && !self.covered[b.index()];
        if run.covered.iter().any(is_new) {
            self.take(run);
        }
    }

    fn finding(&mut self, id: FindingId, _: RunId, run: &Run, _: &[String]) {
        if self.known.findings.has(id) || self.known.has(run) {
            return;
        }
        if !self.runs.iter().any(|r| r.input == run.input) {
            self.take(run);
        }
    }
}

/// Events of the search stay inside: what it is for is run again, from the start, and told then.
struct Silence;

impl Sink for Silence {
    fn emit(&mut self, _: Event, _: Measured) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Findings;
    use trace::Outcome;

    fn ended(outcome: Outcome, stack: &[u64], covered: &[u32]) -> Run {
        Run {
            input: Input::default(),
            outcome,
            covered: covered.iter().map(|&b| BranchId(b)).collect(),
            entered: Vec::new(),
            indirect_calls: Vec::new(),
            trace: None,
            past_end: Vec::new(),
            crash_stack: stack.to_vec(),
            cpu: Duration::ZERO,
            max_rss: 0,
        }
    }

    #[test]
    fn what_is_known_ends_no_search() {
        let mut known = Known::default();
        let frames = ["parse".to_owned()];
        let id = known.findings.add(RunId(0), Outcome::Abort, &frames, None, 9).id;
        known.ends.insert((Outcome::Signal(11), vec![7]));
        let mut covered = FixedBitSet::with_capacity(4);
        covered.insert(0);
        let caught = |told: &dyn Fn(&mut Catch<'_>)| {
            let mut catch =
                Catch { covered: &covered, known: &known, runs: Vec::new(), caught: Arc::default() };
            told(&mut catch);
            (catch.runs.len(), catch.caught.load(Ordering::Relaxed))
        };
        let finding = |id, outcome, at| {
            caught(&|c| c.finding(FindingId(id), RunId(0), &ended(outcome, &[at], &[]), &[]))
        };
        assert_eq!(finding(id.0, Outcome::Abort, 1), (0, false), "a shorter way to it");
        assert_eq!(finding(5, Outcome::Signal(11), 7), (0, false));
        assert_eq!(finding(5, Outcome::Signal(11), 8), (1, true), "somewhere else");
        assert_eq!(finding(5, Outcome::Abort, 7), (1, true), "ended otherwise");
        let mut again: Findings = known.findings.clone();
        assert!(!again.add(RunId(1), Outcome::Abort, &frames, None, 1).first);
        let keeps = |b| caught(&|c| c.keep(RunId(0), &ended(Outcome::Exit(0), &[], &[b]), Kept::New));
        assert_eq!((keeps(0), keeps(1)), ((0, false), (1, true)));
    }
}
