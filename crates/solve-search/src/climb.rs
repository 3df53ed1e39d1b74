//! The search: from the run's own input, and from changed ones when stuck, always to a nearer input.
//!
//! One turn takes a constraint that does not hold and tries, by chance, one of: aiming (see `aim`), a *sweep* over a field
//! (steps of ±2^k from the largest to the smallest, kept where they bring the input nearer; for floats in units in the
//! last place: a pattern search in the manner of Korel's alternating variables, with steps that shrink), a constant that
//! occurs in the constraints, or a small mutation. Constraints that stay unsatisfied gain weight, which leads out of
//! local minima (Morris, "The breakout method", AAAI 1993).

use crate::aim;
use crate::distance::{Formula, Formulas};
use crate::problem::Problem;
use crate::random::Random;
use floats::{Format, from_ordinal, ordinal};
use solve::Model;

/// Turns without progress before the weights change.
const PATIENCE: u32 = 40;
/// Changes of weights without progress before the search begins anew.
const RESTART: u32 = 12;

struct Climb<'p> {
    problem: &'p mut Problem,
    formulas: Formulas,
    weights: Vec<f64>,
    random: Random,
    left: u64,
    /// Weighted distance of the current input.
    cost: f64,
    /// The problem's values belong to another input than the current one (the distances never do).
    is_stale: bool,
    start: Vec<u8>,
}

/// An input that satisfies the problem's constraints, if one is found within so many evaluations.
pub(crate) fn search(problem: &mut Problem, seed: u64, evaluations: u64) -> Option<Model> {
    let formulas = Formulas::new(problem);
    let weights = vec![1.0; formulas.roots.len()];
    let start = problem.bytes.clone();
    let random = Random::new(seed);
    let mut climb =
        Climb { problem, formulas, weights, random, left: evaluations, cost: 0.0, is_stale: true, start };
    climb.run().then(|| climb.problem.model())
}

impl Climb<'_> {
    /// Whether an input was found; it is the current one then.
    fn run(&mut self) -> bool {
        self.cost = self.measure();
        let (mut best, mut idle, mut stuck) = (self.cost, 0, 0);
        while self.left > 0 && self.cost > 0.0 {
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
        self.cost == 0.0
    }

    /// Evaluates the current input.
    fn measure(&mut self) -> f64 {
        self.left = self.left.saturating_sub(1);
        self.problem.evaluate();
        self.is_stale = false;
        self.formulas.measure(self.problem);
        let distances = &self.formulas.distances;
        // Every constraint that does not hold counts at least 1: two nearly satisfied ones are worse than one.
        let weighted = |(&root, &weight): (&usize, &f64)| {
            let d = distances[root];
            if d > 0.0 { weight * (1.0 + d) } else { 0.0 }
        };
        self.formulas.roots.iter().zip(&self.weights).map(weighted).sum()
    }

    /// Constraints that do not hold, as indexes.
    fn unsatisfied(&self) -> Vec<usize> {
        let holds = |k: &usize| self.formulas.distances[self.formulas.roots[*k]] == 0.0;
        (0..self.formulas.roots.len()).filter(|k| !holds(k)).collect()
    }

    fn turn(&mut self) {
        let unsatisfied = self.unsatisfied();
        let Some(&constraint) = self.random.pick(&unsatisfied) else { return };
        match self.random.below(8) {
            0..=3 => self.aim(constraint),
            4..=5 => self.sweep(constraint),
            6 => self.constant(constraint),
            _ => self.mutate(constraint),
        }
    }

    /// Tries another input: `change` makes it of the current one. It stays if `accept` likes its cost.
    fn attempt(&mut self, change: impl FnOnce(&mut Problem), accept: impl FnOnce(f64, f64) -> bool) -> bool {
        let before = self.problem.bytes.clone();
        let distances = self.formulas.distances.clone();
        change(self.problem);
        let cost = self.measure();
        if accept(cost, self.cost) {
            self.cost = cost;
            return true;
        }
        self.problem.bytes = before;
        self.formulas.distances = distances;
        self.is_stale = true;
        false
    }

    /// A comparison of the constraint that keeps it from holding, with the value it should have.
    fn culprit(&mut self, constraint: usize) -> (usize, bool) {
        let mut at = self.formulas.roots[constraint];
        loop {
            let (a, b) = match self.formulas.formulas[at] {
                Formula::Atom(node, want) => return (node, want),
                Formula::All(a, b) | Formula::Any(a, b) => (a, b),
            };
            let holds = |k: usize| self.formulas.distances[k] == 0.0;
            let is_all = matches!(self.formulas.formulas[at], Formula::All(..));
            at = match (holds(a), holds(b)) {
                (true, false) if is_all => b,
                (false, true) if is_all => a,
                _ if self.random.one_in(2) => a,
                _ => b,
            };
        }
    }

    fn aim(&mut self, constraint: usize) {
        let (node, want) = self.culprit(constraint);
        if self.is_stale {
            self.problem.evaluate();
            self.is_stale = false;
        }
        let Some(change) = aim::at(self.problem, &mut self.random, node, want) else { return };
        let apply =
            |problem: &mut Problem| change.iter().for_each(|&(byte, value)| problem.bytes[byte] = value);
        self.attempt(apply, |new, old| new <= old);
    }

    /// A field of the constraint, long ones more often.
    fn some_field(&mut self, constraint: usize) -> Option<usize> {
        let fields = &self.problem.fields_of[constraint];
        let first = *self.random.pick(fields)?;
        let second = *self.random.pick(fields)?;
        Some(if self.random.one_in(2) { first } else { first.min(second) })
    }

    /// A field's value moved by `steps`: of a float in units in the last place, of an integer modulo its width.
    fn moved(&self, field: usize, value: u128, steps: i128) -> u128 {
        match self.problem.fields[field].float {
            Some(format) => from_ordinal(format, ordinal(format, value).saturating_add(steps)),
            None => value.wrapping_add(steps as u128),
        }
    }

    fn sweep(&mut self, constraint: usize) {
        let Some(field) = self.some_field(constraint) else { return };
        let bits = (8 * self.problem.fields[field].bytes.len() as u32).min(80);
        let top = if self.random.one_in(2) { bits } else { 1 + self.random.below(bits as usize) as u32 };
        for power in (0..top).rev() {
            for steps in [1i128 << power, -(1i128 << power)] {
                if self.left == 0 || self.cost == 0.0 {
                    return;
                }
                let value = self.moved(field, self.problem.field(field), steps);
                if self.attempt(|problem| problem.set_field(field, value), |new, old| new < old) {
                    break;
                }
            }
        }
    }

    /// A constant from the constraints, or one near it, into a field.
    fn constant(&mut self, constraint: usize) {
        let Some(field) = self.some_field(constraint) else { return };
        let width = 8 * self.problem.fields[field].bytes.len() as u16;
        let Some(&value) = self.problem.constants.get(&width).and_then(|all| self.random.pick(all)) else {
            return self.mutate(constraint);
        };
        let steps = [0, 0, 1, -1][self.random.below(4)];
        let value = self.moved(field, value, steps);
        self.attempt(|problem| problem.set_field(field, value), |new, old| new <= old);
    }

    /// A field of the constraint, often several, changed at random.
    fn mutate(&mut self, constraint: usize) {
        let mut changes = Vec::new();
        while changes.is_empty() || (changes.len() < 4 && self.random.one_in(2)) {
            let Some(field) = self.some_field(constraint) else { return };
            changes.push((field, self.mutated(field)));
        }
        let apply =
            |problem: &mut Problem| changes.iter().for_each(|&(field, v)| problem.set_field(field, v));
        self.attempt(apply, |new, old| new <= old);
    }

    /// Another value for a field.
    fn mutated(&mut self, field: usize) -> u128 {
        let value = self.problem.field(field);
        let bits = 8 * self.problem.fields[field].bytes.len();
        let power = self.random.below(bits.min(100));
        match (self.random.below(6), self.problem.fields[field].float) {
            (0, _) => value ^ 1 << power,
            (1, _) => self.moved(field, value, 1 << power),
            (2, _) => self.moved(field, value, -(1 << power)),
            (3, Some(format)) => value ^ 1 << (format.width() - 1),
            (4, Some(format)) => {
                // A number of moderate size, with few digits.
                let (significand, exponent) =
                    (self.random.word() >> self.random.below(64), self.random.below(24));
                floats::pack(format, self.random.one_in(2), significand.into(), exponent as i32 - 16)
            }
            (5, Some(format)) => special(format, self.random.below(5)),
            (4, None) => self.random.wide() >> self.random.below(128),
            _ => self.random.wide(),
        }
    }

    /// What does not hold counts more from now on.
    fn add_weight(&mut self) {
        for k in self.unsatisfied() {
            self.weights[k] += 1.0;
        }
        self.cost = self.measure();
    }

    /// Begins again near the run's own input.
    fn restart(&mut self) {
        self.weights.fill(1.0);
        self.problem.bytes.copy_from_slice(&self.start);
        for _ in 0..1 + self.random.below(4) {
            let unsatisfied = self.random.below(self.formulas.roots.len());
            if let Some(field) = self.some_field(unsatisfied) {
                let value = self.mutated(field);
                self.problem.set_field(field, value);
            }
        }
        self.cost = self.measure();
    }
}

fn special(format: Format, which: usize) -> u128 {
    match which {
        0 => 0,
        1 => format.infinity(false),
        2 => format.infinity(true),
        3 => format.default_nan(),
        _ => 1,
    }
}
