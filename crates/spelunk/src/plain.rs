//! The user's own executable, on one input at a time.

use execute::{Config, Limits, PlainProgram};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use trace::{Input, Outcome, TargetError};

/// The limits of a run: `timeout` of wall-clock time, `memory` in MiB.
pub fn limits(timeout: Duration, memory: u64) -> Limits {
    let usual = Limits::default();
    Limits { wall: timeout, cpu: timeout, leg: usual.leg.max(timeout), memory: memory << 20, ..usual }
}

/// How a run ended, where its exit code means nothing.
pub fn without_code(outcome: Outcome) -> Outcome {
    if matches!(outcome, Outcome::Exit(_)) { Outcome::Exit(0) } else { outcome }
}

/// What a program that the user built with sanitizers is told: a report ends it as a crash does, and signals are left to
/// those who watch for them.
pub fn sanitizer_options() -> Vec<(OsString, OsString)> {
    let common = "abort_on_error=1:symbolize=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0";
    let all = [("ASAN_OPTIONS", format!("{common}:detect_leaks=0")), ("UBSAN_OPTIONS", common.to_owned())];
    all.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// The user's own executable with its arguments and limits.
pub struct Plain {
    program: PlainProgram,
}

impl Plain {
    /// For runs of `executable` with `args` (in which `@@` stands for the input file).
    pub fn new(executable: &Path, args: &[String], limits: Limits) -> Plain {
        let mut config = Config::new(executable);
        config.args = args.iter().map(Into::into).collect();
        config.limits = limits;
        config.env = sanitizer_options();
        Plain { program: PlainProgram::new(config) }
    }

    /// Runs it on `input`.
    ///
    /// # Errors
    /// When it cannot be run at all.
    pub fn run(&mut self, input: &Input) -> Result<execute::PlainRun, TargetError> {
        self.program.run(input)
    }
}
