//! A search from a snapshot: a session within the session, whose program begins where a run was frozen.
//!
//! Any strategy will do ([`crate::config::Hybrid::search`]); path tree, inputs and traces are those behind the snapshot, and are
//! forgotten with it. It ends when a branch is covered that the campaign has not, when something is found that it did not know,
//! when its runs or queries are used up or nothing is left to try.
//!
//! The first new branch ends it in the paper. Where there is one there are more (a mode of an editor, a part of a dialogue): a search that
//! goes on ([`Search::goes_on`]) ends when so many runs in a row came with none.

use crate::campaign::Campaign;
use crate::config::{Budget, Config, Until};
use crate::cycle::{Turn, cycle};
use crate::journey::Known;
use crate::lifted::LiftedRuns;
use crate::prefix::cut_off;
use crate::random::Dice;
use crate::state::State;
use crate::streams::{Place, address, has_any, say};
use crate::vocabulary::Vocabulary;
use crate::witness::Kept;
use crate::worker::{Setting, Worker};
use crate::world::RunStore;
use events::{Cause, Event, FindingId, Ledger, Measured, RunId, Sink};
use fixedbitset::FixedBitSet;
use program::{BranchId, ProgramMap};
use solve::{Answer, Limits, Query, Solver, Unknown};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use strategy::Letters;
use trace::{Input, Mode, Object, ObjectKind, Outcome, Request, Run, SnapshotId, Target, TargetError};

/// Runs spent on cutting off what is behind the new branch of a run that was found.
const CUT: u32 = 8;
/// Most states told behind phrases that were understood for the first time.
const MOST_UNDERSTOOD: usize = 4;
/// So many of the last values are of one byte where a program asks for text in values.
const LETTERS: usize = 16;
/// So many of these count as one input statement ahead: streams are made longer where a run reads on, values are not. (The server of
/// bench/papers, one seed: 58 branches with 3, 87 with 9 after 40 CPU-seconds, 88 and 87 after 113.)
const LETTERS_AHEAD: u32 = 9;
/// Bytes of standard input, or of a connection, that count as one input statement ahead.
const STREAM_BYTES: usize = 3;

/// A search that goes on ends after so many runs without anything new that did not end in time: from some states none does.
const MOST_LATE: u64 = 3;

/// And after so many finds: each is run from the program's start before anybody believes it.
const MOST_FINDS: u64 = 64;

/// What a search is given.
pub struct Search<'a> {
    /// The program.
    pub map: &'a Arc<ProgramMap>,
    /// Of the campaign.
    pub config: &'a Config,
    /// Where it begins.
    pub place: &'a Place,
    /// What the campaign covers.
    pub covered: &'a FixedBitSet,
    /// What the campaign found.
    pub known: &'a Known,
    /// Most runs.
    pub runs: u64,
    /// It does not end with the first new branch, but after so many runs without one.
    pub goes_on: Option<u64>,
    /// And after so much CPU time without one.
    pub most_idle: Option<Duration>,
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
    /// What else is worth going on from: inputs up to where they were understood as no other before.
    pub understood: Vec<Input>,
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
    vocabulary: &mut Vocabulary,
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
        haste: false,
        until: Until::Budget,
        ..order.config.clone()
    };
    let pace = Arc::new(Pace { goes_on: order.goes_on, most_idle: order.most_idle, ..Pace::default() });
    let mut catch = Catch {
        covered: order.covered.clone(),
        known: order.known,
        enough: (hybrid.goal * order.covered.len() as f64).ceil() as usize,
        runs: Vec::new(),
        pace: pace.clone(),
    };
    let mut silence = Silence;
    let strategies = strategy::make(config.strategy, 1, config.seed, config.options);
    let stop = || pace.is_over((order.cpu)()) || (order.stop)();
    pace.begins((order.cpu)());
    let mut state = State::new(&config, order.map.clone(), strategies, 0, &mut silence, &mut catch, None);
    let covered: Vec<BranchId> = order.covered.ones().map(|b| BranchId(b as u32)).collect();
    state.known.cover(&covered, &[]);
    state.findings = order.known.findings.clone();
    vocabulary.know(&order.map.words);
    let first = first_input(order, &mut state.dice, vocabulary);
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
    let cpu = Cell::new(Duration::ZERO);
    // The paper's algorithm has no phrases.
    let listens = hybrid.patience.is_none();
    let heard = RefCell::new(Heard { vocabulary: listens.then_some(vocabulary), understood: Vec::new() });
    let from = FromSnapshot {
        target: &mut *target,
        snapshot: order.place.at,
        value_seed: order.seed,
        max_inputs: ahead(order).max(1),
        cpu: &cpu,
        ran: order.ran,
        pace: &pace,
        heard: &heard,
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
    let mut ledger = state.ledger.clone();
    drop(state);
    let understood = std::mem::take(&mut heard.borrow_mut().understood);
    let mut runs = catch.runs;
    match error {
        Some(error) if runs.is_empty() => Err(error),
        _ => {
            if listens {
                runs.iter_mut().for_each(|run| cut(target, order, run, &mut ledger, &cpu));
            }
            Ok(Found { runs, understood, ledger, cpu: cpu.get() })
        }
    }
}

/// The kind of the values that a program asks for letter by letter, if the last ones before a place are such.
fn letter(behind: &Input) -> Option<&Object> {
    let mut last =
        behind.objects.iter().rev().filter(|o| o.kind == ObjectKind::Value).take(LETTERS).peekable();
    let like = *last.peek()?;
    last.all(|o| o.data.len() == 1 && o.name == like.name).then_some(like)
}

/// Values that a run of the search may ask for: more of one byte, as of the bytes of a stream, but in the paper's algorithm.
fn ahead(order: &Search<'_>) -> u32 {
    let hybrid = order.config.hybrid;
    let times =
        if hybrid.patience.is_none() && letter(&order.place.behind).is_some() { LETTERS_AHEAD } else { 1 };
    hybrid.lookahead.saturating_mul(times)
}

/// What a search begins with: nothing where the program asks for values, which are random then; of streams, which would end,
/// as much as is to be solved; of values that are letters, too. Every other one that is wanted without a patience is talk.
fn first_input(order: &Search<'_>, dice: &mut Dice, vocabulary: &Vocabulary) -> Input {
    let hybrid = order.config.hybrid;
    let shape = &order.config.shape;
    let is_stream = has_any(shape);
    // More of it is asked for where it ends; letters lead further than other bytes.
    let letters = Letters::Printable;
    let length = if is_stream { hybrid.lookahead as usize * STREAM_BYTES } else { ahead(order) as usize };
    let talks = hybrid.patience.is_none() && !vocabulary.is_empty() && dice.below(2) == 0;
    let like = letter(&order.place.behind).filter(|_| hybrid.patience.is_none());
    let mut input = Input::default();
    if talks {
        input.objects = vocabulary.talk(dice, length, letters);
        address(&mut input, shape, order.place.speaks);
    } else if is_stream {
        say(&mut input, shape, order.place.speaks, &dice.bytes(length, letters));
    } else if let Some(like) = like {
        let value = |b| Object { data: vec![b], ..like.clone() };
        input.objects = dice.bytes(length, letters).into_iter().map(value).collect();
    }
    input
}

/// Cuts off what comes behind the inputs that cover something new: the state to go on from is the one right there.
fn cut(
    target: &mut dyn Target,
    order: &Search<'_>,
    run: &mut Run,
    ledger: &mut Ledger,
    cpu: &Cell<Duration>,
) {
    if run.outcome.is_finding() {
        return;
    }
    let Some(snapshots) = target.snapshots() else { return };
    let is_new = |b: &&BranchId| b.index() < order.covered.len() && !order.covered[b.index()];
    let wanted: Vec<BranchId> = run.covered.iter().filter(is_new).copied().collect();
    let mut shows = |input: &Input| {
        let ending = input.clone().ending();
        let request =
            Request { input: &ending, mode: Mode::Concrete, value_seed: Some(order.seed), max_inputs: None };
        if ledger.runs >= order.runs {
            return false;
        }
        let Ok(run) = snapshots.run_from(order.place.at, &request) else { return false };
        ledger.runs += 1;
        cpu.set(cpu.get() + run.cpu);
        (order.ran)(run.cpu);
        wanted.iter().all(|b| run.covered.binary_search(b).is_ok())
    };
    run.input = cut_off(&run.input, CUT, &mut shows);
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
    cpu: &'a Cell<Duration>,
    ran: &'a (dyn Fn(Duration) + Sync + 'a),
    pace: &'a Pace,
    heard: &'a RefCell<Heard<'a>>,
}

/// What runs of a search understood.
struct Heard<'a> {
    /// `None`: nobody listens.
    vocabulary: Option<&'a mut Vocabulary>,
    understood: Vec<Input>,
}

impl Heard<'_> {
    fn listen(&mut self, run: &Run) {
        let (Some(vocabulary), Some(trace)) = (&mut self.vocabulary, &run.trace) else { return };
        let understood = vocabulary.listen(trace, &run.input);
        if !run.outcome.is_finding() && self.understood.len() < MOST_UNDERSTOOD {
            self.understood.extend(understood);
        }
    }
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
        self.pace.ran(&run);
        self.heard.borrow_mut().listen(&run);
        Ok(run)
    }
}

/// Whether it is time to end.
#[derive(Default)]
struct Pace {
    goes_on: Option<u64>,
    caught: AtomicBool,
    /// Runs in a row without anything new.
    idle: AtomicU64,
    /// Of them those that did not end in time.
    late: AtomicU64,
    most_idle: Option<Duration>,
    /// CPU time of this thread at the end of the last run with something new, and of the programs since then, in microseconds.
    own: AtomicU64,
    programs: AtomicU64,
    /// Of this thread at the end of the last run.
    now: AtomicU64,
    finds: AtomicU64,
}

impl Pace {
    fn ran(&self, run: &Run) {
        self.idle.fetch_add(1, Ordering::Relaxed);
        self.late.fetch_add(u64::from(run.outcome == Outcome::Timeout), Ordering::Relaxed);
        self.programs.fetch_add(run.cpu.as_micros() as u64, Ordering::Relaxed);
    }

    fn begins(&self, own: Duration) {
        self.own.store(own.as_micros() as u64, Ordering::Relaxed);
    }

    fn found(&self, ends: bool) {
        if ends || self.goes_on.is_none() {
            self.caught.store(true, Ordering::Relaxed);
        }
        for count in [&self.idle, &self.late, &self.programs] {
            count.store(0, Ordering::Relaxed);
        }
        self.own.store(self.now.load(Ordering::Relaxed), Ordering::Relaxed);
        if self.finds.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_FINDS {
            self.caught.store(true, Ordering::Relaxed);
        }
    }

    /// `own`: CPU time of this thread.
    fn is_over(&self, own: Duration) -> bool {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let own = own.as_micros() as u64;
        self.now.store(own, Ordering::Relaxed);
        let work = own.saturating_sub(load(&self.own)) + load(&self.programs);
        let is_dear = self.most_idle.is_some_and(|most| u128::from(work) >= most.as_micros());
        let is_idle =
            self.goes_on.is_some_and(|most| load(&self.idle) >= most || load(&self.late) >= MOST_LATE);
        is_dear || is_idle || self.caught.load(Ordering::Relaxed)
    }
}

/// Keeps what the search is for.
struct Catch<'a> {
    /// By the campaign and by the search so far.
    covered: FixedBitSet,
    known: &'a Known,
    /// With so many covered there is nothing more to search for.
    enough: usize,
    runs: Vec<Run>,
    pace: Arc<Pace>,
}

impl Catch<'_> {
    fn take(&mut self, run: &Run, ends: bool) {
        self.runs.push(Run { trace: None, ..run.clone() });
        self.pace.found(ends);
    }
}

impl RunStore for Catch<'_> {
    fn keep(&mut self, _: RunId, run: &Run, _: Kept) {
        let own = |b: &&BranchId| b.index() < self.covered.len();
        let new: Vec<usize> = run.covered.iter().filter(own).map(|b| b.index()).collect();
        let before = self.covered.count_ones(..);
        self.covered.extend(new);
        let after = self.covered.count_ones(..);
        if after > before {
            self.take(run, after >= self.enough);
        }
    }

    fn finding(&mut self, id: FindingId, _: RunId, run: &Run, _: &[String]) {
        if self.known.findings.has(id) || self.known.has(run) {
            return;
        }
        if !self.runs.iter().any(|r| r.input == run.input) {
            self.take(run, true);
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
    use crate::fixtures;

    fn ended(outcome: Outcome, stack: &[u64], covered: &[u32]) -> Run {
        Run { outcome, crash_stack: stack.to_vec(), ..fixtures::run(covered) }
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
            let mut catch = Catch {
                covered: covered.clone(),
                known: &known,
                enough: 4,
                runs: Vec::new(),
                pace: Arc::default(),
            };
            told(&mut catch);
            (catch.runs.len(), catch.pace.is_over(Duration::ZERO))
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

    #[test]
    fn a_search_that_goes_on_ends_when_nothing_new_comes() {
        let known = Known::default();
        let pace = Arc::new(Pace { goes_on: Some(5), ..Pace::default() });
        let covered = FixedBitSet::with_capacity(9);
        let mut catch = Catch { covered, known: &known, enough: 9, runs: Vec::new(), pace: pace.clone() };
        let mut run = |outcome, covered: &[u32]| {
            let run = ended(outcome, &[], covered);
            pace.ran(&run);
            catch.keep(RunId(0), &run, Kept::New);
            (catch.runs.len(), pace.is_over(Duration::ZERO))
        };
        (0..4).for_each(|_| assert_eq!(run(Outcome::Exit(0), &[]), (0, false)));
        assert_eq!(run(Outcome::Exit(0), &[3]), (1, false));
        (0..4).for_each(|_| assert_eq!(run(Outcome::Exit(0), &[3]), (1, false), "not new again"));
        assert_eq!(run(Outcome::Timeout, &[4]), (2, false));
        (0..2).for_each(|_| assert_eq!(run(Outcome::Timeout, &[]), (2, false)));
        assert_eq!(run(Outcome::Timeout, &[]), (2, true), "too many that take too long");
    }
}
