//! After the search: tests confirmed on the user's own executable, findings judged, both within the session's time. What there was no time
//! for is marked, and done by the next session or by `replay`.

use crate::bench::{self, Machines};
use crate::cli::ExploreArgs;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::phases::Phases;
use crate::prepare::Prepared;
use crate::recorder::Recorder;
use crate::timetable::Timetable;
use crate::{exit, findings, plain};
use execute::Limits;
use explore::Outcome;
use explore::suite::{self, Suite};
use program::CheckKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use store::StoreError;
use toolchain::ProgramSource;
use trace::Input;

/// How often somebody who waits for flavour `check` looks at the clock.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long a session that is over waits until the instrumenter is killed.
const KILLED: Duration = Duration::from_millis(500);

/// What a session ends with.
pub struct Ended {
    /// The suite.
    pub suite: Suite,
    /// Tests of it that there was no time to run on flavour `check`.
    pub unchecked: usize,
    /// Findings that there was no time to judge.
    pub unjudged: usize,
}

/// Flavour `check`, which is derived while the search goes on.
pub struct CheckFlavour {
    made: Option<Receiver<Option<PathBuf>>>,
    /// Nobody waits for it any more.
    given_up: Arc<AtomicBool>,
}

impl CheckFlavour {
    /// Begins to derive it, if it is wanted, and tells `looks` when it is there.
    pub fn begin(
        prepared: &Prepared,
        args: &ExploreArgs,
        limits: Limits,
        looks: &Arc<Looks>,
        table: &Timetable,
    ) -> CheckFlavour {
        let given_up = Arc::new(AtomicBool::new(false));
        if args.no_check {
            return CheckFlavour { made: None, given_up };
        }
        let is_unwanted = given_up.clone();
        let (to, made) = channel();
        let (source, find, table) = (prepared.source.clone(), args.find.clone(), table.clone());
        let (looks, program) = (looks.clone(), args.args.clone());
        std::thread::spawn(move || {
            let file = derive(&source, &find, &|| table.is_stopped() || is_unwanted.load(Ordering::Relaxed));
            if let Some(file) = &file {
                looks.set_check(bench::check_config(file, &source.executable, &program, limits));
            }
            // Nobody waits for it any more where the session is over.
            let _ = to.send(file);
        });
        CheckFlavour { made: Some(made), given_up }
    }

    /// Its file, waiting for it as long as there is time; `None` without one.
    fn wait(self, looks: &Looks, phases: &mut Phases) -> Option<PathBuf> {
        let made = self.made?;
        loop {
            match made.recv_timeout(LOOK_EVERY) {
                Ok(file) => return file,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if looks.is_over() => {
                    eprintln!(
                        "findings and tests are not checked with AddressSanitizer in this session: there was no time to derive \
                         its executable (--resume goes on)"
                    );
                    self.given_up.store(true, Ordering::Relaxed);
                    // It is killed before this process ends; what was made just now is in the cache.
                    let _ = made.recv_timeout(KILLED);
                    return None;
                }
                Err(RecvTimeoutError::Timeout) => phases.tell("instrumenting for AddressSanitizer"),
            }
        }
    }
}

/// Flavour `check`; without it findings are confirmed on the user's own executable alone.
fn derive(source: &ProgramSource, find: &[CheckKind], is_unwanted: &dyn Fn() -> bool) -> Option<PathBuf> {
    match bench::check_flavour(source, find, &mut || is_unwanted()) {
        Ok(file) => Some(file),
        Err(Failure { code: exit::INTERRUPTED, .. }) => None,
        Err(failure) => {
            eprintln!("findings are not checked with AddressSanitizer: {}", failure.message);
            None
        }
    }
}

/// Confirms tests with what was and will be looked at.
struct Confirming<'a> {
    looks: &'a Looks,
    /// The program's exit codes mean nothing.
    exit_is_chance: bool,
    phases: &'a mut Phases,
    done: usize,
}

impl suite::Confirm for Confirming<'_> {
    fn confirm(&mut self, inputs: &[Input]) -> Vec<suite::Shown> {
        let (phases, before) = (&mut *self.phases, self.done);
        let shown = self.looks.confirm(inputs, &mut |done| phases.tell(&(before + done).to_string()));
        self.done += inputs.len();
        let without_code = |shown: suite::Shown| shown.map(|ended| ended.map(plain::without_code));
        if self.exit_is_chance { shown.into_iter().map(without_code).collect() } else { shown }
    }
}

/// Builds and writes the suite, and confirms findings on the user's own executable and on flavour `check`.
///
/// # Errors
/// When the store cannot be written.
pub fn finish(
    outcome: &Outcome,
    prepared: &Prepared,
    args: &ExploreArgs,
    limits: Limits,
    recorder: &Recorder,
    (looks, check, table): (&Arc<Looks>, CheckFlavour, &Timetable),
    phases: &mut Phases,
) -> Result<Ended, StoreError> {
    looks.begin_confirm();
    phases.begin("confirming tests");
    let suite = suite::build(
        &outcome.witnesses,
        &outcome.preferred,
        &|run| outcome.input(run),
        &mut Confirming { looks, exit_is_chance: prepared.exit_is_chance, phases, done: 0 },
        &mut recorder.clone(),
    );
    let inputs: Vec<_> =
        suite.tests.iter().filter_map(|test| Some((test.run, outcome.input(test.run)?))).collect();
    recorder.with_session(|session| {
        session.write_tests(inputs.iter().map(|(run, input)| (*run, input)))?;
        session.set_pending(&suite.pending)?;
        session.commit()
    })?;
    table.begin_judge();
    phases.begin("checking findings");
    let check = check.wait(looks, phases);
    let is_checked = check.is_some();
    let mut bench = Machines::new(&prepared.source.executable, check, &args.args, limits)
        .with_find(&prepared.source, &args.find)
        .with_looks(looks, table.curfew());
    let unjudged = findings::judge(&mut bench, (looks, phases), outcome, &suite, args, recorder)?;
    let unchecked = match args.no_check || (!is_checked && !looks.is_over()) {
        true => 0,
        false => inputs.iter().filter(|(_, input)| !looks.is_checked(input)).count(),
    };
    let executable = confirmed_on(&prepared.source, args);
    recorder.with_session(|session| {
        session.set_confirmed(&executable, &looks.to_bytes())?;
        session.commit()
    })?;
    Ok(Ended { suite, unchecked, unjudged })
}

/// Tells executables, and how they are run, apart: what was confirmed on another one says nothing.
pub fn confirmed_on(source: &ProgramSource, args: &ExploreArgs) -> String {
    let file = source.executable.metadata().ok().map(|file| (file.len(), file.modified().ok()));
    format!(
        "{} {:?} {:?} {:?} {:?} {:?}",
        source.executable.display(),
        file,
        args.args,
        args.timeout,
        args.memory,
        args.find
    )
}

/// How single runs of the user's own executable are made.
pub fn looks(prepared: &Prepared, args: &ExploreArgs, table: &Timetable) -> Arc<Looks> {
    let limits = plain::limits(args.timeout, args.memory);
    let own = bench::own_config(&prepared.source.executable, &args.args, limits);
    Arc::new(Looks::new(own, table.clone()))
}
