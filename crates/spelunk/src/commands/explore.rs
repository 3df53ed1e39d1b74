//! `spelunk explore`: prepares the program, runs the loop, builds the suite, and says what came of it.

use crate::bench::{self, Machines};
use crate::biased::{self, Named};
use crate::cli::ExploreArgs;
use crate::failure::{Done, Failure};
use crate::first_look::Look;
use crate::plain::{self, Plain};
use crate::prepare::{self, Prepared};
use crate::progress::Progress;
use crate::recorded_queries::RecordedQueries;
use crate::recorder::Recorder;
use crate::{campaign_folder, cpu_time, exit, findings, seeds, shape, summary};
use events::SourceFrame;
use execute::{Capacities, ForkServer, Limits, Symbolizer};
use explore::{Budget, Config, Earlier, Outcome, World};
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

/// Explores.
pub fn run(args: ExploreArgs) -> Done {
    let stop = stop_on_signals()?;
    let selection = Selection::new(&args.solvers).map_err(|e| Failure::new(exit::USAGE, e))?;
    // The folder first: nobody wants to wait for a build and then hear that it cannot be used.
    let folder = campaign_folder::choose(&args);
    campaign_folder::check(&folder, args.resume)?;
    let flavour = if args.strategy.wants_path_log() { "path" } else { "trace" };
    let mut prepared =
        prepare::program(&args.target, flavour, args.strategy.wants_cheap_runs(args.runs), &args.find)?;
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
    let program = Program::new(&prepared, &args, limits, &biased);
    // A program that cannot be started, or is not itself when instrumented, is told before a campaign folder is made.
    let first = if given.is_empty() { std::slice::from_ref(&shape) } else { &given };
    let look = Look { prepared: &prepared, args: &args, limits, folder: &folder, inputs: first };
    prepared.exit_is_chance = look.look(program.server())?;

    let (session, earlier) = campaign_folder::session(&folder, &args, &prepared)?;
    let memory = campaign_folder::answers(&session, &selection).map_err(campaign_folder::failure)?;
    let progress = Progress::new(args.json, args.time);
    let recorder = Recorder::new(session, progress, stop.clone());
    if args.json {
        let log_all = |session: &mut Session| {
            session.log_all_runs(true);
            Ok(())
        };
        recorder.with_session(log_all).map_err(campaign_folder::failure)?;
    }
    let config = Config { bias: biased::bias(&biased), ..config(&args, given, shape) };
    let (began, cpu_before) = (Instant::now(), cpu_time::own());
    let solving = Solving { tally: Tally::default(), selection, memory, log: RecordedQueries::begin(&args)? };
    let mut outcome = search(&config, &prepared, &program, &recorder, &stop, earlier, &solving);
    if prepared.exit_is_chance {
        outcome.witnesses.iter_mut().for_each(|w| w.outcome = plain::without_code(w.outcome));
    }
    let (searched, search_cpu) = (began.elapsed(), cpu_time::own().saturating_sub(cpu_before).as_secs_f64());
    let kept = finish(&outcome, &prepared, &args, limits, &recorder, &stop);
    let confirmed = began.elapsed().saturating_sub(searched);
    if let Some(error) = recorder.finish() {
        return Err(campaign_folder::failure(error));
    }
    recorder
        .with_session(|session| campaign_folder::keep_answers(session, &solving.selection, &solving.memory))
        .map_err(campaign_folder::failure)?;
    let suite = &kept.map_err(campaign_folder::failure)?;
    solving.log.as_ref().map_or(Ok(()), RecordedQueries::finish)?;
    let solving = &solving.tally;
    let measured = config.budget.is_by_clock() && !config.budget.is_by_runs();
    let facts =
        summary::Facts { outcome: &outcome, measured, searched, confirmed, search_cpu, suite, solving };
    recorder
        .with_session(|session| Ok(summary::show(session, &facts, &folder, args.json)))
        .map_err(campaign_folder::failure)??;
    match outcome.why {
        events::EndReason::Failed(what) => Err(Failure::new(exit::TOOLS, what)),
        _ => Ok(exit::OK),
    }
}

/// A flag that Ctrl-C and SIGTERM set; a second one ends the process at once.
fn stop_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(exit::INTERRUPTED.into());
        }
        eprintln!("\nstopping: finishing the suite (again to stop at once)");
    })
    .map_err(|e| Failure::new(exit::SYSTEM, format!("cannot watch for Ctrl-C: {e}")))?;
    Ok(stop)
}

/// Options of the command line as the loop wants them.
fn config(args: &ExploreArgs, seeds: Vec<Input>, shape: Input) -> Config {
    Config {
        strategy: args.strategy,
        options: strategy::Options { depth: args.depth, ..strategy::Options::default() },
        seed: args.seed,
        jobs: args.jobs,
        budget: Budget { runs: args.runs, queries: args.queries, time: args.time, cpu: args.cpu },
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
    fn new(prepared: &Prepared, args: &ExploreArgs, limits: Limits, biased: &[Named]) -> Program {
        let mut config = execute::Config::new(&prepared.flavour);
        config.args = args.args.iter().map(OsString::from).collect();
        config.name = Some(prepared.source.executable.clone().into());
        config.limits = limits;
        config.max_inputs = args.max_inputs;
        config.env = plain::sanitizer_options();
        config.env.extend(biased::environment(biased).map(|(name, value)| (name.into(), value.into())));
        let counts = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut capacities =
            Capacities::new(counts(prepared.map.branches.len()), counts(prepared.map.functions.len()));
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
    stop: &AtomicBool,
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
    let clock: solve::Clock = Arc::new(move || began.elapsed());
    let world = World {
        target: &|_| program.server().map(|server| Box::new(server) as Box<dyn Target>),
        cheap: Some(&|_| program.cheap_server().map(|server| Box::new(server) as Box<dyn Target>)),
        solver: &|_| solving.solver(&clock),
        clock: &|| began.elapsed(),
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

/// Builds and writes the suite, and confirms findings on the user's own executable and on flavour `check`.
fn finish(
    outcome: &Outcome,
    prepared: &Prepared,
    args: &ExploreArgs,
    limits: Limits,
    recorder: &Recorder,
    stop: &Arc<AtomicBool>,
) -> Result<explore::suite::Suite, store::StoreError> {
    let executable = &prepared.source.executable;
    let mut plain = Plain::new(executable, &args.args, limits);
    let suite = explore::suite::build(
        &outcome.witnesses,
        &outcome.preferred,
        &|run| outcome.input(run),
        &mut |input: &Input| {
            let ended = plain.outcome(input)?;
            Ok(if prepared.exit_is_chance { plain::without_code(ended) } else { ended })
        },
        &mut recorder.clone(),
    );
    let inputs: Vec<_> =
        suite.tests.iter().filter_map(|test| Some((test.run, outcome.input(test.run)?))).collect();
    recorder.with_session(|session| {
        session.write_tests(inputs.iter().map(|(run, input)| (*run, input)))?;
        session.commit()
    })?;
    // Who stopped the search gets its findings confirmed, and no more; a second signal ends the process.
    let stop = if outcome.why == events::EndReason::Stopped { Arc::default() } else { stop.clone() };
    let check = match args.no_check {
        true => None,
        false => check_flavour(&prepared.source, &args.find),
    };
    let mut bench =
        Machines::new(executable, check, &args.args, limits, stop).with_find(&prepared.source, &args.find);
    findings::judge(&mut bench, outcome, &suite, args, recorder)?;
    Ok(suite)
}

/// Flavour `check`; without it findings are confirmed on the user's own executable alone.
fn check_flavour(
    source: &toolchain::ProgramSource,
    find: &[program::CheckKind],
) -> Option<std::path::PathBuf> {
    match bench::check_flavour(source, find) {
        Ok(file) => Some(file),
        Err(failure) => {
            eprintln!("findings are not checked with AddressSanitizer: {}", failure.message);
            None
        }
    }
}

/// The file name of a target, for messages and folders.
pub fn name_of(target: &Path) -> String {
    target.file_stem().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned())
}
