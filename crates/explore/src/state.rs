//! What all workers share: the campaign's knowledge, changed only under one lock that is held briefly.
//!
//! Taking in a run or an answer, in data-flow order: coverage, path tree, events, store, strategy. What is
//! asked of the strategy is in [`crate::dispatch`].

use crate::aims::{Aims, Observed};
use crate::cheap::{self, Harvest, Shared};
use crate::config::Config;
use crate::dispatch::Job;
use crate::findings::Findings;
use crate::flip::Solved;
use crate::hangs::{self, Hangs, Suspect};
use crate::inputs::Inputs;
use crate::journey::Leg;
use crate::losses::Losses;
use crate::meter::Meter;
use crate::probe::{Probe, Probes};
use crate::promise::{Kept, Promise};
use crate::random::Dice;
use crate::recent::{Recent, Recorded};
use crate::repair::{self, Repair, Repairs};
use crate::seen::Seen;
use crate::task::{Attempt, Flip};
use crate::wall::{Use, WallTime};
use crate::witness::{Witness, Witnesses};
use crate::worker::Digest;
use crate::world::RunStore;
use events::{Cause, EndReason, Event, FlipAnswer, Ledger, LimitKind, Measured, Place, RunId, Sink};
use fixedbitset::FixedBitSet;
use path_tree::{FlipStatus, Limits};
use program::{BranchId, Check, CheckKind, CondId, ProgramMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use strategy::{ArmCount, GoalResult, Knowledge, RunPath, Strategies, View};
use trace::{CheckReport, Decision, Dropped, Input, Outcome, Run};

/// See the module.
pub struct State<'w> {
    pub(crate) config: &'w Config,
    pub(crate) known: Knowledge,
    pub(crate) strategies: Strategies,
    /// Inputs to run before the strategy is asked.
    pub(crate) first: VecDeque<(Input, Cause)>,
    /// Jobs given back by workers that died.
    pub(crate) returned: VecDeque<Job>,
    /// What workers have for each other's cheap runs.
    pub(crate) shared: Shared,
    /// Something was covered since `shared` was told of the frontier.
    pub(crate) frontier_moved: bool,
    /// Broken assumptions that are to be repaired.
    pub(crate) repairs: Repairs,
    /// Accesses that are to be sent out of their objects.
    pub(crate) probes: Probes,
    /// Runs in which an access left its object, as far as nothing showed.
    strayed: Vec<RunId>,
    /// Conditionals that runs decided without input.
    pub(crate) aims: Aims,
    pub(crate) inputs: Inputs,
    pub(crate) traces: Recent<Recorded>,
    pub(crate) paths: Recent<RunPath>,
    pub(crate) seen: Seen,
    pub(crate) dice: Dice,
    pub(crate) ledger: Ledger,
    pub(crate) in_flight: u32,
    /// Of these: first inputs.
    pub(crate) first_in_flight: u32,
    /// What each worker does.
    pub(crate) current: BTreeMap<u32, Job>,
    /// Workers whose strategy had nothing left to do when last asked.
    pub(crate) idle: BTreeSet<u32>,
    /// Workers that are left.
    pub(crate) alive: BTreeSet<u32>,
    pub(crate) ended: Option<EndReason>,
    /// Goals since the last run was taken in.
    pub(crate) fruitless: u32,
    /// What goals cost.
    pub(crate) meter: Meter<'w>,
    /// CPU time of the whole search when it was last looked at, where a budget asks for it.
    pub(crate) search_cpu: Option<Duration>,
    pub(crate) witnesses: Witnesses,
    /// What the suite is to be built of first.
    pub(crate) preferred: Vec<RunId>,
    pub findings: Findings,
    /// Runs that hang.
    pub(crate) hangs: Hangs,
    /// What the time went for.
    pub(crate) wall: WallTime,
    losses: Losses,
    /// Ends and stacks of findings that journeys came to.
    arrived: FxHashSet<(Outcome, Vec<u64>)>,
    /// Those of them that were seen again in a run from the start.
    pub(crate) ends: FxHashSet<(Outcome, Vec<u64>)>,
    /// Why runs could not be frozen, as far as was told.
    refusals: BTreeSet<String>,
    /// How many branches contradict one, as far as was told.
    contradictions: FxHashMap<BranchId, usize>,
    /// Conditionals that were decided by symbolic data, by id.
    symbolic: FixedBitSet,
    next_run: u64,
    pub(crate) limits_reached: Vec<LimitKind>,
    sink: &'w mut dyn Sink,
    store: &'w mut dyn RunStore,
}

/// Runs that strayed out of an object which are remembered.
const MAX_STRAYED: usize = 64;
/// Longer lists of what contradicts a branch are not told: nobody could follow them.
const MAX_CONTRADICTION: usize = 6;
/// Bytes of paths kept for strategies.
const PATH_BYTES: usize = 64 << 20;

impl<'w> State<'w> {
    /// Nothing known yet; runs are numbered from `first_run`.
    pub fn new(
        config: &'w Config,
        map: Arc<ProgramMap>,
        strategies: Strategies,
        first_run: u64,
        sink: &'w mut dyn Sink,
        store: &'w mut dyn RunStore,
        cpu: Option<&'w (dyn Fn() -> Duration + Sync + 'w)>,
    ) -> State<'w> {
        let ledger = Ledger {
            branches_total: map.n_own_branches() as u32,
            functions_total: map.n_own_functions() as u32,
            ..Ledger::default()
        };
        let n_conds = map.conds.len();
        let shared = Shared::new(config.jobs, map.words.clone());
        let limits = Limits { max_bytes: config.memory.tree_bytes, ..Limits::default() };
        State {
            config,
            witnesses: Witnesses::new(map.n_own_branches()),
            preferred: Vec::new(),
            known: Knowledge::new(map, limits),
            strategies,
            first: VecDeque::new(),
            returned: VecDeque::new(),
            shared,
            frontier_moved: true,
            repairs: Repairs::default(),
            probes: Probes::default(),
            strayed: Vec::new(),
            aims: Aims::new(config.seed, config.max_input),
            inputs: Inputs::default(),
            traces: Recent::new(config.memory.trace_bytes),
            paths: Recent::new(PATH_BYTES),
            seen: Seen::new(config.memory.seen_inputs),
            dice: Dice::biased(config.seed, &config.bias),
            ledger,
            in_flight: 0,
            first_in_flight: 0,
            current: BTreeMap::new(),
            idle: BTreeSet::new(),
            alive: (0..config.jobs.max(1)).collect(),
            ended: None,
            fruitless: 0,
            meter: Meter::new(cpu.filter(|_| config.budget.is_by_clock()), config.budget.is_by_runs()),
            search_cpu: None,
            findings: Findings::default(),
            hangs: Hangs::default(),
            wall: WallTime::default(),
            losses: Losses::default(),
            arrived: FxHashSet::default(),
            ends: FxHashSet::default(),
            refusals: BTreeSet::new(),
            contradictions: FxHashMap::default(),
            symbolic: FixedBitSet::with_capacity(n_conds),
            next_run: first_run,
            limits_reached: Vec::new(),
            sink,
            store,
        }
    }

    /// Hands an event to the sink.
    pub fn emit(&mut self, event: Event) {
        let measured = Measured { runs: self.ledger.runs, ..Measured::default() };
        self.sink.emit(event, measured);
    }

    /// Takes in what came of a flip's question; the attempt to run, if there is a new input.
    pub fn answered(&mut self, job: &Job, flip: &Flip, solved: Solved) -> Option<Attempt> {
        let Solved { recorded, input, mut answer, contradicts, free, queries, solve_us, worker } = solved;
        if let Some(with) = contradicts {
            self.contradiction(flip.branch, with);
        }
        let path = recorded.as_ref().map_or(&[][..], |r| &r.path.decisions);
        let known = input.as_ref().and_then(|i| self.seen.get(i));
        if let (Some(_), FlipAnswer::Sat { unpinned }) = (known, &answer) {
            answer = FlipAnswer::AlreadyDone { unpinned: *unpinned };
        }
        self.count_flip(&answer, queries);
        let result = match &answer {
            FlipAnswer::Sat { .. } => None,
            FlipAnswer::AlreadyDone { .. } => Some(self.already_done(path, flip, known, &free)),
            FlipAnswer::Unsat { .. } => {
                self.known.tree.mark(path, flip.at as usize, flip.branch, FlipStatus::Infeasible);
                if let (FlipAnswer::Unsat { pinned: false }, Some(at)) = (&answer, path.get(flip.at as usize))
                {
                    self.known.refute(flip.branch, at.setting());
                }
                Some(GoalResult::Infeasible)
            }
            FlipAnswer::Unknown(_) => {
                self.known.tree.mark(path, flip.at as usize, flip.branch, FlipStatus::GaveUp);
                Some(GoalResult::GaveUp)
            }
        };
        let Flip { parent, at, branch, level } = *flip;
        let limits = self.config.limits_at(level);
        let given_up = matches!(answer, FlipAnswer::Unknown(_));
        self.meter.queries(worker, queries, given_up.then_some(limits));
        let cond = self.known.map().outcome_of(branch).map_or(CondId(u32::MAX), |(cond, _)| cond);
        let event = Event::FlipResult { parent, at, cond, branch, answer, queries };
        self.sink.emit(event, Measured { worker, solve_us, ..Measured::default() });
        if let Some(result) = result {
            self.report(job, &result);
            return None;
        }
        let promise = Promise { parent, recorded: recorded?, at, branch, free };
        let cause = Cause::Flip { parent, at, branch };
        Some(Attempt { promise: Some(promise), ..Attempt::new(input?, cause) })
    }

    /// A flip towards `branch` contradicts these branches of its path: told if so few are new.
    fn contradiction(&mut self, branch: BranchId, mut with: Vec<BranchId>) {
        with.dedup();
        let fewest = self.contradictions.entry(branch).or_insert(MAX_CONTRADICTION + 1);
        if with.len() < *fewest {
            *fewest = with.len();
            self.emit(Event::Contradiction { branch, with });
        }
    }

    /// Takes in what came of a repair's question; the attempt to run, if there is a new input.
    pub fn repaired(&mut self, job: &Job, repair: &Repair, solved: Solved) -> Option<Attempt> {
        let Repair { parent, at } = *repair;
        let queries = solved.queries;
        self.ledger.repairs += 1;
        self.asked(job, Cause::Repair { parent, at }, solved, |state, answer| {
            state.ledger.repairs_sat += u64::from(matches!(answer, FlipAnswer::Sat { .. }));
            Event::RepairResult { parent, at, answer, queries }
        })
    }

    /// Takes in what came of a question that is no flip's; the attempt to run for `cause`, if there is a new input.
    fn asked(
        &mut self,
        job: &Job,
        cause: Cause,
        solved: Solved,
        event: impl FnOnce(&mut State<'_>, FlipAnswer) -> Event,
    ) -> Option<Attempt> {
        let Solved { input, mut answer, queries, solve_us, worker, .. } = solved;
        let known = input.as_ref().and_then(|i| self.seen.get(i));
        if let (Some(_), FlipAnswer::Sat { unpinned }) = (known, &answer) {
            answer = FlipAnswer::AlreadyDone { unpinned: *unpinned };
        }
        let sat = matches!(answer, FlipAnswer::Sat { .. });
        self.ledger.queries += u64::from(queries);
        let event = event(self, answer);
        self.sink.emit(event, Measured { worker, solve_us, ..Measured::default() });
        if sat && let Some(input) = input {
            return Some(Attempt::new(input, cause));
        }
        self.report(job, &GoalResult::GaveUp);
        None
    }

    /// Takes in what came of a probe's question; the attempt to run, if there is a new input.
    pub fn probed(&mut self, job: &Job, probe: &Probe, solved: Solved) -> Option<Attempt> {
        let (parent, at, queries) = (probe.parent, probe.at, solved.queries);
        self.ledger.probes += 1;
        self.asked(job, Cause::Probe { parent, at }, solved, |state, answer| {
            let found = matches!(answer, FlipAnswer::Sat { .. } | FlipAnswer::AlreadyDone { .. });
            state.probes.answered(probe, found);
            state.ledger.probes_sat += u64::from(found);
            Event::ProbeResult { parent, at, answer, queries }
        })
    }

    /// The input was run before: either that run took the promised path, or it is known to diverge.
    fn already_done(
        &mut self,
        path: &[Decision],
        flip: &Flip,
        known: Option<RunId>,
        free: &[u32],
    ) -> GoalResult {
        let (at, branch) = (flip.at as usize, flip.branch);
        if !free.is_empty() {
            self.known.tree.mark(path, at, branch, FlipStatus::Infeasible);
            return GoalResult::AlreadyDone { run: known };
        }
        if self.known.tree.status(path, at, branch) == FlipStatus::Taken {
            return GoalResult::AlreadyDone { run: known };
        }
        self.known.tree.mark(path, at, branch, FlipStatus::Diverged);
        GoalResult::AlreadyDone { run: None }
    }

    fn count_flip(&mut self, answer: &FlipAnswer, queries: u32) {
        let l = &mut self.ledger;
        l.flips += 1;
        l.queries += u64::from(queries);
        match answer {
            FlipAnswer::Sat { unpinned } => {
                l.sat += 1;
                l.sat_unpinned += u64::from(*unpinned);
            }
            FlipAnswer::AlreadyDone { .. } => l.already_done += 1,
            FlipAnswer::Unsat { pinned } => {
                l.unsat += 1;
                l.unsat_pinned += u64::from(*pinned);
            }
            FlipAnswer::Unknown(_) => l.unknown += 1,
        }
    }

    /// Takes a run in; the branches that it was the first to cover, those of library code too.
    pub fn take_in(&mut self, job: &Job, attempt: &Attempt, digest: Digest) -> Vec<BranchId> {
        let id = RunId(self.next_run);
        self.next_run += 1;
        self.fruitless = 0;
        let Digest { run, recorded, checked, kept, stack, broken, failed, conditions, words, worker } =
            digest;
        let path: &[Decision] = recorded.as_ref().map_or(&[], |r| &r.path.decisions);
        self.meter.run(worker, recorded.as_ref().map(|r| r.trace.events.len()), run.cpu, attempt.again);

        let new_functions: Vec<_> =
            run.entered.iter().copied().filter(|&f| !self.known.coverage().entered(f)).collect();
        let new_branches = self.known.cover(&run.covered, &run.entered);
        let new_elsewhere = self.known.cover_others(&run.covered);
        let new_choices = self.known.cover_choices(path);
        if !new_choices.is_empty() {
            let callees = self.known.callees().unwrap_or_default();
            (self.ledger.callees, self.ledger.callees_total) = (callees.covered, callees.total);
        }
        for call in &run.indirect_calls {
            self.note_call(*call);
        }
        self.frontier_moved |= !new_branches.is_empty();
        let first_goal = self.known.map().first_goal();
        let new_goals: Vec<BranchId> =
            new_elsewhere.iter().copied().filter(|b| b.index() >= first_goal).collect();
        let something = !(new_branches.is_empty() && new_functions.is_empty() && new_goals.is_empty());
        let why = self.witnesses.add(id, &run, something);
        self.count_run(!new_branches.is_empty(), why.is_some(), recorded.is_some(), attempt.again);
        let done = Event::RunDone {
            run: id,
            cause: attempt.cause,
            outcome: run.outcome,
            input_len: run.input.len() as u64,
            decisions: path.len() as u32,
            new_branches: new_branches.len() as u32,
            kept: why.is_some(),
        };
        let cpu_us = run.cpu.as_micros() as u64;
        self.sink.emit(done, Measured { worker, cpu_us, max_rss: run.max_rss, ..Measured::default() });
        for &branch in &new_branches {
            self.emit(Event::BranchCovered { branch, run: id });
        }
        let entries = new_functions.iter().map(|&f| self.known.map().entry_branch(f));
        let new_elsewhere: Vec<BranchId> =
            new_elsewhere.into_iter().chain(entries).chain(new_choices).collect();
        for function in new_functions {
            self.emit(Event::FunctionEntered { function, run: id });
        }
        for branch in new_goals {
            self.emit(Event::GoalReached { branch, run: id });
        }
        if let Some(why) = why {
            self.store.keep(id, &run, why);
        }
        if self.config.strategy.wants_mutants() {
            self.shared.add_words(words.words);
            self.shared.add_places(&run.input, words.places);
            // What came from a batch is in its worker's corpus, and in the harvest for the others.
            if why.is_some() && !attempt.again && !run.outcome.is_finding() {
                self.shared.add_input(cheap::Entry::of(&run, None));
            }
        }
        self.note_promise(id, attempt, kept);
        self.hangs.saw(id, &run.covered, run.outcome == Outcome::Timeout);
        if let Some(repeats) = attempt.repeats {
            self.hangs.judged(repeats, run.outcome == Outcome::Timeout);
        }
        let last = path.last().map(|d| d.step);
        if run.outcome.is_finding() && self.is_believed(id, &run, last, &stack, (attempt, something)) {
            if let Cause::Resumed { earlier } = attempt.cause {
                self.findings.known_again(earlier, run.outcome, &stack, last);
            }
            self.note_finding(id, &run, last, stack);
        }
        for check in failed {
            // What crashed as well is told by its crash.
            let kind = self.known.map().checks.get(check as usize).map(|c| c.kind);
            let crashes = matches!(kind, Some(CheckKind::Division | CheckKind::Null));
            if !(crashes && run.outcome.is_finding()) {
                self.note_failed(id, &run, check);
            }
        }
        if let Some(report) = checked {
            self.note_check(id, report);
        }
        if let Some(recorded) = &recorded {
            self.note_trace(id, &recorded.trace);
        }
        // With other values before the flip, what came before it can be bent anew.
        let is_bound = attempt.promise.as_ref().is_none_or(|promise| promise.free.is_empty());
        let followed = is_bound && !matches!(kept, Some(Kept::Diverged { .. } | Kept::Unclear));
        // A repair needs the input of its parent.
        let repair = self.config.strategy.wants_solver() && self.repairs.add(id, &broken);
        // So does a probe. Random testing asks no solver.
        let probe = self.config.strategy.wants_solver() && self.probes.add(id, &conditions);
        // Where an access left its object and nothing showed, only the executable with AddressSanitizer can tell.
        let strayed = matches!(attempt.cause, Cause::Probe { .. })
            && !run.outcome.is_finding()
            && self.strayed.len() < MAX_STRAYED;
        if strayed {
            self.strayed.push(id);
        }
        if self.config.strategy.aims() {
            let path = recorded.as_ref().map(|r| r.path.clone());
            self.note_compared(id, attempt, &run, path.as_deref());
        }
        self.remember(id, attempt, &run, recorded, why.is_some() || repair || probe || strayed);
        self.check_limits();
        let new_branches: Vec<BranchId> = new_branches.into_iter().chain(new_elsewhere).collect();
        let half_taken = self.known.half_taken(&run.covered);
        self.strategies.each().for_each(|s| s.reaches(&half_taken));
        self.report(job, &GoalResult::NewRun { run: id, followed, new_branches: new_branches.clone() });
        new_branches
    }

    /// Takes in what a batch came to, before those of its runs that are made again.
    pub fn harvested(&mut self, worker: u32, harvest: &Harvest) {
        self.fruitless = 0;
        self.meter.batch(worker, harvest.runs, harvest.cpu, &self.config.shape);
        self.shortened(worker, harvest.shortening.0, harvest.shortening.1);
        let l = &mut self.ledger;
        l.runs += harvest.runs;
        l.cheap_runs += harvest.runs;
        l.batches += 1;
        l.cheap_shown += harvest.shown.len() as u32;
        l.cheap_unconfirmed += harvest.unconfirmed as u32;
        l.cheap_kept += harvest.kept.len() as u32;
        for entry in &harvest.kept {
            self.shared.add_input(entry.clone());
        }
    }

    /// Takes in what a leg of a journey came to, before those of its runs that are made again.
    pub fn travelled(&mut self, worker: u32, leg: &Leg) {
        self.fruitless = 0;
        self.meter.journey(worker, leg.runs, leg.cpu);
        self.ledger.runs += leg.runs;
        for search in &leg.searches {
            self.ledger.add_search(search);
        }
        if let Some(why) = &leg.refused
            && self.refusals.insert(why.clone())
        {
            let what = format!("a run could not be frozen: {why}");
            self.emit(Event::RunFailed { cause: Cause::Journey, what });
        }
    }

    /// Takes note of runs that were made to shorten an input.
    pub fn shortened(&mut self, worker: u32, runs: u32, cpu: Duration) {
        self.meter.again(worker, runs.into(), cpu);
        self.ledger.reruns += u64::from(runs);
    }

    /// Takes in a run as a shorter one for what another is kept for.
    pub fn replace(&mut self, parent: RunId, attempt: &Attempt, run: Run) -> Option<Witness> {
        let id = RunId(self.next_run);
        self.next_run += 1;
        let witness = self.witnesses.keep(id, &run);
        let done = Event::RunDone {
            run: id,
            cause: attempt.cause,
            outcome: run.outcome,
            input_len: run.input.len() as u64,
            decisions: 0,
            new_branches: 0,
            kept: true,
        };
        let cpu_us = run.cpu.as_micros() as u64;
        self.sink.emit(done, Measured { cpu_us, max_rss: run.max_rss, ..Measured::default() });
        self.store.keep(id, &run, crate::witness::Kept::Spare);
        self.inputs.keep(id, &run.input, Some(parent));
        self.ledger.corpus += 1;
        Some(witness)
    }

    /// Whether no journey came to a finding like this before.
    pub fn is_first(&mut self, finding: &Run) -> bool {
        self.arrived.insert((finding.outcome, finding.crash_stack.clone()))
    }

    /// Puts a run where flips, strategies and the check for repeated inputs find it.
    fn remember(
        &mut self,
        id: RunId,
        attempt: &Attempt,
        run: &Run,
        recorded: Option<Arc<Recorded>>,
        keep: bool,
    ) {
        if let Some(recorded) = recorded {
            let inserted = self.known.tree.insert(&recorded.path.decisions);
            self.seen.insert(&attempt.input, id);
            self.seen.insert(&run.input, id);
            let room = self.inputs.bytes() < self.config.memory.input_bytes;
            if keep || (inserted.new && room) {
                self.inputs.keep(id, &run.input, attempt.parent());
            }
            self.paths.insert(id, recorded.path.clone());
            self.traces.insert(id, recorded);
        } else if keep {
            self.inputs.keep(id, &run.input, attempt.parent());
        }
        self.ledger.tree_nodes = self.known.tree.stats().nodes as u64;
    }

    fn count_run(&mut self, new: bool, kept: bool, symbolic: bool, again: bool) {
        let l = &mut self.ledger;
        l.runs += u64::from(!again);
        l.reruns += u64::from(again);
        l.symbolic_runs += u64::from(symbolic);
        l.branches = self.known.coverage().absolute().covered;
        l.functions = self.known.coverage().functions().covered;
        l.functions_open = self.known.open_functions().count() as u32;
        l.corpus += u32::from(kept);
        if new {
            l.newest_at_run = l.runs;
        }
    }

    fn note_call(&mut self, call: trace::IndirectCall) {
        let map = self.known.map();
        let known = (call.call as usize) < map.calls.len() && (call.function as usize) < map.functions.len();
        if known {
            self.known.indirect_call(program::CallId(call.call), program::FunctionId(call.function));
        }
    }

    fn note_promise(&mut self, run: RunId, attempt: &Attempt, kept: Option<Kept>) {
        let (Some(promise), Some(kept)) = (&attempt.promise, kept) else { return };
        let path = &promise.recorded.path.decisions;
        let status = match kept {
            Kept::Followed => FlipStatus::Taken,
            Kept::Diverged { .. } => FlipStatus::Diverged,
            Kept::Unclear => FlipStatus::GaveUp,
        };
        self.known.tree.mark(path, promise.at as usize, promise.branch, status);
        if kept == Kept::Followed && !promise.free.is_empty() {
            // With the same values no input goes there.
            self.known.tree.mark(path, promise.at as usize, promise.branch, FlipStatus::Infeasible);
        }
        self.ledger.flips_run += u64::from(kept != Kept::Unclear);
        if let Kept::Diverged { at, expected, actual, early } = kept {
            self.ledger.divergences += 1;
            self.ledger.divergences_early += u64::from(early);
            self.emit(Event::Divergence { run, parent: promise.parent, at, expected, actual, early });
        }
    }

    /// Whether a run that ended badly is a finding now. One that was stopped in haste is so only where one like it had all its time, and it
    /// `gained` nothing.
    fn is_believed(
        &mut self,
        id: RunId,
        run: &Run,
        last: Option<trace::Step>,
        stack: &[String],
        (attempt, gained): (&Attempt, bool),
    ) -> bool {
        let in_haste = run.outcome == Outcome::Timeout && self.config.is_hasty() && attempt.repeats.is_none();
        if !in_haste {
            return true;
        }
        let verdict = self.hangs.verdict(last, gained);
        if verdict == hangs::Verdict::Ask {
            let (run, stack) = (Run { trace: None, ..run.clone() }, stack.to_vec());
            self.hangs.suspect(Suspect { id, run, last, stack, attempt: attempt.clone() });
        }
        verdict == hangs::Verdict::Hang
    }

    /// A worker spent time waiting for runs that hang, or not.
    pub fn spent(&mut self, worker: u32, on: Use, time: Duration) {
        self.wall.add(on, time);
        if on == Use::Hung {
            self.meter.hung(worker, time);
        }
    }

    fn note_finding(&mut self, id: RunId, run: &Run, last: Option<trace::Step>, frames: Vec<String>) {
        let seen = self.findings.add(id, run.outcome, &frames, last, run.input.len() as u64);
        self.ledger.crashes = self.findings.crashes();
        self.ledger.hangs = self.findings.hangs();
        if seen.best {
            self.store.finding(seen.id, id, run, &frames);
        }
        self.emit(Event::FindingSeen {
            finding: seen.id,
            run: id,
            outcome: run.outcome,
            stack: seen.stack,
            first: seen.first,
            best: seen.best,
        });
    }

    /// A check failed: a finding whose name is the place of the operation.
    fn note_failed(&mut self, id: RunId, run: &Run, check: u32) {
        let map = self.known.map();
        let Some(&Check { kind, function, span }) = map.checks.get(check as usize) else { return };
        let name = map.functions.get(function.index()).map_or("?", |f| f.name.as_str());
        let file = span.file.and_then(|f| map.files.get(f.index())).map(String::as_str);
        let place = match file {
            Some(file) => format!("{name} ({file}:{}:{})", span.line, span.column),
            None => format!("{name} (check {check})"),
        };
        let shown = Run { outcome: Outcome::Undefined(kind), ..run.clone() };
        self.note_finding(id, &shown, None, vec![place]);
    }

    /// What a run compared, for conditionals that it decided without input.
    fn note_compared(&mut self, id: RunId, attempt: &Attempt, run: &Run, path: Option<&RunPath>) {
        let (map, decisions) = (self.known.map(), path.map_or(&[][..], |p| &p.decisions));
        let mut decided = FixedBitSet::with_capacity(map.conds.len());
        let conds = decisions.iter().filter_map(|d| d.step.branch()).filter_map(|b| map.outcome_of(b));
        conds.map(|(cond, _)| cond.index()).filter(|&c| c < map.conds.len()).for_each(|c| decided.insert(c));
        let symbolic = |cond: CondId| decided.contains(cond.index());
        let observed = Observed { id, asked: &attempt.input, run, symbolic: &symbolic, path };
        let news = self.aims.observe(&self.known, &observed, &mut self.paths);
        for (cond, follows) in news {
            self.emit(Event::ByControlFlow { cond, run: id, follows });
        }
    }

    fn note_check(&mut self, run: RunId, report: CheckReport) {
        self.ledger.events_checked += report.events;
        self.ledger.mismatches += report.total();
        for mismatch in &report.first {
            let at = mismatch.event.unwrap_or(u64::MAX);
            let place = Place::Site(mismatch.label);
            self.emit(Event::TraceMismatch { run, at, place, what: mismatch.to_string() });
        }
    }

    fn note_trace(&mut self, run: RunId, trace: &trace::Trace) {
        let is_decision = |e: &&trace::Event| {
            [trace::EventKind::Branch as u8, trace::EventKind::Switch as u8].contains(&e.kind)
        };
        for event in trace.events.iter().filter(is_decision) {
            let cond = event.site as usize;
            if cond < self.symbolic.len() && !self.symbolic.put(cond) {
                self.emit(Event::Symbolic { cond: program::CondId(event.site), run });
            }
        }
        let (count, events) = self.losses.add(run, trace);
        self.ledger.lost += count;
        for event in events {
            self.emit(event);
        }
        let Dropped { nodes, events, tables, .. } = trace.dropped;
        if nodes + events + tables > 0 {
            self.ledger.traces_full += 1;
            self.emit(Event::TraceFull { run, nodes, events, tables });
        }
    }

    /// Says so, once, when a bound on memory was reached.
    fn check_limits(&mut self) {
        let memory = &self.config.memory;
        let reached = [
            (LimitKind::Repairs, repair::LIMIT, self.repairs.limit_reached()),
            (LimitKind::Traces, memory.trace_bytes, self.traces.evicted() > 0),
            (LimitKind::SeenInputs, memory.seen_inputs, self.seen.has_forgotten()),
            (LimitKind::Tree, memory.tree_bytes, self.known.tree.stats().evicted > 0),
            (LimitKind::Inputs, memory.input_bytes, self.inputs.bytes() >= memory.input_bytes),
        ];
        for (limit, value, _) in reached.into_iter().filter(|r| r.2) {
            if !self.limits_reached.contains(&limit) {
                self.limits_reached.push(limit);
                self.emit(Event::LimitReached { limit, value: value as u64 });
            }
        }
    }

    /// Tells the strategy what came of a job; whoever asked for it.
    pub(crate) fn report(&mut self, job: &Job, result: &GoalResult) {
        let paths = Cached { paths: std::cell::RefCell::new(&mut self.paths) };
        let view = View { known: &self.known, paths: &paths, busy: self.in_flight > 0 };
        self.idle.clear();
        match (&job.goal, result) {
            (Some(goal), _) => {
                let strategy = self.strategies.of(job.asker as usize);
                strategy.charge(goal, self.meter.spent(job.runner));
                strategy.observe(&view, goal, result);
            }
            (None, GoalResult::NewRun { run, new_branches, .. }) => {
                for strategy in self.strategies.each() {
                    strategy.adopt(&view, *run, new_branches);
                }
            }
            (None, _) => {}
        }
    }

    /// Whether `branches` hold one that is not covered, of the program or of a goal.
    pub fn would_gain(&self, branches: &[BranchId]) -> bool {
        branches.iter().any(|&b| self.is_gain(b))
    }

    /// Those of `branches` that are not covered.
    pub fn gains(&self, branches: &[BranchId]) -> Vec<BranchId> {
        branches.iter().copied().filter(|&b| self.is_gain(b)).collect()
    }

    fn is_gain(&self, branch: BranchId) -> bool {
        let map = self.known.map();
        let counts = branch.index() < map.n_own_branches() || branch.index() >= map.first_goal();
        counts && !self.known.has_reached(branch)
    }

    /// Ends the session, for the first reason given.
    pub fn end(&mut self, why: EndReason) {
        self.ended.get_or_insert(why);
    }

    /// The last events of a session.
    pub fn close(mut self) -> (Closed, Inputs) {
        let totals: Vec<Event> = self.losses.totals().collect();
        totals.into_iter().for_each(|e| self.emit(e));
        // Nobody looked at these with patience; the executables that findings are confirmed on have it.
        for Suspect { id, run, last, stack, .. } in self.hangs.left() {
            self.note_finding(id, &run, last, stack);
        }
        self.emit(Event::Progress(self.ledger.clone()));
        let why = self.ended.clone().unwrap_or(EndReason::Finished);
        self.emit(Event::CampaignEnded { why: why.clone() });
        let arms = self.strategies.of(0).ledger();
        let closed = Closed {
            why,
            arms,
            wall: self.wall,
            ledger: self.ledger,
            witnesses: self.witnesses.into_all(),
            preferred: self.preferred,
            strayed: self.strayed,
            findings: self.findings.into_all(),
        };
        (closed, self.inputs)
    }
}

/// What is left of a session.
pub struct Closed {
    /// Why it ended.
    pub why: EndReason,
    /// Its totals.
    pub ledger: Ledger,
    /// What the parts of the strategy cost and found.
    pub arms: Vec<ArmCount>,
    /// What the time of the workers went for.
    pub wall: WallTime,
    /// Runs kept for their coverage.
    pub witnesses: Vec<Witness>,
    /// Those of them that the suite is to be built of first.
    pub preferred: Vec<RunId>,
    /// Runs in which an access left its object and nothing showed.
    pub strayed: Vec<RunId>,
    /// Findings.
    pub findings: Vec<crate::findings::Finding>,
}

/// Paths that are at hand, for `observe` and `adopt` (the path in question was just made).
struct Cached<'a> {
    paths: std::cell::RefCell<&'a mut Recent<RunPath>>,
}

impl strategy::Paths for Cached<'_> {
    fn path(&self, run: RunId) -> Option<Arc<RunPath>> {
        self.paths.borrow_mut().get(run)
    }
}
