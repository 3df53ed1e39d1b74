//! Before a campaign begins: the user's own executable beside the instrumented ones on a first input.
//!
//! What explains nothing to the user later is told now: that the program cannot start (`loader`), that every seed crashes it, that
//! its exit code or output is chance, or that Spelunk itself changed what it does (`compare`), which is a fault of
//! Spelunk's that ends the session before it wastes a night; `evidence` keeps what its authors need.

mod compare;
mod evidence;
mod loader;

use crate::bench::{self, Machines};
use crate::cli::ExploreArgs;
use crate::exit;
use crate::failure::Failure;
use crate::plain;
use crate::prepare::Prepared;
use crate::timetable::Timetable;
use compare::{Chance, Derived, Difference, Ended, Runs, Verdict};
use diagnose::Bench as _;
use events::Kind;
use execute::{Config, ForkServer, Limits, PlainProgram};
use explore::suite::same_class;
use std::path::Path;
use trace::{Input, Mode, ObjectKind, Outcome, Request, Target, TargetError};

/// Seeds that are looked at when the first one crashes the program.
const SEEDS: usize = 16;

/// What is run, and how.
pub struct Look<'a> {
    /// The program.
    pub prepared: &'a Prepared,
    /// Options of the command line.
    pub args: &'a ExploreArgs,
    /// Limits of a run.
    pub limits: Limits,
    /// The campaign's folder, beside which evidence is put.
    pub folder: &'a Path,
    /// Inputs, the first of which is compared.
    pub inputs: &'a [Input],
    /// Ends it when somebody asks to stop.
    pub table: &'a Timetable,
}

impl Look<'_> {
    /// Looks; whether exit codes are chance. `server`: the instrumented program under its fork server, or why it cannot be started.
    ///
    /// # Errors
    /// When the program cannot start, or the instrumented one is not what the program is.
    pub fn look(&self, server: Result<ForkServer, TargetError>) -> Result<bool, Failure> {
        let given = self.inputs.first().cloned().unwrap_or_default();
        let mut server = server;
        let (ordered, input) = match &mut server {
            Ok(server) => self.first_run(server, &given)?,
            Err(_) => (None, given),
        };
        let mut all = Executables::new(self, &input);
        let own = all.own(false).map_err(|e| not_run(&e))?;
        if let Some(why) = loader::cannot_start(own.outcome, &own.stderr) {
            let name = self.prepared.source.executable.display();
            return Err(Failure::new(exit::TARGET, format!("{name} cannot start: {why}")));
        }
        if matches!(own.outcome, Outcome::Exit(126 | 127)) {
            warn(&format!(
                "the program ends with exit code {} on the first input: {}",
                code(own.outcome),
                last_line(&own.stderr)
            ));
        }
        let server = match server {
            Ok(server) => server,
            Err(error) => return Err(self.without_server(&mut all, &own, &error)),
        };
        all.ordered = Some(server);
        all.first_ordered = ordered;
        if self.args.no_compare {
            return Ok(false);
        }
        let verdict = compare::compare(&mut all, own).map_err(|e| not_run(&e))?;
        drop(all);
        self.tell(&verdict, &input)?;
        Ok(matches!(verdict, Verdict::Chance(Chance::VoidMain | Chance::ExitCode)))
    }

    /// The campaign's first run, and its input with the values that the program asked for.
    fn first_run(&self, server: &mut ForkServer, input: &Input) -> Result<(Option<Outcome>, Input), Failure> {
        let run = server.run(&Request { input, mode: Mode::Symbolic, value_seed: None, max_inputs: None });
        let run = run.map_err(|e| unusable(&e))?;
        Ok((Some(run.outcome), run.input))
    }

    /// The instrumented program cannot be started as a server: whose fault that is.
    fn without_server(&self, all: &mut Executables<'_>, own: &Ended, error: &TargetError) -> Failure {
        if matches!(error, TargetError::Interrupted) || self.args.no_compare {
            return unusable(error);
        }
        let crashes = |e: &Ended| e.outcome.is_finding() && !compare::is_limit(e.outcome);
        let Some(derived) = all.derived(Derived::Trace).filter(crashes) else { return unusable(error) };
        // Not on one run of each.
        let own_again = all.own(false);
        let is_steady = own_again.is_ok_and(|again| same_class(again.outcome, own.outcome))
            && all.derived(Derived::Trace).is_some_and(|again| same_class(again.outcome, derived.outcome));
        if own.outcome.is_finding() || !is_steady {
            return unusable(error);
        }
        let difference = Difference { which: Derived::Trace, own: own.clone(), derived };
        match self.unlike(&difference, &all.input) {
            Ok(()) => unusable(error),
            Err(failure) => failure,
        }
    }

    /// Says what has to be said.
    fn tell(&self, verdict: &Verdict, input: &Input) -> Result<(), Failure> {
        match verdict {
            Verdict::Alike => {}
            Verdict::Crash(outcome) => self.tell_of_crashes(*outcome),
            Verdict::Unfinished(outcome) => warn(&format!(
                "on the first input your own program {}: {}, or give smaller seeds",
                ended(*outcome),
                more(*outcome)
            )),
            Verdict::Limit(outcome) => warn(&format!(
                "on the first input the instrumented program {}, and yours does not: {}, or give smaller seeds",
                ended(*outcome),
                more(*outcome)
            )),
            Verdict::Chance(chance) => warn(told(*chance)),
            Verdict::Unlike(difference) => return self.unlike(difference, input),
        }
        Ok(())
    }

    /// The instrumented program is not what the program is: a warning, unless nothing but Spelunk can be the reason.
    fn unlike(&self, difference: &Difference, input: &Input) -> Result<(), Failure> {
        let mistake = self.own_mistake(input, &difference.own);
        if self.table.is_stopped() {
            return Err(interrupted());
        }
        let why = match mistake {
            Mistake::None => return Err(self.accuse(difference, input)),
            Mistake::Shown(kind) => {
                format!("AddressSanitizer shows a mistake of the program there ({})", kind.text())
            }
            Mistake::Compiled => "so does it when clang compiles it with other optimisations and nothing of Spelunk's in it: it relies \
                on something undefined (clang's -fsanitize=undefined may name it), or on how it is compiled. Tests that do not show \
                what they showed are left out"
                .to_owned(),
            Mistake::Unknown(why) => format!(
                "whether that is a mistake of the program's own or a fault of Spelunk's is not known: {why}. Tests that do not \
                 show what they showed are left out"
            ),
        };
        warn(&format!("on the first input the instrumented program {}; {why}", apart(difference)));
        Ok(())
    }

    /// Where the first input crashes the program, the others are looked at: a campaign of crashes alone covers little.
    fn tell_of_crashes(&self, outcome: Outcome) {
        let others = &self.inputs[..self.inputs.len().min(SEEDS)];
        let survives = |input: &Input| {
            let mut own = Executables::new(self, input);
            own.own(false).is_ok_and(|e| !e.outcome.is_finding())
        };
        if others.iter().skip(1).any(survives) {
            return;
        }
        let which = match others.len() {
            0 | 1 => "the first input".to_owned(),
            n if n == self.inputs.len() => format!("every one of the {n} seeds"),
            n => format!("every one of the first {n} seeds"),
        };
        warn(&format!(
            "{which} crashes your own program ({}). The campaign goes on and tells it as a finding; for the rest of the program give an \
             input that it survives (--seeds), or the arguments and files that it needs",
            ended(outcome)
        ));
    }

    /// A mistake of the program's own that the input shows: the instrumented executables may do anything then. It is looked for
    /// even where findings are not to be checked: nobody is accused without.
    fn own_mistake(&self, input: &Input, own_run: &Ended) -> Mistake {
        let stopped = &mut || self.table.is_stopped();
        let check = match bench::check_flavour(&self.prepared.source, &self.args.find, stopped) {
            Ok(check) => check,
            Err(e) => {
                return Mistake::Unknown(format!("AddressSanitizer cannot be asked ({})", e.message));
            }
        };
        let (own, args) = (&self.prepared.source.executable, &self.args.args);
        let mut machines =
            Machines::new(own, Some(check), args, self.limits).with_curfew(self.table.curfew());
        let sightings = diagnose::observe(&mut machines, input, &[], None, false);
        if let Some(seen) = sightings.iter().find(|s| s.on_check && is_seen_by_a_sanitizer(s.kind)) {
            return Mistake::Shown(seen.kind);
        }
        match machines.check(input, false) {
            Some(run) if !compare::is_limit(run.outcome) => self.compiled_otherwise(input, own_run),
            Some(run) => Mistake::Unknown(format!("with AddressSanitizer it {}", ended(run.outcome))),
            None => Mistake::Unknown("with AddressSanitizer it cannot be run".to_owned()),
        }
    }

    /// The program compiled as its instrumented executables are, but with nothing of Spelunk's in it: who differs there from the user's
    /// own is no work of Spelunk's.
    fn compiled_otherwise(&self, input: &Input, own: &Ended) -> Mistake {
        let stopped = &mut || self.table.is_stopped();
        let Ok(bare) = bench::bare_flavour(&self.prepared.source, stopped) else { return Mistake::None };
        match plainly(&mut by_hand(self, &bare, false), input) {
            Ok(run) if !compare::is_limit(run.outcome) && !compare::agrees(own, &run) => Mistake::Compiled,
            _ => Mistake::None,
        }
    }

    /// Spelunk's own fault: what to send.
    fn accuse(&self, difference: &Difference, input: &Input) -> Failure {
        let folder = evidence::folder(self.folder);
        let kept = match evidence::keep(&folder, self, difference, input) {
            Ok(()) => format!(
                "Please report it, and send the folder {}: versions, the command, the input and both outputs are in it (look \
                 through it first; the source of the program helps most)",
                folder.display()
            ),
            Err(e) => format!(
                "Please report it with the command you ran (what to send cannot be written to {}: {e})",
                folder.display()
            ),
        };
        let what = apart(difference);
        let message = format!(
            "a fault of Spelunk's own, or the program reads memory that it never set: on the first input the instrumented \
             program {what}, each time. {kept}. To explore all the same: --no-compare"
        );
        Failure::new(exit::INTERNAL, message)
    }
}

/// What a sanitizer says of an input.
enum Mistake {
    /// It shows this mistake of the program's.
    Shown(Kind),
    /// It ran to its end and shows none.
    None,
    /// Compiled otherwise, without Spelunk, it does something else as well.
    Compiled,
    /// It could not be asked: why.
    Unknown(String),
}

/// The executables of one program on one input.
struct Executables<'a> {
    look: &'a Look<'a>,
    input: Input,
    own: [PlainProgram; 2],
    trace: PlainProgram,
    fast: Option<PlainProgram>,
    ordered: Option<ForkServer>,
    /// How the first ordered run ended, until it is asked for.
    first_ordered: Option<Outcome>,
}

impl<'a> Executables<'a> {
    fn new(look: &'a Look<'a>, input: &Input) -> Executables<'a> {
        let own = &look.prepared.source.executable;
        Executables {
            look,
            input: input.clone(),
            own: [by_hand(look, own, false), by_hand(look, own, true)],
            trace: by_hand(look, &look.prepared.flavour, false),
            fast: look.prepared.fast.as_ref().map(|file| by_hand(look, file, false)),
            ordered: None,
            first_ordered: None,
        }
    }

    /// Values are asked of the engine: by hand there is nobody to give them.
    fn asks_for_values(&self) -> bool {
        self.input.objects.is_empty()
            || self.input.objects.iter().any(|o| matches!(o.kind, ObjectKind::Value | ObjectKind::End))
    }
}

/// An executable of the program, run as the user's own is; `moved`: at other addresses each time.
fn by_hand(look: &Look<'_>, file: &Path, moved: bool) -> PlainProgram {
    let mut config = Config::new(file);
    config.args = look.args.args.iter().map(Into::into).collect();
    config.name = Some((&look.prepared.source.executable).into());
    config.limits = look.limits;
    config.curfew = look.table.curfew().clone();
    config.env = plain::sanitizer_options();
    (config.output, config.moved) = (true, moved);
    PlainProgram::new(config)
}

fn plainly(program: &mut PlainProgram, input: &Input) -> Result<Ended, TargetError> {
    let run = program.run(input)?;
    Ok(Ended { outcome: run.outcome, stdout: Some(run.stdout), stderr: run.stderr })
}

impl Runs for Executables<'_> {
    fn own(&mut self, moved: bool) -> Result<Ended, TargetError> {
        plainly(&mut self.own[usize::from(moved)], &self.input)
    }

    fn derived(&mut self, which: Derived) -> Option<Ended> {
        if which == Derived::Ordered {
            let request =
                Request { input: &self.input, mode: Mode::Symbolic, value_seed: None, max_inputs: None };
            let outcome = match self.first_ordered.take() {
                Some(outcome) => outcome,
                None => self.ordered.as_mut()?.run(&request).ok()?.outcome,
            };
            return Some(Ended { outcome, stdout: None, stderr: Vec::new() });
        }
        if self.asks_for_values() {
            return None;
        }
        let program = if which == Derived::Fast { self.fast.as_mut()? } else { &mut self.trace };
        plainly(program, &self.input).ok()
    }

    fn main_returns_nothing(&self) -> bool {
        execute::returns_nothing(&self.look.prepared.source.executable, "main")
    }
}

/// The program cannot be run by a fork server.
fn unusable(error: &TargetError) -> Failure {
    failed("the program cannot be started for exploration", error)
}

/// The user's own executable cannot be run.
fn not_run(error: &TargetError) -> Failure {
    failed("the program cannot be started", error)
}

fn failed(what: &str, error: &TargetError) -> Failure {
    match error {
        TargetError::Interrupted => interrupted(),
        _ => Failure::new(exit::TARGET, format!("{what}: {error}")),
    }
}

fn interrupted() -> Failure {
    Failure::new(exit::INTERRUPTED, "stopped before the campaign began")
}

/// What the instrumented program does otherwise.
fn apart(difference: &Difference) -> String {
    match compare::same_end(difference) {
        false => format!("{} and yours {}", ended(difference.derived.outcome), ended(difference.own.outcome)),
        true => "writes something else to standard output than yours".to_owned(),
    }
}

fn warn(what: &str) {
    eprintln!("warning: {what}");
}

fn told(chance: Chance) -> &'static str {
    match chance {
        Chance::VoidMain => {
            "`main` of this program returns nothing: its exit code is chance, and tests are confirmed whatever it is"
        }
        Chance::ExitCode => {
            "the exit code of this program is chance: it differs from run to run, or from one executable to the next. Tests are \
             confirmed whatever it is"
        }
        Chance::Output => {
            "the output of this program is chance: two runs on the first input write different things"
        }
        Chance::Order => {
            "the lines of this program's output come in another order when it is instrumented: it has threads or processes"
        }
        Chance::Numbers => {
            "the instrumented program writes other numbers than yours on the first input, and the same text: CPU time or memory used, or \
             memory that the program reads and never set"
        }
        Chance::Surroundings => {
            "under exploration the program ends otherwise on the first input than by itself: there the clock and random numbers are \
             the same in every run. Tests that depend on them are left out"
        }
    }
}

/// Whether it takes a sanitizer to see a mistake of this kind. A crash of flavour `check` alone excuses nothing: that is a derived
/// executable, too, and may be wrong as the others are.
fn is_seen_by_a_sanitizer(kind: Kind) -> bool {
    use Kind::*;
    match kind {
        HeapBufferOverflow | StackBufferOverflow | GlobalBufferOverflow | ContainerOverflow | OutOfBounds
        | UseAfterFree | UseAfterReturn | DoubleFree | BadFree | SignedOverflow | Shift | BadCast
        | Undefined => true,
        NullDereference | BadAccess | DivisionByZero | AssertionFailure | UncaughtException | Abort
        | Trap | Crash | StackExhaustion | MemoryExhaustion | Hang | Leak => false,
    }
}

/// What to do about a limit.
fn more(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Timeout => "raise --timeout",
        Outcome::OutOfMemory => "raise --memory",
        _ => "let it write less",
    }
}

/// How a run ended, for people.
fn ended(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exit(code) => format!("ends with exit code {code}"),
        Outcome::Signal(n) => format!("is killed by signal {n}"),
        Outcome::Abort => "aborts".into(),
        Outcome::Timeout => "does not end within its time limit".into(),
        Outcome::OutOfMemory => "needs more memory than it may".into(),
        Outcome::OutputLimit => "writes more than it may".into(),
        Outcome::Undefined(_) => "does something undefined".into(),
    }
}

fn code(outcome: Outcome) -> i32 {
    if let Outcome::Exit(code) = outcome { code } else { 0 }
}

/// The last thing that a program said.
fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
    last.chars().filter(|c| !c.is_control()).take(300).collect()
}
