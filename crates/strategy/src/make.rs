//! Strategies by name.

use crate::Strategy;
use crate::auto::Auto;
use crate::bounded_dfs::BoundedDfs;
use crate::cfg::Cfg;
use crate::fuzz::Fuzz;
use crate::generational::Generational;
use crate::hybrid::Hybrid;
use crate::random::Random;
use crate::random_branch::RandomBranch;
use crate::start::Start;
use crate::uniform_random::UniformRandom;
use std::fmt;
use std::str::FromStr;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $help:literal;)+) => {
        /// The strategies there are.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Kind { #[default] $($(#[doc = $doc])+ $name,)+ }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)+];

            /// Name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$name => $text,)+ }
            }

            /// One line of help.
            pub const fn help(self) -> &'static str {
                match self { $(Kind::$name => $help,)+ }
            }
        }
    };
}

kinds! {
    /// [`crate::auto`].
    Auto = "auto", "flips, mutants, harder queries: CPU goes where new branches per CPU-second came from lately";
    /// [`crate::bounded_dfs`].
    BoundedDfs = "bounded-dfs", "depth-first search over the first --depth decisions that can be flipped";
    /// [`crate::uniform_random`].
    UniformRandom = "uniform-random", "random paths, each equally likely per decision";
    /// [`crate::random_branch`].
    RandomBranch = "random-branch", "a random flip of the current path, again and again";
    /// [`crate::cfg`].
    Cfg = "cfg", "short static paths to uncovered branches (control-flow directed search)";
    /// [`crate::generational`].
    Generational = "generational", "all flips of the best run at once (as in SAGE)";
    /// [`crate::hybrid`].
    Hybrid = "hybrid", "random input until nothing new comes, then a search from there (programs that ask for input in a loop)";
    /// [`crate::fuzz`].
    Fuzz = "fuzz", "coverage-guided mutation, no solver";
    /// [`crate::random`].
    Random = "random", "random inputs, no solver";
}

impl Kind {
    /// Whether runs need the path log (flavour `path`) for this strategy to work at full strength.
    pub const fn wants_path_log(self) -> bool {
        matches!(self, Kind::Cfg)
    }

    /// Whether it makes cheap runs within a budget of runs: with flavour `fast` they are cheap indeed.
    pub fn wants_cheap_runs(self, runs: Option<u64>) -> bool {
        match self {
            Kind::Auto => runs.is_none_or(|runs| runs >= RUNS_FOR_MUTANTS),
            _ => matches!(self, Kind::Fuzz | Kind::Random),
        }
    }

    /// Whether it freezes runs and goes on from there.
    pub const fn wants_snapshots(self) -> bool {
        matches!(self, Kind::Hybrid)
    }

    /// Whether it asks for mutants, which want a corpus and a dictionary.
    pub const fn wants_mutants(self) -> bool {
        matches!(self, Kind::Auto | Kind::Fuzz)
    }

    /// Whether it asks a solver.
    pub const fn wants_solver(self) -> bool {
        !matches!(self, Kind::Fuzz | Kind::Random)
    }

    /// Whether it comes back to flips that were given up ([`crate::Goal::Deepen`]): their first queries are cut short.
    pub const fn deepens(self) -> bool {
        matches!(self, Kind::Auto)
    }

    /// Whether it asks the loop for inputs that come closer to what runs decided without input ([`crate::Goal::Aim`]).
    pub const fn aims(self) -> bool {
        matches!(self, Kind::Auto)
    }

    /// Whether one instance serves all workers.
    pub const fn is_shared(self) -> bool {
        matches!(self, Kind::Auto | Kind::Generational)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no strategy of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no strategy {0:?}; there are: {all}", all = names())]
pub struct UnknownStrategy(pub String);

fn names() -> String {
    Kind::ALL.iter().map(|k| k.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Kind {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Kind, UnknownStrategy> {
        Kind::ALL.iter().copied().find(|k| k.name() == name).ok_or_else(|| UnknownStrategy(name.to_owned()))
    }
}

/// A smaller budget of runs is for runs that count: `auto` makes no mutants then, a few batches of which would use it up.
pub const RUNS_FOR_MUTANTS: u64 = 100_000;

/// What strategies can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bound of `bounded-dfs`: decisions flipped along one path.
    pub depth: u32,
    /// Random branch search begins anew on another input after so many runs without a branch that is new to it; 0: never.
    pub patience: u32,
    /// Whether `auto` makes batches of mutants.
    pub mutants: bool,
}

impl Default for Options {
    /// Depth 100, patience 100, with mutants.
    fn default() -> Options {
        Options { depth: 100, patience: 100, mutants: true }
    }
}

/// The strategies of a campaign: one for all workers, or one for each.
pub struct Strategies {
    all: Vec<Box<dyn Strategy>>,
}

impl Strategies {
    /// The strategy that worker number `worker` (from 0) asks.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn of(&mut self, worker: usize) -> &mut dyn Strategy {
        let index = if self.all.len() == 1 { 0 } else { worker };
        self.all[index].as_mut()
    }

    /// Every instance once (for [`Strategy::adopt`]).
    pub fn each(&mut self) -> impl Iterator<Item = &mut Box<dyn Strategy>> {
        self.all.iter_mut()
    }
}

/// Makes the strategies of a campaign with `workers` workers (at least 1).
pub fn make(kind: Kind, workers: usize, seed: u64, options: Options) -> Strategies {
    let instances = if kind.is_shared() { 1 } else { workers.max(1) };
    Strategies {
        all: (0..instances)
            .map(|worker| one(kind, Start { seed, worker, workers: instances }, options))
            .collect(),
    }
}

fn one(kind: Kind, start: Start, options: Options) -> Box<dyn Strategy> {
    match kind {
        Kind::Auto => Box::new(Auto::new(start, options.mutants)),
        Kind::Fuzz => Box::new(Fuzz),
        Kind::BoundedDfs => Box::new(BoundedDfs::new(start, options.depth)),
        Kind::UniformRandom => Box::new(UniformRandom::new(start)),
        Kind::RandomBranch => Box::new(RandomBranch::new(start, options.patience)),
        Kind::Cfg => Box::new(Cfg::new(start)),
        Kind::Hybrid => Box::new(Hybrid::default()),
        Kind::Generational => Box::new(Generational::default()),
        Kind::Random => Box::new(Random),
    }
}
