//! Decorator: several solvers, cheap ones first. The place of searches.

use crate::{Answer, Clock, Limits, Query, Solver, StageStats, Unknown};

/// Asks solvers one after the other until one knows the answer. If none does, the reason of one of them stands. They share
/// one time limit; who has others behind leaves them a quarter of what is left.
pub struct InTurn {
    solvers: Vec<Box<dyn Solver>>,
    speaker: usize,
    clock: Clock,
}

impl InTurn {
    /// In the order given; `speaker` is the index of the one whose reason for not answering stands.
    pub fn new(solvers: Vec<Box<dyn Solver>>, speaker: usize, clock: Clock) -> InTurn {
        InTurn { solvers, speaker, clock }
    }
}

impl Solver for InTurn {
    fn name(&self) -> &'static str {
        "in turn"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let mut reason = Unknown::Unsupported("no solver is set up".into());
        let began = (self.clock)();
        let last = self.solvers.len().saturating_sub(1);
        for (k, solver) in self.solvers.iter_mut().enumerate() {
            let Some(mut limits) = limits.left((self.clock)().saturating_sub(began)) else {
                // Who was never asked gave no reason.
                return Answer::Unknown(if k > self.speaker { reason } else { Unknown::TimeLimit });
            };
            if k < last {
                limits.millis = (limits.millis * 3).div_ceil(4);
            }
            match solver.solve(query, &limits) {
                Answer::Unknown(given) if k == self.speaker => reason = given,
                Answer::Unknown(_) => {}
                answer => return answer,
            }
        }
        Answer::Unknown(reason)
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        for solver in &self.solvers {
            solver.stages(stages);
        }
    }
}
