//! What a campaign came to: written as `record.json` into its folder, read back when the report is made.

use serde::{Deserialize, Serialize};

/// A campaign that was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the target.
    pub target: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Name of the budget.
    pub budget: String,
    /// Seed of random choices.
    pub seed: u64,
    /// Which repetition of it, from 1.
    pub repetition: u32,
    /// Hash of everything it depends on: program, inputs, options, seed, budget, and the spelunk that made it.
    pub key: String,
    /// The command, as typed in the folder of the bench file; `OUT` stands for the campaign's folder.
    pub command: String,
    /// When it began, in seconds since 1970.
    pub began_unix: u64,
    /// Load of the machine when it began: processes that wanted a core, mean of a minute.
    pub load: f64,
    /// What made it.
    pub versions: Versions,
    /// Where.
    pub machine: Machine,
    /// Whether it can be used.
    pub status: Status,
    /// Why the search ended, for people.
    pub ended: String,
    /// Wall-clock time of the search, in seconds.
    pub wall: f64,
    /// CPU time of the search, all its processes together, in seconds.
    pub cpu: f64,
    /// The same of everything: preparing, searching, confirming.
    pub cpu_in_all: f64,
    /// Runs of the program, cheap ones too.
    pub runs: u64,
    /// Of these: made in batches, for their coverage alone.
    pub cheap_runs: u64,
    /// Queries of the solver.
    pub queries: u64,
    /// Branches covered.
    pub branches: u32,
    /// Branches of the program.
    pub branches_in_all: u32,
    /// Functions entered.
    pub entered: Vec<Entered>,
    /// Functions of the program.
    pub functions_in_all: u32,
    /// Findings that were confirmed, each counted once.
    pub findings: u32,
    /// Findings that were not.
    pub unconfirmed: u32,
    /// Tests of the suite.
    pub tests: u32,
    /// When the target's `reached` was first reached.
    pub reached: Option<Reached>,
    /// Coverage over time, oldest first.
    pub curve: Vec<Point>,
}

/// Whether a campaign can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It ran to its end.
    #[default]
    Done,
    /// It was lost; what was wrong, for people.
    Lost(String),
}

/// A function that was entered. Written as a list of its fields; those of older versions end after the second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "EnteredFields", into = "EnteredFields")]
pub struct Entered {
    /// Its number in the program.
    pub number: u32,
    /// Its branches.
    pub branches: u32,
    /// How many of them were covered; unknown in records of older versions.
    pub covered: Option<u32>,
    /// Its name for people.
    pub name: String,
    /// Its name as linked.
    pub linkage_name: String,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EnteredFields {
    Now(u32, u32, Option<u32>, String, String),
    Older(u32, u32),
}

impl From<EnteredFields> for Entered {
    fn from(fields: EnteredFields) -> Entered {
        match fields {
            EnteredFields::Now(number, branches, covered, name, linkage_name) => {
                Entered { number, branches, covered, name, linkage_name }
            }
            EnteredFields::Older(number, branches) => Entered { number, branches, ..Entered::default() },
        }
    }
}

impl From<Entered> for EnteredFields {
    fn from(Entered { number, branches, covered, name, linkage_name }: Entered) -> EnteredFields {
        EnteredFields::Now(number, branches, covered, name, linkage_name)
    }
}

/// Whether `given` is a function's name: that for people, in C++ also without its parameters, or that as linked, also
/// without the number that linking gave to one of several of that name.
pub fn is_named(given: &str, name: &str, linkage_name: &str) -> bool {
    let unnumbered = linkage_name.rsplit_once('.').filter(|(_, end)| end.bytes().all(|b| b.is_ascii_digit()));
    let alone = name.split_once('(').map(|(alone, _)| alone).filter(|alone| !alone.is_empty());
    [Some(name), alone, Some(linkage_name), unnumbered.map(|(start, _)| start)].contains(&Some(given))
}

/// When something was first reached: work of the search by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Wall-clock time, in seconds.
    pub wall: f64,
    /// CPU time, in seconds.
    pub cpu: f64,
    /// Runs.
    pub runs: u64,
}

/// A point of a curve: so many branches from then on. Written as a list of four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u64, f64, f64, u32)", into = "(u64, f64, f64, u32)")]
pub struct Point {
    /// Runs by then.
    pub runs: u64,
    /// CPU time of the search by then, in seconds.
    pub cpu: f64,
    /// Wall-clock time by then, in seconds.
    pub wall: f64,
    /// Branches covered.
    pub branches: u32,
}

impl From<(u64, f64, f64, u32)> for Point {
    fn from((runs, cpu, wall, branches): (u64, f64, f64, u32)) -> Point {
        Point { runs, cpu, wall, branches }
    }
}

impl From<Point> for (u64, f64, f64, u32) {
    fn from(p: Point) -> (u64, f64, f64, u32) {
        (p.runs, p.cpu, p.wall, p.branches)
    }
}

/// What made a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Versions {
    /// Version of Spelunk.
    pub spelunk: String,
    /// The commit it was built from, if known.
    pub commit: String,
    /// Hash of the executables of Spelunk.
    pub build: String,
    /// Version of clang.
    pub clang: String,
    /// Version of the SMT solver.
    pub bitwuzla: String,
}

/// Where a campaign was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Cores that could be used.
    pub cores: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Version of the kernel.
    pub kernel: String,
    /// Name of the system.
    pub system: String,
}

impl Record {
    /// `TARGET, STRATEGY, BUDGET, seed N` for messages.
    pub fn name(&self) -> String {
        let Record { target, strategy, budget, seed, repetition, .. } = self;
        let again = if *repetition > 1 { format!(", repetition {repetition}") } else { String::new() };
        format!("{target}, {strategy}, {budget}, seed {seed}{again}")
    }

    /// Branches of the functions that were entered.
    pub fn branches_entered(&self) -> u32 {
        self.entered.iter().map(|f| f.branches).sum()
    }

    /// Whether it ran to its end.
    pub fn is_done(&self) -> bool {
        self.status == Status::Done
    }
}
