//! Assumptions that a run broke (`klee_assume` and the like), and which of them are worth a repair.
//!
//! A run ends quietly where its input breaks an assumption, and only branches are goals of strategies: a program
//! that begins with `klee_assume(x == 12345678)` would never be entered. So each broken assumption is asked about
//! once: the path up to it, and the assumption kept. What the solver finds is run, may break the next assumption,
//! is repaired again, and so on. Strategies get to know the runs as if they were first inputs.
//!
//! Repairs go before the strategy's goals, but not more than [`IN_A_ROW`]. Paths are told apart by their decisions
//! and assumptions; a path is asked about only once for inputs of the same lengths, and [`TRIES`] times in all.

use crate::recent::Recorded;
use events::RunId;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use trace::{Event, EventKind};

/// So many repairs are done before a goal of the strategy has its turn.
const IN_A_ROW: u32 = 32;

/// How often one path may be asked about, for inputs of different lengths.
const TRIES: usize = 4;

/// Assumptions of one run that are looked at (a failed one mostly ends the run).
const PER_RUN: usize = 8;

/// Repairs that may wait; paths that are remembered.
const MAX_WAITING: usize = 1 << 10;
const MAX_PATHS: usize = 1 << 16;

/// An assumption to keep: the path of `parent` up to event `at`, and there the opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The run that broke it.
    pub parent: RunId,
    /// Index of the event in its trace.
    pub at: u32,
}

/// An assumption that a run broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    at: u32,
    /// Hash of the path up to it.
    path: u64,
    /// Hash of the input's lengths.
    lengths: u64,
}

/// The assumptions that a run broke, in order.
pub fn broken(recorded: &Recorded) -> Vec<Broken> {
    let is_broken = |e: &Event| e.kind == EventKind::Assume as u8 && e.value == 0;
    let events = &recorded.trace.events;
    // Most runs break none and need no hash.
    let Some(last) = events.iter().rposition(is_broken) else { return Vec::new() };
    let lengths = hash_of(&recorded.path.lengths);
    let mut path = FxHasher::default();
    let mut found = Vec::new();
    for (at, event) in (0..).zip(&events[..=last]) {
        let kind = EventKind::from_u8(event.kind);
        let steers = matches!(
            kind,
            Some(
                EventKind::Branch
                    | EventKind::Decision
                    | EventKind::Switch
                    | EventKind::IndirectCall
                    | EventKind::Assume
            )
        );
        if steers {
            (event.kind, event.site, event.value).hash(&mut path);
        }
        if is_broken(event) && found.len() < PER_RUN {
            found.push(Broken { at, path: path.finish(), lengths });
        }
    }
    found
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The repairs that wait, and what was asked about already.
#[derive(Default)]
pub struct Repairs {
    waiting: VecDeque<Repair>,
    /// Of each path: the lengths it was asked about with.
    asked: FxHashMap<u64, Vec<u64>>,
    in_a_row: u32,
    is_full: bool,
}

impl Repairs {
    /// Takes note of what `run` broke; whether something of it is to be repaired.
    pub fn add(&mut self, run: RunId, broken: &[Broken]) -> bool {
        let before = self.waiting.len();
        for &Broken { at, path, lengths } in broken {
            let is_new = !self.asked.contains_key(&path);
            if self.waiting.len() >= MAX_WAITING || (is_new && self.asked.len() >= MAX_PATHS) {
                self.is_full = true;
                break;
            }
            let asked = self.asked.entry(path).or_default();
            if asked.len() < TRIES && !asked.contains(&lengths) {
                asked.push(lengths);
                self.waiting.push_back(Repair { parent: run, at });
            }
        }
        self.waiting.len() > before
    }

    /// The next repair, unless it is the strategy's turn.
    pub fn next(&mut self) -> Option<Repair> {
        if self.in_a_row >= IN_A_ROW {
            return None;
        }
        let repair = self.waiting.pop_front()?;
        self.in_a_row += 1;
        Some(repair)
    }

    /// The strategy had its turn.
    pub fn yielded(&mut self) {
        self.in_a_row = 0;
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The bound on paths or waiting repairs, if one was reached.
    pub fn limit_reached(&self) -> bool {
        self.is_full
    }
}

/// What [`events::LimitKind::Repairs`] counts.
pub const LIMIT: usize = MAX_PATHS;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use strategy::RunPath;
    use trace::{Input, Trace};

    fn recorded(events: &[(EventKind, u64)], length: u64) -> Recorded {
        let event = |&(kind, value): &(EventKind, u64)| Event {
            kind: kind as u8,
            aux: 0,
            width: 1,
            site: 0,
            label: 1,
            pos: 0,
            value,
        };
        let trace = Trace { events: events.iter().map(event).collect(), ..Trace::default() };
        let path = RunPath { lengths: vec![length], ..RunPath::default() };
        Recorded { input: Input::default(), trace, path: Arc::new(path) }
    }

    #[test]
    fn only_broken_assumptions_count_and_pins_make_no_other_path() {
        use EventKind::{Assume, Branch, Pin};
        assert_eq!(broken(&recorded(&[(Branch, 0), (Assume, 1)], 1)), []);
        let a = broken(&recorded(&[(Branch, 0), (Pin, 7), (Assume, 0)], 1));
        let b = broken(&recorded(&[(Branch, 0), (Pin, 8), (Assume, 0)], 1));
        let other = broken(&recorded(&[(Branch, 1), (Pin, 7), (Assume, 0)], 1));
        assert_eq!((a.len(), a[0].at), (1, 2));
        assert_eq!(a, b);
        assert_ne!(a[0].path, other[0].path);
    }

    #[test]
    fn each_path_is_asked_about_once_per_length_and_not_too_often() {
        let mut repairs = Repairs::default();
        let at = |length| broken(&recorded(&[(EventKind::Assume, 0)], length));
        assert!(repairs.add(RunId(0), &at(1)));
        assert!(!repairs.add(RunId(1), &at(1)));
        for length in 2..100 {
            repairs.add(RunId(length), &at(length));
        }
        assert_eq!(repairs.waiting.len(), TRIES);
        assert_eq!(repairs.next(), Some(Repair { parent: RunId(0), at: 0 }));
    }

    #[test]
    fn the_strategy_has_its_turn() {
        let mut repairs = Repairs::default();
        for value in 0..100 {
            let events = [(EventKind::Switch, value), (EventKind::Assume, 0)];
            repairs.add(RunId(value), &broken(&recorded(&events, 1)));
        }
        let turn = |r: &mut Repairs| std::iter::from_fn(|| r.next()).count();
        assert_eq!(turn(&mut repairs), IN_A_ROW as usize);
        repairs.yielded();
        assert_eq!(turn(&mut repairs), IN_A_ROW as usize);
        assert!(!repairs.is_empty());
    }
}
