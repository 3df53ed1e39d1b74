//! Where local searches begin, and begin anew: the seeds first, then random inputs.

use crate::{Goal, Letters};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
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

/// Most seeds that an instance remembers.
const MAX_SEEDS: usize = 4096;

/// Starting points.
#[derive(Debug)]
pub struct Starts {
    of: Start,
    again: bool,
    seen: usize,
    seeds: Vec<RunId>,
    begun: usize,
}

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// At this run.
    At(RunId),
    /// At the run that this goal gives.
    Ask(Goal),
}

impl Starts {
    /// None yet. `again`: once all seeds have been begun at, every second start is a seed again (for searches that
    /// draw lots and do not repeat themselves); otherwise only random inputs follow.
    pub fn new(of: Start, again: bool) -> Starts {
        Starts { of, again, seen: 0, seeds: Vec::new(), begun: 0 }
    }

    /// A seed was run. Instances share the seeds out; each has the first one, for want of another.
    pub fn add(&mut self, run: RunId) {
        let mine = self.seen == 0 || self.seen % self.of.workers.max(1) == self.of.worker;
        if mine && self.seeds.len() < MAX_SEEDS {
            self.seeds.push(run);
        }
        self.seen += 1;
    }

    /// Where to begin next.
    pub fn begin(&mut self) -> Begin {
        let n = self.begun;
        self.begun += 1;
        if let Some(&seed) = self.seeds.get(n) {
            return Begin::At(seed);
        }
        let later = n - self.seeds.len();
        if self.again && !self.seeds.is_empty() && later % 2 == 1 {
            return Begin::At(self.seeds[later / 2 % self.seeds.len()]);
        }
        Begin::Ask(Goal::Random { mode: Mode::Symbolic, letters: Letters::All })
    }
}
