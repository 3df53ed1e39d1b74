//! Accesses through symbolic addresses that may leave their object, as goals (active property checking: Godefroid, Levin &
//! Molnar, "Active Property Checking", EMSOFT 2008).
//!
//! The tracer follows such an access inside the object that the run touched and records that as a condition (`Bounds`,
//! `Within`). Each condition is asked about: the path up to it, and the opposite. First for an address far from the object, which
//! the program's own executable shows as a crash; where there is none, for any address outside, which a run with
//! AddressSanitizer shows. The opposite may also be harmless: another object of a pointer that is chosen among several, or a
//! neighbouring array. So what is found is a run like any other, and only its end makes a finding of it.
//!
//! What differs: a condition is not asked about on every path but [`TRIES`] times per access and object size, until there is
//! an answer: each access once before any is asked about again, and those early in their path first, as they are solved fastest. Probes take turns with the strategy's goals: at first one
//! after [`EVERY`] of those, after each that finds nothing half as often, down to one after [`RARELY`]; and what is left when the strategy
//! has nothing more to do. (On lua, one after four goals in all cases took more than half of the solver's time and found nothing.)

use crate::recent::Recorded;
use events::RunId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use trace::{EventKind, TableView};

/// Goals of the strategy between two probes, at first.
const EVERY: u32 = 4;
/// The same after many probes that found nothing.
const RARELY: u32 = 128;
/// Paths on which one access of one object is asked about.
const TRIES: u32 = 3;
/// Conditions of one run that are looked at.
const PER_RUN: usize = 64;
/// Probes that may wait; accesses that are remembered.
const MAX_WAITING: usize = 1 << 12;
const MAX_KEYS: usize = 1 << 16;

/// How far outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// At least 1 MiB from the object: mostly nothing is mapped there.
    Far,
    /// Anywhere else.
    Outside,
}

/// An access to send out of its object: the path of `parent` up to event `at`, and there the opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The run.
    pub parent: RunId,
    /// Index of the event in its trace.
    pub at: u32,
    /// How far.
    pub to: Where,
    key: Key,
    /// On how many paths its access was asked about before.
    before: u32,
}

/// An access of the program and the size of the object it went to (0: one of several objects).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    access: u32,
    size: u64,
}

/// A condition that a run kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    at: u32,
    key: Key,
}

/// The conditions of a run, the first of each access and object size.
pub fn kept(recorded: &Recorded) -> Vec<Kept> {
    let trace = &recorded.trace;
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for (at, event) in (0..).zip(&trace.events) {
        let size = match EventKind::from_u8(event.kind) {
            Some(EventKind::Bounds) => TableView::at(&trace.tables, event.value).map(|t| t.len),
            Some(EventKind::Within) => Some(0),
            _ => None,
        };
        let Some(size) = size else { continue };
        let key = Key { access: event.site, size };
        if seen.insert(key) {
            found.push(Kept { at, key });
            if found.len() == PER_RUN {
                break;
            }
        }
    }
    found
}

#[derive(Default)]
struct Asked {
    tries: u32,
    answered: bool,
}

/// The probes that wait, and what was asked about already.
pub struct Probes {
    waiting: VecDeque<Probe>,
    asked: FxHashMap<Key, Asked>,
    /// The strategy's goals since the last probe.
    goals: u32,
    /// How many there are to be.
    wait: u32,
}

impl Default for Probes {
    fn default() -> Probes {
        Probes { waiting: VecDeque::new(), asked: FxHashMap::default(), goals: 0, wait: EVERY }
    }
}

impl Probes {
    /// Takes note of the conditions of `run`; whether one of them is to be asked about.
    pub fn add(&mut self, run: RunId, kept: &[Kept]) -> bool {
        let before = self.waiting.len();
        for &Kept { at, key } in kept {
            let room = self.waiting.len() < MAX_WAITING;
            if !room || (!self.asked.contains_key(&key) && self.asked.len() >= MAX_KEYS) {
                continue;
            }
            let asked = self.asked.entry(key).or_default();
            if asked.tries < TRIES && !asked.answered {
                let before = asked.tries;
                asked.tries += 1;
                self.waiting.push_back(Probe { parent: run, at, to: Where::Far, key, before });
            }
        }
        self.waiting.len() > before
    }

    /// The next probe, unless it is the strategy's turn.
    pub fn next(&mut self) -> Option<Probe> {
        if self.goals < self.wait {
            return None;
        }
        self.any()
    }

    /// The next probe.
    pub fn any(&mut self) -> Option<Probe> {
        loop {
            let (first, _) = self.waiting.iter().enumerate().min_by_key(|(k, p)| (p.before, p.at, *k))?;
            let probe = self.waiting.remove(first)?;
            if probe.to == Where::Outside || !self.asked.get(&probe.key).is_some_and(|a| a.answered) {
                self.goals = 0;
                return Some(probe);
            }
        }
    }

    /// The strategy had its turn.
    pub fn yielded(&mut self) {
        self.goals = self.goals.saturating_add(1);
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What came of a probe: with an input, the access needs no more asking; where none is far, any outside will do.
    pub fn answered(&mut self, probe: &Probe, found: bool) {
        self.wait = if found { EVERY } else { (2 * self.wait).min(RARELY) };
        if found {
            self.asked.entry(probe.key).or_default().answered = true;
        } else if probe.to == Where::Far && self.waiting.len() < MAX_WAITING {
            self.waiting.push_front(Probe { to: Where::Outside, ..*probe });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(access: u32, size: u64) -> Kept {
        Kept { at: access, key: Key { access, size } }
    }

    #[test]
    fn each_access_is_asked_about_a_few_times_until_there_is_an_answer() {
        let mut probes = Probes::default();
        assert!(probes.add(RunId(0), &[condition(1, 16), condition(1, 32)]));
        assert!(probes.add(RunId(1), &[condition(1, 16)]));
        assert!(probes.add(RunId(2), &[condition(1, 16)]));
        assert!(!probes.add(RunId(3), &[condition(1, 16)]));
        assert_eq!(probes.next(), None, "the strategy has the first turn");
        let first = probes.any().expect("one waits");
        assert_eq!((first.parent, first.to), (RunId(0), Where::Far));
        probes.answered(&first, false);
        let second = probes.any().expect("the same, nearer");
        assert_eq!((second.parent, second.to), (RunId(0), Where::Outside));
        probes.answered(&second, true);
        let third = probes.any().expect("another object");
        assert_eq!((third.parent, third.key.size), (RunId(0), 32));
        assert_eq!(probes.any(), None, "the first access is answered");
    }

    #[test]
    fn each_access_has_its_first_turn_before_any_has_a_second() {
        let mut probes = Probes::default();
        for run in 0..3 {
            assert!(probes.add(RunId(run), &[condition(1, 16), condition(2, 16)]));
        }
        let order = [(); 6].map(|()| probes.any().map(|p| (p.parent.0, p.at)));
        assert_eq!(order, [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2)].map(Some));
    }

    #[test]
    fn the_strategy_has_its_turns() {
        let mut probes = Probes::default();
        probes.add(RunId(0), &[condition(1, 1), condition(2, 1)]);
        (0..EVERY).for_each(|_| probes.yielded());
        assert!(probes.next().is_some());
        assert!(probes.next().is_none() && !probes.is_empty());
    }
}
