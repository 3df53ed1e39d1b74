//! What the time of a session's workers went for, by the clock on the wall: where it stands still, this says at what.

use std::time::Duration;

/// What a worker's time is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// Asking solvers.
    Solving,
    /// Runs of the program, one at a time.
    Running,
    /// Batches of cheap runs, and what is made short of them.
    Batches,
    /// Journeys: random inputs, snapshots, searches behind them.
    Journeys,
    /// Runs that were stopped for taking too long, in batches, too.
    Hung,
    /// Waiting: for other workers' results, or for a clock.
    Waiting,
}

impl Use {
    /// All, in the order of reports.
    pub const ALL: [Use; 6] =
        [Use::Solving, Use::Running, Use::Batches, Use::Journeys, Use::Hung, Use::Waiting];

    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Use::Solving => "solving",
            Use::Running => "runs",
            Use::Batches => "batches of runs",
            Use::Journeys => "journeys",
            Use::Hung => "waiting for runs that hang",
            Use::Waiting => "waiting for work",
        }
    }
}

/// Time by use, summed over workers. What is in none of them is the engine's own work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WallTime([Duration; Use::ALL.len()]);

impl WallTime {
    /// Books time.
    pub fn add(&mut self, to: Use, time: Duration) {
        self.0[to as usize] += time;
    }

    /// What was booked.
    pub fn of(&self, one: Use) -> Duration {
        self.0[one as usize]
    }

    /// All that was booked.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}
