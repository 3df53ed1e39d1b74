//! What a bench file says: targets × strategies × budgets × seeds.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A bench file, checked as far as it can be without the programs it names.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What the page is called.
    pub title: String,
    /// A text for the page, below its title.
    pub note: Option<String>,
    /// Where the values of `paper` come from, for people.
    pub reference: Option<String>,
    /// The measure that strategies are compared by, unless a target says otherwise.
    pub metric: Metric,
    /// Seeds of random choices: a campaign each.
    pub seeds: Vec<u64>,
    /// How often each seed is tried.
    pub repetitions: u32,
    /// Wall-clock limit of a campaign, building its suite included; it is lost then.
    pub limit: Option<Duration>,
    /// What is tested.
    pub targets: Vec<Target>,
    /// What is compared.
    pub strategies: Vec<Strategy>,
    /// When a campaign ends.
    pub budgets: Vec<Budget>,
}

/// A program to explore.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Its name in tables.
    pub name: String,
    /// TARGET of `spelunk explore`: an executable, or sources, objects and archives.
    pub program: Vec<String>,
    /// Arguments of the program, with `@@`.
    pub args: Vec<String>,
    /// Folder of inputs to start from (`--seeds` of `spelunk explore`).
    pub inputs: Option<String>,
    /// Further options of `spelunk explore`.
    pub options: Vec<Setting>,
    /// Functions that [`Metric::Comparable`] leaves out, as [`is_named`](crate::is_named) has it; ascending. All targets of
    /// a program (as the file spells it) name the same.
    pub aside: Vec<String>,
    /// What counts as reached: a finding's kind, a function, or a line (`file.c:12`).
    pub reached: Option<String>,
    /// Values of a paper by strategy, in [`Target::metric`].
    pub paper: BTreeMap<String, f64>,
    /// The measure that strategies are compared by here.
    pub metric: Metric,
    /// Strategies that are tried on it, by position in [`Plan::strategies`].
    pub strategies: Vec<usize>,
    /// Budgets that it is given, by position in [`Plan::budgets`].
    pub budgets: Vec<usize>,
    /// Seeds here.
    pub seeds: Vec<u64>,
    /// Line in the file.
    pub line: usize,
}

/// A way to explore.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// Its name in tables.
    pub name: String,
    /// `--strategy` of `spelunk explore`.
    pub kind: String,
    /// Further options of `spelunk explore`; they win against those of a target.
    pub options: Vec<Setting>,
    /// Budgets that it is given, by position in [`Plan::budgets`].
    pub budgets: Vec<usize>,
    /// Line in the file.
    pub line: usize,
}

/// An option of `spelunk explore`, as the file gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name without dashes.
    pub name: String,
    /// Its values, one use of the option each; `None` for one without value.
    pub values: Vec<Option<String>>,
    /// Line in the file.
    pub line: usize,
}

/// When a campaign ends: at the first of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Its name in tables.
    pub name: String,
    /// Runs of the program.
    pub runs: Option<u64>,
    /// Queries of the solver.
    pub queries: Option<u64>,
    /// CPU time of the search, as `--cpu` takes it.
    pub cpu: Option<String>,
    /// Wall-clock time, as `--time` takes it.
    pub time: Option<String>,
    /// Line in the file.
    pub line: usize,
}

/// What is measured of a campaign and compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Branches covered, of those in functions that the campaign entered (Majumdar and Sen 2007, section 4).
    #[default]
    Relative,
    /// Branches covered, of those in functions that any campaign on the program entered, whatever the target's arguments
    /// (Burnim and Sen 2008, section 5).
    Reachable,
    /// As [`Metric::Reachable`], both without the branches of [`Target::aside`].
    Comparable,
    /// Branches covered, of all branches of the program.
    Absolute,
    /// Branches covered, as a count.
    Branches,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 5] =
        [Metric::Relative, Metric::Reachable, Metric::Comparable, Metric::Absolute, Metric::Branches];

    /// Its name in a bench file.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Relative => "relative",
            Metric::Reachable => "reachable",
            Metric::Comparable => "comparable",
            Metric::Absolute => "absolute",
            Metric::Branches => "branches",
        }
    }

    /// What it is, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Metric::Relative => "branches covered, of those in functions that the campaign itself entered",
            Metric::Reachable => {
                "branches covered, of those in functions that any campaign on the program entered"
            }
            Metric::Comparable => {
                "branches covered, of those in functions that any campaign on the program entered, both without functions set aside"
            }
            Metric::Absolute => "branches covered, of all branches of the program",
            Metric::Branches => "branches covered",
        }
    }

    /// Whether it is a share, in per cent.
    pub fn is_share(self) -> bool {
        self != Metric::Branches
    }
}
