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
use compare::{Chance, Derived, Difference, Ended, Runs, Verdict};
use events::Kind;
use execute::{Config, ForkServer, Limits, PlainProgram};
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
        let own = all
            .own(false)
            .map_err(|e| Failure::new(exit::TARGET, format!("the program cannot be started: {e}")))?;
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
            Err(error) => return Err(self.without_server(&mut all, own, &error)),
        };
        all.ordered = Some(server);
        all.first_ordered = ordered;
        if self.args.no_compare {
            return Ok(false);
        }
        let verdict = compare::compare(&mut all, own).map_err(|e| Failure::new(exit::TARGET, e))?;
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
    fn without_server(&self, all: &mut Executables<'_>, own: Ended, error: &TargetError) -> Failure {
        match all.derived(Derived::Trace) {
            Some(derived) if derived.outcome.is_finding() && !own.outcome.is_finding() => {
                let difference = Difference { which: Derived::Trace, own, derived };
                self.accuse(&difference, &all.input)
            }
            _ => unusable(error),
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
            Verdict::Unlike(difference) => match self.own_mistake(input) {
                Some(kind) => warn(&format!(
                    "on the first input the instrumented program {}, and yours {}; AddressSanitizer shows a mistake of the program there ({})",
                    ended(difference.derived.outcome),
                    ended(difference.own.outcome),
                    kind.text(),
                )),
                None => return Err(self.accuse(difference, input)),
            },
        }
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

    /// A mistake of the program's own that the input shows: the instrumented executables may do anything then.
    fn own_mistake(&self, input: &Input) -> Option<Kind> {
        if self.args.no_check {
            return None;
        }
        let check = bench::check_flavour(&self.prepared.source, &self.args.find, &mut || false).ok()?;
        let (own, args) = (&self.prepared.source.executable, &self.args.args);
        let mut machines = Machines::new(own, Some(check), args, self.limits);
        let sightings = diagnose::observe(&mut machines, input, &[], None, false);
        sightings.iter().find(|s| s.on_check && is_seen_by_a_sanitizer(s.kind)).map(|s| s.kind)
    }

    /// Spelunk's own fault: what to send.
    fn accuse(&self, difference: &Difference, input: &Input) -> Failure {
        let folder = evidence::folder(self.folder);
        let what = match compare::same_end(difference) {
            false => {
                format!("{} and yours {}", ended(difference.derived.outcome), ended(difference.own.outcome))
            }
            true => "writes something else to standard output than yours".to_owned(),
        };
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
        let message = format!(
            "a fault of Spelunk's own: on the first input the instrumented program {what}, each time. {kept}. To explore \
             all the same: --no-compare"
        );
        Failure::new(exit::INTERNAL, message)
    }
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
        let config = |file: &Path, moved| {
            let mut config = Config::new(file);
            config.args = look.args.args.iter().map(Into::into).collect();
            config.name = Some(own.into());
            config.limits = look.limits;
            config.env = plain::sanitizer_options();
            (config.output, config.moved) = (true, moved);
            PlainProgram::new(config)
        };
        Executables {
            look,
            input: input.clone(),
            own: [config(own, false), config(own, true)],
            trace: config(&look.prepared.flavour, false),
            fast: look.prepared.fast.as_ref().map(|file| config(file, false)),
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

fn plainly(program: &mut PlainProgram, input: &Input) -> Result<Ended, String> {
    let run = program.run(input).map_err(|e| e.to_string())?;
    Ok(Ended { outcome: run.outcome, stdout: Some(run.stdout), stderr: run.stderr })
}

impl Runs for Executables<'_> {
    fn own(&mut self, moved: bool) -> Result<Ended, String> {
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
    Failure::new(exit::TARGET, format!("the program cannot be started for exploration: {error}"))
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
