//! `spelunk explore`: prepares the program, runs the loop, builds the suite, and says what came of it.

use crate::biased::{self, Named};
use crate::cli::{self, ExploreArgs};
use crate::ending::{self, CheckFlavour};
use crate::failure::{Done, Failure};
use crate::first_look::Look;
use crate::looks::Beside;
use crate::phases::Phases;
use crate::plain;
use crate::prepare::{self, Prepared};
use crate::progress::Progress;
use crate::recorded_queries::RecordedQueries;
use crate::recorder::Recorder;
use crate::timetable::Timetable;
use crate::{campaign_folder, cpu_time, exit, findings, seeds, shape, summary};
use events::SourceFrame;
use execute::{Capacities, ForkServer, Limits, Symbolizer};
use explore::{Budget, Config, Earlier, Outcome, Until, World};
use solvers::{Selection, Tally};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::Session;
use trace::{Input, ObjectKind, Target, TargetError};

/// How often the status line is renewed.
const STATUS_EVERY: Duration = Duration::from_millis(250);

/// Phases of the search.
pub const SEARCHING: &str = "searching";
/// See [`SEARCHING`].
const SHORTENING: &str = "shortening tests";

/// Explores.
pub fn run(args: ExploreArgs) -> Done {
    let table = Timetable::new(Instant::now(), args.time, args.cpu);
    stop_on_signals(&table)?;
    let stop = table.flag().clone();
    let mut phases = Phases::new(args.json);
    phases.begin("reading and instrumenting the program");
    let selection = Selection::new(&args.solvers).map_err(|e| Failure::new(exit::USAGE, e))?;
    // The folder first: nobody wants to wait for a build and then hear that it cannot be used.
    let folder = campaign_folder::choose(&args);
    campaign_folder::check(&folder, args.resume)?;
    let flavour = if args.strategy.wants_path_log() { "path" } else { "trace" };
    let cheap = args.strategy.wants_cheap_runs(args.runs);
    let mut patience = || {
        phases.tell("");
        table.is_stopped()
    };
    let mut prepared = prepare::program(&args.target, flavour, cheap, &args.find, &mut patience)?;
    phases.begin("starting the program");
    let wanted = shape::Wanted {
        arguments: &args.symbolic_arg,
        variables: &args.symbolic_env,
        files: &args.file,
        stdin: args.stdin,
        connections: args.connections,
    };
    let shape = shape::of(&prepared.map, &args.args, &wanted);
    if args.connections.is_none() && shape.objects.iter().any(|o| o.kind == ObjectKind::Connection) {
        eprintln!(
            "this program accepts connections: its input is what a client sends on the first (more with --connections N; \
             standard input with --stdin)"
        );
    }
    let given = match &args.seeds {
        Some(from) => seeds::read(from, &shape, args.max_input)?,
        None => Vec::new(),
    };
    let limits = plain::limits(args.timeout, args.memory);
    let biased = biased::of(&args, &folder, &prepared)?;
    let program = Program::new(&prepared, &args, limits, &biased, &table);
    // A program that cannot be started, or is not itself when instrumented, is told before a campaign folder is made.
    let first = if given.is_empty() { std::slice::from_ref(&shape) } else { &given };
    let look =
        Look { prepared: &prepared, args: &args, limits, folder: &folder, inputs: first, table: &table };
    prepared.exit_is_chance = look.look(program.server())?;

    let (session, earlier) = campaign_folder::session(&folder, &args, &prepared)?;
    let known = session.meta().map_err(campaign_folder::failure)?;
    prepared.exit_is_chance |= campaign_folder::exit_is_chance(&known);
    let memory = campaign_folder::answers(&session, &selection).map_err(campaign_folder::failure)?;
    let looks = ending::looks(&prepared, &args, &table);
    if let Some(known) =
        session.confirmed(&ending::confirmed_on(&prepared.source, &args)).map_err(campaign_folder::failure)?
    {
        looks.take_in(&known);
    }
    let check = CheckFlavour::begin(&prepared, &args, limits, &looks, &table);
    phases.enter(SEARCHING);
    let time = table.begin_search();
    let progress = Progress::new(args.json, time);
    let recorder = Recorder::new(session, progress, stop.clone());
    if args.json {
        let log_all = |session: &mut Session| {
            session.log_all_runs(true);
            Ok(())
        };
        recorder.with_session(log_all).map_err(campaign_folder::failure)?;
    }
    let config = Config { bias: biased::bias(&biased), ..config(&args, time, given, shape) };
    // A session that does not end by a clock has time for it at its end.
    let beside = config.budget.is_by_clock().then(|| {
        recorder.offer_to(looks.clone());
        Beside::begin(&looks, args.time.is_none())
    });
    let solving = Solving { tally: Tally::default(), selection, memory, log: RecordedQueries::begin(&args)? };
    let aside = cpu_time::aside();
    let mut outcome = search(&config, &prepared, &program, &recorder, &stop, earlier, &solving);
    if let Some(beside) = beside {
        beside.end();
    }
    if prepared.exit_is_chance {
        outcome.witnesses.iter_mut().for_each(|w| w.outcome = plain::without_code(w.outcome));
    }
    let aside = cpu_time::aside().saturating_sub(aside);
    recorder.end_search();
    phases.end();
    phases.split(SEARCHING, (outcome.searched.time, outcome.searched.cpu + aside), SHORTENING);
    let kept =
        ending::finish(&outcome, &prepared, &args, limits, &recorder, (&looks, check, &table), &mut phases);
    phases.enter("writing the summary");
    if let Some(error) = recorder.finish() {
        return Err(campaign_folder::failure(error));
    }
    recorder
        .with_session(|session| campaign_folder::keep_answers(session, &solving.selection, &solving.memory))
        .map_err(campaign_folder::failure)?;
    let ended = &kept.map_err(campaign_folder::failure)?;
    solving.log.as_ref().map_or(Ok(()), RecordedQueries::finish)?;
    let solving = &solving.tally;
    let measured = config.budget.is_by_clock() && !config.budget.is_by_runs();
    phases.end();
    let facts = summary::Facts {
        outcome: &outcome,
        measured,
        workers: args.jobs,
        phases: phases.rows(),
        aside,
        ended,
        solving,
    };
    recorder
        .with_session(|session| Ok(summary::show(session, &facts, &folder, args.json)))
        .map_err(campaign_folder::failure)??;
    match outcome.why {
        events::EndReason::Failed(what) => Err(Failure::new(exit::TOOLS, what)),
        _ => Ok(exit::OK),
    }
}

/// Ctrl-C and SIGTERM end the session; a second one ends the process at once.
fn stop_on_signals(table: &Timetable) -> Result<(), Failure> {
    let table = table.clone();
    ctrlc::set_handler(move || {
        if !table.stop() {
            std::process::exit(exit::INTERRUPTED.into());
        }
        eprintln!("\nstopping: what there is no time to confirm now, --resume or replay confirms (again to stop at once)");
    })
    .map_err(|e| Failure::new(exit::SYSTEM, format!("cannot watch for Ctrl-C: {e}")))
}

/// Options of the command line as the loop wants them.
fn config(args: &ExploreArgs, time: Option<Duration>, seeds: Vec<Input>, shape: Input) -> Config {
    let budget = Budget { runs: args.runs, queries: args.queries, time, cpu: args.cpu };
    Config {
        strategy: args.strategy,
        options: strategy::Options { depth: args.depth, ..strategy::Options::default() },
        seed: args.seed,
        jobs: args.jobs,
        budget,
        until: until(args.until, budget != Budget::default()),
        seeds,
        shape,
        initial_len: args.initial_length,
        max_input: args.max_input as usize,
        solve: solve::Limits { work: 0, millis: args.solver_timeout.as_millis() as u64 },
        hybrid: explore::Hybrid {
            goal: args.theta1,
            patience: args.theta2,
            lookahead: args.lookahead,
            // With the paper's numbers, the paper's search.
            search: args.from_snapshot.unwrap_or(match args.theta2 {
                Some(_) => strategy::Kind::BoundedDfs,
                None => strategy::Kind::Auto,
            }),
            search_runs: args.search_runs,
            max_inputs: args.max_inputs,
        },
        check_trace: args.check_trace,
        ..Config::default()
    }
}

/// What ends the session before its budget is used. Where nobody gave a budget, somebody waits for the end.
fn until(asked: Option<cli::Until>, has_budget: bool) -> Until {
    match asked {
        Some(cli::Until::Covered) => Until::Covered,
        Some(cli::Until::Goals) => Until::Goals,
        Some(cli::Until::Paths) => Until::Paths,
        Some(cli::Until::Budget) => Until::Budget,
        None if has_budget => Until::Paths,
        None => Until::Goals,
    }
}

/// How to start a fork server of the program.
struct Program {
    config: execute::Config,
    capacities: Capacities,
    /// The executable for cheap runs.
    fast: Option<PathBuf>,
    /// What its runs have shown, of all workers.
    seen: execute::Seen,
}

impl Program {
    fn new(
        prepared: &Prepared,
        args: &ExploreArgs,
        limits: Limits,
        biased: &[Named],
        table: &Timetable,
    ) -> Program {
        let mut config = execute::Config::new(&prepared.flavour);
        config.args = args.args.iter().map(OsString::from).collect();
        config.name = Some(prepared.source.executable.clone().into());
        config.limits = limits;
        config.curfew = table.curfew().clone();
        config.max_inputs = args.max_inputs;
        config.env = plain::sanitizer_options();
        config.env.extend(biased::environment(biased).map(|(name, value)| (name.into(), value.into())));
        let counts = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut capacities =
            Capacities::new(counts(prepared.map.branches.len()), counts(prepared.map.functions.len()));
        capacities = capacities.with_comparisons(counts(prepared.map.conds.len()));
        if args.strategy.wants_path_log() {
            capacities = capacities.with_path_log();
        }
        if args.strategy.wants_snapshots() {
            capacities = capacities.with_snapshots();
        }
        Program { config, capacities, fast: prepared.fast.clone(), seen: execute::Seen::default() }
    }

    fn server(&self) -> Result<ForkServer, TargetError> {
        ForkServer::start(self.config.clone(), &self.capacities)
    }

    /// A server for cheap runs.
    fn cheap_server(&self) -> Result<ForkServer, TargetError> {
        let Some(fast) = &self.fast else { return self.server() };
        let config = execute::Config { executable: fast.clone(), ..self.config.clone() };
        let server = ForkServer::start(config, &self.capacities.for_batches())?;
        Ok(server.sharing(&self.seen))
    }
}

/// How queries are answered.
struct Solving {
    tally: Tally,
    selection: Selection,
    /// What the workers and earlier sessions were answered.
    memory: solve::Memory,
    log: Option<RecordedQueries>,
}

impl Solving {
    /// The solver of one worker.
    fn solver(&self, clock: &solve::Clock) -> Box<dyn solve::Solver> {
        let chain = self.tally.of(self.selection.chain(clock, &self.memory));
        match &self.log {
            Some(log) => log.around(chain),
            None => Box::new(chain),
        }
    }
}

/// Runs the loop.
fn search(
    config: &Config,
    prepared: &Prepared,
    program: &Program,
    recorder: &Recorder,
    stop: &Arc<AtomicBool>,
    earlier: Earlier,
    solving: &Solving,
) -> Outcome {
    let began = Instant::now();
    let shown = AtomicU64::new(0);
    let progress = || {
        let now = began.elapsed().as_millis() as u64;
        let last = shown.load(Ordering::Relaxed);
        let due = now.saturating_sub(last) >= STATUS_EVERY.as_millis() as u64;
        due && shown.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    };
    let symbols = Mutex::new(Symbolizer::open(&prepared.flavour).ok());
    let symbolize =
        |stack: &[u64]| names(symbols.lock().unwrap_or_else(PoisonError::into_inner).as_ref(), stack);
    // Who asks to stop does not wait for a solver: all queries under way are over time then.
    let (asked, long_past) = (stop.clone(), Duration::from_secs(1 << 30));
    let clock: solve::Clock = Arc::new(move || {
        began.elapsed() + if asked.load(Ordering::Relaxed) { long_past } else { Duration::ZERO }
    });
    let world = World {
        target: &|_| program.server().map(|server| Box::new(server) as Box<dyn Target>),
        cheap: Some(&|_| program.cheap_server().map(|server| Box::new(server) as Box<dyn Target>)),
        solver: &|_| solving.solver(&clock),
        clock: &|| began.elapsed(),
        spent: &|| recorder.search_cpu(),
        cpu: &execute::thread_cpu,
        stop: &|| stop.load(Ordering::Relaxed),
        progress: &progress,
        symbolize: &symbolize,
        sink: &mut recorder.clone(),
        store: &mut recorder.clone(),
    };
    explore::explore(config, prepared.map.clone(), world, earlier)
}

/// Names of a stack, innermost first, without frames of libraries and of unknown code; the innermost one with its line.
fn names(symbols: Option<&Symbolizer>, stack: &[u64]) -> Vec<String> {
    let Some(symbols) = symbols else { return Vec::new() };
    let known = symbols.stack(stack).into_iter().filter(|frame| !frame.function.is_empty());
    let known = known.map(|f| SourceFrame { function: f.function, file: f.file, line: f.line });
    let frames = diagnose::meaningful(known.collect());
    let mut names: Vec<String> = frames.iter().map(|frame| frame.function.clone()).collect();
    // The runtime's `main` calls the program's.
    if names.ends_with(&["main".into(), "main".into()]) {
        names.pop();
    }
    if let (Some(name), Some(first)) = (names.first_mut(), frames.first()) {
        *name = findings::frame_name(first);
    }
    names
}

/// The file name of a target, for messages and folders.
pub fn name_of(target: &Path) -> String {
    target.file_stem().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned())
}
