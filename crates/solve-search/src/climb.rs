//! The search: from the run's own input, and from changed ones when stuck, always to a nearer input.
//!
//! It begins at the goal: by aiming (see `aim`), then, where the goal reads a single byte, with every value of it. From then
//! on, one turn takes a constraint that does not hold and tries, by chance, one of: aiming, a *sweep* over a field (steps
//! of ±2^k from the largest to the smallest, kept where they bring the input nearer; for floats in units in the
//! last place: a pattern search in the manner of Korel's alternating variables, with steps that shrink), a constant that
//! occurs in the constraints, or a small mutation. Constraints that stay unsatisfied gain weight, which leads out of
//! local minima (Morris, "The breakout method", AAAI 1993). After that the search begins anew: near the run's
//! input, or with the bytes of the model found last; before that at the inputs that another solver thought of, if there are any.
//!
//! A change is judged by the constraints that read a changed byte, and only until it is clear that it is none for the
//! better. Constraints that no change has touched are never looked at before a model has to be confirmed.

use crate::aim;
use crate::moves;
use crate::part::{NodeId, Part};
use crate::shelf::Kept;
use crate::touching::Touching;
use expr::Evaluator;
use rustc_hash::FxHashMap;
use solve::Random;
use solve::{Model, Query};

/// Turns without progress before the weights change.
const PATIENCE: u32 = 40;
/// Changes of weights without progress before the search begins anew.
const RESTART: u32 = 12;
/// Attempts at aiming at the goal before anything else.
const FIRST_AIMS: u32 = 6;
/// Work of an attempt beside evaluating constraints.
const ATTEMPT: u64 = 20;
/// Constraints remembered that made changes fail: they are looked at first.
const MAX_HOT: usize = 8;

/// What a search may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Inputs tried.
    pub evaluations: u64,
    /// Work: expressions evaluated by interpretation, or as much.
    pub steps: u64,
    /// Expressions of one constraint.
    pub max_nodes: usize,
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Model(Model),
    /// Nothing within the budget.
    Nothing,
    /// The goal is too large a constraint.
    TooLarge,
}

/// A constraint of the query, once it is looked at.
#[derive(Clone, Copy)]
struct Loaded {
    /// On the shelf.
    place: usize,
    /// Distance under the current input, and under the run's.
    distance: f64,
    initial: f64,
    weight: f64,
}

impl Loaded {
    /// What it counts with this distance: at least 1 if it does not hold, since two nearly satisfied constraints are
    /// worse than one.
    fn cost(&self, distance: f64) -> f64 {
        if distance > 0.0 { self.weight * (1.0 + distance) } else { 0.0 }
    }
}

/// An input, by the numbers of the bytes.
#[derive(Default)]
struct Bytes {
    now: Vec<u8>,
    /// Values in the run of the bytes that the query uses so far.
    start: FxHashMap<usize, u8>,
}

struct Climb<'q> {
    query: &'q Query<'q>,
    shelf: &'q mut Kept,
    budget: Budget,
    touching: Touching<'q>,
    bytes: Bytes,
    loaded: Vec<Option<Loaded>>,
    /// Those of them that are.
    known: Vec<usize>,
    /// Constraints that do not hold, ascending.
    violated: Vec<usize>,
    /// Constraints that lately made a change fail, the last first.
    hot: Vec<usize>,
    random: Random,
    /// Other inputs to begin at, the best last.
    starts: Vec<Model>,
    /// Weighted distance of the current input.
    cost: f64,
}

/// Searches an input that satisfies the query's constraints.
pub(crate) fn search(
    query: &Query<'_>,
    shelf: &mut Kept,
    seed: u64,
    budget: Budget,
    mut starts: Vec<Model>,
) -> Found {
    starts.reverse();
    let mut climb = Climb {
        query,
        shelf,
        budget,
        touching: Touching::new(query.arena, query.constraints),
        bytes: Bytes::default(),
        loaded: vec![None; query.constraints.len()],
        known: Vec::new(),
        violated: Vec::new(),
        hot: Vec::new(),
        random: Random::new(seed),
        starts,
        cost: 0.0,
    };
    let goal = query.constraints.len() - 1;
    if !climb.load(goal) {
        return Found::TooLarge;
    }
    if climb.run(goal) { Found::Model(climb.model()) } else { Found::Nothing }
}

impl Climb<'_> {
    /// Whether an input was found; it is the current one then.
    fn run(&mut self, goal: usize) -> bool {
        if self.open(goal) {
            return true;
        }
        let (mut best, mut idle, mut stuck) = (self.cost, 0, 0);
        while self.has_budget() {
            if self.violated.is_empty() {
                if self.confirm() {
                    return true;
                }
                best = self.cost;
                continue;
            }
            self.turn();
            if self.cost < best {
                (best, idle) = (self.cost, 0);
                continue;
            }
            idle += 1;
            if idle < PATIENCE {
                continue;
            }
            idle = 0;
            stuck += 1;
            if stuck < RESTART {
                self.add_weight();
            } else {
                stuck = 0;
                self.restart();
            }
            best = self.cost;
        }
        self.violated.is_empty() && self.confirm()
    }

    fn has_budget(&self) -> bool {
        self.budget.evaluations > 0 && self.budget.steps > 0
    }

    fn spend(&mut self, steps: u64) {
        self.budget.steps = self.budget.steps.saturating_sub(steps);
    }

    /// What mostly does. If it shows that nothing will, the budget is gone afterwards.
    fn open(&mut self, goal: usize) -> bool {
        for _ in 0..FIRST_AIMS {
            let at = if self.violated.contains(&goal) { Some(goal) } else { self.violated.first().copied() };
            let Some(at) = at else { break };
            self.aim(at);
        }
        let single = match self.part(goal).bytes[..] {
            [byte] => Some(byte),
            _ => None,
        };
        if let Some(byte) = single.filter(|_| !self.violated.is_empty()) {
            for value in 0..=u8::MAX {
                if !self.violated.is_empty() && self.has_budget() {
                    self.attempt(&[(byte, value)], false);
                }
            }
            if !self.violated.is_empty() && self.touching.is_one_byte() {
                self.budget.steps = 0;
            }
        }
        self.violated.is_empty() && self.confirm()
    }

    /// A constraint that is loaded.
    fn at(&self, constraint: usize) -> Loaded {
        self.loaded[constraint].expect("it was loaded before it was judged")
    }

    fn part(&self, constraint: usize) -> &Part {
        self.shelf.part(self.at(constraint).place)
    }

    /// Looks at a constraint for the first time; its bytes have their values in the run. Whether it can be used.
    fn load(&mut self, constraint: usize) -> bool {
        let (place, work) =
            self.shelf.place(self.query.arena, self.query.constraints[constraint], self.budget.max_nodes);
        self.spend(work);
        let Some(place) = place else { return false };
        self.bytes.now.resize(self.shelf.layout().len(), 0);
        for k in 0..self.shelf.part(place).bytes.len() {
            let byte = self.shelf.part(place).bytes[k];
            let (object, offset) = self.shelf.layout().name(byte);
            let now = &mut self.bytes.now[byte];
            self.bytes.start.entry(byte).or_insert_with(|| {
                *now = (self.query.hint)(object, offset);
                *now
            });
        }
        let (distance, work) = self.shelf.distance(place, &self.bytes.now);
        self.spend(work);
        let loaded = Loaded { place, distance, initial: distance, weight: 1.0 };
        self.loaded[constraint] = Some(loaded);
        self.known.push(constraint);
        if distance > 0.0 {
            self.violated.push(constraint);
            self.violated.sort_unstable();
            self.cost += loaded.cost(distance);
        }
        true
    }

    /// Tries another input: these bytes changed. It stays if it is nearer, or as near if `or_equal`.
    fn attempt(&mut self, change: &[(usize, u8)], or_equal: bool) -> bool {
        let change: Vec<(usize, u8)> =
            change.iter().copied().filter(|&(byte, value)| self.bytes.now[byte] != value).collect();
        if change.is_empty() {
            return false;
        }
        self.budget.evaluations = self.budget.evaluations.saturating_sub(1);
        let names = change.iter().map(|&(byte, _)| self.shelf.layout().name(byte));
        let names: Vec<(u32, u32)> = names.collect();
        let (affected, work) = self.touching.any_of(&names);
        self.spend(work + ATTEMPT + affected.len() as u64);
        for &constraint in &affected {
            if self.loaded[constraint].is_none() && !(self.has_budget() && self.load(constraint)) {
                return false;
            }
        }
        let before: Vec<(usize, u8)> = change
            .iter()
            .map(|&(byte, value)| (byte, std::mem::replace(&mut self.bytes.now[byte], value)))
            .collect();
        let Some(distances) = self.judge(affected, or_equal) else {
            // A byte that is named twice has its first value again.
            before.iter().rev().for_each(|&(byte, value)| self.bytes.now[byte] = value);
            return false;
        };
        for (constraint, distance) in distances {
            if let Some(loaded) = &mut self.loaded[constraint] {
                loaded.distance = distance;
            }
        }
        self.tally();
        true
    }

    /// Distances of the constraints a change affects, if it is to stay.
    fn judge(&mut self, mut affected: Vec<usize>, or_equal: bool) -> Option<Vec<(usize, f64)>> {
        let most: f64 = affected.iter().map(|&k| self.at(k).cost(self.at(k).distance)).sum();
        // Those first that may make it fail.
        let mut first = 0;
        for k in 0..affected.len() {
            let is_hot = self.at(affected[k]).distance > 0.0 || self.hot.contains(&affected[k]);
            if is_hot {
                affected.swap(first, k);
                first += 1;
            }
        }
        let (mut cost, mut distances) = (0.0, Vec::with_capacity(affected.len()));
        for k in affected {
            let loaded = self.at(k);
            let (distance, work) = self.shelf.distance(loaded.place, &self.bytes.now);
            self.spend(work);
            if self.budget.steps == 0 {
                return None;
            }
            cost += loaded.cost(distance);
            if cost > most || (cost == most && !or_equal) {
                if loaded.distance == 0.0 {
                    self.hot.retain(|&h| h != k);
                    self.hot.insert(0, k);
                    self.hot.truncate(MAX_HOT);
                }
                return None;
            }
            distances.push((k, distance));
        }
        Some(distances)
    }

    /// Cost, and what does not hold, from the distances.
    fn tally(&mut self) {
        self.violated.clear();
        let loaded = &self.loaded;
        let fails = |k: &usize| loaded[*k].is_some_and(|l| l.distance > 0.0);
        self.violated.extend(self.known.iter().copied().filter(fails));
        self.violated.sort_unstable();
        self.cost = self.violated.iter().map(|&k| self.at(k).cost(self.at(k).distance)).sum();
    }

    /// Whether the constraints that were never looked at hold, too; one that does not is looked at from now on.
    fn confirm(&mut self) -> bool {
        let layout = self.shelf.layout();
        let known: FxHashMap<(u32, u32), u8> =
            self.bytes.start.keys().map(|&byte| (layout.name(byte), self.bytes.now[byte])).collect();
        let byte = |o, k| known.get(&(o, k)).copied().unwrap_or_else(|| (self.query.hint)(o, k));
        let mut evaluator = Evaluator::new(self.query.arena, &byte);
        let others = (0..self.query.constraints.len()).filter(|k| self.loaded[*k].is_none());
        let failing: Vec<usize> = others.filter(|&k| !evaluator.is_true(self.query.constraints[k])).collect();
        let usable = failing.iter().filter(|&&k| self.load(k)).count();
        if usable < failing.len() {
            self.budget.steps = 0;
        }
        failing.is_empty()
    }

    /// The current input, which is remembered for later searches.
    fn model(&mut self) -> Model {
        let mut found: Vec<(usize, u8)> =
            self.bytes.start.keys().map(|&byte| (byte, self.bytes.now[byte])).collect();
        found.sort_unstable();
        let layout = self.shelf.layout();
        let model = found.iter().map(|&(byte, value)| (layout.name(byte), value)).collect();
        self.shelf.earlier = found;
        model
    }

    fn turn(&mut self) {
        self.spend(1);
        let Some(&constraint) = self.random.pick(&self.violated) else { return };
        match self.random.below(8) {
            0..=3 => self.aim(constraint),
            4..=5 => self.sweep(constraint),
            6 => self.constant(constraint),
            _ => self.mutate(constraint),
        }
    }

    /// A comparison of the constraint that keeps it from holding, with the value it should have.
    fn culprit(&mut self, constraint: usize) -> (NodeId, bool) {
        let place = self.at(constraint).place;
        let random = &mut self.random;
        let part = self.shelf.part(place);
        part.formulas.culprit(&mut || random.one_in(2))
    }

    fn aim(&mut self, constraint: usize) {
        let work = self.shelf.evaluate(self.at(constraint).place, &self.bytes.now);
        self.spend(work);
        let (node, want) = self.culprit(constraint);
        let part = self.shelf.part(self.at(constraint).place);
        match aim::at(part, &mut self.random, node, want) {
            Some(change) => {
                self.attempt(&change, true);
            }
            None => self.spend(work),
        }
    }

    /// A field of the constraint, long ones more often.
    fn some_field(&mut self, constraint: usize) -> Option<usize> {
        let fields = &self.shelf.part(self.at(constraint).place).fields;
        let (first, second) = match fields.len() {
            0 => return None,
            n => (self.random.below(n), self.random.below(n)),
        };
        Some(if self.random.one_in(2) { first } else { first.min(second) })
    }

    fn sweep(&mut self, constraint: usize) {
        let Some(field) = self.some_field(constraint) else { return };
        let field = self.part(constraint).fields[field].clone();
        let bits = (8 * field.bytes.len() as u32).min(80);
        let top = if self.random.one_in(2) { bits } else { 1 + self.random.below(bits as usize) as u32 };
        for power in (0..top).rev() {
            for steps in [1i128 << power, -(1i128 << power)] {
                if !self.has_budget() || self.violated.is_empty() {
                    return;
                }
                let value = moves::moved(&field, field.of(&self.bytes.now), steps);
                let change: Vec<_> = field.with(value).collect();
                if self.attempt(&change, false) {
                    break;
                }
            }
        }
    }

    /// A constant from the constraints, or one near it, into a field.
    fn constant(&mut self, constraint: usize) {
        let Some(field) = self.some_field(constraint) else { return };
        let part = self.shelf.part(self.at(constraint).place);
        let field = &part.fields[field];
        let width = 8 * field.bytes.len() as u16;
        let Some(&value) = part.constants.get(&width).and_then(|all| self.random.pick(all)) else {
            return self.mutate(constraint);
        };
        let steps = [0, 0, 1, -1][self.random.below(4)];
        let change: Vec<_> = field.with(moves::moved(field, value, steps)).collect();
        self.attempt(&change, true);
    }

    /// A field of the constraint, often several, changed at random.
    fn mutate(&mut self, constraint: usize) {
        let mut change = Vec::new();
        for _ in 0..4 {
            let Some(field) = self.some_field(constraint) else { return };
            let field = &self.shelf.part(self.at(constraint).place).fields[field];
            change.extend(field.with(moves::mutated(field, field.of(&self.bytes.now), &mut self.random)));
            if self.random.one_in(2) {
                break;
            }
        }
        self.attempt(&change, true);
    }

    /// What does not hold counts more from now on.
    fn add_weight(&mut self) {
        for k in &self.violated {
            if let Some(loaded) = &mut self.loaded[*k] {
                loaded.weight += 1.0;
            }
        }
        self.tally();
    }

    /// Begins again near the run's own input, or near what was found for an earlier query.
    fn restart(&mut self) {
        for (&byte, &value) in &self.bytes.start {
            self.bytes.now[byte] = value;
        }
        for loaded in self.loaded.iter_mut().flatten() {
            (loaded.weight, loaded.distance) = (1.0, loaded.initial);
        }
        self.tally();
        let mut change = Vec::new();
        if let Some(start) = self.starts.pop() {
            let layout = self.shelf.layout();
            // What no constraint that was looked at reads has no number; it matters little.
            let known =
                self.bytes.start.keys().filter_map(|&byte| Some((byte, *start.get(&layout.name(byte))?)));
            change.extend(known);
            change.sort_unstable();
            return self.leap(&change);
        }
        if self.random.one_in(3) {
            change.extend(
                self.shelf.earlier.iter().copied().filter(|(byte, _)| self.bytes.start.contains_key(byte)),
            );
        }
        for _ in 0..1 + self.random.below(4) {
            let Some(&constraint) = self.random.pick(&self.known) else { break };
            let Some(field) = self.some_field(constraint) else { continue };
            let field = &self.shelf.part(self.at(constraint).place).fields[field];
            change.extend(field.with(moves::mutated(field, field.of(&self.bytes.now), &mut self.random)));
        }
        self.leap(&change);
    }

    /// Another input, whatever it costs.
    fn leap(&mut self, change: &[(usize, u8)]) {
        let layout = self.shelf.layout();
        let names: Vec<(u32, u32)> = change.iter().map(|&(byte, _)| layout.name(byte)).collect();
        let (affected, work) = self.touching.any_of(&names);
        self.spend(work);
        self.budget.evaluations = self.budget.evaluations.saturating_sub(1);
        for &constraint in &affected {
            if self.loaded[constraint].is_none() && !(self.has_budget() && self.load(constraint)) {
                return;
            }
        }
        change.iter().for_each(|&(byte, value)| self.bytes.now[byte] = value);
        for k in affected {
            let (distance, work) = self.shelf.distance(self.at(k).place, &self.bytes.now);
            self.spend(work);
            if let Some(loaded) = &mut self.loaded[k] {
                loaded.distance = distance;
            }
        }
        self.tally();
    }
}
