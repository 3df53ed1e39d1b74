//! Which way to find a goal is asked next.

use crate::start::Rng;
use rand::RngExt;

/// A way to find a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arm {
    Directed,
    Generational,
    Size,
    Random,
    Mutants,
}

/// Recent success of each arm.
#[derive(Debug)]
pub(super) struct Arms {
    arms: [(Arm, Record); 5],
}

/// Goals and new branches of late. Goals fade with each goal of the arm, gains with each goal of any: what an arm found
/// long ago does not buy it a share for ever.
#[derive(Clone, Copy, Debug)]
struct Record {
    goals: f64,
    gain: f64,
    /// Least weight of the arm.
    floor: f64,
}

/// What a goal of a while ago counts against the one after it.
const FADE: f64 = 0.99;
/// Goals that an arm is given credit for before it had any.
const PRIOR: f64 = 4.0;

impl Arms {
    /// All arms, with or without mutants.
    pub(super) fn new(mutants: bool) -> Arms {
        let record = |floor: f64| Record { goals: PRIOR, gain: PRIOR * floor, floor };
        Arms {
            arms: [
                (Arm::Directed, record(0.15)),
                (Arm::Generational, record(0.45)),
                (Arm::Size, record(0.05)),
                (Arm::Random, record(0.01)),
                // Last, and without weight where it is not wanted: the others are drawn as if it were not there.
                (Arm::Mutants, record(if mutants { 0.3 } else { 0.0 })),
            ],
        }
    }
}

impl Record {
    fn weight(&self) -> f64 {
        self.floor * 0.2 + (self.gain / self.goals).min(2.0)
    }

    fn add(&mut self, gain: f64) {
        self.goals = self.goals * FADE + 1.0;
        self.gain += gain;
    }
}

impl Arms {
    /// Draws an arm by weight.
    pub(super) fn draw(&mut self, rng: &mut Rng) -> Arm {
        let total: f64 = self.arms.iter().map(|(_, r)| r.weight()).sum();
        let mut left = rng.random::<f64>() * total;
        for (arm, record) in &self.arms {
            left -= record.weight();
            if left < 0.0 {
                return *arm;
            }
        }
        Arm::Generational
    }

    /// A goal of `arm` was the first to cover so many branches. The second and further ones count less: one flip into
    /// a new function is not worth a hundred others.
    pub(super) fn reward(&mut self, arm: Arm, new_branches: usize) {
        self.add(arm, (new_branches as f64).sqrt());
    }

    /// `arm` had nothing to offer.
    pub(super) fn passed(&mut self, arm: Arm) {
        self.add(arm, 0.0);
    }

    fn add(&mut self, arm: Arm, gain: f64) {
        self.arms.iter_mut().for_each(|(_, record)| record.gain *= FADE);
        self.record(arm).add(gain);
    }

    fn record(&mut self, arm: Arm) -> &mut Record {
        &mut self.arms[arm as usize].1
    }
}
