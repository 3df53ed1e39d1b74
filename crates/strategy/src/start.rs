//! Where local searches begin, and begin anew: the seeds first, then random inputs.

use crate::{Goal, Letters};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::VecDeque;
use trace::{Mode, RunId};

/// Identity of an instance among those of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Seed of the campaign.
    pub seed: u64,
    /// Number of the instance.
    pub worker: usize,
    /// Number of instances.
    pub workers: usize,
}

/// Random numbers of a strategy: a named generator, so that a seed means the same with every version of `rand`.
pub type Rng = Xoshiro256PlusPlus;

impl Start {
    /// This instance's own random numbers.
    pub fn rng(&self) -> Rng {
        Rng::seed_from_u64(self.seed.wrapping_add((self.worker as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

/// Starting points.
#[derive(Debug)]
pub struct Starts {
    of: Start,
    seen: usize,
    seeds: VecDeque<RunId>,
}

impl Starts {
    /// None yet.
    pub fn new(of: Start) -> Starts {
        Starts { of, seen: 0, seeds: VecDeque::new() }
    }

    /// A seed was run. Instances share the seeds out; each has the first one, for want of another.
    pub fn add(&mut self, run: RunId) {
        if self.seen == 0 || self.seen % self.of.workers == self.of.worker {
            self.seeds.push_back(run);
        }
        self.seen += 1;
    }

    /// The next seed; `None` once all have been begun with.
    pub fn seed(&mut self) -> Option<RunId> {
        self.seeds.pop_front()
    }

    /// The goal that gets a starting point when there are no seeds left.
    pub fn random(&self) -> Goal {
        Goal::Random { mode: Mode::Symbolic, letters: Letters::All }
    }
}
