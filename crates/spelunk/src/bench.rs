//! The executables that findings are confirmed on, and their sources: the user's own, flavour `check`, and, for undefined
//! operations that `check` does not get to, flavour `find`.

use crate::failure::Failure;
use crate::looks::{Looks, Which};
use crate::{instrumenter, plain};
use diagnose::{Bench, Shown};
use events::SourceFrame;
use execute::{Config, Curfew, Limits, PlainProgram, PlainRun, Symbolizer};
use program::CheckKind;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toolchain::{Cache, ProgramSource};
use trace::{Input, Outcome, TargetError};

/// The shortest time limit of a hurried run, and what share of the full limit it is.
const HURRIED: (Duration, u32) = (Duration::from_millis(250), 8);
/// How many bytes of code away a line is looked for.
const NEAR: u64 = 64;
/// A sanitizer needs several times the memory.
const CHECK_MEMORY: u64 = 4;
/// Options of sanitizers in flavour `check`, on top of those compiled into it: stacks are named by us, offline.
const CHECK_OPTIONS: [(&str, &str); 3] = [
    ("ASAN_OPTIONS", "symbolize=0"),
    ("UBSAN_OPTIONS", "symbolize=0:print_stacktrace=1"),
    ("LSAN_OPTIONS", "symbolize=0"),
];

/// One executable, with two time limits.
struct Machine {
    patient: PlainProgram,
    hurried: PlainProgram,
}

impl Machine {
    fn new(config: Config) -> Machine {
        let mut short = config.clone();
        short.limits.wall = (short.limits.wall / HURRIED.1).max(HURRIED.0).min(config.limits.wall);
        Machine { patient: PlainProgram::new(config), hurried: PlainProgram::new(short) }
    }

    fn set_curfew(&mut self, curfew: &Curfew) {
        self.patient.set_curfew(curfew);
        self.hurried.set_curfew(curfew);
    }

    fn run(&mut self, input: &Input, hurried: bool) -> Result<PlainRun, TargetError> {
        if hurried { self.hurried.run(input) } else { self.patient.run(input) }
    }
}

/// A derived flavour whose reports are read.
struct Reporting {
    machine: Machine,
    /// Where it lies.
    file: PathBuf,
    /// Its debug information.
    symbols: Option<Symbolizer>,
}

/// Flavour `find`, which is derived when it is first asked.
enum Spare {
    Possible(Box<ProgramSource>, Vec<CheckKind>),
    There(Box<Reporting>),
    Impossible,
}

/// See the module.
pub struct Machines {
    own: Machine,
    check: Option<Reporting>,
    find: Spare,
    /// How derived flavours are run.
    config: Config,
    /// Lines of source files that were read.
    sources: RefCell<HashMap<String, Option<Vec<String>>>>,
    /// What was seen of inputs before.
    looks: Option<Arc<Looks>>,
    stop: Box<dyn Fn() -> bool>,
}

impl Machines {
    /// The user's own executable with `args`, and flavour `check` of it, if that is wanted.
    pub fn new(own: &Path, check: Option<PathBuf>, args: &[String], limits: Limits) -> Machines {
        let config = config(own, args, limits);
        Machines {
            own: Machine::new(own_config(own, args, limits)),
            check: check.map(|file| Reporting::new(&file, &config, check_memory(limits))),
            find: Spare::Impossible,
            config,
            sources: RefCell::default(),
            looks: None,
            stop: Box::new(|| false),
        }
    }

    /// All runs end with this curfew.
    pub fn with_curfew(mut self, curfew: &Curfew) -> Machines {
        self.own.set_curfew(curfew);
        self.check.iter_mut().for_each(|check| check.machine.set_curfew(curfew));
        self.config.curfew = curfew.clone();
        self
    }

    /// Runs of which something is known are not made again; all end when `looks` are over.
    pub fn with_looks(mut self, looks: &Arc<Looks>, curfew: &Curfew) -> Machines {
        self = self.with_curfew(curfew);
        let known = looks.clone();
        self.stop = Box::new(move || known.is_over());
        self.looks = Some(looks.clone());
        self
    }

    /// With flavour `find` of `source` in reserve, for checks of these kinds.
    pub fn with_find(mut self, source: &ProgramSource, kinds: &[CheckKind]) -> Machines {
        if !kinds.is_empty() {
            self.find = Spare::Possible(Box::new(source.clone()), kinds.to_vec());
        }
        self
    }

    /// Flavour `find`; `None` if no checks are wanted or it cannot be derived.
    fn spare(&mut self) -> Option<&mut Reporting> {
        if let Spare::Possible(source, kinds) = &self.find {
            let stop = &self.stop;
            let derived = derived(source, "find", kinds, &mut || stop());
            let reporting = |file: PathBuf| Reporting::new(&file, &self.config, self.config.limits.memory);
            self.find = match derived {
                Ok(file) => Spare::There(Box::new(reporting(file))),
                Err(failure) => {
                    eprintln!("what --find found is not confirmed by its checks alone: {}", failure.message);
                    Spare::Impossible
                }
            };
        }
        match &mut self.find {
            Spare::There(reporting) => Some(reporting),
            _ => None,
        }
    }

    /// How the user's own executable ends on `input`.
    ///
    /// # Errors
    /// When it cannot be run at all.
    pub fn outcome(&mut self, input: &Input) -> Result<Outcome, TargetError> {
        Ok(self.own.run(input, false)?.outcome)
    }
}

/// How derived flavours are run.
fn config(own: &Path, args: &[String], limits: Limits) -> Config {
    let mut config = Config::new(own);
    config.args = args.iter().map(Into::into).collect();
    config.name = Some(own.into());
    config.limits = limits;
    config
}

/// How the user's own executable is run.
pub fn own_config(own: &Path, args: &[String], limits: Limits) -> Config {
    Config { env: plain::sanitizer_options(), ..config(own, args, limits) }
}

/// How flavour `check` of it, which lies in `file`, is run.
pub fn check_config(file: &Path, own: &Path, args: &[String], limits: Limits) -> Config {
    reporting(file, &config(own, args, limits), check_memory(limits))
}

/// What a run of flavour `check` may hold.
fn check_memory(limits: Limits) -> u64 {
    limits.memory.saturating_mul(CHECK_MEMORY)
}

fn reporting(file: &Path, config: &Config, memory: u64) -> Config {
    let env = CHECK_OPTIONS.iter().map(|(k, v)| (k.into(), v.into())).collect();
    let mut config = Config { executable: file.into(), env, report: true, ..config.clone() };
    config.limits.memory = memory;
    config
}

impl Reporting {
    fn new(file: &Path, config: &Config, memory: u64) -> Reporting {
        let config = reporting(file, config, memory);
        let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        Reporting { machine: Machine::new(config), symbols: Symbolizer::open(&file).ok(), file }
    }

    fn run(&mut self, input: &Input, hurried: bool) -> Option<Shown> {
        let run = self.machine.run(input, hurried).ok()?;
        Some(Shown { outcome: run.outcome, stderr: run.stderr, report: run.report })
    }
}

/// Derives flavour `check`, with the checks of `--find`, or finds it in the cache.
///
/// # Errors
/// When the instrumenter says what is wrong.
pub fn check_flavour(
    source: &ProgramSource,
    find: &[CheckKind],
    patience: instrumenter::Patience<'_>,
) -> Result<PathBuf, Failure> {
    derived(source, "check", find, patience)
}

/// Flavour `bare` of a program, from the cache or made now.
///
/// # Errors
/// When the instrumenter says what is wrong.
pub fn bare_flavour(
    source: &ProgramSource,
    patience: instrumenter::Patience<'_>,
) -> Result<PathBuf, Failure> {
    derived(source, "bare", &[], patience)
}

fn derived(
    source: &ProgramSource,
    flavour: &str,
    find: &[CheckKind],
    patience: instrumenter::Patience<'_>,
) -> Result<PathBuf, Failure> {
    let mut built = instrumenter::flavours(source, &[flavour], find, &Cache::from_env(), patience)?;
    let missing = || {
        Failure::new(crate::exit::INTERNAL, format!("the instrumenter did not name the flavour {flavour}"))
    };
    built.flavours.remove(flavour).ok_or_else(missing)
}

impl Bench for Machines {
    fn own(&mut self, input: &Input, hurried: bool) -> Result<Shown, String> {
        // Who hurries wants another sample of the same input.
        let looks = self.looks.as_ref().filter(|_| !hurried);
        if let Some(seen) = looks.and_then(|looks| looks.seen(Which::Own, input)) {
            return Ok(seen);
        }
        let run = self.own.run(input, hurried).map_err(|e| e.to_string())?;
        Ok(Shown { outcome: run.outcome, stderr: run.stderr, report: run.report })
    }

    fn check(&mut self, input: &Input, hurried: bool) -> Option<Shown> {
        let check = self.check.as_mut()?;
        let looks = self.looks.as_ref().filter(|_| !hurried);
        let seen = looks.and_then(|looks| looks.seen(Which::Check, input));
        seen.or_else(|| check.run(input, hurried))
    }

    fn find(&mut self, input: &Input, hurried: bool) -> Option<Shown> {
        self.spare()?.run(input, hurried)
    }

    fn frames(&self, module: &str, offset: u64) -> Vec<SourceFrame> {
        let spare = if let Spare::There(reporting) = &self.find { Some(&**reporting) } else { None };
        let mut known = self.check.iter().chain(spare);
        let known = known.find(|r| Path::new(module) == r.file);
        let Some(symbols) = known.and_then(|r| r.symbols.as_ref()) else { return Vec::new() };
        let frame = |f: execute::Frame| SourceFrame { function: f.function, file: f.file, line: f.line };
        let mut frames: Vec<SourceFrame> = symbols.frames(offset).into_iter().map(frame).collect();
        if let Some(first) = frames.first_mut().filter(|f| f.line == 0 && !f.function.is_empty()) {
            // Code that the sanitizer put in has no line; its neighbours have.
            let near = (1..=NEAR).flat_map(|d| [offset.saturating_sub(d), offset.saturating_add(d)]);
            let mut lines = near.filter_map(|at| symbols.frames(at).into_iter().next());
            if let Some(known) = lines.find(|f| f.line > 0 && f.function == first.function) {
                (first.file, first.line) = (known.file, known.line);
            }
        }
        frames
    }

    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        let mut sources = self.sources.borrow_mut();
        let read = || {
            let bytes = std::fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect::<Vec<_>>())
        };
        let lines = sources.entry(file.to_owned()).or_insert_with(read).as_ref()?;
        lines.get((line as usize).checked_sub(1)?).cloned()
    }

    fn stopped(&self) -> bool {
        (self.stop)()
    }
}
