//! From inputs that may show a mistake to findings that hold: confirmed, each once, small, explained.
//!
//! In data-flow order: `observe` runs an input on the user's own executable and on flavour `check` and says what
//! each shows (`report` reads what sanitizers say, `words` what the C and C++ libraries say when they abort, `kinds` gives it
//! a name); `stack` decides whether two sightings are the same mistake (`foreign` knows whose functions do not count); `minimise` makes the input small while the
//! mistake stays; `looping` says where a hang is; `judge` does it all for a campaign.
//!
//! Pure: programs are run by a [`Bench`]. What they print is only ever read as text of bounded length; a program that
//! prints a report of its own making can at worst be wrong about itself.

#![forbid(unsafe_code)]

mod foreign;
mod judge;
mod kinds;
mod looping;
mod minimise;
mod observe;
mod report;
mod stack;
mod words;

pub use judge::{Candidate, Judged, Known, Limits, judge};
pub use observe::{Sighting, observe, observe_checks};
pub use stack::meaningful;

use events::SourceFrame;
use trace::{Input, Outcome};

/// How a run went.
#[derive(Clone, Debug)]
pub struct Shown {
    /// How it ended.
    pub outcome: Outcome,
    /// The end of what it wrote to standard error.
    pub stderr: Vec<u8>,
    /// What its sanitizer reported.
    pub report: Vec<u8>,
}

/// Runs programs and knows their sources.
pub trait Bench {
    /// The user's own executable; `hurried`: with a shorter time limit.
    ///
    /// # Errors
    /// When it cannot be run, for people.
    fn own(&mut self, input: &Input, hurried: bool) -> Result<Shown, String>;

    /// Flavour `check`; `None` if there is none or it cannot be run.
    fn check(&mut self, input: &Input, hurried: bool) -> Option<Shown>;

    /// Flavour `find`: the program with the checks of `--find` and without a sanitizer; `None` if there is none or it cannot
    /// be run. Asked only about what `check` does not show.
    fn find(&mut self, input: &Input, hurried: bool) -> Option<Shown>;

    /// The frames at an offset of a loaded file, innermost inlined function first; empty if nothing is known.
    fn frames(&self, module: &str, offset: u64) -> Vec<SourceFrame>;

    /// The text of a source line.
    fn source_line(&self, file: &str, line: u32) -> Option<String>;

    /// Somebody asked to stop.
    fn stopped(&self) -> bool;
}
