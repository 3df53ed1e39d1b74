//! What a campaign is asked to do: plain data, parsed by the command line.

use crate::bias::Bias;
use solve::Limits;
use std::sync::Arc;
use std::time::Duration;
use trace::Input;

/// What stops a campaign. Counted work first, time second; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Runs taken in during this session.
    pub runs: Option<u64>,
    /// Solver queries during this session.
    pub queries: Option<u64>,
    /// Time by the injected clock.
    pub time: Option<Duration>,
    /// CPU time of workers and of the programs they run, by the injected clock of threads.
    pub cpu: Option<Duration>,
}

impl Budget {
    /// Whether the session ends by a clock, and so cannot be repeated exactly.
    pub const fn is_by_clock(&self) -> bool {
        self.time.is_some() || self.cpu.is_some()
    }

    /// Whether runs are what there is little of: work is weighed by them, and queries may cost what they like.
    pub fn is_by_runs(&self) -> bool {
        self.runs.is_some_and(|runs| runs < strategy::RUNS_FOR_MUTANTS)
    }
}

/// What ends a session before its budget is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// Every branch is covered, and every broken assumption was asked about.
    #[default]
    Covered,
    /// Also every other goal is reached, or shown to be out of reach: functions entered, calls made that report errors, small functions'
    /// conditionals seen both ways from each of their callers, indirect callees called that the input can choose. Or no path is left.
    Goals,
    /// No path is left: of every path that was seen each branch was taken or shown to be infeasible. Where the input was lost sight of,
    /// this tells nothing of what is behind, so that goals have to be reached as well.
    Paths,
    /// Nothing but the strategy's own end.
    Budget,
}

/// Bounds on the engine's memory, each in the unit that it names.
///
/// Together with the solver (which has its own bound) the defaults keep a campaign well below 1 GB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of raw traces kept for later flips; older ones are made again by running their input.
    pub trace_bytes: usize,
    /// Expressions in a worker's arena before it begins a new one. Runs share the arena, and the solver what it
    /// translated of it; with too many the solver drags along clauses that no longer matter.
    pub lifted_nodes: usize,
    /// Inputs remembered as done (about 50 bytes each).
    pub seen_inputs: usize,
    /// Bytes of inputs kept for flips: beyond it, runs that cover nothing new are not offered for flips.
    pub input_bytes: usize,
    /// Bytes of path tree and strategy bookkeeping: beyond it, only runs that cover something new enter it.
    pub tree_bytes: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            trace_bytes: 128 << 20,
            lifted_nodes: 1 << 15,
            seen_inputs: 1 << 19,
            input_bytes: 96 << 20,
            tree_bytes: 160 << 20,
        }
    }
}

/// The usual [`Config::first_work`]: some 50 ms of the SMT solver, where nearly all answers of the targets take less than 10.
const FIRST_WORK: u64 = 3_000;

/// Milliseconds of such a query where the session ends by a clock anyway: steps of products and remainders take long.
const FIRST_MILLIS: u64 = 100;

impl Config {
    /// Whether runs are stopped early that take far longer than others. It depends on the clock, so only where the session does. Inputs
    /// of journeys grow, and with them the time of their runs.
    pub(crate) fn is_hasty(&self) -> bool {
        self.haste && self.budget.is_by_clock() && !self.strategy.wants_snapshots()
    }

    /// Limits of one query of a flip at `level`.
    pub(crate) fn limits_at(&self, level: u8) -> Limits {
        let times = 4u64.saturating_pow(u32::from(level.saturating_sub(1)));
        let Limits { work, millis } = self.solve;
        match level {
            0 if self.strategy.deepens() && self.first_work > 0 && !self.budget.is_by_runs() => {
                let least = if work > 0 { work.min(self.first_work) } else { self.first_work };
                let short = if self.budget.is_by_clock() { FIRST_MILLIS } else { millis };
                Limits { work: least, millis: if millis > 0 { millis.min(short) } else { short } }
            }
            _ => Limits { work: work.saturating_mul(times), millis: millis.saturating_mul(times) },
        }
    }
}

/// What strategy `hybrid` can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybrid {
    /// Share of the program's branches, in 0 … 1, at which it is content (Algorithm 2's θ1).
    pub goal: f64,
    /// Input statements in a row without anything new after which random input gives way to the search (Algorithm 2's θ2);
    /// `None`: when, by estimate, a search gives more for its work than random input would.
    pub patience: Option<u32>,
    /// Input statements of a run of the search behind its snapshot; of standard input and connections, where a statement may take any number of
    /// bytes, three for each.
    pub lookahead: u32,
    /// How the search goes about it.
    pub search: strategy::Kind,
    /// Runs of a search; with a patience, of the next one, as long as none finds anything, twice as many; without, some are longer.
    pub search_runs: u32,
    /// Input statements of a journey, from the program's start.
    pub max_inputs: u32,
}

impl Default for Hybrid {
    fn default() -> Hybrid {
        Hybrid {
            goal: 1.0,
            patience: None,
            lookahead: 16,
            search: strategy::Kind::Auto,
            search_runs: 200,
            max_inputs: 10_000,
        }
    }
}

/// What a campaign is asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// How to search.
    pub strategy: strategy::Kind,
    /// What the strategy can be told.
    pub options: strategy::Options,
    /// Seed of all random choices.
    pub seed: u64,
    /// Number of workers; with one, the same seed and the same work budget give the same events.
    pub jobs: u32,
    /// When to stop.
    pub budget: Budget,
    /// What ends the session before its budget is used.
    pub until: Until,
    /// The user's inputs, run first.
    pub seeds: Vec<Input>,
    /// The objects that an input of this program has (contents unimportant): what random inputs and, when
    /// there are no seeds, the first ones are made from. Without objects (a program that only asks for
    /// typed values) it is empty.
    pub shape: Input,
    /// How likely the bytes of random objects are; of values that a run asks for the program's runtime knows.
    pub bias: Arc<Bias>,
    /// Longest length of each object in a random or first input, in bytes.
    pub initial_len: u32,
    /// Longest total length of an input in bytes; growing stops there.
    pub max_input: usize,
    /// Limits of one solver query.
    pub solve: Limits,
    /// Work of one query of a flip's first attempt (level 0), for strategies that come back to what was given up; 0: as
    /// `solve` says. Level 1 has the limits of `solve`, each further one four times those.
    pub first_work: u64,
    /// What strategy `hybrid` can be told.
    pub hybrid: Hybrid,
    /// Re-evaluate every recorded expression of every run and compare with what the program did.
    pub check_trace: bool,
    /// Where the session ends by a clock: stop runs early that take far longer than others, and look at them again later.
    pub haste: bool,
    /// Bounds on memory.
    pub memory: Memory,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            strategy: strategy::Kind::default(),
            options: strategy::Options::default(),
            seed: 0,
            jobs: 1,
            budget: Budget::default(),
            until: Until::default(),
            seeds: Vec::new(),
            shape: Input::stdin([]),
            bias: Arc::default(),
            initial_len: 16,
            max_input: 64 << 10,
            solve: Limits { work: 0, millis: 2_000 },
            first_work: FIRST_WORK,
            hybrid: Hybrid::default(),
            check_trace: false,
            haste: true,
            memory: Memory::default(),
        }
    }
}
