//! The user's own executable, on one input at a time.

use execute::{Config, Limits, PlainProgram};
use std::path::Path;
use std::time::Duration;
use trace::{Input, Outcome, TargetError};

/// The limits of a run: `timeout` of wall-clock time, `memory` in MiB.
pub fn limits(timeout: Duration, memory: u64) -> Limits {
    Limits { wall: timeout, cpu: timeout, memory: memory << 20, ..Limits::default() }
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
        Plain { program: PlainProgram::new(config) }
    }

    /// How it ends on `input`.
    ///
    /// # Errors
    /// When it cannot be run at all.
    pub fn outcome(&mut self, input: &Input) -> Result<Outcome, TargetError> {
        Ok(self.run(input)?.outcome)
    }

    /// Runs it on `input`.
    ///
    /// # Errors
    /// When it cannot be run at all.
    pub fn run(&mut self, input: &Input) -> Result<execute::PlainRun, TargetError> {
        self.program.run(input)
    }
}
