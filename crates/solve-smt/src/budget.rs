//! How much a query may still cost.
//!
//! Work is counted in *steps*: the number of times that Bitwuzla (its SAT solver CaDiCaL, its preprocessor, its
//! abstraction loops) asks whether to go on, which it does at fixed places of its algorithms. Unlike time, that number
//! depends on nothing but the queries asked so far, so that a work limit gives the same answer on every machine.

use std::time::{Duration, Instant};

/// What one step is, for people.
pub const STEP: &str =
    "ten turns of the SAT solver's main loop (propagate, then analyse a conflict or decide)";

/// Expressions translated between two looks at the clock.
const TRANSLATIONS_PER_LOOK: u32 = 1024;

/// Gates whose circuits take as long to build as a step: a query with little work gets small circuits only, because Bitwuzla
/// builds them without a look at its limits.
const GATES_PER_STEP: u64 = 100;

/// Limits of one query, and what it used.
pub(crate) struct Budget {
    work: Option<u64>,
    deadline: Option<Instant>,
    steps: u64,
    translated: u32,
    /// Gates that may still be added.
    gates: u64,
    stopped: Option<Stop>,
}

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    Work,
    Time,
}

impl Budget {
    pub(crate) fn new(limits: &solve::Limits, gates: u64) -> Budget {
        Budget {
            work: (limits.work > 0).then_some(limits.work),
            // A limit beyond the clock's range is none.
            deadline: (limits.millis > 0)
                .then(|| Instant::now().checked_add(Duration::from_millis(limits.millis)))
                .flatten(),
            steps: 0,
            translated: 0,
            gates: if limits.work > 0 {
                gates.min(limits.work.saturating_mul(GATES_PER_STEP))
            } else {
                gates
            },
            stopped: None,
        }
    }

    /// Counts a step; whether to stop.
    pub(crate) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.work.is_some_and(|work| self.steps > work) {
            self.stopped.get_or_insert(Stop::Work);
        }
        self.look_at_clock();
        self.stopped.is_some()
    }

    /// Called once for each expression translated, with the gates it needs; whether to stop.
    pub(crate) fn stop_translating(&mut self, gates: u64) -> bool {
        match self.gates.checked_sub(gates) {
            Some(left) => self.gates = left,
            None => _ = self.stopped.get_or_insert(Stop::Work),
        }
        self.translated = self.translated.wrapping_add(1);
        if self.translated.is_multiple_of(TRANSLATIONS_PER_LOOK) {
            self.look_at_clock();
        }
        self.stopped.is_some()
    }

    fn look_at_clock(&mut self) {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.stopped.get_or_insert(Stop::Time);
        }
    }

    /// The limit that was reached, if any.
    pub(crate) fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// Steps used.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }
}
